"""What the documents of a library are called: by title, file and folder; which of them a phrase names; and the limits
of a question to some of them: "In the lease, who pays for repairs?", "according to FAQ.html", "@films who?"."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from clew.memory.dates import DateOrder, FoundDate, asked_times, blanked, date_of, found_dates
from clew.memory.text import FUNCTION_WORDS, compiled_patterns, content_words, stemmed_words, word_lists, words

LEAST = 0.6
"""The share of a phrase's words, by their rarity, that a document's name has to have."""

AS_WELL = 0.75
"""Of two titles that hold a phrase, the share of the better one's fit from which it is not clear which is meant."""

SUGGESTED = 8
"""Names that are suggested at once."""

_LISTS = word_lists(Path(__file__).with_suffix(".txt"))
_WORDS = {name: content_words(" ".join(listed)) for name, listed in _LISTS.items()}
KINDS, _UNNAMED = (frozenset(_WORDS[name]) for name in ("kinds", "unnamed"))
"""What documents are (in a phrase such a word need not be in the name, and says that a document is meant), and what is
part of no name."""

_WRITTEN = {form for word in _LISTS["kinds"] for form in (word, f"{word}s", f"{word.removesuffix('y')}ies")}


def kinds_in(phrase: str) -> frozenset[str]:
    """The stems of its words for documents: of 'booking' none, though 'book' is its stem."""
    return frozenset(content_words(" ".join(word for word in words(phrase) if word in _WRITTEN)))


_POINTED_AT = re.compile(rf"\b(?:{'|'.join(_LISTS['pointing'])}) ([a-z]+)\b(?!['\u2019-])")


def pointed_at(question: str) -> frozenset[str]:
    """The words of a question that stand for a document: 'paper' of 'what are the limitations of the paper?'"""
    words = (word for word in _POINTED_AT.findall(question) if not word.endswith("s"))
    return frozenset(word for word in words if KINDS.issuperset(content_words(word)))


_CALLED = dict(zip(_WORDS["spoken"], _WORDS["written"], strict=True))
"""What is called otherwise on paper."""

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[-_/.]+")
_NEWEST, _OLDEST = (re.compile(rf"\b(?:{'|'.join(_LISTS[name])})\b", re.IGNORECASE) for name in ("newest", "oldest"))
_FILE = re.compile(r"[\w()+-][\w .()+-]*\.[A-Za-z][A-Za-z0-9]{1,5}\b")


def path_in(document: str, place: str) -> tuple[str, ...]:
    """Folders and file of a document below what was indexed; empty for an entry of a file of many. `place` is where a
    person finds it."""
    return PurePosixPath(document).parts if f"/{place}".endswith(f"/{document}") else ()


def names_in(document: str, place: str, title: str) -> str:
    """The names of its folders, in words, and of its file, if the title has not the words of that."""
    path = path_in(document, place)
    *folders, file = (_CAMEL.sub(" ", name) for name in (*path[:-1], PurePosixPath(*path[-1:]).stem))
    return " ".join([*folders, *([] if {*words(file)} <= {*words(_CAMEL.sub(" ", title))} else [file])])


@dataclass(frozen=True, slots=True)
class Listed:
    """A document without its text; `place` is where a person finds it: a path, an address, a line of a file."""

    id: str
    title: str
    place: str
    date: str

    @property
    def path(self) -> tuple[str, ...]:
        """Folders and file below what was indexed; empty for an entry of a file of many."""
        return path_in(self.id, self.place)


@dataclass(frozen=True, slots=True)
class NamedDocuments:
    """Documents that a phrase names equally well: `coverage` of the phrase's words, `of_title` of the title's, both
    from 0 to 1; `by_file`: it has the name of a file, `dated`: the date of a document, `kind`: a word for one that they
    have, `specific`: another word that they have."""

    documents: tuple[Listed, ...] = ()
    coverage: float = 0.0
    of_title: float = 0.0
    by_file: bool = False
    dated: bool = False
    kind: bool = False
    specific: bool = False


class Catalogue:
    """Over all documents of a library, in its order. Made once; names are read when they are first asked for."""

    def __init__(self, documents: Sequence[Listed], order: DateOrder = "") -> None:
        self.documents = tuple(documents)
        self._order: DateOrder = order

    @cached_property
    def shown(self) -> dict[str, str]:
        """Document -> its title as a person reads it in a list: without what all titles end with."""
        tail = self._common_tail
        found = {}
        for one in self.documents:
            title = " ".join(one.title.removesuffix(tail).split()) or one.title
            found[one.id] = title[:1].upper() + title[1:] if one.path and title.islower() else title or one.id
        return found

    @cached_property
    def _common_tail(self) -> str:
        """` - Borg 1.2 documentation`: from a mark on, of all titles or all but a few."""
        tails: Counter[str] = Counter()
        for one in self.documents:
            marks = [match.start() for match in re.finditer(r"\s[-|\u2013\u2014\u00b7:]\s", one.title)]
            tails.update(one.title[start:] for start in marks)
        most = max((tail for tail, count in tails.items() if count >= 0.8 * len(self.documents)), key=len, default="")
        return most if len(self.documents) > 2 else ""

    def folders(self, within: Collection[str] | None = None) -> dict[str, list[Listed]]:
        """The documents by the folder that they lie in, below the folders that all of them lie in; empty where they lie
        in one, or are entries of files."""
        paths = [(one, one.path) for one in self.documents if within is None or one.id in within]
        if not paths or not all(path for _, path in paths):
            return {}
        levels = zip(*(path[:-1] for _, path in paths), strict=False)
        above = len(list(takewhile(lambda names: len(set(names)) == 1, levels)))
        found: dict[str, list[Listed]] = defaultdict(list)
        for one, path in paths:
            found[path[above] if len(path) - 1 > above else ""].append(one)
        return dict(sorted(found.items())) if len(found) > 1 else {}

    def suggested(self, begun: str) -> list[str]:
        """Folders and files whose name contains `begun`, those that begin with it first: behind an @."""
        begun = begun.casefold()
        found = (name for name in self._places if begun in name.casefold())
        return sorted(found, key=lambda name: not name.casefold().startswith(begun))[:SUGGESTED]

    @cached_property
    def _places(self) -> list[str]:
        """The names of all folders, then those of all files."""
        paths = [one.path for one in self.documents]
        folders = (folder for path in paths for folder in path[:-1])
        return list(dict.fromkeys((*folders, *(path[-1] for path in paths if path))))

    # Names ---------------------------------------------------------------------------------------------------------

    def named(self, phrase: str, least: float = LEAST) -> NamedDocuments:
        """Those that a phrase names best; none where it names none well enough. With a date only those of that date,
        with a number only those that have it; `the latest` is the last by date."""
        if found := self.by_file(phrase):
            return NamedDocuments((found,), 1.0, 1.0, by_file=True, kind=True)
        asked = asked_times(phrase, self._order)
        phrase = blanked(phrase, asked)
        stems, kinds = _name_words(phrase), kinds_in(phrase)
        stems = [_CALLED.get(stem, stem) if stem not in self._holding else stem for stem in stems]
        plain = [stem for stem in dict.fromkeys(stems) if stem not in _UNNAMED]
        numbers = frozenset(word for word in plain if word.isdigit())
        required = [word for word in plain if word not in kinds]
        if not plain and not asked:
            return NamedDocuments()
        places = self._candidates(plain, asked, numbers)
        if not places:
            return NamedDocuments()
        counted = {word: self._rarity(word) for word in plain if word in required or word in self._holding}
        scored = [(*self._coverage(place, counted, bool(asked and not required)), place) for place in places]
        scored = [one for one in scored if one[0] >= least or (one[1] >= 0.8 and one[0] > 0)]
        if not scored:
            return NamedDocuments()
        best = max(one[:2] for one in scored)
        tied = [p for cover, title, p in scored if cover > best[0] - 0.02 and title >= AS_WELL * best[1]]
        if len(tied) > 1 and (_NEWEST.search(phrase) or _OLDEST.search(phrase)):
            dates = sorted(self.documents[place].date for place in tied)
            asked_for = dates[-1 if _NEWEST.search(phrase) else 0]
            tied = [place for place in tied if self.documents[place].date == asked_for]
        documents = tuple(self.documents[place] for place in tied)
        specific = all(self._names[place] & set(required) for place in tied)
        kind = bool(set(plain) & kinds) and (specific or all(self._names[place] & set(plain) for place in tied))
        return NamedDocuments(
            documents, *best, dated=bool(asked), kind=kind or bool(asked and set(plain) & kinds), specific=specific
        )

    def by_file(self, phrase: str) -> Listed | None:
        """The document whose file's name stands in it: `FAQ.html`, `club/minutes.md`."""
        lowered = phrase.casefold()
        if not _FILE.search(phrase):
            return None
        found = [one for one in self.documents if one.path and _stands(one.path[-1].casefold(), lowered)]
        found = [one for one in found if _stands(one.id.casefold(), lowered)] or found
        return found[0] if len(found) == 1 else None

    @cached_property
    def _titles(self) -> list[frozenset[str]]:
        return [frozenset(_name_words(_undated(one.title, self._order))) for one in self.documents]

    @cached_property
    def _names(self) -> list[frozenset[str]]:
        """With the words of file and folder."""
        files = [PurePosixPath(*one.path).with_suffix("").as_posix() if one.path else "" for one in self.documents]
        words = [frozenset(_name_words(_undated(file, self._order))) for file in files]
        return [title | file for title, file in zip(self._titles, words, strict=True)]

    @cached_property
    def _holding(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for place, names in enumerate(self._names):
            for word in names:
                found[word].append(place)
        return found

    def _rarity(self, word: str) -> float:
        return math.log(len(self.documents) / max(1, len(self._holding.get(word, ())))) + 0.05

    def _candidates(self, words: Sequence[str], asked: Sequence[FoundDate], numbers: frozenset[str]) -> list[int]:
        named = sorted({place for word in words for place in self._holding.get(word, ())})
        if asked:
            named = [place for place, one in enumerate(self.documents) if _of_time(asked, one.date)]
        return [place for place in named if numbers <= self._names[place]]

    def _coverage(self, place: int, words: Mapping[str, float], dated: bool) -> tuple[float, float]:
        """The shares of the words' rarity that the document's names hold, all of it where it is meant by date alone; of
        its title's, that the words hold."""
        names, title = self._names[place], self._titles[place]
        of_title = sum(map(self._rarity, title))
        in_title = sum(rarity for word, rarity in words.items() if word in title) / of_title if of_title else 0.0
        held, total = sum(rarity for word, rarity in words.items() if word in names), sum(words.values())
        return 1.0 if dated else held / total if total else 0.0, in_title


def _name_words(text: str) -> list[str]:
    """Stems, and numbers without zeros before them."""
    found = []
    for word in re.findall(r"[^\W_]+", _CAMEL.sub(" ", text).casefold()):
        if word.isdigit():
            found.append(str(int(word)))
        elif word not in FUNCTION_WORDS and len(word) > 1:
            found += stemmed_words(word)
    return found


def _of_time(asked: Sequence[FoundDate], iso: str) -> bool:
    """Whether a document's date is as exact as one that is asked for, and meets it."""
    own = date_of(iso)
    return any(
        one.meets(own) and bool(own.day) >= bool(one.date.day) and bool(own.month) >= bool(one.date.month)
        for one in asked
    )


def _undated(text: str, order: DateOrder) -> str:
    return blanked(text, found_dates(text, order))


def _stands(name: str, text: str) -> bool:
    return bool(re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w/-])", text)) if name else False


# A question that is limited to documents ------------------------------------------------------------------------------

SURE = 0.8
"""The share of the words behind `in` or `according to` that must be in the document's name, and of a title that must be
named if no word such as `document` is there ("In Chowder, who serves?")."""

ENOUGH_TITLE = 0.4
"""The share of a title that must be named with such a word: `the lease`, for `Lease 2024`."""

FEWEST = 2
"""Words that must be left of a question without the limit."""

_AT = re.compile(r'(?<!\S)@(?:"([^"]+)"|([^\s@"]*[^\s@",.:;?!]))')
_PATTERNS = compiled_patterns(Path(__file__).with_name("scope.txt"))
_KINDS = ("opening", "said by", "subject", "closing")
"""The patterns that name a document, in the order in which they are tried."""


@dataclass(frozen=True, slots=True)
class Limit:
    """`words` of the question name the document; empty if they are its subject."""

    document: Listed
    words: str = ""

    def without(self, text: str) -> str:
        """The question without these words, if enough is left of it."""
        plain = " ".join(text.replace(self.words, " ").split()).lstrip(", ") if self.words else text
        return plain if len(plain.split()) >= FEWEST else text


def document_meant(question: str, catalogue: Catalogue) -> Limit | None:
    """The document that the question limits itself to; None if that is not certain, or several fit. An entry of a file
    with many entries is never a limit."""
    for kind in _KINDS:
        for match in _PATTERNS[kind].finditer(question):
            named = catalogue.named(match["of"], SURE)
            if len(named.documents) == 1 and named.documents[0].path and _is_sure(named, kind):
                words = question[match.start() : match.end("of")]
                return Limit(named.documents[0], "" if kind == "subject" else words)
    found = catalogue.by_file(question)
    return Limit(found) if found else None


def _is_sure(named: NamedDocuments, kind: str) -> bool:
    """Whether a phrase names a document for certain: by its file, by a word such as `document` beside its name or date,
    or by its title, which is not enough at the end of a question."""
    by_title = kind != "closing" and named.of_title >= (ENOUGH_TITLE if kind == "subject" else SURE)
    by_kind = named.kind and (named.specific or named.dated or named.of_title >= ENOUGH_TITLE)
    return named.by_file or by_title or by_kind


class Scoped(NamedTuple):
    """The question without its `names` behind an @, and the ids of the documents that they name; `unknown` are names
    that no document has, which stay in the question."""

    question: str
    names: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def scoped(question: str, catalogue: Catalogue) -> Scoped:
    """Names may be those of files (with or without extension), folders or titles; `@"..."` if they have spaces."""
    found: dict[str, list[str]] = {}
    for match in _AT.finditer(question):
        name = (match[1] or match[2]).casefold().strip("/")
        if documents := [one.id for one in catalogue.documents if _has_name(one, name)]:
            found[match[0]] = documents
    unknown = tuple(match[0] for match in _AT.finditer(question) if match[0] not in found)
    for written in found:
        question = question.replace(written, " ")
    names = tuple(written[1:].strip('"') for written in found)
    ids = dict.fromkeys(id_ for documents in found.values() for id_ in documents)
    return Scoped(" ".join(question.split()), names, tuple(ids), unknown)


def _has_name(one: Listed, name: str) -> bool:
    place = re.sub(r":\d+$", "", one.place.partition(": ")[0].casefold())
    return f"/{name}/" in f"/{place}/" or name in (PurePosixPath(place).stem, one.title.casefold(), one.id.casefold())

"""What the documents of a library are called: by title, file and folder; and which of them a phrase names."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import Path, PurePosixPath

from clew.memory.dates import DateOrder, FoundDate, asked_times, blanked, date_of, found_dates
from clew.memory.text import FUNCTION_WORDS, content_words, stemmed_words, word_lists, words

LEAST = 0.6
"""The share of a phrase's words, by their rarity, that a document's name has to have."""

AS_WELL = 0.75
"""Of two titles that hold a phrase, the share of the better one's fit from which it is not clear which is meant."""

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

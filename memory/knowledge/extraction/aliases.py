"""One id for one thing, however it is written: `Dr. B. R. Ambedkar`, `B.R. Ambedkar`, where it is clear `Ambedkar`.

`normalised` gives one key to the spellings of a name or date. `canonical` joins a surname, initials or an acronym to a
fuller name where one document has only one that fits, or has none and the library has only one. Two full names are
never joined.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property

from clew.memory.knowledge.extraction import lexicon
from clew.memory.knowledge.extraction.lexicon import EntityKind, Mention

_OWN = re.compile(r"['’ʼ]s?(?=\W*$)", re.IGNORECASE)
_APOSTROPHE = re.compile(r"['’‘ʼ`´]")
_APART = re.compile(r"[^\w\u0300-\u036f]+|_+")
_DAY = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?")
_YEAR = re.compile(r"\d{4}")


def normalised(surface: str) -> str:
    """Lower case; no full stops, apostrophes, titles, `the`; initials as one word; accents stay; a day as 1916-05-09.

    `Dr. B. R. Ambedkar`, `B.R. Ambedkar` and `BR Ambedkar's` give `br ambedkar`. What is normalised stays so.
    """
    key = surface
    for _ in range(8):
        before, key = key, _once(key)
        if key == before or _is_plain(key):
            break
    return key


def _is_plain(key: str) -> bool:
    """Whether what was normalised once is so for good: no letters that Unicode writes in several ways, no date."""
    return key.isascii() and "-" not in key and lexicon.MONTH_NUMBERS.keys().isdisjoint(key.split())


def _once(surface: str) -> str:
    text = surface.casefold()
    if not surface.isascii():
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", surface).casefold())
    text = _APOSTROPHE.sub("", _OWN.sub("", text))
    words = _APART.sub(" ", text).split()
    if (day := _day(words)) is not None:
        return day
    words = _initials_joined(words)
    while len(words) > 1 and (
        words[0] == "the" or (words[0] in lexicon.DROPPED_TITLES and words[1] not in ("of", "and"))
    ):
        words = words[1:]
    while len(words) > 1 and words[-1] in lexicon.FIRMS:
        words = words[:-1]
    return " ".join(words)


def _initials_joined(words: list[str]) -> list[str]:
    joined: list[str] = []
    single = False
    for word in words:
        if len(word) == 1 and word.isalpha() and single:
            joined[-1] += word
        else:
            joined.append(word)
        single = len(word) == 1 and word.isalpha()
    return joined


def _day(words: list[str]) -> str | None:
    """The date in one order where the words are a day, a month and a year, or a month and a year."""
    months = [lexicon.MONTH_NUMBERS[word] for word in words if word in lexicon.MONTH_NUMBERS]
    if len(months) != 1:
        return None
    words = [word for word in words if word != "of"]
    years = [word for word in words if _YEAR.fullmatch(word)]
    days = [match.group(1) for word in words if (match := _DAY.fullmatch(word))]
    if len(years) != 1 or len(days) > 1 or len(words) != 2 + len(days):
        return None
    return "-".join([years[0], f"{months[0]:02}", *(f"{int(day):02}" for day in days)])


_NO_PEOPLE = frozenset(("place", "organisation", "date", "work", "term"))
_SHORTEST_SURNAME, _SHORTEST_ACRONYM, _LONGEST_ACRONYM = 3, 3, 7


@dataclass(frozen=True)
class AliasCandidate:
    """A key with its kinds in the library, its commonest spelling and its words (`_words_of`)."""

    key: str
    kinds: frozenset[EntityKind]
    surface: str
    words: Sequence[str]

    @property
    def last(self) -> str:
        return self.words[-1] if self.words else ""

    @cached_property
    def given(self) -> list[str]:
        """The words before the surname and its particles; of initials each letter."""
        given: list[str] = []
        for place, word in enumerate(self.words[:-1]):
            if word in lexicon.PARTICLES and place:
                continue
            given.extend(word if self._are_initials(word, place) else [word])
        return given

    def _are_initials(self, word: str, place: int) -> bool:
        """Whether it stands for initials: B. R., B.R. or BR. Only the first word can have several letters."""
        if len(word) == 1 or place or len(word) > 3 or not word.isalpha():
            return len(word) == 1
        dotted = r"\.\s*".join(word)
        return word.upper() in self.surface.split() or re.search(dotted, self.surface.casefold()) is not None

    @cached_property
    def could_be_person(self) -> bool:
        """Two to five words, none of them a place's, a firm's or a number."""
        words = self.words
        if not 2 <= len(words) <= 5 or not _NO_PEOPLE.isdisjoint(self.kinds):
            return False
        if words[0] in lexicon.NO_GIVEN_NAMES or words[-1] in lexicon.ORGANISATIONS | lexicon.PLACES | lexicon.WORKS:
            return False
        return all(
            word.isalpha() and (word not in lexicon.EMPTY or word in lexicon.PARTICLES or len(word) == 1)
            for word in words
        )

    @property
    def is_person(self) -> bool:
        return "person" in self.kinds and self.could_be_person

    @property
    def can_be_short(self) -> bool:
        """A lone surname, or a surname with initials only."""
        if not _NO_PEOPLE.isdisjoint(self.kinds) or not self.words:
            return False
        if len(self.words) == 1:
            return len(self.key) >= _SHORTEST_SURNAME and self.key.isalpha()
        return self.could_be_person and all(len(part) == 1 for part in self.given)

    @property
    def is_acronym(self) -> bool:
        letters = self.surface.replace(".", "")
        return _SHORTEST_ACRONYM <= len(letters) <= _LONGEST_ACRONYM and letters.isalpha() and letters.isupper()

    @cached_property
    def acronym(self) -> str:
        """The first letters of its words, small ones left out; empty for one word."""
        words = [word for word in self.words if word not in lexicon.EMPTY]
        return "".join(word[0] for word in words) if len(words) > 2 else ""


def _words_of(key: str) -> list[str]:
    """Without `Jr`: the last is the surname."""
    words = key.split()
    return words[:-1] if len(words) > 2 and words[-1] in lexicon.SUFFIXES else words


def stands_for(short: AliasCandidate, full: AliasCandidate) -> bool:
    """Whether a surname, or initials with one, is short for the fuller name of a person.

    Initials have to be those of the given names, from the first: `B. R.` is `Bhimrao Ramji`, `J.` is `J. R. R.`
    """
    if short.key == full.key or short.last != full.last or len(full.words) < 2:
        return False
    if len(short.words) == 1:
        return True
    initials, given = short.given, full.given
    if any(len(one) > 1 for one in initials):
        return False
    fuller = len(given) > len(initials) or any(len(one) > 1 for one in given)
    return (
        fuller and len(initials) <= len(given) and all(b.startswith(a) for a, b in zip(initials, given, strict=False))
    )


def fuller(title: str, name: AliasCandidate) -> bool:
    """Whether a name has the words of a document's title and more between its first and its last."""
    words = title.split()
    if len(words) < 2 or len(name.words) <= len(words):
        return False
    return words[0] == name.words[0] and words[-1] == name.last and set(words) <= set(name.words)


@dataclass(frozen=True, slots=True)
class Aliases:
    """`shared`: key -> id in any document; `within`: (document, key) -> id where a document says otherwise.

    A key that is its own id in all documents stands in neither.
    """

    shared: Mapping[str, str]
    within: Mapping[tuple[str, str], str]

    def of(self, document: str, surface: str) -> str:
        """The id of what a document calls `surface`."""
        return self.of_key(document, normalised(surface))

    def of_key(self, document: str, key: str) -> str:
        """The id of what is normalised already."""
        return self.within.get((document, key)) or self.shared.get(key, key)


def canonical(
    mentions: Mapping[str, Iterable[Mention]],
    titles: Mapping[str, str] | None = None,
    key_of: Callable[[str], str] = normalised,
) -> Aliases:
    """Ids for the mentions of a library, by document; `titles` are what the documents' titles name (`title_name`), and
    `key_of` is `normalised`, or a table of it.

    The result does not depend on the order of the documents or of their mentions.
    """
    key_of = cache(key_of)
    surfaces: dict[str, dict[str, int]] = defaultdict(dict)
    kinds: dict[str, set[EntityKind]] = defaultdict(set)
    found: dict[str, set[str]] = {}
    times: Counter[tuple[str, EntityKind]] = Counter()
    for document, its in mentions.items():
        told = [(mention.text, mention.kind) for mention in its]
        times.update(told)
        found[document] = {key_of(text) for text, _ in told}
    for (text, kind), often in times.items():
        key = key_of(text)
        surfaces[key][text] = surfaces[key].get(text, 0) + often
        kinds[key].add(kind)
    named = _Names(surfaces, kinds)
    shared, leaning = named.in_library()
    within: dict[tuple[str, str], str] = {}
    for document, keys in sorted(found.items()):
        title = key_of(titles[document]) if titles and document in titles else ""
        in_document = named.in_document(keys, title, shared, leaning)
        within |= {(document, key): id_ for key, id_ in in_document.items()}
    return Aliases(shared, within)


def commonest(counts: Mapping[str, int]) -> str:
    """The text with the highest count; of equal ones the longest, then the first by alphabet."""
    if len(counts) == 1:
        return next(iter(counts))
    return min(counts, key=lambda text: (-counts[text], -len(text), text))


class _Names:
    """The keys of a library with their spellings and kinds. Candidates are made of few: of those that share a surname
    with a person, of acronyms and of what has their letters."""

    def __init__(self, surfaces: Mapping[str, Mapping[str, int]], kinds: Mapping[str, Set[EntityKind]]) -> None:
        self._words = {key: _words_of(key) for key in sorted(kinds)}
        self._last = {key: words[-1] if words else "" for key, words in self._words.items()}
        self._surfaces, self._kinds = surfaces, kinds
        self._made: dict[str, AliasCandidate] = {}

    def _of(self, keys: Iterable[str]) -> list[AliasCandidate]:
        for key in (keys := list(keys)):
            if key not in self._made:
                surface = commonest(self._surfaces[key])
                self._made[key] = AliasCandidate(key, frozenset(self._kinds[key]), surface, self._words[key])
        return [self._made[key] for key in keys]

    def _people(self, keys: Iterable[str]) -> dict[str, list[AliasCandidate]]:
        """By surname."""
        by_last: dict[str, list[AliasCandidate]] = defaultdict(list)
        for name in self._of(key for key in keys if "person" in self._kinds[key]):
            if name.is_person:
                by_last[name.last].append(name)
        return by_last

    def in_library(self) -> tuple[dict[str, str], Set[str]]:
        """Key -> the one fuller name of a person that the library has for it; and what can stand for a fuller name."""
        by_last = self._people(self._words)
        elsewhere = {word for words in self._words.values() for word in words[:-1]}
        short = [
            name for name in self._of(key for key, last in self._last.items() if last in by_last) if name.can_be_short
        ]
        joined: dict[str, str] = {}
        for name in short:
            if len(name.words) > 1 or (name.key not in elsewhere and "person" in name.kinds):
                ids = _fullest([other for other in by_last[name.last] if stands_for(name, other)])
                if len(ids) == 1:
                    joined[name.key] = ids[0]
        acronyms = {
            name.key for name in self._of(key for key, of in self._surfaces.items() if any(map(str.isupper, of)))
            if name.is_acronym
        }  # fmt: skip
        return joined, acronyms | {name.key for name in short}

    def in_document(self, keys: Set[str], title: str, shared: Mapping[str, str], leaning: Set[str]) -> dict[str, str]:
        """Key -> id, where it is another than in the rest of the library. `leaning` can stand for a fuller name."""
        last = title.rpartition(" ")[2]
        alike = self._of(sorted(key for key in keys if self._last[key] == last))
        longer = [name.key for name in alike if fuller(title, name) and name.could_be_person]
        joined = {longer[0]: title} if len(longer) == 1 else {}
        short = self._of(sorted(keys & leaning))
        people = self._people(sorted(keys)) if short else {}
        for name in short:
            if name.is_acronym:
                long = self._of(sorted(key for key in keys if len(self._words[key]) > 2))
                candidates = [other for other in long if other.acronym == name.key]
            else:
                candidates = [other for other in people.get(name.last, ()) if stands_for(name, other)]
            ids = sorted({joined.get(id_, shared.get(id_, id_)) for id_ in _fullest(candidates)})
            if ids:
                joined[name.key] = ids[0] if len(ids) == 1 else name.key
        return {key: id_ for key, id_ in joined.items() if shared.get(key, key) != id_}


def _fullest(candidates: Sequence[AliasCandidate]) -> list[str]:
    """The ids of those that stand for no other among them."""
    return [
        name.key
        for name in candidates
        if not any(name is not other and stands_for(name, other) for other in candidates)
    ]

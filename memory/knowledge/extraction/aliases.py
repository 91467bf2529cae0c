"""One id for one thing, however it is written: `Dr. B. R. Ambedkar`, `B.R. Ambedkar`, where it is clear `Ambedkar`.

`normalised` gives one key to the spellings of a name or date. `canonical` joins a surname, initials or an acronym to a
fuller name where a document has only one that fits. Two full names are never joined.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
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
    before, key = surface, _once(surface)
    while key != before:
        before, key = key, _once(key)
    return key


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
    """A key with its kinds in the library, and its commonest spelling."""

    key: str
    kinds: frozenset[EntityKind]
    surface: str

    @cached_property
    def words(self) -> Sequence[str]:
        """Without `Jr`: the last is the surname."""
        words = self.key.split()
        return words[:-1] if len(words) > 2 and words[-1] in lexicon.SUFFIXES else words

    @property
    def last(self) -> str:
        return self.words[-1] if self.words else ""

    @cached_property
    def given(self) -> list[str]:
        """The words before the surname and its particles; of initials each letter."""
        given: list[str] = []
        for place, word in enumerate(self.words[:-1]):
            if not place or word not in lexicon.PARTICLES:
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
        """Two to five words of letters, none of them a place's or a firm's."""
        return (
            2 <= len(self.words) <= 5
            and _NO_PEOPLE.isdisjoint(self.kinds)
            and self.last not in lexicon.ORGANISATIONS | lexicon.PLACES | lexicon.WORKS
            and all(
                word.isalpha() and (word not in lexicon.EMPTY or word in lexicon.PARTICLES or len(word) == 1)
                for word in self.words
            )
        )

    @property
    def can_be_short(self) -> bool:
        """A lone surname, or a surname with initials only."""
        if len(self.words) == 1:
            long = len(self.key) >= _SHORTEST_SURNAME and self.key.isalpha()
            return long and _NO_PEOPLE.isdisjoint(self.kinds)
        return self.could_be_person and all(len(part) == 1 for part in self.given)

    @property
    def is_acronym(self) -> bool:
        letters = self.surface.replace(".", "")
        return _SHORTEST_ACRONYM <= len(letters) <= _LONGEST_ACRONYM and letters.isalpha() and letters.isupper()

    @cached_property
    def acronym(self) -> str:
        """The first letters of its words, small ones left out; empty for one word or two."""
        letters = [word[0] for word in self.words if word not in lexicon.EMPTY]
        return "".join(letters) if len(letters) > 2 else ""


def stands_for(short: AliasCandidate, full: AliasCandidate) -> bool:
    """Whether a surname, or initials with one, is short for the fuller name of a person.

    Initials have to be those of the given names, from the first: `B. R.` is `Bhimrao Ramji`, `J.` is `J. R. R.`
    """
    if short.key == full.key or short.last != full.last or len(full.words) < 2:
        return False
    initials, given = short.given, full.given
    if any(len(one) > 1 for one in initials) or len(initials) > len(given):
        return False
    fuller = len(given) > len(initials) or any(len(one) > 1 for one in given)
    return fuller and all(name.startswith(one) for one, name in zip(initials, given, strict=False))


def canonical(
    mentions: Mapping[str, Iterable[Mention]], key_of: Callable[[str], str] = normalised
) -> dict[tuple[str, str], str]:
    """Of the mentions of a library, by document: (document, key) -> id, where that is another than the key. `key_of` is
    `normalised`, or a table of it. The order of the documents and of their mentions does not matter."""
    key_of = cache(key_of)
    surfaces: dict[str, Counter[str]] = defaultdict(Counter)
    kinds: dict[str, set[EntityKind]] = defaultdict(set)
    documents: dict[str, set[str]] = {}
    times: Counter[tuple[str, EntityKind]] = Counter()
    for document, its in mentions.items():
        told = [(mention.text, mention.kind) for mention in its]
        times.update(told)
        documents[document] = {key_of(text) for text, _ in told}
    for (text, kind), often in times.items():
        key = key_of(text)
        surfaces[key][text] += often
        kinds[key].add(kind)
    capitals = {key for key, of in surfaces.items() if any(map(str.isupper, of))}

    @cache
    def candidate(key: str) -> AliasCandidate:
        return AliasCandidate(key, frozenset(kinds[key]), commonest(surfaces[key]))

    found = {}
    for document, keys in documents.items():
        people: dict[str, list[AliasCandidate]] = defaultdict(list)
        for key in keys:
            if "person" in kinds[key] and candidate(key).could_be_person:
                people[candidate(key).last].append(candidate(key))
        short = (key for key in keys if key.rpartition(" ")[2] in people and candidate(key).can_be_short)
        fuller = {
            key: [one for one in people[key.rpartition(" ")[2]] if stands_for(candidate(key), one)] for key in short
        }
        if acronyms := [key for key in keys & capitals if candidate(key).is_acronym]:
            long = [candidate(key) for key in keys if key.count(" ") > 1]
            fuller |= {key: [one for one in long if one.acronym == key] for key in acronyms}
        for key, names in fuller.items():
            fullest = [one.key for one in names if not any(stands_for(one, other) for other in names)]
            if len(fullest) == 1:
                found[document, key] = fullest[0]
    return found


def commonest(counts: Mapping[str, int]) -> str:
    """The text with the highest count; of equal ones the longest, then the first by alphabet."""
    if len(counts) == 1:
        return next(iter(counts))
    return min(counts, key=lambda text: (-counts[text], -len(text), text))

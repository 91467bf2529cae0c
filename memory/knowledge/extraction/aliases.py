"""One id for one thing, however it is written: `Dr. B. R. Ambedkar`, `B.R. Ambedkar`, where it is clear `Ambedkar`.

`normalised` gives one key to the spellings of a name or date. `canonical` joins a surname, initials or an acronym to a
fuller name where a document has only one that fits. Two full names are never joined.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cache

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


def stands_for(short: str, full: str) -> bool:
    """Whether one of two names (as keys) is the surname of the other, alone or with initials of its given names, from
    the first: `br ambedkar` of `bhimrao ramji ambedkar`, `j tolkien` of `jrr tolkien`."""
    *initials, last = _words(short)
    *given, surname = _words(full)
    letters = "".join(word[0] for word in given)
    return short != full and bool(given) and last == surname and letters.startswith("".join(initials))


def _words(key: str) -> list[str]:
    """Without `Jr`: the last is the surname."""
    words = key.split() or [""]
    return words[:-1] if len(words) > 2 and words[-1] in lexicon.SUFFIXES else words


def _is_acronym(surface: str) -> bool:
    letters = surface.replace(".", "")
    return _SHORTEST_ACRONYM <= len(letters) <= _LONGEST_ACRONYM and letters.isalpha() and letters.isupper()


def _first_letters(key: str) -> str:
    """The first letters of a key's words, without small ones."""
    return "".join(word[0] for word in key.split() if word not in lexicon.EMPTY)


def canonical(
    mentions: Mapping[str, Iterable[Mention]], key_of: Callable[[str], str] = normalised
) -> dict[tuple[str, str], str]:
    """Of the mentions of a library, by document: (document, key) -> id, where that is another than the key. `key_of` is
    `normalised`, or a table of it. The order of the documents and of their mentions does not matter."""
    key_of = cache(key_of)
    surfaces: dict[str, Counter[str]] = defaultdict(Counter)
    kinds: dict[str, set[EntityKind]] = defaultdict(set)
    documents: dict[str, set[str]] = defaultdict(set)
    for document, its in mentions.items():
        for text, kind, key in ((one.text, one.kind, key_of(one.text)) for one in its):
            surfaces[key][text] += 1
            kinds[key].add(kind)
            documents[document].add(key)
    personal = {key for key, its in kinds.items() if len(key) >= _SHORTEST_SURNAME and _NO_PEOPLE.isdisjoint(its)}
    acronyms = {key for key, its in surfaces.items() if _is_acronym(commonest(its))}
    found = {}
    for document, keys in documents.items():
        people: dict[str, list[str]] = defaultdict(list)
        for key in keys & personal:
            if "person" in kinds[key]:
                people[_words(key)[-1]].append(key)
        of_people = {key: people.get(_words(key)[-1], ()) for key in keys & personal}
        fuller = {key: [one for one in names if stands_for(key, one)] for key, names in of_people.items()}
        fuller |= {key: [one for one in keys if _first_letters(one) == key] for key in keys & acronyms}
        for key, names in fuller.items():
            fullest = [one for one in names if not any(stands_for(one, other) for other in names)]
            if len(fullest) == 1 and fullest[0] != key:
                found[document, key] = fullest[0]
    return found


def commonest(counts: Mapping[str, int]) -> str:
    """The text with the highest count; of equal ones the longest, then the first by alphabet."""
    return min(counts, key=lambda text: (-counts[text], -len(text), text))

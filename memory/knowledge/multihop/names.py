"""The entities of a library that a question names."""

import re
from collections.abc import Mapping

from clew.memory.knowledge.extraction.aliases import normalised
from clew.memory.knowledge.extraction.entities import entities

LONGEST = 10
"""Words of a name."""

_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*\.?")


def named_entities(question: str, numbers: Mapping[str, int], titles: frozenset[int]) -> list[int]:
    """Those that the rules of extraction find, and the longest runs of words that are an entity of the library.

    `numbers` has the entities by id. A single word counts with a capital only, and the first word of the question only
    as one of `titles`, which some document is about.
    """
    found = [numbers[key] for mention in entities(question) if (key := normalised(mention.text)) in numbers]
    words = _WORD.findall(question)
    place = 0
    while place < len(words):
        for size in range(min(LONGEST, len(words) - place), 0, -1):
            number = numbers.get(normalised(" ".join(words[place : place + size])))
            if number is not None and (size > 1 or _counts(words, place, number in titles)):
                found.append(number)
                place += size - 1
                break
        place += 1
    return sorted(set(found))


def _counts(words: list[str], place: int, is_title: bool) -> bool:
    return words[place][0].isupper() and (place > 0 or is_title)

"""Where a text says what is quoted of it."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import groupby
from operator import itemgetter

_WORD = re.compile(r"\w+")

QUOTE = 3
"""Words in a row from which it is a quotation, and no chance."""


def pieces(text: str, quotes: Sequence[str]) -> list[tuple[str, bool]]:
    """The text in pieces, in order and whole, each with whether one of the quotes says it in these words."""
    cited = [False] * len(text)
    for quote in quotes:
        for start, end in quoted(text, quote):
            cited[start:end] = [True] * (end - start)
    runs = groupby(zip(text, cited, strict=True), key=itemgetter(1))
    return [("".join(character for character, _ in run), is_cited) for is_cited, run in runs]


def quoted(text: str, quote: str) -> list[tuple[int, int]]:
    """Where runs of the quote's words stand in the text, whatever their case and what is between them."""
    found = list(_WORD.finditer(text))
    words = [match[0].casefold() for match in found]
    wanted = [word.casefold() for word in _WORD.findall(quote)]
    blocks = SequenceMatcher(None, words, wanted, autojunk=False).get_matching_blocks()
    longest = min(QUOTE, max(len(wanted), 1))
    return [(found[a].start(), _with_stop(text, found[a + size - 1].end())) for a, _, size in blocks if size >= longest]


def _with_stop(text: str, end: int) -> int:
    """The full stop belongs to its sentence."""
    return end + 1 if text[end : end + 1] in (".", "!", "?") else end

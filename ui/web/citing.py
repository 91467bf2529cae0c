"""Which words of a passage an answer quotes."""

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

_WORD = re.compile(r"\w+")

QUOTE = 3
"""Words in a row from which it is a quotation, and no chance."""

Span = tuple[int, int]


def pieces(text: str, quotes: Sequence[str]) -> list[tuple[str, bool]]:
    """The text in pieces, in order and whole, each with whether one of the quotes says it in these words."""
    parts, at = [], 0
    for start, end in _joined(span for quote in quotes for span in quoted(text, quote)):
        parts += [(text[at:start], False), (text[start:end], True)]
        at = end
    return [(part, cited) for part, cited in [*parts, (text[at:], False)] if part]


def quoted(text: str, quote: str) -> list[Span]:
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


def _joined(spans: Iterable[Span]) -> list[Span]:
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined

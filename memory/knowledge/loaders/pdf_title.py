"""The title of a PDF that does not say it: what its first page begins with in letters larger than the rest."""

from collections import Counter
from typing import TYPE_CHECKING, Any

from clew.memory.knowledge.loaders.plain_text import like_a_title

if TYPE_CHECKING:
    from pypdf import PageObject

LARGER, AS_LARGE = 1.12, 0.95
"""How much larger its letters are than most of the page, and which others are as large."""

LOOKED_AT, FEWEST, MARK = 40, 2, 2
"""Pieces of text that it begins in, its words at least, and letters of a piece that may be a mark of a note."""


def largest(page: "PageObject") -> str:
    """The first run of the largest letters, in a line; empty where all are about as large, or it is like no title.
    Raises what pypdf raises where the page is broken."""
    pieces: list[tuple[float, str]] = []

    def see(text: str, cm: Any, tm: Any, _font: Any, size: Any) -> None:
        if text.strip():
            scale = max(abs(float(tm[0])), abs(float(tm[1]))) * max(abs(float(cm[0])), abs(float(cm[1])))
            pieces.append((abs(float(size)) * scale, text))

    page.extract_text(visitor_text=see)
    letters = Counter[float]()
    for size, text in pieces:
        letters[round(size, 1)] += len(text)
    first = [place for place, (_, text) in enumerate(pieces[:LOOKED_AT]) if len(text.strip()) > MARK]
    if not first:
        return ""
    size = max(pieces[place][0] for place in first)
    if size < LARGER * letters.most_common(1)[0][0]:
        return ""
    start = next(place for place in first if pieces[place][0] >= AS_LARGE * size)
    end = start
    while end < len(pieces) and (pieces[end][0] >= AS_LARGE * size or len(pieces[end][1].strip()) < MARK):
        end += 1
    title = " ".join("".join(text for _, text in pieces[start:end]).split())
    return title if len(title.split()) >= FEWEST and like_a_title(title.rstrip("?! ")) else ""

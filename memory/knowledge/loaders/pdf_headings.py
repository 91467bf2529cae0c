"""The headings of a PDF, told by their letters: larger than those of most words, or bold where these are not."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from statistics import median
from typing import NamedTuple, TypeVar

from clew.memory.knowledge.loaders.pdf_tables import FoundTable, Placed, parts_of
from clew.memory.knowledge.loaders.pdf_words import PageWord
from clew.memory.knowledge.loaders.plain_text import like_a_title

LARGER = 1.12  # times the letters of a line, what larger ones are
NEAR = 1.5  # times the height of its letters, what the next line of a heading is below the one before at most

_One = TypeVar("_One")
Look = tuple[int, bool]
"""The height of letters, in points, and whether they are bold."""


class Heading(NamedTuple):
    """`level`: 1 for the largest letters; 0 for a line of which no other has the look and below which another heading
    follows, as below a title and its authors: it names no section."""

    text: str
    look: Look
    level: int = 0


def with_headings(pages: Sequence[Sequence[Placed]]) -> list[list[Placed | Heading]]:
    """What stands on each page, with headings in the place of their words."""
    letters = Counter[Look]()
    for word in (one for page in pages for one in page if isinstance(one, PageWord)):
        letters[_look([word])] += len(word.text)
    usual = max(letters, key=letters.__getitem__, default=(0, False))
    found = [list(_read(page, usual)) for page in pages]
    looks = Counter(one.look for page in found for one in page if isinstance(one, Heading))
    levels = {look: level for level, look in enumerate(sorted(looks, reverse=True), 1)}
    for page in found:
        for place, (one, below) in enumerate(pairwise([*page, None])):
            if isinstance(one, Heading) and not (looks[one.look] == 1 and isinstance(below, Heading)):
                page[place] = one._replace(level=levels[one.look])
    return found


def _read(page: Sequence[Placed], usual: Look) -> Iterator[Placed | Heading]:
    words = [one for one in page if isinstance(one, PageWord)]
    lines = _cut(words, [place for place, word in enumerate(words) if place and word.begins])
    headings, theirs = dict[PageWord, Heading](), set[PageWord]()
    for run in _cut(lines, [place for place, two in enumerate(pairwise(lines), 1) if not _goes_on(*two)]):
        said = [" ".join(word.text for word in line) for line in run]
        text = "".join(line + ("\n" if line.endswith("-") else " ") for line in said).strip()
        height, is_bold = look = _look([*chain(*run)])
        is_strong = height > LARGER * usual[0] or (height >= usual[0] and is_bold > usual[1])
        if is_strong and like_a_title(text.rstrip("?!")) and all(len(parts_of(line)) == 1 for line in run):
            headings[run[0][0]] = Heading(text, look)
            theirs.update(*run)
    for one in page:
        if isinstance(one, FoundTable) or one not in theirs:
            yield one
        elif one in headings:
            yield headings[one]


def _cut(whole: Sequence[_One], places: Sequence[int]) -> list[Sequence[_One]]:
    return [whole[start:end] for start, end in pairwise([0, *places, len(whole)]) if start < end]


def _goes_on(line: Sequence[PageWord], below: Sequence[PageWord]) -> bool:
    look, down = _look(line), line[0].box[1] - below[0].box[1]
    return look == _look(below) and 0 < down <= NEAR * look[0]


def _look(words: Sequence[PageWord]) -> Look:
    """That of most words."""
    return round(median(word.box[3] - word.box[1] for word in words)), median(word.is_bold for word in words) > 0.5

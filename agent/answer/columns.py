"""Whether the first row of a table names its columns."""

import re
from collections.abc import Sequence

_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d(?:[\d.,]*\d)?")
_YEAR = re.compile(r"(?:19|20)\d\d")

ALIKE = 0.75
"""The share of the cells of a column that look alike, from which another look of its first is telling."""


def names_columns(rows: Sequence[str], laid_out: bool) -> bool:
    """It has no number, and the rows below have; or no cell above the first of these; or its cells look otherwise than
    the numbers below them (`Full day (8 h)` above `24 EUR`, a year above amounts); or, in a document that `laid_out`
    its tables, its cells are none of those below, some of which recur."""
    cells = [[cell.strip() for cell in row.split(" | ")] for row in rows]
    first, *below = cells
    if len(below) > 1 and len(first) > 1 and {len(row) for row in below} == {len(first) + 1}:
        return True
    even = len(first) > 1 and len({*first}) == len(first) and all(len(row) == len(first) for row in below)
    if not below or _DIGIT.search(rows[0]):
        return even and len(below) > 1 and _looks_otherwise(first, below)
    if sum(bool(_DIGIT.search(row)) for row in rows[1:]) * 2 > len(below):
        return True
    if not (laid_out and even and all(first)):
        return False
    columns = list(zip(*below, strict=True))
    apart = all(head not in column for head, column in zip(first, columns, strict=True))
    return apart and any(len({*column}) < len(column) for column in columns)


def _looks_otherwise(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether there are columns of numbers that look alike, and the first cell of none of them is such a number."""
    told = list[bool]()
    for head, *column in zip(first, *below, strict=True):
        shapes = [_NUMBER.sub("0", cell) for cell in column if _DIGIT.search(cell)]
        shape = max(shapes, key=shapes.count, default="")
        if shape and shapes.count(shape) >= ALIKE * len(column):
            year = bool(_YEAR.fullmatch(head)) and not all(map(_YEAR.fullmatch, column))
            told.append(year or _NUMBER.sub("0", head) != shape)
    return bool(told) and all(told)

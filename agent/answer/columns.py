"""Whether the first row of a table names its columns."""

import re
from collections.abc import Sequence

_DIGIT = re.compile(r"\d")


def names_columns(rows: Sequence[str], laid_out: bool) -> bool:
    """It has no number, and the rows below have; or no cell above the first of these; or, in a document that `laid_out`
    its tables, its cells are none of those below, some of which recur."""
    cells = [[cell.strip() for cell in row.split(" | ")] for row in rows]
    first, *below = cells
    if len(below) > 1 and len(first) > 1 and {len(row) for row in below} == {len(first) + 1}:
        return True
    if not below or _DIGIT.search(rows[0]):
        return False
    if sum(bool(_DIGIT.search(row)) for row in rows[1:]) * 2 > len(below):
        return True
    even = len(first) > 1 and len({*first}) == len(first) and all(len(row) == len(first) for row in below)
    if not (laid_out and even and all(first)):
        return False
    columns = list(zip(*below, strict=True))
    apart = all(head not in column for head, column in zip(first, columns, strict=True))
    return apart and any(len({*column}) < len(column) for column in columns)

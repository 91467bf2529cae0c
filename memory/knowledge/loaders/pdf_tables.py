"""Tables and columns of a page of a PDF, by pdfplumber: tables that lines are drawn around, and rows whose cells stand
below one another."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from statistics import median
from typing import Any, NamedTuple

from clew.memory.knowledge.loaders.layout import is_name

Area = tuple[float, float, float, float]
"""Left, bottom, right and top, in points of the PDF."""

PageWords = Sequence[dict[str, Any]]
"""The words of a page with their places, as pdfplumber has them."""

LEAST_ROWS, LEAST_FULL = 3, 0.6
"""Rows of a table, and the share of its cells that hold something: a plot has fewer."""

WIDE, NEAR = 1.2, 3.0
"""Of the height of letters, what parts two cells of a row; and points that cells of a column are apart at most."""

GUTTER, ACROSS = 8, 0.1
"""Points between two columns of text, and the share of all lines that may reach across."""

MOST_LINES = 3_000
"""Of a page that tables are looked for between; a drawing has more."""


class FoundTable(NamedTuple):
    box: Area
    rows: list[list[str]]


def tables_of(page: Any, words: PageWords) -> list[FoundTable]:
    """From the top to the bottom. `page` and `words` are of pdfplumber; a page that is turned has none."""
    if page.rotation:
        return []
    few = len(page.lines) + len(page.rects) + len(page.curves) <= MOST_LINES
    drawn = [_drawn(page, one) for one in page.find_tables()] if few else []
    found = [one for one in drawn if _is_table(one.rows)]
    around = [one.box for one in found]
    found += [one for one in _aligned(page, words) if not any(_overlap(one.box, box) for box in around)]
    return sorted(found, key=lambda one: -one.box[3])


def _is_table(rows: Sequence[Sequence[str]]) -> bool:
    cells = [cell for row in rows for cell in row]
    if len(rows) < LEAST_ROWS or len(rows[0]) < 2 or sum(map(bool, cells)) < LEAST_FULL * len(cells):
        return False
    return any(map(str.isalpha, "".join(rows[0])))


def _box(page: Any, left: float, top: float, right: float, bottom: float) -> Area:
    """pdfplumber counts from the top."""
    return left, page.mediabox[3] - bottom, right, page.mediabox[3] - top


def _overlap(one: Area, other: Area) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _drawn(page: Any, table: Any) -> FoundTable:
    """A cell that spans several rows or columns stands in each."""
    said, boxes = table.extract(), [row.cells for row in table.rows]
    wide = max(map(len, said), default=0)
    lefts = [max((row[n][0] for row in boxes if row[n]), default=0.0) for n in range(wide)]
    for number, row in enumerate(said):
        for place, cell in enumerate(row):
            if cell is not None:
                continue
            beside = next((n for n in range(place - 1, -1, -1) if boxes[number][n]), None)
            if beside is not None and boxes[number][beside][2] > lefts[place] + 1:
                row[place] = row[beside]
            elif number:
                row[place] = said[number - 1][place]
    return FoundTable(_box(page, *table.bbox), [[" ".join((cell or "").split()) for cell in row] for row in said])


# Rows without lines --------------------------------------------------------------------------------------------------


def _aligned(page: Any, words: PageWords) -> Iterator[FoundTable]:
    """Runs of lines whose parts stand in the same columns: three and more, or two of which one is of numbers."""
    in_order = sorted(words, key=lambda word: (round(word["bottom"]), word["x0"]))
    rows: list[list[dict[str, Any]]] = []
    for _, line in groupby(in_order, key=lambda word: round(word["bottom"])):
        parts = _parts(line)
        if rows and not (len(parts) == len(rows[-1]) > 1 and _fits(rows, parts)):
            yield from _as_table(page, rows)
            rows = []
        rows.append(parts)
    if rows:
        yield from _as_table(page, rows)


def _parts(words: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The words of a line, joined where no cell ends between them."""
    found: list[dict[str, Any]] = []
    for word in words:
        if found and word["x0"] - found[-1]["x1"] < WIDE * (word["bottom"] - word["top"]):
            found[-1] |= {"text": f"{found[-1]['text']} {word['text']}", "x1": word["x1"]}
        else:
            found.append(dict(word))
    return found


def _fits(rows: Sequence[Sequence[dict[str, Any]]], parts: Sequence[dict[str, Any]]) -> bool:
    """Whether each part begins, ends or lies in the middle where the one above does, and the line is not far below."""
    if parts[0]["top"] - rows[-1][0]["bottom"] > 2 * (parts[0]["bottom"] - parts[0]["top"]):
        return False

    def is_below(one: dict[str, Any], other: dict[str, Any]) -> bool:
        left, right = one["x0"] - other["x0"], one["x1"] - other["x1"]
        return bool(min(abs(left), abs(right), abs(left + right) / 2) <= NEAR)

    return all(any(is_below(one, row[n]) for row in rows) for n, one in enumerate(parts))


def _as_table(page: Any, rows: Sequence[Sequence[dict[str, Any]]]) -> Iterator[FoundTable]:
    said = [[part["text"] for part in row] for row in rows]
    if not _is_table(said) or not all(map(is_name, said[0])):
        return
    if len(said[0]) == 2 and not all(any(map(str.isdigit, row[1])) for row in said[1:]):
        return
    if median(len(cell.split()) for row in said for cell in row) > 4:  # columns of prose
        return
    left, right = min(row[0]["x0"] for row in rows), max(row[-1]["x1"] for row in rows)
    yield FoundTable(_box(page, left, rows[0][0]["top"], right, rows[-1][0]["bottom"]), said)


# Columns -------------------------------------------------------------------------------------------------------------


def gutter_of(width: float, words: PageWords) -> tuple[float, float]:
    """Left and right of the white strip between two columns of text; nothing (0, 0) where there is none."""
    crossed = Counter(place for word in words for place in range(int(word["x0"]), int(word["x1"]) + 1))
    most = max(1, ACROSS * len({round(word["bottom"]) for word in words}))
    free = [place for place in range(int(width / 4), int(3 * width / 4)) if crossed[place] <= most]
    runs = groupby(enumerate(free), key=lambda one: one[1] - one[0])
    widest = max(([place for _, place in run] for _, run in runs), key=len, default=[])
    return (widest[0], widest[-1]) if len(widest) >= GUTTER else (0, 0)


def in_columns(width: float, words: PageWords, boxes: Sequence[Area | None]) -> list[set[int]]:
    """The numbers of the pieces of a page in the order to be read, where it has two columns and was drawn across them:
    above both, on the left, on the right, below. One set where it is to be read as it was drawn."""
    everything = set(range(len(boxes)))
    held = {number: box for number, box in enumerate(boxes) if box}
    start, end = gutter_of(width, words)
    right = {number for number, box in held.items() if box[0] >= end - 1}
    left = {number for number, box in held.items() if box[0] < start and (box[2] < end or box[2] == float("inf"))}
    sides = [one in left for one in held if one in left or one in right]
    if not (start and left and right) or sum(one != other for one, other in pairwise(sides)) < max(6, len(sides) // 4):
        return [everything]
    top = min(max(held[number][1] for number in side) for side in (left, right))
    above = {number for number, box in held.items() if box[1] > top}
    below = held.keys() - left - right - above
    return [above | (everything - held.keys()), left - above, right - above, below]


def parted(
    parts: Sequence[set[int]], boxes: Sequence[Area | None], tables: Sequence[FoundTable]
) -> Iterator[set[int] | int]:
    """The numbers of pieces that are read one after the other, and those of the tables that stand between them."""
    done = set[int]()
    for part in parts:
        run = set[int]()
        for number in sorted(part):
            box = boxes[number]
            table = next((n for n, one in enumerate(tables) if box and _begins_in(box, one.box)), None)
            if table is None:
                run.add(number)
            elif table not in done:
                yield run
                yield table
                run, done = set(), done | {table}
        yield run


def _begins_in(piece: Area, box: Area) -> bool:
    return box[0] - NEAR <= piece[0] <= box[2] and box[1] - NEAR <= piece[1] <= box[3]

"""Tables and columns of a page of a PDF: tables that lines are drawn around (by pdfplumber), and rows whose cells stand
below one another."""

from collections import Counter
from collections.abc import Iterator, Sequence
from ctypes import byref, c_float
from itertools import chain, groupby, pairwise
from statistics import median
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from clew.memory.knowledge.loaders.layout import is_name
from clew.memory.knowledge.loaders.pdf_words import Area, PageWord, overlap

LEAST_ROWS = 3  # of a table
LEAST_FULL = 0.6  # share of its cells that hold something; a plot has fewer
WORDY = 4  # words of half of its cells, above which rows are two columns of prose
WIDE = 1.2  # times the height of letters, what parts two cells of a row
NEAR = 3.0  # points that cells of a column are apart at most
STRAIGHT = 0.5  # points that a line is off being level or upright at most
MOST_LINES = 3_000  # of a page that tables are looked for between; a drawing has more
GUTTER = 8  # points between two columns of text
ACROSS = 0.1  # share of all lines that may reach across them
WIDEST = 20_000  # points of the widest page


class FoundTable(NamedTuple):
    box: Area
    rows: list[list[str]]


def tables_of(page: Any, words: Sequence[PageWord]) -> list[FoundTable]:
    """The tables of a page of pypdfium2, from the top to the bottom."""
    found = [one for one in _drawn(_lines(page), words) if _is_table(one.rows)]
    around = [one.box for one in found]
    found += [one for one in _aligned(words) if not any(overlap(one.box, box) for box in around)]
    return sorted(found, key=lambda one: -one.box[3])


def _is_table(rows: Sequence[Sequence[str]]) -> bool:
    cells = [cell for row in rows for cell in row]
    if len(rows) < LEAST_ROWS or len(rows[0]) < 2 or sum(map(bool, cells)) < LEAST_FULL * len(cells):
        return False
    return any(map(str.isalpha, "".join(rows[0])))


def _lies_in(word: PageWord, box: Area) -> bool:
    left, bottom, right, top = word.box
    return box[0] <= (left + right) / 2 <= box[2] and box[1] <= (bottom + top) / 2 <= box[3]


def _lines(page: Any) -> list[dict[str, Any]]:
    """The level and the upright lines that are drawn on a page, as pdfplumber has them, but counted from below."""
    found, x, y = list[dict[str, Any]](), c_float(), c_float()
    for path in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_PATH], max_depth=1):
        matrix, points = path.get_matrix(), list[tuple[int, tuple[float, float]]]()
        for number in range(pdfium.FPDFPath_CountSegments(path)):
            segment = pdfium.FPDFPath_GetPathSegment(path, number)
            pdfium.FPDFPathSegment_GetPoint(segment, byref(x), byref(y))
            points.append((pdfium.FPDFPathSegment_GetType(segment), matrix.on_point(x.value, y.value)))
        for (_, (x0, y0)), (kind, (x1, y1)) in pairwise(points):
            wide, high = abs(x1 - x0), abs(y1 - y0)
            if kind == pdfium.FPDF_SEGMENT_LINETO and min(wide, high) < STRAIGHT < max(wide, high):
                place = {"x0": min(x0, x1), "x1": max(x0, x1), "top": min(y0, y1), "bottom": max(y0, y1)}
                found.append({**place, "width": wide, "height": high, "orientation": "v" if wide < high else "h"})
        if len(found) > MOST_LINES:
            return []
    return found


def _drawn(lines: list[dict[str, Any]], words: Sequence[PageWord]) -> Iterator[FoundTable]:
    from pdfplumber import table

    no_page: Any = None
    edges = [one for one in table.merge_edges(lines, *[NEAR] * 4) if max(one["width"], one["height"]) >= NEAR]
    cells = table.intersections_to_cells(table.edges_to_intersections(edges, NEAR, NEAR))
    for its in table.cells_to_tables(cells):
        found: Any = table.Table(no_page, its)
        yield FoundTable(found.bbox, list(_rows([row.cells for row in reversed(found.rows)], words)))


def _rows(boxes: Sequence[Sequence[Area | None]], words: Sequence[PageWord]) -> Iterator[list[str]]:
    """What stands in the cells of a table; a cell that spans several rows or columns stands in each."""
    lefts = [max((box[0] for row in boxes if (box := row[place])), default=0.0) for place in range(len(boxes[0]))]
    above: list[str] = []
    for row in boxes:
        said: list[str] = []
        for place, box in enumerate(row):
            before = next((one for one in row[place::-1] if one), None)
            if box:
                said.append(" ".join(word.text for word in words if _lies_in(word, box)))
            else:
                is_wide = before and before[2] > lefts[place] + 1
                said.append(said[-1] if is_wide else above[place] if above else "")
        yield said
        above = said


def _aligned(words: Sequence[PageWord]) -> Iterator[FoundTable]:
    """Runs of lines whose parts stand in the same columns: three and more, or two of which one is of numbers."""
    rows: list[list[PageWord]] = []
    for parts in [*map(parts_of, _lines_of(words)), []]:
        if rows and not (len(parts) == len(rows[-1]) > 1 and _fits(rows, parts)):
            yield from _as_table(rows)
            rows = []
        rows.append(parts)


def _lines_of(words: Sequence[PageWord]) -> list[list[PageWord]]:
    """From the top, each from the left; exponents stand in the line that they are of."""
    lines: list[list[PageWord]] = []
    for word in sorted(words, key=lambda word: -word.box[1]):
        _, bottom, _, top = word.box
        if not lines or lines[-1][0].box[1] - bottom >= (top - bottom) / 2:
            lines.append([])
        lines[-1].append(word)
    return [sorted(line, key=lambda word: word.box[0]) for line in lines]


def parts_of(line: Sequence[PageWord]) -> list[PageWord]:
    """The words of a line, joined where no cell ends between them."""
    found: list[PageWord] = []
    for word in line:
        left, bottom, right, top = word.box
        if found and left - found[-1].box[2] < WIDE * (top - bottom):
            before = found.pop()
            box = (before.box[0], before.box[1], right, before.box[3])
            word = before._replace(text=f"{before.text} {word.text}", box=box)
        found.append(word)
    return found


def _fits(rows: Sequence[Sequence[PageWord]], parts: Sequence[PageWord]) -> bool:
    """Whether each part begins, ends or lies in the middle where the one above does, and the line is not far below."""
    _, bottom, _, top = parts[0].box
    if rows[-1][0].box[1] - top > 2 * (top - bottom):
        return False

    def is_below(one: Area, other: Area) -> bool:
        left, right = one[0] - other[0], one[2] - other[2]
        return min(abs(left), abs(right), abs(left + right) / 2) <= NEAR

    return all(any(is_below(one.box, row[place].box) for row in rows) for place, one in enumerate(parts))


def _as_table(rows: Sequence[Sequence[PageWord]]) -> Iterator[FoundTable]:
    said = [[part.text for part in row] for row in rows]
    is_table = _is_table(said) and all(map(is_name, said[0]))
    of_numbers = len(said[0]) > 2 or all(any(map(str.isdigit, row[1])) for row in said[1:])
    if is_table and of_numbers and median(len(cell.split()) for row in said for cell in row) <= WORDY:
        left, right = min(row[0].box[0] for row in rows), max(row[-1].box[2] for row in rows)
        yield FoundTable((left, rows[-1][0].box[1], right, rows[0][0].box[3]), said)


Placed = PageWord | FoundTable

ABOVE, LEFT, RIGHT, BELOW = range(4)


def with_tables(words: Sequence[PageWord], tables: Sequence[FoundTable]) -> list[Placed]:
    """Each table in the place of the first of its words."""
    found: list[Placed] = []
    for word in words:
        table = next((one for one in tables if _lies_in(word, one.box)), None)
        found += [word] if table is None else [] if table in found else [table]
    return found


def in_columns(placed: Sequence[Placed]) -> list[Placed]:
    """In the order to be read, where a page has two columns and was written across them or from the right one: what
    stands above both, on the left, on the right, below. Else as it was written."""
    start, end = _gutter(placed)
    middle, pieces = (start + end) / 2, list[list[Placed]]()
    for one in placed:
        last = pieces[-1][-1].box[2] if pieces else 0.0
        crosses = last <= middle <= one.box[0] and one.box[0] - last >= (end - start) / 2
        if not pieces or isinstance(one, FoundTable) or one.begins or crosses:
            pieces.append([])
        pieces[-1].append(one)

    def side(piece: list[Placed]) -> int:
        return LEFT if piece[-1].box[2] <= middle else RIGHT if piece[0].box[0] >= middle else BELOW

    tops = [max((piece[0].box[1] for piece in pieces if side(piece) == its), default=0.0) for its in (LEFT, RIGHT)]
    sides = [ABOVE if piece[0].box[1] > min(tops) else side(piece) for piece in pieces]
    columns = [its for its in sides if its in (LEFT, RIGHT)]
    across = sum(one != other for one, other in pairwise(columns)) >= max(6, len(columns) // 4)
    if len(set(columns)) < 2 or not (across or columns == sorted(columns, reverse=True)):
        return list(placed)
    in_order = sorted(zip(sides, pieces, strict=True), key=lambda one: one[0])
    return list(chain(*(piece for _, piece in in_order)))


def _gutter(placed: Sequence[Placed]) -> tuple[float, float]:
    """Left and right of the white strip between two columns of text; nothing (0, 0) where there is none."""
    boxes = [one.box for one in placed]
    crossed = Counter(at for left, _, right, _ in boxes for at in range(max(0, int(left)), min(WIDEST, int(right)) + 1))
    most = max(1, ACROSS * len({round(bottom) for _, bottom, _, _ in boxes}))
    width = max((right for _, _, right, _ in boxes), default=0.0)
    free = [at for at in range(int(width / 4), int(3 * width / 4)) if crossed[at] <= most]
    runs = groupby(enumerate(free), key=lambda one: one[1] - one[0])
    widest = max(([at for _, at in run] for _, run in runs), key=len, default=[])
    return (widest[0], widest[-1]) if len(widest) >= GUTTER else (0, 0)

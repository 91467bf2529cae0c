"""Tables and columns of PDFs are read by their rows and one after the other, however a page was drawn."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from pypdf import PdfWriter

from clew.memory.datatypes import Table
from tests.memory.knowledge.loaders.reading import document
from tests.memory.knowledge.loaders.test_pdf import FONT, as_bytes, draw

Placed = tuple[float, float, str]


def page(words: Sequence[Placed], drawn: str = "") -> bytes:
    """Each of the words at its place, in the order given."""
    writer = PdfWriter()
    said = " ".join(f"BT /F1 10 Tf {x} {y} Td ({text}) Tj ET" for x, y, text in words)
    draw(writer, writer.add_blank_page(612, 792), f"{drawn} {said}", FONT)
    return as_bytes(writer)


def grid(lefts: Sequence[int], top: int, rows: Sequence[Sequence[str]]) -> list[Placed]:
    return [(x, top - 20 * n, cell) for n, row in enumerate(rows) for x, cell in zip(lefts, row, strict=True) if cell]


ROWS = [["Length", "Day", "Week"], ["up to 6 m", "8", "45"], ["6 to 9 m", "12", "70"], ["over 9 m", "19", "110"]]
LEFTS = (100, 200, 300)
ABOVE, BELOW = [(72.0, 740.0, "Fees of the marina")], [(72.0, 500.0, "They are paid at the harbour office.")]
LINES = "1 w " + " ".join(f"95 {y} m 350 {y} l S" for y in range(615, 720, 20))
LINES += " " + " ".join(f"{x} 615 m {x} 695 l S" for x in (95, 195, 295, 350))


@pytest.mark.parametrize("lines", [LINES, ""], ids=["drawn", "aligned"])
@pytest.mark.parametrize("by", ["rows", "columns"])
def test_a_table_has_a_line_for_each_row(tmp_path: Path, lines: str, by: str) -> None:
    cells = grid(LEFTS, 680, ROWS)
    if by == "columns":
        cells.sort(key=lambda one: (one[0], -one[1]))
    found = document(tmp_path / "x.pdf", page([*ABOVE, *cells, *BELOW], lines))
    table = "Length | Day | Week\nup to 6 m | 8 | 45\n6 to 9 m | 12 | 70\nover 9 m | 19 | 110"
    assert found.text == f"Fees of the marina\n\n{table}\n\nThey are paid at the harbour office."
    held = tuple(tuple(row) for row in ROWS[1:])
    assert found.tables == (Table("Fees of the marina", ("Length", "Day", "Week"), held, 2, "page 1"),)


def test_a_merged_cell_of_a_drawn_table_stands_where_it_spans(tmp_path: Path) -> None:
    rows = [["Name", "Summer", ""], ["", "Weight", "Price"], ["Peak", "2.1", "300"], ["Ridge", "3.2", "410"]]
    across = "1 w 95 695 m 350 695 l S 195 675 m 350 675 l S " + " ".join(
        f"95 {y} m 350 {y} l S" for y in (655, 635, 615)
    )
    down = "95 615 m 95 695 l S 195 615 m 195 695 l S 295 615 m 295 675 l S 350 615 m 350 695 l S"
    found = document(tmp_path / "x.pdf", page(grid(LEFTS, 680, rows), f"{across} {down}"))
    assert found.text == "Name | Summer, Weight | Summer, Price\nPeak | 2.1 | 300\nRidge | 3.2 | 410"


LEFT = [
    "The moon orbits the earth",
    "once in twenty-seven days",
    "and always shows the same",
    "side to those who look up.",
]
RIGHT = [
    "Tides rise and fall twice",
    "each day as it pulls at the",
    "water of all the oceans",
    "that lie below its path.",
]


@pytest.mark.parametrize("drawn", ["down", "across"])
def test_two_columns_are_read_one_after_the_other(tmp_path: Path, drawn: str) -> None:
    left = [(60.0, 680.0 - 14 * n, line) for n, line in enumerate(2 * LEFT)]
    right = [(330.0, 680.0 - 14 * n, line) for n, line in enumerate(2 * RIGHT)]
    head = (60.0, 720.0, "A heading that goes over the whole width of the page and on above both of its columns")
    pieces = [*left, *right] if drawn == "down" else [one for pair in zip(left, right, strict=True) for one in pair]
    text = " ".join(document(tmp_path / "x.pdf", page([head, *pieces])).text.split())
    assert text == f"{head[2]} {' '.join(2 * LEFT)} {' '.join(2 * RIGHT)}"


def test_a_plot_is_no_table(tmp_path: Path) -> None:
    boxes = "1 w " + " ".join(f"{100 + 40 * n} 500 40 {60 + 10 * n} re S" for n in range(5))
    found = document(tmp_path / "x.pdf", page([(105 + 40 * n, 480, str(n)) for n in range(5)], boxes))
    assert not found.tables and "|" not in found.text

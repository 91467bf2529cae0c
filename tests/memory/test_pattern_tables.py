"""The tables of patterns: each finds the example that stands below it."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

import clew
from clew.memory.text import read_patterns

ROOT = Path(clew.__file__).parent
EXAMPLE = "# e.g. "
PATTERNS = r"^[a-z][\w ]* = "  # how a row of such a table begins


def rows() -> list[tuple[Path, str, str]]:
    """Each table, a row of it, and the example of that."""
    found = []
    for path in sorted([*ROOT.glob("agent/**/*.txt"), *ROOT.glob("memory/**/*.txt")]):
        lines = path.read_text("utf-8").splitlines()
        with_next = pairwise(lines)
        found += [(path, row, below.removeprefix(EXAMPLE)) for row, below in with_next if below.startswith(EXAMPLE)]
    return found


@pytest.mark.parametrize(("path", "row", "example"), rows())
def test_a_row_finds_its_example(path: Path, row: str, example: str, tmp_path: Path) -> None:
    named = re.fullmatch(r"([a-z][\w ]*) = .*", row)
    if not named:  # one of the alternatives, alone
        parts = [line for line in path.read_text("utf-8").splitlines() if re.fullmatch(r"[a-z]\w* = .*", line)]
        path = tmp_path / "row.txt"
        path.write_text("\n".join([*parts, row]), "utf-8")
    assert re.search(read_patterns(path)[named[1] if named else "alternatives"], example, re.IGNORECASE)


def test_every_row_of_a_table_of_patterns_has_an_example() -> None:
    """Parts of other rows, which have no space in their names, need none; the rows of `relative_dates.txt` have theirs
    in them."""
    tables = [
        path for path in sorted(ROOT.glob("[am]*/**/*.txt")) if re.search(PATTERNS, path.read_text("utf-8"), re.M)
    ]
    assert len(tables) > 20
    for path in (one for one in tables if one.stem != "relative_dates"):
        lines = [line for line in path.read_text("utf-8").splitlines() if line]
        needed = [(n, row) for n, row in enumerate(lines) if not re.fullmatch(r"#.*|[a-z]\w* = .*", row)]
        assert [row for n, row in needed if not lines[n + 1 : n + 2] or not lines[n + 1].startswith(EXAMPLE)] == []

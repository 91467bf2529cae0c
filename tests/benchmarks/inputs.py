"""What the benchmarks read and print: paths named on the command line, which need not be there, and tables."""

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

os.environ.setdefault("HF_HUB_OFFLINE", "1")


def paths(usage: str, *names: str) -> list[Path]:
    """The paths that the command line names, one for each name; ends the run with a line where one is missing."""
    parser = argparse.ArgumentParser(description=usage, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in names:
        parser.add_argument(name, type=Path)
    given = vars(parser.parse_args())
    for name in names:
        if not given[name].exists():
            print(f"skipped: there is no {name} at {given[name]}")
            sys.exit(0)
    return [given[name] for name in names]


def show(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table as Markdown has it; shares have three decimals."""
    table = Table(*heads, title=title, title_justify="left", box=box.MARKDOWN)
    for row in rows:
        table.add_row(*(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row))
    Console(width=200).print(table)

"""The two streams as rich sees them: results go to standard output, progress and messages to standard error."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

WIDE = 160
"""Columns of a table where there is no terminal to fit."""


def output() -> "Console":
    return _console(stderr=False)


def messages() -> "Console":
    return _console(stderr=True)


def print_json(value: Mapping[str, Any]) -> None:
    """One object, one line, handed on at once; not by click.echo, which would write through the bars of progress."""
    from clew.memory.json_lines import as_line

    sys.stdout.write(as_line(value))
    sys.stdout.flush()


def _console(stderr: bool) -> "Console":
    """Without a terminal no line is broken, and rich itself leaves colours out (as it does for NO_COLOR)."""
    from rich.console import Console

    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.soft_wrap = True
        console.width = WIDE
    return console

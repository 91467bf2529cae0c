"""Standard output and standard error as rich consoles, and the progress of a long step.

Results go to standard output, progress and messages to standard error.
"""

import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import click
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.table import Table

from clew.memory.datatypes import Progress
from clew.memory.json_lines import as_line
from clew.ui.plain import escaped, plain

WIDE = 160
"""Columns of a table where there is no terminal to fit."""


def output() -> Console:
    """Return the console for results: standard output."""
    return _console(stderr=False)


def messages() -> Console:
    """Return the console for everything that is no result: standard error."""
    return _console(stderr=True)


def print_json(value: Mapping[str, Any]) -> None:
    """Print an object as one line of JSON and flush it. (click.echo would write through the bars of progress.)"""
    sys.stdout.write(escaped(as_line(value)))
    sys.stdout.flush()


def print_table(rows: Iterable[Sequence[str]], *headings: str, words: int | None = None) -> None:
    """Print rows as a table, with a head where there are `headings`. The first `words` columns are text; those after
    them are numbers, aligned to the right."""
    table = Table(*headings, box=box.SIMPLE, show_header=bool(headings), pad_edge=False)
    for column in table.columns[words:] if words is not None else ():
        column.justify = "right"
    for row in rows:
        table.add_row(*map(plain, row))
    output().print(table, soft_wrap=False)


def _console(stderr: bool) -> Console:
    """A console for one of the streams. Where that is no terminal, no line is broken and rich leaves colours out."""
    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.soft_wrap = True
        console.width = WIDE
    return console


Event = TypeVar("Event")

EVERY = 5.0
"""Seconds between two lines of progress where no bar can be drawn."""


def shown(events: Iterable[Progress | Event], quiet: bool) -> Generator[Event, None, None]:
    """Yield the events that are not progress, and draw those that are as they come."""
    console = messages()
    if quiet:
        yield from (event for event in events if not isinstance(event, Progress))
    elif console.is_terminal:
        yield from _with_bars(events, console)
    else:
        yield from _with_lines(events, time.monotonic)


def _with_bars(events: Iterable[Progress | Event], console: Console) -> Iterator[Event]:
    columns = (
        SpinnerColumn(finished_text="✓"),
        TextColumn("{task.description:16}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    # Rich would send what is printed meanwhile to this console, also the results that go into a pipe.
    with Bars(*columns, console=console, redirect_stdout=sys.stdout.isatty()) as bars:
        tasks = {}
        for event in events:
            if not isinstance(event, Progress):
                yield event
                continue
            if event.stage not in tasks:
                tasks[event.stage] = bars.add_task(event.stage, total=None)
            bars.update(tasks[event.stage], completed=event.done, total=event.total or None)


def _with_lines(events: Iterable[Progress | Event], clock: Callable[[], float]) -> Iterator[Event]:
    """Print progress as lines, at most one every `EVERY` seconds; a run that ends before that prints none."""
    spoke = clock()
    for event in events:
        if not isinstance(event, Progress):
            yield event
        elif (now := clock()) - spoke >= EVERY:
            spoke = now
            click.echo(f"{event.stage}: {event.done}{f' of {event.total}' if event.total else ''}", err=True)

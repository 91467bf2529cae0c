"""A turn in the terminal: its steps as they happen, the answer word by word, the sources; Ctrl-C ends it."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from rich.text import Text

from agent.state import Answer, Step, Turn, TurnEvent
from ui.plain import cut, one_line
from ui.rendering import DIM, answer_text, indented, source_lines, step_line

if TYPE_CHECKING:
    from rich.console import Console

PAUSE = 0.012
LONGEST = 0.8
"""Seconds between two words of an answer, and for all of them together."""

PREVIEW = 3
"""Lines of an earlier answer that remind a person of it."""


@contextmanager
def stoppable() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets; the second one ends what does not look at it."""
    stopped = threading.Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        if stopped.is_set():
            raise KeyboardInterrupt
        stopped.set()

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield stopped
    finally:
        signal.signal(signal.SIGINT, before)


def show_events(
    events: Iterator[TurnEvent], output: "Console", messages: "Console", stopped: threading.Event
) -> Turn | None:
    """Draw a turn, or two where one was cut off before; the last is handed back."""
    turn: Turn | None = None
    width = messages.width if messages.is_terminal else None
    with messages.status("") if messages.is_terminal else _nothing() as status:
        for event in events:
            if isinstance(event, Step):
                if status:
                    status.start()
                messages.print(step_line(event, width))
                continue
            if not isinstance(event, Turn):
                continue
            if status:
                status.stop()
            turn = event
            show_answer(turn.answer, output, stopped)
    return turn


def show_answer(answer: Answer, console: "Console", stopped: threading.Event) -> None:
    """In a terminal set off by empty lines, wrapped at words and streamed; else a line, and a line for each source."""
    lines = source_lines(answer, console.width - 2 if console.is_terminal else None)
    if not console.is_terminal:
        for line in [answer_text(answer), *lines, Text()]:
            console.print(line)
        return
    console.print()
    _stream(answer_text(answer), console, stopped)
    if lines:
        console.print()
    for line in lines:
        console.print(Text("  ").append_text(line))
    console.print()


def show_earlier(turn: Turn, console: "Console") -> None:
    """The last question of a thread that is opened again, and how its answer began."""
    console.print(Text(f"  > {cut(one_line(turn.question), console.width - 4)}", DIM))
    lines = indented(Text(answer_text(turn.answer).plain, DIM), 4, console)
    for line in lines[:PREVIEW]:
        console.print(line)
    if len(lines) > PREVIEW:
        console.print(Text("    …", DIM))


def _stream(text: Text, console: "Console", stopped: threading.Event) -> None:
    """Who presses Ctrl-C has the rest at once: the answer is there already."""
    pause = min(PAUSE, LONGEST / max(len(text.plain.split()), 1))
    for line in text.wrap(console, console.width):
        for word in line.split(" ", include_separator=True, allow_blank=True):
            console.print(word, end="", soft_wrap=True)
            if not stopped.is_set():
                time.sleep(pause)
        console.print()


@contextmanager
def _nothing() -> Iterator[None]:
    yield None

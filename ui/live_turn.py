"""A turn drawn as it happens: its steps, what it waits for, the words of its answer; and Ctrl-C, which stops it."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from types import FrameType

from rich.console import Console, RenderableType
from rich.live import Live
from rich.markdown import Markdown
from rich.segment import Segments
from rich.spinner import Spinner
from rich.text import Text

from clew.agent.state import Doing, Piece, Step, Turn, TurnEvent
from clew.ui.plain import plain
from clew.ui.rendering import DIM, badge, printed, source_lines, step_line


class TurnPrinter:
    """Prints the events of a turn. At a terminal what it waits for, and the words of a model as they come, stand below
    the steps until the checked answer is printed in their place. On a screen that also shows the steps an empty line
    sets the answer off. In a `chat` at a terminal the sources are set in; where it is none, an empty line ends the
    turn."""

    def __init__(self, output: Console, messages: Console, quiet: bool = False, chat: bool = False) -> None:
        self._output, self._messages = output, messages
        self._quiet, self._chat = quiet, chat
        self._waiting, self._draft = Spinner("dots"), ""

    def show(self, events: Iterator[TurnEvent]) -> Turn | None:
        """Print a turn, or two where an earlier one was cut off, and return the last."""
        turn: Turn | None = None
        live = Live(console=self._messages, transient=True, refresh_per_second=10, get_renderable=self._below)
        if self._messages.is_terminal:
            live.start()
        try:
            for event in events:
                self._draw(event)
                if isinstance(event, Turn):
                    live.stop()
                    self._finish(event)
                    turn = event
        finally:
            live.stop()
        return turn

    def _below(self) -> RenderableType:
        """What is waited for, or of what a model has written the last lines, as many as the screen has."""
        if not self._draft:
            return "" if self._quiet else self._waiting
        text = Markdown(plain(self._draft), code_theme="bw")
        lines = self._messages.render_lines(text, pad=False, new_lines=True)
        return Segments(chain.from_iterable(lines[2 - self._messages.height :]))

    def _draw(self, event: TurnEvent) -> None:
        match event:
            case Doing(text):
                self._waiting.update(text=Text(text, DIM))
            case Step() if not self._quiet:
                width = self._messages.width if self._messages.is_terminal else None
                self._messages.print(step_line(event, width))
                self._waiting.update(text=Text(" "))  # rich would keep the last words for an empty text
            case Piece(text, restart):
                self._draft = text if restart else self._draft + text

    def _finish(self, turn: Turn) -> None:
        self._set_off()
        if turn.answer.claims:  # it may have been stopped before its first word
            self._output.print(printed(turn.answer, self._output))
        terminal = self._output.is_terminal
        indent = 2 if self._chat and terminal else 0
        lines = source_lines(turn.answer, self._output.width - indent if terminal else None)
        if lines and (terminal or not self._chat):
            self._output.print()
        for line in lines:
            self._output.print(Text(" " * indent).append_text(line))
        if self._chat and not terminal:
            self._output.print()
        checked = turn.answer.checked if self._draft and not self._quiet else ""
        for note in filter(None, (checked, badge(turn))):
            self._messages.print(Text(f"  {note}", DIM))
        self._set_off()
        self._draft = ""

    def _set_off(self) -> None:
        """Print what stands before an answer and behind its sources."""
        screen = self._output if self._chat else self._messages
        if screen.is_terminal and not self._quiet:
            screen.print()


@contextmanager
def stoppable(gently: Callable[[], bool] = lambda: True) -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets; the second one, and the first where there is nothing to be gentle about,
    raises `KeyboardInterrupt` too. The event is set either way: who raises waits for the thread that a model is
    listened to in, and only the event ends that."""
    stopped = threading.Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        now = stopped.is_set() or not gently()
        stopped.set()
        if now:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield stopped
    finally:
        signal.signal(signal.SIGINT, before)

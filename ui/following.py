"""A turn drawn as it happens: its steps, what it waits for, and where there is a terminal its words as they come."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from rich.text import Text

from clew.agent.state import Doing, Piece, Step, Turn
from clew.ui.models_told import badge
from clew.ui.rendering import DIM, step_line
from clew.ui.writing import Writing, became, marks

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

    from clew.agent.state import Answer, TurnEvent

CHANGED = "  after it was checked, the answer is:"
ANEW = "  in its place:"


class Layout(Protocol):
    """How a command sets out an answer: what stands before it, its text, its sources, and what stands behind."""

    def begin(self) -> None: ...

    def text(self, answer: "Answer") -> None: ...

    def sources(self, answer: "Answer") -> None: ...

    def end(self) -> None: ...


class Following:
    """Words that a model writes go to `output` if that is a terminal; else the finished answer alone does."""

    def __init__(self, output: "Console", messages: "Console", layout: Layout, quiet: bool = False) -> None:
        self._output = output
        self._messages = messages
        self._layout = layout
        self._quiet = quiet
        self._spinner: Status | None = None
        self._writing: Writing | None = None

    def follow(self, events: "Iterator[TurnEvent]") -> Turn | None:
        """Draw a turn, or two where one was cut off before; the last is handed back."""
        turn: Turn | None = None
        if self._messages.is_terminal and not self._quiet:
            self._spinner = self._messages.status("")
            self._spinner.start()
        try:
            for event in events:
                self._draw(event)
                turn = event if isinstance(event, Turn) else turn
        finally:
            self._rest()
            if self._writing:
                self._writing.end()
        return turn

    def _draw(self, event: "TurnEvent") -> None:
        match event:
            case Doing(text):
                self._wait(text)
            case Step() if not self._writing:  # what is done once the words are on the screen, /steps has
                width = self._messages.width if self._messages.is_terminal else None
                if not self._quiet:
                    self._messages.print(step_line(event, width))
                self._wait("")
            case Piece(text, restart) if self._output.is_terminal:
                self._write(text, restart)
            case Turn():
                self._finish(event)

    def _wait(self, what: str) -> None:
        if self._spinner and not self._writing:
            self._spinner.update(Text(what or " ", DIM))  # rich would keep the last words for an empty text
            self._spinner.start()

    def _rest(self) -> None:
        if self._spinner:
            self._spinner.stop()

    def _write(self, text: str, restart: bool) -> None:
        """`restart` may come where nothing was shown yet, or be all that comes before a quoted answer."""
        self._rest()
        if restart and self._writing:
            self._writing.end()
            self._writing = None
            self._output.print(Text(ANEW, DIM))
        if not text and self._writing is None:
            return
        if self._writing is None:
            self._layout.begin()
            self._writing = Writing(self._output)
        self._writing.add(text)

    def _finish(self, turn: Turn) -> None:
        self._rest()
        if self._writing:
            self._end_of_writing(self._writing, turn.answer)
        else:
            self._layout.begin()
            self._layout.text(turn.answer)
        self._layout.sources(turn.answer)
        if (told := badge(turn)) and not self._quiet:
            self._messages.print(Text(f"  {told}", DIM))
        self._layout.end()

    def _end_of_writing(self, writing: Writing, answer: "Answer") -> None:
        """What is on the screen already is not shown a second time, unless checking has changed it."""
        writing.end()
        self._writing = None
        if became(writing.text, answer):
            for line in marks(answer):
                self._output.print(line)
        else:
            self._output.print(Text(CHANGED, DIM))
            self._layout.text(answer)

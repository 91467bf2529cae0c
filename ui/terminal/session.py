"""The state of a chat, and a turn of it: asked, drawn as it happens, stopped by Ctrl-C."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext

from rich.console import Console
from rich.text import Text

from clew.agent.assistant import Assistant
from clew.agent.settings import Settings
from clew.agent.state import Answer, Turn, TurnEvent
from clew.memory.errors import BadInput
from clew.ui.live_turn import AnswerLayout, TurnPrinter, stoppable
from clew.ui.models import Loading
from clew.ui.plain import cut, one_line
from clew.ui.rendering import DIM, STOPPED, answer_text, indented, model_of, source_lines


class Session:
    """`turn` is the last turn of the thread; None where nothing was said. `tool` is the one that the person chose here;
    empty: the policy's. `today` is the day that questions count from; None: the real one."""

    def __init__(
        self, assistant: Assistant, settings: Settings, thread: str, output: Console, messages: Console
    ) -> None:
        self.assistant = assistant
        self.settings = settings
        self.loading = Loading(assistant)
        self.tool = ""
        self.today: str | None = None
        self.output = output
        self.messages = messages
        self.begin(thread)

    @property
    def shown_tool(self) -> str:
        return self.tool or self.settings.tool

    @property
    def model(self) -> str:
        """The language model's name; empty where there is none."""
        return model_of(self.assistant.services.writers)

    def begin(self, thread: str) -> None:
        """Go on with this thread, or begin it."""
        self.thread = thread
        turns = self.assistant.turns(thread)
        self.turn: Turn | None = turns[-1] if turns else None

    def last_turn(self) -> Turn:
        if self.turn is None:
            raise BadInput("nothing was asked yet", "type a question")
        return self.turn


PAUSE = 0.012
LONGEST = 0.8
"""Seconds between two words of an answer that is there already, and for all of them together."""

PREVIEW = 3
"""Lines of an earlier answer that remind a person of it."""


def take_turn(session: Session, events: Callable[[threading.Event], Iterator[TurnEvent]]) -> None:
    """Raises what the turn raises, and `KeyboardInterrupt` where a turn was stopped without a terminal."""
    output, messages, loading = session.output, session.messages, session.loading
    with stoppable() as stopped:
        if not loading.ended:
            with messages.status("loading the encoder…") if messages.is_terminal else nullcontext():
                loading.wait(stopped)
        printer = TurnPrinter(output, messages, ChatLayout(output, stopped))
        session.turn = printer.show(events(stopped)) or session.turn
    if session.turn and session.turn.answer.outcome == "stopped":
        if not output.is_terminal:
            raise KeyboardInterrupt("stopped")
        messages.print(Text(f"  {STOPPED}", DIM))


class ChatLayout(AnswerLayout):
    """In a terminal set off by empty lines, wrapped at words and streamed; else a line, and a line for each source."""

    def __init__(self, console: Console, stopped: threading.Event) -> None:
        super().__init__(console, console)
        self._stopped = stopped

    def text(self, answer: Answer) -> None:
        if self._console.is_terminal:
            _stream(answer_text(answer), self._console, self._stopped)
        else:
            super().text(answer)

    def sources(self, answer: Answer) -> None:
        terminal = self._console.is_terminal
        lines = source_lines(answer, self._console.width - 2 if terminal else None)
        if lines and terminal:
            self._console.print()
        for line in lines:
            self._console.print(Text("  " if terminal else "").append_text(line))

    def end(self) -> None:
        self._console.print()


def show_earlier(turn: Turn, console: Console) -> None:
    """The last question of a thread that is opened again, and how its answer began."""
    console.print(Text(f"  > {cut(one_line(turn.question), console.width - 4)}", DIM))
    lines = indented(Text(answer_text(turn.answer).plain, DIM), 4, console)
    for line in lines[:PREVIEW]:
        console.print(line)
    if len(lines) > PREVIEW:
        console.print(Text("    …", DIM))
    if turn.answer.outcome == "stopped":
        console.print(Text(f"  {STOPPED}", DIM))


def _stream(text: Text, console: Console, stopped: threading.Event) -> None:
    """Who presses Ctrl-C has the rest at once: the answer is there already."""
    pause = min(PAUSE, LONGEST / max(len(text.plain.split()), 1))
    for line in text.wrap(console, console.width):
        for word in line.split(" ", include_separator=True, allow_blank=True):
            console.print(word, end="", soft_wrap=True)
            if not stopped.is_set():
                time.sleep(pause)
        console.print()

"""Commands that are typed on the page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from rich.console import Console

from clew.agent.assistant import Assistant
from clew.agent.state import Turn
from clew.ui.slash import Asking, Session

WIDTH = 88
"""Characters of a line that a command prints."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a command leaves: its lines, what is to stand in the box, the tool that is chosen, a file to keep (name and
    text), the conversation that was deleted, and what was wrong."""

    text: str = ""
    draft: str = ""
    tool: str = ""
    file: tuple[str, str] = ("", "")
    taken_out: str = ""
    error: str = ""


class PageSession(Session):
    """A command typed on the page: what it prints is shown there, and what it asks is asked in the background. `stop`
    ends the turn in progress of a thread, and drops those that wait."""

    def __init__(self, assistant: Assistant, stop: Callable[[str], None], thread: str, owner: str, tool: str) -> None:
        self._printed = StringIO()
        output = Console(file=self._printed, width=WIDTH, color_system=None, force_terminal=False, highlight=False)
        super().__init__(assistant, thread, output, owner, tool)
        self._stop = stop
        self._file = ("", "")
        self.asked: Asking | None = None
        self.resumes = False
        self.error = ""

    def say(self, line: str) -> None:
        self.output.print(f"  {line}", soft_wrap=True, markup=False)  # the browser breaks it

    def take_turn(self, asking: Asking) -> None:
        self.asked = asking

    def resume(self) -> None:
        self.resumes = True

    def hand_out(self, name: str, text: str) -> None:
        self._file = Path(name).name, text

    def moved(self, said: str, turns: Sequence[Turn]) -> None:
        """Nothing: the page shows it."""

    def take_out(self, thread: str) -> None:
        self._stop(thread)
        super().take_out(thread)

    @property
    def said(self) -> Said:
        lines = [line.removeprefix("  ").rstrip() for line in self._printed.getvalue().splitlines()]
        return Said("\n".join(lines), self.draft, self.tool, self._file, self.taken_out, self.error)

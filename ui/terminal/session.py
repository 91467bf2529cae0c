"""What a chat has in hand: the assistant, the thread, the tool, the last turn, and the two streams."""

from pathlib import Path
from typing import TYPE_CHECKING

from clew.agent.state import Turn
from clew.memory.errors import BadInput
from clew.ui.loading import Loading
from clew.ui.models_told import model_of
from clew.ui.options import threads_path

if TYPE_CHECKING:
    from rich.console import Console

    from clew.agent.assistant import Assistant
    from clew.agent.settings import Settings
    from clew.memory.dialogue.threads import Threads


class Session:
    """`turn` is the last turn of the thread; None where nothing was said. `tool` is the one that the person chose here;
    empty: the policy's."""

    def __init__(
        self, assistant: "Assistant", settings: "Settings", thread: str, output: "Console", messages: "Console"
    ) -> None:
        self.assistant = assistant
        self.settings = settings
        self.loading = Loading(assistant)
        self.tool = ""
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

    @property
    def threads(self) -> "Threads":
        return self.assistant.threads

    @property
    def threads_path(self) -> Path:
        return threads_path(self.settings)

    def begin(self, thread: str) -> None:
        """Go on with this thread, or begin it."""
        self.thread = thread
        turns = self.assistant.turns(thread)
        self.turn: Turn | None = turns[-1] if turns else None

    def last_turn(self) -> Turn:
        if self.turn is None:
            raise BadInput("nothing was asked yet", "type a question")
        return self.turn

"""Where the lines of a chat come from: a person at a prompt, or standard input."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import HTML, FormattedText
from prompt_toolkit.history import FileHistory
from prompt_toolkit.styles import Style

from clew.ui.plain import typed

STYLE = Style.from_dict({"bottom-toolbar": "noreverse fg:ansibrightblack", "prompt": "bold ansicyan"})


class Lines(Protocol):
    def read(self) -> str:
        """Raises `EOFError` at the end, and `KeyboardInterrupt` where the line was given up."""

    def redraw(self) -> None:
        """What is shown beside the line has changed; may be called from any thread."""


class Prompt:
    """Line editing, a history in `folder`, completion of commands, and a line below that says where one is."""

    def __init__(self, folder: Path, choices: Callable[[], Mapping[str, Sequence[str]]], below: Callable[[], str]):
        folder.mkdir(parents=True, exist_ok=True)
        self._below = below
        self._session: PromptSession[str] = PromptSession(
            history=FileHistory(str(folder / "history")),
            completer=Commands(choices),
            style=STYLE,
            bottom_toolbar=self._toolbar,
            reserve_space_for_menu=6,
        )

    def read(self) -> str:
        return typed(self._session.prompt(HTML("<prompt>&gt; </prompt>")))

    def redraw(self) -> None:
        self._session.app.invalidate()

    def _toolbar(self) -> FormattedText:
        return FormattedText([("class:bottom-toolbar", self._below())])


class Piped:
    """The lines of standard input, as they come; empty ones are left out."""

    def read(self) -> str:
        while line := sys.stdin.buffer.readline():
            if text := typed(line.decode("utf-8", "replace")):
                return text
        raise EOFError

    def redraw(self) -> None: ...


class Commands(Completer):
    """Slash commands, and what can follow them: `choices` maps a command to its arguments."""

    def __init__(self, choices: Callable[[], Mapping[str, Sequence[str]]]) -> None:
        self._choices = choices

    def get_completions(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002 the signature is prompt_toolkit's
    ) -> Iterable[Completion]:
        line = document.text_before_cursor
        if not line.startswith("/"):
            return
        name, space, argument = line.partition(" ")
        choices = self._choices()
        yield from _beginning(choices.get(name, ()), argument) if space else _beginning(choices, name)


def _beginning(words: Iterable[str], typed_so_far: str) -> Iterator[Completion]:
    return (Completion(word, start_position=-len(typed_so_far)) for word in words if word.startswith(typed_so_far))

"""A model that was named and is not pulled: a person at a terminal is asked whether to pull it."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

from clew.memory.errors import NoModel

if TYPE_CHECKING:
    from clew.agent.settings import Settings

Opened = TypeVar("Opened")

PULL = "ollama pull "
"""How the way out of a `NoModel` begins where Ollama can have the model."""


def with_models(settings: "Settings", opening: "Callable[[Settings], Opened]") -> Opened:
    """What `opening` opens, where needed after the models were pulled that the person wants to have.

    Raises `NoModel` where that is declined or nobody can be asked, and what opening and pulling raise.
    """
    while True:
        try:
            return opening(settings)
        except NoModel as error:
            name = error.hint.removeprefix(PULL)
            if name == error.hint or not _at_terminal() or not _wanted(name):
                raise
        _pull(settings, name)


def _at_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def _wanted(name: str) -> bool:
    try:
        return click.confirm(f"The model {name} is not pulled. Pull it now?", default=False, err=True)
    except click.Abort:
        raise KeyboardInterrupt from None


def _pull(settings: "Settings", name: str) -> None:
    from clew.agent.models import ollama_for
    from clew.ui.progress import show_download

    try:
        show_download(ollama_for(settings).pull(name))
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"stopped; this goes on where it ended: {PULL}{name}") from None

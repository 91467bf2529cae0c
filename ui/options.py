"""Options that several commands have, and what they open."""

import shlex
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from clew.memory.errors import BadInput
from clew.memory.knowledge.cluster.connection import Place, address

if TYPE_CHECKING:
    from clew.agent.settings import Settings
    from clew.memory.dialogue.threads import Thread, Threads

Function = TypeVar("Function", bound=Callable[..., Any])


class AnyPlace(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A folder, or a library on a cluster."""

    name = "place"

    def convert(self, value: Any, param: "click.Parameter | None", ctx: "click.Context | None") -> Place:
        if not isinstance(value, str):
            return cast(Place, value)
        if found := address(value):
            return found
        return click.Path(file_okay=False, path_type=Path).convert(value, param, ctx)


library = click.option(
    "--library",
    type=AnyPlace(),
    metavar="DIR",
    help="The library: a folder, or es://HOST:PORT/NAME on a cluster.  [default: .clew]",
)
shards = click.option(
    "--shards",
    type=click.IntRange(1, 1024),
    help="Of a library on a cluster; with others than it has all is sent again.  [default: as it has; 1]",
)
replicas = click.option(
    "--replicas",
    type=click.IntRange(0, 10),
    help="Of a library on a cluster.  [default: as it has; 1, on a single node 0]",
)
quiet = click.option("--quiet", "-q", is_flag=True, help="No progress and no steps on standard error.")
tool = click.option("--tool", metavar="NAME", help="The retrieval method, or auto: the agent chooses.  [default: auto]")
llm = click.option(
    "--llm",
    metavar="NAME",
    help="The language model: auto (the best of a local Ollama, or none), none, ollama:NAME, openai:NAME."
    "  [default: auto]",
)
named_llm = click.option(
    "--llm", metavar="NAME", help="The language model: none, ollama:NAME, openai:NAME.  [default: none]"
)
"""For commands whose result must be the same on every machine: `auto` uses no model here."""


watch = click.option("--watch", is_flag=True, help="Follow the folders: index what changes in them as it changes.")
given = click.option(
    "--set",
    "given",
    metavar="NAME=VALUE",
    multiple=True,
    help="A parameter of a tool or a step, as tools.clues.beam=5; may be repeated. 'clew settings' names them.",
)
num_sentences = click.option(
    "--num-sentences",
    type=click.IntRange(1, 100),
    metavar="N",
    help="Sentences of the conversation that a question is rewritten with.  [default: 5]",
)


def _iso(_: click.Context, __: click.Parameter, value: "datetime | None") -> str | None:
    return value.date().isoformat() if value else None


def _today(default: str) -> Callable[[Function], Function]:
    return click.option(
        "--today",
        type=click.DateTime(["%Y-%m-%d"]),
        metavar="YYYY-MM-DD",
        callback=_iso,
        help=f"The day that 'yesterday' and 'last week' count from.  [default: {default}]",
    )


today = _today("the real date")
day_of_questions = _today("none, as the questions may be of any day")


def day(given: str | None) -> str:
    """The day that was given, else today's: the only place where the clock is asked which day it is."""
    return given or date.today().isoformat()


def as_json(help_text: str) -> Callable[[Function], Function]:
    return click.option("--json", "as_json", is_flag=True, help=help_text)


def thread(function: Function) -> Function:
    function = click.option("--thread", metavar="ID", help="The conversation to go on with (or a new id).")(function)
    return click.option("--continue", "-c", "go_on", is_flag=True, help="Go on with the last conversation.")(function)


def way_back(command: str, settings: "Settings", thread: str) -> str:
    """The command that goes on with a thread, as it can be pasted into a shell."""
    given = [] if settings.library == Path(".clew") else ["--library", str(settings.library)]
    return shlex.join(["clew", command, *given, "--thread", thread])


def threads_path(settings: "Settings") -> Path:
    from clew.agent.settings import DATABASE

    return settings.home / DATABASE


def chosen_thread(threads: "Threads", name: str | None, go_on: bool) -> "tuple[str, Thread | None]":
    """The id of the thread to use, and the thread itself where it exists. Raises `BadInput` where both `name` and
    `go_on` are given, and for a thread that belongs to a user of the page."""
    if name and go_on:
        raise BadInput("--thread and --continue exclude each other", "leave one of them out")
    if go_on and (recent := threads.over_library()):
        return recent[0].id, recent[0]
    if name:
        if owner := threads.owner(name):
            raise BadInput(f"the conversation {name} is {owner}'s", "clew threads")
        return name, threads.get(name)
    return threads.new_id(), None

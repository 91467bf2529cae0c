"""Options that several commands have, and what they open."""

import shlex
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any, TypeVar, cast

import click
from click.core import ParameterSource

from clew.agent.settings import DATABASE, Settings
from clew.memory.dialogue.threads import ONCE, Threads
from clew.memory.errors import BadInput
from clew.memory.knowledge.cluster.connection import Place, address

Function = TypeVar("Function", bound=Callable[..., Any])


KEPT = "clew.kept"
"""Of a command's `meta`: its flags as they were typed that a hint keeps, each with its value."""


class KeptFlag(click.Option):
    """A flag that the command of a hint has too."""

    def handle_parse_result(self, ctx: click.Context, opts: Any, args: list[str]) -> tuple[Any, list[str]]:
        value, rest = super().handle_parse_result(ctx, opts, args)
        if ctx.get_parameter_source(self.name or "") is ParameterSource.COMMANDLINE:
            kept = ctx.meta.setdefault(KEPT, [])
            kept += [(self.opts[0], str(one)) for one in (value if self.multiple else [value])]
        return value, rest


def kept_flags(*but: str) -> list[str]:
    """The flags of the command that runs, without these names."""
    context = click.get_current_context(silent=True)
    kept = context.meta.get(KEPT, ()) if context else ()
    return [part for name, value in kept if name not in but for part in (name, value)]


class AnyPlace(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A folder, or a library on a cluster."""

    name = "place"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Place:
        if not isinstance(value, str):
            return cast(Place, value)
        if found := address(value):
            return found
        return click.Path(file_okay=False, path_type=Path).convert(value, param, ctx)


library = click.option(
    "--library",
    cls=KeptFlag,
    type=AnyPlace(),
    metavar="DIR",
    help="The library: a folder, or es://HOST:PORT/NAME on a cluster.  [default: .clew]",
)
quiet = click.option("--quiet", "-q", is_flag=True, help="Print no progress and no steps.")
tool = click.option(
    "--tool", cls=KeptFlag, metavar="NAME", help="The search method, or auto: the agent chooses.  [default: auto]"
)
llm = click.option(
    "--llm",
    cls=KeptFlag,
    metavar="NAME",
    help="The language model: auto (the best of a local Ollama, or none), none, ollama:NAME, openai:NAME."
    "  [default: auto]",
)
language = click.option(
    "--language",
    cls=KeptFlag,
    metavar="NAME",
    help="What Clew speaks: auto (the language of the question), en, de, fr, es, it, nl, pt or eo.  [default: auto]",
)
named_llm = click.option(
    "--llm", metavar="NAME", help="The language model: none, ollama:NAME, openai:NAME.  [default: none]"
)
"""For commands whose result must be the same on every machine: `auto` uses no model here."""


watch = click.option("--watch", is_flag=True, help="Follow the folders: index what changes in them as it changes.")
given = click.option(
    "--set",
    "given",
    cls=KeptFlag,
    metavar="NAME=VALUE",
    multiple=True,
    help="Set a parameter, such as tools.clues.beam=5; may be repeated. 'clew settings --all' lists them.",
)
num_sentences = click.option(
    "--num-sentences",
    cls=KeptFlag,
    type=click.IntRange(1, 100),
    metavar="N",
    help="How many sentences of the conversation a question may lean on.  [default: 5]",
)


def answering(function: Function) -> Function:
    """The options of a command that answers questions."""
    for option in (num_sentences, given, language, llm, tool, library):
        function = option(function)
    return function


today = click.option(
    "--today",
    cls=KeptFlag,
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    callback=lambda _, __, value: value and value.date().isoformat(),
    help="The day that 'yesterday' and 'last week' count from.  [default: the real date]",
)


def day(given: str | None) -> str:
    """The day that was given, else today's: the only place where the clock is asked which day it is."""
    return given or date.today().isoformat()


def as_json(help_text: str) -> Callable[[Function], Function]:
    """Return the decorator that adds `--json` to a command."""
    return click.option("--json", "as_json", is_flag=True, help=help_text)


def thread(function: Function) -> Function:
    """Add `--thread` and `--continue` to a command."""
    function = click.option("--thread", metavar="ID", help="The conversation to continue, or the id of a new one.")(
        function
    )
    return click.option("--continue", "-c", "go_on", is_flag=True, help="Continue the last conversation.")(function)


def way_back(command: str, settings: Settings, thread: str) -> str:
    """The command that goes on with a thread, with the flags that were given, as it can be pasted into a shell."""
    place = [] if settings.library == Path(".clew") else ["--library", str(settings.library)]
    return shlex.join(["clew", command, *place, *kept_flags("--library"), "--thread", thread])


def threads_path(settings: Settings) -> Path:
    """Return the path of the database of conversations."""
    return settings.home / DATABASE


def chosen_thread(threads: Threads, name: str | None, go_on: bool, owner: str = "") -> str:
    """The id of the thread to use, a new one of this owner where none is named. One of a single question is listed from
    now on, as it goes on. Raises `BadInput` where both `name` and `go_on` are given, and for a thread that belongs to a
    user of the page."""
    if name and go_on:
        raise BadInput("--thread and --continue exclude each other", "leave one of them out")
    name = threads.last() if go_on else name
    if not name:
        return threads.new_id(owner)
    if (known := threads.owner(name)) not in ("", None, ONCE):
        raise BadInput(f"the conversation {name} is {known}'s", "clew threads")
    threads.list_from_now_on(name)
    return name

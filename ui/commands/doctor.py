"""`clew doctor`: whether everything is there that Clew needs, and what mends what is not."""

import shlex
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path

import click
from rich.text import Text

from clew.agent.doctor import State, examine
from clew.agent.models import encoder_for
from clew.agent.settings import Settings, indexed_here, last_used, read_settings
from clew.memory.errors import BadInput, ClewError, ServiceUnreachable
from clew.memory.knowledge.cluster.connection import Place
from clew.memory.knowledge.cluster.publishing import on_this_machine, worked_on
from clew.memory.knowledge.disk import required_generation
from clew.memory.knowledge.index.run import repair
from clew.memory.knowledge.library import recorded_at
from clew.memory.text import number_of
from clew.ui import options
from clew.ui.console import output, print_json, shown
from clew.ui.plain import one_line

STYLES: dict[State, str] = {"ok": "green", "warning": "yellow", "problem": "bold red"}


@click.command()
@options.library
@options.llm
@click.option("--repair", "mending", is_flag=True, help="First repair the library, as far as possible.")
@options.as_json("Print each check as a JSON object, a line each.")
def doctor(library: Place | None, llm: str | None, mending: bool, as_json: bool) -> None:
    """Check that everything works, and say which command helps if it does not.

    It looks at the library that you used last, or at --library, and checks the hash of every file. The exit code is 1
    if there is a problem, 4 if it is only that a server does not answer; a warning is not a problem.
    """
    settings, unreadable = _settings(library, llm)
    if mending:
        _repair(settings)
    console, problems = output(), list[int]()
    for check in examine(settings, unreadable, mending):
        problems += [check.exit_code] if check.state == "problem" else []
        if check.hint.startswith(("clew ui", "clew doctor")):
            check = replace(check, hint=f"{check.hint} {shlex.join(options.kept_flags('--library'))}".strip())
        if as_json:
            print_json({name: value for name, value in asdict(check).items() if name != "exit_code"})
            continue
        about = (f"{check.state:8} ", STYLES[check.state]), (f"{check.name:14} ", "bold"), one_line(check.message)
        console.print(Text.assemble(*about))
        if check.hint:
            console.print(Text(f"{'':9}try: {one_line(check.hint)}"))
    if problems:
        kind = ServiceUnreachable if set(problems) == {ServiceUnreachable.exit_code} else ClewError
        raise kind(f"{number_of(len(problems), 'problem')}, see above")


def _repair(settings: Settings) -> None:
    home = settings.library
    if isinstance(home, Path) and not home.is_dir():
        required_generation(home)
    on_this_machine(home, settings.cache)
    mine = indexed_here(recorded_at(home).id)
    with closing(encoder_for(settings)) as encoder:
        events = worked_on(home, settings.cache, lambda folder: repair(folder, encoder, mine), anew=True)
        done = list(shown(events, quiet=False))
    for line in done or ["nothing to repair"]:
        click.echo(f"repaired: {one_line(str(line))}" if done else line, err=True)


def _settings(library: Place | None, llm: str | None) -> tuple[Settings, BadInput | None]:
    """As they are by default where they cannot be read, and why they cannot. Where nobody names a library, the one that
    was used last is taken."""
    given = {name: value for name, value in {"library": library, "llm": llm}.items() if value is not None}
    error = None
    try:
        settings = read_settings(**given)
    except BadInput as wrong:
        settings, error = Settings.model_construct(None, **given), wrong
    last = None if "library" in settings.model_fields_set else last_used()
    return settings.model_copy(update={"library": last}) if last else settings, error

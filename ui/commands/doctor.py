"""`clew doctor`: whether everything is there that Clew needs, and what mends what is not."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clew.memory.errors import BadInput, ClewError
from clew.ui import options
from clew.ui.plain import one_line

if TYPE_CHECKING:
    from rich.console import Console

    from clew.agent.doctor.checks import Check, State
    from clew.agent.settings import Settings

STYLES: "dict[State, str]" = {"ok": "green", "warning": "yellow", "problem": "bold red"}


@click.command()
@options.library
@options.llm
@options.as_json("Print each check as a JSON object, a line each.")
def doctor(library: Path | None, llm: str | None, as_json: bool) -> None:
    """Look whether everything is there, with the command that mends what is not.

    Exit code 1 if there is a problem; a warning is none.
    """
    from clew.agent.doctor.checks import examine
    from clew.ui.console import output, print_json

    settings, unreadable = _settings(library, llm)
    console = output()
    problems = 0
    for check in examine(settings, unreadable):
        problems += check.state == "problem"
        if as_json:
            print_json(asdict(check))
        else:
            _print_check(console, check)
    if problems:
        raise ClewError(f"{problems} problem{'' if problems == 1 else 's'}, see above")


def _settings(library: Path | None, llm: str | None) -> "tuple[Settings, BadInput | None]":
    """As they are by default where they cannot be read, and why they cannot."""
    from clew.agent.settings import Settings, read_settings

    given = {name: value for name, value in {"library": library, "llm": llm}.items() if value is not None}
    try:
        return read_settings(**given), None
    except BadInput as error:
        return Settings.model_construct(None, **given), error


def _print_check(console: "Console", check: "Check") -> None:
    from rich.text import Text

    console.print(
        Text.assemble(
            (f"{check.state:8} ", STYLES[check.state]), (f"{check.name:14} ", "bold"), one_line(check.message)
        )
    )
    if check.hint:
        console.print(Text(f"{'':9}try: {one_line(check.hint)}"))

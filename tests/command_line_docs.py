"""docs/command-line.md, generated from `--help` of every command and from the settings.

python -m tests.command_line_docs    writes it
"""

from collections.abc import Iterator
from pathlib import Path

import click

from clew.agent.parameters import parameters, seeds, sentences
from clew.agent.settings import NAMES, Settings
from clew.ui.cli import loaded
from clew.ui.cli import main as clew
from clew.ui.commands.settings import written_value

FILE = Path(__file__).resolve().parent.parent / "docs" / "command-line.md"

HEAD = """\
# The command line

This page is generated: `python -m tests.command_line_docs` writes it from `--help` and from the settings.
[The tour](tour.md) shows the commands at work.

Results go to standard output, progress and errors to standard error. Exit codes: 0 done, 1 the run failed, 2 wrong
usage, 3 something has to be set up first, 4 a service cannot be reached, 130 stopped by Ctrl-C.

"""

SETTINGS_HEAD = """\
## Settings

A setting comes from its default, then from `clew.toml` in the user's configuration folder and in the working folder,
then from `CLEW_` and its name (`CLEW_LIBRARY`), then from a flag of the command. `clew doctor` says which files were
read. Of the working folder's file only [parameters](#parameters) that are numbers or closed choices, `tool`, `clues`,
`aligner`, `late_interaction`, `unsupported`, `language`, `port` and a `library` within that folder are taken until
`clew trust` ([why](trust.md)).

| setting | default | is |
|---|---|---|
"""

PLACES = {"home": "the user's data folder", "cache": "the user's cache folder"}


PARAMETERS_HEAD = """
## Parameters

The parameters of tools and steps. `tools.clues.beam` is `beam` below `[tools.clues]` in `clew.toml`,
`CLEW_TOOLS__CLUES__BEAM` in the environment, and `--set tools.clues.beam=5` behind a command; `clew settings --all`
shows what each is and where that comes from. Of the working folder's file numbers and closed choices are taken. Those
that begin with `index.` are what a library is made with: `clew index` applies them and the library keeps them, and a
search that sets another value is refused with the command that applies it.

| parameter | default | seed | may be | is |
|---|---|---|---|---|
"""


def page() -> str:
    commands = "\n".join(f"## {name}\n\n{text}\n" for name, text in helps(clew, "clew"))
    rows = (f"| `{name}` | {default(name)} | {sentences()[name][0]} |\n" for name in NAMES)
    return HEAD + commands + "\n" + SETTINGS_HEAD + "".join(rows) + PARAMETERS_HEAD + "".join(parameter_rows())


def parameter_rows() -> Iterator[str]:
    for name, one in parameters().items():
        seed = seeds().get(name)
        has = f"`{written_value(seed[1])}` ({seed[0]})" if seed else ""
        yield f"| `{name}` | `{written_value(one.default)}` | {has} | {one.allowed} | {sentences()[name][0]} |\n"


def helps(command: click.Command, name: str, above: click.Context | None = None) -> Iterator[tuple[str, str]]:
    """The name of the command and of all below it, each with its help as an indented block."""
    info = name.rpartition(" ")[2]
    context = click.Context(command, parent=above, info_name=info, terminal_width=100, **command.context_settings)
    lines = command.get_help(context).splitlines()
    yield name, "\n".join(f"    {line}".rstrip() for line in lines)
    if isinstance(command, click.Group):
        for part in command.list_commands(context):
            found = loaded(part) if command is clew else command.commands[part]
            yield from helps(found, f"{name} {part}", context)


def default(name: str) -> str:
    value = Settings.model_fields[name].default
    if value is None:
        return PLACES.get(name, "")
    return PLACES.get(name) or (f"`{str(value).lower() if isinstance(value, bool) else value}`" if value != "" else "")


if __name__ == "__main__":
    FILE.write_text(page(), "utf-8")

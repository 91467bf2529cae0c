"""`clew settings`: every setting, what it is, and where that comes from; `clew trust`: those of the working folder."""

from collections.abc import Callable, Iterator
from typing import Any

import click

from clew.agent import settings as known
from clew.agent.parameters import chosen, parameters, seeds, sentences
from clew.memory.errors import BadInput
from clew.ui import options
from clew.ui.console import messages, print_json, print_table
from clew.ui.plain import one_line


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME...]")
@options.given
@click.option("--all", "everything", is_flag=True, help="Show all of them.")
@options.as_json("Print each setting, all of them, as a JSON object, a line each.")
def settings(names: tuple[str, ...], given: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """Show the settings: what you have set, and those that matter most.

    With NAME, such as tools.clues, it shows the settings whose names begin like that, with their defaults, the values
    of the papers that they come from, and what is allowed.
    """
    rows = [row for row in _rows(given) if not names or any(row["name"].startswith(name) for name in names)]
    if not rows:
        raise click.UsageError(f"no setting begins with {', '.join(names)}")
    if as_json:
        for row in rows:
            print_json(row)
        return
    shown = rows if names or everything else [row for row in rows if row["matters"] or _is_set(row)]
    shown.sort(key=_is_set, reverse=True)
    columns = {**SHORT, **DETAILS} if names else SHORT
    print_table(([one_line(of(row)) for of in columns.values()] for row in shown), *columns)
    if len(shown) < len(rows):
        messages().print(f"and {len(rows) - len(shown)} more: clew settings --all, or clew settings NAME", style="dim")


SHORT: dict[str, Callable[[dict[str, Any]], str]] = {
    "name": lambda row: row["name"],
    "value": lambda row: written_value(row["value"]),
    "from": lambda row: row["source"],
    "is": lambda row: row["is"].replace("`", ""),
}
DETAILS: dict[str, Callable[[dict[str, Any]], str]] = {
    "default": lambda row: written_value(row["default"]),
    "in its paper": lambda row: written_value(row["seed_value"]) if row["seed"] else "",
    "may be": lambda row: row["allowed"],
}
"""Column -> what it shows of a row."""


def _is_set(row: dict[str, Any]) -> bool:
    return bool(row["source"] != "default")


def _rows(given: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """The rows of the settings, then of the parameters."""
    made, usual = known.read_settings(given=given), known.Settings.model_construct()
    flags: dict[str, object] = {name: value for name, _, value in (one.partition("=") for one in given)}
    places, set_, no_seed = [("flag", flags), *known.sources()], chosen(made.given), ("", None)
    rows = [(name, getattr(made, name), getattr(usual, name), no_seed, "") for name in known.NAMES]
    for name, one in parameters().items():
        rows.append((name, set_.get(name, one.default), one.default, seeds().get(name, no_seed), one.allowed))
    for name, value, default, (seed, seed_value), allowed in rows:
        said, matters = sentences()[name]
        yield {
            "name": name,
            "value": _plain(value),
            "source": next((place for place, values in places if name in values), "default"),
            "default": _plain(default),
            "seed": seed,
            "seed_value": seed_value,
            "allowed": allowed,
            "is": said,
            "matters": matters,
        }


def _plain(value: object) -> str | int | float | None:
    return value if isinstance(value, str | int | float | None) else str(value)


def written_value(value: object) -> str:
    """Return a setting's value as a user would write it."""
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


@click.command()
def trust() -> None:
    """Take all settings of this folder's clew.toml, as it is now.

    Without this only harmless ones are taken: whoever made the folder wrote them.
    """
    if not known.OF_FOLDER.is_file():
        raise BadInput("there is no clew.toml in this folder", "change to the folder that has it")
    known.trust()
    taken, ignored = known.folder_settings()
    for name, value in taken.items():
        click.echo(one_line(f"{name} = {value!r}"))
    click.echo(f"ignored: {one_line(', '.join(ignored))}" if ignored else "all of its settings are taken", err=True)

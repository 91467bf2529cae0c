"""`clew settings`: every setting, what it is, and where that comes from."""

from collections.abc import Callable, Iterator
from typing import Any

import click

from clew.ui import options
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
    from clew.ui.console import messages, print_json, print_table

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
    "seed": lambda row: f"{written_value(row['seed_value'])} ({row['seed']})" if row["seed"] else "",
    "may be": lambda row: row["allowed"],
}
"""Column -> what it shows of a row."""


def _is_set(row: dict[str, Any]) -> bool:
    return bool(row["source"] != "default")


def _rows(given: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    from clew.agent.parameters import chosen, parameters, seeds
    from clew.agent.settings import GROUPS, Settings, read_settings, sources

    made = read_settings(given=given)
    flags: dict[str, object] = {name: value for name, _, value in (one.partition("=") for one in given)}
    places = [("flag", flags), *sources()]
    usual = Settings.model_construct()
    for name in Settings.model_fields:
        if name not in GROUPS:
            value, default = getattr(made, name), getattr(usual, name)
            yield _row(name, value, _source(name, places), default, None, "")
    set_ = chosen(made.given)
    for name, one in parameters().items():
        yield _row(
            name, set_.get(name, one.default), _source(name, places), one.default, seeds().get(name), one.allowed
        )


def _row(
    name: str, value: object, source: str, default: object, seed: tuple[str, object] | None, allowed: str
) -> dict[str, Any]:
    from clew.agent.parameters import sentences

    number, has = seed or ("", None)
    said, matters = sentences()[name]
    plain = [one if isinstance(one, str | int | float | None) else str(one) for one in (value, default)]
    return {
        "name": name,
        "value": plain[0],
        "source": source,
        "default": plain[1],
        "seed": number,
        "seed_value": has,
        "allowed": allowed,
        "is": said,
        "matters": matters,
    }


def _source(name: str, places: list[tuple[str, dict[str, object]]]) -> str:
    return next((place for place, values in places if name in values), "default")


def written_value(value: object) -> str:
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)

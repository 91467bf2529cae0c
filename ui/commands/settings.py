"""`clew settings`: every setting, what it is, and where that comes from."""

from collections.abc import Iterator
from typing import Any

import click

from clew.ui import options
from clew.ui.plain import one_line


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME...]")
@options.given
@options.as_json("Print each setting as a JSON object, a line each.")
def settings(names: tuple[str, ...], given: tuple[str, ...], as_json: bool) -> None:
    """Show the settings and the parameters of tools and steps.

    NAME begins their names, as tools.clues. Of each: its value, where that comes from, the default, what a seed has
    where one names it, and what it may be.
    """
    from clew.ui.console import print_json, print_table

    rows = [row for row in _rows(given) if not names or any(row["name"].startswith(name) for name in names)]
    if not rows:
        raise click.UsageError(f"no setting begins with {', '.join(names)}")
    if as_json:
        for row in rows:
            print_json(row)
        return
    shown = (
        (
            row["name"],
            written_value(row["value"]),
            row["source"],
            written_value(row["default"]),
            f"{written_value(row['seed_value'])} ({row['seed']})" if row["seed"] else "",
            row["allowed"],
        )
        for row in rows
    )
    print_table(
        ([one_line(part) for part in row] for row in shown), *("name", "value", "from", "default", "seed", "may be")
    )


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
    number, has = seed or ("", None)
    plain = [one if isinstance(one, str | int | float | None) else str(one) for one in (value, default)]
    return {
        "name": name,
        "value": plain[0],
        "source": source,
        "default": plain[1],
        "seed": number,
        "seed_value": has,
        "allowed": allowed,
    }


def _source(name: str, places: list[tuple[str, dict[str, object]]]) -> str:
    return next((place for place, values in places if name in values), "default")


def written_value(value: object) -> str:
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)

"""Is what is shipped what its trainer makes of the data? Fits anew, and writes nothing that is shipped.

    python -m tests.training.shipped DATA LIBRARIES [--only NAME]... [--keep FOLDER]

A line for each file: yes or no; the share of its choices that the one made today makes too, and what those of both are
worth (`behaviour.py` says what is chosen and of which questions); the share of its numbers that are as shipped, and the
one furthest off. Yes is where the numbers are, or the choices and what they are worth. Exit code 1 where one is no.
LIBRARIES is that of the trainers: made where there is none, but for those of `spans` and `judge`, which `walk` makes.
"""

import json
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import numpy as np

from tests.training.behaviour import TRAINERS, Behaviour, Made, said_of

ALIKE, SMALL = 0.05, 0.1
"""How far a number may be off, of its size, and the size that a smaller one is taken to have."""

WANTED = 0.95
"""The share of a file's numbers that have to be alike, and of its texts; or of its choices."""

WORTH = 0.01
"""How far what the choices are worth may be apart, on average."""

Value = float | str


def values_of(content: Any, path: str = "") -> Iterator[tuple[str, Value]]:
    """Each number and each text of what a JSON file holds, by its place there."""
    if isinstance(content, Mapping):
        for name, value in content.items():
            yield from values_of(value, f"{path}.{name}".lstrip("."))
    elif isinstance(content, list):
        for place, value in enumerate(content):
            yield from values_of(value, f"{path}[{place}]")
    else:
        yield path, float(content) if isinstance(content, int | float) else str(content)


def off(shipped: Value | None, made: Value | None) -> float:
    """How far, of the size of the larger; 1 for a text that is another one, and for what only one of both has."""
    if shipped is None or made is None or isinstance(shipped, str) or isinstance(made, str):
        return float(shipped != made)
    return abs(shipped - made) / max(abs(shipped), abs(made), SMALL)


def compared(shipped: Mapping[str, Value], made: Mapping[str, Value]) -> tuple[float, str]:
    """The share that is alike, and the place of what is furthest off, with both."""
    places = sorted(shipped.keys() | made.keys())
    found = [off(shipped.get(place), made.get(place)) for place in places]
    worst = places[found.index(max(found))]
    said = f"{worst}: {shipped.get(worst)} shipped, {made.get(worst)} made" if max(found) else "no difference"
    return sum(one <= ALIKE for one in found) / len(found), said


def text_of(path: Path) -> str:
    if path.suffix == ".safetensors":
        from safetensors.torch import load_file

        return said_of(load_file(path))
    return path.read_text("utf-8")


def read(path: Path, text: str) -> dict[str, Value]:
    if path.suffix in (".json", ".safetensors"):
        return dict(values_of(json.loads(text)))
    return dict.fromkeys(text.split(), 1.0)


def behaves(shipped: Behaviour, made: Behaviour) -> tuple[bool, str]:
    """Whether both do the same, and how much of it."""
    same = float(np.mean([one == other for one, other in zip(shipped.choices, made.choices, strict=True)]))
    worth, now = float(np.mean(shipped.worth)), float(np.mean(made.worth))
    said = f"{same:.3f} of {len(shipped.choices)} chosen alike, worth {worth:.3f} shipped, {now:.3f} made"
    return same >= WANTED and abs(worth - now) <= WORTH, said


def judged(made: Made) -> tuple[bool, str]:
    share, furthest = compared(read(made.path, text_of(made.path)), read(made.path, made.text))
    said, does_the_same = f"{share:.3f} of the numbers alike, furthest {furthest}", False
    if made.shipped and made.made:
        does_the_same, of_choices = behaves(made.shipped, made.made)
        said = f"{of_choices}; {said}"
    return share >= WANTED or does_the_same, said


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("libraries", type=click.Path(file_okay=False, path_type=Path))
@click.option("--only", type=click.Choice(list(TRAINERS)), multiple=True, help="Only what this one makes.")
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), help="Write there what was made.")
def main(data: Path, libraries: Path, only: tuple[str, ...], keep: Path | None) -> None:
    others = 0
    for name in only or TRAINERS:
        begun = time.monotonic()
        for made in TRAINERS[name](data, libraries):
            alike, said = judged(made)
            others += not alike
            if keep:
                keep.mkdir(parents=True, exist_ok=True)
                (keep / made.path.name).write_text(made.text, "utf-8")
            minutes = (time.monotonic() - begun) / 60
            click.echo(f"{made.path.name:14} {'yes' if alike else 'no ':4} {said}   {minutes:.1f} min")
    sys.exit(1 if others else 0)


if __name__ == "__main__":
    main()

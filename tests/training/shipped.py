"""Is what is shipped what its trainer makes of the data? Fits anew, and writes nothing that is shipped.

    python -m tests.training.shipped DATA LIBRARIES [--only NAME]... [--keep FOLDER]

A line for each file: yes or no, the share of its choices that the one made today makes too, and what those of both are
worth (`behaviour.py` says what is chosen and of which questions). Yes is 95% of the choices, worth the same to .01.
Exit code 1 where one is no. LIBRARIES is that of the trainers: made where there is none, but for those of `spans` and
`judge`, which `walk` makes.
"""

import sys
import time
from pathlib import Path

import click
import numpy as np

from tests.training.behaviour import TRAINERS, Behaviour

WANTED = 0.95
"""The share of a file's choices that have to be alike."""

WORTH = 0.01
"""How far what the choices are worth may be apart, on average."""


def behaves(shipped: Behaviour, made: Behaviour) -> tuple[bool, str]:
    """Whether both do the same, and how much of it."""
    same = float(np.mean([one == other for one, other in zip(shipped.choices, made.choices, strict=True)]))
    worth, now = float(np.mean(shipped.worth)), float(np.mean(made.worth))
    said = f"{same:.3f} of {len(shipped.choices)} chosen alike, worth {worth:.3f} shipped, {now:.3f} made"
    return same >= WANTED and abs(worth - now) <= WORTH, said


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
            alike, said = behaves(made.shipped, made.made)
            others += not alike
            if keep:
                keep.mkdir(parents=True, exist_ok=True)
                content = made.content.encode() if isinstance(made.content, str) else made.content
                (keep / made.path.name).write_bytes(content)
            minutes = (time.monotonic() - begun) / 60
            click.echo(f"{made.path.name:14} {'yes' if alike else 'no ':4} {said}   {minutes:.1f} min")
    sys.exit(1 if others else 0)


if __name__ == "__main__":
    main()

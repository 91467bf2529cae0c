"""Is what is shipped what its trainer makes of the data? Fits anew, writes nothing.

    python -m tests.training.shipped DATA LIBRARIES [--only NAME]...

A line for each file: the share of its numbers that are as shipped, to a tolerance, and the one furthest off. Exit code
1 where one file is not what its trainer makes. LIBRARIES is that of the trainers: made where there is none, but for
those of `spans` and `judge`, which `walk` makes.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from clew.agent.answer.judge import SHIPPED as JUDGE
from clew.agent.answer.reader import SHIPPED as READER
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from tests.training import judge, reader, rewriter, roots, search, spans, talk, walk

ALIKE, SMALL = 0.05, 0.1
"""How far a number may be off, of its size, and the size that a smaller one is taken to have."""

WANTED = 0.95
"""The share of a file's numbers that have to be alike, and of its texts."""


def _reader(data: Path, _: Path) -> dict[Path, str]:
    encoder = encoder_for(read_settings())
    examples = [*reader.of_spans(data / "qa" / "spans.jsonl.gz", "train", encoder), *reader.of_conversations()]
    return {READER: json.dumps(asdict(replace(reader.fit(examples), together=reader.TOGETHER)))}


def _judge(data: Path, libraries: Path) -> dict[Path, str]:
    return {JUDGE: judge.fit(list(judge.read_examples(data, libraries))).to_json()}


TRAINERS: Mapping[str, Callable[[Path, Path], dict[Path, str]]] = {
    "roots": roots.made,
    "talk": talk.made,
    "reader": _reader,
    "spans": spans.made,
    "judge": _judge,
    "rewriter": rewriter.made,
    "walk": walk.made,
    "search": search.made,
}
"""What each makes: the text of each of its files."""

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


def read(path: Path, text: str) -> dict[str, Value]:
    if path.suffix == ".json":
        return dict(values_of(json.loads(text)))
    return dict.fromkeys(text.split(), 1.0)


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("libraries", type=click.Path(file_okay=False, path_type=Path))
@click.option("--only", type=click.Choice(list(TRAINERS)), multiple=True, help="Only what this one makes.")
def main(data: Path, libraries: Path, only: tuple[str, ...]) -> None:
    others = 0
    for name in only or TRAINERS:
        begun = time.monotonic()
        for path, text in TRAINERS[name](data, libraries).items():
            alike, worst = compared(read(path, path.read_text("utf-8")), read(path, text))
            others += alike < WANTED
            minutes = (time.monotonic() - begun) / 60
            click.echo(f"{path.name:14} {name:9} {alike:.3f} alike   furthest: {worst}   {minutes:.1f} min")
    sys.exit(1 if others else 0)


if __name__ == "__main__":
    main()

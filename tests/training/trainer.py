"""What trainers share: their command line, the libraries of their data sets, and linear models of named signals."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Floats
from clew.memory.dialogue.signals import Linear
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import ClewError
from clew.memory.knowledge.disk import TriplesFrom, current_generation
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import Library, open_library

if TYPE_CHECKING:
    import torch

NEW_FOLDER = click.Path(file_okay=False, path_type=Path)
RESAMPLED = 2_000

Maker = Callable[[Path, Path], Mapping[Path, str | bytes]]
"""Takes the folder of the data sets and that of their libraries, and returns what each shipped file is to hold."""

Reporter = Callable[[Path, Path], Iterable[str]]
"""Takes the same, and returns the lines that say what the models are worth."""


class TrainingCommand(click.Command):
    """Takes DATA and, where they are needed, LIBRARIES; an error of Clew ends it with a line."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.params = [
            click.Argument(["data"], type=click.Path(exists=True, file_okay=False, path_type=Path)),
            click.Argument(["libraries"], type=NEW_FOLDER, default=Path(".clew-training")),
            *self.params,
        ]

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except ClewError as error:
            raise click.ClickException(str(error)) from error


def trainer(usage: str, made: Maker, report: Reporter | None = None) -> click.Command:
    """The command that writes what `made` returns, or with `--crossval` prints the lines of `report`."""

    def run(data: Path, libraries: Path, crossval: bool = False) -> None:
        if crossval and report:
            for line in report(data, libraries):
                click.echo(line)
            return
        for path, content in made(data, libraries).items():
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            click.echo(f"fitted: {path}")

    help_ = "Report, and write nothing."
    option = click.Option(["--crossval", "--measure", "crossval"], is_flag=True, help=help_)
    return TrainingCommand("trainer", callback=run, params=[option] if report else [], help=usage)


def library_of(folder: Path, library: Path, encoder: CachedEncoder, triples: TriplesFrom | None = None) -> Library:
    """The library of a folder of documents, made where there is none."""
    if not current_generation(library):
        click.echo(f"indexing {folder}", err=True)
        for _ in index([folder], library, encoder, parameters=Parameters(triples=triples)):
            pass
    return open_library(library, encoder)


def logistic(
    names: Sequence[str],
    values: Floats,
    labels: Sequence[bool] | NDArray[np.bool_],
    strength: float,
    weights: Floats | None = None,
) -> Linear:
    """The log odds of the label by logistic regression over signals of shape (examples, names), each scaled to a
    deviation of 1; `strength` is the inverse of that of the L2 penalty, `weights` what each example counts."""
    from sklearn.linear_model import LogisticRegression

    mean, deviation = values.mean(axis=0), values.std(axis=0) + 1e-6
    model = LogisticRegression(C=strength, max_iter=1000).fit((values - mean) / deviation, labels, weights)
    return unscaled(names, model.coef_[0], float(model.intercept_[0]), mean, deviation)


def unscaled(names: Sequence[str], weights: Floats, intercept: float, mean: Floats, deviation: Floats) -> Linear:
    """The model of the signals themselves, in ten-thousandths, of one that was fitted to scaled ones."""
    raw = weights / deviation
    named = {name: round(float(weight), 4) for name, weight in zip(names, raw, strict=True)}
    return Linear(round(float(intercept - raw @ mean), 4), named)


def as_json(made: Any) -> str:
    """A dataclass as it ships."""
    return json.dumps(asdict(made), indent=2, default=dict) + "\n"


def padded(arrays: Sequence[Floats], fill: float = 0.0) -> "torch.Tensor":
    """All of them, filled up to one shape."""
    import torch

    made = np.full((len(arrays), *np.max([one.shape for one in arrays], axis=0)), fill, np.float32)
    for place, one in enumerate(arrays):
        there: tuple[slice, ...] = tuple(map(slice, one.shape))
        made[place][there] = one
    return torch.from_numpy(made)


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95% interval of the mean, by bootstrap."""
    drawn = np.random.default_rng(0).choice(np.array(values), (RESAMPLED, len(values))).mean(axis=1)
    low, high = np.percentile(drawn, [2.5, 97.5])
    return round(float(low), 3), round(float(high), 3)

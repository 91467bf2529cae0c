"""The coefficients of multi-hop retrieval, learned from questions whose documents are known.

    python -m tests.training.hops DATA LIBRARIES             writes memory/knowledge/multihop/coefficients.json
    python -m tests.training.hops DATA LIBRARIES --crossval  what that is worth: five folds, each by the others

DATA holds `hotpotqa` and `musique`, LIBRARIES a library of each (made where there is none), of musique one by each
choice of triples. A conditional logit: the relevant documents of a question share its weight, all other chunks that the
walk came to are its alternatives; L2 on all coefficients but the bias.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

from clew.agent.evaluation.dataset import read_dataset
from clew.agent.evaluation.ranking import measure
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Floats, Ints
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import ClewError
from clew.memory.knowledge.disk import TriplesFrom, current_generation
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.multihop.paths import DIRECT, PATH, HopQuestion
from clew.memory.knowledge.multihop.rounds import SHIPPED, Coefficients, HopParameters, Round, log_masses, walk
from clew.memory.knowledge.question import LibraryQuestion
from clew.tools.base import encode_query
from clew.tools.graph import GraphSearch


def coefficients_of(values: Floats) -> Coefficients:
    """In the order of `DIRECT`, bias, `PATH`."""
    numbers = [float(value) for value in values]
    direct, path = numbers[: len(DIRECT)], numbers[len(DIRECT) :]
    return Coefficients(dict(zip(DIRECT, direct, strict=True)), dict(zip(("bias", *PATH), path, strict=True)))


BEGINNING = coefficients_of(np.array([20.0, 5.0, 1.5, 1.0, -2.0] + [0.0] * len(PATH)))
"""Where fitting starts from: what matches the question best is the anchor."""

L2 = 1.0
ALTERNATIONS = 3
"""The walk depends on the coefficients and they on the walk: so often one after the other."""

FOLDS, SEEDS = 5, (0, 1, 2, 3)
RESAMPLED = 2_000


class Set(NamedTuple):
    """A data set with a choice of triples; the two of one set share its weight."""

    dataset: str
    triples: TriplesFrom
    weight: float


SETS = (Set("hotpotqa", "extract", 1.0), Set("musique", "extract", 0.5), Set("musique", "given", 0.5))


@dataclass(frozen=True, slots=True, eq=False)
class HopExample:
    """A question against its library: `relevant` are the chunks of its documents, `pool` where a walk begins."""

    set: Set
    number: int
    hops: HopQuestion
    pool: Ints
    relevant: frozenset[int]
    golds: dict[str, int]


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("libraries", type=click.Path(file_okay=False, path_type=Path))
@click.option("--crossval", is_flag=True, help="Measure out of fold, and write nothing.")
def main(data: Path, libraries: Path, crossval: bool) -> None:
    try:
        encoder = encoder_for(read_settings())
        examples = [example for one in SETS for example in read_examples(one, data, libraries, encoder)]
        if crossval:
            for line in report(examples):
                click.echo(line)
            return
        SHIPPED.write_text(json.dumps(asdict(fit(examples)), indent=1) + "\n", "utf-8")
    except ClewError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"fitted on {len(examples)} questions: {SHIPPED}")


def read_examples(one: Set, data: Path, libraries: Path, encoder: CachedEncoder) -> Iterator[HopExample]:
    dataset = read_dataset(data / one.dataset)
    path = libraries / f"{one.dataset}-{one.triples}"
    if not current_generation(path):
        list(index([data / one.dataset], path, encoder, parameters=Parameters(triples=one.triples)))
    store = open_library(path, encoder).store
    tool = GraphSearch(store)
    for number, question in enumerate(dataset.questions):
        hops = tool.hops(LibraryQuestion(store.part(), encode_query(question.text, [], encoder)))
        golds = {document: grade for document, grade in dataset.golds[question.id].items() if grade > 0}
        layers = hops.index.layers
        relevant = [n for n, d in enumerate(layers.chunk_documents) if layers.document_ids[d] in golds]
        yield HopExample(one, number, hops, tool.pool(hops), frozenset(relevant), golds)


def fit(examples: Sequence[HopExample]) -> Coefficients:
    found, scale = BEGINNING, None
    for alternation in range(ALTERNATIONS):
        rounds = [
            (example, one, example.set.weight / len(made))
            for example in examples
            for made in [walk(example.hops, example.pool, found, HopParameters(rounds=2 if alternation else 1))]
            for one in made
        ]
        table = table_of(rounds)
        scale = scale_of(table) if scale is None else scale
        found = coefficients_of(_fitted(table, scale))
    return found


class Table(NamedTuple):
    """All rounds one after the other. `direct` (chunks, ...), `paths` with a 1 first (paths, ...), and the chunk where
    each path ends; `starts` of each round's chunks; `wanted` is each chunk's share of its round's weight."""

    direct: Floats
    paths: Floats
    ends: Ints
    starts: Ints
    wanted: Floats


def table_of(rounds: Sequence[tuple[HopExample, Round, float]]) -> Table:
    sizes = np.array([len(one.chunks) for _, one, _ in rounds])
    starts = np.cumsum(sizes) - sizes
    wanted = []
    for example, one, weight in rounds:
        relevant = np.isin(one.chunks, sorted(example.relevant))
        wanted.append(weight * relevant / max(1, relevant.sum()))
    paths = np.concatenate([one.paths.features for _, one, _ in rounds])
    return Table(
        np.concatenate([one.direct for _, one, _ in rounds]),
        np.hstack([np.ones((len(paths), 1)), paths]),
        np.concatenate([one.ends + start for (_, one, _), start in zip(rounds, starts, strict=True)]),
        starts,
        np.concatenate(wanted),
    )


def scale_of(table: Table) -> Floats:
    """The deviation of each feature, 1 for the bias."""
    deviations = np.concatenate([table.direct.std(axis=0), table.paths.std(axis=0)])
    deviations[len(DIRECT)] = 1.0
    return deviations + 1e-9


def _fitted(table: Table, scale: Floats) -> Floats:
    from scipy.optimize import minimize

    beginning = np.zeros(len(scale))
    beginning[0], beginning[len(DIRECT)] = 1.0, -2.0
    found = minimize(loss_of(table, scale), beginning, jac=True, method="L-BFGS-B", options={"maxiter": 500})
    return np.asarray(found.x / scale)


def loss_of(table: Table, scale: Floats) -> Callable[[Floats], tuple[float, Floats]]:
    """The loss of coefficients of scaled features, and its slope."""
    count = len(DIRECT)
    direct, paths = table.direct / scale[:count], table.paths / scale[count:]
    rounds = np.repeat(np.arange(len(table.starts)), np.diff([*table.starts, len(direct)]))
    weights = np.add.reduceat(table.wanted, table.starts)
    penalised = np.arange(len(scale)) != count

    def loss(values: Floats) -> tuple[float, Floats]:
        own, brought = direct @ values[:count], paths @ values[count:]
        mass = log_masses(own, brought, table.ends)
        peak = np.maximum.reduceat(mass, table.starts)
        total = peak + np.log(np.add.reduceat(np.exp(mass - peak[rounds]), table.starts))
        slope = np.exp(mass - total[rounds]) * weights[rounds] - table.wanted
        of_direct = direct.T @ (slope * np.exp(own - mass))
        of_paths = paths.T @ (slope[table.ends] * np.exp(brought - mass[table.ends]))
        kept = values * penalised
        value = weights @ total - table.wanted @ mass + L2 / 2 * kept @ kept
        return float(value), np.concatenate([of_direct, of_paths]) + L2 * kept

    return loss


def report(examples: Sequence[HopExample]) -> Iterator[str]:
    """A line for each set and seed of the folds, with intervals by bootstrap over the questions."""
    for seed in SEEDS:
        folds = _folds(examples, seed)
        ranked = {}
        for fold in range(FOLDS):
            model = fit([example for example, own in zip(examples, folds, strict=True) if own != fold])
            for example, own in zip(examples, folds, strict=True):
                if own == fold:
                    ranked[example.set, example.number] = ranking(example, model)
        for one in SETS:
            its = [example for example in examples if example.set == one]
            figures = [measured(example.golds, ranked[one, example.number]) for example in its]
            yield f"seed {seed}  {one.dataset:9} {one.triples:8}" + "  ".join(_with_intervals(np.array(figures)))


MEASURED = ("recall@2", "recall@5", "all@5", "all@8")


def measured(golds: dict[str, int], ranked: Sequence[str]) -> list[float]:
    found = measure({"q": golds}, {"q": [(document, -float(rank)) for rank, document in enumerate(ranked)]})
    return [found[name] for name in MEASURED]


def ranking(example: HopExample, coefficients: Coefficients) -> list[str]:
    """The documents, best first."""
    last = walk(example.hops, example.pool, coefficients, HopParameters())[-1]
    layers = example.hops.index.layers
    order = last.chunks[np.argsort(-last.masses(coefficients), kind="stable")]
    return list(dict.fromkeys(layers.document_ids[d] for d in layers.chunk_documents[order]))


def _folds(examples: Sequence[HopExample], seed: int) -> Ints:
    """By question: one that two sets share is in the same fold of both."""
    most = 1 + max(example.number for example in examples)
    of_number = np.empty(most, np.int64)
    of_number[np.random.default_rng(seed).permutation(most)] = np.arange(most) % FOLDS
    return of_number[[example.number for example in examples]]


def _with_intervals(figures: Floats) -> Iterator[str]:
    drawn = np.random.default_rng(0).integers(0, len(figures), (RESAMPLED, len(figures)))
    low, high = np.percentile(figures[drawn].mean(axis=1), [2.5, 97.5], axis=0)
    for name, mean, least, most in zip(MEASURED, figures.mean(axis=0), low, high, strict=True):
        yield f"{name} {mean:.3f} [{least:.2f}, {most:.2f}]"


if __name__ == "__main__":
    main()

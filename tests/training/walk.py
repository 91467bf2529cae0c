"""The scorer of the walk, learned from questions whose documents are known.

    python -m tests.training.walk DATA LIBRARIES             writes memory/knowledge/walking/scorer.json
    python -m tests.training.walk DATA LIBRARIES --crossval  what that is worth: of three folds each by the others

DATA holds the data sets of `SETS`, LIBRARIES a library of each (made where there is none). Conversations are asked by
their last turn alone. The loss is a conditional logit's: the relevant nodes of a question share its weight, all others
that were weighed are its alternatives.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from clew.agent.evaluation.dataset import read_dataset
from clew.agent.evaluation.ranking import measure
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Floats
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import ClewError
from clew.memory.knowledge.disk import current_generation
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.question import MatchParameters
from clew.memory.knowledge.walking.features import AROUND, DIRECT, SHIPPED, Looked, MassLayer, NodeScorer, Standing
from clew.memory.knowledge.walking.subgraph import votes
from clew.memory.knowledge.walking.walker import Walker, WalkerParameters, hits_of
from clew.tools.base import encode_query
from tests.training.listwise import QuestionNodes, fit

SETS = {"wordnet": 1.0, "hotpotqa": 3.0, "musique": 3.0, "mtrag": 1.0, "mtrag-un": 1.0}
"""The data sets, and what a question of each weighs."""

FOLDS, PARTS = 3, 3
MEASURED = ("recall@1", "recall@5", "recall@10", "all@8", "ndcg@5")


@dataclass(frozen=True, slots=True, eq=False)
class WalkExample:
    """A question against its library: the candidates by themselves, and which are chunks of relevant documents."""

    dataset: str
    fold: int
    looked: Looked
    relevant: NDArray[np.bool_]
    documents: Sequence[str]
    golds: Mapping[str, int]

    def listed(self, features: Floats, kept: NDArray[np.int64] | None = None) -> QuestionNodes:
        relevant = self.relevant if kept is None else self.relevant[kept]
        return QuestionNodes(features, relevant, SETS[self.dataset])


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("libraries", type=click.Path(file_okay=False, path_type=Path))
@click.option("--crossval", is_flag=True, help="Measure out of fold, and write nothing.")
def main(data: Path, libraries: Path, crossval: bool) -> None:
    try:
        encoder = encoder_for(read_settings())
        examples = [example for name in SETS for example in read_examples(data / name, libraries / name, encoder)]
        if crossval:
            for line in report(examples):
                click.echo(line)
            return
        SHIPPED.write_text(to_json(trained(examples)), "utf-8")
    except ClewError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"fitted on {len(examples)} questions: {SHIPPED}")


def read_examples(folder: Path, library: Path, encoder: CachedEncoder) -> Iterator[WalkExample]:
    dataset = read_dataset(folder)
    if not current_generation(library):
        list(index([folder], library, encoder))
    store = open_library(library, encoder).store
    walker, layers = Walker(store, scorer=unfitted()), store.part().layers
    for question in dataset.questions:
        query = encode_query(question.text, [], encoder)
        looked = walker.look(walker.question(query), hits_of(store, query, MatchParameters()))
        documents = [layers.document_ids[d] for d in layers.chunk_documents[looked.nodes]]
        golds = {document: grade for document, grade in dataset.golds[question.id].items() if grade > 0}
        relevant = np.array([document in golds for document in documents])
        yield WalkExample(folder.name, fold_of(question.id), looked, relevant, documents, golds)


def unfitted() -> NodeScorer:
    """By the cosine alone: what fitting begins with."""
    layers = []
    for count in (len(DIRECT), len(DIRECT) + len(AROUND)):
        none, line = np.zeros((0, count)), np.zeros(count)
        line[DIRECT.index("cosine")] = 1.0
        layers.append(MassLayer(np.zeros(count), np.ones(count), line, none, np.zeros(0), np.zeros(0)))
    return NodeScorer(*layers)


def fold_of(id_: str) -> int:
    return int(hashlib.md5(id_.encode(), usedforsecurity=False).hexdigest(), 16) % FOLDS


def trained(examples: Sequence[WalkExample]) -> NodeScorer:
    alone = fit([example.listed(example.looked.direct) for example in examples])
    within = fit(
        [example.listed(features, kept) for example in examples for kept, features in [around(example, alone)]]
    )
    return NodeScorer(alone, within)


def around(example: WalkExample, alone: MassLayer) -> tuple[NDArray[np.int64], Floats]:
    """The places of the candidates that a walk looks around, and all features of these."""
    masses = alone(example.looked.direct)
    kept = np.sort(np.argsort(-masses, kind="stable")[: WalkerParameters().looked])
    looked = example.looked.taken_over(example.looked.nodes[kept])
    standing = Standing.of(example.looked.nodes, masses)
    return kept, np.hstack([looked.direct, looked.around(standing)])


class RankedQuestion(NamedTuple):
    """Of one question: its documents, best first, and the rank of the best partition that holds a relevant one."""

    documents: list[str]
    partition: int


def report(examples: Sequence[WalkExample]) -> Iterator[str]:
    """A line for each set: by the nodes alone, and with what is around them."""
    ranked: dict[str, dict[int, RankedQuestion]] = {"alone": {}, "within": {}}
    for fold in range(FOLDS):
        scorer = trained([example for example in examples if example.fold != fold])
        for number, example in enumerate(examples):
            if example.fold == fold:
                kept, features = around(example, scorer.alone)
                every = np.arange(len(example.documents))
                ranked["alone"][number] = _ranked(example, every, scorer.alone(example.looked.direct))
                ranked["within"][number] = _ranked(example, kept, scorer.within(features))
    for name in SETS:
        its = [number for number, example in enumerate(examples) if example.dataset == name]
        for way, of_way in ranked.items():
            golds = {str(number): examples[number].golds for number in its}
            runs = {str(n): [(d, -float(rank)) for rank, d in enumerate(of_way[n].documents)] for n in its}
            figures = measure(golds, runs)
            partitions = np.array([of_way[number].partition for number in its])
            told = "  ".join(f"{measured} {figures[measured]:.3f}" for measured in MEASURED)
            first, ten = (float((partitions <= k).mean()) for k in (1, 10))
            yield f"{name:9} {way:7}{told}  partitions P@1 {first:.3f} R@10 {ten:.3f}"


def _ranked(example: WalkExample, places: NDArray[np.int64], masses: Floats) -> RankedQuestion:
    """Partitions by the sum of their nodes' masses."""
    order = places[np.argsort(-masses, kind="stable")]
    partitioning, nodes = example.looked.question.graph.partitioning, example.looked.nodes
    scores = votes(nodes[places], np.exp(masses - masses.max()), partitioning)
    gold = scores[partitioning.of_node[nodes[example.relevant]]].max(initial=0.0)
    rank = 1 + int((scores > gold).sum()) if gold else partitioning.count
    return RankedQuestion(list(dict.fromkeys(example.documents[place] for place in order.tolist())), rank)


def to_json(scorer: NodeScorer) -> str:
    said = {"direct": DIRECT, "around": AROUND, "alone": _said(scorer.alone), "within": _said(scorer.within)}
    return json.dumps(said) + "\n"


def _said(layer: MassLayer) -> dict[str, list[float]]:
    parts = ("mean", "deviation", "slope", "hidden", "bias", "output")
    return {part: np.round(getattr(layer, part), 4).tolist() for part in parts}


if __name__ == "__main__":
    main()

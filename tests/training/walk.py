"""The scorer of the walk, learned from questions whose documents are known.

    python -m tests.training.walk DATA LIBRARIES             writes memory/knowledge/walking/scorer.json
    python -m tests.training.walk DATA LIBRARIES --crossval  what that is worth: of three folds each by the others

DATA holds the data sets of `SETS`, LIBRARIES a library of each and of musique one with the given triples,
`musique-given` (made where there is none). Conversations are asked by their last turn alone. The loss is a conditional
logit's: the relevant nodes of a question share its weight, all others that were weighed are its alternatives. What
paths bring is fitted last (path_line.py), on questions of several hops.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.agent.evaluation.dataset import read_dataset
from clew.agent.evaluation.ranking import measure
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Floats, Ints
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.disk import TriplesFrom
from clew.memory.knowledge.walking.features import (
    AROUND,
    DIRECT,
    PATH,
    SHIPPED,
    HopQuestion,
    Looked,
    MassLayer,
    NodeScorer,
    Standing,
)
from clew.memory.knowledge.walking.walker import Walker, WalkerParameters, votes
from clew.tools.base import encode_query
from clew.tools.graph import GraphSearch, HopParameters, hop
from tests.training.listwise import QuestionNodes, fit
from tests.training.path_line import BEGINNING, HopExample, fit_paths
from tests.training.trainer import interval, library_of, trainer

SETS = {"wordnet": 1.0, "hotpotqa": 3.0, "musique": 3.0, "mtrag": 1.0, "mtrag-un": 1.0}
"""The data sets, and what a question of each weighs for nodes."""

GIVEN = "musique-given"
HOPS = {"hotpotqa": 1.0, "musique": 0.5, GIVEN: 0.5}
"""Those of several hops, and what a question of each weighs for paths: the two of musique share its weight."""

TRIPLES: dict[str, TriplesFrom] = {"musique": "extract", GIVEN: "given"}

FOLDS = 3
MEASURED = ("recall@1", "recall@2", "recall@5", "recall@10", "all@5", "all@8", "ndcg@5")


@dataclass(frozen=True, slots=True, eq=False)
class WalkExample:
    """A question against its library: the candidates by themselves, and which of all nodes are chunks of relevant
    documents, shape (nodes of the library,)."""

    dataset: str
    fold: int
    looked: Looked
    relevant: NDArray[np.bool_]
    golds: Mapping[str, int]
    hops: HopQuestion

    def listed(self, features: Floats, nodes: Ints) -> QuestionNodes:
        return QuestionNodes(features, self.relevant[nodes], SETS[self.dataset])

    def documents(self, nodes: Ints) -> list[str]:
        """Of nodes in this order, each once."""
        layers = self.looked.question.graph.layers
        return list(dict.fromkeys(layers.document_ids[d] for d in layers.chunk_documents[nodes].tolist()))


def made(data: Path, libraries: Path) -> dict[Path, str]:
    return {SHIPPED: to_json(trained(list(read_all(data, libraries, encoder_for(read_settings())))))}


def read_all(data: Path, libraries: Path, encoder: CachedEncoder) -> Iterator[WalkExample]:
    """Of `SETS`, and of musique by its given triples."""
    for name in SETS:
        yield from read_examples(data / name, libraries / name, encoder)
    yield from read_examples(data / "musique", libraries / GIVEN, encoder, GIVEN)


def read_examples(folder: Path, library: Path, encoder: CachedEncoder, name: str = "") -> Iterator[WalkExample]:
    """Of the data set `name`, by default the folder's."""
    name, dataset = name or folder.name, read_dataset(folder)
    store = library_of(folder, library, encoder, TRIPLES.get(name)).store
    walker, tool, layers = Walker(store, scorer=unfitted()), GraphSearch(store, scorer=unfitted()), store.part().layers
    for question in dataset.questions:
        asked = walker.question(encode_query(question.text, [], encoder))
        golds = {document: grade for document, grade in dataset.golds[question.id].items() if grade > 0}
        relevant = np.array([document in golds for document in layers.document_ids])[layers.chunk_documents]
        yield WalkExample(name, fold_of(question.id), tool.look(asked), relevant, golds, tool.hops(asked))


def unfitted() -> NodeScorer:
    """By the cosine alone: what fitting begins with."""
    layers = []
    for count in (len(DIRECT), len(DIRECT) + len(AROUND)):
        none, line = np.zeros((0, count)), np.zeros(count)
        line[DIRECT.index("cosine")] = 1.0
        layers.append(MassLayer(np.zeros(count), np.ones(count), line, none, np.zeros(0), np.zeros(0)))
    return NodeScorer(layers[0], layers[1], BEGINNING)


def fold_of(id_: str) -> int:
    return int(hashlib.md5(id_.encode(), usedforsecurity=False).hexdigest(), 16) % FOLDS


def trained(examples: Sequence[WalkExample]) -> NodeScorer:
    weighed = [example for example in examples if example.dataset in SETS]
    alone = fit([example.listed(example.looked.direct, example.looked.nodes) for example in weighed])
    within = fit(
        [example.listed(features, nodes) for example in weighed for nodes, features in [around(example, alone)]]
    )
    scorer = NodeScorer(alone, within, BEGINNING)
    return replace(
        scorer, path=fit_paths([hop_example(example) for example in examples if example.dataset in HOPS], scorer)
    )


def hop_example(example: WalkExample) -> HopExample:
    return HopExample(example.looked, example.hops, example.relevant, HOPS[example.dataset])


def around(example: WalkExample, alone: MassLayer) -> tuple[Ints, Floats]:
    """The candidates that a walk looks around, rising, and all features of these."""
    masses = alone(example.looked.direct)
    kept = np.sort(np.argsort(-masses, kind="stable")[: WalkerParameters().looked])
    looked = example.looked.taken_over(example.looked.nodes[kept])
    standing = Standing.of(example.looked.nodes, masses)
    return looked.nodes, np.hstack([looked.direct, looked.around(standing)])


class RankedQuestion(NamedTuple):
    """Of one question: its documents, best first, and the rank of the best partition that holds a relevant one."""

    documents: list[str]
    partition: int


def ranked(example: WalkExample, scorer: NodeScorer) -> Iterator[tuple[str, RankedQuestion]]:
    """By the nodes alone, and with what is around them, as `walk` ranks; by paths, as `graph` does."""
    yield "alone", _ranked(example, example.looked.nodes, scorer.alone(example.looked.direct))
    nodes, features = around(example, scorer.alone)
    yield "around", _ranked(example, nodes, scorer.within(features))
    last = hop(example.looked, example.hops, scorer, HopParameters())[-1]
    yield "paths", _ranked(example, last.looked.nodes, last.masses(scorer))


def report(data: Path, libraries: Path) -> Iterator[str]:
    """Of three folds each by the others: a line for each set and way, with intervals over the questions."""
    examples = list(read_all(data, libraries, encoder_for(read_settings())))
    found: dict[tuple[str, str], list[list[float]]] = {}
    for fold in range(FOLDS):
        scorer = trained([example for example in examples if example.fold != fold])
        for example in (example for example in examples if example.fold == fold):
            for way, its in ranked(example, scorer):
                found.setdefault((example.dataset, way), []).append(measured(example.golds, its))
    for (dataset, way), figures in sorted(found.items()):
        columns = zip((*MEASURED, "partitions P@1", "R@10"), zip(*figures, strict=True), strict=True)
        told = ((name, np.mean(values), *interval(values)) for name, values in columns)
        yield f"{dataset:14}{way:7}" + "  ".join(f"{name} {mean:.3f} [{a:.2f}, {b:.2f}]" for name, mean, a, b in told)


def measured(golds: Mapping[str, int], its: RankedQuestion) -> list[float]:
    """`MEASURED` and whether the first, and one of the first ten partitions hold what is relevant."""
    run = [(document, -float(rank)) for rank, document in enumerate(its.documents)]
    figures = measure({"q": golds}, {"q": run})
    return [*(figures[name] for name in MEASURED), float(its.partition <= 1), float(its.partition <= 10)]


def _ranked(example: WalkExample, nodes: Ints, masses: Floats) -> RankedQuestion:
    """Partitions by the sum of their nodes' masses."""
    order = nodes[np.argsort(-masses, kind="stable")]
    partitioning = example.looked.question.graph.partitioning
    scores = votes(nodes, np.exp(masses - masses.max()), partitioning)
    gold = scores[partitioning.of_node[nodes[example.relevant[nodes]]]].max(initial=0.0)
    rank = 1 + int((scores > gold).sum()) if gold else partitioning.count
    return RankedQuestion(example.documents(order), rank)


def to_json(scorer: NodeScorer) -> str:
    said = {"direct": DIRECT, "around": AROUND, "alone": _said(scorer.alone), "within": _said(scorer.within)}
    slope = dict(zip(PATH, np.round(scorer.path.slope, 4).tolist(), strict=True))
    line = {"own": round(scorer.path.own, 4), "bias": round(scorer.path.bias, 4), "slope": slope}
    return json.dumps({**said, "path": line}) + "\n"


def _said(layer: MassLayer) -> dict[str, list[float]]:
    parts = ("mean", "deviation", "slope", "hidden", "bias", "output")
    return {part: np.round(getattr(layer, part), 4).tolist() for part in parts}


main = trainer(__doc__, made, report)

if __name__ == "__main__":
    main()

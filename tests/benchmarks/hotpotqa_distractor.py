"""HotpotQA's distractor setting (seed 004, section 9): does a walk over the ten paragraphs come to the two gold ones?

python -m tests.benchmarks.hotpotqa_distractor DATA LIBRARIES

DATA and LIBRARIES as for `tests.training.walk`. Each question with ten paragraphs in `context` has a library of
these alone. A row is the share of the questions whose gold paragraphs are both among the first four different ones,
for a walk in the order of its visits: landings first.  The shipped scorer was fitted on these questions among others;
the rows "fitted without" are of one that has seen none of HotpotQA. Entity-linked are the library's own edges; in the
clique (option A) every two are joined with weight 1. A random start lands on one node and goes to the best that is
open, one step a round: the mean of five.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import numpy as np
from numpy.typing import NDArray

from clew.agent.evaluation.dataset import read_dataset
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Ints, Query
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.question import MatchParameters
from clew.memory.knowledge.walking.features import NodeScorer, Weighing, load_scorer
from clew.memory.knowledge.walking.walker import StepParameters, Thought, Walked, Walker, hits_of, wander
from clew.memory.nodes import NodeGraph
from clew.memory.ports import Graph, Search
from clew.tools.base import encode_query
from clew.tools.hybrid import Hybrid
from tests.benchmarks.inputs import paths
from tests.benchmarks.tools import decimals, print_row
from tests.training.walk import SETS, read_examples, trained

NAME = "hotpotqa"
LINKED, CLIQUE = "entity-linked", "clique"
PARAGRAPHS, FIRST, STARTS = 10, 4, 5


@dataclass(frozen=True, eq=False)
class Asked:
    """A question against the library of its paragraphs; `golds` are documents."""

    query: Query
    store: Search
    golds: frozenset[str]


Visited = Callable[[Asked], Sequence[str]]
"""Of a question documents, best or first visited first."""


def main() -> None:
    data, libraries = paths(__doc__ or "", "data", "libraries")
    encoder = encoder_for(read_settings())
    others = [name for name in SETS if name != NAME]
    examples = [example for name in others for example in read_examples(data / name, libraries / name, encoder)]
    with TemporaryDirectory() as folder:
        asked = list(read_asked(data / NAME, Path(folder), encoder))
        print_row(f"{NAME}, {len(asked)} questions", f"both in the first {FIRST}")
        print("|---|---|")
        for name, ways in rows(trained(examples)).items():
            print_row(name, decimals(np.mean([one.golds <= set(way(one)[:FIRST]) for one in asked for way in ways])))


def rows(unseen: NodeScorer) -> dict[str, list[Visited]]:
    """The ways of a row are averaged."""
    found: dict[str, list[Visited]] = {"dense": [dense], "dense + BM25": [summed], "`hybrid`": [hybrid]}
    for said, scorer in {"": load_scorer(), ", fitted without": unseen}.items():
        found[f"walk, entity-linked{said}"] = [partial(walked, scorer, LINKED)]
        found[f"walk, clique{said}"] = [partial(walked, scorer, CLIQUE)]
        found[f"by the walk's masses{said}"] = [partial(weighed, scorer)]
    for edges in (LINKED, CLIQUE):
        ways = [partial(from_anywhere, unseen, edges, seed) for seed in range(STARTS)]
        found[f"random start, {edges}, fitted without"] = list(ways)
    return found


def read_asked(dataset: Path, folder: Path, encoder: CachedEncoder) -> Iterator[Asked]:
    read = read_dataset(dataset, within_context=True)
    lines = (dataset / "corpus.jsonl").read_text("utf-8").splitlines()
    texts = {row["_id"]: row for row in map(json.loads, lines)}
    for number, question in enumerate(read.questions):
        if question.context and len(question.context) == PARAGRAPHS:
            query = encode_query(question.text, [], encoder)
            paragraphs = [texts[id_] for id_ in sorted(question.context)]
            yield Asked(query, indexed(paragraphs, folder / str(number), encoder), frozenset(read.golds[question.id]))


def indexed(paragraphs: Sequence[Mapping[str, str]], folder: Path, encoder: CachedEncoder) -> Search:
    source, library = folder / "source", folder / "library"
    source.mkdir(parents=True)
    lines = [json.dumps(paragraph) + "\n" for paragraph in paragraphs]
    (source / "corpus.jsonl").write_text("".join(lines), "utf-8")
    list(index([source], library, encoder, parameters=Parameters(triples="extract")))
    return open_library(library, encoder).store


def dense(asked: Asked) -> list[str]:
    cosines, documents = similar(asked)
    return list(dict.fromkeys(documents[chunk] for chunk in np.argsort(-cosines, kind="stable")))


def summed(asked: Asked) -> list[str]:
    """Both as shares of the best."""
    cosines, documents = similar(asked)
    words = np.zeros(len(cosines))
    numbers = asked.store.part().layers.chunk_numbers
    for hit in asked.store.keyword_search([asked.query.text], len(cosines))[0]:
        words[numbers[hit.chunk]] = hit.score
    scores = cosines / cosines.max() + words / max(words.max(), 1e-9)
    return list(dict.fromkeys(documents[chunk] for chunk in np.argsort(-scores, kind="stable")))


def similar(asked: Asked) -> tuple[NDArray[np.float32], list[str]]:
    """Of each chunk its cosine and its document."""
    store, layers = asked.store, asked.store.part().layers
    rows = np.arange(len(layers.chunk_ids))
    documents = [layers.document_ids[number] for number in layers.chunk_documents]
    return store.part().vectors.take(rows, axis=0) @ asked.query.forms[0].vector, documents


def hybrid(asked: Asked) -> list[str]:
    found = Hybrid(asked.store).search(asked.query, 2 * PARAGRAPHS)
    return list(dict.fromkeys(passage.document for passage in found.passages))


def walked(scorer: NodeScorer, edges: str, asked: Asked) -> list[str]:
    visits = walk(scorer, asked, edges).visits
    return documents_of(asked.store, np.array([visit.node for visit in visits]))


def weighed(scorer: NodeScorer, asked: Asked) -> list[str]:
    return documents_of(asked.store, walk(scorer, asked, LINKED).nodes)


def walk(scorer: NodeScorer, asked: Asked, edges: str) -> Walked:
    walker = walker_of(scorer, asked, edges)
    thought = think(walker, asked)
    return walker.walk(thought, walker.stitch(thought))


def walker_of(scorer: NodeScorer, asked: Asked, edges: str) -> Walker:
    walker = Walker(asked.store, scorer=scorer)
    if edges == CLIQUE:
        walker.graph = cast(Graph, Joined(walker.graph, clique(walker.graph.nodes.count)))
    return walker


class Joined:
    """A graph with other edges."""

    def __init__(self, graph: Graph, nodes: NodeGraph) -> None:
        self._graph = graph
        self.nodes = nodes

    def __getattr__(self, name: str) -> object:
        return getattr(self._graph, name)


def clique(count: int) -> NodeGraph:
    """Every two nodes joined, with weight 1."""
    sources, targets = np.triu_indices(count, 1)
    kinds, weights = np.zeros(len(sources), np.int64), np.ones(len(sources), np.float32)
    return NodeGraph(count, sources, targets, kinds, weights, ("beside",))


def think(walker: Walker, asked: Asked) -> Thought:
    return walker.think(walker.question(asked.query), hits_of(asked.store, asked.query, MatchParameters()))


def from_anywhere(scorer: NodeScorer, edges: str, seed: int, asked: Asked) -> list[str]:
    walker = walker_of(scorer, asked, edges)
    thought = think(walker, asked)
    stitched = walker.stitch(thought)
    landed = np.random.default_rng(seed).choice(stitched.nodes, 1)
    weighing = Weighing(thought.looked, thought.masses, scorer)
    visits = wander(stitched, landed, weighing, lambda _: False, StepParameters(beam=1, depth=len(stitched.nodes)))
    return documents_of(asked.store, np.array([visit.node for visit in visits]))


def documents_of(store: Search, rows: Ints) -> list[str]:
    """Each once."""
    layers = store.part().layers
    return list(dict.fromkeys(layers.document_ids[d] for d in layers.chunk_documents[rows]))


if __name__ == "__main__":
    main()

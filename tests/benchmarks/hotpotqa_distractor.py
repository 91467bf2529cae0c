"""HotpotQA's distractor setting (seed 004, section 9): does a walk over the ten paragraphs come to the two gold ones?

python -m tests.benchmarks.hotpotqa_distractor DATA LIBRARIES

DATA and LIBRARIES as for `tests.training.walk`. Each question with ten paragraphs in `context` has a library of
these alone. A row is the share of the questions whose gold paragraphs are both among the first four different ones,
for a walk in the order of its visits: landings first. The shipped scorer was fitted on these questions among others;
"fitted without" is one that has seen none of HotpotQA. A random start lands on one node and goes to the best that is
open, one step a round: the mean of five.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from clew.agent.evaluation.dataset import read_dataset
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Ints, Query
from clew.memory.encoding import CachedEncoder
from clew.memory.json_lines import as_line
from clew.memory.knowledge.library_ports import Search
from clew.memory.knowledge.question import MatchParameters
from clew.memory.knowledge.walking.features import NodeScorer, Weighing, load_scorer
from clew.memory.knowledge.walking.walker import StepParameters, Thought, Walker, hits_of, wander
from clew.tools.base import encode_query
from clew.tools.hybrid import Hybrid
from tests.benchmarks.measuring import paths, show
from tests.training.records import lines_of
from tests.training.trainer import library_of
from tests.training.walk import SETS, read_examples, trained

NAME = "hotpotqa"
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
        shares = (
            (name, float(np.mean([one.golds <= set(way(one)[:FIRST]) for one in asked for way in ways])))
            for name, ways in rows(trained(examples)).items()
        )
        show(f"{NAME}, {len(asked)} questions", ("", f"both in the first {FIRST}"), shares)


def rows(unseen: NodeScorer) -> dict[str, list[Visited]]:
    """The ways of a row are averaged."""
    return {
        "dense": [dense],
        "`hybrid`": [hybrid],
        "walk": [partial(walked, load_scorer())],
        "walk, fitted without": [partial(walked, unseen)],
        "random start, fitted without": [partial(from_anywhere, unseen, seed) for seed in range(STARTS)],
    }


def read_asked(dataset: Path, folder: Path, encoder: CachedEncoder) -> Iterator[Asked]:
    read = read_dataset(dataset, within_context=True)
    texts = {row["_id"]: row for row in lines_of(dataset / "corpus.jsonl")}
    for number, question in enumerate(read.questions):
        if question.context and len(question.context) == PARAGRAPHS:
            query = encode_query(question.text, [], encoder)
            store = indexed([texts[id_] for id_ in sorted(question.context)], folder / str(number), encoder)
            yield Asked(query, store, frozenset(read.golds[question.id]))


def indexed(paragraphs: Sequence[Mapping[str, str]], folder: Path, encoder: CachedEncoder) -> Search:
    source = folder / "source"
    source.mkdir(parents=True)
    (source / "corpus.jsonl").write_text("".join(map(as_line, paragraphs)), "utf-8")
    return library_of(source, folder / "library", encoder, "extract").store


def dense(asked: Asked) -> list[str]:
    part = asked.store.part()
    cosines = part.vectors.take(np.arange(len(part.layers.chunk_ids)), axis=0) @ asked.query.forms[0].vector
    return documents_of(asked.store, np.argsort(-cosines, kind="stable"))


def hybrid(asked: Asked) -> list[str]:
    found = Hybrid(asked.store).search(asked.query, 2 * PARAGRAPHS)
    return list(dict.fromkeys(passage.document for passage in found.passages))


def walked(scorer: NodeScorer, asked: Asked) -> list[str]:
    walker = Walker(asked.store, scorer=scorer)
    thought = think(walker, asked)
    visits = walker.walk(thought, walker.stitch(thought)).visits
    return documents_of(asked.store, np.array([visit.node for visit in visits]))


def from_anywhere(scorer: NodeScorer, seed: int, asked: Asked) -> list[str]:
    walker = Walker(asked.store, scorer=scorer)
    thought = think(walker, asked)
    stitched = walker.stitch(thought)
    landed = np.random.default_rng(seed).choice(stitched.nodes, 1)
    weighing = Weighing(thought.looked, thought.masses, scorer)
    visits = wander(stitched, landed, weighing, lambda _: False, StepParameters(beam=1, depth=len(stitched.nodes)))
    return documents_of(asked.store, np.array([visit.node for visit in visits]))


def think(walker: Walker, asked: Asked) -> Thought:
    return walker.think(walker.question(asked.query), hits_of(asked.store, asked.query, MatchParameters()))


def documents_of(store: Search, rows: Ints) -> list[str]:
    """Each once."""
    layers = store.part().layers
    return list(dict.fromkeys(layers.document_ids[d] for d in layers.chunk_documents[rows]))


if __name__ == "__main__":
    main()

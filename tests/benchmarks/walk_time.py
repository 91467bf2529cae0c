"""What think, stitch and walk take after the hits are in, beside an exact cosine search by NumPy in the same run; the
tool `walk` whole beside `hybrid`; and how that grows with the library.

python -m tests.benchmarks.walk_time DATASET LIBRARY

Times are medians over questions, each the fastest of three rounds, the ways in turn. Where DATASET is a graph folder of
more than 12,000 nodes, the same is timed on so many of them, the nearest to the first by edges, in a library made for
it. Set OMP_NUM_THREADS=1 to time with one thread.
"""

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.agent.evaluation.dataset import read_dataset
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Ints, Query
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.disk import current_generation
from clew.memory.knowledge.embedding import CHUNKS, open_vectors
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.question import MatchParameters
from clew.memory.knowledge.walking.walker import Walker, hits_of
from clew.memory.ports import Search
from clew.tools.base import encode_query
from clew.tools.hybrid import Hybrid
from clew.tools.walk import Walk
from tests.benchmarks.inputs import paths
from tests.benchmarks.latency import EXACT, K, nearest
from tests.benchmarks.timing import fastest

QUESTIONS = 100
CUT = 12_000
WALKED = "think + stitch + walk"
NODES, EDGES = "nodes.jsonl", "edges.jsonl"


def main() -> None:
    folder, library = paths(__doc__ or "", "dataset", "library")
    encoder = encoder_for(read_settings(library=library))
    queries = [encode_query(q.text, [], encoder) for q in read_dataset(folder).questions[:QUESTIONS]]
    with closing(encoder):
        whole = report(library, encoder, queries)
        lines = list(read_objects_of(folder, NODES)) if file_of(folder, NODES).exists() else []
        if len(lines) > CUT:
            with TemporaryDirectory() as made:
                graph, small = Path(made) / "graph", Path(made) / "library"
                cut(folder, graph, lines)
                list(index([graph], small, encoder))
                print()
                less = report(small, encoder, queries)
            print(f"\n{WALKED}: {whole / less:.2f} times as long over {len(lines) / CUT:.1f} times as many nodes")


def report(library: Path, encoder: CachedEncoder, queries: Sequence[Query]) -> float:
    """The median seconds of think, stitch and walk."""
    generation = current_generation(library)
    assert generation, "it is there"
    vectors = np.array(open_vectors(generation, CHUNKS))
    with open_library(library, encoder) as opened:
        times = {name: float(np.median(taken)) for name, taken in timed(opened.store, vectors, queries).items()}
    print(f"{f'{len(vectors)} nodes, {len(queries)} questions':38} {'ms':>9} {'of exact':>9} {'of hybrid':>9}")
    for name, taken in times.items():
        print(f"{name:38} {taken * 1000:9.2f} {taken / times[EXACT]:9.2f} {taken / times['`hybrid`']:9.2f}")
    return times[WALKED]


def timed(store: Search, vectors: NDArray[np.float32], queries: Sequence[Query]) -> dict[str, list[float]]:
    """Of each way the seconds of each question. What comes before a part is there before it is timed."""
    walker, hybrid, walk = Walker(store), Hybrid(store), Walk(store)
    walk.search(queries[0], K)
    hits = {query: hits_of(store, query, MatchParameters()) for query in queries}
    whole: dict[str, Callable[[Query], object]] = {
        EXACT: partial(nearest, vectors),
        WALKED: lambda query: walked(walker, query, hits[query]),
        "tool `walk`": lambda query: walk.search(query, K),
        "`hybrid`": lambda query: hybrid.search(query, K),
    }
    thought = {query: walker.think(walker.question(query), hits[query]) for query in queries}
    stitched = {query: walker.stitch(thought[query]) for query in queries}
    parts: dict[str, Callable[[Query], object]] = {
        "  think": lambda query: walker.think(walker.question(query), hits[query]),
        "  stitch": lambda query: walker.stitch(thought[query]),
        "  walk": lambda query: walker.walk(thought[query], stitched[query]),
    }
    return fastest(whole, queries) | fastest(parts, queries)


def walked(walker: Walker, query: Query, hits: Ints) -> object:
    thought = walker.think(walker.question(query), hits)
    return walker.walk(thought, walker.stitch(thought))


def cut(folder: Path, into: Path, nodes: Sequence[dict[str, Any]]) -> None:
    """A graph folder of the CUT nodes nearest to the first by edges, and the edges among them."""
    edges = list(read_objects_of(folder, EDGES))
    kept = ball([node["id"] for node in nodes], edges)
    into.mkdir()
    write(into / NODES, (node for node in nodes if node["id"] in kept))
    write(into / EDGES, (edge for edge in edges if edge["source"] in kept and edge["target"] in kept))


def ball(ids: Sequence[str], edges: Sequence[dict[str, Any]]) -> set[str]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order

    place = {id_: number for number, id_ in enumerate(ids)}
    ends = np.array([[place[edge["source"]], place[edge["target"]]] for edge in edges]).T
    joined = coo_array((np.ones(len(edges)), tuple(ends)), shape=(len(ids), len(ids)))
    order = breadth_first_order(joined.tocsr(), 0, directed=False, return_predecessors=False)
    return {ids[number] for number in order[:CUT].tolist()}


def file_of(folder: Path, name: str) -> Path:
    return next((path for path in (folder / name, folder / f"{name}.gz") if path.exists()), folder / name)


def read_objects_of(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    path = file_of(folder, name)
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def write(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


if __name__ == "__main__":
    main()

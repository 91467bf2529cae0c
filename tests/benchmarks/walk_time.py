"""What think, stitch and walk take after the hits are in, beside an exact cosine search by NumPy in the same run; the
tool `walk` whole beside `hybrid`; and how that grows with the library.

python -m tests.benchmarks.walk_time DATASET LIBRARY

Times are medians over questions, each the fastest of three rounds, the ways in turn. Where DATASET is a graph folder of
more than 12,000 nodes, the same is timed on so many of them, the nearest to the first by edges, in a library made for
it. Set OMP_NUM_THREADS=1 to time with one thread.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from clew.agent.evaluation.dataset import read_dataset
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Ints, Query
from clew.memory.encoding import CachedEncoder
from clew.memory.json_lines import as_line
from clew.memory.knowledge.disk import required_generation
from clew.memory.knowledge.embedding import CHUNKS, open_vectors
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.question import MatchParameters
from clew.memory.knowledge.walking.walker import Walker, hits_of
from clew.memory.ports import Search
from clew.tools.base import encode_query
from clew.tools.hybrid import Hybrid
from clew.tools.walk import Walk
from tests.benchmarks.inputs import paths, show
from tests.benchmarks.timing import K, exact, medians
from tests.training.records import Record, lines_of

QUESTIONS = 100
CUT = 12_000
EXACT, WALKED, HYBRID = "exact cosine search, NumPy", "think + stitch + walk", "`hybrid`"


def main() -> None:
    folder, library = paths(__doc__ or "", "dataset", "library")
    encoder = encoder_for(read_settings(library=library))
    queries = [encode_query(q.text, [], encoder) for q in read_dataset(folder).questions[:QUESTIONS]]
    with closing(encoder), TemporaryDirectory() as made:
        whole = report(library, encoder, queries)
        nodes = list(graph_rows(folder, "nodes"))
        if len(nodes) > CUT:
            graph, small = Path(made) / "graph", Path(made) / "library"
            cut(folder, graph, nodes)
            list(index([graph], small, encoder))
            less = report(small, encoder, queries)
            print(f"\n{WALKED}: {whole / less:.2f} times as long over {len(nodes) / CUT:.1f} times as many nodes")


def report(library: Path, encoder: CachedEncoder, queries: Sequence[Query]) -> float:
    """The median of think, stitch and walk."""
    vectors = np.array(open_vectors(required_generation(library), CHUNKS))
    with open_library(library, encoder) as opened:
        times = timed(opened.store, partial(exact, vectors), queries)
    rows = [(name, f"{ms:.2f}", f"{ms / times[EXACT]:.2f}", f"{ms / times[HYBRID]:.2f}") for name, ms in times.items()]
    show(f"{len(vectors)} nodes, {len(queries)} questions", ("", "ms", "of exact", "of hybrid"), rows)
    return times[WALKED]


def timed(store: Search, by_cosine: Callable[[Query], object], queries: Sequence[Query]) -> dict[str, float]:
    """Of each way. What comes before a part is there before it is timed."""
    walker, hybrid, walk = Walker(store), Hybrid(store), Walk(store)
    walk.search(queries[0], K)
    hits = {query: hits_of(store, query, MatchParameters()) for query in queries}
    whole: dict[str, Callable[[Query], object]] = {
        EXACT: by_cosine,
        WALKED: lambda query: walked(walker, query, hits[query]),
        "tool `walk`": lambda query: walk.search(query, K),
        HYBRID: lambda query: hybrid.search(query, K),
    }
    thought = {query: walker.think(walker.question(query), hits[query]) for query in queries}
    stitched = {query: walker.stitch(thought[query]) for query in queries}
    parts: dict[str, Callable[[Query], object]] = {
        "  think": lambda query: walker.think(walker.question(query), hits[query]),
        "  stitch": lambda query: walker.stitch(thought[query]),
        "  walk": lambda query: walker.walk(thought[query], stitched[query]),
    }
    return medians(whole, queries) | medians(parts, queries)


def walked(walker: Walker, query: Query, hits: Ints) -> object:
    thought = walker.think(walker.question(query), hits)
    return walker.walk(thought, walker.stitch(thought))


def cut(folder: Path, into: Path, nodes: Sequence[Record]) -> None:
    """A graph folder of the CUT nodes nearest to the first by edges, and the edges among them."""
    edges = list(graph_rows(folder, "edges"))
    kept = ball([node["id"] for node in nodes], edges)
    into.mkdir()
    among = (edge for edge in edges if edge["source"] in kept and edge["target"] in kept)
    (into / "nodes.jsonl").write_text("".join(as_line(node) for node in nodes if node["id"] in kept), "utf-8")
    (into / "edges.jsonl").write_text("".join(map(as_line, among)), "utf-8")


def ball(ids: Sequence[str], edges: Sequence[Record]) -> set[str]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order

    place = {id_: number for number, id_ in enumerate(ids)}
    ends = np.array([[place[edge["source"]], place[edge["target"]]] for edge in edges]).T
    joined = coo_array((np.ones(len(edges)), tuple(ends)), shape=(len(ids), len(ids)))
    order = breadth_first_order(joined.tocsr(), 0, directed=False, return_predecessors=False)
    return {ids[number] for number in order[:CUT].tolist()}


def graph_rows(folder: Path, name: str) -> Iterable[dict[str, Any]]:
    """None where it is no graph folder."""
    return (row for path in folder.glob(f"{name}.jsonl*") for row in lines_of(path))


if __name__ == "__main__":
    main()

"""What think, stitch and walk take after the hits are in, beside an exact cosine search by NumPy in the same run;
and the tool `walk` whole beside `hybrid`.

python -m tests.benchmarks.walk_time DATASET LIBRARY

Times are medians over questions, each the fastest of three rounds, the ways in turn. Set OMP_NUM_THREADS=1 to time with
one thread.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np

from clew.agent.evaluation.dataset import read_dataset
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Ints, Query
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.disk import required_generation
from clew.memory.knowledge.embedding import CHUNKS, open_vectors
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.library_ports import Search
from clew.memory.knowledge.question import MatchParameters
from clew.memory.knowledge.walking.walker import Walker, hits_of
from clew.tools.base import encode_query
from clew.tools.hybrid import Hybrid
from clew.tools.walk import Walk
from tests.benchmarks.measuring import K, exact, medians, paths, show

QUESTIONS = 100
EXACT, WALKED, HYBRID = "exact cosine search, NumPy", "think + stitch + walk", "`hybrid`"


def main() -> None:
    folder, library = paths(__doc__ or "", "dataset", "library")
    encoder = encoder_for(read_settings(library=library))
    queries = [encode_query(q.text, [], encoder) for q in read_dataset(folder).questions[:QUESTIONS]]
    with closing(encoder):
        report(library, encoder, queries)


def report(library: Path, encoder: CachedEncoder, queries: Sequence[Query]) -> None:
    vectors = np.array(open_vectors(required_generation(library), CHUNKS))
    with open_library(library, encoder) as opened:
        times = timed(opened.store, partial(exact, vectors), queries)
    rows = [(name, f"{ms:.2f}", f"{ms / times[EXACT]:.2f}", f"{ms / times[HYBRID]:.2f}") for name, ms in times.items()]
    show(f"{len(vectors)} nodes, {len(queries)} questions", ("", "ms", "of exact", "of hybrid"), rows)


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


if __name__ == "__main__":
    main()

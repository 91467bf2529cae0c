"""The methods of `clew partition` on one library: what each makes of its graph, and how long that takes.

python -m tests.benchmarks.partitions LIBRARY

`hybrid, as in the seed` has no weights by meaning, and packs only what is under half of a partition. Seconds are of the
processor, for the labels alone, from the graph and the vectors as they are on disk. The glue is named at the end.
"""

import resource
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from time import process_time

from clew.memory.datatypes import Vectors
from clew.memory.knowledge.disk import required_generation
from clew.memory.knowledge.embedding import CHUNKS, open_vectors
from clew.memory.knowledge.partitioning import hybrid, leiden, metis
from clew.memory.knowledge.partitioning.building import assembled
from clew.memory.knowledge.partitioning.graph import read_graph
from clew.memory.knowledge.partitioning.labels import Labels, numbered
from clew.memory.knowledge.partitioning.merging import merged
from clew.memory.knowledge.partitioning.packing import packed
from clew.memory.knowledge.partitioning.splitting import split
from clew.memory.knowledge.partitioning.wanted import SIZE, Wanted, wanted_of
from clew.memory.nodes import NodeGraph
from tests.benchmarks.inputs import paths


def main() -> None:
    (library,) = paths(__doc__ or "", "LIBRARY")
    generation = required_generation(library)
    graph, vectors = read_graph(generation), open_vectors(generation, CHUNKS)
    k = metis.parts_for(graph.count, SIZE)
    methods: dict[str, tuple[Wanted, Callable[[], Labels]]] = {
        "hybrid": (Wanted(), lambda: hybrid.partition(graph, vectors, SIZE)),
        "hybrid, as in the seed": (Wanted(), lambda: as_in_the_seed(graph, vectors)),
        "metis": (wanted_of("metis"), lambda: metis.partition(graph, SIZE)),
        f"metis, k {k}": (wanted_of("metis", k=k), lambda: metis.partition_into(graph, k)),
        "leiden": (wanted_of("leiden"), lambda: leiden.partition(graph)),
        f"leiden, k {k}": (wanted_of("leiden", k=k), lambda: leiden.partition_into(graph, vectors, k)),
    }
    print("| | partitions | sizes | median | edges cut | coherence | lift | glue | CPU s |")
    print("|---|---|---|---|---|---|---|---|---|")
    glue: dict[str, list[int]] = {}
    for name, (wanted, labels_of) in methods.items():
        started = process_time()
        labels = labels_of()
        seconds = process_time() - started
        made = assembled(graph, vectors, wanted, labels, (("", "") for _ in range(graph.count)))
        report, glue[name] = made.report, made.partitioning.glue.tolist()
        print(
            f"| {name} | {report['partitions']} | {report['smallest']}-{report['largest']} | {report['median']:g}"
            f" | {report['edge_cut']:.3f} | {report['coherence']:.3f} | {report['lift']:.2f} | {report['glue']}"
            f" | {seconds:.1f} |"
        )
        sys.stdout.flush()
    print(f"{report['components']} components, {report['alone']} nodes without an edge, {report['hubs']} hubs")
    print("glue of hybrid:", "; ".join(titles(generation, glue["hybrid"])))
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB at most")


def titles(generation: Path, rows: Sequence[int]) -> list[str]:
    with closing(sqlite3.connect(generation / "library.sqlite")) as database:
        found = "SELECT d.title FROM chunks c JOIN documents d ON d.id = c.document WHERE c.row = ?"
        return [database.execute(found, (row,)).fetchone()[0] for row in rows]


def as_in_the_seed(graph: NodeGraph, vectors: Vectors) -> Labels:
    adjacency, small = graph.adjacency(), SIZE // 2
    labels = numbered(merged(numbered(leiden.communities(adjacency)), vectors, SIZE, small))
    return numbered(packed(numbered(split(adjacency, labels, SIZE)), vectors, SIZE, small))


if __name__ == "__main__":
    main()

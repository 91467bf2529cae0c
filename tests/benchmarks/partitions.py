"""The methods of `clew partition` on one library: what each makes of its graph, and how long that takes.

python -m tests.benchmarks.partitions LIBRARY

`hybrid, as in the seed` has no weights by meaning, and packs only what is under half of a partition. Seconds are of the
processor, for the labels alone, from the graph and the vectors as they are on disk. The hub nodes are named at the end.
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
from clew.memory.knowledge.partitioning import methods
from clew.memory.knowledge.partitioning.capsule import SIZE, PartitionPlan, plan_of
from clew.memory.knowledge.partitioning.methods import merged, packed, split
from clew.memory.knowledge.partitioning.node_graph import read_graph
from clew.memory.knowledge.partitioning.partitioner import capsule_of
from clew.memory.nodes import NodeGraph, PartitionLabels, numbered
from tests.benchmarks.inputs import paths


def main() -> None:
    (library,) = paths(__doc__ or "", "LIBRARY")
    generation = required_generation(library)
    graph, vectors = read_graph(generation), open_vectors(generation, CHUNKS)
    k = methods.parts_for(graph.count, SIZE)
    ways: dict[str, tuple[PartitionPlan, Callable[[], PartitionLabels]]] = {
        "hybrid": (PartitionPlan(), lambda: methods.hybrid_partition(graph, vectors, SIZE)),
        "hybrid, as in the seed": (PartitionPlan(), lambda: as_in_the_seed(graph, vectors)),
        "metis": (plan_of("metis"), lambda: methods.metis_partition(graph, SIZE)),
        f"metis, k {k}": (plan_of("metis", k=k), lambda: methods.metis_partition_into(graph, k)),
        "leiden": (plan_of("leiden"), lambda: methods.leiden_partition(graph)),
        f"leiden, k {k}": (plan_of("leiden", k=k), lambda: methods.leiden_partition_into(graph, vectors, k)),
    }
    print("| | partitions | sizes | median | edges cut | coherence | lift | hub nodes | CPU s |")
    print("|---|---|---|---|---|---|---|---|---|")
    hub_nodes: dict[str, list[int]] = {}
    for name, (plan, labels_of) in ways.items():
        started = process_time()
        labels = labels_of()
        seconds = process_time() - started
        made = capsule_of(graph, vectors, plan, labels, (("", "") for _ in range(graph.count)), [""] * graph.count)
        report, hub_nodes[name] = made.report, made.partitioning.hub_nodes.tolist()
        print(
            f"| {name} | {report['partitions']} | {report['smallest']}-{report['largest']} | {report['median']:g}"
            f" | {report['edge_cut']:.3f} | {report['coherence']:.3f} | {report['lift']:.2f} | {report['hub_nodes']}"
            f" | {seconds:.1f} |"
        )
        sys.stdout.flush()
    print(
        f"{report['components']} components, {report['alone']} nodes without an edge, "
        f"{report['high_degree']} nodes of exceptional degree"
    )
    print("hub nodes of hybrid:", "; ".join(titles(generation, hub_nodes["hybrid"])))
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB at most")


def titles(generation: Path, rows: Sequence[int]) -> list[str]:
    with closing(sqlite3.connect(generation / "library.sqlite")) as database:
        found = "SELECT d.title FROM chunks c JOIN documents d ON d.id = c.document WHERE c.row = ?"
        return [database.execute(found, (row,)).fetchone()[0] for row in rows]


def as_in_the_seed(graph: NodeGraph, vectors: Vectors) -> PartitionLabels:
    adjacency, small = graph.adjacency(), SIZE // 2
    labels = numbered(merged(numbered(methods.communities(adjacency)), vectors, SIZE, small))
    return numbered(packed(numbered(split(adjacency, labels, SIZE)), vectors, SIZE, small))


if __name__ == "__main__":
    main()

"""What the graph of all of a library on a cluster takes in a process of its own: what looks at all (overviews, other
aligners than votes) reads it once, up to `WHOLE` chunks.

python -m tests.benchmarks.cluster_whole ADDRESS [ADDRESS ...]

Made libraries of any size: `python -m tests.benchmarks.cluster grow`.
"""

import re
import sys
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

from clew.memory.knowledge.cluster.cluster_store import open_cluster
from clew.memory.knowledge.cluster.connection import ClusterAddress, address

ARRAYS = "layers", "vectors", "smoothed", "nodes", "cells", "partitioning", "titles", "spans"


def main() -> None:
    for place in map(address, sys.argv[1:]):
        process = get_context("spawn").Process(target=read, args=(place,))
        process.start()
        process.join()


def read(where: ClusterAddress) -> None:
    store = open_cluster(where)
    _ = store.statistics, store.catalogue
    held, had, started = memory("VmRSS"), store.cluster.bytes, perf_counter()
    graph = store.part()
    for name in ARRAYS:
        getattr(graph, name)
    seconds, size = perf_counter() - started, (store.cluster.bytes - had) / 1e6
    more, most = memory("VmRSS") - held, memory("VmHWM")
    print(f"{store.manifest.chunks:,} chunks: {seconds:.1f} s, {size:.0f} MB read, {more} MiB more, {most} MiB at most")


def memory(kind: str) -> int:
    """MiB."""
    status = Path("/proc/self/status").read_text("ascii")
    (held,) = re.findall(rf"{kind}:\s+(\d+) kB", status)
    return int(held) // 1024


if __name__ == "__main__":
    main()

"""Small graphs, partitionings and libraries to walk in."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from clew.memory.datatypes import Ints
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.library import Library, open_library
from clew.memory.knowledge.nodes import NodeGraph, Partitioning, cells_of
from clew.memory.knowledge.walking.walker import Stitched, stitch
from tests.memory.knowledge.index.test_run import run


def graph_of(count: int, edges: Sequence[tuple[int, int, int, float]], relations: tuple[str, ...]) -> NodeGraph:
    """Edges as source, target, kind and weight, in order."""
    rows = sorted(edges)
    sources, targets, kinds = (np.array([row[i] for row in rows], np.int64) for i in range(3))
    weights = np.array([row[3] for row in rows], np.float32)
    return NodeGraph(count, sources, targets, kinds, weights, relations)


def partitioning_of(of_node: Sequence[int], hub_nodes: Sequence[int] = ()) -> Partitioning:
    count = max(of_node, default=-1) + 1
    centroids = np.eye(max(count, 1), dtype=np.float32)[:count]
    names = tuple(f"topic {number}" for number in range(count))
    return Partitioning("hybrid", 200, ints(of_node), names, centroids, ints(hub_nodes))


def stitched_of(
    graph: NodeGraph, of_node: Sequence[int], chosen: Sequence[int], hub_nodes: Sequence[int] = ()
) -> Stitched:
    partitioning = partitioning_of(of_node, hub_nodes)
    return stitch(ints(chosen), partitioning, cells_of(graph, partitioning), graph)


def ints(numbers: Sequence[int]) -> Ints:
    return np.array(numbers, np.int64)


def library_of(folder: Path, texts: dict[str, str], encoder: CachedEncoder) -> Library:
    """Of a corpus of texts by title."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [json.dumps({"_id": title, "title": title, "text": text}) for title, text in texts.items()]
    (folder / "corpus.jsonl").write_text("\n".join(rows), "utf-8")
    return indexed(folder / "corpus.jsonl", folder / "library", encoder)


def graph_library_of(
    folder: Path, texts: dict[str, str], edges: Sequence[tuple[str, str, str]], encoder: CachedEncoder
) -> Library:
    """Of a graph folder: no sentences."""
    (folder / "graph").mkdir(parents=True)
    nodes = [json.dumps({"id": title, "title": title, "text": text}) for title, text in texts.items()]
    joined = [json.dumps({"source": source, "target": target, "relation": name}) for source, name, target in edges]
    (folder / "graph" / "nodes.jsonl").write_text("\n".join(nodes), "utf-8")
    (folder / "graph" / "edges.jsonl").write_text("\n".join(joined), "utf-8")
    return indexed(folder / "graph", folder / "library", encoder)


def indexed(source: Path, library: Path, encoder: CachedEncoder) -> Library:
    assert not run([source], library, encoder).failed
    return open_library(library, encoder)

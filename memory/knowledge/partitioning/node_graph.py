"""The graph of a generation's nodes: edges of graph folders, and what joins chunks in every library.

edge of a graph folder    from a document's first chunk to another's
next                      to the chunk that goes on with the same document
title link                to the first chunk of a document whose title the chunk names
shared entity             between two chunks, by the sum of 1 / df over the entities that both name
"""

import sqlite3
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Ints
from clew.memory.files import new_file, read_arrays, within
from clew.memory.knowledge.embedding import CHUNKS, open_vectors
from clew.memory.layers import Layers
from clew.memory.nodes import NEXT, SHARED, TITLE_LINK, NodeGraph, Weights
from clew.memory.vectors import Ragged, check_places

FILE = "nodes.npz"

MOST = 50
"""An entity of more chunks, or a title of more documents, joins none."""

STRONGEST = 20
"""Edges by shared entities that a chunk keeps; an edge stays where either of its ends keeps it."""

FIRST_CHUNKS = "SELECT document, min(row) FROM chunks GROUP BY document"
EDGES = "SELECT DISTINCT source, target, relation FROM edges ORDER BY relation"


class _Part(NamedTuple):
    """Edges of one relation; an edge may be there twice."""

    relation: str
    sources: Ints
    targets: Ints
    weights: Weights


def write_graph(database: sqlite3.Connection, folder: Path, layers: Layers) -> NodeGraph:
    """Of a generation whose chunks and layers are numbered; writes the file that `read_graph` reads."""
    graph = graph_of(layers, _folder_edges(database))
    np.savez(
        new_file(folder, FILE),
        count=np.int64(graph.count),
        ends=np.stack([graph.sources, graph.targets]).astype(np.int32),
        kinds=graph.kinds.astype(np.int32),
        weights=graph.weights,
        relations=np.array(graph.relations, dtype=np.str_),
    )
    return graph


def read_graph(folder: Path) -> NodeGraph:
    """Raises what a broken file raises (`disk.BROKEN`)."""
    arrays = read_arrays(within(folder, FILE))
    sources, targets = arrays["ends"].astype(np.int64)
    relations = tuple(str(name) for name in arrays["relations"])
    kinds, weights = arrays["kinds"].astype(np.int64), arrays["weights"]
    count = len(open_vectors(folder, CHUNKS))
    check_places(count, sources, targets)
    check_places(len(relations), kinds)
    if not int(arrays["count"]) == count or not len(sources) == len(kinds) == len(weights):
        raise ValueError(f"the graph is not of {count} nodes")
    return NodeGraph(count, sources, targets, kinds, weights, relations)


def graph_of(layers: Layers, given: list[_Part]) -> NodeGraph:
    """`given` are the edges of graph folders; their relations may have the names of ours."""
    count = len(layers.chunk_ids)
    parts = [part for part in [*given, _next(layers), _titles(layers), _shared(layers)] if len(part.sources)]
    relations = tuple(dict.fromkeys(part.relation for part in parts))
    if not parts:
        none = np.zeros(0, np.int64)
        return NodeGraph(count, none, none, none, np.zeros(0, np.float32), ())
    kinds = np.concatenate([np.full(len(part.sources), relations.index(part.relation)) for part in parts])
    sources, targets = (np.concatenate([part[end] for part in parts]) for end in (1, 2))
    weights = np.concatenate([part.weights for part in parts])
    _, first = np.unique((sources * count + targets) * len(relations) + kinds, return_index=True)
    return NodeGraph(count, sources[first], targets[first], kinds[first], weights[first], relations)


def _folder_edges(database: sqlite3.Connection) -> list[_Part]:
    """Between documents that the library has, by relation; none from a document to itself."""
    rows = dict(database.execute(FIRST_CHUNKS))
    ends: dict[str, list[int]] = {}
    for source, target, relation in database.execute(EDGES):
        if source != target and source in rows and target in rows:
            ends.setdefault(relation, []).extend((rows[source], rows[target]))
    return [_part(relation, *np.array(pairs, np.int64).reshape(-1, 2).T) for relation, pairs in ends.items()]


def _next(layers: Layers) -> _Part:
    before = np.flatnonzero(layers.chunk_documents[1:] == layers.chunk_documents[:-1])
    return _part(NEXT, before, before + 1)


def _titles(layers: Layers) -> _Part:
    """From the chunks whose sentences name a title to the documents that bear it."""
    titled = np.flatnonzero(layers.titles >= 0)
    bearing = Ragged.grouped(layers.titles[titled], len(layers.entities), titled)
    joining = np.diff(bearing.starts)[layers.mentions[1]] <= MOST
    documents, mentions = bearing.of(layers.mentions[1][joining])
    sources = layers.sentence_chunks[layers.mentions[0][joining][mentions]]
    targets = np.searchsorted(layers.chunk_documents, documents)  # chunks are in the order of their documents
    apart = sources != targets
    return _part(TITLE_LINK, sources[apart], targets[apart])


def _shared(layers: Layers) -> _Part:
    """From the lower end, the strongest of each chunk, ties by number. A sum above 1 counts as 1."""
    sums = layers.shared_entities(MOST).tocoo()
    order = np.lexsort((sums.col, -np.round(sums.data, 6), sums.row))
    rows, columns, weights = sums.row[order].astype(np.int64), sums.col[order].astype(np.int64), sums.data[order]
    starts = np.searchsorted(rows, np.arange(len(layers.chunk_ids)))
    kept = np.arange(len(rows)) - starts[rows] < STRONGEST
    lower, upper = np.minimum(rows, columns)[kept], np.maximum(rows, columns)[kept]
    return _Part(SHARED, lower, upper, weights[kept].clip(max=1).astype(np.float32))


def _part(relation: str, sources: Ints, targets: Ints) -> _Part:
    ones: NDArray[np.float32] = np.ones(len(sources), np.float32)
    return _Part(relation, sources, targets, ones)

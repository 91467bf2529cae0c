"""From the layers of a generation to the graph of its nodes, and from that and the vectors to a capsule: labels by the
planned method, and all that goes with them.

The graph has the edges of graph folders, and what joins chunks in every library:

edge of a graph folder    from a document's first chunk to another's
next                      to the chunk that goes on with the same document
title link                to the first chunk of a document whose title the chunk names
shared entity             between two chunks, by the sum of 1 / df over the entities that both name
"""

import sqlite3
from collections import defaultdict
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing
from itertools import chain, count, pairwise
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.memory import files
from clew.memory.datatypes import Float32s, Ints, Progress, Vectors
from clew.memory.files import new_file, within
from clew.memory.knowledge import disk
from clew.memory.knowledge.arrays import Ragged, check_places, read_arrays, sole_values
from clew.memory.knowledge.disk import BROKEN, held, naming_damage, open_database, required_generation
from clew.memory.knowledge.embedding import CHUNKS, open_vectors, titles_and_texts
from clew.memory.knowledge.layers import Layers
from clew.memory.knowledge.nodes import (
    NEXT,
    SHARED,
    TITLE_LINK,
    Cells,
    NodeGraph,
    Partitioning,
    PartitionLabels,
    cells_of,
    numbered,
    paired_cosines,
    sums_of,
)
from clew.memory.knowledge.partitioning import methods
from clew.memory.knowledge.partitioning.capsule import Capsule, PartitionPlan, capsules, read_capsule, write_capsule
from clew.memory.knowledge.proof import record_partitions
from clew.memory.text import stems_and_words, without_possessive, written_words
from clew.memory.vectors import unit

FILE = "nodes.npz"

MOST = 50
"""An entity of more chunks, or a title of more documents, joins none."""

STRONGEST = 20
"""Edges by shared entities that a chunk keeps; an edge stays where either of its ends keeps it."""

FIRST_CHUNKS = "SELECT document, min(row) FROM chunks GROUP BY document"
EDGES = "SELECT DISTINCT source, target, relation FROM edges ORDER BY relation"


class _Part(NamedTuple):
    """The edges of one relation, possibly with repetitions."""

    relation: str
    sources: Ints
    targets: Ints
    weights: Float32s


def write_graph(database: sqlite3.Connection, folder: Path, layers: Layers) -> NodeGraph:
    """Make the graph of a generation whose chunks and layers are numbered, and write the file that `read_graph`
    reads."""
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
    """Read the graph of a generation. A damaged file raises `disk.BROKEN`."""
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
    """Make the graph of the layers. `given` are the edges of graph folders, whose relations may be named like ours."""
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
    """Return the edges of graph folders between documents of the library, by relation, without edges from a document to
    itself."""
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
    """Return the edges from chunks whose sentences name a title to the documents with that title."""
    titled = np.flatnonzero(layers.titles >= 0)
    bearing = Ragged.grouped(layers.titles[titled], len(layers.entities), titled)
    joining = np.diff(bearing.starts)[layers.mentions[1]] <= MOST
    documents, mentions = bearing.of(layers.mentions[1][joining])
    sources = layers.sentence_chunks[layers.mentions[0][joining][mentions]]
    targets = np.searchsorted(layers.chunk_documents, documents)  # chunks are in the order of their documents
    apart = sources != targets
    return _part(TITLE_LINK, sources[apart], targets[apart])


def _shared(layers: Layers) -> _Part:
    """Return the strongest edges of each chunk by shared entities, from the lower number to the higher. A sum above 1
    counts as 1; of equals the lower number wins."""
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


def build_capsule(
    database: sqlite3.Connection, generation: Path, graph: NodeGraph, plan: PartitionPlan
) -> Generator[Progress, None, Capsule]:
    """Partition a generation that has its graph and its vectors; return the capsule."""
    stage = f"partitioning {plan.name}"
    yield Progress(stage, 0, 2)
    vectors = open_vectors(generation, CHUNKS)
    labels = labels_of(graph, vectors, plan)
    yield Progress(stage, 1, 2)
    texts = ((title, text) for _, title, text in titles_and_texts(database, CHUNKS))
    documents = [id_ for (id_,) in database.execute("SELECT document FROM main.chunks ORDER BY row")]
    capsule = capsule_of(graph, vectors, plan, labels, texts, documents)
    yield Progress(stage, 2, 2)
    return capsule


def partition_library(library: Path, plan: PartitionPlan) -> Generator[Progress | Capsule, None, None]:
    """Write the next generation of a library: a copy of the current one with a further capsule, which is the one in
    use. Yields progress, then the capsule.

    Raises `NoLibrary`, `LibraryBusy`, `LibraryMismatch`, or `ClewError` if the folder is damaged.
    """
    required_generation(library)
    with held(library):
        old = required_generation(library)
        parts = {entry.name for entry in old.iterdir()}
        folder, whole = disk.next_generation(library, parts), False
        try:
            with naming_damage(old):
                files.copy(old, library, folder.name)
                with closing(open_database(folder)) as database:
                    capsule = yield from build_capsule(database, folder, read_graph(folder), plan)
                write_capsule(folder, capsule, old)
                record_partitions(folder)
            whole = True
            disk.switch_to(library, folder, parts)
        finally:
            if not whole:
                files.remove(library, folder.name)
    yield capsule


def plans_before(generation: Path | None) -> list[PartitionPlan]:
    """Return the plans of a generation's capsules, the one in use last; the default plan if there are none."""
    if not generation:
        return [PartitionPlan()]
    try:
        return [read_capsule(generation, name).plan for name in capsules(generation)]
    except BROKEN:
        return [PartitionPlan()]


def labels_of(graph: NodeGraph, vectors: Vectors, plan: PartitionPlan) -> PartitionLabels:
    """Partition the graph as planned; `vectors` are those of the nodes, shape (nodes, d)."""
    match plan.method, plan.k:
        case "hybrid", _:
            return methods.hybrid_partition(graph, vectors, plan.most(graph.count))
        case "metis", 0:
            return numbered(methods.capped(graph.adjacency(), plan.size))
        case "metis", k:
            return numbered(methods.cut(graph.adjacency(), k))
        case _, 0:
            return numbered(methods.communities(graph.adjacency()))
        case _, k:
            return methods.leiden_partition_into(graph, vectors, k)


def capsule_of(
    graph: NodeGraph,
    vectors: Vectors,
    plan: PartitionPlan,
    labels: PartitionLabels,
    titles_and_texts: Iterable[tuple[str, str]],
    documents: Sequence[str],
) -> Capsule:
    """Make the capsule of these labels. `titles_and_texts` and `documents` (ids) are those of the nodes, in their
    order."""
    count = int(labels.max(initial=-1)) + 1
    centroids = unit(sums_of(labels, count, vectors))
    hub_nodes = hub_nodes_of(graph, vectors, labels, centroids)
    names = names_of(labels, count, titles_and_texts, documents)
    partitioning = Partitioning(plan.method, plan.size, labels, names, centroids, hub_nodes)
    cells = cells_of(graph, partitioning)
    return Capsule(plan, partitioning, cells, report_of(graph, partitioning, cells, vectors))


TITLE = 3
"""How many words of a text a word of a title counts."""

TERMS = 4
SHORTEST, LONGEST = 3, 24
"""Characters of a stem that can name something: shorter ones say little, longer ones are addresses or codes."""

OUTLIER = 3.5
"""Robust standard deviations of log degree above its median from which a degree is exceptional (Iglewicz and Hoaglin
1993)."""

TO_SIGMA = 1.4826
"""A median absolute deviation times this is the standard deviation, where values are normal."""

FLAT = 0.5
"""The least deviation of log degree: where most nodes have one degree, a few edges more are not exceptional."""

LOW = 0.25
"""The quantile of the graph's own cosines below which one is low."""


def report_of(graph: NodeGraph, partitioning: Partitioning, cells: Cells, vectors: Vectors) -> Mapping[str, float]:
    """Return figures of a partitioning, by name.

    `edge_cut` is the share of edges between partitions, `bridged` the number of pairs of partitions with such edges.
    `coherence` is the mean cosine of nodes to their partition's centroid, `lift` that divided by the coherence of
    random partitions of the same sizes. `components` counts those of the graph, `alone` nodes without edges,
    `high_degree` nodes of exceptional degree, `hub_nodes` those of them that are unlike all around them.
    """
    from scipy.sparse.csgraph import connected_components

    labels, count = partitioning.of_node, partitioning.count
    sizes = np.bincount(labels, minlength=count) if count else np.zeros(1, np.int64)
    between = int(np.diff(cells.edges.starts)[cells.bridges].sum())
    coherence = coherence_of(labels, count, vectors)
    chance = coherence_of(np.random.default_rng(methods.SEED).permutation(labels), count, vectors)
    return {
        "nodes": graph.count,
        "edges": len(graph.sources),
        "partitions": count,
        "smallest": int(sizes.min()),
        "median": float(np.median(sizes)),
        "mean": round(float(sizes.mean()), 1),
        "largest": int(sizes.max()),
        "edge_cut": round(between / max(1, len(graph.sources)), 4),
        "bridged": int(cells.bridges.sum()),
        "coherence": round(coherence, 4),
        "lift": round(coherence / chance, 3) if chance else 1.0,
        "components": int(connected_components(graph.adjacency(), directed=False, return_labels=False)),
        "alone": int((graph.degrees == 0).sum()),
        "high_degree": len(high_degree_nodes(graph)),
        "hub_nodes": len(partitioning.hub_nodes),
    }


def coherence_of(labels: Ints, count: int, vectors: Vectors) -> float:
    """Return the mean cosine of the nodes to their partition's centroid. (For vectors of length 1 the cosines of a
    partition sum to the length of the sum of its vectors.)"""
    if not len(labels):
        return 0.0
    return float(np.linalg.norm(sums_of(labels, count, vectors), axis=1).sum() / len(labels))


def high_degree_nodes(graph: NodeGraph) -> Ints:
    """Return the nodes of exceptional degree, ascending."""
    degrees = graph.degrees
    logs = np.log(degrees.clip(min=1))
    linked = logs[degrees > 0]
    if not len(linked):
        return np.zeros(0, np.int64)
    middle = np.median(linked)
    deviation = max(FLAT, TO_SIGMA * float(np.median(np.abs(linked - middle))))
    return np.flatnonzero(logs > middle + OUTLIER * deviation)


def hub_nodes_of(graph: NodeGraph, vectors: Vectors, labels: Ints, centroids: Vectors) -> Ints:
    """Return the hub nodes (seed 004, "partition 0"), ascending: nodes of exceptional degree whose mean cosine to their
    neighbours and whose cosine to their partition's centroid are both in the lowest quarter of the nodes with edges."""
    high = high_degree_nodes(graph)
    if not len(high):
        return high
    cosines = paired_cosines(vectors, graph.sources, vectors, graph.targets)
    sums = np.bincount(graph.sources, cosines, graph.count) + np.bincount(graph.targets, cosines, graph.count)
    near = np.asarray(sums / graph.degrees.clip(min=1), np.float32)
    whole = paired_cosines(vectors, np.arange(len(labels)), centroids, labels)
    linked = graph.degrees > 0
    low = [mine[high] < np.quantile(mine[linked], LOW) for mine in (near, whole)]
    return high[low[0] & low[1]]


def names_of(
    labels: PartitionLabels, count: int, titles_and_texts: Iterable[tuple[str, str]], documents: Sequence[str]
) -> tuple[str, ...]:
    """Name each partition by at most four terms that distinguish it, best first, by class-based tf-idf (Grootendorst
    2022, BERTopic): tf x log(1 + mean words of a partition / occurrences of the term), where a word of a title counts
    several times.

    Terms are stems, shown in their commonest spelling. Terms that stand in one document alone are put together before
    its id. A partition without terms is named by its number. `titles_and_texts` and `documents` (ids) are those of the
    nodes, in their order.
    """
    nodes, numbers, weights, words = _occurrences(titles_and_texts)
    shown, stems = _stems(words)
    kept = stems[numbers] >= 0
    nodes, numbers, weights = nodes[kept], numbers[kept], weights[kept]
    width = max(1, len(words))
    keys, groups = np.unique(labels[nodes] * width + stems[numbers], return_inverse=True)
    partitions, terms, frequency = keys // width, keys % width, np.bincount(groups.reshape(-1), weights)
    anywhere = np.bincount(terms, frequency, minlength=width)
    scores = frequency * np.log1p(frequency.sum() / max(1, count) / anywhere[terms])
    order = np.lexsort((terms, -scores.round(6), partitions))
    starts = np.searchsorted(partitions[order], np.arange(count + 1))
    best = _commonest(numbers, weights, stems)
    chosen = [terms[order[start : min(start + TERMS, end)]].tolist() for start, end in pairwise(starts)]
    sole = _sole(nodes, stems[numbers], documents, width)
    return tuple(
        _name([(shown[best[term]], sole[term]) for term in of_partition]) or f"partition {number}"
        for number, of_partition in enumerate(chosen)
    )


def _name(terms: Sequence[tuple[str, str]]) -> str:
    """Return the terms as a name. Terms of one file alone stand before it, `sea, blue/whale (whales)`, and terms that
    name such a file are left out."""
    told: dict[tuple[str, str], list[str]] = {}
    files = {PurePosixPath(document).stem.casefold() for _, document in terms if document}
    for term, document in (one for one in terms if one[1] or one[0].casefold() not in files):
        told.setdefault((PurePosixPath(document).stem, "" if document else term), []).append(term)
    return ", ".join("/".join(its) + (f" ({file})" if file else "") for (file, _), its in told.items())


def _sole(nodes: Ints, terms: Ints, documents: Sequence[str], width: int) -> list[str]:
    """Return for each term the document that alone has it; empty if several do."""
    known = {id_: number for number, id_ in enumerate(dict.fromkeys(documents))}
    of_node, ids = np.array([known[id_] for id_ in documents], np.int64), list(known)
    return [ids[one] if one >= 0 else "" for one in sole_values(terms, of_node[nodes], width).tolist()]


def _occurrences(titles_and_texts: Iterable[tuple[str, str]]) -> tuple[Ints, Ints, Ints, list[str]]:
    """Return for each word that occurs its node, its number and its weight, all of shape (occurrences,); and the words
    by number."""
    found = [written_words(field) for fields in titles_and_texts for field in fields]
    lengths = [len(of_field) for of_field in found]
    known: defaultdict[str, int] = defaultdict(count().__next__)
    numbers = np.fromiter(map(known.__getitem__, chain.from_iterable(found)), np.int64, sum(lengths))
    fields = np.repeat(np.arange(len(found)), lengths)
    return fields // 2, numbers, np.where(fields % 2, 1, TITLE), list(known)


def _stems(words: Sequence[str]) -> tuple[list[str], Ints]:
    """Return for each word how it is shown, and the number of its stem; -1 for a word that cannot be part of a name."""
    shown, stems, known = list(map(without_possessive, words)), [], dict[str, int]()
    stem_of = {bare: stem for stem, bare in stems_and_words(" ".join(words))}
    for bare in shown:
        stem = stem_of.get(bare, "")
        naming = SHORTEST <= len(stem) <= LONGEST and not stem.isdigit()
        stems.append(known.setdefault(stem, len(known)) if naming else -1)
    return shown, np.array(stems, np.int64)


def _commonest(numbers: Ints, weights: Ints, stems: Ints) -> dict[int, int]:
    """Return for each stem its commonest word; of equally common ones the first."""
    times = np.bincount(numbers, weights, minlength=len(stems))
    order = np.lexsort((np.arange(len(stems)), -times, stems))
    found, first = np.unique(stems[order], return_index=True)
    return dict(zip(found.tolist(), order[first].tolist(), strict=True))

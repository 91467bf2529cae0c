"""The stage of `clew index` that makes the communities, after the sentences are embedded, and what reads them again."""

import hashlib
import json
import sqlite3
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Ints, Progress, Vectors
from clew.memory.errors import ServiceUnreachable
from clew.memory.files import mapped, new_file, read_array, within
from clew.memory.knowledge.communities.entity_graph import (
    DIGITS,
    Links,
    entity_vectors,
    links_of,
    named_in_sentences,
    standing_for,
    weighted_graph,
)
from clew.memory.knowledge.communities.reports import Extract, ReportMaterial, extracts, write
from clew.memory.knowledge.embedding import SENTENCES, open_vectors, titles_and_texts
from clew.memory.knowledge.partitioning.methods import optimised
from clew.memory.layers import BY_EXTRACTION, Communities, Community, DetectionParameters, Layers
from clew.memory.nodes import sums_of
from clew.memory.ports import Encoder, Writer
from clew.memory.vectors import Ragged, highest, unit

ROWS = 1024
"""Clusters whose cosines with all others are held at once: all with all would take the square of their number."""

RESOLUTIONS = (4.0, 3.0, 2.0, 1.5, 1.0, 0.7, 0.5, 0.3, 0.2, 0.1)
"""Of modularity, from many themes to few: the first that gives no more than can be read is taken."""


def detect(links: Links, vectors: Vectors, parameters: DetectionParameters, standing: Sequence[int] = ()) -> list[Ints]:
    """The levels, coarsest first, each nested in the one before: of each entity the number of its cluster, from 0, or
    -1 for none, of shape (entities,). `vectors` are the entities', of shape (entities, d).

    An entity without a link is in no community, but for those of `standing` (`standing_for`).
    """
    linked = np.unique(np.concatenate([links.ends.reshape(-1), np.array(standing, np.int64)]))
    if not len(linked):
        return []
    found = cluster(links.among(linked), parameters)
    found = _fragments_joined(found, vectors[linked], parameters.smallest, parameters.alike)
    levels = [found]
    if (np.bincount(found) > parameters.largest).any():
        levels.append(_divided(found, links.among(linked), vectors[linked], parameters))
    if found.max() >= parameters.readable:
        levels.insert(0, _themes(found, links.among(linked), vectors[linked], parameters))
    everywhere = np.full((len(levels), links.nodes), -1, np.int64)
    everywhere[:, linked] = levels
    return list(everywhere)


def cluster(links: Links, parameters: DetectionParameters, resolution: float = 1.0) -> Ints:
    """Clusters numbered by size, then by their first node."""
    if parameters.method == "louvain":
        return numbered(_louvain(links, parameters, resolution))
    iterations, seed = parameters.iterations, parameters.seed
    return numbered(optimised(links.nodes, links.ends, links.weights, resolution, iterations, seed))


def numbered(labels: Ints) -> Ints:
    """The same clusters, the biggest first, of equally big ones that with the lowest node."""
    _, first, inverse, sizes = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    order = np.lexsort((first, -sizes))
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.arange(len(order))
    return numbers[inverse.reshape(-1)]


def _louvain(links: Links, parameters: DetectionParameters, resolution: float) -> Ints:
    import networkx as nx

    graph = weighted_graph(links)
    labels = np.empty(links.nodes, np.int64)
    found = nx.community.louvain_communities(graph, weight="weight", resolution=resolution, seed=parameters.seed)
    for number, nodes in enumerate(found):
        labels[list(nodes)] = number
    return labels


def _fragments_joined(labels: Ints, vectors: Vectors, smallest: int, alike: float = -1.0) -> Ints:
    """What is too small for a report joins the cluster whose mean is nearest, where it is as near as `alike`; else
    a fragment before it that is; else it stands for itself."""
    sizes, means = np.bincount(labels), centroids(labels, vectors)
    whole, small, joined = np.flatnonzero(sizes >= smallest), np.flatnonzero(sizes < smallest), np.arange(len(sizes))
    alone = [small]
    if len(whole):
        alone = []
        for start in range(0, len(small), ROWS):
            some = small[start : start + ROWS]
            cosines = np.round(means[some] @ means[whole].T, 4)
            near = cosines.max(axis=1) >= alike
            joined[some[near]] = whole[cosines[near].argmax(axis=1)]
            alone.append(some[~near])
    standing: list[int] = []
    stood = np.empty_like(means)
    for fragment in np.concatenate([small[:0], *alone]).tolist():
        to = np.round(stood[: len(standing)] @ means[fragment], 4)
        if len(to) and to.max() >= alike:
            joined[fragment] = standing[int(to.argmax())]
        else:
            stood[len(standing)] = means[fragment]
            standing.append(fragment)
    return numbered(joined[labels])


def centroids(labels: Ints, vectors: Vectors) -> Vectors:
    """The mean of each cluster's entities, of unit length; shape (clusters, d)."""
    return unit(sums_of(labels, int(labels.max()) + 1, vectors))


def _divided(labels: Ints, links: Links, vectors: Vectors, parameters: DetectionParameters) -> Ints:
    """Every cluster that is too big by itself, once more and again; one that does not divide stays."""
    finer, count = labels.copy(), int(labels.max()) + 1
    waiting = _parts(labels, links, parameters.largest)
    while waiting:
        name, nodes, among = waiting.pop(0)
        inner = _fragments_joined(cluster(among, parameters), vectors[nodes], parameters.smallest)
        if not inner.max():
            continue
        names = np.concatenate([[name], np.arange(count, count + inner.max())])  # its own, and new ones
        finer[nodes] = names[inner]
        parts = _parts(inner, among, parameters.largest)
        waiting += [(int(names[part]), nodes[of_part], inside) for part, of_part, inside in parts]
        count += int(inner.max())
    return finer


def _parts(labels: Ints, links: Links, largest: int) -> list[tuple[int, Ints, Links]]:
    """The clusters of more than `largest` nodes, each with its nodes and the links among them."""
    of = labels[links.ends]
    inside = np.flatnonzero(of[0] == of[1])
    by_cluster = Ragged.grouped(of[0][inside], int(labels.max()) + 1, inside)
    parts = []
    for label in np.flatnonzero(np.bincount(labels) > largest).tolist():
        nodes, its = np.flatnonzero(labels == label), by_cluster.row(label)
        ends = np.searchsorted(nodes, links.ends[:, its])
        parts.append((label, nodes, Links(len(nodes), ends, links.weights[its])))
    return parts


def _themes(labels: Ints, links: Links, vectors: Vectors, parameters: DetectionParameters) -> Ints:
    """Clusters of clusters, by the links between them and by what is near in meaning: as many as can be read."""
    tied = _ties(labels, links, vectors, parameters)
    found = labels
    for resolution in RESOLUTIONS:
        found = cluster(tied, parameters, resolution)
        if found.max() < parameters.readable:
            break
    return found[labels]


def _ties(labels: Ints, links: Links, vectors: Vectors, parameters: DetectionParameters) -> Links:
    """Between clusters: their links as a share of what the busier of both has, and the cosine of near ones."""
    from scipy.sparse import coo_array, diags_array, triu

    count, ends = int(labels.max()) + 1, labels[links.ends]
    apart, shape = ends[0] != ends[1], (count, count)
    one_way = coo_array((links.weights[apart], ends[:, apart]), shape=shape).tocsr()
    between = one_way + one_way.T
    scale = diags_array(1 / np.sqrt(np.asarray(between.sum(axis=1)).reshape(-1).clip(1e-9)))
    near, cosines = _nearest(centroids(labels, vectors), min(parameters.near, count - 1))
    rows = np.repeat(np.arange(count), near.shape[1])
    meant = coo_array((cosines.reshape(-1).clip(0), (rows, near.reshape(-1))), shape=shape).tocsr()
    tied = triu(scale @ between @ scale + parameters.meaning * meant.maximum(meant.T), 1).tocsr()
    tied.data = np.round(tied.data, DIGITS)
    tied.eliminate_zeros()
    tied.sort_indices()
    found = tied.tocoo()
    return Links(count, np.stack([found.row, found.col]).astype(np.int64), found.data)


def _nearest(means: Vectors, k: int) -> tuple[Ints, NDArray[np.float64]]:
    """The k others nearest to each, best first, and their cosines; both of shape (len(means), k)."""
    near, cosines = np.empty((len(means), k), np.int64), np.empty((len(means), k))
    for start in range(0, len(means), ROWS):
        to = np.round(means[start : start + ROWS] @ means.T, 4)
        for row, its in enumerate(to, start):
            its[row] = -2  # less than any cosine
            near[row] = highest(its, k)
            cosines[row] = its[near[row]]
    return near, cosines


# The communities of a generation -------------------------------------------------------------------------------------

VECTORS = "communities.npy"
STAGE = "finding communities"
WRITING_STAGE = "writing reports"

SLICE = 64
"""Reports embedded between two reports of progress."""


@dataclass(frozen=True, slots=True)
class _Made:
    """A community before its report: `digest` is of what the report is made from."""

    extract: Extract
    first: int
    last: int
    parent: int

    @property
    def digest(self) -> bytes:
        content = [list(said) for said in (self.extract.names, self.extract.relations, self.extract.sentences)]
        return hashlib.sha256(json.dumps(content).encode()).digest()


def build(
    database: sqlite3.Connection,
    folder: Path,
    old: Path | None,
    encoder: Encoder,
    layers: Layers,
    parameters: DetectionParameters,
    writer: Writer | None = None,
) -> Generator[Progress, None, list[str]]:
    """Write the table and the vectors, of shape (communities, d); returns notes. The old generation is attached.

    The vector of an extract is the mean of its entities, which are means of sentences: nothing is encoded for it, and
    it finds at least as much as the extract's own embedding.
    """
    yield Progress(STAGE, 0, 1)
    made, vectors = _communities(database, layers, open_vectors(folder, SENTENCES), parameters)
    yield Progress(STAGE, 1, 1)
    by_models = "SELECT digest, report, author FROM old.communities WHERE author != ?"
    before = database.execute(by_models, (BY_EXTRACTION,)) if old else ()
    known = {digest: (_as_written(report), author) for digest, report, author in before}
    reports, notes = yield from _reports(made, known, writer)
    for n, one in enumerate(made):
        text, author = reports[n]
        report = _with_documents(text, one.extract) if author != BY_EXTRACTION else text
        row = (n, one.extract.name, report, author, one.first, one.last, one.parent, json.dumps(one.extract.entities))
        database.execute("INSERT INTO main.communities VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (*row, one.digest))
    database.commit()
    yield from _embed(database, vectors, old, encoder)
    np.save(new_file(folder, VECTORS), vectors)
    return notes


def _communities(
    database: sqlite3.Connection, layers: Layers, sentences: Vectors, parameters: DetectionParameters
) -> tuple[list[_Made], Vectors]:
    """With the mean of each one's entities, of shape (communities, d). `sentences`: the vectors of sentences."""
    if not len(sentences):
        return [], np.zeros((0, sentences.shape[1]), np.float32)
    named = named_in_sentences(layers)
    vectors, links = entity_vectors(named, sentences), links_of(layers, named)
    texts = [text for _, _, text in titles_and_texts(database, SENTENCES)]
    of_what = ReportMaterial(layers, links, vectors, sentences, texts)
    levels = detect(links, vectors, parameters, standing_for(layers, links))
    made = _hierarchy(levels, [list(extracts(of_what, labels)) for labels in levels])
    sums = [vectors[list(one.extract.entities)].sum(axis=0) for one in made]
    return made, unit(np.array(sums, np.float32).reshape(-1, sentences.shape[1]))


def _hierarchy(levels: Sequence[Ints], found: Sequence[Sequence[Extract]]) -> list[_Made]:
    """The communities of all levels; one that is the same as its parent is its parent."""
    made: list[_Made] = []
    above: list[int] = []
    for level, of_level in enumerate(found):
        numbers = []
        for extract in of_level:
            parent = above[levels[level - 1][extract.entities[0]]] if level else -1
            if level and len(made[parent].extract.entities) == len(extract.entities):
                made[parent] = replace(made[parent], last=level)
                numbers.append(parent)
            else:
                numbers.append(len(made))
                made.append(_Made(extract, level, level, parent))
        above = numbers
    return made


def _reports(
    made: Sequence[_Made], known: Mapping[bytes, tuple[str, str]], writer: Writer | None
) -> Generator[Progress, None, tuple[list[tuple[str, str]], list[str]]]:
    """Report and author of each, and notes. `known` has the old generation's by digest: a report that a model wrote of
    the same content is kept."""
    extracts_ = [(one.extract.report, BY_EXTRACTION) for one in made]
    reports = [known.get(one.digest, extract) for one, extract in zip(made, extracts_, strict=True)]
    if writer is None:
        return reports, []
    faults, unreachable = list[str](), ""
    for n, one in enumerate(made):
        if reports[n][1] == writer.name:
            continue
        report, why = "", unreachable
        if not unreachable:
            yield Progress(WRITING_STAGE, n, len(made))
            try:
                report, why = write(one.extract, writer, {report for report, _ in reports[:n]})
            except ServiceUnreachable as error:
                why = unreachable = error.message
        reports[n] = (report, writer.name) if report else extracts_[n]
        faults += [why] if why else []
    yield Progress(WRITING_STAGE, len(made), len(made))
    if not faults:
        return reports, []
    failed = f"{len(faults)} of {len(made)} community reports are extracts"
    return reports, [f"{failed}, as {writer.name} failed: {faults[0]}"]


FROM = " From: "
"""What stands in a report that a model wrote before the documents that it is from."""


def _with_documents(report: str, extract: Extract) -> str:
    """What a model wrote, with the documents that it was written from."""
    documents = (*extract.sentences.values(), *extract.relations.values(), *extract.names.values())
    return f"{report}{FROM}{', '.join(filter(None, dict.fromkeys(documents)))}."


def _as_written(report: str) -> str:
    return report.rpartition(FROM)[0] or report


def _embed(database: sqlite3.Connection, vectors: Vectors, old: Path | None, encoder: Encoder) -> Iterator[Progress]:
    """Put the embeddings of the reports that a model wrote where the means stand."""
    by_models = "SELECT number, report FROM main.communities WHERE author != ? ORDER BY number"
    missing = dict(database.execute(by_models, (BY_EXTRACTION,)).fetchall())
    if missing and old:
        before: Vectors = mapped(within(old, VECTORS))
        same = "SELECT n.number, min(o.number) FROM main.communities n JOIN old.communities o USING (report, author)"
        for number, there in database.execute(f"{same} WHERE author != ? GROUP BY n.number", (BY_EXTRACTION,)):
            vectors[number] = before[there]
            del missing[number]
    for start in range(0, len(missing), SLICE):
        yield Progress("embedding reports", start, len(missing))
        part = list(missing)[start : start + SLICE]
        vectors[part] = encoder.encode([_as_written(missing[number]) for number in part], "passage")


def author_of_all(database: sqlite3.Connection) -> str:
    """The one who wrote every report; `extraction` where there are several, or none."""
    authors = [author for (author,) in database.execute("SELECT DISTINCT author FROM main.communities")]
    return authors[0] if len(authors) == 1 else BY_EXTRACTION


def read_communities(database: sqlite3.Connection, folder: Path) -> Communities:
    """Raises what a broken file raises (`disk.BROKEN`)."""
    found = database.execute(
        "SELECT name, report, author, first, last, parent, entities FROM communities ORDER BY number"
    )
    items = tuple(
        Community(name, report, author, first, last, parent, tuple(json.loads(entities)))
        for name, report, author, first, last, parent, entities in found
    )
    vectors: Vectors = read_array(within(folder, VECTORS))
    if len(vectors) != len(items):
        raise ValueError(f"{len(vectors)} vectors of {len(items)} communities")
    return Communities(items, vectors)

"""The graph of a library's entities: what sentences name together and what relations join, weighted by rarity.

    w(u, v) = (sum over sentences that name both of 1 / (entities named - 1) + relations between them) / sqrt(f(u) f(v))

f counts the sentences that name an entity. A sentence also names what the title of its document does: it is about it.
Dates and bare numbers join nothing: two events of 1927 have not to do with each other for that.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Ints, Vectors
from clew.memory.knowledge.arrays import Ragged
from clew.memory.knowledge.extraction.entities import dates
from clew.memory.knowledge.layers import DetectionParameters, Entity, Layers
from clew.memory.knowledge.nodes import sums_of
from clew.memory.knowledge.partitioning.methods import optimised
from clew.memory.text import word_lists
from clew.memory.vectors import unit

if TYPE_CHECKING:
    from scipy.sparse import csr_array

DIGITS = 9
"""To which weights are rounded, so that they do not depend on the order in which they were added up."""

_WORD = re.compile(r"[^\W\d_]+")
_NUMBERS = frozenset(word_lists(Path(__file__).with_suffix(".txt"))["numbers and times"])


class EntityRelation(NamedTuple):
    """A relation in its own direction, and the sentence that states it."""

    subject: int
    verb: str
    object: int
    sentence: int


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Undirected edges between `nodes` things: `ends` of shape (2, edges), the lower end first, sorted; `weights`."""

    nodes: int
    ends: Ints
    weights: NDArray[np.float64]

    def among(self, nodes: Ints) -> "Links":
        """Those with both ends in `nodes` (rising), which are then numbered by their places there."""
        places = np.full(self.nodes, -1, np.int64)
        places[nodes] = np.arange(len(nodes))
        ends = places[self.ends]
        kept = (ends >= 0).all(axis=0)
        return Links(len(nodes), ends[:, kept], self.weights[kept])


def tells_only_when(entity: Entity) -> bool:
    """Whether it is a date or a bare number."""
    if entity.kind == "date":
        return True
    left = list(entity.name)
    for date in dates(entity.name):
        left[date.start : date.end] = " " * (date.end - date.start)
    return all(word.casefold() in _NUMBERS for word in _WORD.findall("".join(left)))


def named_in_sentences(layers: Layers) -> "csr_array":
    """Shape (sentences, entities): 1 where a sentence names an entity, or the title of its document does."""
    from scipy.sparse import csr_array

    rows, entities = layers.naming
    shape = (len(layers.sentence_chunks), len(layers.entities))
    return csr_array((np.ones(len(rows)), (rows, entities)), shape=shape)


def entity_vectors(named: "csr_array", sentences: Vectors) -> Vectors:
    """The mean of the sentences that name each entity, of unit length; zeros where none does. Shape (entities, d)."""
    return unit(np.asarray(named.T.tocsr().astype(np.float32) @ sentences))


def links_of(layers: Layers, named: "csr_array") -> Links:
    """The weights as above; `named` is `named_in_sentences`."""
    from scipy.sparse import csr_array, diags_array

    kept = np.array([not tells_only_when(entity) for entity in layers.entities], np.float64)
    named = csr_array(named @ diags_array(kept, shape=(len(kept), len(kept))))
    named.eliminate_zeros()
    size = len(layers.entities)
    in_sentence, of_entity = (np.asarray(named.sum(axis=axis)).reshape(-1) for axis in (1, 0))
    shares = diags_array(1 / (in_sentence - 1).clip(1), shape=(named.shape[0], named.shape[0]))
    stated = csr_array((np.ones(len(layers.subjects)), (layers.subjects, layers.objects)), shape=(size, size))
    rarity = diags_array(kept / np.sqrt(of_entity.clip(1)), shape=(size, size))
    weighted = csr_array(rarity @ (named.T @ shares @ named + stated + stated.T) @ rarity).tocoo()
    upper = (weighted.row < weighted.col) & (weighted.data > 0)
    ends, weights = np.stack([weighted.row[upper], weighted.col[upper]]).astype(np.int64), weighted.data[upper]
    order = np.lexsort((ends[1], ends[0]))
    return Links(size, ends[:, order], np.round(weights[order], DIGITS))


def standing_for(layers: Layers, links: Links) -> list[int]:
    """An entity for each document that names things of which none has a link: its title's, else the one of most of its
    chunks, a date only where there is nothing else."""
    from scipy.sparse import csr_array

    linked = np.zeros(len(layers.entities))
    linked[links.ends.reshape(-1)] = 1
    chunks, shape = np.arange(len(layers.chunk_ids)), (len(layers.document_ids), len(layers.chunk_ids))
    holding = csr_array((np.ones(len(chunks)), (layers.chunk_documents, chunks)), shape=shape)
    named = csr_array(holding @ layers.chunk_entities)
    found = set()
    for document in np.flatnonzero((named @ linked == 0) & (np.diff(named.indptr) > 0)).tolist():
        row = slice(named.indptr[document], named.indptr[document + 1])
        often, title = zip(named.indices[row].tolist(), named.data[row].tolist(), strict=True), layers.titles[document]
        ranked = [(e != title, tells_only_when(layers.entities[e]), -count, e) for e, count in often]
        found.add(min(ranked)[-1])
    return sorted(found)


def stated_between(layers: Layers) -> dict[tuple[int, int], list[EntityRelation]]:
    """By the pair of entities, the lower first."""
    between: dict[tuple[int, int], list[EntityRelation]] = defaultdict(list)
    parts = (layers.subjects, layers.verb_numbers, layers.objects, layers.stated)
    for subject, verb, object_, sentence in zip(*(part.tolist() for part in parts), strict=True):
        pair = (min(subject, object_), max(subject, object_))
        between[pair].append(EntityRelation(subject, layers.verbs[verb], object_, sentence))
    return dict(between)


# Communities (seed 001): found over this graph -----------------------------------------------------------------------

ROWS = 1024
"""Clusters whose cosines with all others are held at once: all with all would take the square of their number."""


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
    everywhere = np.full((len(levels), links.nodes), -1, np.int64)
    everywhere[:, linked] = levels
    return list(everywhere)


def cluster(links: Links, parameters: DetectionParameters) -> Ints:
    """Clusters numbered by size, then by their first node."""
    return numbered(optimised(links.nodes, links.ends, links.weights, parameters))


def numbered(labels: Ints) -> Ints:
    """The same clusters, the biggest first, of equally big ones that with the lowest node."""
    _, first, inverse, sizes = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    order = np.lexsort((first, -sizes))
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.arange(len(order))
    return numbers[inverse.reshape(-1)]


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

"""The layers of a library as arrays of numbers: chunks, the sentences in them, the entities that these name; and its
communities.

    chunk    contains    sentence   mentions   entity
    sentence next        sentence
    entity   relation    entity                           as a sentence states
    chunk    next        chunk      title link  chunk     of a document whose title it names
    chunk    shared      chunk                            that name the same entity: weighted by 1 / its chunks (df)

A thing's number is its place. Entity e is `entities[e]`; the numbers of chunks and sentences are the store's rows.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Ints, Triple, Vectors
from clew.memory.knowledge.arrays import Ragged, distinct_pairs, sole_values
from clew.memory.parameters import Cosine, Count, Few, Natural

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, slots=True)
class Entity:
    """`id` is its normalised name, `name` as it is written most often, `kind` what it is as far as that can be told."""

    id: str
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence of a document, what ClueRAG's paper calls a knowledge unit: `text` is `document.text[start:end]`."""

    document: str
    chunk: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Layers:
    """Chunk c has the id `chunk_ids[c]` and is of document `chunk_documents[c]`, whose id is `document_ids[...]`;
    sentence s is in chunk `sentence_chunks[s]` (contains), and `mentions[:, i]` is a sentence and an entity that it
    names (mentions), each pair once. Sentences are in reading order: next leads to s + 1 of the same document.

    Relation r is `subjects[r]` -[`verbs[verb_numbers[r]]`]-> `objects[r]`, stated by sentence `stated[r]`; `given[r]`
    where it came with the document. `titles[d]` is the entity that the title of document d names, -1 where none.
    `headings` are the sentences that are a heading alone.
    """

    chunk_ids: tuple[str, ...]
    document_ids: tuple[str, ...]
    chunk_documents: Ints
    sentence_chunks: Ints
    mentions: Ints
    entities: tuple[Entity, ...]
    titles: Ints
    subjects: Ints
    verb_numbers: Ints
    objects: Ints
    stated: Ints
    given: NDArray[np.bool_]
    verbs: tuple[str, ...]
    headings: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    @cached_property
    def chunk_numbers(self) -> dict[str, int]:
        return {id_: number for number, id_ in enumerate(self.chunk_ids)}

    def chunks_within(self, scope: Collection[str] | None) -> NDArray[np.bool_]:
        """For each chunk whether its document is in scope (None: all are); shape (chunks,)."""
        documents = np.array([scope is None or id_ in scope for id_ in self.document_ids], dtype=bool)
        return np.asarray(documents[self.chunk_documents], dtype=bool)

    @cached_property
    def sentences_of(self) -> Ragged:
        """The sentences of each chunk."""
        return Ragged.grouped(self.sentence_chunks, len(self.chunk_ids))

    @property
    def extracted(self) -> list[Triple]:
        """The relations that were read out of sentences, as triples of the chunks that state them."""
        found, chunks = list[Triple](), self.sentence_chunks[self.stated]
        for r in np.flatnonzero(~self.given).tolist():
            subject, object_ = (self.entities[ends[r]].name for ends in (self.subjects, self.objects))
            verb = self.verbs[self.verb_numbers[r]]
            found.append(Triple(subject, verb, object_, self.chunk_ids[chunks[r]], given=False))
        return found

    @cached_property
    def entity_numbers(self) -> dict[str, int]:
        """Entity id -> number, without dates."""
        return {entity.id: number for number, entity in enumerate(self.entities) if entity.kind != "date"}

    @cached_property
    def title_entities(self) -> frozenset[int]:
        """The entities that titles of documents name."""
        return frozenset(self.titles[self.titles >= 0].tolist())

    @cached_property
    def naming(self) -> Ints:
        """The layer `mentions` with the titles, as a sentence is also about what its document's title names: pairs of a
        sentence and an entity, each once and in order, shape (2, pairs)."""
        return self._with_titles(self.mentions, self.chunk_documents[self.sentence_chunks])

    def _with_titles(self, pairs: Ints, documents: Ints) -> Ints:
        """Pairs of a thing and an entity, each once and in order, with the entity that the title of its document names;
        `documents` are those of all such things."""
        titles = self.titles[documents]
        titled = np.stack([np.flatnonzero(titles >= 0), titles[titles >= 0]])
        return distinct_pairs(np.concatenate([pairs, titled], axis=1))

    @cached_property
    def _named(self) -> Ints:
        """Pairs of a chunk and an entity that one of its sentences names, or its document's title: each once and in
        order, shape (2, pairs)."""
        said = np.stack([self.sentence_chunks[self.mentions[0]], self.mentions[1]])
        return self._with_titles(said, self.chunk_documents)

    @cached_property
    def chunk_entities(self) -> "csr_array":
        """Shape (chunks, entities): 1 where the chunk names the entity."""
        from scipy.sparse import csr_array

        chunks, entities = self._named
        return csr_array((np.ones(len(chunks)), (chunks, entities)), shape=(len(self.chunk_ids), len(self.entities)))

    @cached_property
    def chunks_of_entity(self) -> Ints:
        """For each entity the number of chunks that name it (df); shape (entities,)."""
        return np.bincount(self._named[1], minlength=len(self.entities))

    @cached_property
    def _sole(self) -> Ints:
        """For each entity the number of the only document that names it, -1 if several do; shape (entities,)."""
        chunks, entities = self._named
        return sole_values(entities, self.chunk_documents[chunks], len(self.entities))

    def sole_document(self, entity: int) -> str:
        """The id of the only document that names it; empty if several do."""
        return self.document_ids[document] if (document := int(self._sole[entity])) >= 0 else ""

    def names_of(self, entities: Iterable[int], most: int) -> str:
        """The first names, each once, and behind one that a single document has that one's id: what a document says
        does not pass for what the library says."""
        names = {" ".join(self.entities[e].name.split()): self.sole_document(e) for e in entities}
        return ", ".join(f"{name} ({id_})" if id_ else name for name, id_ in list(names.items())[:most])

    def named_by(self, chunk: int) -> list[Entity]:
        """The entities that a chunk names: those of few chunks first, dates last."""
        its, df = self.chunk_entities[[chunk]].indices.tolist(), self.chunks_of_entity
        its.sort(key=lambda entity: (self.entities[entity].kind == "date", df[entity], entity))
        return [self.entities[entity] for entity in its]

    def shared_entities(self, most: int) -> "csr_array":
        """Between chunks, of shape (chunks, chunks): the sum of 1 / df over the entities that both name, those of more
        than `most` chunks left out."""
        from scipy.sparse import csr_array, diags_array

        df = self.chunks_of_entity
        weights = np.where((df > 1) & (df <= most), 1 / np.maximum(df, 1), 0.0)
        shared = csr_array(self.chunk_entities @ diags_array(weights) @ self.chunk_entities.T)
        shared.setdiag(0)
        shared.eliminate_zeros()
        return shared

    @cached_property
    def joining(self) -> Ints:
        """The entities that two or more chunks name, rising; dates left out."""
        dated = np.array([entity.kind == "date" for entity in self.entities], dtype=bool)
        return np.flatnonzero((self.chunks_of_entity > 1) & ~dated)


def said_by(text: str, document: str, beside: str) -> str:
    """The text, with the document that it is from, if it is shown beside another one: so it does not pass for what that
    says."""
    return f"{text} ({document})" if document and document != beside else text


Method = Literal["leiden", "louvain"]


@dataclass(frozen=True, slots=True)
class DetectionParameters:
    """How communities are found. One that is too small is joined to the nearest in meaning; one that is too large is
    divided."""

    method: Method = "leiden"  # set by `clew index --communities`
    seed: Natural = 42  # the random seed of the grouping
    smallest: Natural = 3  # groups of fewer things are joined to others
    alike: Cosine = 0.4  # how alike groups have to be for that
    largest: Count = 60  # groups of more things are divided
    iterations: Few = 4  # how often the grouping is refined


BY_EXTRACTION = "extraction"  # what `Community.by` says of a report that no language model wrote


@dataclass(frozen=True, slots=True)
class Community:
    """`name` lists its most central entities, with `Layers.names_of`. `first` and `last` are the levels at which it
    stands, `parent` the community of level `first - 1` that it lies in, -1 at the top. `entities` are numbers of
    `Layers`, most central first; `by` is who wrote the report."""

    name: str
    report: str
    by: str
    first: int
    last: int
    parent: int
    entities: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Communities:
    """Groups of entities that documents tie together, each with a report (SEMRAG), in a hierarchy: level 0 is the
    coarsest, and a community of one level lies wholly in one of the level above; one that is not divided further stands
    at several levels, once.

    Community c is `items[c]`; `vectors[c]` is of shape (communities, d): the embedding of a report that a
    language model wrote; of an extract the mean of its entities', which are means of the sentences that name them."""

    items: tuple[Community, ...]
    vectors: Vectors

    @cached_property
    def levels(self) -> int:
        return 1 + max((one.last for one in self.items), default=-1)

    def at(self, level: int) -> Ints:
        """The numbers of the communities of a level, rising; they share out the entities."""
        found = [number for number, one in enumerate(self.items) if one.first <= level <= one.last]
        return np.array(found, np.int64)

    def members(self, entities: int) -> "csr_array":
        """Shape (communities, entities): 1 where the entity is of the community; `entities` are all that there are."""
        from scipy.sparse import csr_array

        rows = np.repeat(np.arange(len(self.items)), [len(one.entities) for one in self.items])
        columns = np.array([entity for one in self.items for entity in one.entities], np.int64)
        return csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(self.items), entities))


NAMED = 3  # entities in the name of a community within a scope
Allowed = NDArray[np.bool_]  # whether each chunk may be found; shape (chunks,)


class Cover:
    """Which chunks each community covers: those that name one of its entities (C_r of equation 5). `chunks[c, g]` is
    above 0 where community c covers chunk g; shape (communities, chunks)."""

    def __init__(self, layers: Layers, communities: Communities) -> None:
        from scipy.sparse import csr_array

        self.layers, self.communities = layers, communities
        members = communities.members(len(layers.entities))
        self.chunks = csr_array(members @ self.layers.chunk_entities.T)

    def of(self, community: int, allowed: Allowed) -> Ints:
        """The allowed chunks of a community, in ascending order."""
        held = self.chunks.indices[self.chunks.indptr[community] : self.chunks.indptr[community + 1]]
        return np.sort(held[allowed[held]]).astype(np.int64)

    def name(self, community: int, allowed: Allowed) -> str:
        """The community's own name; where not all chunks are allowed, those of its entities that they name."""
        one = self.communities.items[community]
        if allowed.all():
            return one.name
        held = self.layers.chunk_entities[self.of(community, allowed)]
        named = np.asarray(held.sum(axis=0)).reshape(-1) > 0
        return self.layers.names_of((e for e in one.entities if named[e]), NAMED)

    def there(self, communities: Ints, allowed: Allowed) -> Ints:
        """Those of `communities` that have an allowed chunk."""
        return communities[np.flatnonzero(self.chunks[communities] @ allowed.astype(np.float64) > 0)]

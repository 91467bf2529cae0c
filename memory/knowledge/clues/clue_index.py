"""The graphs of the tool `clues`, of triples and of sentences, and what is computed once for one, so that a question
costs a few sparse products over all triples.

`relation_aliases.json` lists for each relation the types of question that its edges answer, and its aliases (seed 000,
step 1). Aliases are compared by their stems, so that the table needs only irregular inflections.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Edge, Floats, Ints, Triple
from clew.memory.knowledge.arrays import Ragged
from clew.memory.knowledge.extraction.aliases import normalised
from clew.memory.knowledge.layers import Layers
from clew.memory.text import FUNCTION_WORDS, content_words, stemmed_words, words

Key = tuple[str, str, str]

AROUND = " \t\n,;:!?\"'`“”‘’«»„"
"""What is stripped around an entity or a relation. A full stop stays: it may belong to a name."""

_SIGNS = re.compile(r"[+#*°%$€£]|(?<!\w)[-−]\d|\w[-−](?!\w)")


@dataclass(frozen=True, slots=True, eq=False)
class TripleGraph:
    """Triples as arrays: edge e is `entities[subjects[e]] -[relations[kinds[e]]]-> entities[objects[e]]`, and the
    chunks with the ids `chunks[e]` state it.

    Spellings of a name that have the same `entity_key` are one entity. `entities` and `relations` are normalised
    (`normalise`), `names` has the commonest spelling of each entity.
    """

    entities: tuple[str, ...]
    names: tuple[str, ...]
    relations: tuple[str, ...]
    subjects: Ints
    kinds: Ints
    objects: Ints
    chunks: tuple[tuple[str, ...], ...]
    outgoing: Ragged
    incoming: Ragged

    def edges_of(self, nodes: Ints) -> tuple[Ints, Ints, Ints]:
        """The edges that leave or enter each of `nodes`: their places in `nodes`, the edges, and the nodes at the other
        end, each of shape (edges found,). An edge from a node to itself comes once."""
        out_edges, out_rows = self.outgoing.of(nodes)
        in_edges, in_rows = self.incoming.of(nodes)
        other = self.subjects[in_edges] != self.objects[in_edges]
        in_rows, in_edges = in_rows[other], in_edges[other]
        rows, edges = np.concatenate([out_rows, in_rows]), np.concatenate([out_edges, in_edges])
        return rows, edges, np.concatenate([self.objects[out_edges], self.subjects[in_edges]])

    def edge(self, number: int) -> Edge:
        subject, object_ = self.entities[self.subjects[number]], self.entities[self.objects[number]]
        return Edge(subject, object_, self.relations[self.kinds[number]])


def arrow(edge: Edge) -> str:
    """Return an edge as text: `(lokesh kanagaraj) -[directed]-> (film)`."""
    return f"({edge.source}) -[{edge.relation}]-> ({edge.target})"


def normalise(text: str) -> str:
    """Return the text in lower case, with composed letters, single spaces, and no punctuation around it."""
    return " ".join(unicodedata.normalize("NFC", text.lower()).split()).strip(AROUND)


def entity_key(name: str) -> str:
    """Return the key by which spellings of a name are one entity: `Dr. B. R. Ambedkar` and `B.R. Ambedkar` have the
    same. A name with a sign that the key would lose (`C++`, `A-`) is its own key."""
    own = normalise(name)
    return own if _SIGNS.search(own) else normalised(own) or own


def triple_lines(triples: Iterable[Sequence[str]]) -> list[str]:
    """Return each triple as a line of text, without repetitions."""
    lines: dict[tuple[str, ...], str] = {}
    for triple in triples:
        lines.setdefault(tuple(map(normalise, triple)), f"{' '.join(triple)}.")
    return list(lines.values())


def triple_graph(triples: Iterable[Triple]) -> TripleGraph:
    """Make the graph of all triples whose three parts are not empty; equal triples become one edge."""
    chunks: dict[Key, set[str]] = {}
    spellings: dict[str, Counter[str]] = {}
    key_of = cache(entity_key)
    for triple in triples:
        key = key_of(triple.subject), normalise(triple.relation), key_of(triple.object)
        if all(key):
            chunks.setdefault(key, set()).update([triple.chunk] if triple.chunk else [])
            for entity, name in ((key[0], triple.subject), (key[2], triple.object)):
                spellings.setdefault(entity, Counter())[" ".join(name.split()).strip(AROUND)] += 1
    names = {key: min(counts, key=lambda name: (-counts[name], name)) for key, counts in spellings.items()}
    ordered = sorted(names, key=lambda key: (normalise(names[key]), key))
    number_of = {key: number for number, key in enumerate(ordered)}
    edges = sorted(chunks, key=lambda key: (number_of[key[0]], key[1], number_of[key[2]]))
    relations = sorted({relation for _, relation, _ in edges})
    kind_of = {relation: number for number, relation in enumerate(relations)}
    subjects = np.array([number_of[subject] for subject, _, _ in edges], np.int64)
    objects = np.array([number_of[object_] for _, _, object_ in edges], np.int64)
    return TripleGraph(
        entities=tuple(normalise(names[key]) for key in ordered),
        names=tuple(names[key] for key in ordered),
        relations=tuple(relations),
        subjects=subjects,
        kinds=np.array([kind_of[relation] for _, relation, _ in edges], np.int64),
        objects=objects,
        chunks=tuple(tuple(sorted(chunks[key])) for key in edges),
        outgoing=Ragged.grouped(subjects, len(ordered)),
        incoming=Ragged.grouped(objects, len(ordered)),
    )


TELLS_OF, NAMED_WITH = "tells of", "named with"
"""What a step is called that no relation of the library names: from a document's title to what a sentence of it names,
and between two entities of one sentence."""


class UnitGraph:
    """Which entities the knowledge units (sentences) name: `units` has the units of each entity, `entities` the
    entities of each unit, both ascending.

    `titles[u]` is the entity that the title of unit u's document names, -1 if it names none. `relations` are grouped by
    the unit that states them.
    """

    def __init__(self, layers: Layers) -> None:
        units, entities = layers.naming
        walked = ~np.isin(units, layers.headings)
        units, entities = units[walked], entities[walked]
        self.layers = layers
        self.titles: Ints = layers.titles[layers.chunk_documents[layers.sentence_chunks]]
        self.units = Ragged.grouped(entities, len(layers.entities), units)
        self.entities = Ragged.grouped(units, len(self.titles), entities)
        self.relations = Ragged.grouped(layers.stated, len(self.titles))

    def size(self, entities: Ints) -> Ints:
        """Return how many units name each of these entities; shape (entities,)."""
        return self.units.starts[entities + 1] - self.units.starts[entities]

    def name(self, entity: int) -> str:
        return normalise(self.layers.entities[entity].name)

    def steps(self, units: tuple[int, ...], entities: tuple[int, ...]) -> tuple[Edge, ...]:
        """Return a walk as edges in words: from each entity through its unit to the next entity, and through the last
        unit to another entity that it names.

        They are read from the end from which more of the edges point forward, as seed 000 prints them. The result is
        empty if all units name the same single entity.
        """
        if not entities:
            return ()
        ends = (*entities[1:], self._end(units[-1], entities))
        hops = [(u, one, other) for u, one, other in zip(units, entities, ends, strict=True) if one != other]
        steps = [self._step(*hop) for hop in hops]
        forward = sum(subject == one for (subject, _, _), (_, one, _) in zip(steps, hops, strict=True))
        ordered = dict.fromkeys(steps if 2 * forward >= len(steps) else steps[::-1])
        return tuple(Edge(self.name(subject), self.name(object_), label) for subject, label, object_ in ordered)

    def _step(self, unit: int, one: int, other: int) -> tuple[int, str, int]:
        """Return subject, label and object: of the unit's first relation between both entities."""
        for relation in self.relations.row(unit):
            ends = self._ends(relation)
            if ends in ((one, other), (other, one)):
                return ends[0], self.layers.verbs[self.layers.verb_numbers[relation]], ends[1]
        if self.titles[unit] == other:
            one, other = other, one
        return one, TELLS_OF if self.titles[unit] == one else NAMED_WITH, other

    def _end(self, unit: int, walked: tuple[int, ...]) -> int:
        """Choose the entity at which a walk ends, among those that its last unit names: one that a relation joins with
        the entity before, else the rarest, else that entity itself."""
        joined = {end for r in self.relations.row(unit) if walked[-1] in (ends := self._ends(r)) for end in ends}
        new = (entity for entity in self.entities.row(unit) if entity not in walked)
        rarest_first = sorted(new, key=lambda entity: (entity not in joined, len(self.units.row(entity)), entity))
        return rarest_first[0] if rarest_first else walked[-1]

    def _ends(self, relation: int) -> tuple[int, int]:
        return int(self.layers.subjects[relation]), int(self.layers.objects[relation])


QuestionType = Literal["who", "what", "why", "where", "when"]

SHIPPED = Path(__file__).with_name("relation_aliases.json")


@dataclass(frozen=True, slots=True)
class NamedRelation:
    """A relation that a text names, the stems of the words that name it, and the place of the first of these in the
    text."""

    relation: str
    words: tuple[str, ...]
    place: int


@dataclass(frozen=True, slots=True, eq=False)
class AliasTable:
    """Aliases of relations: `phrases` maps the stems of an alias to its relation, `answers` a relation to the types of
    question that it answers. `longest` is the number of stems of the longest alias."""

    phrases: Mapping[tuple[str, ...], str]
    answers: Mapping[str, frozenset[QuestionType]]
    longest: int

    def mentions(self, text: str) -> Iterator[NamedRelation]:
        """Yield the relations that the text names, in its order. Of aliases that overlap the earliest counts, and of
        these the longest."""
        stems, place = stemmed_words(text), 0
        while place < len(stems):
            lengths = range(min(self.longest, len(stems) - place), 0, -1)
            phrase = next((p for n in lengths if (p := tuple(stems[place : place + n])) in self.phrases), ())
            if phrase:
                yield NamedRelation(self.phrases[phrase], phrase, place)
            place += len(phrase) or 1


@cache
def load_aliases() -> AliasTable:
    """Read the table of aliases that is packaged with Clew."""
    table = json.loads(SHIPPED.read_text("utf-8"))
    named = {alias: relation for relation, row in table.items() for alias in (relation, *row["aliases"])}
    phrases = {tuple(stemmed_words(alias)): relation for alias, relation in named.items()}
    answers = {relation: frozenset(row.get("answers", ())) for relation, row in table.items()}
    return AliasTable(phrases, answers, max(map(len, phrases)))


DIGITS = 9
"""To which scores are rounded, so that equal ones are equal whatever the order in which they were summed."""


class Texts:
    """Texts as sparse matrices of shape (texts, words): `weights` has a TF-IDF row of length 1 for each text, `present`
    a 1 where a text has a word.

    `sizes` counts the different words of each text, `counts` the texts that have each word. A text is given as a list
    of words; one without words has cosine and Jaccard 0 with every question.
    """

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        # The empty word, which no text has, keeps scikit-learn from refusing texts that have no words at all.
        vocabulary = ["", *sorted({word for text in texts for word in text})]
        self.vectorizer = TfidfVectorizer(analyzer=list, vocabulary=vocabulary)
        self.weights = self.vectorizer.fit_transform(texts or [[]])[: len(texts)]
        self.present = self.weights.astype(bool).astype(np.float64)
        self.sizes: Floats = np.diff(self.weights.indptr).astype(np.float64)
        self.counts = np.bincount(self.weights.indices, minlength=len(vocabulary))

    def count(self, word: str) -> int:
        """How many texts have the word."""
        number = self.vectorizer.vocabulary_.get(word)
        return 0 if number is None else int(self.counts[number])

    def cosines(self, words: Sequence[str]) -> Floats:
        """Return the TF-IDF cosine of these words with each text; shape (texts,)."""
        return np.asarray(self.weights @ self.vectorizer.transform([words]).toarray()[0], np.float64)

    def shared(self, words: Sequence[str]) -> Floats:
        """How many different words each text has in common with `words`; shape (texts,)."""
        numbers = [number for word in words if (number := self.vectorizer.vocabulary_.get(word)) is not None]
        wanted = np.zeros(self.present.shape[1])
        wanted[numbers] = 1
        return np.asarray(self.present @ wanted, np.float64)

    def covered(self, words: Sequence[str]) -> list[int]:
        """Return the numbers of the texts, of at least one word, that have no word but these."""
        shared = self.shared(words)
        numbers: list[int] = np.flatnonzero((shared == self.sizes) & (shared > 0)).tolist()
        return numbers

    def jaccards(self, words: Sequence[str]) -> Floats:
        """Return for each text the number of words in common, divided by the number of words in either; shape
        (texts,)."""
        shared = self.shared(words)
        return np.asarray(shared / np.maximum(self.sizes + len(set(words)) - shared, 1), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class ClueIndex:
    """The texts of a graph of triples, ready to be compared with questions.

    `relation_names[r]` are the names of relation r in the table of aliases; if the table lacks it, the shortest of the
    relations with the same content words. `entity_names` holds entities by the words of their names, the other texts
    are held by content words.
    """

    graph: TripleGraph
    aliases: AliasTable
    entity_names: Texts
    entity_texts: Texts
    relation_texts: Texts
    triple_texts: Texts
    relation_names: tuple[tuple[str, ...], ...]

    def entity_cosines(self, question: str) -> Floats:
        """TF-IDF cosine of the question with every entity, rounded; shape (entities,)."""
        return np.round(self.entity_texts.cosines(content_words(question)), DIGITS)

    def names_of(self, edge: int) -> tuple[str, ...]:
        """Return the names of the relation of this edge."""
        return self.relation_names[self.graph.kinds[edge]]

    def edges_of_relations(self, names: tuple[str, ...]) -> NDArray[np.bool_]:
        """Return for each edge whether its relation has one of these names; shape (edges,)."""
        named = np.array([not set(names).isdisjoint(own) for own in self.relation_names], dtype=bool)
        return np.asarray(named[self.graph.kinds], dtype=bool)


def clue_index(graph: TripleGraph) -> ClueIndex:
    """Build the index of a graph of triples: once for a library, as it reads every name and every triple."""
    aliases = load_aliases()
    entities = [content_words(entity) for entity in graph.entities]
    relations = [content_words(relation) for relation in graph.relations]
    parts = zip(graph.subjects, graph.kinds, graph.objects, strict=True)
    triples = [entities[s] + relations[r] + entities[o] for s, r, o in parts]
    return ClueIndex(
        graph=graph,
        aliases=aliases,
        entity_names=Texts([name_words(entity) for entity in graph.entities]),
        entity_texts=Texts(entities),
        relation_texts=Texts(relations),
        triple_texts=Texts(triples),
        relation_names=_relation_names(graph.relations, relations, aliases),
    )


def name_words(text: str) -> list[str]:
    """Return the words of a name, neither stemmed nor with articles; none if all are function words (`they`)."""
    kept = [word for word in words(text) if word not in ("a", "an", "the")]
    return kept if any(word not in FUNCTION_WORDS for word in kept) else []


def _relation_names(
    relations: Sequence[str], own_words: Sequence[Sequence[str]], aliases: AliasTable
) -> tuple[tuple[str, ...], ...]:
    shortest: dict[tuple[str, ...], str] = {}
    for relation, own in sorted(zip(relations, own_words, strict=True), key=lambda row: (len(row[0]), row[0])):
        shortest.setdefault(tuple(own) or (relation,), relation)
    return tuple(
        tuple(dict.fromkeys(mention.relation for mention in aliases.mentions(relation)))
        or (shortest[tuple(own) or (relation,)],)
        for relation, own in zip(relations, own_words, strict=True)
    )

"""A question against a library: how near it is to nodes and sentences, which of its words they hold, what it names; and
how well chunks match it by its words and by its meaning (seed 002, stages 1 and 2), the two added."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Floats, Form, Hit, Ints, Query, Vector, WordShares
from clew.memory.errors import BadInput
from clew.memory.knowledge.arrays import places
from clew.memory.knowledge.extraction.aliases import normalised
from clew.memory.knowledge.extraction.entities import entities
from clew.memory.knowledge.layers import Layers
from clew.memory.knowledge.library_ports import Graph, Search
from clew.memory.knowledge.structure import Structure
from clew.memory.knowledge.titles import Named, named_in
from clew.memory.language.telling import language_of
from clew.memory.parameters import Count, Natural, Weight
from clew.memory.text import words

LONGEST = 10
"""Words of an entity's name in a question."""

_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*\.?")


@dataclass(frozen=True, eq=False)
class LibraryQuestion:
    """The forms of a question against the graph of a library: their vectors are added by weight, and each word counts
    by its rarity and by the weight of the forms that have it. Everything is computed when it is first needed, once.

    Nodes, sentences and entities are numbers of `graph.layers`.
    """

    graph: Graph
    query: Query

    @cached_property
    def vector(self) -> Vector:
        total = sum(form.weight * form.vector for form in self.query.forms)
        return np.asarray(total / max(float(np.linalg.norm(total)), 1e-9), np.float32)

    @cached_property
    def allowed(self) -> NDArray[np.bool_] | None:
        """Whether each node is in the query's scope, shape (nodes,); None: all are."""
        return None if self.query.scope is None else self.graph.layers.chunks_within(self.query.scope)

    def within(self, nodes: Ints) -> Ints:
        """Those of them that are in scope."""
        return nodes if self.allowed is None else nodes[self.allowed[nodes]]

    @cached_property
    def _known_words(self) -> tuple[WordShares, ...]:
        """The words of each form that the library has."""
        return tuple(self.graph.words(form.text, np.zeros(0, np.int64)) for form in self.query.forms)

    @cached_property
    def weights(self) -> Floats:
        """Of the words of all forms, one form after the other; they sum to 1 where the library has a word of each."""
        parts = zip(self.query.forms, self._known_words, strict=True)
        return np.concatenate([form.weight * known.weights for form, known in parts])

    @cached_property
    def words(self) -> tuple[tuple[int, str], ...]:
        """The form and the text of each."""
        return tuple((number, word) for number, known in enumerate(self._known_words) for word in known.words)

    def cosines(self, nodes: Ints) -> Floats:
        return np.asarray(self.graph.vectors.take(nodes, axis=0) @ self.vector, np.float64)

    def sentence_cosines(self, nodes: Ints) -> Floats:
        """For each node the best cosine of its sentences; -1 for one without any."""
        rows, of = self.graph.layers.sentences_of.of(nodes)
        best = np.full(len(nodes), -1.0)
        np.maximum.at(best, of, self.graph.sentence_vectors.take(rows, axis=0) @ self.vector)
        return best

    def held(self, nodes: Ints) -> Floats:
        """How far each node has each of the words, 0 to 1; shape (nodes, words)."""
        return np.concatenate([self.graph.words(form.text, nodes).shares for form in self.query.forms], axis=1)

    @cached_property
    def named(self) -> tuple[Named, ...]:
        """The nodes that each form names by their titles."""
        return tuple(named_in(form.text, self.graph.titles) for form in self.query.forms)

    @cached_property
    def named_words(self) -> tuple[NDArray[np.bool_], ...]:
        """For each form, which of the question's words are in each name that it names; shapes (named, words)."""
        return tuple(self._words_of(number, found) for number, found in enumerate(self.named))

    def name_words(self, nodes: Ints) -> NDArray[np.bool_]:
        """Which of the question's words are in the name by which it names a node (nodes rise); shape (nodes, words)."""
        found = np.zeros((len(nodes), len(self.weights)), dtype=bool)
        for named, within in zip(self.named, self.named_words, strict=True):
            at, known = places(nodes, named.nodes)
            found[at] |= within[known]
        return found

    def _words_of(self, form: int, found: Named) -> NDArray[np.bool_]:
        place: dict[str, int] = {}
        for at, word in enumerate(words(self.query.forms[form].text)):
            place.setdefault(word, at)
        stands = np.array([place.get(word, -1) if of == form else -1 for of, word in self.words])
        return np.asarray((found.starts[:, None] <= stands) & (stands < found.ends[:, None]))

    @cached_property
    def entities(self) -> Mapping[int, float]:
        """The entities that forms of the question name -> the weight of those forms."""
        named: dict[int, float] = {}
        for form in self.query.forms:
            for entity in named_entities(form.text, self.graph.layers):
                named[entity] = named.get(entity, 0.0) + form.weight
        return named


def named_entities(text: str, layers: Layers) -> list[int]:
    """Those that the rules of extraction find, and the longest runs of words that are an entity of the library, rising.

    A single word counts with a capital only, and the first word of the text only as an entity that some document's
    title names.
    """
    numbers = layers.entity_numbers
    found = [numbers[key] for mention in entities(text) if (key := normalised(mention.text)) in numbers]
    parts = _WORD.findall(text)
    place = 0
    while place < len(parts):
        for size in range(min(LONGEST, len(parts) - place), 0, -1):
            number = numbers.get(normalised(" ".join(parts[place : place + size])))
            if number is not None and (size > 1 or _counts(parts, place, number in layers.title_entities)):
                found.append(number)
                place += size - 1
                break
        place += 1
    return sorted(set(found))


def _counts(parts: list[str], place: int, is_title: bool) -> bool:
    return parts[place][0].isupper() and (place > 0 or is_title)


SEED_FIELDS: Mapping[str, float] = {"text": 0.5, "title": 0.3, "metadata": 0.2}


@dataclass(frozen=True, slots=True)
class MatchParameters:
    """`candidates` by keywords and `nearest` by vector are what is scored, or k of each where more than that is wanted.

    The score is the mean, with these weights, of three shares: the cosine, BM25 as a share of the most that the
    question could reach, and the share of the title that the question names. The weights were chosen on five data sets
    and stand on a plateau (docs/figures.md). BM25 is over title and text `together`, or with `fields` `seed` the sum of
    .5 of it over the text, .3 over the title and .2 over the metadata (seed 002). `untaught` is the most that the
    cosine counts for a question in Esperanto, which the packaged encoder was not taught.
    """

    candidates: Count = 100  # how many passages the search by words proposes
    nearest: Natural = 100  # how many passages the search by meaning proposes
    cosine: Weight = 0.55  # how much likeness in meaning counts
    keyword: Weight = 0.45  # how much shared words count
    title: Weight = 0.08  # how much it counts that the question names the title
    untaught: Weight = 0.15  # how much meaning counts for a question in Esperanto
    fields: Literal["together", "seed"] = "together"  # what the words of a passage are looked for in
    stage2: Literal["vectors", "structure"] = "vectors"  # what likeness in meaning is measured on
    """What the cosine is of: the encoder's vectors, or sentences as trees (`clew train-structure`)."""

    def __post_init__(self) -> None:
        if not self.cosine + self.keyword + self.title:
            raise BadInput("cosine, keyword and title cannot all be 0", "one of them above 0")

    @property
    def weights(self) -> Mapping[str, float] | None:
        """Of the fields, where each counts by itself."""
        return SEED_FIELDS if self.fields == "seed" else None


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Of chunks and of each form of a question: `scores` and `cosines`, of shape (forms, ids), and the keyword hits."""

    ids: Sequence[str]
    scores: NDArray[np.float64]
    cosines: NDArray[np.float32]
    hits: Sequence[Mapping[str, Hit]]


def candidates(
    store: Search, query: Query, k: int, parameters: MatchParameters, texts: Sequence[str] = ()
) -> list[str]:
    """The best by keywords and the nearest by vector, of all forms; without `nearest` the best by keywords alone.
    `texts` are searched by their words in the place of the forms'."""
    texts = texts or [form.text for form in query.forms]
    vectors = np.stack([form.vector for form in query.forms])
    most, nearest = max(parameters.candidates, k), parameters.nearest and max(parameters.nearest, k)
    found = store.candidates(texts, vectors, most, nearest, query.scope, parameters.weights)
    return list(dict.fromkeys(hit.chunk for hits in found for hit in hits))


def match(
    store: Search,
    forms: Sequence[Form],
    ids: Sequence[str],
    parameters: MatchParameters,
    structure: Structure | None = None,
) -> Matches:
    """All of them are scored, whichever search had found them; with `structure` the cosine is that of trees."""
    found = store.keyword_search([form.text for form in forms], len(ids), among=ids, fields=parameters.weights)
    hits = [{hit.chunk: hit for hit in its} for its in found]
    if structure is not None:
        cosines = structure.cosines(store, [form.text for form in forms], ids)
    else:
        cosines = np.stack([form.vector for form in forms]) @ store.vectors(ids).T
    none = Hit("", 0.0)
    rows = [[of_form.get(id_, none) for id_ in ids] for of_form in hits]
    words = np.array([[hit.score for hit in row] for row in rows])
    titles = np.array([[hit.title_coverage for hit in row] for row in rows])
    p = parameters
    untaught = [structure is None and bool(p.keyword) and language_of(form.text) == "eo" for form in forms]
    cosine = np.where(untaught, min(p.cosine, p.untaught), p.cosine)[:, None]
    weighted = cosine * cosines + p.keyword * words + p.title * titles
    return Matches(ids, weighted / (cosine + p.keyword + p.title), cosines, hits)

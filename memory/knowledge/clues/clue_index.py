"""What is computed once for a graph of triples, so that a question costs a few sparse products over all of them.

`relation_aliases.json` lists for each relation the types of question that its edges answer, and its aliases (seed 000,
step 1). Aliases are compared by their stems, so that the table needs only irregular inflections.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Floats
from clew.memory.errors import BadInput
from clew.memory.knowledge.clues.clue_graphs import TripleGraph
from clew.memory.text import FUNCTION_WORDS, content_words, stemmed_words, words

QuestionType = Literal["who", "what", "why", "where", "when"]

SHIPPED = Path(__file__).with_name("relation_aliases.json")


@dataclass(frozen=True, slots=True)
class NamedRelation:
    """A relation that a text names, with the stems by which it does, and the place of the first among the text's."""

    relation: str
    words: tuple[str, ...]
    place: int


@dataclass(frozen=True, slots=True, eq=False)
class AliasTable:
    """`phrases`: the stems of an alias -> its relation; `answers`: relation -> the types of question it answers.
    `longest` is the number of stems of the longest alias."""

    phrases: Mapping[tuple[str, ...], str]
    answers: Mapping[str, frozenset[QuestionType]]
    longest: int

    def mentions(self, text: str) -> Iterator[NamedRelation]:
        """In the order of the text; where aliases overlap the one that begins first has it, and then the longest."""
        stems, place = stemmed_words(text), 0
        while place < len(stems):
            lengths = range(min(self.longest, len(stems) - place), 0, -1)
            phrase = next((p for n in lengths if (p := tuple(stems[place : place + n])) in self.phrases), ())
            if phrase:
                yield NamedRelation(self.phrases[phrase], phrase, place)
            place += len(phrase) or 1


def load_aliases(more: Path | None = None) -> AliasTable:
    """The table that comes with Clew, and after it `more`, a file like it: new relations, and further aliases and
    types of known ones; an alias that another relation had is moved. Raises `BadInput` for any other file."""
    phrases: dict[tuple[str, ...], str] = {}
    answers: dict[str, frozenset[QuestionType]] = {}
    for path in (SHIPPED, more) if more else (SHIPPED,):
        for relation, types, aliases in _rows(path):
            answers[relation] = answers.get(relation, frozenset()) | types
            phrases.update(
                {words: relation for alias in (relation, *aliases) if (words := tuple(stemmed_words(alias)))}
            )
    return AliasTable(phrases, answers, max(map(len, phrases)))


def _rows(path: Path) -> Iterator[tuple[str, frozenset[QuestionType], list[str]]]:
    try:
        table = json.loads(path.read_text("utf-8"))
        for relation, row in table.items():
            types = frozenset(row.get("answers", ()))
            if unknown := types.difference(get_args(QuestionType)):
                raise ValueError(f"there is no type of question '{min(unknown)}'")
            yield relation.strip().lower(), cast("frozenset[QuestionType]", types), list(map(str, row["aliases"]))
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
        raise BadInput(
            f"{path} is not a table of relation aliases ({error})",
            'write {"directed": {"answers": ["who"], "aliases": ["directed by", "director"]}}',
        ) from error


DIGITS = 9
"""To which scores are rounded, so that equal ones are equal whatever the order in which they were summed."""


class Texts:
    """`weights` are rows of unit length and `present` has 1 where a text has a word: sparse, of shape (texts, words).
    `sizes` counts the different words of each text, `counts` the texts that have each word.

    A text is given as its words. A text without words has cosine and Jaccard 0 with every question.
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
        """Shape (texts,)."""
        return np.asarray(self.weights @ self.vectorizer.transform([words]).toarray()[0], np.float64)

    def shared(self, words: Sequence[str]) -> Floats:
        """How many different words each text has in common with `words`; shape (texts,)."""
        numbers = [number for word in words if (number := self.vectorizer.vocabulary_.get(word)) is not None]
        wanted = np.zeros(self.present.shape[1])
        wanted[numbers] = 1
        return np.asarray(self.present @ wanted, np.float64)

    def jaccards(self, words: Sequence[str]) -> Floats:
        """Shared words as a share of all different words of both; shape (texts,)."""
        shared = self.shared(words)
        return np.asarray(shared / np.maximum(self.sizes + len(set(words)) - shared, 1), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class ClueIndex:
    """`relation_names[r]` are the names of relation r in the table of aliases, or where it has none there the shortest
    of the relations with the same content words. `entity_names` are entities by their name words; the other texts are
    of content words."""

    graph: TripleGraph
    aliases: AliasTable
    entity_names: Texts
    entity_texts: Texts
    relation_texts: Texts
    triple_texts: Texts
    relation_names: tuple[tuple[str, ...], ...]

    def entity_cosines(self, question: str) -> Floats:
        """TF-IDF cosine of the question with every entity; shape (entities,)."""
        return self.entity_texts.cosines(content_words(question))

    def triple_cosines(self, question: str) -> Floats:
        """TF-IDF cosine of the question with the text of every triple; shape (edges,)."""
        return self.triple_texts.cosines(content_words(question))

    def edges_of_relations(self, names: tuple[str, ...]) -> NDArray[np.bool_]:
        """Which edges have a relation of one of these names; shape (edges,)."""
        named = np.array([not set(names).isdisjoint(own) for own in self.relation_names], dtype=bool)
        return np.asarray(named[self.graph.kinds], dtype=bool)


def clue_index(graph: TripleGraph, aliases: AliasTable | None = None) -> ClueIndex:
    """By default with the aliases that come with Clew."""
    aliases = aliases or load_aliases()
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
    """The words of a name: not stemmed, without articles; none where all are function words (`they`)."""
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

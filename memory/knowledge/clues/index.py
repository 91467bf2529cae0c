"""What is computed once for a graph of triples, so that a question costs a few products over all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Floats
from clew.memory.knowledge.clues.aliases import AliasTable, load_aliases
from clew.memory.knowledge.clues.texts import Texts
from clew.memory.knowledge.triples import TripleGraph
from clew.memory.words import FUNCTION_WORDS, content_words, words


class Similarity(Protocol):
    """The cosine of a question with the text of every entity and of every triple, of shape (entities,) and (edges,)."""

    def entities(self, question: str) -> Floats: ...

    def triples(self, question: str) -> Floats: ...


@dataclass(frozen=True, slots=True, eq=False)
class TfidfSimilarity:
    entity_texts: Texts
    triple_texts: Texts

    def entities(self, question: str) -> Floats:
        return self.entity_texts.cosines(content_words(question))

    def triples(self, question: str) -> Floats:
        return self.triple_texts.cosines(content_words(question))


@dataclass(frozen=True, slots=True, eq=False)
class ClueIndex:
    """`relation_names[r]` are the names of relation r in the table of aliases, or where it has none there the shortest
    of the relations with the same content words; `relations_named` has for a name its relations. `entity_texts` are of
    name words, the others of content words."""

    graph: TripleGraph
    aliases: AliasTable
    entity_texts: Texts
    relation_texts: Texts
    triple_texts: Texts
    relation_names: tuple[tuple[str, ...], ...]
    relations_named: Mapping[str, NDArray[np.int64]]
    similarity: Similarity

    def edges_of_relations(self, names: tuple[str, ...]) -> NDArray[np.bool_]:
        """Which edges have a relation of one of these names; shape (edges,)."""
        named = np.zeros(len(self.graph.relations), dtype=bool)
        for name in names:
            named[self.relations_named.get(name, [])] = True
        return np.asarray(named[self.graph.kinds], dtype=bool)


def clue_index(
    graph: TripleGraph, aliases: AliasTable | None = None, similarity: Similarity | None = None
) -> ClueIndex:
    """By default with the aliases that come with Clew, and with TF-IDF over the entities and triples."""
    aliases = aliases or load_aliases()
    entities = [content_words(entity) for entity in graph.entities]
    relations = [content_words(relation) for relation in graph.relations]
    parts = zip(graph.subjects, graph.kinds, graph.objects, strict=True)
    triples = [entities[s] + relations[r] + entities[o] for s, r, o in parts]
    triple_texts = Texts.of(triples)
    names = _relation_names(graph.relations, relations, aliases)
    return ClueIndex(
        graph=graph,
        aliases=aliases,
        entity_texts=Texts.of([name_words(entity) for entity in graph.entities]),
        relation_texts=Texts.of(relations),
        triple_texts=triple_texts,
        relation_names=names,
        relations_named=_inverted(names),
        similarity=similarity or TfidfSimilarity(Texts.of(entities), triple_texts),
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


def _inverted(names: tuple[tuple[str, ...], ...]) -> dict[str, NDArray[np.int64]]:
    found: dict[str, list[int]] = {}
    for relation, own in enumerate(names):
        for name in own:
            found.setdefault(name, []).append(relation)
    return {name: np.array(relations, np.int64) for name, relations in found.items()}

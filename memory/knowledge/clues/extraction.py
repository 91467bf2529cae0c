"""The clues of a question: entities, relations and type (seed 000, step 1)."""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from memory.knowledge.clues.aliases import QuestionType
from memory.knowledge.clues.datatypes import Clues
from memory.knowledge.clues.index import ClueIndex
from memory.words import content_words

PART_OF_NAME = 2
"""So many words in common make an entity a clue, where the question has not all of them."""
LONG_WORD = 4
"""Or one of so many letters."""

_QUESTION_WORDS: Mapping[str, QuestionType] = {
    "who": "who",
    "whom": "who",
    "whose": "who",
    "what": "what",
    "which": "what",
    "why": "why",
    "where": "where",
    "when": "when",
}
_ASKED_FOR: Mapping[QuestionType, frozenset[str]] = {
    "who": frozenset("person man woman actor actress director author writer singer composer founder inventor".split()),
    "where": frozenset("place country city town village state region province county continent location".split()),
    "when": frozenset("year date day month century decade time".split()),
    "why": frozenset(["reason"]),
}
"""What follows `what` or `which` where another of the question words is meant."""

_WORD = re.compile(r"[^\W_]+")


def question_type(question: str) -> QuestionType:
    """By the first question word, whole words only; `what` where there is none."""
    words = _WORD.findall(question.lower())
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if type_ := _QUESTION_WORDS.get(word):
            meant = (other for other, nouns in _ASKED_FOR.items() if following in nouns)
            return next(meant, type_) if type_ == "what" else type_
    return "what"


def extract_clues(question: str, index: ClueIndex, most: int) -> Clues:
    """At most `most` of the entities are those that the question has only in part."""
    words = content_words(question)
    mentions = index.aliases.mentions(question)
    spent = {word for mention in mentions for word in mention.words}
    entities = _entities(question, words, spent, index, most)
    relations = [*(mention.relation for mention in mentions), *_relations_by_name(words, index)]
    return Clues(tuple(entities), tuple(dict.fromkeys(relations)), question_type(question), tuple(words))


def _entities(question: str, words: Sequence[str], spent: set[str], index: ClueIndex, most: int) -> list[int]:
    """By token overlap: the entities whose words the question has all; and for its words that are left, those that
    share at least half of their own words with it, and of what is left two words or a long one."""
    texts = index.entity_texts
    shared = texts.shared(words)
    whole = np.flatnonzero((shared == texts.sizes) & (shared > 0))
    named = {word for node in whole for word in content_words(index.graph.entities[node])}
    left = [word for word in words if word not in named and word not in spent]
    long = [word for word in left if len(word) >= LONG_WORD]
    named_by_left = (texts.shared(left) >= PART_OF_NAME) | (texts.shared(long) > 0)
    part = np.flatnonzero(named_by_left & (2 * shared >= texts.sizes))
    nearest = part[np.argsort(-np.round(index.similarity.entities(question)[part], 9), kind="stable")][:most]
    return sorted([*whole.tolist(), *nearest.tolist()], key=lambda node: (_place(words, index, node), node))


def _place(words: Sequence[str], index: ClueIndex, node: int) -> int:
    """Where the question first has a word of the entity."""
    own = content_words(index.graph.entities[node])
    return min(words.index(word) for word in own if word in words)


def _relations_by_name(words: Sequence[str], index: ClueIndex) -> list[str]:
    """The graph's own relations that the table does not have, where the question has all their words."""
    texts = index.relation_texts
    shared = texts.shared(words)
    whole = np.flatnonzero((shared == texts.sizes) & (shared > 0)).tolist()
    return [
        index.graph.relations[kind] for kind in whole if index.relation_names[kind] == (index.graph.relations[kind],)
    ]

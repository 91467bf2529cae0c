"""The clues of a question: entities, relations and type (seed 000, step 1)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import get_args

import numpy as np

from clew.memory.knowledge.clues.clue_index import DIGITS, ClueIndex, NamedRelation, QuestionType, name_words
from clew.memory.text import content_words, stemmed_words, stems_and_words, word_lists

PART_OF_NAME = 2
"""So many words in common make an entity a clue, where the question has not all of them."""
LONG_WORD = 4
"""Or one of so many letters."""

_LISTS = word_lists(Path(__file__).with_suffix(".txt"))
_TYPES: Sequence[QuestionType] = get_args(QuestionType)
_QUESTION_WORDS = {word: type_ for type_ in _TYPES for word in _LISTS[type_]}
_ASKED_FOR = {noun: type_ for type_ in _TYPES for noun in _LISTS.get(f"what {type_}", ())}
"""What follows `what` or `which` where another type is meant."""


@dataclass(frozen=True, slots=True)
class QuestionClues:
    """Entities (nodes) and relations in the order in which the question names them, and its type. `words` are the stems
    of its content words. `asked` is the entity that is asked for by its kind, no name: the film of "what film was
    watched?"."""

    entities: tuple[int, ...]
    relations: tuple[str, ...]
    type: QuestionType
    words: tuple[str, ...]
    asked: int | None = None


_WORD = re.compile(r"[^\W_]+")


def question_type(question: str) -> QuestionType:
    """Question type (step 1): by the first question word, whole words only; `what` where there is none."""
    words = _WORD.findall(question.lower())
    for word, following in pairwise([*words, ""]):
        if type_ := _QUESTION_WORDS.get(word):
            return _ASKED_FOR.get(following, type_) if type_ == "what" else type_
    return "what"


def extract_clues(question: str, index: ClueIndex, most: int) -> QuestionClues:
    """Clue extraction (step 1). At most `most` of the entities are those that the question has only in part. The words
    of a name of several words name no relation."""
    whole = _named(question, index)
    in_names = {stem for node in whole if len(own := content_words(index.graph.entities[node])) > 1 for stem in own}
    relations = [relation for relation in index.aliases.mentions(question) if not in_names.issuperset(relation.words)]
    spent = {stem for relation in relations for stem in relation.words}
    entities = [*whole, *_named_in_part(question, whole, spent, index, most)]
    entities.sort(key=lambda node: (_place(question, node, index), node))
    relations += _by_their_own_words(question, in_names, index)
    relations.sort(key=lambda relation: relation.place)
    return QuestionClues(
        entities=tuple(entities),
        relations=tuple(dict.fromkeys(relation.relation for relation in relations)),
        type=question_type(question),
        words=tuple(content_words(question)),
        asked=next((node for node in entities if _asked_for(question, index.graph.entities[node])), None),
    )


def _asked_for(question: str, entity: str) -> bool:
    """Whether it stands behind `what` or `which` at the beginning, in small letters there and in the graph."""
    return re.match(rf"\W*(?:[Ww]hat|[Ww]hich)\s+{re.escape(entity)}\b", question) is not None


def _named(question: str, index: ClueIndex) -> list[int]:
    """By token overlap: the entities of which the question has all words."""
    texts = index.entity_names
    shared = texts.shared(name_words(question))
    return [int(node) for node in np.flatnonzero((shared == texts.sizes) & (shared > 0))]


def _named_in_part(question: str, whole: Sequence[int], spent: set[str], index: ClueIndex, most: int) -> list[int]:
    """By token overlap too: those that share with the rest of the question two words or a long one, and with all of it
    half of their own. A word that more than `most` entities have names none of them."""
    texts = index.entity_names
    named = {word for node in whole for word in name_words(index.graph.entities[node])}
    left = set(name_words(" ".join(word for stem, word in stems_and_words(question) if stem not in spent))) - named
    rest = sorted(word for word in left if texts.count(word) <= most)
    overlapping = texts.shared(rest) >= PART_OF_NAME
    overlapping |= texts.shared([word for word in rest if len(word) >= LONG_WORD]) > 0
    part = np.flatnonzero(overlapping & (2 * texts.shared(name_words(question)) >= texts.sizes))
    cosines = np.round(index.entity_cosines(question)[part], DIGITS)
    return [int(node) for node in part[np.argsort(-cosines, kind="stable")][:most]]


def _place(question: str, node: int, index: ClueIndex) -> int:
    """Where the question first has a word of the entity."""
    own = set(name_words(index.graph.entities[node]))
    return next(place for place, word in enumerate(name_words(question)) if word in own)


def _by_their_own_words(question: str, in_names: set[str], index: ClueIndex) -> Iterator[NamedRelation]:
    """The graph's own relations that the table does not have, where the question has all their words."""
    texts, stems = index.relation_texts, stemmed_words(question)
    shared = texts.shared([stem for stem in content_words(question) if stem not in in_names])
    for kind in np.flatnonzero((shared == texts.sizes) & (shared > 0)).tolist():
        own = content_words(index.graph.relations[kind])
        for name in index.relation_names[kind]:
            if name not in index.aliases.answers:
                yield NamedRelation(name, tuple(own), min(stems.index(stem) for stem in own))

"""Entities and relations from a spaCy pipeline, where one is installed (seed 001, section 2: `en_core_web_sm`).

What the pipeline does not have, the rules do: without entities of its own `entities`, without a parser `triples`.
"""

from collections.abc import Callable, Iterator
from typing import Any

from clew.memory.errors import NotSetUp
from clew.memory.knowledge.extraction import entities as rules
from clew.memory.knowledge.extraction.clauses import triples
from clew.memory.knowledge.extraction.lexicon import BE, past
from clew.memory.knowledge.extraction.mentions import EntityKind, Mention, RelationMention

KINDS: dict[str, EntityKind] = {
    "PERSON": "person", "PER": "person", "GPE": "place", "LOC": "place", "FAC": "place", "ORG": "organisation",
    "NORP": "name", "WORK_OF_ART": "work", "LAW": "work", "DATE": "date", "EVENT": "name", "PRODUCT": "name",
    "LANGUAGE": "name",
}  # fmt: skip
"""Those of spaCy's types that are kept; amounts, ordinals and times are no entities."""

SUBJECTS = frozenset({"nsubj", "nsubjpass", "nsubj:pass"})
PASSIVE = frozenset({"nsubjpass", "nsubj:pass"})
OBJECTS = frozenset({"dobj", "obj", "attr", "oprd", "dative"})


def load_pipeline(name: str = "en_core_web_sm") -> Any:
    """A spaCy `Language` by its name or path. Raises `NotSetUp` where spaCy or the pipeline is not installed."""
    try:
        import spacy
    except ImportError as error:
        raise NotSetUp("spaCy is not installed", "pip install spacy") from error
    try:
        return spacy.load(name)
    except OSError as error:
        raise NotSetUp(f"spaCy has no pipeline {name!r}", f"python -m spacy download {name}") from error


def extract(pipeline: Any, text: str, title: str = "") -> tuple[list[Mention], list[RelationMention]]:
    """What `entities` and `triples` give, by the pipeline as far as it goes."""
    doc = pipeline(text)
    mentions = _mentions(doc) if doc.has_annotation("ENT_IOB") and doc.ents else rules.entities(text, title)
    if not doc.has_annotation("DEP"):
        return mentions, triples(text, mentions)
    return mentions, list(dict.fromkeys(_triples(doc, mentions)))


def _mentions(doc: Any) -> list[Mention]:
    found = (
        Mention(entity.text, entity.start_char, entity.end_char, KINDS[entity.label_])
        for entity in doc.ents
        if entity.label_ in KINDS
    )
    return [mention for mention in found if rules.is_entity(mention)]


def _triples(doc: Any, mentions: list[Mention]) -> Iterator[RelationMention]:
    """Each verb's subjects with its objects, and with what its prepositions lead to."""
    at = {place: mention for mention in mentions for place in range(mention.start, mention.end)}

    def mention_of(token: Any) -> Mention | None:
        """The mention that a word, or the noun phrase that it heads, is."""
        for word in (token, *(child for child in token.children if child.dep_ in ("compound", "flat", "appos"))):
            if word.idx in at:
                return at[word.idx]
        return None

    for verb in doc:
        subjects = [child for child in verb.children if child.dep_ in SUBJECTS]
        if not subjects:
            continue
        sentence = verb.sent
        for subject, relation, obj in _of_verb(verb, subjects, mention_of):
            if subject.text != obj.text:
                yield RelationMention(subject, relation, obj, sentence.start_char, sentence.end_char)


def _of_verb(
    verb: Any, subjects: list[Any], mention_of: Callable[[Any], Mention | None]
) -> Iterator[tuple[Mention, str, Mention]]:
    for child in subjects:
        passive = child.dep_ in PASSIVE
        for subject in filter(None, map(mention_of, (child, *child.conjuncts))):
            for word, preposition in _objects(verb):
                for obj in filter(None, map(mention_of, (word, *word.conjuncts))):
                    if passive and preposition == "by" and obj.kind != "date":
                        yield obj, past(verb.lower_), subject
                    else:
                        says = (
                            preposition
                            if verb.lower_ in BE and " " in preposition
                            else f"{verb.lower_} {preposition}".strip()
                        )
                        yield subject, says, obj


def _objects(verb: Any) -> Iterator[tuple[Any, str]]:
    """The verb's objects, and the objects of its prepositions with these."""
    for child in verb.children:
        if child.dep_ in OBJECTS:
            yield child, ""
            for inner in child.children:
                if inner.dep_ == "prep":
                    yield from (
                        (word, f"{child.lower_} {inner.lower_}") for word in inner.children if word.dep_ == "pobj"
                    )
        elif child.dep_ in ("prep", "agent"):
            yield from ((word, child.lower_) for word in child.children if word.dep_ == "pobj")

"""What is extracted from a document, and extractors by name: the rules, a spaCy pipeline where one is installed, or a
language model.

A spaCy pipeline (seed 001, section 2: `en_core_web_sm`) gives what it has; without entities of its own those are by
rules, and without a parser the relations are.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from clew.memory.datatypes import Document
from clew.memory.errors import BadInput, NotSetUp, required
from clew.memory.instructions import speaks_to_a_model, told_together
from clew.memory.knowledge.extraction.aliases import normalised
from clew.memory.knowledge.extraction.clauses import by_rules, triples
from clew.memory.knowledge.extraction.entities import entities, is_entity, title_name
from clew.memory.knowledge.extraction.lexicon import BE, EntityKind, Mention, RelationMention, past
from clew.memory.knowledge.extraction.llm import Model, ModelExtractor
from clew.memory.text import Span, split, words

Extractor = Callable[[str, str], tuple[Sequence[Mention], Sequence[RelationMention]]]
"""Text and title of a document -> its mentions in order, and its relations."""

RULES = "rules"
SPACY = "spacy"
LLM = "llm"


@dataclass(frozen=True, slots=True)
class Chosen:
    """An extractor under the name that a library records: with that of its model, where it has one. After use `notes`
    says what did not go as it should, and `close` ends it."""

    name: str
    extract: Extractor
    notes: Callable[[], Sequence[str]] = tuple
    close: Callable[[], None] = lambda: None


def extractor_named(name: str, model: Model | None = None) -> Chosen:
    """`rules`, `spacy` (its `en_core_web_sm`), `spacy:PIPELINE`, a name or path, or `llm`: the `model`, whatever model
    a library records behind a colon.

    Raises `BadInput` for another name, `NotSetUp` where the pipeline is not installed or no model is configured.
    """
    kind, _, which = name.partition(":")
    if name == RULES:
        return Chosen(name, by_rules)
    if kind == SPACY:
        return Chosen(name, partial(by_pipeline, load_pipeline(which or "en_core_web_sm")))
    if kind != LLM:
        raise BadInput(f"there is no extractor '{name}'", f"--extractor {RULES}, {SPACY}, {SPACY}:PIPELINE or {LLM}")
    if model is None:
        wanted = f"the language model {which}" if which else "a language model"
        wrong = f"--extractor {LLM} wants {wanted}, and none is set up"
        raise NotSetUp(wrong, f"name it with --llm, or --extractor {RULES}")
    extractor = ModelExtractor(model)
    return Chosen(f"{LLM}:{model.writer.name}", extractor, lambda: extractor.notes, extractor.close)


SPACY_KINDS: dict[str, EntityKind] = {
    "PERSON": "person", "PER": "person", "GPE": "place", "LOC": "place", "FAC": "place", "ORG": "organisation",
    "NORP": "name", "WORK_OF_ART": "work", "LAW": "work", "DATE": "date", "EVENT": "name", "PRODUCT": "name",
    "LANGUAGE": "name",
}  # fmt: skip
"""Those of spaCy's types that are kept; amounts, ordinals and times are no entities."""

SUBJECTS = frozenset({"nsubj", "nsubjpass", "nsubj:pass"})
PASSIVE = frozenset({"nsubjpass", "nsubj:pass"})
OBJECTS = frozenset({"dobj", "obj", "attr", "oprd", "dative"})
PREPOSITIONS, IN_PHRASE = frozenset({"prep", "agent"}), frozenset({"compound", "flat", "appos"})


def load_pipeline(name: str) -> Any:
    """A spaCy `Language` by its name, or by a path that is written as one (`./mine`): the working folder may be
    somebody else's. Raises `NotSetUp` where spaCy or the pipeline is not installed."""
    spacy = required("spacy", f"--extractor {SPACY}", "spacy")
    try:
        if Path(name).name == name and not spacy.util.is_package(name):
            raise OSError(name)
        return spacy.load(name)
    except OSError as error:
        raise NotSetUp(f"spaCy has no pipeline {name!r}", f"python -m spacy download {name}") from error


def by_pipeline(pipeline: Any, text: str, title: str = "") -> tuple[list[Mention], list[RelationMention]]:
    """What `entities` and `triples` give, by the pipeline as far as it goes."""
    doc = pipeline(text)
    mentions = [
        Mention(one.text, one.start_char, one.end_char, SPACY_KINDS[one.label_])
        for one in doc.ents
        if one.label_ in SPACY_KINDS
    ]
    mentions = list(filter(is_entity, mentions)) if doc.ents else entities(text, title)
    if not doc.has_annotation("DEP"):
        return mentions, triples(text, mentions)
    return mentions, list(dict.fromkeys(_stated(doc, mentions)))


def _stated(doc: Any, mentions: list[Mention]) -> Iterator[RelationMention]:
    """Each verb's subjects with its objects, and with what its prepositions, and those of its objects, lead to."""
    at = {place: mention for mention in mentions for place in range(mention.start, mention.end)}

    def named(token: Any) -> list[Mention]:
        """The mentions that a word and those joined to it by `and` are, or the noun phrases that they head."""
        phrases = ([head, *(c for c in head.children if c.dep_ in IN_PHRASE)] for head in (token, *token.conjuncts))
        found = (next((at[word.idx] for word in phrase if word.idx in at), None) for phrase in phrases)
        return [mention for mention in found if mention]

    for verb in doc:
        span: Span = (verb.sent.start_char, verb.sent.end_char)
        objects = [(child, "") for child in verb.children if child.dep_ in OBJECTS]
        for head in (verb, *(child for child, _ in objects)):
            before = "" if head is verb else f"{head.lower_} "
            prepositions = [child for child in head.children if child.dep_ in PREPOSITIONS]
            objects += [
                (end, before + one.lower_) for one in prepositions for end in one.children if end.dep_ == "pobj"
            ]
        heads = [child for child in verb.children if child.dep_ in SUBJECTS]
        subjects = [(subject, head.dep_) for head in heads for subject in named(head)]
        for (subject, role), (word, phrase) in product(subjects, objects):
            for other in named(word):
                if subject.text == other.text:
                    continue
                if phrase == "by" and role in PASSIVE and other.kind != "date":
                    yield RelationMention(other, past(verb.lower_), subject, *span)
                else:
                    noun_of = verb.lower_ in BE and " " in phrase
                    relation = phrase if noun_of else f"{verb.lower_} {phrase}".strip()
                    yield RelationMention(subject, relation, other, *span)


TITLE = -1
"""The number of the sentence that a title is."""


class DocumentEntity(NamedTuple):
    """An entity as sentence number `sentence` of the document, or its title, writes it; `given` with a triple."""

    sentence: int
    text: str
    kind: str
    given: bool = False


class DocumentRelation(NamedTuple):
    """A relation between two entities of the document, by their places among its names, that a sentence states."""

    sentence: int
    subject: int
    verb: str
    object: int
    given: bool = False


@dataclass(slots=True)
class Extraction:
    """Sentences as spans, in order; the names with their places, each once for a sentence; the relations."""

    sentences: list[Span]
    names: dict[DocumentEntity, int] = field(default_factory=dict)
    relations: list[DocumentRelation] = field(default_factory=list)

    def place(self, named: DocumentEntity) -> int:
        return self.names.setdefault(named, len(self.names))


def extract_document(document: Document, triples: Iterable[tuple[str, ...]], extractor: Extractor | None) -> Extraction:
    """By the extractor (None: not) and from the `triples` that came with the document (those with three parts). Of a
    sentence that speaks to a language model nothing is taken, nor of such a triple."""
    found = Extraction(list(split(document.text)))
    title = title_name(document.title)
    if is_entity(Mention(title, 0, len(title))):
        found.place(DocumentEntity(TITLE, title, "name"))
    if extractor:
        _add_extracted(found, document, extractor)
    whole = [triple for triple in triples if len(triple) == 3 and all(map(normalised, triple))]
    _add_given(found, document, [triple for triple in whole if not speaks_to_a_model(" ".join(triple))])
    return found


def _add_extracted(found: Extraction, document: Document, extractor: Extractor) -> None:
    starts = [start for start, _ in found.sentences]

    def sentence_at(place: int) -> int:
        return max(0, bisect_right(starts, place) - 1)

    def place_of(mention: Mention) -> int:
        return found.place(DocumentEntity(sentence_at(mention.start), mention.text, mention.kind))

    mentions, relations = extractor(document.text, document.title)
    named = {sentence_at(mention.start) for mention in mentions} | {sentence_at(one.start) for one in relations}
    together = list(told_together(document.text))
    of_start = [bisect_right(together, (start, len(document.text))) - 1 for start in starts]
    said = [" ".join(document.text[start:end].split()) for start, end in together]
    ordered = {n for n in named if n < len(starts) and speaks_to_a_model(said[of_start[n]])}
    for mention in mentions:
        if sentence_at(mention.start) not in ordered:
            place_of(mention)
    for one in relations:
        ends = (one.subject, one.object)
        if ordered.isdisjoint(map(sentence_at, (one.start, *(end.start for end in ends)))):
            subject, object_ = map(place_of, ends)
            found.relations.append(DocumentRelation(sentence_at(one.start), subject, one.relation, object_))


def _add_given(found: Extraction, document: Document, triples: Sequence[tuple[str, ...]]) -> None:
    """The ends of each triple, in every sentence that has their words, else in the first of those that share the most
    words with the triple; the triple in the latter, where both of its ends are or no sentence has both."""
    texts = [_worded(document.text[start:end]) for start, end in found.sentences] if triples else []
    where: dict[str, list[int]] = {}
    for triple in triples:
        subject, verb, object_ = triple
        wanted = set(words(" ".join(triple)))
        shared = [len(wanted.intersection(text.split())) for text in texts]
        likest = shared.index(max(shared))
        for end in (subject, object_):
            if end not in where:
                said = _worded(end)
                where[end] = [n for n, text in enumerate(texts) if said.strip() and said in text] or [likest]
                for sentence in where[end]:
                    found.place(DocumentEntity(sentence, end, "name", given=True))
        both = set(where[subject]) & set(where[object_])
        sentence = likest if likest in both or not both else min(both)
        ends = [found.place(DocumentEntity(where[end][0], end, "name", given=True)) for end in (subject, object_)]
        found.relations.append(DocumentRelation(sentence, ends[0], verb, ends[1], given=True))


def _worded(text: str) -> str:
    """Its words with a space around each, so that a name is found in it by its words in a row."""
    return f" {' '.join(words(text))} "

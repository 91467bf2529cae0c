"""What is extracted from one document: its sentences, the entities each of them names, the relations it states."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from clew.memory.datatypes import Document
from clew.memory.instructions import speaks_to_a_model
from clew.memory.knowledge.extraction.aliases import normalised
from clew.memory.knowledge.extraction.entities import is_entity, title_name
from clew.memory.knowledge.extraction.extractors import Extractor
from clew.memory.knowledge.extraction.mentions import Mention
from clew.memory.text import Span, split, words

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
    found = Extraction(split(document.text))
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
    ordered = {n for n in named if n < len(starts) and speaks_to_a_model(_sentence(document, found.sentences[n]))}
    for mention in mentions:
        if sentence_at(mention.start) not in ordered:
            place_of(mention)
    for one in relations:
        ends = (one.subject, one.object)
        if ordered.isdisjoint(map(sentence_at, (one.start, *(end.start for end in ends)))):
            subject, object_ = map(place_of, ends)
            found.relations.append(DocumentRelation(sentence_at(one.start), subject, one.relation, object_))


def _sentence(document: Document, span: Span) -> str:
    return " ".join(document.text[slice(*span)].split())


def _add_given(found: Extraction, document: Document, triples: Sequence[tuple[str, ...]]) -> None:
    texts = [_worded(document.text[start:end]) for start, end in found.sentences] if triples else []
    where: dict[str, list[int]] = {}
    for triple in triples:
        subject, verb, object_ = triple
        likest = _likest(triple, texts)
        for end in (subject, object_):
            if end not in where:
                where[end] = list(_sentences_with(end, texts)) or [likest]
                for sentence in where[end]:
                    found.place(DocumentEntity(sentence, end, "name", given=True))
        both = set(where[subject]) & set(where[object_])
        sentence = likest if likest in both or not both else min(both)
        ends = [found.place(DocumentEntity(where[end][0], end, "name", given=True)) for end in (subject, object_)]
        found.relations.append(DocumentRelation(sentence, ends[0], verb, ends[1], given=True))


def _likest(triple: tuple[str, ...], texts: Sequence[str]) -> int:
    """The first of the sentences that share the most words with the triple."""
    wanted = {word for part in triple for word in words(part)}
    shared = [len(wanted.intersection(text.split())) for text in texts]
    return shared.index(max(shared))


def _sentences_with(name: str, texts: Sequence[str]) -> Iterator[int]:
    """The sentences that have the words of the name in a row."""
    wanted = _worded(name)
    if wanted.strip():
        yield from (number for number, text in enumerate(texts) if wanted in text)


def _worded(text: str) -> str:
    return f" {' '.join(words(text))} "

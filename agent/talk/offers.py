"""Questions that Clew offers: with a greeting, on an empty page, after an answer. They stand in a document, or are made
of titles and of headings with text below, so that nearly all of them can be answered."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, pairwise
from typing import NamedTuple

from clew.agent.answer.citations import same_words
from clew.agent.answer.corpus_answers import bare, offer
from clew.agent.search.lookups import library_language
from clew.agent.state import UNANSWERED, Turn
from clew.memory.datatypes import Document, Mark
from clew.memory.knowledge.document_parts import is_code
from clew.memory.knowledge.library import Library, LibraryStore
from clew.memory.knowledge.loaders.plain_text import CODE_ENDINGS
from clew.memory.language.joined_questions import joined_questions
from clew.memory.language.telling import language_of
from clew.memory.text import content_words, words, written_words

WANTED, BESIDE, LOOKED_AT, LOOKED_IN = 3, 8, 150, 20
"""Questions offered at once; documents of an answer considered; chunks sampled for an empty page; documents of
these."""

TOLD_BY = 2_000
"""Characters by which the language of a document is recognised."""

LONGEST, FEWEST = 14, 6
"""Words of an offered question, a title or a heading at most; words that must stand below it at least."""

_ASKS = re.compile(r"^[ \t#*>]*(?:\(?\d+[.)]\)?[ \t]*)?([A-Z¿][^?.!:\n]+\?)[ *\r]*$", re.MULTILINE)


class Offer(NamedTuple):
    """A question, the range of its document that answers it, and the heading that it was made of."""

    question: str
    start: int
    end: int
    heading: str = ""


def shown_off(library: Library) -> list[tuple[str, ...]]:
    """What an empty page offers, in the language of the documents; each is a tuple of questions to ask in turn: about
    all documents; one with a follow-up; one over two documents (about a heading, else a name), or one that stands in a
    document; else what a document is about."""
    chunks = library.store.sample(LOOKED_AT) if library.manifest.chunks else ()
    found = list(dict.fromkeys(chunk.document for chunk in chunks))
    documents = library.store.documents(found[:: len(found) // LOOKED_IN + 1])
    language = library_language(library)
    headed = [(one.title, [its.heading for its in _headed(one, language)]) for one in documents]
    leaning = ((offer(language, its[0], of), offer(language, its[1])) for of, its in reversed(headed) if its[1:])
    over_two = (
        (offer(language, next(iter(shared)), one, other),)
        for (one, its), (other, others) in combinations(headed, 2)
        if one != other and (shared := [heading for heading in its if heading in others])
    )
    asked = ((offer.question,) for one in documents for offer in _asked_in(one))
    about = [(question,) for one in documents for question in _about(one.title, language)]
    of_name = ((offer(language, name, *titles),) for name, *titles in _named_in_two(library, documents))
    firsts = (next(each, None) for each in (leaning, chain(over_two, of_name), asked))
    return [(offer(language),), *filter(None, firsts), *about][: WANTED + 1]


def next_questions(turns: Sequence[Turn], store: LibraryStore) -> list[str]:
    """What to ask after the last answer: what may have been meant, or lies nearest to what is not answered; else at
    most three new questions about the documents that it cites, two of them about the first; if there are too few, what
    these are about, and what was already answered."""
    answer = turns[-1].answer if turns else UNANSWERED
    unclear = answer.outcome == "unclear"
    nearest = [title if unclear else offer(turns[-1].language, "", title) for title in answer.nearest]
    meant = [answer.offered, *nearest] if answer.offered else nearest
    cited = dict.fromkeys(answer.sources[number - 1].document for claim in answer.claims for number in claim.cites)
    if answer.refused or unclear or not any(cited):
        return meant
    try:
        first, *others = store.documents([*filter(None, cited)][:BESIDE])
    except KeyError:  # of another library
        return meant
    language = turns[-1].language or language_of(first.text[:TOLD_BY])
    quoted = [quote.start for claim in answer.claims for quote in claim.quotes if quote.document == first.id]
    offers = [*_asked_in(first), *_headed(first, language)]
    offers.sort(key=lambda one: one.start < max(quoted, default=0))  # what stands behind comes first
    told = [one.question for one in offers if any(one.start <= place < one.end for place in quoted)]
    own = [one.question for one in offers if one.question not in told]
    beside = [one for other in others for one in _about(other.title, language)]
    made = dict.fromkeys([*own[: WANTED - 1], *beside[:1], *_about(first.title, language), *beside, *own, *told])
    known = {same_words(one) for turn in turns for one in (turn.question, turn.rewritten)}
    return [*meant, *[one for one in made if same_words(one) not in known][:WANTED]]


def _named_in_two(library: Library, documents: Sequence[Document]) -> Iterator[tuple[str, str, str]]:
    """A name, and the titles of two documents that have it in a whole sentence, neither as a mere word."""
    if not (documents and library.store.whole):
        return
    layers, texts = library.store.part().layers, [{*written_words(one.text)} for one in documents]
    for entity in layers.joining.tolist():
        name = layers.entities[entity].name
        told = re.compile(rf"\b{re.escape(name)}\b[^\n|]*[.!]$", re.MULTILINE)
        found = [
            one
            for one, its in zip(documents, texts, strict=True)
            if name.lower() not in its and told.search(one.text) and name not in one.title and _is_short(one.title)
        ]
        if len({one.title for one in found}) > 1:
            yield name, found[0].title, found[-1].title


def _about(title: str, language: str) -> list[str]:
    return [offer(language, "", title)] if _is_short(title) else []


def _asked_in(document: Document) -> Iterator[Offer]:
    """Questions that stand on a line of their own in the document, with text below."""
    text, headings = document.text, {mark.start for mark in document.headings}
    found = [one for one in _ASKS.finditer(text) if len(content_words(one[1])) > 1 and len(words(one[1])) <= LONGEST]
    for one, end in zip(found, [*(one.start() for one in found[1:]), len(text)], strict=False):
        sure = (len(found) > 1 or one.start() in headings) and len(joined_questions(one[1])) == 1
        if sure and len(words(text[one.end() : end])) >= FEWEST:
            yield Offer(one[1], one.start(), end)


def _headed(document: Document, language: str) -> Iterator[Offer]:
    """Questions made of headings that are no questions and no code, differ from the title, and have text below."""
    if document.source.lower().endswith(CODE_ENDINGS):
        return
    for mark, (end, _) in pairwise([*document.headings, Mark(len(document.text), "")]):
        heading, text = bare(mark.text), document.text[mark.start : end].partition("\n")[2]
        says = same_words(document.title) not in same_words(heading) and not heading.endswith("?")
        told = len(text.split()) >= FEWEST and (" | " not in text or "\n" in text.strip())  # more than heads of columns
        names = _is_short(heading) and _is_short(document.title)
        if says and names and told and not is_code(heading, [(0, len(heading))]):
            yield Offer(offer(language, heading, document.title), mark.start, end, heading)


def _is_short(name: str) -> bool:
    return 0 < len(words(name)) <= LONGEST and not set("“”\n") & set(name)

"""Who wrote a paper: the lines between its title and its abstract, which are no sentence."""

import re
from collections.abc import Sequence

from clew.agent.state import Answer, Claim, Quote
from clew.memory.datatypes import Document, Passage
from clew.memory.knowledge.library import LibraryStore
from clew.memory.text import content_words, stripped, written_words
from clew.tools.base import passages_of

OPENING, LONGEST_BYLINE = 900, 60
"""Characters of a document in which its abstract begins; words of the lines with its authors."""

MOST = 4
"""Documents whose title has the words of the question."""

_ASKS = re.compile(
    r"\bwho (?:\w+ )?(?:wrote|has written|had written|writes)\b|\bwritten by wh(?:om|o)\b"
    r"|\bwho (?:is|are|was|were) (?:\w+ )?(?:the )?authors?\b|\bby whom (?:is|was|were|are)\b.*\bwritten\b"
    r"|\bwhat (?:is|are|was|were) the authors?\b|\bnames? of the authors?\b",
    re.IGNORECASE,
)
_ABSTRACT = re.compile(r"\b(?:Abstract|ABSTRACT|Summary|Contents|Table of Contents)\b|\n\s*(?:1\.? )?Introduction\s*\n")
_DATE = re.compile(
    r"\b(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? (?:\d{1,2}, )?(?:19|20)\d\d\b|\n\s*1\.? [A-Z]"
)
"""What ends the lines at the head of a page that has no abstract: the day, or the first section."""

_PERSON = re.compile(
    r"\b[A-ZÀ-Þ][\w'’-]+ (?:[A-ZÀ-Þ]\.? )*(?:(?:de|von|van|der|la|di|da) )*[A-ZÀ-Þ][\w'’-]+\b"
    r"(?! (?:Team|Group|Project|Committee|Foundation)\b)(?<! Team)(?<! Group)"
)
_NO_TOPIC = frozenset(
    content_words(
        "who wrote write writes written author authors by paper papers article articles document documents text"
        " vignette manual guide report book booklet package study pdf file name names essay thesis chapter original"
    )
)


def byline(question: str, passages: Sequence[Passage], store: LibraryStore) -> Answer | None:
    """None where nobody is asked for who wrote something, or no document whose title has the question's words opens
    with people before its abstract. Without such words it is asked of the document that was found first."""
    if not _ASKS.search(question):
        return None
    topic = " ".join(word for word in written_words(question) if set(content_words(word)) - _NO_TOPIC)
    found = [one.document for one in passages[:1]]
    if topic:
        called = {one.id for one in store.catalogue.called(topic)}
        found = [*dict.fromkeys(one.document for one in passages if one.document in called), *sorted(called)]
    for document in store.documents(list(dict.fromkeys(found))[:MOST]):
        if said := _authors(document):
            return _answer(said, store)
    return None


def _authors(document: Document) -> Quote | None:
    opening = document.text[:OPENING]
    title = re.match(r"\W*" + r"\s+".join(map(re.escape, document.title.split())), opening)
    above = title.end() if title else 0
    abstract = _ABSTRACT.search(opening, above) or (_DATE.search(opening, above) if document.pages else None)
    if abstract is None:
        return None
    start, end = stripped(opening, above, abstract.start())
    text = opening[start:end]
    if not _PERSON.search(text) or len(text.split()) > LONGEST_BYLINE:
        return None
    return Quote(document.id, start, end, text)


def _answer(said: Quote, store: LibraryStore) -> Answer | None:
    """With the first passage of the document that has these words."""
    chunks = store.chunks(store.vocabulary.holding(written_words(said.text)[:2], frozenset({said.document})))
    held = sorted(passages_of(chunks, "byline"), key=lambda one: one.start)
    claim = Claim(" ".join(said.text.split()), (1,), start=said.start, quotes=(said,))
    return Answer("answered", (claim,), (held[0],), form="fact") if held else None

"""The evidence of an answer: passages in reading order, with the sentences that may be quoted, their words and vectors.

A sentence has beside it what has to be read with it to be understood.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise

from clew.agent.answer.times import TimedSentence, diary_entries, timed_sentence
from clew.agent.search.rounds import said_by
from clew.memory.datatypes import Document, Passage, Vectors
from clew.memory.dates import date_of, written_out
from clew.memory.knowledge.embedding import embedded_text
from clew.memory.ports import Encoder
from clew.memory.text import content_word_sets, split, words
from clew.memory.titles import names_of

ContentWords = frozenset[str]

READ = 8
"""Passages that are read for an answer."""

LONGEST = 90
"""Words of a sentence that may be quoted."""

SHORTEST = 3
"""Words that are worth quoting."""

MOST_ITEMS = 8

SHORTEST_TITLE = 4
"""Letters of a title that is looked for in a sentence."""

ITEM = re.compile(r"(?:[-*+•‣◦▪·●–]\s|\(?(?:\d{1,2}|[a-z]|[ivx]{1,5})[.)]\s)")
"""How an item of a list begins."""

PRONOUN = re.compile(r"(?:It|He|She|They|This|These|Those|Its|His|Her|Their)\b")

NAMED = re.compile(r"(?<!^)(?<![.?!] )\b(?:[A-Z][\w'-]+|\d[\w.,]*\w|\d)")
"""A name or a number in a question; a word that only begins a sentence is none."""

_REFERENCE = re.compile(r"\s*\[\d+(?:\s*[,;\u2013-]\s*\d+)*\]")
"""A document's own `[1]`, which would pass for a citation of the answer's."""

_CAPITALS = r"[A-Z][A-Z .,:;&'’-]{4,}[A-Z.]"
_RUNNING_HEAD = re.compile(rf"^[ \t]*(?:\d{{1,4}}[ \t]+{_CAPITALS}|{_CAPITALS}[ \t]+\d{{1,4}})[ \t]*$", re.MULTILINE)
"""A line in capitals with a page's number, that a page break has put into a sentence."""

_GOES_ON = re.compile(r"\b(?:a|an|and|at|by|for|from|in|of|on|or|the|to|with)$")
"""The end of a line of a title page or an address that the next line goes on with."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence of a passage: the passage's place in the list, where it begins in the document, the sentence before
    and the sentence behind it, and the items that it announces with a colon. `original` has what a page break put into
    it; `of_lines` are several lines that are one phrase. `aside` is put behind it, its date and what was before;
    `older` is the passage that says that."""

    text: str
    passage: int
    position: int
    original: str
    before: str = ""
    behind: str = ""
    items: tuple[str, ...] = ()
    of_lines: bool = False
    aside: str = ""
    older: int | None = None


@dataclass(frozen=True, eq=False)
class Evidence:
    """Of at most `READ` passages. What the judge and the selection of sentences both need is here, and is computed when
    it is first asked for. `documents` are those of the passages, by id, for their dates; `today` is ISO 8601, or
    empty."""

    passages: tuple[Passage, ...]
    encoder: Encoder
    documents: Mapping[str, Document] = field(default_factory=dict)
    today: str = ""

    @cached_property
    def sentences(self) -> list[Candidate]:
        return candidates(self.passages, LONGEST)

    @cached_property
    def timed(self) -> list[TimedSentence]:
        """The sentences with their times."""
        passages = [self.passages[one.passage] for one in self.sentences]
        entries = {id_: diary_entries(document) for id_, document in self.documents.items()}
        return [
            timed_sentence(one.text, one.position, self.documents.get(id_), passage.title, entries.get(id_))
            for one, passage in zip(self.sentences, passages, strict=True)
            for id_ in [passage.document]
        ]

    @cached_property
    def passage_words(self) -> list[ContentWords]:
        """The content words of each passage, its title, heading and date among them."""
        return content_word_sets([said_by(passage) for passage in self.passages])

    @cached_property
    def heading_words(self) -> list[ContentWords]:
        """The content words of each passage's title, heading and date."""
        dated = [f"{p.title} {p.heading} {date_of(p.date).text}" for p in self.passages]
        return content_word_sets([written_out(text) for text in dated])

    @cached_property
    def title_words(self) -> list[ContentWords]:
        """The content words of what each passage is called."""
        return content_word_sets([title_of(passage) for passage in self.passages])

    @cached_property
    def sentence_words(self) -> list[ContentWords]:
        """The content words of each sentence."""
        return content_word_sets([written_out(sentence.text) for sentence in self.sentences])

    @cached_property
    def words(self) -> ContentWords:
        """The content words of all passages together."""
        return frozenset().union(*self.passage_words)

    @cached_property
    def passage_vectors(self) -> Vectors:
        """Shape (passages, d); embedded as they were indexed, so from the cache."""
        return self.encoder.encode([embedded_text(passage) for passage in self.passages], "passage")

    @cached_property
    def sentence_vectors(self) -> Vectors:
        """Shape (sentences, d)."""
        return self.encoder.encode([sentence.text for sentence in self.sentences], "passage")

    @cached_property
    def _rarity(self) -> tuple[int, Counter[str]]:
        words = content_word_sets([sentence.original for sentence in self.sentences])
        return len(words), Counter(chain.from_iterable(words))

    def word_weights(self, words: Mapping[str, float]) -> dict[str, float]:
        """Stem -> weight, summing to 1: a word that many of the sentences hold says little of which of them answers."""
        count, counts = self._rarity
        rarity = {stem: weight * math.log(1 + count / (1 + counts[stem])) for stem, weight in words.items()}
        total = sum(rarity.values()) or 1.0
        return {stem: weight / total for stem, weight in rarity.items()}


def shares_held(weights: Mapping[str, float], texts: Sequence[ContentWords]) -> list[float]:
    """The share of the question's words that each text, by its words, holds."""
    return [sum(weight for stem, weight in weights.items() if stem in held) for held in texts]


def title_of(passage: Passage) -> str:
    """Where there is no title, the first line does for one."""
    return passage.title or passage.heading or passage.text.lstrip().split("\n", 1)[0][:100]


def evidence_of(
    passages: Sequence[Passage], encoder: Encoder, documents: Iterable[Document] = (), today: str = ""
) -> Evidence:
    return Evidence(tuple(passages[:READ]), encoder, {document.id: document for document in documents}, today)


def candidates(passages: Sequence[Passage], longest: int) -> list[Candidate]:
    """Each sentence of the passages once: chunks overlap, and documents repeat each other, but those of another date
    count. At most `longest` words.

    Of two chunks that have a sentence the first is cited, unless only the other goes on to what it announces.
    """
    found: dict[tuple[str, str], Candidate] = {}
    for number, passage in enumerate(passages):
        for candidate in _of_passage(passage, number):
            key = candidate.text.casefold(), passage.date
            known = found.get(key)
            if known is None:
                if SHORTEST <= len(candidate.text.split()) <= longest:
                    found[key] = candidate
            elif candidate.items and not known.items:
                found[key] = candidate
    return list(found.values())


def _of_passage(passage: Passage, number: int) -> Iterator[Candidate]:
    spans = list(_whole_lines(passage.text))
    texts = [_readable(passage.text[start:end]) for start, end, _ in spans]
    for place, ((start, end, of_lines), text) in enumerate(zip(spans, texts, strict=True)):
        before = texts[place - 1] if place else ""
        behind = texts[place + 1] if place + 1 < len(texts) else ""
        items = _items(texts[place + 1 :]) if text.endswith(":") else ()
        position, original = passage.start + start, passage.text[start:end]
        yield Candidate(text, number, position, original, before, behind, items, of_lines)


def _whole_lines(text: str) -> Iterator[tuple[int, int, bool]]:
    """The sentences; lines that are one phrase, as on a title page, are one, and the last value says so."""
    spans = split(text)
    first = 0
    for place, (one, other) in enumerate(pairwise(spans), 1):
        goes_on = _GOES_ON.search(text, *one) and text.count("\n", one[1], other[0]) == 1
        if not goes_on:
            yield spans[first][0], one[1], place - first > 1
            first = place
    if spans:
        yield spans[first][0], spans[-1][1], len(spans) - first > 1


def _items(following: Sequence[str]) -> tuple[str, ...]:
    """The items of the list that begins here; where none does, the one sentence that follows."""
    items: list[str] = []
    for text in following[:MOST_ITEMS]:
        if not ITEM.match(text):
            break
        items.append(text)
    return tuple(items or following[:1])


def _readable(text: str) -> str:
    return _REFERENCE.sub("", " ".join((_RUNNING_HEAD.sub(" ", text).strip() or text).split()))


def named_passages(text: str, question: str, passages: Sequence[Passage]) -> list[int]:
    """The places of the passages whose title a sentence names and the question does not: the second step of a question
    of two steps.

    'Toad Hall is a residential hall in Australian National University' answers in which city Toad Hall lies only with
    the sentence of the passage 'Australian National University' that says where that is.
    """
    padded, known = _padded(text), _padded(question)
    return [
        place
        for place, passage in enumerate(passages)
        if any(name in padded and name not in known for name in _title_names(passage.title))
    ]


def _title_names(title: str) -> list[str]:
    padded = [_padded(name) for name in names_of(title)] if title.strip() else []
    return [name for name in padded if len(name.strip()) >= SHORTEST_TITLE]


def _padded(text: str) -> str:
    return f" {' '.join(words(text))} "

"""The evidence of an answer: passages in reading order, with the cores that may be quoted, their words and vectors."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from clew.agent.answer.asked import asked
from clew.agent.answer.cores import Core, cores_of
from clew.agent.answer.structure import RUNNING_HEAD
from clew.agent.answer.times import TimedSentence, diary_entries, timed_sentence
from clew.agent.answer.values import values_of
from clew.agent.search.rounds import said_by
from clew.memory.datatypes import Document, Passage, Vectors
from clew.memory.dates import written_out
from clew.memory.dialogue.graded import other_forms
from clew.memory.dialogue.word_classes import LISTS
from clew.memory.knowledge.catalogue import pointed_at
from clew.memory.knowledge.embedding import embedded_text
from clew.memory.ports import Encoder, Vocabulary
from clew.memory.text import content_words, held_word_sets, words, written_words
from clew.memory.titles import names_of

ContentWords = frozenset[str]

READ = 8
"""Passages that are read for an answer."""

SHORTEST_SLIP, LONGEST_SHORT = 5, 6
"""Letters of a word that may be meant for one that is spelt nearly alike; up to how many it is short."""

SHORTEST_TITLE = 4
"""Letters of a title that is looked for in a sentence."""

_OWN_PEOPLE = re.compile(r"\b(?:can|could|may|might|must|should|do|does|will|would) (?:my|our) ([a-z]+)", re.IGNORECASE)
"""'Can my wife use it too?'"""
NAMED = re.compile(r"(?<!^)(?<![.?!] )\b(?!I')(?:[A-Z][\w'-]+|\d[\w.,]*\w|\d)")
"""A name or a number in a question; a word that only begins a sentence is none, nor is `I'm`."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Of at most `READ` passages. What the judge and the selection of units both need is here, and is computed when
    it is first asked for. `documents` are those of the passages, by id, for their dates; `today` is ISO 8601, or
    empty; `vocabulary` is the library's."""

    passages: tuple[Passage, ...]
    encoder: Encoder
    documents: Mapping[str, Document] = field(default_factory=dict)
    today: str = ""
    vocabulary: Vocabulary | None = None

    @cached_property
    def cores(self) -> list[Core]:
        """Without running heads that stand alone."""
        return [core for core in cores_of(self.passages, self.documents) if core.text]

    @cached_property
    def texts(self) -> list[str]:
        """Of the cores, a line each."""
        return [core.text for core in self.cores]

    @cached_property
    def heads(self) -> list[str]:
        """What stands above each core: what announces it, its heading, the title."""
        return [head_of(core, self.passages[core.passage]) for core in self.cores]

    @cached_property
    def timed(self) -> list[TimedSentence]:
        """The cores with their times."""
        passages = [self.passages[core.passage] for core in self.cores]
        entries = {id_: diary_entries(document) for id_, document in self.documents.items()}
        return [
            timed_sentence(text, core.position, self.documents.get(id_), passage.title, entries.get(id_), core.head)
            for text, core, passage in zip(self.texts, self.cores, passages, strict=True)
            for id_ in [passage.document]
        ]

    @cached_property
    def passage_words(self) -> list[ContentWords]:
        """The content words of each passage, its title, heading and date among them."""
        return [with_forms(held) for held in held_word_sets([said_by(passage) for passage in self.passages])]

    @cached_property
    def title_words(self) -> list[ContentWords]:
        """The content words of what each passage is called."""
        return held_word_sets([title_of(passage) for passage in self.passages])

    @cached_property
    def core_words(self) -> list[ContentWords]:
        """The content words of each core."""
        return [with_forms(held) for held in held_word_sets([written_out(text) for text in self.texts])]

    @cached_property
    def words(self) -> ContentWords:
        """The content words of all passages together."""
        return frozenset().union(*self.passage_words)

    @cached_property
    def spelt(self) -> frozenset[str]:
        """The words of all passages as they are spelt, in lower case, and each with an s more and less: to have rusted
        is not Rust."""
        found = {word for passage in self.passages for word in words(said_by(passage))}
        return frozenset({*found, *(f"{word}s" for word in found), *(word.removesuffix("s") for word in found)})

    @cached_property
    def week_days(self) -> frozenset[int]:
        """The days of the week that are named, from 0 for Monday: of `Mon-Fri` five."""
        return frozenset().union(*(values_of(text).days for text in self.texts))

    @cached_property
    def running_words(self) -> ContentWords:
        """Those of the running heads of pages."""
        return frozenset(content_words(" ".join(m[0] for p in self.passages for m in RUNNING_HEAD.finditer(p.text))))

    @cached_property
    def told_words(self) -> ContentWords:
        """Those that stand in a core, a heading or a title, and not in running heads alone."""
        heads = [RUNNING_HEAD.sub("", head) for head in self.heads]
        return frozenset().union(*self.core_words, *self.title_words, *held_word_sets(heads))

    @cached_property
    def passage_vectors(self) -> Vectors:
        """Shape (passages, d); embedded as they were indexed, so from the cache."""
        return self.encoder.encode([embedded_text(passage) for passage in self.passages], "passage")

    @cached_property
    def core_vectors(self) -> Vectors:
        """Shape (cores, d)."""
        return self.encoder.encode(self.texts, "passage")

    @cached_property
    def head_vectors(self) -> Vectors:
        """Shape (cores, d)."""
        return self.encoder.encode(self.heads, "passage")

    @cached_property
    def _rarity(self) -> Counter[str]:
        return Counter(chain.from_iterable(self.core_words))

    def lacked(self, question: str) -> list[str]:
        """The words of a question that the whole library lacks, where that is known; with other accents it has them,
        and what the evidence has in another spelling ("yeats", yeast) is not lacked, but for names. For whom of one's
        own something is asked ("can my wife use it too?") no document need say."""
        found = list(dict.fromkeys(word for word in written_words(question) if content_words(word)))
        if self.vocabulary is None or not found:
            return []
        lacked = [word for word, count in zip(found, self.vocabulary.counts(found), strict=True) if not count]
        lacked = [word for word in lacked if not self.words.issuperset(content_words(word.replace("-", " ")))]
        lacked = [word for word in lacked if not self._has_with_hyphen(word.casefold())]
        lacked = [word for word in lacked if not (days := values_of(word).days) or days.isdisjoint(self.week_days)]
        wanted = asked(question)
        own = {one.casefold() for one in _OWN_PEOPLE.findall(question) if one.casefold() in LISTS["people"]}
        lacked = [word for word in lacked if word not in own | pointed_at(question)]
        held = any(map(wanted.holds, self.texts))
        lacked = [word for word in lacked if not (held and wanted.is_kind(word))]
        slips = [word for word in lacked if word.islower() and len(word) >= SHORTEST_SLIP]
        near = dict(zip(slips, self.vocabulary.near(slips), strict=True))
        meant = {slip: others[0] for slip, others in near.items() if others and _is_slip(slip, others[0])}
        spelt = {slip for slip, other in meant.items() if self.words.issuperset(content_words(other))}
        return [word for word in lacked if word not in spelt]

    def _has_with_hyphen(self, word: str) -> bool:
        """'Wi-Fi', for 'wifi'."""
        told = " ".join(self.texts).casefold()
        return any(f"{word[:at]}-{word[at:]}" in told for at in range(2, len(word) - 1))

    def word_weights(self, words: Mapping[str, float]) -> dict[str, float]:
        """Stem -> weight, summing to 1: a word that many of the cores hold says little of which of them answers."""
        count, counts = len(self.cores), self._rarity
        rarity = {stem: weight * math.log(1 + count / (1 + counts[stem])) for stem, weight in words.items()}
        total = sum(rarity.values()) or 1.0
        return {stem: weight / total for stem, weight in rarity.items()}


def _is_slip(word: str, other: str) -> bool:
    """Whether one may be meant for the other: of short words not by another letter alone, as bread is no slip of
    break."""
    return len(word) > LONGEST_SHORT or len(word) != len(other) or sorted(word) == sorted(other)


def with_forms(held: ContentWords) -> ContentWords:
    """With the other forms of their words, as 'paid' answers 'what did we pay?'."""
    forms = other_forms()
    return held.union(*(forms[stem] for stem in held & forms.keys()))


def shares_held(weights: Mapping[str, float], texts: Sequence[ContentWords]) -> list[float]:
    """The share of the question's words that each text, by its words, holds."""
    return [sum(weight for stem, weight in weights.items() if stem in held) for held in texts]


def head_of(core: Core, passage: Passage) -> str:
    return core.lead or core.head or passage.heading or passage.title


def title_of(passage: Passage) -> str:
    """Where there is no title, the first line does for one."""
    return passage.title or passage.heading or passage.text.lstrip().split("\n", 1)[0][:100]


def evidence_of(
    passages: Sequence[Passage],
    encoder: Encoder,
    documents: Iterable[Document] = (),
    today: str = "",
    vocabulary: Vocabulary | None = None,
) -> Evidence:
    by_id = {document.id: document for document in documents}
    return Evidence(tuple(passages[:READ]), encoder, by_id, today, vocabulary)


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

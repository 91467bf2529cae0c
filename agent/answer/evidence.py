"""The evidence of an answer: passages in reading order, with their sentences, words and vectors, computed once."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from clew.agent.answer.units import Candidate, candidates
from clew.memory.datatypes import Passage, Vectors
from clew.memory.knowledge.embedding import embedded_text
from clew.memory.ports import Encoder
from clew.memory.text import content_word_sets

Words = frozenset[str]

READ = 8
"""Passages that are read for an answer."""

LONGEST = 90
"""Words of a sentence that may be quoted."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Of at most `READ` passages. What the judge and the selection of sentences both need is here, and is computed when
    it is first asked for."""

    passages: tuple[Passage, ...]
    encoder: Encoder

    @cached_property
    def sentences(self) -> list[Candidate]:
        return candidates(self.passages, LONGEST)

    @cached_property
    def passage_words(self) -> list[Words]:
        """The content words of each passage, its title and heading among them."""
        return content_word_sets([f"{passage.title} {passage.heading} {passage.text}" for passage in self.passages])

    @cached_property
    def heading_words(self) -> list[Words]:
        """The content words of each passage's title and heading."""
        return content_word_sets([f"{passage.title} {passage.heading}" for passage in self.passages])

    @cached_property
    def title_words(self) -> list[Words]:
        """The content words of what each passage is called."""
        return content_word_sets([title_of(passage) for passage in self.passages])

    @cached_property
    def sentence_words(self) -> list[Words]:
        """The content words of each sentence."""
        return content_word_sets([sentence.text for sentence in self.sentences])

    @cached_property
    def words(self) -> Words:
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
    def _rarity(self) -> tuple[list[Words], dict[str, int]]:
        written = content_word_sets([sentence.written for sentence in self.sentences])
        counts: dict[str, int] = {}
        for words in written:
            for word in words:
                counts[word] = counts.get(word, 0) + 1
        return written, counts

    def word_weights(self, words: Mapping[str, float]) -> dict[str, float]:
        """Stem -> weight, summing to 1: a word that many of the sentences hold says little of which of them answers."""
        written, counts = self._rarity
        rarity = {
            stem: weight * math.log(1 + len(written) / (1 + counts.get(stem, 0))) for stem, weight in words.items()
        }
        total = sum(rarity.values()) or 1.0
        return {stem: weight / total for stem, weight in rarity.items()}


def shares_held(weights: Mapping[str, float], texts: Sequence[Words]) -> list[float]:
    """The share of the question's words that each text, by its words, holds."""
    return [sum(weight for stem, weight in weights.items() if stem in held) for held in texts]


def title_of(passage: Passage) -> str:
    """Where there is no title, the first line does for one."""
    return passage.title or passage.heading or passage.text.lstrip().split("\n", 1)[0][:100]


def evidence_of(passages: Sequence[Passage], encoder: Encoder) -> Evidence:
    return Evidence(tuple(passages[:READ]), encoder)

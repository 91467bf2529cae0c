"""Which sentences of the passages answer a question: those of passages that have to do with it, by what they hold."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from clew.agent.candidates import PRONOUN, Candidate, candidates
from clew.agent.following import named_in
from clew.memory.datatypes import Passage
from clew.memory.knowledge.chunking import embedded_text
from clew.memory.ports import Encoder
from clew.memory.sentences import split
from clew.memory.words import content_words


@dataclass(frozen=True, slots=True)
class AnswerParameters:
    """What a sentence is worth to the question: cosine, share of the question's words, the passage's own score, and
    whether it holds the kind of thing that is asked for.

    A passage has to do with the question where its cosine and `held` times the share of the question's words in it
    come to `relevant` (docs/figures.md says how many questions are answered and refused by that).
    """

    passages: int = 8
    held: float = 0.3
    relevant: float = 0.51
    sentences: int = 3
    in_part: int = 2
    cosine: float = 0.55
    words: float = 0.4
    passage: float = 0.2
    kind: float = 0.08
    no_statement: float = 0.3
    beside_best: float = 0.83
    redundant: float = 0.9
    longest: int = 90
    followed: int = 1
    words_in_all: int = 90


KINDS = (
    (r"^(?:and |but |so )?(?:who|whose|whom)\b", r"(?<!^)\b[A-Z][a-zé]+"),
    (r"\b(?:when|what year|which year|what date|since when)\b", r"\b\d{4}\b|\b\d{1,2} [A-Z][a-z]+"),
    (
        r"\bhow (?:many|much|far|long|big|large|heavy|old|tall|high|deep|fast|often)\b"
        r"|\b(?:distance|number|size|age|height|population|price|cost)\b",
        r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million)\b",
    ),
    (r"^(?:and |but |so )?where\b", r"\b(?:in|at|near|from|to|on|outside) (?:the )?[A-Z]"),
    (
        r"\b(?:why|what makes|what made|reason)\b",
        r"\b(?:because|since|so that|therefore|due to|as a result|caus\w+|reason|in order to|thus|made|makes)\b",
    ),
)
"""What a question asks for, by its words, and how a sentence that holds such a thing looks."""

EARLIER = 0.5
"""What a word of an earlier turn is worth beside one of the question."""

_STATEMENT = re.compile(r"[.!:;\u2026\u3002][\"'\u201d\u2019)\]]*$")
"""The end of a sentence that states something: not of a heading, nor of a question."""


def pick(
    question: str,
    rewritten: str,
    expanded: str,
    passages: Sequence[Passage],
    encoder: Encoder,
    parameters: AnswerParameters,
    sentences: int,
) -> list[Candidate]:
    """At most so many sentences, best first; none where no passage has to do with the question. What `expanded` has
    beside the rewritten question counts as what was said earlier."""
    found = candidates(passages, parameters.longest)
    context = dict.fromkeys(content_words(expanded), EARLIER)
    weights = word_weights({**context, **_asked_words(question, rewritten)}, found)
    asked = _asked_vector(question, rewritten, expanded, encoder)
    relevant = _relevant(passages, weights, asked, encoder, parameters)
    read = [candidate for candidate in found if candidate.passage in relevant]
    if not read:
        return []
    vectors = encoder.encode([candidate.text for candidate in read], "passage")
    scores = _scores(weights, rewritten, read, passages, vectors @ asked, parameters)
    chosen = [read[place] for place in _choose(scores, vectors, parameters, sentences)]

    def best_of(place: int) -> Candidate | None:
        own = [candidate for candidate in found if candidate.passage == place and candidate not in chosen]
        if not own:
            return None
        cosines = encoder.encode([candidate.text for candidate in own], "passage") @ asked
        return own[int(np.argmax(_scores(weights, rewritten, own, passages, cosines, parameters)))]

    kinds = kinds_of(rewritten)
    followed = _followed(chosen, f"{question} {rewritten}", passages, best_of, parameters)
    return [_with_kind(candidate, kinds) for candidate in followed]


def _followed(
    chosen: Sequence[Candidate],
    question: str,
    passages: Sequence[Passage],
    best_of: Callable[[int], Candidate | None],
    parameters: AnswerParameters,
) -> list[Candidate]:
    """Behind each sentence the best of the passage that it names, while the answer has no more words than it may."""
    kept: list[Candidate] = []
    for candidate in chosen:
        there = {one.passage for one in (*chosen, *kept)}
        named = [place for place in named_in(candidate.text, question, passages) if place not in there]
        second = [found for place in named[: parameters.followed] if (found := best_of(place))]
        words = sum(len(one.text.split()) for one in (*kept, candidate, *second))
        kept += [candidate, *(second if words <= parameters.words_in_all else ())]
    return kept


def has_earlier_turns(question: str, rewritten: str) -> bool:
    return len(rewritten.split()) > 2 * len(question.split()) or len(split(rewritten)) > len(split(question))


def _asked_vector(question: str, rewritten: str, expanded: str, encoder: Encoder) -> NDArray[np.float32]:
    """Of the rewritten question, with the question's own where the rewritten one has earlier turns before it, and that
    of the question with the words that it needs, as far as what was said earlier counts."""
    own, whole, context = encoder.encode([question, rewritten, expanded or rewritten], "query")
    both = own + whole if has_earlier_turns(question, rewritten) else whole + EARLIER * context
    return np.asarray(both / np.linalg.norm(both))


def _asked_words(question: str, rewritten: str) -> dict[str, float]:
    """Stem -> weight: the question's own words count twice as much as those of earlier turns."""
    earlier = EARLIER if has_earlier_turns(question, rewritten) else 1.0
    return {**dict.fromkeys(content_words(rewritten), earlier), **dict.fromkeys(content_words(question), 1.0)}


def word_weights(asked: Mapping[str, float], found: Sequence[Candidate]) -> dict[str, float]:
    """Stem -> weight: a word that many of the sentences hold tells little of which of them answers. They sum to 1."""
    words = [set(content_words(candidate.written)) for candidate in found]
    rarity = {
        stem: weight * math.log(1 + len(words) / (1 + sum(stem in held for held in words)))
        for stem, weight in asked.items()
    }
    total = sum(rarity.values()) or 1.0
    return {stem: weight / total for stem, weight in rarity.items()}


def _relevant(
    passages: Sequence[Passage],
    weights: Mapping[str, float],
    asked: NDArray[np.float32],
    encoder: Encoder,
    parameters: AnswerParameters,
) -> set[int]:
    """The passages that have to do with the question; they are embedded as they were indexed, so from the cache."""
    if not passages:
        return set()
    cosines = encoder.encode([embedded_text(passage) for passage in passages], "passage") @ asked
    held = [covered(weights, f"{passage.title} {passage.heading} {passage.text}") for passage in passages]
    return {
        number
        for number, (cosine, share) in enumerate(zip(cosines, held, strict=True))
        if cosine + parameters.held * share >= parameters.relevant
    }


def covered(weights: Mapping[str, float], text: str) -> float:
    """The share of the question's words that a text holds."""
    held = set(content_words(text))
    return sum(weight for stem, weight in weights.items() if stem in held)


def _scores(
    weights: Mapping[str, float],
    question: str,
    found: Sequence[Candidate],
    passages: Sequence[Passage],
    cosines: NDArray[np.float32],
    parameters: AnswerParameters,
) -> NDArray[np.float64]:
    kinds = kinds_of(question)
    scores = []
    for candidate, cosine in zip(found, cosines, strict=True):
        passage = passages[candidate.passage]
        scores.append(
            parameters.cosine * float(cosine)
            + parameters.words * covered(weights, f"{passage.title} {passage.heading} {candidate.text}")
            + parameters.passage * passage.score
            + parameters.kind * any(re.search(kind, candidate.text) for kind in kinds)
            - parameters.no_statement * _states_nothing(candidate)
        )
    return np.array(scores)


def kinds_of(question: str) -> list[str]:
    """How a sentence looks that holds what the last sentence of the question asks for."""
    last = question[slice(*split(question)[-1])] if question else ""
    return [evidence for sign, evidence in KINDS if re.search(sign, last, re.IGNORECASE)]


def _states_nothing(candidate: Candidate) -> bool:
    """Whether it is a heading, a menu or a question; a title page states something."""
    return not _STATEMENT.search(candidate.text) and not candidate.of_lines


def _with_kind(candidate: Candidate, kinds: Sequence[str]) -> Candidate:
    """With the sentence behind it where only that holds what is asked for, of what a pronoun takes up: 'I call it
    mechanistic. It is so because ...'"""
    held = any(re.search(kind, candidate.text) for kind in kinds)
    told = PRONOUN.match(candidate.behind) and any(re.search(kind, candidate.behind) for kind in kinds)
    return replace(candidate, items=(candidate.behind,)) if told and not held and not candidate.items else candidate


def _choose(
    scores: NDArray[np.float64], vectors: NDArray[np.float32], parameters: AnswerParameters, sentences: int
) -> list[int]:
    """The best, and what is nearly as good and says something else."""
    chosen: list[int] = []
    for place in np.argsort(-scores, kind="stable"):
        if len(chosen) == sentences or scores[place] < parameters.beside_best * scores.max():
            break
        if all(float(vectors[place] @ vectors[other]) < parameters.redundant for other in chosen):
            chosen.append(int(place))
    return chosen

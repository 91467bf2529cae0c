"""Which sentences of the evidence answer a question: those of passages that have to do with it, by what they hold."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clew.agent.answer.evidence import PRONOUN, Candidate, Evidence, named_passages, shares_held
from clew.agent.answer.times import asked_years, in_force, time_scores
from clew.memory.datatypes import Floats, Ints, Vectors
from clew.memory.dates import asked_times
from clew.memory.text import content_words, split


@dataclass(frozen=True, slots=True)
class AnswerParameters:
    """What a sentence is worth to the question: cosine, share of the question's words, the passage's own score, and
    whether it holds the kind of thing that is asked for.

    A passage has to do with the question where its cosine and `held` times the share of the question's words in it
    come to `relevant` (docs/figures.md says how many questions are answered and refused by that), or to `in_time` less
    where it is of the time that the question asks about.
    """

    held: float = 0.3
    relevant: float = 0.51
    in_time: float = 0.2
    sentences: int = 3
    in_part: int = 2
    cosine: float = 0.55
    words: float = 0.4
    passage: float = 0.2
    kind: float = 0.08
    no_statement: float = 0.3
    beside_best: float = 0.83
    redundant: float = 0.9
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


@dataclass(frozen=True, slots=True)
class Wanted:
    """What sentences are picked for: the question as it was meant and as it stands alone, with the earlier turns in
    front of it where it `with_history`; `expanded` has the words of the conversation that it needs as well."""

    question: str
    rewritten: str
    with_history: bool = False
    expanded: str = ""


def pick(wanted: Wanted, evidence: Evidence, parameters: AnswerParameters, most: int) -> list[Candidate]:
    """At most so many sentences, best first; none where no passage has to do with the question. The words that
    `expanded` has beside the rewritten question count as those of earlier turns do."""
    found = evidence.sentences
    weights = evidence.word_weights(_words(wanted))
    vector = _vector(wanted, evidence)
    relevant = _relevant(weights, wanted.rewritten, vector, evidence, parameters)
    read = np.array([place for place, sentence in enumerate(found) if sentence.passage in relevant], np.int64)
    if not len(read):
        return []
    scores = _scores(weights, wanted.rewritten, vector, evidence, parameters)
    kept, beside = _in_time(wanted, evidence, scores, read)
    order = _choose(scores[kept], evidence.sentence_vectors[kept], parameters, most)
    chosen = [replace(found[place], **beside.get(place, {})) for place in kept[order].tolist()]

    def best_of(passage: int) -> Candidate | None:
        own = [n for n, sentence in enumerate(found) if sentence.passage == passage and sentence not in chosen]
        return found[max(own, key=lambda place: scores[place])] if own else None

    kinds = kinds_of(wanted.rewritten)
    followed = _followed(chosen, f"{wanted.question} {wanted.rewritten}", evidence, best_of, parameters)
    return [_with_kind(candidate, kinds) for candidate in followed]


def _in_time(wanted: Wanted, evidence: Evidence, scores: Floats, read: Ints) -> tuple[Ints, dict[int, dict[str, Any]]]:
    """The sentences that are left of those that may be chosen, and for some what is put behind them: those of the time
    that is asked about gain, and of those that tell the same thing at different times one answers."""
    timed = [evidence.timed[place] for place in read]
    scores[read] += time_scores(wanted.rewritten, timed, any_year=not asked_years(wanted.question))
    vectors = evidence.sentence_vectors[read]
    found = in_force(f"{wanted.question} {wanted.rewritten}", timed, scores[read], vectors, evidence.today)
    left_out = {int(read[other]) for one in found.values() for other in one.others}
    beside: dict[int, dict[str, Any]] = {}
    for place, one in found.items():
        older = evidence.sentences[read[one.older]].passage if one.older >= 0 else None
        beside[int(read[place])] = {"aside": one.aside, "older": older}
        scores[read[place]] = max(scores[read[other]] for other in (place, *one.others))
    return np.array([place for place in read.tolist() if place not in left_out], np.int64), beside


def _followed(
    chosen: Sequence[Candidate],
    question: str,
    evidence: Evidence,
    best_of: Callable[[int], Candidate | None],
    parameters: AnswerParameters,
) -> list[Candidate]:
    """Behind each sentence the best of the passage that it names, while the answer has no more words than it may."""
    kept: list[Candidate] = []
    for candidate in chosen:
        there = {one.passage for one in (*chosen, *kept)}
        named = [place for place in named_passages(candidate.text, question, evidence.passages) if place not in there]
        second = [found for place in named[: parameters.followed] if (found := best_of(place))]
        words = sum(len(one.text.split()) for one in (*kept, candidate, *second))
        kept += [candidate, *(second if words <= parameters.words_in_all else ())]
    return kept


def _vector(wanted: Wanted, evidence: Evidence) -> Vectors:
    """Of the rewritten question, with the question's own where the rewritten one has earlier turns before it, and that
    of the question with the words that it needs, as far as what was said earlier counts."""
    texts = [wanted.question, wanted.rewritten, wanted.expanded or wanted.rewritten]
    own, whole, context = evidence.encoder.encode(texts, "query")
    both = own + whole if wanted.with_history else whole + EARLIER * context
    return np.asarray(both / np.linalg.norm(both))


def _words(wanted: Wanted) -> dict[str, float]:
    """Stem -> weight: the question's own words count twice as much as those of earlier turns."""
    earlier = EARLIER if wanted.with_history else 1.0
    return {
        **dict.fromkeys(content_words(wanted.expanded), EARLIER),
        **dict.fromkeys(content_words(wanted.rewritten), earlier),
        **dict.fromkeys(content_words(wanted.question), 1.0),
    }


def _relevant(
    weights: Mapping[str, float],
    question: str,
    vector: Vectors,
    evidence: Evidence,
    parameters: AnswerParameters,
) -> set[int]:
    """The passages that have to do with the question; with less of it those of the time that it asks about."""
    if not evidence.passages:
        return set()
    times = time_scores(question, evidence.timed)
    held = shares_held(weights, evidence.passage_words)
    said = shares_held(_without_times(weights, question), evidence.passage_words)
    in_time = {
        one.passage
        for one, gained in zip(evidence.sentences, times, strict=True)
        if gained > 0 and said[one.passage] >= max(said) / 2
    }
    return {
        number
        for number, (cosine, share) in enumerate(zip(evidence.passage_vectors @ vector, held, strict=True))
        if cosine + parameters.held * share >= parameters.relevant - parameters.in_time * (number in in_time)
    }


def _without_times(weights: Mapping[str, float], question: str) -> dict[str, float]:
    """Without the words of its dates."""
    times = {stem for one in asked_times(question) for stem in content_words(one.text)}
    return {stem: weight for stem, weight in weights.items() if stem not in times}


def _scores(
    weights: Mapping[str, float], question: str, vector: Vectors, evidence: Evidence, parameters: AnswerParameters
) -> Floats:
    """Of every sentence, shape (sentences,)."""
    kinds, found = kinds_of(question), evidence.sentences
    words = zip(found, evidence.sentence_words, strict=True)
    held = shares_held(weights, [own | evidence.heading_words[sentence.passage] for sentence, own in words])
    scores = []
    for sentence, share, cosine in zip(found, held, evidence.sentence_vectors @ vector, strict=True):
        scores.append(
            parameters.cosine * float(cosine)
            + parameters.words * share
            + parameters.passage * evidence.passages[sentence.passage].score
            + parameters.kind * any(re.search(kind, sentence.text) for kind in kinds)
            - parameters.no_statement * _states_nothing(sentence)
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


def _choose(scores: Floats, vectors: Vectors, parameters: AnswerParameters, sentences: int) -> list[int]:
    """The best, and what is nearly as good and says something else."""
    chosen: list[int] = []
    for place in np.argsort(-scores, kind="stable"):
        if len(chosen) == sentences or scores[place] < parameters.beside_best * scores.max():
            break
        if all(float(vectors[place] @ vectors[other]) < parameters.redundant for other in chosen):
            chosen.append(int(place))
    return chosen

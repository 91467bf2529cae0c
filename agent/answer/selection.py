"""Which excerpts of the evidence answer a question: of passages that have to do with it the best by the reader, and
what is nearly as good and says something else."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from clew.agent.answer.answer_type import AnswerType
from clew.agent.answer.candidates import Candidate
from clew.agent.answer.evidence import Evidence, Request, shares_held, sought_of, vector_of, words_of
from clew.agent.answer.excerpts import SHORT_LIST, Excerpt, excerpt_of
from clew.agent.answer.reader import read
from clew.agent.answer.times import asked_years, in_force, time_scores
from clew.memory.datatypes import Floats, Ints
from clew.memory.parameters import Cosine, Count, Few, Share, Weight
from clew.memory.text import FUNCTION_WORDS, content_words

_CONTRASTS = re.compile(
    r"\b(?:while|whereas|than|unlike|but|both|whilst|on the other hand|however|contrary|contrast|different\w*)\b",
    re.IGNORECASE,
)
"""A sentence with such a word tells two things apart; else the next one may."""

MOST_OF_REASON = 60
"""Words of a sentence with the one behind it, where that may say why."""

_GIVES_REASON = re.compile(
    r"\b(?:because|since|so that|due to|owing to|therefore|as a result|in order to|to avoid|to prevent|caus\w+"
    r"|reasons?)\b|[,;] (?:for|as) (?:he|she|it|they|we|you|i|there|this|that|the)\b",
    re.IGNORECASE,
)
"""Of `holds reason` what leaves no doubt."""


@dataclass(frozen=True, slots=True)
class AnswerParameters:
    """How excerpts are chosen, and how long a language model writes. Weights are log odds of the reader."""

    held: Weight = 0.3  # of a passage's relevance, the share of the question's words that it holds, beside the cosine
    relevant: Weight = 0.51  # from which a passage has to do with a question of which the library lacks words
    lacking: Share = 0.3  # of the question's words, from which relevance is asked for
    units: Few = 3  # excerpts at most
    behind: Weight = 4.0  # how much less likely than the best another excerpt may be
    beside: Weight = 18.0  # what a further excerpt may cost in all: doubt, and length
    length: Weight = 5.3  # what the logarithm of its words costs
    unlikely: Weight = 2.0  # log odds against a further excerpt at most
    certain: Weight = 4.0  # log odds from which an excerpt is told whatever else speaks against it
    words: Count = 70  # of all excerpts together
    redundant: Cosine = 0.9  # from which two say the same
    other_side: Weight = 4.0  # how much less likely the second document of a comparison may be
    time: Weight = 10.0  # what it is worth to be of the time that is asked about
    needed: Weight = 4.0  # how much less likely an excerpt may be that has what no answer is without
    tokens: Count = 700  # that a language model writes; the seed's 1000 would take two passages from a window of 4,096


@dataclass(frozen=True, slots=True, eq=False)
class Picked:
    """An excerpt. `aside` is put behind it: its date and what was before; `older` is the place of the passage that says
    that. `odds` are the log odds that its candidate answers, read together with the question."""

    excerpt: Excerpt
    aside: str = ""
    older: int | None = None
    odds: float = -math.inf


def pick(request: Request, evidence: Evidence, parameters: AnswerParameters, most: int) -> list[Picked]:
    """At most so many excerpts, best first; none without evidence."""
    sought = sought_of(request, evidence)
    reading = read(sought, evidence)
    if not evidence.candidates:
        return []
    scores = reading.scores.copy()
    kept, beside = _in_time(request, evidence, scores, np.arange(len(scores)), parameters)
    order = kept[np.argsort(-scores[kept], kind="stable")]
    order = _with_what_it_needs(order, scores, sought.asked, evidence, parameters)
    found = _chosen(order, scores, reading.odds, evidence, sought.asked, beside, parameters, most)
    first = found[0].excerpt
    if sought.asked.form == "comparison" and len(found) == 1 and not any(map(_CONTRASTS.search, first.texts)):
        found = [
            replace(found[0], excerpt=excerpt_of(first.candidate, opens=True))
        ]  # the next sentence may tell of the other
    odds = {id(candidate): float(its) for candidate, its in zip(evidence.candidates, reading.odds, strict=True)}
    return [replace(one, odds=odds[id(one.excerpt.candidate)]) for one in found]


def is_relevant(request: Request, lacks: Sequence[str], evidence: Evidence, parameters: AnswerParameters) -> bool:
    """Whether some passage has to do with the question, by its meaning and the words that it holds; a question has it
    of which the library `lacks` few words."""
    if len(lacks) < parameters.lacking * len(set(content_words(request.question))):
        return True
    held = shares_held(evidence.word_weights(words_of(request)), evidence.passage_words)
    near = evidence.passage_vectors @ vector_of(request, evidence) if held else np.zeros(0)
    return bool((near + parameters.held * np.array(held)).max(initial=0.0) >= parameters.relevant)


def _with_what_it_needs(
    order: Ints, scores: Floats, wanted: AnswerType, evidence: Evidence, parameters: AnswerParameters
) -> Ints:
    """Those that have, or lead on to, what no answer is without, where some of the likeliest do."""
    if not wanted.needs:
        return order
    near = [place for place in order.tolist() if scores[order[0]] - scores[place] <= parameters.needed]

    def has(place: int) -> bool:
        text = " ".join((evidence.candidates[place].above, *_excerpt(place, evidence, wanted).texts))
        return wanted.answers(text) or (wanted.dated and bool(evidence.timed[place].entry))

    fits = [place for place in near if has(place)]
    return np.array(fits, np.int64) if fits else order


def _chosen(
    order: Ints,
    scores: Floats,
    odds: Floats,
    evidence: Evidence,
    wanted: AnswerType,
    beside: Mapping[int, Picked],
    parameters: AnswerParameters,
    most: int,
) -> list[Picked]:
    vectors, chosen = evidence.candidate_vectors, list[int]()
    found: list[Picked] = []
    taken: set[tuple[str, int]] = set()
    words = 0
    for place in order.tolist():
        candidate, behind = evidence.candidates[place], scores[order[0]] - scores[place]
        document = evidence.passages[candidate.passage].document
        other_side = wanted.form == "comparison" and all(document != one for one, _ in taken)
        if len(found) == most:
            break
        if found and behind > (parameters.other_side if other_side else parameters.behind):
            continue
        if (document, candidate.position) in taken:
            continue
        if any(float(vectors[place] @ vectors[other]) >= parameters.redundant for other in chosen):
            continue
        if found and _says_again(candidate, found[0].excerpt, wanted):
            continue
        unit = _excerpt(place, evidence, wanted)
        if found and words + unit.words > parameters.words:
            continue
        doubt = behind + _less_sure(odds[order[0]], odds[place], behind, wanted)
        dear = doubt + parameters.length * math.log1p(unit.words) > parameters.beside
        if found and not other_side and (dear or -math.inf < odds[place] < -parameters.unlikely):
            continue
        words += unit.words
        chosen.append(place)
        taken.update((document, candidate.region.offset + start) for start, _ in unit.parts)
        found.append(replace(beside[place], excerpt=unit) if place in beside else Picked(unit))
    return found


def _less_sure(first: float, other: float, behind: float, wanted: AnswerType) -> float:
    """How much lower the log odds of another candidate are; how much less likely it is, where one of both was not read
    together with the question. What a thing is the features tell better."""
    if not (math.isfinite(first) and math.isfinite(other)):
        return behind
    return max(0.0, first - other) if wanted.defined else first - other


def _says_again(candidate: Candidate, first: Excerpt, wanted: AnswerType) -> bool:
    """Whether a person is asked for, and all names and numbers that the first excerpt tells are told again."""
    told = " ".join(first.texts)
    if wanted.form != "fact" or "person" not in wanted.expected or not wanted.holds(told):
        return False
    values = {value for value in _VALUE.findall(told) if value.casefold() not in FUNCTION_WORDS | wanted.words}
    return bool(values) and values <= {*_VALUE.findall(candidate.text)}


_VALUE = re.compile(r"\b(?:[A-Z][\w-]+|\d(?:[\d.,]*\d)?)")


def _excerpt(place: int, evidence: Evidence, wanted: AnswerType) -> Excerpt:
    candidate, text = evidence.candidates[place], evidence.texts[place]
    whole = excerpt_of(candidate, whole_list=True) if candidate.block.kind == "item" else None
    if whole and whole.words <= SHORT_LIST and _is_asked_whole(candidate, whole.texts, wanted):
        return whole
    opens = bool(wanted.expected) and not wanted.holds(text)
    unit = excerpt_of(candidate, whole_list=wanted.form == "list", steps=wanted.form == "steps", opens=opens)
    if (
        "reason" in wanted.expected
        and not any(map(_GIVES_REASON.search, unit.texts))
        and candidate.block.kind != "code"
    ):
        behind = excerpt_of(candidate, whole_list=wanted.form == "list", opens=True)
        return behind if behind.words <= MOST_OF_REASON else unit
    if opens and not any(map(wanted.holds, unit.texts)):
        return excerpt_of(candidate, whole_list=wanted.form == "list")
    return unit


def _is_asked_whole(item: Candidate, texts: Sequence[str], wanted: AnswerType) -> bool:
    """Whether what announces a list has all the words of the question, and this item none: of "Bring: ..." all is to be
    brought; or whether the question has the labels of two of its lines ("- Friday: ..., - Saturday: ...")."""
    words = set(content_words(" ".join(wanted.words)))
    labels = [set(content_words(text.partition(":")[0])) for text in texts if ": " in text]
    if sum(bool(label) and label <= words for label in labels) > 1:
        return True
    led = bool(words) and not wanted.expected and words <= set(content_words(item.lead))
    return led and words.isdisjoint(content_words(item.text))


def _in_time(
    request: Request, evidence: Evidence, scores: Floats, kept: Ints, parameters: AnswerParameters
) -> tuple[Ints, dict[int, Picked]]:
    """The candidates that are left of those that may be chosen, and for some what is put behind them: those of the time
    that is asked about gain, and of those that tell the same thing at different times one answers. Changes `scores`."""
    timed = [evidence.timed[place] for place in kept]
    gains = time_scores(request.rewritten, timed, any_year=not asked_years(request.question))
    scores[kept] += parameters.time * gains
    likely = np.exp((scores[kept] - scores[kept].max()) / 6)
    vectors = evidence.candidate_vectors[kept]
    found = in_force(f"{request.question}\n{request.rewritten}", timed, likely, vectors, evidence.today)
    left_out = {int(kept[other]) for one in found.values() for other in one.others}
    beside: dict[int, Picked] = {}
    for place, one in found.items():
        candidate = evidence.candidates[kept[place]]
        older = evidence.candidates[kept[one.older]].passage if one.older >= 0 else None
        beside[int(kept[place])] = Picked(excerpt_of(candidate), one.aside, older)
        scores[kept[place]] = max(scores[kept[other]] for other in (place, *one.others))
    return np.array([place for place in kept.tolist() if place not in left_out], np.int64), beside

"""Chooses the excerpts that answer a question: the best by the reader, and others that are nearly as good and say
something else; or, if the question asks by how much two things differ, those with the two values."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from clew.agent.answer.arithmetic import NUMBER, difference
from clew.agent.answer.evidence import Evidence, Request, continued, encoded_request, shares_held
from clew.agent.answer.excerpts import Excerpt, excerpt_of
from clew.agent.answer.reader import read
from clew.agent.answer.score_adjustments import PHRASE, asked_headings, by_named_authors, of_other_names, opposed
from clew.agent.answer.times import asked_years, in_force, time_scores
from clew.memory.datatypes import Floats
from clew.memory.language.answer_type import AnswerType
from clew.memory.parameters import Cosine, Count, Few, Weight

AHEAD = 0.01  # what puts a sentence before others
HELD, RELEVANT = 0.3, 0.51
"""For questions in other languages, a passage's relevance is its cosine plus `HELD` times the share of the question's
words in it; from `RELEVANT` on it has to do with the question."""


@dataclass(frozen=True, slots=True)
class AnswerParameters:
    """How excerpts are chosen, and how long a language model writes. Weights are log odds of the reader."""

    units: Few = 3  # excerpts at most
    behind: Weight = 4.0  # how much less likely than the best another excerpt may be
    beside: Weight = 18.0  # what a further excerpt may cost in all: doubt, and length
    length: Weight = 5.3  # what the logarithm of its words costs
    unlikely: Weight = 2.0  # log odds against a further excerpt at most
    words: Count = 70  # of all excerpts together
    redundant: Cosine = 0.9  # from which two say the same
    other_side: Weight = 4.0  # how much less likely the second document of a comparison may be
    time: Weight = 10.0  # what it is worth to be of the time that is asked about
    continued: Weight = 5.0  # and of the document that the last answer was quoted from, to a question that leans on it
    other_name: Weight = 10.0  # what it costs to be said of another name that is nearly the one asked about
    opposed: Weight = 10.0  # to deny what the question does not, where a like sentence does as the question
    author: Weight = 5.0  # to be of a document that somebody wrote whom the question names
    headed: Weight = 5.0  # to stand under a heading all of which the question has
    tokens: Count = 700  # that a language model writes; the seed's 1000 would take two passages from a window of 4,096


@dataclass(frozen=True, slots=True, eq=False)
class Picked:
    """An excerpt to quote. `aside` is a note behind it: its date, or what was said before; `older` is the place of the
    passage that said that."""

    excerpt: Excerpt
    aside: str = ""
    older: int | None = None


def pick(request: Request, evidence: Evidence, parameters: AnswerParameters) -> list[Picked]:
    """The excerpts to quote, best first; empty if nothing answers."""
    encoded = encoded_request(request, evidence)
    reading = read(encoded, evidence)
    if not evidence.candidates:
        return []
    other = of_other_names(f"{request.question}\n{request.rewritten}", evidence)
    asked, opposes = encoded.asked, np.zeros(len(other))
    if asked.of_members and not evidence.foreign:
        opposes = opposed(request, evidence)
    if opposes.any():  # of a list not all
        asked = replace(asked, form="fact")
    own = reading.scores - parameters.other_name * other - parameters.opposed * opposes
    own += parameters.author * by_named_authors(request.rewritten, evidence)
    headings = asked_headings(request.rewritten, evidence)
    own += parameters.headed * np.array([float(max(of_one, default=0) >= PHRASE) for of_one in headings])
    if other[int((own + parameters.other_name / 2 * other).argmax())]:  # all else is much less likely
        return []
    before = continued(request, evidence)  # the conversation is in these
    scores = own + parameters.continued * np.array([float(one in before) for one in evidence.sources])
    kept, beside = _in_time(request, evidence, scores, parameters)
    best, sources = sorted(kept, key=lambda place: -scores[place]), evidence.sources
    told = len(headings[best[0]])
    order = [place for place in best if len(headings[place]) >= told or sources[place] != sources[best[0]]]
    order = [place for place in order if not other[place]] or order
    if not evidence.foreign and (found := difference(request.question, order, evidence)):
        *others, last = [Picked(excerpt_of(evidence.candidates[place])) for place in sorted(found[0])]
        older = others[0].excerpt.candidate.passage if others else None
        return [*others, replace(last, aside=found[1], older=older)]
    chosen = _chosen(order, scores - scores[order[0]], reading.odds, evidence, asked, parameters)
    return [Picked(excerpt, *beside.get(place, ())) for place, excerpt in chosen.items()]


def is_relevant(request: Request, evidence: Evidence) -> bool:
    """Whether a passage has to do with the question, by its meaning and its words."""
    encoded = encoded_request(request, evidence)
    held = shares_held(encoded.weights, evidence.passage_words)
    return bool(len(held)) and bool((evidence.passage_vectors @ encoded.whole + HELD * held).max() >= RELEVANT)


def _chosen(
    order: Sequence[int],
    scores: Floats,
    odds: Floats,
    evidence: Evidence,
    wanted: AnswerType,
    parameters: AnswerParameters,
) -> dict[int, Excerpt]:
    """The excerpts, by the place of their candidate. `order` are places, best first; `scores` are relative to the
    best."""
    vectors, found, taken = evidence.candidate_vectors, dict[int, Excerpt](), set[tuple[str, int]]()
    first_odds, first_document = odds[order[0]], evidence.sources[order[0]]
    for place in order:
        candidate, behind, document = evidence.candidates[place], -scores[place], evidence.sources[place]
        other_side = wanted.form == "comparison" and all(document != one for one, _ in taken)
        if len(found) == parameters.units:
            break
        if (document, candidate.position) in taken:
            continue
        if found:
            if candidate.block.kind == "field" and evidence.candidates[order[0]].block.kind != "field":
                continue
            if behind > (parameters.other_side if other_side else parameters.behind):
                continue
            if evidence.foreign and document != first_document:  # its reader tells less of others
                continue
            alike = [other for other in found if float(vectors[place] @ vectors[other]) >= parameters.redundant]
            numbers = {*NUMBER.findall(evidence.texts[place])}
            if any(numbers.issubset(NUMBER.findall(evidence.texts[other])) for other in alike):
                continue
        excerpt = excerpt_of(candidate, whole_list=wanted.form in ("list", "steps"))
        if found and sum(one.words for one in found.values()) + excerpt.words > parameters.words:
            continue
        both = math.isfinite(first_odds) and math.isfinite(odds[place])  # were read together with the question
        less_sure = first_odds - odds[place] if both else behind
        dear = behind + less_sure + parameters.length * math.log1p(excerpt.words) > parameters.beside
        if found and not other_side and (dear or -math.inf < odds[place] < -parameters.unlikely):
            continue
        taken.update((document, candidate.region.offset + start) for start, _ in excerpt.parts)
        found[place] = excerpt
    return found


def _in_time(
    request: Request, evidence: Evidence, scores: Floats, parameters: AnswerParameters
) -> tuple[list[int], dict[int, tuple[str, int | None]]]:
    """Candidates of the time that is asked about score higher (`scores` is changed); of several that say the same thing
    at different times one is left. Returns the places that are left, and notes for some of them, each with the passage
    of what was said before."""
    timed, vectors = evidence.timed, evidence.candidate_vectors
    scores += parameters.time * time_scores(request.rewritten, timed, any_year=not asked_years(request.question))
    likely = np.exp((scores - scores.max()) / 6)
    found = in_force(f"{request.question}\n{request.rewritten}", timed, likely, vectors, evidence.today)
    left_out = {other for one in found.values() for other in one.others}
    beside: dict[int, tuple[str, int | None]] = {}
    for place, one in found.items():
        beside[place] = one.aside, evidence.candidates[one.older].passage if one.older >= 0 else None
        scores[place] = max(scores[other] for other in (place, *one.others, *one.newer)) + AHEAD * bool(one.newer)
    return [place for place in range(len(scores)) if place not in left_out], beside

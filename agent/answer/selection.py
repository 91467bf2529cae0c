"""Chooses the excerpts that answer a question: the best by the reader, and others that are nearly as good and say
something else; or, if the question asks by how much two things differ, those with the two values.

An excerpt has a candidate, and with it what is needed to read it: the sentence that announces a list, the column heads
of a row, the sentence before code, the text below a heading or an item that is a question."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile
from typing import Literal

import numpy as np

from clew.agent.answer.arithmetic import NUMBER, difference
from clew.agent.answer.evidence import Evidence, Request, continued, encoded_request, shares_held
from clew.agent.answer.reader import read
from clew.agent.answer.score_adjustments import PHRASE, asked_headings, by_named_authors, of_other_names, opposed
from clew.agent.answer.times import asked_years, in_force, time_scores
from clew.memory.datatypes import Floats
from clew.memory.knowledge.document_parts import LONGEST, Block, Candidate, Region, sentences_of, which_ask
from clew.memory.language.answer_type import AnswerType
from clew.memory.parameters import Cosine, Count, Few, Weight
from clew.memory.text import FUNCTION_WORDS, Span

# Excerpts -------------------------------------------------------------------------------------------------------------

LONGEST_LIST = 140  # words of a list that is quoted whole
LONGEST_CODE = 60  # words of code that are quoted together, over several blocks
REPLY = 45  # words that are quoted of the reply to a question that stands in the document; at least one sentence is


ExcerptKind = Literal["sentence", "item", "row", "list", "code"]


@dataclass(frozen=True, slots=True, eq=False)
class Excerpt:
    """What is quoted: parts of a region's text in order. The candidate is one of them, within one, or a question of the
    document that they answer."""

    candidate: Candidate
    kind: ExcerptKind
    parts: tuple[Span, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(self.candidate.region.text[start:end] for start, end in self.parts)

    @property
    def words(self) -> int:
        return sum(len(text.split()) for text in self.texts)

    def is_code(self, part: Span) -> bool:
        """Whether this part is code, whose lines are shown as they are."""
        return any(one.kind == "code" and one.start <= part[0] < one.end for one in self.candidate.region.blocks)


def excerpt_of(candidate: Candidate, *, whole_list: bool = False) -> Excerpt:
    """The excerpt of a candidate. `whole_list`: the question asks for a whole list."""
    region, block = candidate.region, candidate.block
    if block.kind in ("item", "row") and whole_list:
        return Excerpt(candidate, "list", _list(region, block))
    if block.kind == "item":
        behind = region.blocks[candidate.place + 1 : candidate.place + 2] if candidate.asks else []
        reply = [one.span for one in behind if one.kind in ("item", "prose")]
        below = reply or _within(region, [one.span for one in region.blocks if block in one.parents], LONGEST_LIST)
        return Excerpt(candidate, "item", (*(one.span for one in block.parents), candidate.span, *below))
    if block.kind in ("row", "field"):
        return Excerpt(candidate, "row", (*([block.lead.span] if block.lead else []), candidate.span))
    if block.kind == "code":
        told = _code_at(region, candidate.place) or [candidate.span]  # of a long one a part
        return Excerpt(candidate, "code", (*_announcing(region, block), *told))
    return _sentence(candidate, whole_list)


def _list(region: Region, block: Block) -> tuple[Span, ...]:
    """The list that the block is an item of, as much as there is room for."""
    items = [one for one in region.blocks if one.group == block.group]
    parts = [item.span for item in items]
    if _within(region, parts, LONGEST_LIST) != parts:  # of each how it begins
        parts = [sentences_of(region, item)[0] for item in items]
    if _within(region, parts, LONGEST_LIST) != parts:
        parts = _within(region, parts[items.index(block) :], LONGEST_LIST)
    return (*_announcing(region, items[0]), *parts)


def _code_at(region: Region, place: int) -> list[Span]:
    """The block of code at this place and those that follow and begin no other part, up to `LONGEST_CODE` words; empty
    if it is no code or too long."""
    blocks = region.blocks[place:]
    code = takewhile(lambda one: one.kind == "code" and (one is blocks[0] or one.start not in region.paths), blocks)
    return _within(region, [block.span for block in code], LONGEST_CODE, first=LONGEST)


def _within(region: Region, spans: Sequence[Span], words: int, first: float = math.inf) -> list[Span]:
    """The first spans, up to so many `words` in all; the first one may have `first` words."""
    counts = accumulate(len(region.text[slice(*span)].split()) for span in spans)
    return [span for n, (span, count) in enumerate(zip(spans, counts, strict=True)) if count <= (words if n else first)]


def _announcing(region: Region, block: Block) -> tuple[Span, ...]:
    """The sentence that announces a list (if it ends with a colon) or code; empty if there is none."""
    lead = block.lead
    if lead is None or lead.kind not in ("prose", "item"):
        return ()
    return tuple(sentences_of(region, lead)[-1:]) if block.kind == "code" or region.of(lead).endswith(":") else ()


def _sentence(candidate: Candidate, whole_list: bool) -> Excerpt:
    """The excerpt of a sentence: if it is a question, the reply up to the next question; else the sentence, with the
    list or code that it announces."""
    region, spans = candidate.region, sentences_of(candidate.region, candidate.block)
    at = spans.index(candidate.span)
    parts, last = [candidate.span], at == len(spans) - 1
    if candidate.asks:
        behind = [*spans[at + 1 :], *_first_behind(candidate)]
        asking = which_ask([region.text[slice(*span)] for span in behind])
        parts = (
            _within(region, behind[: next((n for n, asks in enumerate(asking) if n and asks), None)], REPLY) or parts
        )
    if last and (whole_list or candidate.text.endswith(":")):
        parts += _announced(candidate)
    return Excerpt(candidate, "list" if len(parts) > 3 else "sentence", tuple(parts))


def _first_behind(candidate: Candidate) -> list[Span]:
    """The first two sentences of the block behind it."""
    behind = candidate.region.blocks[candidate.place + 1 : candidate.place + 2]
    return [span for one in behind if one.kind in ("prose", "item") for span in sentences_of(candidate.region, one)[:2]]


def _announced(candidate: Candidate) -> list[Span]:
    """The list or code behind its block; behind a colon, if there is neither, the next sentence."""
    region, place = candidate.region, candidate.place + 1
    behind = region.blocks[place] if place < len(region.blocks) else None
    if behind and behind.kind in ("item", "row"):
        return [part for part in _list(region, behind) if part[0] >= behind.start]
    if not candidate.text.endswith(":"):
        return []
    return _code_at(region, place) or _first_behind(candidate)[:1]


# Selection ------------------------------------------------------------------------------------------------------------

_VALUE = re.compile(r"\b(?:[A-Z][\w-]+|\d(?:[\d.,]*\d)?)")  # a name or a number
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
            if _says_again(evidence.texts[place], next(iter(found.values())), wanted):
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


def _says_again(text: str, first: Excerpt, wanted: AnswerType) -> bool:
    """Whether the question asks for a person, and the text only repeats the names and numbers of the first excerpt."""
    told = " ".join(first.texts)
    if wanted.form != "fact" or "person" not in wanted.expected or not any(wanted.holds([told])):
        return False
    values = {one for one in _VALUE.findall(told) if one.casefold() not in FUNCTION_WORDS | wanted.words}
    return bool(values) and values <= {*_VALUE.findall(text)}


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

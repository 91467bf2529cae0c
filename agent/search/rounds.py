"""One round of searches in a turn: which searches the policy makes, the pool of passages that they find, and whether
those are enough."""

import re
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np

from clew.agent.state import Call, Turn, TurnSearch
from clew.memory.datatypes import Findings, Floats, Ints, Passage, Query, Wording
from clew.memory.dates import date_of, written_out
from clew.memory.knowledge.catalogue import names_in
from clew.memory.knowledge.library_ports import Search
from clew.memory.knowledge.walking.walker import Stitched, Walker
from clew.memory.parameters import Cosine, Few, Share
from clew.memory.text import content_words, held_word_sets, in_brackets, number_of, stems_and_words
from clew.tools.base import told_by
from clew.tools.calculate import CALCULATE, COUNTS, in_text
from clew.tools.table import TableTool
from clew.tools.walk import Walk

AUTO = "auto"
"""Stands for the policy, where a tool's name may stand: it searches with `hybrid` and the tools that the router
chooses."""

POLICY = "Searches with hybrid first, and with other tools where the question and what that finds ask for more."
"""The description of `auto`, shown beside those of the tools."""

_INITIAL = re.compile("[A-Za-z]")

CallResult = tuple[Call, Findings]
"""A search, and what it found."""


@dataclass(frozen=True, slots=True)
class ObserveParameters:
    """When a turn searches again. `answers` is the seed's threshold (a similarity above 0.9, seed 004 section 4)
    adapted to MiniLM, whose cosines of question and answer rarely exceed 0.8."""

    answers: Cosine = 0.8  # how near a passage has to be to the question to be enough
    covered: Share = 0.75  # what share of the question's words the passages have to hold together
    rounds: Few = 3  # how often a turn may search
    passages: Few = 8  # how many passages an answer may rest on
    best: Few = 5  # how many passages of the first search stay in front of what a further one finds


def plan(turn: Turn, tool: str, parameters: ObserveParameters) -> tuple[tuple[Call, ...], str]:
    """The searches of a round, and a line that says why; empty if nothing more is searched. The first round uses
    `tool`, or the tools that the policy chose, with all wordings of the question; a further one searches for the
    missing words. A walk is not in the list: the nodes `stitch` and `walk` make it."""
    wordings, names = turn.wordings, tuple(tool.split("+"))
    if tool == AUTO:
        names = tuple(name for name in turn.search.tools if name != Walk.name)
    summary = f"search with {' and '.join(turn.search.tools if tool == AUTO else names)}"
    if turn.search.round:
        if not finds_more(turn.search, parameters):
            return (), ""
        missing = " ".join(turn.search.missing)
        wordings, names = (Wording("missing", missing, 1.0),), names[:1] if tool == AUTO else names
        summary = f"search with {' and '.join(names)} for what is missing: {missing}"
    return tuple(Call(name, wordings) for name in names), summary


def finds_more(search: TurnSearch, parameters: ObserveParameters) -> bool:
    """Whether another round may find what is missing. A further round that found nothing new is the last."""
    progress = search.round == 1 or search.found[-1] > 0
    return bool(search.missing) and search.round < parameters.rounds and progress


def walks(search: TurnSearch) -> bool:
    """Whether a walk follows these searches: the policy chose one, and not only a language model wants them."""
    return Walk.name in search.tools and any(not call.by_model for call in search.planned)


@dataclass(frozen=True, slots=True)
class PassagePool:
    """All passages; how many of them are new; the ids of those found with other words than the question's (`beside`),
    and of those that only a language model asked for (`wanted`)."""

    passages: tuple[Passage, ...]
    new: int
    beside: tuple[str, ...]
    wanted: tuple[str, ...]


def timed(call: Call, search: Callable[[Call], Findings]) -> CallResult:
    """Makes the search; the call is returned with the number of passages and the time in ms."""
    started = time.perf_counter()
    findings = search(call)
    ms = round((time.perf_counter() - started) * 1000, 1)
    return replace(call, found=len(findings.passages), ms=ms), findings


def for_model(found: Findings, words: str, question: Query, store: Search) -> Findings:
    """The findings of a search that a language model asked for. Their cosines are computed to the `question`, not to
    the model's own words, and limit their scores; what the tool itself answers is dropped. Calculations and table rows
    stay as they are."""
    if not found.passages or not found.passages[0].document or found.passages[0].tool == TableTool.name:
        return Findings(found.passages, found.notes)
    forms = np.stack([form.vector for form in question.forms])
    cosines = (forms @ store.vectors([passage.id for passage in found.passages]).T).max(axis=0)
    passages = tuple(
        replace(
            passage,
            why=f"{passage.why}; looked for: {words}",
            score=min(passage.score, max(0.0, cosine)),
            scores={**passage.scores, "cosine": cosine},
        )
        for passage, cosine in zip(found.passages, cosines.tolist(), strict=True)
    )
    return Findings(passages, found.notes)


def pooled(known: Sequence[Passage], ran: Sequence[CallResult], further: bool) -> PassagePool:
    """Merges findings: the best of all searches before the second best of all, those that a model asked for behind the
    others; each passage once, of copies one, with the scores of all tools by name. In a `further` round all searches
    are for a part of the question only."""
    passages = {passage.id: passage for passage in known}
    copies = {told_by(passage): passage.id for passage in known}
    beside, wanted = list[str](), list[str]()
    for by_model in (False, True):
        each = [findings.passages for call, findings in ran if call.by_model is by_model]
        for passage in (passage for of_rank in zip_longest(*each) for passage in of_rank if passage):
            if copies.setdefault(told_by(passage), passage.id) != passage.id:
                continue
            scored = replace(passage, scores={**passage.scores, passage.tool: passage.score})
            if passage.id in passages:
                if not (by_model or further):  # these scores are of the question
                    passages[passage.id] = merged(passages[passage.id], scored)
                continue
            passages[passage.id] = scored
            beside += [passage.id] if by_model or further else []
            wanted += [passage.id] if by_model else []
    return PassagePool(tuple(passages.values()), len(passages) - len(known), tuple(beside), tuple(wanted))


def proven(pool: PassagePool, turn: Turn) -> tuple[PassagePool, list[str]]:
    """Drops calculations with numbers or dates that are neither in the question nor in a document (except small
    counts); returns why."""
    sums = [passage for passage in pool.passages if passage.tool == CALCULATE]
    if not sums:
        return pool, []
    texts = (turn.question, turn.rewritten, *said_by([one for one in pool.passages if one.document]))
    said = {value for text in texts for value in in_text(text)} | COUNTS
    foreign = {one.id: [*map(str, set(in_text(one.text.rpartition("=")[0])) - said)] for one in sums}
    passages = tuple(one for one in pool.passages if not foreign.get(one.id))
    why = [f"{id_}: {', '.join(numbers)} stands in no document" for id_, numbers in foreign.items() if numbers]
    return replace(pool, passages=passages, new=pool.new - len(why)), why


def merged(first: Passage, other: Passage) -> Passage:
    """A passage that two tools found: the first one's, with the scores of both and the path that either has."""
    why = f"{first.why}; {other.why}" if other.path and not first.path else first.why
    return replace(first, scores={**other.scores, **first.scores}, path=first.path or other.path, why=why)


def missing(question: str, passages: Sequence[Passage]) -> tuple[str, ...]:
    """The content words of the question, as written there, whose stems no passage has; a hyphenated word is not missing
    if none of its parts is. Initials do not count."""
    held = frozenset[str]().union(*held_word_sets(said_by(passages)))
    first = dict[str, str]()
    for stem, word in stems_and_words(question):
        first.setdefault(stem, word)
    asked = (word for stem, word in first.items() if stem not in held and not _INITIAL.fullmatch(word))
    return tuple(word for word in asked if not held.issuperset(content_words(word.replace("-", " "))))


def said_by(passages: Sequence[Passage]) -> list[str]:
    """All text of each passage, including title, heading, date, folders and file, with dates written in one way."""
    dates = [date_of(one.date).text if one.date else "" for one in passages]
    names = [names_in(one.document, one.source, one.title) for one in passages]
    each = zip(names, dates, passages, strict=True)
    return written_out(f"{name} {one.title} {one.heading} {date} {one.text}" for name, date, one in each)


def assembled(
    question: str,
    ordered: Sequence[Passage],
    beside: Sequence[Passage],
    wanted: Collection[str],
    parameters: ObserveParameters,
) -> tuple[Passage, ...]:
    """The passages in reading order: first the best for the whole question; then those `beside` that a model `wanted`
    or that are the first with a missing word; then the rest. If the best are from few documents, more of them come
    first."""
    firsts = [place for place, one in enumerate(ordered) if all(one.document != it.document for it in ordered[:place])]
    many = firsts[parameters.best - 1] + 1 if len(firsts) >= parameters.best else parameters.best
    best = min(many, max(parameters.best, parameters.passages - 1))
    words = set(content_words(" ".join(missing(question, ordered)))) if beside else set()
    read, rest = list[Passage](), list[Passage]()
    for passage, said in zip(beside, said_by(beside), strict=True):
        holds = words.intersection(content_words(said))
        words -= holds
        (read if holds or passage.id in wanted else rest).append(passage)
    return (*ordered[:best], *read, *ordered[best:], *rest)


def answers(passages: Sequence[Passage], parameters: ObserveParameters) -> Passage | None:
    """The first of the passages that are read which is similar enough to the question to answer it; or None."""
    read = passages[: parameters.passages]
    return next((passage for passage in read if passage.scores.get("cosine", 0.0) >= parameters.answers), None)


def enough(question: str, passages: Sequence[Passage], parameters: ObserveParameters) -> bool:
    """Whether one passage answers, or all together have enough of the question's words."""
    if answers(passages, parameters):
        return True
    wanted = set(content_words(question))
    unheld = missing(question, passages[: parameters.passages])
    return not wanted or len(unheld) <= (1 - parameters.covered) * len(wanted)


# In words ---------------------------------------------------------------------------------------------------------


def by_weight(wordings: Sequence[Wording]) -> Iterator[str]:
    """For each wording of a question that has several: a line with its weight, and how it was made."""
    for form in wordings if len(wordings) > 1 else ():
        why = f" ({form.why})" if form.why else ""
        yield f"{form.name} x {form.weight:.2f}{', towards the context' if form.context else ''}: {form.text}{why}"


def scored(walker: Walker, scores: Floats, partitions: Ints) -> Iterator[str]:
    """A line for each partition: its name, score and size."""
    partitioning = walker.graph.partitioning
    sizes = np.diff(partitioning.members.starts)
    for partition in partitions.tolist():
        yield f"{partitioning.names[partition]}{in_brackets(scores[partition])}: {number_of(sizes[partition], 'node')}"


def size(stitched: Stitched) -> str:
    """`11 partitions: 1,934 nodes, 7,120 edges`."""
    partitions = number_of(len(stitched.partitions), "partition")
    return f"{partitions}: {number_of(len(stitched.nodes), 'node')}, {number_of(len(stitched.edges), 'edge')}"

"""A round of a turn: what the policy searches, the pool of passages that the searches find, whether they are enough."""

import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain, zip_longest

import numpy as np

from clew.agent.search.model_search import SHOWN
from clew.agent.state import Call, Turn, TurnSearch
from clew.memory.datatypes import Findings, Passage, Query, Wording
from clew.memory.dates import date_of, written_out
from clew.memory.ports import Search
from clew.memory.text import content_words, surface_of
from clew.tools.base import Tool
from clew.tools.walk import Walk

_INITIAL = re.compile("[A-Za-z]")

CallResult = tuple[Call, Findings]
"""A search that was made, and what it found."""


@dataclass(frozen=True, slots=True)
class ObserveParameters:
    """`answers` is the seed's stop (a node's similarity above 0.9, seed 004 section 4), calibrated for MiniLM, whose
    cosines of a question with its answer are rarely above 0.8. `covered` is the share of the question's words that
    the passages that are read have to hold together. What a further round finds is read behind the `best`."""

    answers: float = 0.8
    covered: float = 0.75
    rounds: int = 3
    passages: int = 8
    best: int = 5


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """The searches of a round, and in words why; none where the policy looks for nothing more."""

    calls: tuple[Call, ...] = ()
    summary: str = ""


def plan(turn: Turn, default: str, parameters: ObserveParameters) -> SearchPlan:
    """At first the tools that the person named, else the default one, with all wordings of the question; in a further
    round the same tools for the words that are missing."""
    tool, wordings = turn.search.tool or default, turn.wordings
    summary = f"search with {tool}"
    if turn.search.round:
        if not finds_more(turn.search, parameters):
            return SearchPlan()
        missing = " ".join(turn.search.missing)
        wordings, summary = (Wording("missing", missing, 1.0),), f"{summary} for what is missing: {missing}"
    return SearchPlan(tuple(Call(name, wordings) for name in tool.split("+")), summary)


def finds_more(search: TurnSearch, parameters: ObserveParameters) -> bool:
    """Whether another round may find what is missing: a further round that found nothing new is the last."""
    progress = search.round == 1 or search.found[-1] > 0
    return bool(search.missing) and search.round < parameters.rounds and progress


def walks(calls: Sequence[Call], chunks: int) -> bool:
    """Whether these searches of a library with so many chunks are followed by a walk: where a tool has walked there is
    no second one, nor is there one for what only a language model looks for."""
    tools = [call.tool for call in calls if not call.by_model]
    return bool(tools) and Walk.name not in tools and chunks > 0


@dataclass(frozen=True, slots=True)
class PassagePool:
    """All passages; how many of them the policy's searches of this round were the first to find, and the model's; for
    each call the ids of the first that it was the first to find."""

    passages: tuple[Passage, ...]
    by_policy: int
    by_model: int
    first_found: tuple[tuple[str, ...], ...]


def run(planned: Sequence[Call], search: Callable[[Call], Findings]) -> list[CallResult]:
    """In the order planned, with what each has found in how long."""
    if not any(call.by_model for call in planned):
        return [_timed(call, search) for call in planned]
    with ThreadPoolExecutor(len(planned)) as pool:
        return list(pool.map(lambda call: _timed(call, search), planned))


def for_model(tool: Tool, query: Query, question: Query, store: Search) -> Findings:
    """What a search finds that a language model wanted: a few passages, whose cosines are to the `question`, as all
    others are, and their scores no higher. How near they are to the model's own words answers nothing; nor does what
    the tool itself says to these."""
    found = tool.search(query, SHOWN)
    if not found.passages:
        return Findings(notes=found.notes)
    forms = np.stack([form.vector for form in question.forms])
    cosines = (forms @ store.vectors([passage.id for passage in found.passages]).T).max(axis=0)
    passages = tuple(
        replace(
            passage,
            why=f"{passage.why}; looked for: {query.text}",
            score=min(passage.score, max(0.0, cosine)),
            scores={**passage.scores, "cosine": cosine},
        )
        for passage, cosine in zip(found.passages, cosines.tolist(), strict=True)
    )
    return Findings(passages, found.notes)


def pooled(known: Sequence[Passage], ran: Sequence[CallResult], walked: Sequence[Passage]) -> PassagePool:
    """What a further round found stands behind what is there, as it was looked for with a part of the question only;
    and what a model's searches found behind what the policy's did. What a walk came to before keeps its place there."""
    own = _joined(known, _interleaved([findings.passages for call, findings in ran if not call.by_model]), walked)
    whole = _joined(own, _interleaved([findings.passages for call, findings in ran if call.by_model]), walked)
    seen = {passage.id for passage in known}
    first_found = []
    for _, findings in ran:
        new = [passage.id for passage in findings.passages if passage.id not in seen]
        seen.update(new)
        first_found.append(tuple(new[:SHOWN]))
    return PassagePool(whole, len(own) - len(known), len(whole) - len(own), tuple(first_found))


def _timed(call: Call, search: Callable[[Call], Findings]) -> CallResult:
    started = time.perf_counter()
    findings = search(call)
    ms = round((time.perf_counter() - started) * 1000, 1)
    return replace(call, found=len(findings.passages), ms=ms), findings


def _joined(known: Sequence[Passage], found: Iterable[Passage], walked: Sequence[Passage]) -> tuple[Passage, ...]:
    first, met = dict[str, Passage](), {passage.id for passage in walked}
    for passage in chain(known, found):
        if passage.id not in met:
            first.setdefault(passage.id, passage)
    return tuple(first.values())


def _interleaved(each: Sequence[Sequence[Passage]]) -> Iterator[Passage]:
    """The best of all tools, then the second best of all, and so on."""
    return (passage for of_rank in zip_longest(*each) for passage in of_rank if passage)


def missing(question: str, passages: Sequence[Passage]) -> tuple[str, ...]:
    """The content words of the question that no passage holds, as the question has them; initials are none."""
    return unheld(question, content_words(" ".join(map(said_by, passages))))


def said_by(passage: Passage) -> str:
    """All that a passage says, its title, heading and date among it, with dates written in one way."""
    return written_out(f"{passage.title} {passage.heading} {date_of(passage.date).text} {passage.text}")


def unheld(question: str, words: Collection[str]) -> tuple[str, ...]:
    """The content words of the question, as it has them, whose stems are not among these; initials are none."""
    held = set(words)
    return tuple(
        word for stem, word in surface_of(question).items() if stem not in held and not _INITIAL.fullmatch(word)
    )


def to_read(turn: Turn, parameters: ObserveParameters) -> tuple[Passage, ...]:
    """The passages in the order in which the answer reads them: the best of what the first round found, what further
    rounds found, what the walk reached, the rest of the first."""
    first = turn.search.found[0]
    best = min(parameters.best, first)
    passages = turn.passages
    return (*passages[:best], *passages[first:], *turn.search.walked, *passages[best:first])


def ranked(turn: Turn, parameters: ObserveParameters) -> list[Passage]:
    """The passages as they were found, those that the walk reached behind the `best` documents."""
    documents = list(dict.fromkeys(passage.document for passage in turn.passages))
    leading = set(documents[: parameters.best])
    ends = next((n for n, passage in enumerate(turn.passages) if passage.document not in leading), len(turn.passages))
    return [*turn.passages[:ends], *turn.search.walked, *turn.passages[ends:]]


def answers(passages: Sequence[Passage], parameters: ObserveParameters) -> Passage | None:
    """The first of those that are read which is so similar to the question that it answers it."""
    read = passages[: parameters.passages]
    return next((passage for passage in read if passage.scores.get("cosine", 0.0) >= parameters.answers), None)


def enough(question: str, passages: Sequence[Passage], parameters: ObserveParameters) -> bool:
    """Whether one of the passages answers, or they hold enough of the question's words; in the order of `to_read`."""
    if answers(passages, parameters):
        return True
    wanted = set(content_words(question))
    unheld = missing(question, passages[: parameters.passages])
    return not wanted or len(unheld) <= (1 - parameters.covered) * len(wanted)

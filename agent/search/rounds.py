"""A round of a turn: what the policy searches, how the searches are run, and the pool of passages that they find."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain, zip_longest

import numpy as np

from clew.agent.search.model_search import SHOWN
from clew.agent.search.observation import ObserveParameters
from clew.agent.services import Services
from clew.agent.state import Call, Turn, TurnSearch
from clew.memory.datatypes import Findings, Passage, Query, Wording
from clew.memory.knowledge.communities.overview import asks_for_the_whole
from clew.memory.ports import Search
from clew.tools import registry
from clew.tools.base import Tool
from clew.tools.communities import CommunitySearch
from clew.tools.walk import Walk

CallResult = tuple[Call, Findings]
"""A search that was made, and what it found."""


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """The searches of a round, and in words why; none where the policy looks for nothing more."""

    calls: tuple[Call, ...] = ()
    summary: str = ""


def plan(turn: Turn, services: Services) -> SearchPlan:
    """At first the tools that the person named, for a question about the whole library its communities, else the
    default tool, with all wordings of the question; in a further round the same tools for the words that are missing.
    """
    tool, wordings = turn.search.tool or _tool(turn.question, services), turn.wordings
    summary = f"search with {tool}"
    if turn.search.round:
        if not finds_more(turn.search, services.observe):
            return SearchPlan()
        missing = " ".join(turn.search.missing)
        wordings, summary = (Wording("missing", missing, 1.0),), f"{summary} for what is missing: {missing}"
    return SearchPlan(tuple(Call(name, wordings) for name in registry.names_in(tool)), summary)


def finds_more(search: TurnSearch, parameters: ObserveParameters) -> bool:
    """Whether another round may find what is missing: a further round that found nothing new is the last."""
    progress = search.round == 1 or search.found[-1] > 0
    return bool(search.missing) and search.round < parameters.rounds and progress


def walks(calls: Sequence[Call], services: Services) -> bool:
    """Whether these searches are followed by a walk: where a tool has walked there is no second one, nor is there one
    for what only a language model looks for."""
    tools = [call.tool for call in calls if not call.by_model]
    return bool(tools) and Walk.name not in tools and services.library.manifest.chunks > 0


def _tool(question: str, services: Services) -> str:
    whole = asks_for_the_whole(question) and not services.names_tool and services.library.store.part().communities.items
    return CommunitySearch.name if whole else services.default_tool


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


def for_model(tool: Tool, query: Query, asked: Query, store: Search) -> Findings:
    """What a search finds that a language model wanted: a few passages, whose cosines are to what was `asked`, as all
    others are, and their scores no higher. How near they are to the model's own words answers nothing; nor does what
    the tool itself says to these."""
    found = tool.search(query, SHOWN)
    if not found.passages:
        return Findings(notes=found.notes)
    forms = np.stack([form.vector for form in asked.forms])
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

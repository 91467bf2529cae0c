"""The searches of a round: a language model's run beside the policy's, and stand behind what these find."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain, zip_longest

import numpy as np

from clew.agent.search.model_search import SHOWN
from clew.agent.state import Call
from clew.memory.datatypes import Findings, Passage, Query
from clew.memory.ports import Search
from clew.tools.base import Tool

SearchCall = Callable[[Call], Findings]
Ran = tuple[Call, Findings]


@dataclass(frozen=True, slots=True)
class Pool:
    """All passages; how many of them the policy's searches of this round were the first to find, and the model's; for
    each call the ids of the first that it was the first to find."""

    passages: tuple[Passage, ...]
    by_policy: int
    by_model: int
    first_found: tuple[tuple[str, ...], ...]


def run(planned: Sequence[Call], search: SearchCall) -> list[Ran]:
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


def pooled(known: Sequence[Passage], ran: Sequence[Ran], walked: Sequence[Passage]) -> Pool:
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
    return Pool(whole, len(own) - len(known), len(whole) - len(own), tuple(first_found))


def _timed(call: Call, search: SearchCall) -> Ran:
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

"""The nodes that gather the evidence of a turn: think, act, stitch, walk, observe, and again."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import Literal

from langgraph.runtime import Runtime

from agent import observing, paths, walking
from agent.services import Services
from agent.state import Call, Step, TurnState
from memory.datatypes import Passage, Query, Recalled, Subgraph, Wording
from memory.knowledge.communities.wholes import asks_for_the_whole
from tools import registry
from tools.base import encode_query
from tools.communities import CommunitiesParameters, CommunitySearch
from tools.walk import Walk

OVERVIEW = CommunitiesParameters().readable
"""Passages for a question about the whole library: one of each community."""


def think(state: TurnState, runtime: Runtime[Services]) -> TurnState:
    """The policy: first the tools that the person named, for a question about the whole library its communities, else
    the default tool; then the same for what is missing. And what the nodes nearest to what is looked for say of
    partitions."""
    tool, again = state.get("tool") or _by_policy(state["question"], runtime.context), state.get("round", 0)
    wordings, summary = state["wordings"], f"search with {tool}"
    if again:
        wanted = " ".join(state["missing"])
        wordings, summary = (Wording("missing", wanted, 1.0),), f"{summary} for what is missing: {wanted}"
    names = registry.names_in(tool)
    update: TurnState = {"planned": tuple(Call(name, wordings) for name in names), "round": again + 1}
    if asks_for_the_whole(state["question"]) or not _walks(names, runtime.context):
        return {**update, "steps": (Step("think", summary),)}
    services, query = runtime.context, _query(state, runtime.context, wordings)
    near = walking.nearest(services.library.store, query, services.walking.nearest)
    thought = walking.think(services.walker, services.library.store, query, near, ())
    best = walking.best_partitions(thought, services.walking.told)
    details = tuple(walking.scored(services.walker, thought, best))
    if len(best) and len(thought.partitions) > 1:
        summary += f"; most speaks for {services.walker.ground.partitioning.names[best[0]]}"
    return {**update, "near": near, "steps": (Step("think", summary, details),)}


def act(state: TurnState, runtime: Runtime[Services]) -> TurnState:
    services = runtime.context
    known, each = state.get("passages", ()), list[Sequence[Passage]]()
    calls: list[Call] = []
    notes: list[str] = []
    points, told, graph = state.get("points", ()), state.get("told", ""), state.get("walk")
    whole = asks_for_the_whole(state["question"])
    for call in state["planned"]:
        started = time.perf_counter()
        query = _query(state, services, call.wordings)
        findings = services.tools[call.tool].search(query, OVERVIEW if whole else services.evidence)
        ms = round((time.perf_counter() - started) * 1000, 1)
        calls.append(replace(call, found=len(findings.passages), ms=ms))
        notes += findings.notes
        points, told = points or findings.points, told or findings.answer
        graph = graph or (findings.walk if call.tool == Walk.name else None)
        each.append(findings.passages)
    passages = _joined(known, _interleaved(each), state.get("walked", ()))
    summary = "; ".join(f"{call.tool}: {call.found} passages in {call.ms:.0f} ms" for call in calls)
    details = (*_by_form(calls[-1], passages), *(f"{p.score:.2f} {p.title or p.document}: {p.why}" for p in passages))
    return {
        "calls": tuple(calls),
        "passages": passages,
        "found": (len(passages) - len(known),),
        "points": points,
        "told": told,
        **_of_walk(graph),
        "notes": tuple(notes),
        "steps": (Step("act", summary, (*details, *notes)),),
    }


def after_act(state: TurnState, runtime: Runtime[Services]) -> Literal["stitch", "observe"]:
    """What goes over the whole library needs no walk, and where a tool has walked there is no second one."""
    walks = _walks([call.tool for call in state["planned"]], runtime.context)
    return "stitch" if walks and not state.get("points") else "observe"


def stitch(state: TurnState, runtime: Runtime[Services]) -> TurnState:
    """Of what the tools were asked for: the whole question, or in a further round what is missing."""
    services, query = runtime.context, _query(state, runtime.context, state["planned"][0].wordings)
    walker, store, before = services.walker, services.library.store, state.get("walked", ())
    thought = walking.think(walker, store, query, state.get("near", ()), (*state["passages"], *before))
    stitched = walker.stitch(thought)
    details = tuple(walking.scored(walker, thought, stitched.partitions))
    return {
        "partitions": tuple(stitched.partitions.tolist()),
        "steps": (Step("stitch", walking.size(stitched, walker), details),),
    }


def walk(state: TurnState, runtime: Runtime[Services]) -> TurnState:
    """What it comes to and no tool found is evidence: behind the best of the tools', and from a further round, that
    looked for a part of the question only, behind all that is there."""
    services, query = runtime.context, _query(state, runtime.context, state["planned"][0].wordings)
    walker, store = services.walker, services.library.store
    drawn, before, again = state.get("walk"), state.get("walked", ()), state["round"] > 1
    thought = walking.think(walker, store, query, state.get("near", ()), (*state["passages"], *before))
    stitched = walking.again(walker, store, state["partitions"], query.scope)
    reached = walking.walk(walker, store, thought, stitched, services.walking.best)
    known = {passage.id for passage in (*state["passages"], *before)}
    fresh = tuple(p for p in reached.passages if p.id not in known)[: services.walking.passages]
    landed, steps = reached.walk.landings, len(reached.walk.nodes) - reached.walk.landings
    to_draw = known.intersection(reached.walk.nodes[landed:]).union(passage.id for passage in fresh)
    new = "1 new passage" if len(fresh) == 1 else f"{len(fresh) or 'no'} new passages"
    summary = f"{landed} landings, {steps} steps, {new}"
    details = (
        *paths.lines(reached.walk),
        *(f"{p.score:.2f} {p.title or p.document}: {p.why}" for p in fresh),
        *(f"landed on {title}, in {name}" for title, name in _landings(reached.walk)),
    )
    return {
        **_of_walk(paths.joined(drawn, reached.walk, to_draw) if drawn else reached.walk),
        "walked": before if again else fresh,
        "passages": (*walking.with_paths(state["passages"], reached), *(fresh if again else ())),
        "went_back": len(reached.walk.back),
        "steps": (Step("walk", summary, details),),
    }


def observe(state: TurnState, runtime: Runtime[Services]) -> TurnState:
    """Another round is for words that the library has somewhere, but no passage that was found."""
    services, question = runtime.context, state["rewritten"]
    if state.get("points"):
        return {"missing": (), "steps": (Step("observe", "the whole library was gone over"),)}
    evidence = evidence_of(state, services)
    missing = observing.missing(question, evidence)
    turned = state.get("went_back", 0)
    back = f"; the walk went back {'once' if turned == 1 else f'{turned} times'}" if turned else ""
    if answers := observing.answers(evidence, services.observe):
        return {"missing": (), "steps": (Step("observe", f"{answers.title or answers.document} answers{back}"),)}
    if observing.enough(question, evidence, services.observe):
        return {"missing": (), "steps": (Step("observe", f"the evidence is enough{back}"),)}
    known = services.library.store.keyword_search(missing, 1, scope=_scope(state))
    findable = tuple(word for word, hits in zip(missing, known, strict=True) if hits)
    summary = f"missing: {', '.join(missing)}" if missing else "nothing more to look for"
    return {"missing": findable, "steps": (Step("observe", summary + back),)}


def after_observe(state: TurnState, runtime: Runtime[Services]) -> Literal["think", "answer"]:
    """A round that found nothing new is the last."""
    learned = state["round"] == 1 or state["found"][-1] > 0
    again = state["missing"] and state["round"] < runtime.context.observe.rounds and learned
    return "think" if again else "answer"


def evidence_of(state: TurnState, services: Services) -> tuple[Passage, ...]:
    """In the order in which the answer reads it."""
    return observing.to_read(state["passages"], state["found"][0], state.get("walked", ()), services.observe)


def _query(state: TurnState, services: Services, wordings: Sequence[Wording]) -> Query:
    context = state.get("recalled", Recalled()).selected
    query = encode_query(state["question"], wordings, services.encoder, _scope(state), context)
    return replace(query, cancel=services.cancel)


def _walks(tools: Sequence[str], services: Services) -> bool:
    return Walk.name not in tools and services.library.manifest.chunks > 0


def _of_walk(walk: Subgraph | None) -> TurnState:
    return {"walk": walk, "paths": paths.lines(walk) if walk else ()}


def _landings(walk: Subgraph) -> Iterator[tuple[str, str]]:
    return zip(walk.titles[: walk.landings], walk.partitions, strict=False)


def _joined(known: Sequence[Passage], found: Iterable[Passage], walked: Sequence[Passage]) -> tuple[Passage, ...]:
    """What a further round found stands behind what is there: it was looked for with a part of the question only. What
    a walk came to before keeps its place there."""
    first, met = dict[str, Passage](), {passage.id for passage in walked}
    for passage in chain(known, found):
        if passage.id not in met:
            first.setdefault(passage.id, passage)
    return tuple(first.values())


def _interleaved(each: Sequence[Sequence[Passage]]) -> Iterator[Passage]:
    """The best of all tools, then the second best of all, and so on."""
    return (passage for of_rank in zip_longest(*each) for passage in of_rank if passage)


def _by_policy(question: str, services: Services) -> str:
    whole = asks_for_the_whole(question) and not services.names_tool and services.library.store.communities().items
    return CommunitySearch.name if whole else services.default_tool


def _by_form(call: Call, passages: Sequence[Passage]) -> Iterator[str]:
    """What each form of a question that has several would have found alone."""
    ranked = [passage for passage in passages if passage.tool == call.tool and passage.ranks]
    for wording in call.wordings if len(call.wordings) > 1 and ranked else ():
        places = [str(passage.ranks.get(wording.name, "-")) for passage in ranked]
        yield f"by {wording.name} alone (weight {wording.weight:.2f}) these would be at {', '.join(places)}"


def _scope(state: TurnState) -> frozenset[str] | None:
    return frozenset(state["scope"]) if state.get("scope") else None

"""The nodes that gather the evidence of a turn: think, act, stitch, walk, observe, and again."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Literal

from langgraph.runtime import Runtime

from clew.agent import acting, observing, paths, walking
from clew.agent.search import model_search, tool_calls
from clew.agent.search.model_search import SearchPrompt
from clew.agent.services import Services
from clew.agent.state import Call, Doing, Fallback, Step, TurnState
from clew.memory.datatypes import Findings, Passage, Query, Recalled, Subgraph, Wording
from clew.memory.knowledge.communities.overview import asks_for_the_whole
from clew.tools import registry
from clew.tools.base import encode_query
from clew.tools.communities import CommunitiesParameters, CommunitySearch
from clew.tools.walk import Walk

OVERVIEW = CommunitiesParameters().readable
"""Passages for a question about the whole library: one of each community."""


def think(state: TurnState, runtime: Runtime[Services]) -> TurnState:
    """The policy: first the tools that the person named, for a question about the whole library its communities, else
    the default tool; then the same for what is missing. Behind these, what a language model wants searched. And what
    the nodes nearest to what the policy looks for say of partitions."""
    services, again = runtime.context, state.get("round", 0)
    planned, summary = _by_rounds(state, services)
    update, details = _consulted(state, runtime, planned)
    update["round"] = again + 1
    if more := len(update["planned"]) - len(planned):
        summary = ", and ".join(filter(None, (summary, f"{more} {'search' if more == 1 else 'searches'} of the model")))
    if asks_for_the_whole(state["question"]) or not _walks(planned, services):
        return {**update, "steps": (Step("think", summary or "nothing more to look for", details),)}
    query = _query(state, services, planned[0].wordings)
    near = walking.nearest(services.library.store, query, services.walking.nearest)
    thought = walking.think(services.walker, services.library.store, query, near, ())
    best = walking.best_partitions(thought, services.walking.told)
    scored = walking.scored(services.walker, thought, best)
    if len(best) and len(thought.partitions) > 1:
        summary += f"; most speaks for {services.walker.ground.partitioning.names[best[0]]}"
    return {**update, "near": near, "steps": (Step("think", summary, (*scored, *details)),)}


def after_think(state: TurnState) -> Literal["act", "answer"]:
    """Where neither the policy nor the model looks for more, the evidence is what there is."""
    return "act" if state["planned"] else "answer"


def act(state: TurnState, runtime: Runtime[Services]) -> TurnState:
    services, known = runtime.context, state.get("passages", ())
    ran = acting.run(state["planned"], lambda call: _search(state, services, call))
    points, told, graph = state.get("points", ()), state.get("told", ""), state.get("walk")
    for call, findings in ran:
        points, told = points or findings.points, told or findings.answer
        graph = graph or (findings.walk if call.tool == Walk.name else None)
    made = acting.gathered(known, ran, state.get("walked", ()))
    calls, notes = tuple(call for call, _ in ran), tuple(chain.from_iterable(findings.notes for _, findings in ran))
    split = not state.get("found") and any(call.by_model for call in calls)
    summary = "; ".join(f"{call.tool}: {call.found} passages in {call.ms:.0f} ms" for call in calls)
    own = [call for call in calls if not call.by_model][-1:]
    forms = chain.from_iterable(_by_form(call, made.passages) for call in own)
    details = (*forms, *(f"{p.score:.2f} {p.title or p.document}: {p.why}" for p in made.passages))
    return {
        "calls": calls,
        "brought": made.brought,
        "passages": made.passages,
        "found": (made.by_policy, made.by_model) if split else (made.by_policy + made.by_model,),
        "points": points,
        "told": told,
        **_of_walk(graph),
        "notes": notes,
        "steps": (Step("act", summary, (*details, *notes)),),
    }


def after_act(state: TurnState, runtime: Runtime[Services]) -> Literal["stitch", "observe"]:
    """What goes over the whole library needs no walk, and where a tool has walked there is no second one; nor is there
    one for what only a language model looks for."""
    walks = _walks([call for call in state["planned"] if not call.by_model], runtime.context)
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
    """A model that has called something sees what it brought, unless that answers."""
    services = runtime.context
    asks = state.get("wanted") and state["round"] < services.observe.rounds and not state.get("points")
    asks = asks and not observing.answers(evidence_of(state, services), services.observe)
    return "think" if asks or _finds_more(state, services) else "answer"


def evidence_of(state: TurnState, services: Services) -> tuple[Passage, ...]:
    """In the order in which the answer reads it."""
    return observing.to_read(state["passages"], state["found"][0], state.get("walked", ()), services.observe)


def _by_rounds(state: TurnState, services: Services) -> tuple[tuple[Call, ...], str]:
    """What the policy searches in this round, and that in words; nothing where only a model goes on."""
    tool, wordings = state.get("tool") or _by_policy(state["question"], services), state["wordings"]
    summary = f"search with {tool}"
    if state.get("round", 0):
        if not _finds_more(state, services):
            return (), ""
        wanted = " ".join(state["missing"])
        wordings, summary = (Wording("missing", wanted, 1.0),), f"{summary} for what is missing: {wanted}"
    return tuple(Call(name, wordings) for name in registry.names_in(tool)), summary


def _finds_more(state: TurnState, services: Services) -> bool:
    """Whether the policy looks for what is missing: a round that found nothing new is the last."""
    learned = state["round"] == 1 or state["found"][-1] > 0
    return bool(state["missing"]) and state["round"] < services.observe.rounds and learned


def _consulted(
    state: TurnState, runtime: Runtime[Services], planned: tuple[Call, ...]
) -> tuple[TurnState, tuple[str, ...]]:
    """The searches of this round, those of the policy first, and what the model said in lines. It is asked at first and
    as long as it calls something; not of the whole library, which needs no search."""
    services, writer = runtime.context, runtime.context.writers.think
    failed = any(one.part == "think" for one in state.get("degraded", ()))
    done = failed or (state.get("round", 0) > 0 and not state.get("wanted"))
    if writer is None or done or asks_for_the_whole(state["question"]) or not services.library.manifest.chunks:
        return {"planned": planned, "wanted": 0}, ()
    calls = state.get("calls", ())
    known = (*state.get("passages", ()), *state.get("walked", ()))
    past = model_search.past_searches(calls, state.get("brought", ()), known, state["rewritten"])
    prompt = SearchPrompt(state["rewritten"], past, tool_calls.search_keys(calls), tool_calls.search_keys(planned))
    answer = model_search.wanted_searches(
        writer,
        tool_calls.specs(services.tools),
        prompt,
        services.cancel,
        lambda text: runtime.stream_writer(Doing(text)),
    )
    update: TurnState = {
        "planned": (*planned, *answer.calls),
        "wanted": answer.wanted + len(answer.calls),
        "ledger": answer.ledger,
        "degraded": (Fallback("think", answer.failure),) if answer.failure else (),
    }
    return update, answer.lines


def _search(state: TurnState, services: Services, call: Call) -> Findings:
    tool = services.tools[call.tool]
    if not call.by_model:
        whole = asks_for_the_whole(state["question"])
        return tool.search(_query(state, services, call.wordings), OVERVIEW if whole else services.evidence)
    words = encode_query(call.wordings[0].text, call.wordings, services.encoder, _scope(state))
    asked = _query(state, services, state["wordings"])
    return acting.for_model(tool, replace(words, cancel=services.cancel), asked, services.library.store)


def _query(state: TurnState, services: Services, wordings: Sequence[Wording]) -> Query:
    context = state.get("recalled", Recalled()).selected
    query = encode_query(state["question"], wordings, services.encoder, _scope(state), context)
    return replace(query, cancel=services.cancel)


def _walks(by_policy: Sequence[Call], services: Services) -> bool:
    tools = [call.tool for call in by_policy]
    return bool(tools) and Walk.name not in tools and services.library.manifest.chunks > 0


def _of_walk(walk: Subgraph | None) -> TurnState:
    return {"walk": walk, "paths": paths.lines(walk) if walk else ()}


def _landings(walk: Subgraph) -> Iterator[tuple[str, str]]:
    return zip(walk.titles[: walk.landings], walk.partitions, strict=False)


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

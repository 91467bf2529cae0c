"""The nodes of a turn: each takes the turn, calls one operation, and returns the turn with its result and a step."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from typing import Literal, Protocol

import numpy as np
from langgraph.runtime import Runtime

from clew.agent.answer import answers, verification
from clew.agent.llm.ledger import RecordedWriter
from clew.agent.search import rounds, tool_calls
from clew.agent.search import walk as walk_operations
from clew.agent.search.model_search import ModelSearches, SearchPrompt, past_searches, wanted_searches
from clew.agent.services import Services, TurnContext
from clew.agent.state import TURN_JSON, Answer, Call, Fallback, Step, Turn, TurnSearch, TurnState
from clew.memory.datatypes import Findings, Passage, Query, Utterance, Wording
from clew.memory.dialogue.recall import centroids_of, embedded
from clew.memory.dialogue.recall import recall as recall_sentences
from clew.memory.dialogue.rewriting import rewrite as rewrite_question
from clew.memory.dialogue.signals import recent
from clew.memory.dialogue.utterances import extract
from clew.memory.dialogue.variants import with_dates, with_spelling
from clew.memory.errors import Cancelled
from clew.memory.knowledge.communities.overview import asks_for_the_whole
from clew.memory.knowledge.question import LibraryQuestion
from clew.memory.knowledge.walking.subgraph import Stitched
from clew.memory.knowledge.walking.walker import Thought
from clew.tools.base import encode_query
from clew.tools.communities import CommunitiesParameters, CommunitySearch
from clew.tools.walk import Walk

OVERVIEW = CommunitiesParameters().readable
"""Passages for a question about the whole library: one of each community."""

Node = Callable[[Turn, TurnContext], Turn]


class GraphNode(Protocol):
    """A node as LangGraph calls it."""

    def __call__(self, state: TurnState, *, runtime: Runtime[TurnContext]) -> TurnState: ...


def timed(node: Node) -> GraphNode:
    """The node with its time in its step. A turn that was cancelled ends before its next node, unless it is answered
    already: then it is remembered with what was written."""

    def run(state: TurnState, *, runtime: Runtime[TurnContext]) -> TurnState:
        before, context = state["turn"], replace(runtime.context, emit=runtime.stream_writer)
        if context.cancel.is_set() and not before.is_answered:
            raise Cancelled("the turn was cancelled")
        started = time.perf_counter()
        after = node(before, context)
        ms = round((time.perf_counter() - started) * 1000, 1)
        known = len(before.steps)
        steps = (*after.steps[:known], *(replace(step, ms=ms) for step in after.steps[known:]))
        return {"turn": replace(after, steps=steps)}

    return run


# The question ----------------------------------------------------------------------------------------------------


def begin(state: TurnState) -> Literal["recall", "answer"]:
    """A turn whose evidence is complete is only answered."""
    return "answer" if state["turn"].search.round else "recall"


def recall(turn: Turn, run: TurnContext) -> Turn:
    services = run.services
    sentences, stored = services.threads.sentences(turn.thread, services.encoder.hash)
    if not sentences:
        return turn.stepped("recall", "nothing was said before")
    vectors = embedded(sentences, stored, services.encoder)
    question = services.encoder.encode([turn.question], "sentence")[0]
    start = services.threads.centroids(turn.thread, services.encoder.hash)
    recalled = recall_sentences(question, sentences, vectors, services.recall, start)
    services.threads.keep_centroids(turn.thread, services.encoder.hash, centroids_of(recalled, vectors))
    clusters = _counted(len(recalled.cluster_sizes), "cluster")
    summary = f"{len(recalled.selected)} of {len(recalled.extracted)} sentences, from {clusters}"
    details = (f"turn {s.turn}, {s.speaker}, cluster {s.cluster_id}: {s.text}" for s in recalled.selected)
    # Each checkpoint and each stored turn would have the whole conversation in it; the thread has it anyway.
    recalled = replace(recalled, extracted=tuple(recent(recalled.extracted, recalled.selected, services.rewrite.back)))
    return replace(turn, recalled=recalled).stepped("recall", summary, details)


def rewrite(turn: Turn, run: TurnContext) -> Turn:
    services, words = run.services, run.services.library.store.vocabulary
    model = services.writers.rewrite
    writer = RecordedWriter(model, "rewrite", run.emit) if model else None
    made = rewrite_question(turn.question, turn.recalled, services.encoder, services.rewrite, writer, run.cancel, words)
    made = with_spelling(made, words, services.encoder)
    made = with_dates(made, turn.today, services.library.manifest.date_order)
    details = [
        f"{form.name} x {form.weight:.2f}{', towards the context' if form.context else ''}: {form.text}"
        for form in made.wordings
    ]
    details += dict.fromkeys(form.why for form in made.wordings if form.why)
    degraded: tuple[Fallback, ...] = ()
    if writer and turn.recalled.selected:
        why = f": {made.why}" if made.why else ""
        details.append(f"written by {writer.name}: {made.how}{why}")
        degraded = (Fallback("rewrite", made.why),) if made.how == "learned" else ()
    if made.words:
        details.append("from the conversation: " + ", ".join(f"{word} {share:.2f}" for word, share in made.words))
    return replace(
        turn,
        meant=made.question,
        rewritten=made.text,
        with_history=made.with_history,
        expanded=made.expanded,
        own_weight=made.own_weight,
        wordings=made.wordings,
        degraded=(*turn.degraded, *degraded),
        ledger=(*turn.ledger, *(writer.ledger if writer else ())),
    ).stepped("rewrite", made.text, details)


# What is searched -------------------------------------------------------------------------------------------------


def think(turn: Turn, run: TurnContext) -> Turn:
    """Plans the searches of a round: the policy's, behind these those that a language model asks for; and scores the
    partitions by the nodes that are nearest to what the policy looks for."""
    plan = rounds.plan(turn, _default_tool(turn, run.services), run.services.observe)
    reply = _model_searches(turn, run, plan.calls)
    more = _counted(len(reply.calls), "search", "searches") + " of the model" if reply.calls else ""
    summary = ", and ".join(filter(None, (plan.summary, more))) or "nothing more to look for"
    planned = replace(
        turn.searched(
            round=turn.search.round + 1, planned=(*plan.calls, *reply.calls), wanted=reply.wanted + len(reply.calls)
        ),
        ledger=(*turn.ledger, *reply.ledger),
        degraded=(*turn.degraded, *((Fallback("think", reply.failure),) if reply.failure else ())),
    )
    if asks_for_the_whole(turn.question) or not rounds.walks(plan.calls, run.services.library.manifest.chunks):
        return planned.stepped("think", summary, reply.lines)
    services, walker = run.services, run.services.walker
    thought = walker.think(_question(turn, run, plan.calls[0].wordings), np.array(_nearest(planned, run), np.int64))
    best = walk_operations.best_partitions(thought, services.walking.told)
    if len(best) and len(thought.partitions) > 1:
        summary += f"; most speaks for {walker.graph.partitioning.names[best[0]]}"
    return planned.stepped("think", summary, (*walk_operations.scored(walker, thought, best), *reply.lines))


def after_think(state: TurnState) -> Literal["act", "answer"]:
    """Where neither the policy nor the model looks for more, the evidence is what there is."""
    return "act" if state["turn"].search.planned else "answer"


def act(turn: Turn, run: TurnContext) -> Turn:
    search = turn.search
    ran = rounds.run(search.planned, lambda call: _search(turn, run, call))
    points, answer, graph = search.points, search.tool_answer, turn.walk
    for call, findings in ran:
        points, answer = points or findings.points, answer or findings.answer
        graph = graph or (findings.walk if call.tool == Walk.name else None)
    pool = rounds.pooled(turn.passages, ran, search.walked)
    calls, notes = tuple(call for call, _ in ran), tuple(chain.from_iterable(findings.notes for _, findings in ran))
    split = not search.found and any(call.by_model for call in calls)
    found = (pool.by_policy, pool.by_model) if split else (pool.by_policy + pool.by_model,)
    own = [call for call in calls if not call.by_model][-1:]
    details = (
        *chain.from_iterable(_by_form(call, pool.passages) for call in own),
        *(f"{p.score:.2f} {p.title or p.document}: {p.why}" for p in pool.passages),
        *notes,
    )
    return replace(
        turn.searched(
            first_found=(*search.first_found, *pool.first_found),
            found=(*search.found, *found),
            points=points,
            tool_answer=answer,
            notes=(*search.notes, *notes),
        ),
        calls=(*turn.calls, *calls),
        passages=pool.passages,
        walk=graph,
        paths=walk_operations.lines(graph) if graph else (),
    ).stepped("act", "; ".join(f"{call.tool}: {call.found} passages in {call.ms:.0f} ms" for call in calls), details)


def after_act(state: TurnState, runtime: Runtime[TurnContext]) -> Literal["stitch", "observe"]:
    """What goes over the whole library needs no walk."""
    search, chunks = state["turn"].search, runtime.context.services.library.manifest.chunks
    return "stitch" if rounds.walks(search.planned, chunks) and not search.points else "observe"


def stitch(turn: Turn, run: TurnContext) -> Turn:
    """The partitions of what the tools were asked for: the whole question, or in a further round what is missing."""
    walker, thought, stitched = run.services.walker, _thought(turn, run), _stitched(turn, run)
    details = walk_operations.scored(walker, thought, stitched.partitions)
    return turn.stepped("stitch", walk_operations.size(stitched, walker), details)


def walk(turn: Turn, run: TurnContext) -> Turn:
    """What it reaches and no tool found is evidence: of the first round behind the best of the tools', of a further
    one, that looked for a part of the question only, behind all that is there."""
    services, search = run.services, turn.search
    reached = walk_operations.walk(
        services.walker, services.library.store, _thought(turn, run), _stitched(turn, run), services.walking.best
    )
    known = {passage.id for passage in (*turn.passages, *search.walked)}
    fresh = tuple(p for p in reached.passages if p.id not in known)[: services.walking.passages]
    landed, steps = reached.walk.landings, len(reached.walk.nodes) - reached.walk.landings
    to_draw = known.intersection(reached.walk.nodes[landed:]).union(passage.id for passage in fresh)
    graph = walk_operations.joined(turn.walk, reached.walk, to_draw) if turn.walk else reached.walk
    again = search.round > 1
    landings = zip(reached.walk.titles[:landed], reached.walk.partitions, strict=False)
    details = (
        *walk_operations.lines(reached.walk),
        *(f"{p.score:.2f} {p.title or p.document}: {p.why}" for p in fresh),
        *(f"landed on {title}, in {partition}" for title, partition in landings),
    )
    return replace(
        turn.searched(walked=search.walked if again else fresh, went_back=len(reached.walk.back)),
        walk=graph,
        paths=walk_operations.lines(graph),
        passages=(*walk_operations.with_paths(turn.passages, reached), *(fresh if again else ())),
    ).stepped("walk", f"{landed} landings, {steps} steps, {_new_passages(len(fresh))}", details)


def observe(turn: Turn, run: TurnContext) -> Turn:
    """Another round is for words that the library has somewhere, but no passage that was found."""
    services, search = run.services, turn.search
    if search.points:
        return turn.searched(missing=()).stepped("observe", "the whole library was gone over")
    times = "once" if search.went_back == 1 else f"{search.went_back} times"
    back = f"; the walk went back {times}" if search.went_back else ""
    evidence = rounds.to_read(turn, services.observe)
    if answers := rounds.answers(evidence, services.observe):
        return turn.searched(missing=()).stepped("observe", f"{answers.title or answers.document} answers{back}")
    if rounds.enough(turn.rewritten, evidence, services.observe):
        return turn.searched(missing=()).stepped("observe", f"the evidence is enough{back}")
    missing = rounds.missing(turn.rewritten, evidence)
    hits = services.library.store.keyword_search(missing, 1, scope=_scope(turn))
    findable = tuple(word for word, found in zip(missing, hits, strict=True) if found)
    summary = f"missing: {', '.join(missing)}" if missing else "nothing more to look for"
    return turn.searched(missing=findable).stepped("observe", summary + back)


def after_observe(state: TurnState, runtime: Runtime[TurnContext]) -> Literal["think", "answer"]:
    """A model that has searched sees what that found, unless it answers."""
    turn, observe = state["turn"], runtime.context.services.observe
    asks = turn.search.wanted and turn.search.round < observe.rounds and not turn.search.points
    asks = asks and not rounds.answers(rounds.to_read(turn, observe), observe)
    return "think" if asks or rounds.finds_more(turn.search, observe) else "answer"


# What is answered -------------------------------------------------------------------------------------------------


def answer(turn: Turn, run: TurnContext) -> Turn:
    made = answers.answer(turn, run)
    sentences, sources = _counted(len(made.answer.claims), "sentence"), _counted(len(made.answer.sources), "source")
    by = f", by {made.model}" if made.model else ""
    return replace(
        turn,
        answer=made.answer,
        model=made.model,
        degraded=(*turn.degraded, *made.degraded),
        ledger=(*turn.ledger, *made.ledger),
    ).stepped("answer", f"{made.answer.outcome}: {sentences} from {sources}{by}", made.details)


def verify(turn: Turn, run: TurnContext) -> Turn:  # noqa: ARG001 every node has both
    checked = verification.verified(turn.answer)
    verdicts = [claim.verdict for claim in checked.claims if claim.cites]
    summary = ", ".join(f"{verdicts.count(v)} {v}" for v in dict.fromkeys(verdicts)) or "nothing is cited"
    details = (f"{claim.verdict}: {claim.text}" for claim in checked.claims if claim.cites)
    return replace(turn, answer=checked).stepped("verify", summary, details)


def remember(turn: Turn, run: TurnContext) -> Turn:
    """Its own step is handed out, and is not part of the turn: that is stored by then."""
    services, started = run.services, time.perf_counter()
    over = replace(
        turn,
        passages=(*turn.passages, *turn.search.walked),
        library=services.library.manifest.fingerprint,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        search=TurnSearch(),
    )
    # A checkpoint gives tuples back as lists; what is handed out is what is stored, with tuples again.
    record = TURN_JSON.dump_json(over, warnings=False).decode()
    finished = TURN_JSON.validate_json(record)
    sentences = extract([Utterance("user", finished.question), *_memorable(finished.answer)], first_turn=finished.turn)
    vectors = services.encoder.encode([sentence.text for sentence in sentences], "sentence")
    services.threads.save(
        finished.thread, finished.turn, finished.question, record, sentences, vectors, services.encoder.hash
    )
    ms = round((time.perf_counter() - started) * 1000, 1)
    run.emit(Step("remember", f"turn {finished.turn}: {_counted(len(sentences), 'sentence')}", ms=ms))
    return finished


# What several nodes need, computed once a run ---------------------------------------------------------------------


def _query(turn: Turn, run: TurnContext, wordings: Sequence[Wording]) -> Query:
    """These wordings of the question with their vectors."""

    def encoded() -> Query:
        query = encode_query(turn.question, wordings, run.services.encoder, _scope(turn), turn.recalled.selected)
        return replace(query, cancel=run.cancel)

    return run.once(("query", *wordings), encoded)


def _question(turn: Turn, run: TurnContext, wordings: Sequence[Wording]) -> LibraryQuestion:
    """These wordings of the question against the library: one for all nodes of the turn."""
    return run.once(("question", *wordings), lambda: run.services.walker.question(_query(turn, run, wordings)))


def _nearest(turn: Turn, run: TurnContext) -> tuple[int, ...]:
    """The rows of the nodes that are nearest to what this round looks for."""
    query, services = _query(turn, run, turn.search.planned[0].wordings), run.services
    near = services.walking.nearest
    return run.once(
        ("nearest", turn.search.round), lambda: walk_operations.nearest(services.library.store, query, near)
    )


def _thought(turn: Turn, run: TurnContext) -> Thought:
    """With what the tools found among the candidates: its partitions are stitched in."""
    services, known = run.services, (*turn.passages, *turn.search.walked)
    question = _question(turn, run, turn.search.planned[0].wordings)
    return run.once(
        ("thought", turn.search.round),
        lambda: walk_operations.think(services.walker, question, _nearest(turn, run), known),
    )


def _stitched(turn: Turn, run: TurnContext) -> Stitched:
    thought = _thought(turn, run)
    return run.once(("stitched", turn.search.round), lambda: run.services.walker.stitch(thought))


def _default_tool(turn: Turn, services: Services) -> str:
    """For a question about the whole library its communities, where it has some and nobody chose another tool."""
    whole = asks_for_the_whole(turn.question) and not services.names_tool
    return CommunitySearch.name if whole and services.library.store.part().communities.items else services.default_tool


def _search(turn: Turn, run: TurnContext, call: Call) -> Findings:
    services, tool = run.services, run.services.tools[call.tool]
    if not call.by_model:
        whole = asks_for_the_whole(turn.question)
        return tool.search(_query(turn, run, call.wordings), OVERVIEW if whole else services.evidence)
    words = encode_query(call.wordings[0].text, call.wordings, services.encoder, _scope(turn))
    question = _query(turn, run, turn.wordings)
    return rounds.for_model(tool, replace(words, cancel=run.cancel), question, services.library.store)


def _model_searches(turn: Turn, run: TurnContext, planned: Sequence[Call]) -> ModelSearches:
    """The searches that a language model wants beside those that are planned. It is asked at first and as long as it
    searches; not of the whole library, which needs no search."""
    services, search, writer = run.services, turn.search, run.services.writers.think
    failed = any(one.part == "think" for one in turn.degraded)
    done = failed or (search.round > 0 and not search.wanted)
    if writer is None or done or asks_for_the_whole(turn.question) or not services.library.manifest.chunks:
        return ModelSearches()
    past = past_searches(turn.calls, search.first_found, (*turn.passages, *search.walked), turn.rewritten)
    prompt = SearchPrompt(turn.rewritten, past, tool_calls.search_keys(turn.calls), tool_calls.search_keys(planned))
    specs = tool_calls.specs(services.tools)
    return wanted_searches(RecordedWriter(writer, "think", run.emit), specs, prompt, run.cancel)


# In words ---------------------------------------------------------------------------------------------------------


def _by_form(call: Call, passages: Sequence[Passage]) -> Iterator[str]:
    """What each form of a question that has several would have found alone."""
    ranked = [passage for passage in passages if passage.tool == call.tool and passage.ranks]
    for wording in call.wordings if len(call.wordings) > 1 and ranked else ():
        places = [str(passage.ranks.get(wording.name, "-")) for passage in ranked]
        yield f"by {wording.name} alone (weight {wording.weight:.2f}) these would be at {', '.join(places)}"


def _memorable(answer: Answer) -> list[Utterance]:
    """A refusal says nothing that a later question could lean on."""
    return [] if answer.refused else [Utterance("agent", answer.plain)]


def _scope(turn: Turn) -> frozenset[str] | None:
    return frozenset(turn.search.scope) if turn.search.scope else None


def _new_passages(count: int) -> str:
    return "1 new passage" if count == 1 else f"{count or 'no'} new passages"


def _counted(number: int, thing: str, several: str = "") -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {several or thing + 's'}"

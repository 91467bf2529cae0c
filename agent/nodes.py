"""The nodes of the state machine: each unpacks the state, calls one operation, and says in a step what it did."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain, zip_longest
from typing import Literal, Protocol

from langgraph.runtime import Runtime

from agent import answering, observing, verifying
from agent.services import Services
from agent.state import TURN_JSON, Answer, Call, Step, Turn, TurnState
from memory.datatypes import Passage, Recalled, Utterance, Wording
from memory.dialogue.extraction import extract
from memory.dialogue.recalling import centroids_of, embedded
from memory.dialogue.recalling import recall as recall_sentences
from memory.dialogue.rewriting import recent
from memory.dialogue.rewriting import rewrite as rewrite_question
from memory.errors import Cancelled
from memory.knowledge.communities.wholes import asks_for_the_whole
from tools import registry
from tools.base import encode_query
from tools.communities import CommunitiesParameters, CommunitySearch

Node = Callable[[TurnState, Runtime[Services]], TurnState]


OVERVIEW = CommunitiesParameters().readable
"""Passages for a question about the whole library: one of each community."""


class TimedNode(Protocol):
    """A node as LangGraph calls it."""

    def __call__(self, state: TurnState, *, runtime: Runtime[Services]) -> TurnState: ...


def timed(node: Node) -> TimedNode:
    """The node with its time in its step; a turn that was cancelled ends before the next node."""

    def run(state: TurnState, *, runtime: Runtime[Services]) -> TurnState:
        if runtime.context.cancel.is_set():
            raise Cancelled("the turn was cancelled")
        started = time.perf_counter()
        update = node(state, runtime)
        ms = (time.perf_counter() - started) * 1000
        return {**update, "steps": tuple(replace(step, ms=round(ms, 1)) for step in update["steps"])}

    return run


def recall(state: TurnState, runtime: Runtime[Services]) -> TurnState:
    services = runtime.context
    sentences, stored = services.threads.sentences(state["thread"], services.encoder.hash)
    if not sentences:
        return {"steps": (Step("recall", "nothing was said before"),)}
    vectors = embedded(sentences, stored, services.encoder)
    question = services.encoder.encode([state["question"]], "sentence")[0]
    start = services.threads.centroids(state["thread"], services.encoder.hash)
    recalled = recall_sentences(question, sentences, vectors, services.recall, start)
    services.threads.keep_centroids(state["thread"], services.encoder.hash, centroids_of(recalled, vectors))
    summary = (
        f"{len(recalled.selected)} of {len(recalled.extracted)} sentences, from {len(recalled.cluster_sizes)} clusters"
    )
    details = tuple(f"turn {s.turn}, {s.speaker}, cluster {s.cluster_id}: {s.text}" for s in recalled.selected)
    # Each checkpoint and each stored turn would have the whole conversation in it; the thread has it anyway.
    recalled = replace(recalled, extracted=tuple(recent(recalled.extracted, recalled.selected, services.rewrite)))
    return {"recalled": recalled, "steps": (Step("recall", summary, details),)}


def rewrite(state: TurnState, runtime: Runtime[Services]) -> TurnState:
    services = runtime.context
    recalled = state.get("recalled", Recalled())
    made = rewrite_question(
        state["question"], recalled, services.encoder, services.rewrite, services.writer, services.cancel
    )
    details = [
        f"{form.name} x {form.weight:.2f}{', towards the context' if form.context else ''}: {form.text}"
        for form in made.wordings
    ]
    if services.writer and recalled.selected:
        why = f": {made.why}" if made.why else ""
        details.append(f"written by {services.writer.name}: {made.how}{why}")
    if made.words:
        details.append("from the conversation: " + ", ".join(f"{word} {share:.2f}" for word, share in made.words))
    return {
        "wordings": made.wordings,
        "rewritten": made.text,
        "steps": (Step("rewrite", made.text, tuple(details)),),
    }


def think(state: TurnState, runtime: Runtime[Services]) -> TurnState:
    """The policy: first the tools that the person named, for a question about the whole library its communities, else
    the default tool; then the same for what is missing."""
    tool, again = state.get("tool") or _by_policy(state["question"], runtime.context), state.get("round", 0)
    wordings, summary = state["wordings"], f"search with {tool}"
    if again:
        wanted = " ".join(state["missing"])
        wordings, summary = (Wording("missing", wanted, 1.0),), f"{summary} for what is missing: {wanted}"
    calls = tuple(Call(name, wordings) for name in registry.names_in(tool))
    return {"planned": calls, "round": again + 1, "steps": (Step("think", summary),)}


def act(state: TurnState, runtime: Runtime[Services]) -> TurnState:
    services = runtime.context
    passages, each = state.get("passages", ()), list[Sequence[Passage]]()
    calls: list[Call] = []
    notes: list[str] = []
    points, told = state.get("points", ()), state.get("told", "")
    whole = asks_for_the_whole(state["question"])
    for call in state["planned"]:
        started = time.perf_counter()
        context = state.get("recalled", Recalled()).selected
        query = encode_query(state["question"], call.wordings, services.encoder, _scope(state), context)
        query = replace(query, cancel=services.cancel)
        findings = services.tools[call.tool].search(query, OVERVIEW if whole else services.evidence)
        ms = round((time.perf_counter() - started) * 1000, 1)
        calls.append(replace(call, found=len(findings.passages), ms=ms))
        notes += findings.notes
        points, told = points or findings.points, told or findings.answer
        each.append(findings.passages)
    passages = _joined(passages, _interleaved(each))
    summary = "; ".join(f"{call.tool}: {call.found} passages in {call.ms:.0f} ms" for call in calls)
    details = (*_by_form(calls[-1], passages), *(f"{p.score:.2f} {p.title or p.document}: {p.why}" for p in passages))
    return {
        "calls": tuple(calls),
        "passages": passages,
        "found": (len(passages),),
        "points": points,
        "told": told,
        "notes": tuple(notes),
        "steps": (Step("act", summary, (*details, *notes)),),
    }


def observe(state: TurnState, runtime: Runtime[Services]) -> TurnState:
    """Another round is for words that the library has somewhere, but no passage that was found."""
    services, question = runtime.context, state["rewritten"]
    if state.get("points"):
        return {"missing": (), "steps": (Step("observe", "the whole library was gone over"),)}
    missing = observing.missing(question, state["passages"])
    if observing.enough(question, _to_read(state, runtime), services.observe):
        return {"missing": (), "steps": (Step("observe", "the evidence is enough"),)}
    known = services.library.store.keyword_search(missing, 1, scope=_scope(state))
    findable = tuple(word for word, hits in zip(missing, known, strict=True) if hits)
    summary = f"missing: {', '.join(missing)}" if missing else "nothing more to look for"
    return {"missing": findable, "steps": (Step("observe", summary),)}


def after_observe(state: TurnState, runtime: Runtime[Services]) -> Literal["think", "answer"]:
    again = state["missing"] and state["round"] < runtime.context.observe.rounds and _learned_something(state)
    return "think" if again else "answer"


def answer(state: TurnState, runtime: Runtime[Services]) -> TurnState:
    services = runtime.context
    if not services.library.manifest.chunks:
        written = answering.nothing_indexed()
    elif state.get("points"):
        written = answering.overview(state["points"], state["passages"], state["notes"])
    else:
        read, expanded = _to_read(state, runtime), state["wordings"][-1]
        context = expanded.text if expanded.weight > 0.5 else ""  # else the question says itself what it is about
        written = answering.answer(
            state["question"], state["rewritten"], read, services.encoder, services.answer, context
        )
        written = answering.led_by(written, state.get("told", ""), state["passages"])
        quoted = services.library.store.documents([source.document for source in written.sources])
        written = answering.placed(written, {document.id: document for document in quoted})
    said, sources = _counted(len(written.claims), "sentence"), _counted(len(written.sources), "source")
    summary = f"{written.outcome}: {said} from {sources}"
    return {"answer": written, "steps": (Step("answer", summary),)}


def verify(state: TurnState, runtime: Runtime[Services]) -> TurnState:  # noqa: ARG001 every node has both
    checked = verifying.verified(state["answer"])
    verdicts = [claim.verdict for claim in checked.claims if claim.cites]
    summary = ", ".join(f"{verdicts.count(v)} {v}" for v in dict.fromkeys(verdicts)) or "nothing is cited"
    details = tuple(f"{claim.verdict}: {claim.text}" for claim in checked.claims if claim.cites)
    return {"answer": checked, "steps": (Step("verify", summary, details),)}


def remember(state: TurnState, runtime: Runtime[Services]) -> TurnState:
    services = runtime.context
    # A checkpoint gives tuples back as lists; what is handed out is what is stored, with tuples again.
    record = TURN_JSON.dump_json(_finished(state, services), warnings=False).decode()
    finished = TURN_JSON.validate_json(record)
    said = extract([Utterance("user", finished.question), *_memorable(finished.answer)], first_turn=finished.turn)
    vectors = services.encoder.encode([sentence.text for sentence in said], "sentence")
    services.threads.save(
        finished.thread, finished.turn, finished.question, record, said, vectors, services.encoder.hash
    )
    return {
        "finished": finished,
        "steps": (Step("remember", f"turn {finished.turn}: {_counted(len(said), 'sentence')}"),),
    }


def _finished(state: TurnState, services: Services) -> Turn:
    return Turn(
        thread=state["thread"],
        turn=state["turn"],
        question=state["question"],
        rewritten=state["rewritten"],
        answer=state["answer"],
        wordings=state["wordings"],
        calls=state["calls"],
        passages=state["passages"],
        steps=state["steps"],
        library=services.library.manifest.fingerprint,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        recalled=state.get("recalled", Recalled()),
    )


def _memorable(written: Answer) -> list[Utterance]:
    """A refusal says nothing that a later question could lean on."""
    return [] if written.refused else [Utterance("agent", written.plain)]


def _joined(known: Sequence[Passage], found: Iterable[Passage]) -> tuple[Passage, ...]:
    """What a further round found stands behind what is there: it was looked for with a part of the question only."""
    first: dict[str, Passage] = {}
    for passage in chain(known, found):
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


def _to_read(state: TurnState, runtime: Runtime[Services]) -> tuple[Passage, ...]:
    return observing.to_read(state["passages"], state["found"][0], runtime.context.observe)


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _scope(state: TurnState) -> frozenset[str] | None:
    return frozenset(state["scope"]) if state.get("scope") else None


def _learned_something(state: TurnState) -> bool:
    """A round that found nothing new is the last."""
    return state["round"] == 1 or state["found"][-1] > state["found"][-2]

"""The nodes of the conversation: each unpacks the state, calls one operation, and says in a step what it did."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Literal

from langgraph.runtime import Runtime

from clew.agent import answering, answers, quoting, verifying
from clew.agent.llm.ledger import RecordedWriter
from clew.agent.services import Services
from clew.agent.state import TURN_JSON, Answer, Fallback, Step, Turn, TurnState
from clew.memory.datatypes import Recalled, Utterance
from clew.memory.dialogue.recall import centroids_of, embedded
from clew.memory.dialogue.recall import recall as recall_sentences
from clew.memory.dialogue.rewriting import recent
from clew.memory.dialogue.rewriting import rewrite as rewrite_question
from clew.memory.dialogue.utterances import extract


def begin(state: TurnState) -> Literal["recall", "answer"]:
    """A turn whose evidence is there already is only answered."""
    return "answer" if state.get("round") else "recall"


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
    clusters = _counted(len(recalled.cluster_sizes), "cluster")
    summary = f"{len(recalled.selected)} of {len(recalled.extracted)} sentences, from {clusters}"
    details = tuple(f"turn {s.turn}, {s.speaker}, cluster {s.cluster_id}: {s.text}" for s in recalled.selected)
    # Each checkpoint and each stored turn would have the whole conversation in it; the thread has it anyway.
    recalled = replace(recalled, extracted=tuple(recent(recalled.extracted, recalled.selected, services.rewrite)))
    return {"recalled": recalled, "steps": (Step("recall", summary, details),)}


def rewrite(state: TurnState, runtime: Runtime[Services]) -> TurnState:
    services = runtime.context
    recalled = state.get("recalled", Recalled())
    model = services.writers.rewrite
    writer = RecordedWriter(model, "rewrite", runtime.stream_writer) if model else None
    made = rewrite_question(state["question"], recalled, services.encoder, services.rewrite, writer, services.cancel)
    details = [
        f"{form.name} x {form.weight:.2f}{', towards the context' if form.context else ''}: {form.text}"
        for form in made.wordings
    ]
    degraded: tuple[Fallback, ...] = ()
    if writer and recalled.selected:
        why = f": {made.why}" if made.why else ""
        details.append(f"written by {writer.name}: {made.how}{why}")
        degraded = (Fallback("rewrite", made.why),) if made.how == "learned" else ()
    if made.words:
        details.append("from the conversation: " + ", ".join(f"{word} {share:.2f}" for word, share in made.words))
    return {
        "wordings": made.wordings,
        "rewritten": made.text,
        "degraded": degraded,
        "ledger": writer.ledger if writer else (),
        "steps": (Step("rewrite", made.text, tuple(details)),),
    }


def answer(state: TurnState, runtime: Runtime[Services]) -> TurnState:
    services, writer = runtime.context, runtime.context.writers.answer
    if not services.library.manifest.chunks:
        made = answers.Written(answering.nothing_indexed())
    elif state.get("points"):
        made = answers.Written(answering.overview(state["points"], state["passages"], state["notes"]))
    elif writer:
        made = answers.written(state, services, writer, runtime.stream_writer)
    else:
        made = answers.Written(quoting.quoted(state, services))
    said = _counted(len(made.answer.claims), "sentence")
    by = f", by {made.model}" if made.model else ""
    summary = f"{made.answer.outcome}: {said} from {_counted(len(made.answer.sources), 'source')}{by}"
    return {
        "answer": made.answer,
        "model": made.model,
        "degraded": made.degraded,
        "ledger": made.ledger,
        "steps": (Step("answer", summary, made.details),),
    }


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
        passages=(*state["passages"], *state.get("walked", ())),
        steps=state["steps"],
        library=services.library.manifest.fingerprint,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        recalled=state.get("recalled", Recalled()),
        walk=state.get("walk"),
        paths=state.get("paths", ()),
        model=state.get("model", ""),
        degraded=state.get("degraded", ()),
        ledger=state.get("ledger", ()),
    )


def _memorable(written: Answer) -> list[Utterance]:
    """A refusal says nothing that a later question could lean on."""
    return [] if written.refused else [Utterance("agent", written.plain)]


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"

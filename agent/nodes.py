"""The nodes of the conversation: each unpacks the state, calls one operation, and says in a step what it did."""

from dataclasses import replace
from datetime import UTC, datetime

from langgraph.runtime import Runtime

from agent import answering, quoting, verifying
from agent.services import Services
from agent.state import TURN_JSON, Answer, Step, Turn, TurnState
from memory.datatypes import Recalled, Utterance
from memory.dialogue.extraction import extract
from memory.dialogue.recalling import centroids_of, embedded
from memory.dialogue.recalling import recall as recall_sentences
from memory.dialogue.rewriting import recent
from memory.dialogue.rewriting import rewrite as rewrite_question


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


def answer(state: TurnState, runtime: Runtime[Services]) -> TurnState:
    services = runtime.context
    if not services.library.manifest.chunks:
        written = answering.nothing_indexed()
    elif state.get("points"):
        written = answering.overview(state["points"], state["passages"], state["notes"])
    else:
        written = quoting.quoted(state, services)
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
        passages=(*state["passages"], *state.get("walked", ())),
        steps=state["steps"],
        library=services.library.manifest.fingerprint,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        recalled=state.get("recalled", Recalled()),
        walk=state.get("walk"),
        paths=state.get("paths", ()),
    )


def _memorable(written: Answer) -> list[Utterance]:
    """A refusal says nothing that a later question could lean on."""
    return [] if written.refused else [Utterance("agent", written.plain)]


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"

"""The agent on a question whose history is given and not stored: what it finds, or what it answers."""

from collections.abc import Sequence
from dataclasses import replace

from clew.agent import observing
from clew.agent.graph import evidence_graph, turn_graph
from clew.agent.quoting import asked_of
from clew.agent.services import Services
from clew.agent.state import Turn, TurnState
from clew.agent.turn_signals import Asked
from clew.memory.datatypes import Passage, Utterance
from clew.memory.dialogue.threads import Threads
from clew.memory.dialogue.utterances import extract

THREAD = "given"


def evidence(
    services: Services, question: str, history: Sequence[Utterance], k: int, scope: Sequence[str] = ()
) -> tuple[Passage, ...]:
    """The passages after `observe`, in order, from searches for k passages each."""
    with Threads(None) as threads:
        given = replace(services, threads=threads, evidence=k)
        state = _remembered(given, question, history, scope)
        gathered = evidence_graph().invoke(state, context=given)
        return tuple(observing.ranked(gathered["passages"], gathered.get("walked", ()), given.observe))


def asked(services: Services, question: str, history: Sequence[Utterance], scope: Sequence[str] = ()) -> Asked:
    """The turn up to its answer, as if the history had been said here."""
    with Threads(None) as threads:
        given = replace(services, threads=threads)
        state = _remembered(given, question, history, scope)
        gathered: TurnState = evidence_graph().invoke(state, context=given)  # type: ignore[assignment]
        return asked_of(gathered, given)


def answered(services: Services, question: str, history: Sequence[Utterance], scope: Sequence[str] = ()) -> Turn:
    """The whole turn, as if the history had been said here."""
    from langgraph.checkpoint.memory import InMemorySaver

    with Threads(None) as threads:
        given = replace(services, threads=threads)
        state = _remembered(given, question, history, scope)
        graph = turn_graph(InMemorySaver())
        finished: Turn = graph.invoke(state, {"configurable": {"thread_id": THREAD}}, context=given)["finished"]
        return finished


def _remembered(services: Services, question: str, history: Sequence[Utterance], scope: Sequence[str]) -> TurnState:
    """Put the history into the thread, each turn as `remember` would, and begin the next one."""
    turns = _turns(history)
    for turn, said in enumerate(turns, 1):
        sentences = extract(said, first_turn=turn)
        vectors = services.encoder.encode([sentence.text for sentence in sentences], "sentence")
        services.threads.save(THREAD, turn, said[0].text, "{}", sentences, vectors, services.encoder.hash)
    return {"thread": THREAD, "turn": len(turns) + 1, "question": question, "tool": "", "scope": tuple(scope)}


def _turns(history: Sequence[Utterance]) -> list[list[Utterance]]:
    """A user's utterance begins a turn; what the agent says before any belongs to the first."""
    turns: list[list[Utterance]] = []
    for said in history:
        if said.speaker == "user" or not turns:
            turns.append([])
        turns[-1].append(said)
    return turns

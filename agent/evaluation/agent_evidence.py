"""The agent on a question whose history is given and not stored: what it finds, or what it answers."""

from collections.abc import Sequence
from dataclasses import replace

from clew.agent.graph import TurnGraph, evidence_graph, turn_graph
from clew.agent.services import Services, TurnContext
from clew.agent.state import TURN_JSON, UNANSWERED, Answer, Claim, Turn, TurnSearch, TurnState
from clew.memory.datatypes import Utterance
from clew.memory.dialogue.threads import Threads
from clew.memory.dialogue.utterances import extract

THREAD = "given"


def searched(
    services: Services, question: str, history: Sequence[Utterance], scope: Sequence[str] = (), today: str = ""
) -> Turn:
    """The turn up to its answer, as if the history had been said here."""
    return _run(evidence_graph(), services, question, history, scope, today)


def answered(
    services: Services, question: str, history: Sequence[Utterance], scope: Sequence[str] = (), today: str = ""
) -> Turn:
    """The whole turn, as if the history had been said here."""
    from langgraph.checkpoint.memory import InMemorySaver

    return _run(turn_graph(InMemorySaver()), services, question, history, scope, today)


def _run(
    graph: TurnGraph, services: Services, question: str, history: Sequence[Utterance], scope: Sequence[str], today: str
) -> Turn:
    """The graph's next turn in a thread that has the history, each turn of it as `remember` would store it."""
    turns = _turns(history)
    with Threads(None) as threads:
        for number, said in enumerate(turns, 1):
            sentences = extract(said, first_turn=number)
            vectors = services.encoder.encode([sentence.text for sentence in sentences], "sentence")
            record = TURN_JSON.dump_json(_stored(number, said)).decode()
            threads.save(THREAD, number, said[0].text, record, sentences, vectors, services.encoder.hash)
        search = TurnSearch(scope=tuple(scope))
        begun: TurnState = {"turn": Turn(THREAD, len(turns) + 1, question, today=today, search=search)}
        context = TurnContext(replace(services, threads=threads))
        turn: Turn = graph.invoke(begun, {"configurable": {"thread_id": THREAD}}, context=context)["turn"]
        return turn


def _stored(number: int, said: Sequence[Utterance]) -> Turn:
    claims = tuple(Claim(one.text) for one in said if one.speaker == "agent")
    return Turn(THREAD, number, said[0].text, answer=Answer("answered", claims) if claims else UNANSWERED)


def _turns(history: Sequence[Utterance]) -> list[list[Utterance]]:
    """A user's utterance begins a turn; what the agent says before any belongs to the first."""
    turns: list[list[Utterance]] = []
    for said in history:
        if said.speaker == "user" or not turns:
            turns.append([])
        turns[-1].append(said)
    return turns

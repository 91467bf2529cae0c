"""`answer` without a language model: asked back, refused or quoted, as the judge says."""

from dataclasses import replace

from clew.agent import answering, judging
from clew.agent.asking_back import ask_back
from clew.agent.gathering import evidence_of
from clew.agent.picking import AnswerParameters
from clew.agent.services import Services
from clew.agent.state import Answer, TurnState
from clew.agent.turn_signals import Asked, signals
from clew.memory.datatypes import Recalled


def quoted(state: TurnState, services: Services) -> Answer:
    """What a tool itself answers (`told`), where a passage says it, is not judged."""
    asked, told = asked_of(state, services), state.get("told", "")
    verdict = judging.judge(signals(asked, services.encoder), judging.shipped())
    if verdict == "ask back" and not told:
        return ask_back(asked.question, [sentence.text for sentence in asked.recalled.extracted], asked.passages)
    written = answering.led_by(_written(asked, verdict, services), told, state["passages"])
    return placed(written, services)


def placed(answer: Answer, services: Services) -> Answer:
    """Each source with the page and the heading of what is quoted from it."""
    documents = services.library.store.documents([source.document for source in answer.sources])
    return answering.placed(answer, {document.id: document for document in documents})


def asked_of(state: TurnState, services: Services) -> Asked:
    """The turn as it stands before its answer; its question is what was typed, or what a reply to a question back
    stands for."""
    return Asked(
        state["wordings"][0].text,
        state["rewritten"],
        state.get("recalled", Recalled()),
        state["wordings"],
        evidence_of(state, services),
        state.get("walk"),
    )


def _written(asked: Asked, verdict: judging.Verdict, services: Services) -> Answer:
    """What the judge wants answered in a conversation, from the best passages where none is as near as `relevant` wants
    it: a question that leans on what was said is near to little. A first question has to be as near as that."""
    if verdict == "refuse":
        return answering.nothing(asked.rewritten, asked.passages)
    expanded = asked.wordings[-1]
    context = expanded.text if expanded.weight > 0.5 else ""  # else the question says itself what it is about

    def written(parameters: AnswerParameters) -> Answer:
        return answering.answer(asked.question, asked.rewritten, asked.passages, services.encoder, parameters, context)

    strict = written(services.answer)
    follows = bool(asked.recalled.extracted)
    return written(replace(services.answer, relevant=0.0)) if strict.refused and follows else strict

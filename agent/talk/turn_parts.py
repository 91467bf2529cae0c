"""The nodes of a turn that is more than one question to the documents, and which way it goes."""

from dataclasses import replace
from typing import Literal

from clew.agent.answer.library_questions import library_question
from clew.agent.services import TurnContext
from clew.agent.state import TURN_JSON, Turn, TurnState
from clew.agent.talk.intents import Heard, heard
from clew.agent.talk.openers import suggested
from clew.agent.talk.replies import Reply, Spoken, reply
from clew.agent.talk.several import advanced, begun, questions_of
from clew.memory.text import language_of


def begin(state: TurnState) -> Literal["talk", "recall", "answer"]:
    """A turn whose evidence is complete is only answered; one that is more than a question is taken apart."""
    turn = state["turn"]
    if turn.search.round:
        return "answer"
    said = _heard(turn.question)
    return "talk" if said.intent or questions_of(said.question) != (turn.question,) else "recall"


def _heard(question: str) -> Heard:
    """'Summarise this document' is of the document, and not of the last answer."""
    said, asked = heard(question), library_question(question)
    of_document = asked is not None and asked.kind == "summary" and " " in asked.of
    return replace(said, intent=None) if of_document else said


def talk(turn: Turn, run: TurnContext) -> Turn:
    """Small talk, and talk about the last answer, are answered here; of a question with a greeting the question is
    asked, and several questions one after the other."""
    said, services = _heard(turn.question), run.services
    if said.intent:
        before = [TURN_JSON.validate_json(record) for record in services.threads.records(turn.thread)]
        language = said.language or (language_of(before[-1].question) if before else "")
        made = reply(Spoken(said.intent, language, before, lambda: suggested(run), services.encoder))
        if made:
            of = f", of the answer of turn {made.about.turn}" if made.about else ""
            return _replied(turn, made).stepped("talk", f"{said.intent}{of}")
    parts = questions_of(said.question)
    questions = [part for part in parts if not heard(part).intent] or parts
    return begun(turn, questions).stepped("talk", f"asked: {'; '.join(questions)}")


def _replied(turn: Turn, made: Reply) -> Turn:
    """One about an answer goes on with its question and its passages."""
    about = made.about
    if about is None:
        return replace(turn, answer=replace(made.answer, form="talk"), rewritten=turn.question, meant=turn.question)
    going_on = turn.searched(asking=about.rewritten).found(about.passages)
    return replace(going_on, answer=replace(made.answer, form="talk"), rewritten=about.rewritten, meant=about.meant)


def after_talk(state: TurnState) -> Literal["recall", "verify"]:
    return "verify" if state["turn"].is_answered else "recall"


def after_answer(state: TurnState) -> Literal["next_question", "verify"]:
    search = state["turn"].search
    return "next_question" if search.waiting or search.done else "verify"


def next_question(turn: Turn, run: TurnContext) -> Turn:  # noqa: ARG001 every node has both
    """Of a turn that asks several; behind the last all answers are joined."""
    return advanced(turn)


def after_next(state: TurnState) -> Literal["rewrite", "verify"]:
    return "verify" if state["turn"].is_answered else "rewrite"

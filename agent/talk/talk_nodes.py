"""The node `talk`: what of a turn is no question is answered here, without a search; and where a turn goes from it."""

from dataclasses import replace
from functools import partial
from typing import Literal

from langgraph.runtime import Runtime

from clew.agent.answer.corpus_answers import corpus_question
from clew.agent.search.lookups import held_language
from clew.agent.search.scope import scoped
from clew.agent.services import Services, TurnContext
from clew.agent.state import TURN_JSON, Turn, TurnState
from clew.agent.talk.intents import heard
from clew.agent.talk.multi_question import questions_of
from clew.agent.talk.offers import offered_by
from clew.agent.talk.replies import Spoken, reply
from clew.memory.text import content_words, number_of, words


def begin(state: TurnState) -> Literal["talk", "answer"]:
    """A turn whose evidence is complete is only answered."""
    return "answer" if state["turn"].search.round else "talk"


def talk(turn: Turn, run: TurnContext) -> Turn:
    """Small talk, and talk about the last answer, are answered here; of a question with a greeting the question is
    left, and of a yes to a question that was offered that. One that a person says how to understand is no talk."""
    turn, services = _in_scope(turn, run.services), run.services
    if turn.search.understood:
        return turn.searched(asking=turn.search.understood)
    asked = turn.search.asking or turn.question
    said, about = heard(asked), corpus_question(asked)
    # 'Summarise this document' and 'which stories have you got?' are of documents, and no talk.
    of_documents = about is not None and (about.kind == "overview" or (about.kind == "summary" and " " in about.of))
    if said.intent is None or of_documents:
        return turn if said.question == asked else _asking(turn, said.question)
    before = [TURN_JSON.validate_json(record) for record in services.threads.records(turn.thread, turn.parent)]
    if said.intent == "ack" and before and before[-1].answer.offered:
        return _asking(turn, before[-1].answer.offered)
    language = (
        turn.search.language or said.language or (before[-1].language if before else "") or held_language(services)
    )
    offered = partial(services.once_a_library, offered_by)
    made = reply(Spoken(said.intent, turn.question, language, before, offered, services.encoder))
    if made is None:
        return turn
    answer, spoken_of = made
    turn = replace(turn, answer=replace(answer, form="talk"), rewritten=turn.question)
    if spoken_of is None:
        return turn.stepped("talk", said.intent)
    turn = replace(turn.searched(asking=spoken_of.rewritten).found(spoken_of.passages), rewritten=spoken_of.rewritten)
    return turn.stepped("talk", f"{said.intent}, of the answer of turn {spoken_of.turn}")


def after_talk(state: TurnState, runtime: Runtime[TurnContext]) -> Literal["recall", "multi_question", "verify"]:
    """A language model is asked several questions at once; of what is quoted each has its own answer."""
    turn, writer = state["turn"], runtime.context.services.writers.answer
    if turn.is_answered:
        return "verify"
    quotes = (writer is None or writer.abilities.is_small) and not turn.search.understood
    several = quotes and len(questions_of(turn.search.asking or turn.question)) > 1
    return "multi_question" if several else "recall"


def _in_scope(turn: Turn, services: Services) -> Turn:
    """Bound to the documents and folders that the question names behind an @, unless the caller has bound it. What
    nothing is called, and no document says, is left out of it."""
    if "@" not in turn.question or turn.search.scope:
        return turn
    store = services.library.store
    found, meant = scoped(turn.question, store.catalogue), scoped(turn.search.asking, store.catalogue)
    asking = meant.question or found.question
    for name in found.unknown:
        left = " ".join(asking.replace(name, " ").split())
        asking = left if content_words(left) and not any(store.vocabulary.counts(words(name))) else asking
        turn = turn.stepped("scope", f"nothing here is called {name}").searched(asking=asking)
    if not found.documents or not found.question:
        return turn
    turn = turn.searched(scope=found.documents, asking=asking)
    return turn.stepped("scope", f"in {', '.join(found.names)}: {number_of(len(found.documents), 'document')}")


def _asking(turn: Turn, question: str) -> Turn:
    return turn.searched(asking=question).stepped("talk", f"asked: {question}")

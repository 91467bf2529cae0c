"""A turn with several questions: they are answered one after the other, and the answers are joined. These are the nodes
of the subgraph `multi_question` (agent/graph.py) that other turns do not have."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Literal

from langgraph.runtime import Runtime

from clew.agent.answer.corpus_answers import made_of, offer
from clew.agent.services import TurnContext
from clew.agent.state import Answer, Claim, Outcome, Turn, TurnSearch, TurnState
from clew.memory.datatypes import Sentence
from clew.memory.dialogue.utterances import tidy
from clew.memory.language.joined_questions import MOST, joined_questions


class QuestionsState(TurnState):
    """The state of a turn with several questions: those still waiting, and a turn for each that was answered."""

    waiting: tuple[str, ...]
    answered: tuple[Turn, ...]


def questions_of(text: str) -> tuple[str, ...]:
    """The questions of a turn: of an offered one over two documents one about each, else those that are joined in
    it."""
    titles, heading, language = made_of(text)
    return tuple(offer(language, heading, title) for title in titles[1:] and titles) or joined_questions(text)


# Nodes ----------------------------------------------------------------------------------------------------------------


def split(state: TurnState) -> QuestionsState:
    turn = state["turn"]
    waiting = questions_of(turn.search.typed or turn.question)
    return {"turn": turn.stepped("multi_question", f"asked: {'; '.join(waiting)}"), "waiting": waiting, "answered": ()}


def next_question(state: QuestionsState) -> QuestionsState:
    """Begins the next waiting question; what was asked and answered in this turn counts as said before."""
    turn, answered = state["turn"], _with_last(state)
    asking, *waiting = state["waiting"]
    scope = () if turn.search.within else turn.search.scope  # of the turn, and of no question before
    said = tuple(sentence for part in answered for sentence in _as_said(part))  # questions and answers
    left = TurnSearch().calls_left - sum(call.by_model for part in answered for call in part.calls)
    fresh = Turn(
        turn.thread,
        turn.turn,
        turn.question,
        today=turn.today,
        id=turn.id,
        parent=turn.parent,
        steps=turn.steps,
        recalled=replace(turn.recalled, extracted=said, selected=said[:MOST]) if answered else turn.recalled,
        search=TurnSearch(turn.search.tool, scope, typed=asking, calls_left=left, language=turn.search.language),
    )
    return {"turn": fresh, "waiting": tuple(waiting), "answered": answered}


def after_next_question(state: QuestionsState) -> Literal["recall", "rewrite"]:
    return "rewrite" if state["answered"] else "recall"


def after_part(state: QuestionsState, runtime: Runtime[TurnContext]) -> Literal["next_question", "join"]:
    return "next_question" if state["waiting"] and not runtime.context.cancel.is_set() else "join"


def join(state: QuestionsState) -> TurnState:
    """The turn made of those of its questions, with the steps of all. If questions are still waiting, it was
    stopped."""
    turn, done, waiting = state["turn"], _with_last(state), state["waiting"]
    answer = joined([(part.search.typed, part.answer) for part in done])
    ranks = zip_longest(*(part.passages for part in done))  # the best of each, then the second best of each
    whole = replace(
        turn,
        answer=replace(answer, outcome="stopped") if waiting else answer,
        recalled=done[0].recalled,
        rewritten=" ".join((*(part.rewritten or part.search.typed for part in done), *waiting)),
        wordings=tuple(replace(w, weight=w.weight / len(done)) for part in done for w in part.wordings),
        calls=tuple(call for part in done for call in part.calls),
        passages=tuple({one.id: one for rank in ranks for one in rank if one}.values()),
        walk=next((part.walk for part in done if part.walk), None),
        paths=tuple(dict.fromkeys(path for part in done for path in part.paths)),
        model=next((part.model for part in done if part.model), ""),
        degraded=tuple(dict.fromkeys(one for part in done for one in part.degraded)),
        ledger=tuple(line for part in done for line in part.ledger),
    )
    return {"turn": whole.searched(typed=" ".join((*(part.search.typed for part in done), *waiting)))}


def _with_last(state: QuestionsState) -> tuple[Turn, ...]:
    """The turns of the answered questions, including the current one if it is answered."""
    turn = state["turn"]
    last = replace(turn, search=TurnSearch(typed=turn.search.typed), steps=())
    return (*state["answered"], last) if turn.is_answered else state["answered"]


def _as_said(part: Turn) -> list[Sentence]:
    claims = () if part.answer.refused else part.answer.claims
    said = (Sentence(claim.text, "agent", part.turn) for claim in claims)
    return [Sentence(part.search.typed, "user", part.turn), *said]


# Joining --------------------------------------------------------------------------------------------------------------


def joined(parts: Sequence[tuple[str, Answer]]) -> Answer:
    """One answer made of these; a refusal or a question back is preceded by its question."""
    answers = [answer for _, answer in parts]
    sources = tuple({source.id: source for answer in answers for source in answer.sources}.values())
    numbers = {source.id: number for number, source in enumerate(sources, 1)}
    claims: dict[str, Claim] = {}
    for question, answer in parts:
        is_none = answer.refused or answer.outcome == "unclear"  # and stands behind the question that it is said of
        for n, claim in enumerate(answer.claims):
            text = f"{tidy(question)} {claim.text}" if is_none and n == 0 else claim.text
            cites = tuple(numbers[answer.sources[number - 1].id] for number in claim.cites)
            begins = claim.new_line or (n == 0 and bool(claims))
            claims.setdefault(text, replace(claim, text=text, cites=cites, new_line=begins))  # said once is enough
    unread = max(answers, key=lambda answer: answer.files_left_out)
    return Answer(
        outcome=_outcome({answer.outcome for answer in answers}),
        claims=tuple(claims.values()),
        sources=sources,
        missing=tuple(dict.fromkeys(word for answer in answers for word in answer.missing)),
        nearest=tuple(dict.fromkeys(title for answer in answers for title in answer.nearest)),
        form=next((answer.form for answer in answers if answer.form), ""),
        files_left_out=unread.files_left_out,
        unread=unread.unread,
    )


def _outcome(outcomes: set[Outcome]) -> Outcome:
    if "stopped" in outcomes or len(outcomes) == 1:
        return "stopped" if "stopped" in outcomes else next(iter(outcomes))
    if {"answered", "partial"} & outcomes:
        return "partial"
    return "unclear" if "unclear" in outcomes else "nothing-found"

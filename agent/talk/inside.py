"""A question with another inside, unfolded: the inner one is asked, what it tells is put in its place, and what is left
is asked. 'Who is the director of Metropolis?' tells Fritz Lang; so 'When was Fritz Lang born?' is asked."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain, takewhile

from clew.agent.answer.bridge import held, is_about, told
from clew.agent.answer.refusal import nothing
from clew.agent.search.nested import Nested, nested
from clew.agent.state import UNANSWERED, Answer, Fallback, Inside, Turn, TurnSearch
from clew.agent.talk.several import in_turn, joined
from clew.memory.knowledge.catalogue import Catalogue

MOST = 3
"""Questions that are asked first."""

NAMES = 3
"""Names of one claim that what is left is asked of, one after the other, until it is answered."""

OF_NAME = 0.5
"""The share of a name's words that the answer has to hold, or its title."""

FEW = 5
"""Documents of a name that the question about it is limited to."""

FORMS = ("", "fact", "list", "steps", "yes-no", "several-documents")


def is_left(turn: Turn) -> bool:
    """Whether there is a question inside, and the answer, as it stands, does not hold all that both ask about."""
    answer, search = turn.answer, turn.search
    if search.within or answer.form not in FORMS or not turn.calls:
        return False
    one = nested(turn.rewritten)
    return one is not None and held(one.without_noun(turn.rewritten), answer) < 1


def unfolded(turn: Turn, catalogue: Catalogue) -> Turn:
    """The next question of those inside, or the turn as it ends: with the names told on the way, or as it was."""
    state = turn.search.inside
    if state is None:
        return _asked_next(turn, Inside(_AND.sub("", turn.rewritten), replace(turn, steps=())), catalogue)
    if state.given_up:
        return replace(_whole(turn, state), degraded=(*state.whole.degraded, *turn.degraded))
    if state.last:
        return _ended(turn, state) if _answers(turn, state) else _with_other(turn, state)
    one = nested(state.question)
    found = told(one, turn.answer)[:NAMES] if one else []
    if one and not found and turn.search.scope != state.whole.search.scope:
        return _asked(turn, one.question, state, state.whole.search.scope)  # the documents of that title do not say it
    if one is None or not found:
        return _left(turn, replace(state, last=True)) if state.told else _as_it_was(turn, state)
    part = replace(turn, steps=(), search=TurnSearch())
    state = replace(
        state, open=state.question, told=(*state.told, part), names=(*state.names, ""), meant=tuple(found), tried=0
    )
    return _asked_next(turn, _with(state, one, 0), catalogue)


_AND = re.compile(r"^(?:and|but|so) ", re.IGNORECASE)


def given_up(turn: Turn, why: Sequence[Fallback] = ()) -> Turn:
    """Looking for nothing more: the person has stopped it, or the library's cluster does not answer. What answered the
    question at once is still there."""
    assert turn.search.inside, "nothing is asked first"
    state = replace(turn.search.inside, given_up=True)
    turn = turn.searched(inside=state, planned=(), missing=(), wanted=0)
    return replace(turn, degraded=(*turn.degraded, *why))


def _with(state: Inside, one: Nested, which: int) -> Inside:
    """With this one of the names that may be meant put in, and of what told it the claim that has it."""
    place, name = state.meant[which]
    part = state.told[-1]
    said = replace(part.answer, claims=(replace(part.answer.claims[place], span=None),))
    return replace(
        state,
        question=one.filled(state.open, name),
        way=(*state.way[: len(state.told) - 1], said),
        names=(*state.names[:-1], name),
        tried=which + 1,
    )


def _answers(turn: Turn, state: Inside) -> bool:
    """Whether it tells something new of the last name, and with the way there says no less of the question than what
    answered it at once, where that is about the same and does not say itself who or what is meant."""
    way = {claim.text for said in state.way for claim in said.claims}
    new = any(claim.cites and claim.text not in way for claim in turn.answer.claims)
    if turn.answer.outcome != "answered" or not new or held(state.names[-1], turn.answer) < OF_NAME:
        return False
    one, at_once = nested(state.whole.rewritten), state.whole.answer
    if one is None or held(one.name, at_once) < OF_NAME:
        return True
    rest = one.filled(state.whole.rewritten, "")
    if held(rest, at_once) and held(f"{one.name} {one.noun} {state.names[0]}", at_once) == 1:
        return False  # 'they were the property of his aunt, Miss Quillet'
    asked = one.without_noun(state.whole.rewritten)
    return held(asked, _along(turn, state)) >= held(asked, at_once)


def _with_other(turn: Turn, state: Inside) -> Turn:
    """What is left, asked of another name of the last claim; the turn as it was where there is none."""
    one = nested(state.open)
    if one is None:
        return _as_it_was(turn, state)
    if state.tried == len(state.meant):
        return _as_it_was(turn, _with(state, one, 0))
    return _left(turn, _with(state, one, state.tried))


def _asked_next(turn: Turn, state: Inside, catalogue: Catalogue) -> Turn:
    one = nested(state.question) if len(state.told) < MOST else None
    if one is None:
        return _left(turn, replace(state, last=True))
    scope = state.whole.search.scope or _named(one, catalogue)
    return _asked(turn, one.question, state, scope).stepped("unfold", f"asked first: {one.question}")


def _named(one: Nested, catalogue: Catalogue) -> tuple[str, ...]:
    """The documents that have the name that is asked about for a title."""
    found = catalogue.titled(one.name)
    return found if len(found) <= FEW else ()


def _left(turn: Turn, state: Inside) -> Turn:
    return _asked(turn, state.question, state, state.whole.search.scope).stepped("unfold", f"asked: {state.question}")


def _asked(turn: Turn, question: str, state: Inside, scope: tuple[str, ...]) -> Turn:
    search = TurnSearch(tool=turn.search.tool, scope=scope, asking=question, inside=state)
    fresh = Turn(turn.thread, turn.turn, turn.question, today=turn.today, steps=turn.steps)
    return replace(fresh, search=search, answer=UNANSWERED)


def _as_it_was(turn: Turn, state: Inside) -> Turn:
    """The whole turn; refused where what answered it is about something else, with what was told on the way."""
    whole = _whole(turn, state)
    if not state.way or not (whole.answer.refused or _is_of_another(whole)):
        return whole.stepped("unfold", "as it was answered at once")
    rest = reduce(lambda text, name: text.replace(name, ""), state.names, state.question)
    left, way = nothing(rest, turn.passages), joined([("", said) for said in state.way])
    refusal, *more = left.claims
    answer = replace(
        left,
        claims=(*way.claims, replace(refusal, new_line=True), *more),
        sources=way.sources,
        form=whole.answer.form,
        files_left_out=whole.answer.files_left_out,
    )
    passages = in_turn([*(part.passages for part in state.told), whole.passages])
    summary = f"nothing more is told of {state.names[-1]}"
    return replace(whole, answer=answer, passages=passages).stepped("unfold", summary)


def _is_of_another(turn: Turn) -> bool:
    """Whether what answers it has neither a name nor the noun of what is inside it."""
    one, answer = nested(turn.rewritten), turn.answer
    if one is None or answer.outcome != "answered" or held(one.noun, answer):
        return False
    return not is_about(one.names_of(turn.rewritten), answer)


def _whole(turn: Turn, state: Inside) -> Turn:
    return replace(state.whole, steps=turn.steps)


def _ended(turn: Turn, state: Inside) -> Turn:
    """The whole turn, answered by what was told on the way and what is left."""
    whole, parts = _whole(turn, state), (*state.told, turn)
    return replace(
        whole,
        answer=_along(turn, state),
        calls=(*whole.calls, *chain.from_iterable(part.calls for part in parts)),
        passages=in_turn([turn.passages, *(part.passages for part in state.told), whole.passages]),
        degraded=tuple(dict.fromkeys((*whole.degraded, *chain.from_iterable(part.degraded for part in parts)))),
    ).stepped("unfold", f"by way of {', '.join(state.names)}")


def _along(turn: Turn, state: Inside) -> Answer:
    """What was told on the way, and behind it what is left, of a fact only what is told of the last name."""
    last = turn.answer
    own = tuple(one for one in last.claims if held(state.names[-1], replace(last, claims=(one,))) >= OF_NAME)
    last = replace(last, claims=own) if own and last.form == "fact" else last
    opens = tuple(takewhile(lambda claim: not claim.cites, last.claims))  # 'Yes.', 'The documents say:'
    last = replace(last, claims=last.claims[len(opens) :])
    made = joined([("", answer) for answer in (*state.way, last)])
    return replace(made, claims=(*opens, *made.claims), form=last.form, says=last.says)

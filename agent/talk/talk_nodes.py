"""The node `talk`: what of a turn is no question is answered here, without a search, by a line that fits, or, where it
is about the last answer, by its passages again, quoted and cited; and where a turn goes from it."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Literal

import numpy as np
from langgraph.runtime import Runtime

from clew.agent.answer.citations import numbered, same_words
from clew.agent.answer.corpus_answers import corpus_question
from clew.agent.search.lookups import held_language
from clew.agent.search.scope import scoped
from clew.agent.services import Services, TurnContext
from clew.agent.state import LIBRARY, TURN_JSON, Answer, Claim, Quote, Turn, TurnState
from clew.agent.talk.intents import ABOUT_ANSWER, Intent, heard
from clew.agent.talk.lines import READ, line, refused_in
from clew.agent.talk.multi_question import questions_of
from clew.agent.talk.offers import offered_by
from clew.memory.datatypes import Floats, Passage
from clew.memory.instructions import speaks_to_a_model
from clew.memory.ports import Encoder
from clew.memory.text import ITEM, content_words, is_named, number_of, split, words

SHORTEST, LONGEST = 4, 60
"""Words of a sentence that is quoted."""

MORE = 3
"""Sentences that are said more at once."""

AS_NEAR = 0.6
"""How near to the question more has to be, as a share of how near the nearest said sentence is."""

_STATES = re.compile(r"[.!;\u2026\u3002][\"'\u201d\u2019)\]]*$")
"""The end of what is no heading, question or lead-in."""


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
    before_it = before[-1].language if before else ""
    language = turn.search.language or said.language or before_it or held_language(services)
    offered = partial(services.once_a_library, offered_by)
    made = reply(Spoken(said.intent, language, before, offered, services.encoder))
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


# What is said ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Spoken:
    """What talk is answered from."""

    intent: Intent
    language: str
    before: Sequence[Turn]  # the oldest first
    examples: Callable[[], Sequence[str]]  # questions to offer, looked for only where they are said
    encoder: Encoder

    def line(self, key: str, **values: str) -> str:
        return line(key, self.language, **values)


def reply(spoken: Spoken) -> tuple[Answer, Turn | None] | None:
    """What is answered, and the turn whose answer was spoken of, where one was. None where it is to be searched after
    all: as a reply to a question back."""
    last = next((turn for turn in reversed(spoken.before) if turn.answer.outcome != "small-talk"), None)
    waits = last is spoken.before[-1] and last.answer.outcome == "unclear" if last else False
    if waits and spoken.intent in ("ack", "more", "sure", "wrong", "first", "last", "all"):
        return None
    if spoken.intent in ("first", "last", "all"):
        return _what_was_asked(spoken), None
    if spoken.intent not in ABOUT_ANSWER:
        offers = spoken.intent in ("greeting", "help", "identity")
        return _said(spoken.line(spoken.intent), spoken.line("examples"), spoken.examples() if offers else ()), None
    if last is None or spoken.intent == "wrong":
        return _said(spoken.line("wrong" if last else "no answer")), None
    cited = [claim for claim in last.answer.claims if claim.cites]
    if spoken.intent == "repeat" or (not cited and spoken.intent in ("shorter", "reword")):
        return refused_in(last.answer, spoken.language), last
    return _ABOUT[spoken.intent](spoken, last, cited) if cited else _said(spoken.line("no source")), last


def _said(text: str, leading: str = "", items: Sequence[str] = ()) -> Answer:
    """Small talk; behind it, where there are items, a line that leads to them, and each on a line of its own."""
    listed = (leading, *(f"- {item}" for item in items)) if items else ()
    return Answer("small-talk", (Claim(text), *(Claim(one, new_line=True) for one in listed if one)))


def _what_was_asked(spoken: Spoken) -> Answer:
    """The questions to the documents, and none of what was only talk."""
    first_steps = ((turn, next((one.node for one in turn.steps if one.node != LIBRARY), "")) for turn in spoken.before)
    asked = [heard(turn.question).question for turn, first in first_steps if first != "talk" or turn.calls]
    if not asked:
        return _said(spoken.line("nothing asked"))
    if spoken.intent == "last":
        return _said(spoken.line("last", question=asked[-1]))
    return _said(spoken.line("all"), items=asked)


# About the last answer --------------------------------------------------------------------------------------------


def _shorter(spoken: Spoken, last: Turn, cited: Sequence[Claim]) -> Answer:
    """Of several quotations the one whose words are bold and the one nearest to the question. A list, and one
    quotation, is as short as it can be."""
    if last.answer.form in ("list", "steps") or len(last.answer.claims) == 1:
        return _quoted(last, [Claim(spoken.line("is short")), *(replace(one, new_line=True) for one in cited)])
    cosines = _cosines(last.rewritten, [claim.text for claim in cited], spoken.encoder)
    nearest = cited[int(np.argmax(cosines))]
    first = next((claim for claim in cited if claim.span), nearest)
    return _quoted(last, [replace(one, new_line=False) for one in cited if one in (first, nearest)])


def _more(spoken: Spoken, last: Turn, cited: Sequence[Claim]) -> Answer:
    """What the passages say beside what was said, nearest to the question first found, in their order."""
    said = [claim.text for turn in spoken.before if turn.rewritten == last.rewritten for claim in turn.answer.claims]
    known = list(filter(None, map(same_words, said)))
    each = ((*unsaid, passage) for passage in last.passages[:READ] for unsaid in _unsaid(passage, known))
    found = {claim.text: (claim, behind, passage) for claim, behind, passage in each}
    near = _cosines(last.rewritten, [behind for _, behind, _ in found.values()], spoken.encoder)
    enough = AS_NEAR * _cosines(last.rewritten, [claim.text for claim in cited], spoken.encoder).max()
    best = sorted(int(place) for place in np.argsort(-near, kind="stable")[:MORE] if near[place] >= enough)
    if not best:
        return _said(spoken.line("no more"))
    chosen = [list(found.values())[place] for place in best]
    sources = tuple({passage.id: passage for _, _, passage in chosen}.values())
    claims = (replace(claim, cites=(sources.index(passage) + 1,)) for claim, _, passage in chosen)
    return Answer("answered", tuple(claims), sources)


def _unsaid(passage: Passage, known: Sequence[str]) -> Iterator[tuple[Claim, str]]:
    """The sentences of a passage that are worth quoting and are none of the `known` ones, each with the one before it,
    on which it may lean; no item of a list, which is no whole."""
    before = ""
    for start, end in split(passage.text):
        quote = Quote(passage.document, passage.start + start, passage.start + end, passage.text[start:end])
        text = " ".join(quote.text.split())
        own = same_words(text)
        worth = SHORTEST <= len(text.split()) <= LONGEST and _STATES.search(text) and not ITEM.match(text)
        if worth and not any(own in one or one in own for one in known) and not speaks_to_a_model(text):
            yield Claim(text, start=quote.start, quotes=(quote,)), f"{before} {text}".strip()
        before = text


def _where(spoken: Spoken, last: Turn, cited: Sequence[Claim]) -> Answer:
    """Each quotation with its document, heading and page; other words than these there are none."""
    claims = [Claim(spoken.line("only quotes"))] if spoken.intent == "reword" else []
    answer = _quoted(last, [replace(claim, new_line=bool(claims or n)) for n, claim in enumerate(cited)])
    for cites, of_one in groupby(answer.claims, lambda claim: claim.cites):
        claims += [*of_one, _places([answer.sources[number - 1] for number in cites], spoken)]
    return replace(answer, claims=tuple(claims))


_ABOUT: dict[Intent, Callable[[Spoken, Turn, Sequence[Claim]], Answer]] = {
    "shorter": _shorter,
    "more": _more,
    "reword": _where,
    "sure": _where,
    "where": _where,
}


def _places(sources: Sequence[Passage], spoken: Spoken) -> Claim:
    """`It stands in "The lease", "Rent", page 3.`"""
    places = []
    for source in sources:
        page = source.page if is_named(source.page) else spoken.line("page", page=source.page)
        heading = f'"{source.heading.rstrip(".:")}"' if source.heading not in ("", source.title) else ""
        places.append(", ".join(filter(None, (f'"{source.title or source.source or source.document}"', heading, page))))
    return Claim(spoken.line("place", place="; ".join(places)), new_line=True)


def _cosines(text: str, others: Sequence[str], encoder: Encoder) -> Floats:
    return np.asarray(encoder.encode(others, "passage") @ encoder.encode([text], "query")[0])


def _quoted(last: Turn, claims: Sequence[Claim]) -> Answer:
    """Claims of the last answer, with those of its sources that they cite."""
    return Answer("answered", *numbered(claims, last.answer.sources))

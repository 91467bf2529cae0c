"""The node `talk`: what is not a question is answered without a search, by a fitting line, or, if it is about the last
answer, by its passages; and the routes that lead to this node and from it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from langgraph.runtime import Runtime

from clew.agent.answer.citations import numbered, same_words
from clew.agent.answer.corpus_answers import corpus_question
from clew.agent.answer.evidence import READ
from clew.agent.search.lookups import held_language
from clew.agent.services import Services, TurnContext
from clew.agent.state import TURN_JSON, Answer, Claim, Quote, Turn, TurnState
from clew.agent.talk.lines import line, refused_in
from clew.agent.talk.multi_question import questions_of
from clew.agent.talk.offers import shown_off
from clew.memory.datatypes import Passage
from clew.memory.dialogue.intents import ABOUT_ANSWER, Intent, heard
from clew.memory.instructions import speaks_to_a_model
from clew.memory.knowledge.catalogue import scoped
from clew.memory.ports import Encoder
from clew.memory.text import ITEM, content_words, is_named, number_of, split, words

SHORTEST, LONGEST = 4, 60
"""Words of a sentence that may be quoted."""

MORE, EXAMPLES = 3, 3
"""Further sentences that are quoted at once; questions that a greeting shows."""


def begin(state: TurnState) -> Literal["talk", "corpus"]:
    """A turn whose evidence is complete, and that is answered anew, is not searched again."""
    return "corpus" if state["turn"].search.round else "talk"


def talk(turn: Turn, run: TurnContext) -> Turn:
    """Answers small talk and talk about the last answer. Otherwise it leaves the question: without a greeting; or,
    after "yes" to an offered question, that one. A question that the person has put in other words is never talk."""
    turn, services = _in_scope(turn, run.services), run.services
    if turn.rewritten:
        return turn.searched(typed=turn.rewritten)
    asked = turn.search.typed or turn.question
    said, about = heard(asked), corpus_question(asked)
    # 'Summarise this document' and 'which stories have you got?' are of documents, and no talk.
    of_documents = about is not None and (about.kind == "overview" or (about.kind == "summary" and " " in about.of))
    if said.intent is None or of_documents:
        return turn if said.question == asked else _asking(turn, said.question)
    before = [TURN_JSON.validate_json(record) for record in services.threads.records(turn.thread, turn.parent)]
    if said.intent == "ack" and before and before[-1].answer.offered:
        return _asking(turn, before[-1].answer.offered)
    last = next((one for one in reversed(before) if one.answer.outcome != "small-talk"), None)
    replies = last is not None and last is before[-1] and last.answer.outcome == "unclear"
    if replies and said.intent in ("ack", "more", "sure", "wrong", "first", "last", "all"):
        return turn  # to a question back
    before_it = before[-1].language if before else ""
    language = turn.search.language or said.language or before_it or held_language(services)
    turn = replace(turn, rewritten=turn.question)
    if last is None or said.intent == "wrong" or said.intent not in ABOUT_ANSWER:
        answer = small_talk(said.intent, language, before, services)
        return replace(turn, answer=replace(answer, form="talk")).stepped("talk", said.intent)
    answer = about_answer(said.intent, language, before, last, services.encoder)
    turn = turn.searched(typed=last.rewritten).found(last.passages)
    turn = replace(turn, answer=replace(answer, form="talk"), rewritten=last.rewritten)
    return turn.stepped("talk", f"{said.intent}, of the answer of turn {last.turn}")


def after_talk(state: TurnState, runtime: Runtime[TurnContext]) -> Literal["recall", "multi_question", "verify"]:
    """Several questions are quoted one by one; a language model gets them all at once."""
    turn, writer = state["turn"], runtime.context.services.writers.answer
    if turn.is_answered:
        return "verify"
    quotes = (writer is None or writer.abilities.is_small) and not turn.rewritten
    several = quotes and len(questions_of(turn.search.typed or turn.question)) > 1
    return "multi_question" if several else "recall"


def _in_scope(turn: Turn, services: Services) -> Turn:
    """The turn limited to the documents and folders named behind an @, unless the caller limited it. A name that
    nothing has, and that is in no document, is dropped from the question."""
    if "@" not in turn.question or turn.search.scope:
        return turn
    store = services.library.store
    found = scoped(turn.question, store.catalogue)
    asking = found.question
    for name in found.unknown:
        left = " ".join(asking.replace(name, " ").split())
        asking = left if content_words(left) and not any(store.vocabulary.counts(words(name))) else asking
        turn = turn.stepped("scope", f"nothing here is called {name}").searched(typed=asking)
    if not found.documents or not found.question:
        return turn
    turn = turn.searched(scope=found.documents, typed=asking)
    return turn.stepped("scope", f"in {', '.join(found.names)}: {number_of(len(found.documents), 'document')}")


def _asking(turn: Turn, question: str) -> Turn:
    return turn.searched(typed=question).stepped("talk", f"asked: {question}")


# What is said ---------------------------------------------------------------------------------------------------------


def small_talk(intent: Intent, language: str, before: Sequence[Turn], services: Services) -> Answer:
    """A fitting line, with questions to ask behind a greeting; or, on demand, the questions asked so far."""
    if intent in ("first", "last", "all"):
        asked = [heard(turn.question).question for turn in before if turn.answer.form != "talk"]
        return _said(line("all" if asked else "nothing asked", language), asked)
    if intent in ("greeting", "help", "identity") and (offered := services.once_a_library(shown_off)):
        return _said(line(intent, language), [first for first, *_ in offered][:EXAMPLES], line("examples", language))
    return _said(line("no answer" if intent in ABOUT_ANSWER and intent != "wrong" else intent, language))


def _said(text: str, items: Sequence[str] = (), leading: str = "") -> Answer:
    """A text, followed by a leading line and items on lines of their own."""
    listed = [*filter(None, [leading]), *(f"- {item}" for item in items)]
    return Answer("small-talk", (Claim(text), *(Claim(one, new_line=True) for one in listed)))


def about_answer(intent: Intent, language: str, before: Sequence[Turn], last: Turn, encoder: Encoder) -> Answer:
    """The last answer once more: repeated, shortened, with the places of its sources, or with further sentences."""
    cited = [claim for claim in last.answer.claims if claim.cites]
    listed = last.answer.form in ("list", "steps")  # as short as it can be
    if intent == "repeat" or (intent == "shorter" and listed) or (not cited and intent in ("shorter", "reword")):
        return refused_in(last.answer, language)
    if not cited:
        return _said(line("no source", language))
    if intent == "more":
        return _more(before, last, encoder) or _said(line("no more", language))
    if intent == "shorter":
        shown = next((claim for claim in cited if claim.span), cited[0])
        return Answer("answered", *numbered([replace(shown, new_line=False)], last.answer.sources))
    claims, sources = numbered([replace(claim, new_line=True) for claim in cited], last.answer.sources)
    leading = [Claim(line("only quotes", language))] if intent == "reword" else []
    places = "; ".join(_place(source, language) for source in sources)
    return Answer("answered", (*leading, *claims, Claim(line("place", language, place=places), new_line=True)), sources)


def _place(source: Passage, language: str) -> str:
    """`"The lease", "Rent", page 3`"""
    page = source.page if is_named(source.page) else line("page", language, page=source.page)
    heading = f'"{source.heading.rstrip(".:")}"' if source.heading not in ("", source.title) else ""
    return ", ".join(filter(None, (f'"{source.title or source.source or source.document}"', heading, page)))


def _more(before: Sequence[Turn], last: Turn, encoder: Encoder) -> Answer | None:
    """The sentences of the passages nearest to the question that were not said yet, in order; None if there are
    none."""
    said = [claim.text for turn in before if turn.rewritten == last.rewritten for claim in turn.answer.claims]
    known = [*filter(None, map(same_words, said))]
    found = {claim.text: (claim, passage) for passage in last.passages[:READ] for claim in _unsaid(passage, known)}
    if not found:
        return None
    near = encoder.encode([*found], "passage") @ encoder.encode([last.rewritten], "query")[0]
    chosen = [[*found.values()][place] for place in sorted(np.argsort(-near, kind="stable")[:MORE].tolist())]
    sources = tuple({passage.id: passage for _, passage in chosen}.values())
    claims = (replace(claim, cites=(sources.index(passage) + 1,)) for claim, passage in chosen)
    return Answer("answered", tuple(claims), sources)


def _unsaid(passage: Passage, known: Sequence[str]) -> Iterator[Claim]:
    """The complete sentences of a passage that are not `known`; no headings, questions or list items."""
    for start, end in split(passage.text):
        quote = Quote(passage.document, passage.start + start, passage.start + end, passage.text[start:end])
        text = " ".join(quote.text.split())
        own = same_words(text)
        whole = SHORTEST <= len(text.split()) <= LONGEST and text.endswith((".", "!", "\u2026", "\u3002"))
        is_known = any(own in one or one in own for one in known)
        if whole and not ITEM.match(text) and not is_known and not speaks_to_a_model(text):
            yield Claim(text, start=quote.start, quotes=(quote,))

"""The nodes of a turn that is more than one question to the documents, and which way it goes; and the questions that a
greeting offers: made from the documents by rule, and asked, as only what is answered is offered."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Literal

from langgraph.runtime import Runtime

from clew.agent.answer.corpus_answers import corpus_question
from clew.agent.answer.quoted import quoted
from clew.agent.search.lookups import hybrid, query_of_turn
from clew.agent.services import TurnContext
from clew.agent.state import TURN_JSON, Turn, TurnState
from clew.agent.talk import inside
from clew.agent.talk.intents import Heard, heard
from clew.agent.talk.replies import Reply, Spoken, reply
from clew.agent.talk.several import advanced, begun, questions_of
from clew.memory.datatypes import Chunk, Wording
from clew.memory.language.telling import language_of
from clew.memory.text import FUNCTION_WORDS, content_words, split, words

WANTED = 3
TRIED = 9
"""Questions that are asked to find those."""

LOOKED_AT = 150
"""Chunks that questions are made of, spread over the library."""

LONGEST = 14
"""Words of a question that is offered."""

_DEFINES = re.compile(
    r"(?P<the>The )?(?P<thing>[A-Z][\w'’-]*(?: [\w'’-]+){0,3}?) (?P<verb>is|are) (?:an?|the) (?:\w+ ){2}"
)
_NO_THING = re.compile(
    r"(?:It|He|She|They|This|That|These|Those|There|Here|What|Which|Who|Where|If|You|We|I|One|Each|Another)\b"
)
_ASKED = re.compile(r"[A-Z¿][^?.!:\n]+\?")


def begin(state: TurnState) -> Literal["talk", "recall", "answer"]:
    """A turn whose evidence is complete is only answered; one that is more than a question is taken apart."""
    turn = state["turn"]
    if turn.search.round:
        return "answer"
    said = _heard(turn.question)
    return "talk" if said.intent or questions_of(said.question) != (turn.question,) else "recall"


def _heard(question: str) -> Heard:
    """'Summarise this document' and 'which stories have you got?' are of documents, and no talk."""
    said, asked = heard(question), corpus_question(question)
    of_documents = asked is not None and (asked.kind == "overview" or (asked.kind == "summary" and " " in asked.of))
    return replace(said, intent=None) if of_documents else said


def talk(turn: Turn, run: TurnContext) -> Turn:
    """Small talk, and talk about the last answer, are answered here; of a question with a greeting the question is
    asked, and several questions one after the other."""
    said, services = _heard(turn.question), run.services
    if said.intent:
        before = [TURN_JSON.validate_json(record) for record in services.threads.records(turn.thread)]
        if said.intent == "ack" and before and before[-1].answer.offered:
            return begun(turn, [before[-1].answer.offered]).stepped("talk", f"asked: {before[-1].answer.offered}")
        language = said.language or (language_of(before[-1].question) if before else "")
        made = reply(Spoken(said.intent, turn.question, language, before, lambda: suggested(run), services.encoder))
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


def after_answer(state: TurnState, runtime: Runtime[TurnContext]) -> Literal["unfold", "next_question", "verify"]:
    """A question with another inside is unfolded where it was not answered at once, but where a language model searches
    for it or answers it: that is not asked several times."""
    turn, run = state["turn"], runtime.context
    alone = not (run.services.writers.think or run.services.writers.answer or run.cancel.is_set())
    if turn.search.inside or (alone and inside.is_left(turn)):
        return "unfold"
    return "next_question" if turn.search.waiting or turn.search.done else "verify"


def unfold(turn: Turn, run: TurnContext) -> Turn:
    return inside.unfolded(turn, run.services.library.store.catalogue)


def after_unfold(state: TurnState) -> Literal["rewrite", "next_question", "verify"]:
    search = state["turn"].search
    if search.inside:
        return "rewrite"
    return "next_question" if search.waiting or search.done else "verify"


def next_question(turn: Turn, run: TurnContext) -> Turn:  # noqa: ARG001 every node has both
    """Of a turn that asks several; behind the last all answers are joined."""
    return advanced(turn)


def after_next(state: TurnState) -> Literal["rewrite", "verify"]:
    return "verify" if state["turn"].is_answered else "rewrite"


# What is offered ------------------------------------------------------------------------------------------------------


def suggested(run: TurnContext) -> tuple[str, ...]:
    """At most `WANTED`, of different documents where there are several; made once for a library."""
    services = run.services
    known, library = services.examples, services.library.manifest.fingerprint
    if library not in known:
        known[library] = tuple(_answered(run)) if services.library.manifest.chunks else ()
    return known[library]


def _answered(run: TurnContext) -> Iterator[str]:
    """Those that are answered from the document that they were made of."""
    found = 0
    for question, document in islice(_made(run.services.library.store.sample(LOOKED_AT)), TRIED):
        if found == WANTED:
            return
        turn = Turn("", 1, question, question, meant=question, wordings=(Wording("question", question, 1.0),))
        query = query_of_turn(turn, run, turn.wordings)
        turn = turn.found(hybrid(run).search(query, run.services.evidence).passages)
        answer = quoted(turn, run)
        if answer.outcome == "answered" and document in [source.document for source in answer.sources[:1]]:
            found += 1
            yield question


def _made(chunks: Sequence[Chunk]) -> Iterator[tuple[str, str]]:
    """Question and document: first questions that stand as headings, then what is defined, then what stands under a
    heading; of each document one, then another one of each."""
    each: dict[str, dict[str, None]] = {}
    for chunk in chunks:
        own = each.setdefault(chunk.document, {})
        own.update(dict.fromkeys(_asked_in(chunk)))
    for chunk in chunks:
        each[chunk.document].update(dict.fromkeys(_defined_in(chunk)))
    for chunk in sorted(chunks, key=lambda one: len(content_words(one.heading)) < 2):  # "Examples" says little
        each[chunk.document].update(dict.fromkeys(_headed(chunk)))
    for rank in range(TRIED):
        for document, questions in each.items():
            yield from ((question, document) for question in list(questions)[rank : rank + 1])


def _asked_in(chunk: Chunk) -> Iterator[str]:
    for line in dict.fromkeys((chunk.heading, *chunk.text.splitlines())):
        bare = re.sub(r"^[\s#*>]*(?:\(?\d+[.)]\)?\s*)?", "", line).strip(" *")
        if _ASKED.fullmatch(bare) and _stands_alone(bare):
            yield bare


def _defined_in(chunk: Chunk) -> Iterator[str]:
    for start, end in split(chunk.text):
        match = _DEFINES.match(chunk.text[start:end])
        if not match or _NO_THING.match(match["thing"]):
            continue
        thing = match["thing"] if match["thing"].split()[0].casefold() not in FUNCTION_WORDS else ""
        if set(content_words(thing)) & set(content_words(f"{chunk.title} {chunk.heading}")):
            yield f"What {match['verb']} {'the ' if match['the'] else ''}{thing}?"


def _headed(chunk: Chunk) -> Iterator[str]:
    """What a document says under a heading that is a few plain words."""
    heading, title = chunk.heading.strip(" .:"), chunk.title.strip()
    plain = re.fullmatch(r"[A-Z][\w'’ -]+", heading) and 1 <= len(content_words(heading)) <= MOST_OF_HEADING
    if plain and title and heading != title and len(f"{title} {heading}".split()) <= LONGEST - 4:
        yield f'What does "{title}" say about {heading}?'


MOST_OF_HEADING = 4
"""Content words of a heading that is asked about."""

_POINTS = frozenset(
    "this that these those it its he she they his her their them here there i my we our you your".split()
)


def _stands_alone(question: str) -> bool:
    """Whether it is short, one question, and says what it is about."""
    spoken = words(question)
    own = [word for word in spoken if word not in FUNCTION_WORDS]
    return (
        3 <= len(spoken) <= LONGEST and len(own) >= 2 and not _POINTS & {*spoken} and len(questions_of(question)) == 1
    )

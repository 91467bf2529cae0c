"""Questions that this library answers, to be offered with a greeting: made from its documents by rule, and asked."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from clew.agent.answer import answers
from clew.agent.search.lookups import hybrid, query_of_turn
from clew.agent.services import TurnContext
from clew.agent.state import Turn
from clew.agent.talk.several import questions_of
from clew.memory.datatypes import Chunk, Wording
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
        answer = answers.quoted(turn, run)
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

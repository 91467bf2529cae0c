"""Look-ups in the library that several nodes of a turn share: each is computed once in a run, and again after a crash.

The first call takes the time given in its docstring (on one core, for 3,600 and 118,000 chunks); later ones in the same
turn take none. Where no time is given, nothing is computed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from clew.agent.search import rounds
from clew.agent.search.toolbox import Toolbox
from clew.agent.services import Services, TurnContext
from clew.agent.state import Call, Turn
from clew.memory.datatypes import Findings, Query, Wording
from clew.memory.errors import BadInput
from clew.memory.knowledge.library import Library
from clew.memory.knowledge.question import LibraryQuestion, Matches
from clew.memory.knowledge.walking.walker import Stitched, Thought, Walker
from clew.memory.language.telling import language_of
from clew.tools.base import encode_query, for_question
from clew.tools.graph import GraphSearch
from clew.tools.hybrid import Hybrid


def query_of_turn(turn: Turn, run: TurnContext, wordings: Sequence[Wording]) -> Query:
    """These wordings with their vectors; 10 ms for each that is not in the cache."""

    def encoded() -> Query:
        query = encode_query(turn.typed, wordings, run.services.encoder, scope_of(turn), turn.recalled.selected)
        return replace(query, cancel=run.cancel, deadline=run.deadline)

    return run.once("query", tuple(wordings), encoded)


def question_of(turn: Turn, run: TurnContext, wordings: Sequence[Wording]) -> LibraryQuestion:
    """These wordings as a question to the library, shared by all nodes of the turn; everything is computed when
    needed."""
    walker = walker_of(turn, run, wordings)
    return run.once("question", tuple(wordings), lambda: walker.question(query_of_turn(turn, run, wordings)))


def walker_of(turn: Turn, run: TurnContext, wordings: Sequence[Wording] = ()) -> Walker:
    """The walker over the part of the library that these wordings reach, by default those that are searched. A folder's
    graph is read once per process (seconds); a cluster needs a request or two."""
    wordings = tuple(wordings or turn.search.planned[0].wordings)  # a checkpoint gives them back as a list
    return run.once("walker", wordings, lambda: run.services.walker(query_of_turn(turn, run, wordings)))


def thought_of(turn: Turn, run: TurnContext) -> Thought:
    """The scores of the partitions, with the chunks found so far as candidates. 3 ms beside `matches_of`."""
    wordings = turn.search.planned[0].wordings

    def thought() -> Thought:
        walker = walker_of(turn, run)
        ids = {*matches_of(turn, run, wordings).ids, *(passage.id for passage in turn.documented.passages)}
        numbers = walker.graph.layers.chunk_numbers
        found = np.array(sorted({numbers[id_] for id_ in ids if id_ in numbers}), np.int64)
        return walker.think(question_of(turn, run, wordings), found)

    return run.once("thought", (turn.search.round, turn.typed), thought)


def stitched_of(turn: Turn, run: TurnContext) -> Stitched:
    """The chosen partitions as one graph. Under 1 ms beside `thought_of`."""
    thought, walker = thought_of(turn, run), walker_of(turn, run)
    return run.once("stitched", (turn.search.round, turn.typed), lambda: walker.stitch(thought))


def hybrid(run: TurnContext) -> Hybrid:
    """Return the tool `hybrid` of this turn's services."""
    tool = run.services.tools[Hybrid.name]
    assert isinstance(tool, Hybrid)
    return tool


def matches_of(turn: Turn, run: TurnContext, wordings: Sequence[Wording]) -> Matches:
    """What `hybrid` finds with each wording, whatever its weight. 6 to 30 ms beside `query_of_turn`: the most expensive
    look-up of a turn that uses `hybrid` alone."""
    query = query_of_turn(turn, run, wordings)
    of = tuple((wording.text, wording.context) for wording in wordings)
    return run.once("matches", of, lambda: hybrid(run).matches(query, run.services.evidence))


def found_by(turn: Turn, run: TurnContext, call: Call) -> Findings:
    """The findings of a search, made anew each time (docs/figures.md: tens of ms); `hybrid` only uses `matches_of`."""
    services = run.services
    if call.by_model:
        question, words = query_of_turn(turn, run, turn.wordings), call.wordings[0].text
        try:
            found = Toolbox(services, scope_of(turn), question).call(call.tool, call.given, words)
        except BadInput as error:
            return Findings(notes=(f"{call.tool}: {error}",))
        return rounds.for_model(found, words, question, services.library.store)
    query = query_of_turn(turn, run, call.wordings)
    tool = for_question(services.tools[call.tool], query)
    if isinstance(tool, Hybrid):
        return tool.findings(query, matches_of(turn, run, call.wordings), services.evidence)
    if isinstance(tool, GraphSearch):
        return tool.found(question_of(turn, run, call.wordings), services.evidence)
    return tool.search(query, services.evidence)


SAMPLE = 40
"""Chunks by which the language of a library is recognised."""


def held_language(services: Services) -> str:
    """The language of most documents, or empty. Some ms, once for each state of the library."""
    return services.once_a_library(library_language)


def library_language(library: Library) -> str:
    """The language of most documents of a library, or empty."""
    told = Counter(language_of(chunk.text) for chunk in library.store.sample(SAMPLE) if library.manifest.chunks)
    return max(told, key=lambda one: told[one], default="")


def scope_of(turn: Turn) -> frozenset[str] | None:
    """Return the ids of the documents that the turn is limited to; None if it is not limited."""
    return frozenset(turn.search.scope) if turn.search.scope else None

"""Rankings of documents for a data set's questions, and what searching and encoding them takes."""

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from clew.agent.dataset import Question
from clew.agent.forms import FormName, query_of
from clew.agent.metrics import Ranking, falling
from clew.memory.datatypes import Passage, Query
from clew.memory.dialogue.utterances import extract
from clew.memory.encoding import CachedEncoder
from clew.memory.progress import Progress

TIMED = 100
"""Questions whose encoding is timed."""

Find = Callable[[Question, Query, int], Sequence[Passage]]


@dataclass(frozen=True, slots=True)
class Search:
    """`find` brings so many passages for a question, best first, by a tool or by the agent; at first `first`."""

    find: Find
    first: int


@dataclass(frozen=True, slots=True)
class Ranked:
    """A ranking for each question; `latency_ms` is `{search: {p50, p95}, encode: {p50}}`."""

    rankings: Mapping[str, Ranking]
    latency_ms: Mapping[str, Mapping[str, float]]


def rank(
    questions: Sequence[Question], form: FormName, search: Search, encoder: CachedEncoder, k: int, stage: str
) -> Generator[Progress, None, Ranked]:
    """The first k documents for each question in this form. Only the search is timed: its vectors are there before."""
    rankings: dict[str, Ranking] = {}
    queries: list[Query] = []
    seconds: list[float] = []
    for done, question in enumerate(questions):
        yield Progress(stage, done, len(questions))
        queries.append(query_of(question, form, encoder))
        started = time.perf_counter()
        found = distinct(partial(search.find, question, queries[-1]), k, search.first)
        seconds.append(time.perf_counter() - started)
        scores = falling([score for _, score in found])
        rankings[question.id] = list(zip([document for document, _ in found], scores, strict=True))
    latency = {"search": percentiles(seconds, 50, 95), "encode": percentiles(encoding_seconds(queries, encoder), 50)}
    yield Progress(stage, len(questions), len(questions))
    return Ranked(rankings, latency)


def distinct(search: Callable[[int], Sequence[Passage]], k: int, first: int) -> list[tuple[str, float]]:
    """The first k documents of what is found, each with the score of its first passage; a document can have several.

    Asks for `first` passages, then for more until there are k documents or no more passages. What a wider search
    finds comes behind what was found before.
    """
    documents: dict[str, float] = {}
    asked = first
    while True:
        passages = search(asked)
        for passage in passages:
            documents.setdefault(passage.document, passage.score)
        if len(documents) >= k or len(passages) < asked:
            return list(documents.items())[:k]
        asked *= 4


def encoding_seconds(queries: Sequence[Query], encoder: CachedEncoder) -> list[float]:
    """What the bare encoder, without its cache, takes for one question's forms at a time."""
    bare = encoder.uncached
    bare.encode([queries[0].text], "query")  # the model is loaded with its first text
    seconds = []
    for query in queries[:TIMED]:
        started = time.perf_counter()
        bare.encode([form.text for form in query.forms], "query")
        seconds.append(time.perf_counter() - started)
    return seconds


def percentiles(seconds: Sequence[float], *shares: int) -> dict[str, float]:
    """`{"p50": milliseconds, ...}`"""
    return {f"p{share}": round(float(np.percentile(seconds, share)) * 1000, 3) for share in shares}


def encode_histories(questions: Sequence[Question], encoder: CachedEncoder, batch: int = 256) -> Iterator[Progress]:
    """Into the encoder's cache: many sentences at once are faster than each question's own."""
    texts = list(dict.fromkeys(said.text for question in questions for said in extract(question.history)))
    for start in range(0, len(texts), batch):
        yield Progress("histories", start, len(texts))
        encoder.encode(texts[start : start + batch], "sentence")
    yield Progress("histories", len(texts), len(texts))

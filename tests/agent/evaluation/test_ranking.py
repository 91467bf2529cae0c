import numpy as np
import pytest

from clew.agent.evaluation.dataset import Question
from clew.agent.evaluation.ranking import Retriever, distinct, encode_histories, encoding_seconds, percentiles, rank
from clew.memory.datatypes import Passage, Progress, Query, Utterance
from clew.memory.encoding import CachedEncoder


def passages(*documents: str) -> list[Passage]:
    return [Passage(f"{name}#{n}", name, name, "text", 1 - n / 100, "tool") for n, name in enumerate(documents)]


def test_a_document_counts_once_by_its_best_passage() -> None:
    found = passages("a", "b", "a", "a", "c")
    assert distinct(lambda k: found[:k], 2, 6) == [("a", 1.0), ("b", 0.99)]


def test_more_is_asked_for_until_there_are_enough_documents() -> None:
    found = passages(*["a"] * 50, "b", *["c"] * 9)
    asked: list[int] = []

    def search(k: int) -> list[Passage]:
        asked.append(k)
        return found[:k]

    assert [document for document, _ in distinct(search, 2, 6)] == ["a", "b"]
    assert asked == [6, 24, 96]


def test_a_tool_that_has_no_more_is_not_asked_again() -> None:
    asked: list[int] = []

    def search(k: int) -> list[Passage]:
        asked.append(k)
        return passages("a", "b")

    assert len(distinct(search, 10, 30)) == 2
    assert asked == [30]


def test_what_a_wider_search_finds_comes_behind() -> None:
    def search(k: int) -> list[Passage]:
        return passages("b", "b") if k == 2 else passages("a", "b", "c")

    assert [document for document, _ in distinct(search, 2, 2)] == ["b", "a"]


def test_each_question_is_ranked_with_falling_scores(encoder: CachedEncoder) -> None:
    questions = [Question("q 1", "one"), Question("q 2", "two")]
    seen: list[tuple[str, str]] = []

    def search(question: Question, query: Query, k: int) -> list[Passage]:
        seen.append((question.id, query.forms[0].text))
        return [Passage(name, name, name, "", 0.5, "tool") for name in "ba"]

    steps = rank(questions, "last-turn", Retriever(search, 10), encoder, 10, "stage")
    progress = []
    try:
        while True:
            progress.append(next(steps))
    except StopIteration as stop:
        rankings, latency_ms = stop.value
    assert progress == [Progress("stage", 0, 2), Progress("stage", 1, 2), Progress("stage", 2, 2)]
    assert seen == [("q 1", "one"), ("q 2", "two")]
    assert rankings == {key: [("b", 0.5), ("a", 0.499999)] for key in ("q 1", "q 2")}
    assert set(latency_ms["search"]) == {"p50", "p95"} and latency_ms["encode"]["p50"] > 0


def test_percentiles_are_in_milliseconds() -> None:
    assert percentiles([0.001, 0.002, 0.003], 50) == {"p50": 2.0}


def test_encoding_is_timed_without_the_cache(encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    query = Query("who?", ())
    monkeypatch.setattr(encoder, "encode", None)  # the cache is not to be asked
    assert len(encoding_seconds([query] * 120, encoder)) == 100


def test_histories_are_encoded_once(encoder: CachedEncoder) -> None:
    history = (Utterance("user", "Who is Fritz Lang?"), Utterance("agent", "He was a director of films."))
    questions = [Question("1", "and?", history), Question("2", "and then?", history)]
    assert list(encode_histories(questions, encoder)) == [Progress("histories", 0, 2), Progress("histories", 2, 2)]
    np.testing.assert_allclose(np.linalg.norm(encoder.encode(["Who is Fritz Lang?"], "sentence")), 1, rtol=1e-5)

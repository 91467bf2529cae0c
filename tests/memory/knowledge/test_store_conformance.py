"""What every store has to answer in the same way (design: one conformance suite, parametrized over the stores)."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from clew.memory.datatypes import Edge, Triple
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.library import LibraryStore, open_library
from clew.memory.knowledge.question import SEED_FIELDS
from clew.memory.knowledge.store import EmbeddedStore


def test_documents_and_chunks_come_in_the_order_asked(store: LibraryStore) -> None:
    assert [d.title for d in store.documents(["tides", "lang 1", "tides"])] == ["Tides", "Fritz Lang", "Tides"]
    first = [hits[0].chunk for hits in store.keyword_search(["Metropolis", "tides"], 1)]
    chunks = store.chunks(first[::-1])
    assert [chunk.document for chunk in chunks] == ["tides", "lang 1"]
    for chunk, document in zip(chunks, store.documents(["tides", "lang 1"]), strict=True):
        assert chunk.text == document.text[chunk.start : chunk.end]


def test_unknown_ids_raise(store: LibraryStore) -> None:
    for ask in (store.documents, store.chunks, store.vectors):
        with pytest.raises(KeyError):
            ask(["nowhere"])
    assert store.neighbours(["nowhere"]) == [[]]


def test_nothing_asked_is_nothing_answered(store: LibraryStore, encoder: CachedEncoder) -> None:
    assert not any([store.documents([]), store.chunks([]), store.neighbours([]), store.keyword_search([], 5)])
    assert store.vector_search(encoder.encode([], "query"), 5) == []
    assert store.vectors([]).shape == (0, encoder.dimension)


def test_keyword_hits_say_where_they_hit(store: LibraryStore) -> None:
    ((hit, *rest),) = store.keyword_search(["What does the Moon orbit?"], 5)
    assert store.chunks([hit.chunk])[0].document == "moon"
    assert hit.fields["title"].terms == ("moon",)
    assert set(hit.fields["text"].terms) == {"moon", "orbit"} == set(hit.terms)
    assert 0 < hit.score <= 1
    assert hit.title_coverage == pytest.approx(1)  # "the" is a stop word
    assert [hit.score, *(other.score for other in rest)] == sorted([hit.score, *(o.score for o in rest)], reverse=True)


def test_words_that_nobody_has_find_nothing(store: LibraryStore) -> None:
    assert store.keyword_search(["zyzzyva", "", "the of and", "?!"], 5) == [[], [], [], []]


def test_vector_search_finds_by_meaning(store: LibraryStore, encoder: CachedEncoder) -> None:
    vectors = encoder.encode(["the sea goes up and down", "a German movie maker"], "query")
    found = store.vector_search(vectors, 2)
    documents = [[chunk.document for chunk in store.chunks([hit.chunk for hit in hits])] for hits in found]
    assert [ids[0] for ids in documents] == ["tides", "lang 1"]
    best = found[0][0]
    assert best.score == pytest.approx(float(store.vectors([best.chunk])[0] @ vectors[0]), abs=1e-5)


def test_every_chunk_has_its_own_vector(store: LibraryStore, encoder: CachedEncoder) -> None:
    (hits,) = store.keyword_search(["step hill number"], 50)
    assert len(hits) > 3  # one document, several chunks
    chunks = store.chunks([hit.chunk for hit in hits])
    again = encoder.encode([f"{chunk.title}\n{chunk.text}" for chunk in chunks], "passage")
    assert np.allclose(
        store.vectors([chunk.id for chunk in chunks]), again, atol=1e-5 if isinstance(store, EmbeddedStore) else 2e-4
    )  # kept as float16


def test_a_scope_of_documents_holds(store: LibraryStore, encoder: CachedEncoder) -> None:
    scope = frozenset({"tides", "lang 1", "not there"})
    (hits,) = store.keyword_search(["the Moon"], 9, scope=scope)
    assert [chunk.document for chunk in store.chunks([hit.chunk for hit in hits])] == ["tides"]
    (hits,) = store.vector_search(encoder.encode(["the Moon"], "query"), 9, scope=scope)
    assert {chunk.document for chunk in store.chunks([hit.chunk for hit in hits])} == {"tides", "lang 1"}
    assert store.keyword_search(["the Moon"], 9, scope=frozenset()) == [[]]


def test_a_choice_of_chunks_holds_and_keeps_the_scores(store: LibraryStore) -> None:
    (hits,) = store.keyword_search(["the Moon"], 9)
    (narrowed,) = store.keyword_search(["the Moon"], 9, among=[hits[-1].chunk])
    assert narrowed == [hits[-1]]
    assert store.keyword_search(["the Moon"], 9, among=[hits[0].chunk], scope=frozenset({"lang 1"})) == [[]]


def test_k_is_the_most_that_comes(store: LibraryStore, encoder: CachedEncoder) -> None:
    assert [len(hits) for hits in store.keyword_search(["step", "moon"], 2)] == [2, 2]
    assert [len(hits) for hits in store.vector_search(encoder.encode(["moon"], "query"), 3)] == [3]
    assert len(store.vector_search(encoder.encode(["moon"], "query"), 10_000)[0]) > 6


def test_neighbours_leave_and_enter(store: LibraryStore) -> None:
    moon, lang, tides = store.neighbours(["moon", "lang 1", "tides"])
    there, back, itself = (
        Edge("moon", "tides", "causes"),
        Edge("tides", "moon", "caused by"),
        Edge("moon", "moon", "itself"),
    )
    assert sorted(moon, key=repr) == sorted([there, back, itself], key=repr)
    assert lang == []
    assert sorted(tides, key=repr) == sorted([there, back], key=repr)


def test_triples_name_a_chunk_of_their_document(store: LibraryStore) -> None:
    assert store.triples() == [
        Triple("Step 119", "WENT OVER", "hill number 119", "long#3"),
        Triple("the walk", "is", "long", "long#0"),
        Triple("the Moon", "pulls at", "Oceans", "tides#0"),
        Triple("Sun", "pulls at", "Oceans", "tides#0"),
    ]
    assert "Step 119 went over hill number 119" in store.chunks(["long#3"])[0].text


def test_several_threads_get_what_one_gets(store: LibraryStore, encoder: CachedEncoder) -> None:
    queries = ["the Moon", "Fritz Lang", "step 7", "tides of the ocean"] * 8
    vectors = dict(zip(queries, encoder.encode(queries, "query"), strict=True))

    def ask(query: str) -> object:
        hits = store.keyword_search([query], 5)[0] + store.vector_search(vectors[query][None], 5)[0]
        return hits, store.chunks([hit.chunk for hit in hits])

    alone = [ask(query) for query in queries]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, queries)) == alone


def test_words_of_nodes_are_those_of_their_chunks_and_add_up_to_the_score(store: LibraryStore) -> None:
    ids, question = store.part().layers.chunk_ids, "What does the Moon pull at, step by step?"
    rows = np.array([3, 0, 3, len(ids) - 1])
    found = store.part().words(question, rows)
    assert {"moon", "step"} <= {word.lower() for word in found.words}
    assert found.weights.sum() == pytest.approx(1)
    (hits,) = store.keyword_search([question], 100)
    scores = {hit.chunk: hit.score for hit in hits}
    assert found.shares @ found.weights == pytest.approx([scores.get(ids[row], 0.0) for row in rows], abs=1e-5)
    for text in ("the of and", "", "zyzzyva"):
        nothing = store.part().words(text, rows)
        assert (nothing.words, nothing.weights.shape, nothing.shares.shape) == ((), (0,), (4, 0))
    assert store.part().words(question, rows[:0]).shares.shape == (0, len(found.words))


def test_vectors_by_row_by_id_and_by_partition_are_the_same(store: LibraryStore) -> None:
    ids, partitioning = store.part().layers.chunk_ids, store.part().partitioning
    rows = np.array([len(ids) - 1, 0, 0, 2])
    assert np.array_equal(store.part().vectors.take(rows, axis=0), store.vectors([ids[row] for row in rows]))
    for partition in range(partitioning.count):
        members = np.flatnonzero(partitioning.of_node == partition)
        assert np.array_equal(store.part().partition_vectors(partition), store.part().vectors.take(members, axis=0))


def test_a_field_alone_and_fields_by_weights(store: LibraryStore, embedded_path: Path) -> None:
    """What is known of a document beside its words (here name, author, tags) is searched as a field of its own."""
    questions = ["long", "lang 1", "the Moon", "Fritz Lang directed the tides"]
    with open_library(embedded_path, None) as library:
        for fields in ({"metadata": 1.0}, SEED_FIELDS, {"title": 1.0}):
            pair = (one.keyword_search(questions, 50, fields=fields) for one in (store, library.store))
            for found, expected in zip(*pair, strict=True):
                assert {hit.chunk: hit.terms for hit in found} == {hit.chunk: hit.terms for hit in expected}
                told = {hit.chunk: (hit.score, hit.title_coverage) for hit in found}
                for hit in expected:
                    assert told[hit.chunk] == pytest.approx((hit.score, hit.title_coverage), abs=1e-5)
    for known in ("lang", "Rainer", "silent cinema"):
        (named,) = store.keyword_search([known], 5, fields={"metadata": 1.0})
        assert [hit.chunk for hit in named] and {store.chunks([hit.chunk])[0].document for hit in named} == {"lang 1"}
    (about,) = store.documents(["lang 1"])
    assert (about.author, about.tags) == ("Luise Rainer", "cinema, silent films")

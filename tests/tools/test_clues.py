"""Paths through the triples of a library, as a tool: seed 000's example, scopes, forms, and what there is without."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from clew.memory.datatypes import Edge, Subgraph, Triple, Wording
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.clues.triple_search import ClueParameters
from clew.memory.knowledge.index.run import IndexReport, index
from clew.memory.knowledge.library import Library, open_library
from clew.tools.base import encode_query
from clew.tools.clues import NO_TRIPLES, Clues, CluesParameters
from tests.memory.knowledge.clues.cases import FILMS, QUESTION, README

PATH = ("(lokesh kanagaraj) -[directed]-> (film)", "(film) -[titled]-> (coolie)")


def made(folder: Path, triples: object, encoder: CachedEncoder) -> Library:
    (folder / "triples.json").write_text(json.dumps(triples), "utf-8")
    *_, report = index([folder / "triples.json"], folder / "library", encoder)
    assert isinstance(report, IndexReport) and not report.failed
    return open_library(folder / "library", encoder)


@pytest.fixture
def films(tmp_path: Path, encoder: CachedEncoder) -> Iterator[Library]:
    with made(tmp_path, FILMS, encoder) as library:
        yield library


def test_the_example_of_the_seed(tmp_path: Path, encoder: CachedEncoder) -> None:
    with made(tmp_path, README, encoder) as library:
        found = Clues(library.store).search(encode_query(QUESTION, [], encoder))
    assert found.answer == "Lokesh Kanagaraj"
    edges = Edge("lokesh kanagaraj", "film", "directed"), Edge("film", "coolie", "titled")
    assert found.walk == Subgraph(("lokesh kanagaraj", "film", "coolie"), edges)
    assert [passage.title for passage in found.passages] == ["lokesh kanagaraj", "film"]
    for passage in found.passages:
        assert passage.path == PATH
        assert passage.why == "clues directed, film, coolie; from entities that the question names"
        assert 0 < passage.score < 1
        assert sum(passage.scores.values()) == pytest.approx(passage.score)


def test_the_scope_ends_the_walk(films: Library, encoder: CachedEncoder) -> None:
    tool, query = Clues(films.store), encode_query(QUESTION, [], encoder)
    film = films.store.documents(["triples.json:film"])[0].id
    found = tool.search(replace(query, scope=frozenset({film})), 5)
    assert {passage.document for passage in found.passages} == {film}
    assert {passage.path for passage in found.passages} == {PATH[1:]}
    nothing = tool.search(replace(query, scope=frozenset()), 5)
    assert (nothing.passages, nothing.walk, nothing.answer) == ((), None, "")
    assert nothing.notes == ("no triple has to do with the question",)


def test_a_chunk_outside_the_scope_is_not_found_by_what_another_says_too(
    films: Library, encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = ["triples.json:film", "triples.json:deva"]
    monkeypatch.setattr(films.store, "triples", lambda: [Triple(*README[0], f"{id_}#0") for id_ in ids])
    query, along = encode_query(QUESTION, [], encoder), CluesParameters(method="triples")
    assert {p.document for p in Clues(films.store, along).search(query, 5).passages} == set(ids)
    scoped = Clues(films.store, along).search(replace(query, scope=frozenset(ids[:1])), 5)
    assert [passage.document for passage in scoped.passages] == ids[:1]


def test_forms_are_fused_and_the_answer_is_to_the_question_itself(films: Library, encoder: CachedEncoder) -> None:
    forms = [Wording("rewrite", "Who played Deva?", 0.7), Wording("question", QUESTION, 0.3)]
    found = Clues(films.store).search(encode_query(QUESTION, forms, encoder), 5)
    assert found.answer == "Lokesh Kanagaraj"
    deva = found.passages[0]
    assert deva.title == "Deva" and deva.why.endswith("(as rewrite)") and deva.ranks["rewrite"] == 1
    assert {"rewrite", "question"} == {name for passage in found.passages for name in passage.ranks}


def test_as_many_paths_as_passages_are_looked_for(films: Library, encoder: CachedEncoder) -> None:
    query = encode_query("Coolie", [], encoder)
    narrow = Clues(films.store, CluesParameters(search=ClueParameters(topn=1)))
    assert len(narrow.search(query, 1).passages) == 1
    assert len({passage.path for passage in narrow.search(query, 5).passages}) > 1


def test_a_library_without_triples_is_told_of(
    films: Library, encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(films.store, "triples", list)
    along = CluesParameters(method="triples")
    found = Clues(films.store, along).search(encode_query(QUESTION, [], encoder), 5)
    assert (found.passages, found.notes, found.answer) == ((), (NO_TRIPLES,), "")


def test_the_triples_are_read_once_for_all_threads(
    films: Library, encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, asked = films.store.triples, list[list[Triple]]()

    def counted() -> list[Triple]:
        asked.append(read())
        return asked[-1]

    monkeypatch.setattr(films.store, "triples", counted)
    tool, query = Clues(films.store), encode_query(QUESTION, [], encoder)
    assert not asked
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: tool.search(query, 5), range(8)))
    assert len(asked) == 1 and found == [found[0]] * 8

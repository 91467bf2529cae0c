"""The tool `graph`: what no passage says alone is found over what they name, and the way is told."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import Library, open_library
from clew.tools.base import encode_query
from clew.tools.graph import BESIDE, GraphSearch
from clew.tools.hybrid import Hybrid
from tests.memory.knowledge.communities.made import untitled
from tests.memory.knowledge.walking.test_paths import TEXTS

FILLING = {
    f"Note {n}": f"A director was born on day {n} in a town where people like films and bread." for n in range(12)
}
QUESTION = "Where was the director of Metropolis born?"


def made(folder: Path, encoder: CachedEncoder, parameters: Parameters | None = None) -> Path:
    rows = [{"_id": title, "title": title, "text": text} for title, text in {**TEXTS, **FILLING}.items()]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    list(index([folder / "corpus.jsonl"], folder / "library", encoder, parameters=parameters))
    return folder / "library"


def library_of_hi(folder: Path, encoder: CachedEncoder) -> Path:
    list(index([untitled(folder / "x.jsonl", "hi")], folder / "library", encoder))
    return folder / "library"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, encoder: CachedEncoder) -> Iterator[Library]:
    with open_library(made(tmp_path_factory.mktemp("films"), encoder), encoder) as opened:
        yield opened


def test_the_second_step_is_found_with_its_path(library: Library, encoder: CachedEncoder) -> None:
    query = encode_query(QUESTION, [], encoder)
    findings = GraphSearch(library.store).search(query, 5)
    documents = [passage.document for passage in findings.passages]
    assert set(documents[:2]) == {"Metropolis (1927 film)", "Fritz Lang"}
    without = [passage.document for passage in Hybrid(library.store).search(query, 20).passages]
    assert documents.index("Fritz Lang") < without.index("Fritz Lang")
    passage = findings.passages[documents.index("Fritz Lang")]
    assert passage.path == ("(Metropolis) <-[directed]- (Fritz Lang)",)
    assert passage.why == "by Fritz Lang in Metropolis"
    assert findings.walk and ("Fritz Lang", "Metropolis", "directed") in [
        (edge.source, edge.target, edge.relation) for edge in findings.walk.edges
    ]


def test_scores_are_shares_of_the_mass(library: Library, encoder: CachedEncoder) -> None:
    passages = GraphSearch(library.store).search(encode_query(QUESTION, [], encoder), 50).passages
    assert sum(passage.score for passage in passages) == pytest.approx(1)
    assert "matches the question" in passages[0].why


def test_a_library_without_entities_is_told_of_and_searched_all_the_same(
    tmp_path: Path, encoder: CachedEncoder
) -> None:
    with open_library(made(tmp_path, encoder, Parameters(triples="none")), encoder) as opened:
        findings = GraphSearch(opened.store).search(encode_query(QUESTION, [], encoder), 3)
        (note,) = findings.notes
        assert "`clew index YOUR-FOLDER --triples extract`" in note and note.endswith(BESIDE) and findings.walk is None
        assert findings.passages[0].document == "Metropolis (1927 film)"


def test_documents_that_name_nothing_are_told_of(tmp_path: Path, encoder: CachedEncoder) -> None:
    with open_library(library_of_hi(tmp_path, encoder), encoder) as opened:
        findings = GraphSearch(opened.store).search(encode_query("hi", [], encoder), 3)
    assert [passage.text for passage in findings.passages] == ["hi"]
    assert findings.notes == (f"no entities: nothing was found to be named in the documents; {BESIDE}",)


def test_a_scope_keeps_the_walk_inside(library: Library, encoder: CachedEncoder) -> None:
    query = replace(encode_query(QUESTION, [], encoder), scope=frozenset({"Metropolis (1927 film)", "Vienna", "Bread"}))
    documents = [passage.document for passage in GraphSearch(library.store).search(query, 10).passages]
    assert set(documents) == {"Metropolis (1927 film)", "Vienna", "Bread"}

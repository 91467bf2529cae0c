"""Triples that came with documents, beside texts and beside extracted ones: what they answer, and what they cost."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from clew.memory.datatypes import Triple
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.clues.clue_index import AliasTable, load_aliases
from clew.memory.knowledge.clues.triple_search import TripleSearch
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.index.run import IndexReport, index
from clew.memory.knowledge.library import Library, open_library
from clew.memory.ports import Search
from clew.tools.base import encode_query
from clew.tools.clues import Clues, CluesParameters
from tests.memory.knowledge.clues.cases import QUESTION, README

PATH = ("(lokesh kanagaraj) -[directed]-> (film)", "(film) -[titled]-> (coolie)")
TEXTS = {
    "metropolis.txt": "Metropolis is a German film. Metropolis was directed by Fritz Lang.",
    "lang.txt": "Fritz Lang was born in Vienna. He married Thea von Harbou in 1922.",
}


def made(
    folder: Path, encoder: CachedEncoder, triples: object, texts: dict[str, str], parameters: Parameters | None = None
) -> Library:
    (folder / "triples.json").write_text(json.dumps(triples), "utf-8")
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    paths = [folder / name for name in ("triples.json", *texts)]
    *_, report = index(paths, folder / "library", encoder, parameters=parameters or Parameters())
    assert isinstance(report, IndexReport) and not report.failed
    return open_library(folder / "library", encoder)


@pytest.mark.parametrize(
    "triples, texts",
    [
        ([*README, README[0]], {}),
        ([*README, ("Film", "titled", "Coolie")], {}),
        ([*README, ("Dr. B. R. Ambedkar", "wrote", "Annihilation of Caste. An essay")], {}),
        (README, {"a.txt": "Bread is made of flour."}),
        (README, TEXTS),
        ([*README, README[1]], TEXTS),
    ],
)
def test_the_seeds_path_comes_first(
    tmp_path: Path, encoder: CachedEncoder, triples: object, texts: dict[str, str]
) -> None:
    with made(tmp_path, encoder, triples, texts) as library:
        found = Clues(library.store).search(encode_query(QUESTION, [], encoder), 5)
    assert found.answer == "Lokesh Kanagaraj"
    assert found.walk is not None and found.walk.nodes == ("lokesh kanagaraj", "film", "coolie")
    for passage in found.passages[:2]:
        assert passage.path == PATH
        assert passage.why == "clues directed, film, coolie; from entities that the question names"
        assert sum(passage.scores.values()) == pytest.approx(passage.score)
    assert [p.title for p in found.passages[:2]] == ["lokesh kanagaraj", "film"]
    scores = [passage.score for passage in found.passages]
    assert scores == sorted(scores, reverse=True)


def test_where_they_lack_what_is_asked_the_sentences_are_walked(tmp_path: Path, encoder: CachedEncoder) -> None:
    with made(tmp_path, encoder, README, TEXTS) as library:
        found = Clues(library.store).search(encode_query("Who directed the film Gravity?", [], encoder), 5)
    assert found.answer == "" and found.passages and "answers" not in found.passages[0].scores


def test_extracted_triples_are_not_trusted_because_others_were_given(tmp_path: Path, encoder: CachedEncoder) -> None:
    question = "Who directed Metropolis?"
    parameters = Parameters(triples="both")
    with made(tmp_path, encoder, README, TEXTS, parameters) as library:
        found = Clues(library.store).search(encode_query(question, [], encoder), 5)
        along = CluesParameters(method="triples")
        by_all = Clues(library.store, along).search(encode_query(question, [], encoder), 5)
        assert not all(triple.given for triple in library.store.triples())
    assert (found.answer, by_all.answer) == ("", "Fritz Lang")


def test_their_index_is_made_for_a_question_that_they_may_answer(
    tmp_path: Path, encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed = list[int]()

    def counted(store: Search, triples: Sequence[Triple], aliases: AliasTable | None) -> TripleSearch:
        indexed.append(len(triples))
        return TripleSearch(store, triples, aliases)

    monkeypatch.setattr("clew.tools.clues.TripleSearch", counted)
    with made(tmp_path, encoder, README, TEXTS) as library:
        tool = Clues(library.store)
        tool.search(encode_query("Where was Fritz Lang born?", [], encoder), 5)
        assert not indexed
        for _ in range(2):
            assert tool.search(encode_query(QUESTION, [], encoder), 5).answer
    assert indexed == [len(README)]


def test_a_table_of_aliases_of_ones_own(tmp_path: Path, encoder: CachedEncoder) -> None:
    more = tmp_path / "more.json"
    more.write_text(json.dumps({"directed": {"answers": ["who"], "aliases": ["steered"]}}), "utf-8")
    query = encode_query("Who steered Coolie?", [], encoder)
    with made(tmp_path, encoder, README, TEXTS) as library:
        assert Clues(library.store).search(query, 5).answer == ""
        found = Clues(library.store, CluesParameters(aliases=load_aliases(more))).search(query, 5)
    assert found.answer == "Lokesh Kanagaraj" and found.passages[0].path == PATH


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who is the director of Coolie?", "Lokesh Kanagaraj"),
        ("Who directed the movie Coolie?", "Lokesh Kanagaraj"),
        ("Who produced Coolie?", ""),
        ("Who directed Vikram?", ""),
        ("who directed vikram", ""),
        ("Who directed the film Vikram?", ""),
    ],
)
def test_the_relation_that_is_asked_for_is_the_one_that_is_told(
    question: str, answer: str, tmp_path: Path, encoder: CachedEncoder
) -> None:
    with made(tmp_path, encoder, [*README, ("Arun", "watched", "Coolie")], {}) as library:
        assert Clues(library.store).search(encode_query(question, [], encoder), 5).answer == answer

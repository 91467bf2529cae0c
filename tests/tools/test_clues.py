"""Paths through the triples of a library, as a tool: seed 000's example, scopes, forms, and what there is without."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from clew.memory.datatypes import Edge, Subgraph, Triple, Wording
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.clues.clue_index import AliasTable, load_aliases
from clew.memory.knowledge.clues.triple_search import ClueParameters, TripleSearch
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.index.run import IndexReport, index
from clew.memory.knowledge.library import Library, open_library
from clew.memory.ports import Search
from clew.tools.base import encode_query
from clew.tools.clues import NO_TRIPLES, NO_UNITS, Clues, CluesParameters
from clew.tools.local import Local, LocalParameters
from tests.conftest import ROOT
from tests.memory.knowledge.clues.cases import FILMS, QUESTION, README
from tests.memory.knowledge.clues.unit_cases import AS_IN_THE_PAPER

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


# Triples that came with documents, beside texts and beside extracted ones: what they answer, and what they cost.

PATH_GIVEN = ("(lokesh kanagaraj) -[directed]-> (film)", "(film) -[titled]-> (coolie)")
TEXTS = {
    "metropolis.txt": "Metropolis is a German film. Metropolis was directed by Fritz Lang.",
    "lang.txt": "Fritz Lang was born in Vienna. He married Thea von Harbou in 1922.",
}


def made_given(
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
    with made_given(tmp_path, encoder, triples, texts) as library:
        found = Clues(library.store).search(encode_query(QUESTION, [], encoder), 5)
    assert found.answer == "Lokesh Kanagaraj"
    assert found.walk is not None and found.walk.nodes == ("lokesh kanagaraj", "film", "coolie")
    for passage in found.passages[:2]:
        assert passage.path == PATH_GIVEN
        assert passage.why == "clues directed, film, coolie; from entities that the question names"
        assert sum(passage.scores.values()) == pytest.approx(passage.score)
    assert [p.title for p in found.passages[:2]] == ["lokesh kanagaraj", "film"]
    scores = [passage.score for passage in found.passages]
    assert scores == sorted(scores, reverse=True)


def test_where_they_lack_what_is_asked_the_sentences_are_walked(tmp_path: Path, encoder: CachedEncoder) -> None:
    with made_given(tmp_path, encoder, README, TEXTS) as library:
        found = Clues(library.store).search(encode_query("Who directed the film Gravity?", [], encoder), 5)
    assert found.answer == "" and found.passages and "answers" not in found.passages[0].scores


def test_extracted_triples_are_not_trusted_because_others_were_given(tmp_path: Path, encoder: CachedEncoder) -> None:
    question = "Who directed Metropolis?"
    parameters = Parameters(triples="both")
    with made_given(tmp_path, encoder, README, TEXTS, parameters) as library:
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
    with made_given(tmp_path, encoder, README, TEXTS) as library:
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
    with made_given(tmp_path, encoder, README, TEXTS) as library:
        assert Clues(library.store).search(query, 5).answer == ""
        found = Clues(library.store, CluesParameters(aliases=load_aliases(more))).search(query, 5)
    assert found.answer == "Lokesh Kanagaraj" and found.passages[0].path == PATH_GIVEN


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
    with made_given(tmp_path, encoder, [*README, ("Arun", "watched", "Coolie")], {}) as library:
        assert Clues(library.store).search(encode_query(question, [], encoder), 5).answer == answer


# The walk over sentences, as a tool: paths, scopes, forms, answers beside it, a reranker, and libraries without.

QUESTION_UNITS = "Where was the director of Metropolis born?"

TEXTS_UNITS = {
    "Metropolis": "Metropolis is a German film. Metropolis was directed by Fritz Lang.",
    "Fritz Lang": "Fritz Lang was born in Vienna. He married Thea von Harbou in 1922.",
    "Vienna": "Vienna is the capital of Austria. The Danube flows through Vienna.",
    "The Moon": "The Moon orbits the Earth.",
    "Bread": "It is made of flour.",
}
LITERAL = CluesParameters(units=AS_IN_THE_PAPER)


def made_units(
    folder: Path, texts: dict[str, str], encoder: CachedEncoder, parameters: Parameters | None = None
) -> Library:
    rows = [json.dumps({"_id": title, "title": title, "text": text}) for title, text in texts.items()]
    (folder / "corpus.jsonl").write_text("\n".join(rows), "utf-8")
    *_, report = index([folder / "corpus.jsonl"], folder / "library", encoder, parameters=parameters or Parameters())
    assert isinstance(report, IndexReport) and not report.failed
    return open_library(folder / "library", encoder)


@pytest.fixture
def films_units(tmp_path: Path, encoder: CachedEncoder) -> Iterator[Library]:
    with made_units(tmp_path, TEXTS_UNITS, encoder) as library:
        yield library


def test_passages_are_those_walked_through_with_the_path(films_units: Library, encoder: CachedEncoder) -> None:
    found = Clues(films_units.store, LITERAL).search(encode_query(QUESTION_UNITS, [], encoder))
    assert {passage.title for passage in found.passages[:2]} == {"Metropolis", "Fritz Lang"}
    path = ("(fritz lang) -[directed]-> (metropolis)", "(fritz lang) -[born in]-> (vienna)")
    assert any(set(path) <= set(passage.path) for passage in found.passages)
    for passage in found.passages:
        assert passage.path and all(step.startswith("(") and step.endswith(")") for step in passage.path)
        assert passage.why.startswith("from ") and "“" in passage.why
        assert sum(passage.scores.values()) == pytest.approx(passage.score)
    assert found.walk is not None and {edge.relation for edge in found.walk.edges} & {"directed", "born in"}
    assert set(found.walk.nodes) == {end for edge in found.walk.edges for end in (edge.source, edge.target)}


def test_as_in_the_paper_only_what_was_touched_is_returned(films_units: Library, encoder: CachedEncoder) -> None:
    query = encode_query(QUESTION_UNITS, [], encoder)
    touched = Clues(films_units.store, LITERAL).search(query, 10).passages
    assert "Bread" not in {passage.title for passage in touched}
    everything = Clues(films_units.store).search(query, 10).passages
    assert len(everything) == len(TEXTS_UNITS) > len(touched)
    assert {passage.title: passage.path for passage in everything}["Bread"] == ("(bread)",)


def test_the_scope_ends_the_walk_units(films_units: Library, encoder: CachedEncoder) -> None:
    query = replace(encode_query(QUESTION_UNITS, [], encoder), scope=frozenset({"Vienna", "Metropolis"}))
    found = Clues(films_units.store).search(query, 10)
    assert {passage.document for passage in found.passages} == {"Vienna", "Metropolis"}
    assert "born in" not in str([passage.path for passage in found.passages])
    nothing = Clues(films_units.store).search(replace(query, scope=frozenset()), 5)
    assert (nothing.passages, nothing.walk, nothing.notes) == ((), None, ("no sentence to walk from",))


def test_forms_are_fused(films_units: Library, encoder: CachedEncoder) -> None:
    forms = [Wording("rewrite", "What does the Moon orbit?", 0.8), Wording("question", "And Vienna?", 0.2)]
    found = Clues(films_units.store).search(encode_query("And Vienna?", forms, encoder), 5).passages
    assert found[0].title == "The Moon" and found[0].why.endswith("(as rewrite)")
    assert all(set(passage.ranks) <= {"rewrite", "question"} for passage in found)
    assert {passage.title: passage.ranks["question"] for passage in found}["Vienna"] == 1


def test_what_the_library_lacks_is_said_with_what_mends_it(tmp_path: Path, encoder: CachedEncoder) -> None:
    with made_units(tmp_path, TEXTS_UNITS, encoder, parameters=Parameters(triples="none")) as library:
        found = Clues(library.store).search(encode_query(QUESTION_UNITS, [], encoder), 5)
    assert (found.passages, found.walk, found.answer, found.notes) == ((), None, "", (NO_UNITS,))
    assert "clew index" in NO_UNITS and "--triples extract" in NO_UNITS


def test_a_heading_is_no_step(tmp_path: Path, encoder: CachedEncoder) -> None:
    (path := tmp_path / "lang.md").write_text(
        "# Fritz Lang\n\nFritz Lang was born in Vienna.\n\n## Thea von Harbou\n\nFritz Lang married Thea von Harbou.\n"
    )
    *_, report = index([path], tmp_path / "library", encoder)
    assert isinstance(report, IndexReport) and not report.failed
    with open_library(tmp_path / "library", encoder) as library:
        layers = library.store.part().layers
        assert [unit.text for unit in library.store.part().sentences(layers.headings.tolist())] == [
            "Fritz Lang",
            "Thea von Harbou",
        ]
        (passage,) = Clues(library.store).search(encode_query("Whom did Fritz Lang marry?", [], encoder)).passages
    assert "“Thea von Harbou”" not in passage.why and "“Fritz Lang”" not in passage.why


class Favours:
    """A cross-encoder that wants a word."""

    name = "favours"

    def __init__(self, word: str) -> None:
        self._word = word
        self.asked: list[tuple[str, Sequence[str]]] = []

    def scores(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        self.asked.append((question, texts))
        return np.array([0.9 if self._word in text else 0.1 for text in texts])


def test_a_reranker_reads_the_question_with_the_joined_units(films_units: Library, encoder: CachedEncoder) -> None:
    reranker = Favours("Danube")
    found = Clues(films_units.store, LITERAL, reranker).search(encode_query(QUESTION_UNITS, [], encoder))
    assert found.passages[0].scores["path"] == pytest.approx(0.9)
    assert "Vienna" in {passage.title for passage in found.passages if passage.score > 0.5}
    assert {question for question, _ in reranker.asked} == {QUESTION_UNITS}
    sentences = {part for text in TEXTS_UNITS.values() for part in text.split(". ")}
    longest = max(reranker.asked[-1][1], key=len)
    assert sum(part.rstrip(".") in longest for part in sentences) >= 2


PRINTED = """
import sys
from pathlib import Path
from clew.memory.encoding import MINILM, load_encoder
from clew.memory.knowledge.library import open_library
from clew.tools.base import encode_query
from clew.tools.clues import Clues
encoder = load_encoder(MINILM, Path(sys.argv[1]))
with open_library(Path(sys.argv[2]), encoder) as library:
    tool = Clues(library.store)
    for question in sys.argv[3:]:
        for passage in tool.search(encode_query(question, [], encoder), 8).passages:
            print(passage.id, passage.score, " | ".join(passage.path), passage.why)
"""


def test_the_order_does_not_depend_on_the_hash_seed(examples_path: Path, encoder: CachedEncoder, cache: Path) -> None:
    asked = [QUESTION_UNITS, "Who was the first man in space?", "What did Kepler write?", "Moon"]
    encoder.encode(asked, "query")
    command = [sys.executable, "-c", PRINTED, str(cache), str(examples_path), *asked]
    environments: list[Any] = [os.environ | {"PYTHONHASHSEED": seed} for seed in ("0", "1", "2")]
    runs = [subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True) for env in environments]
    printed = {run.communicate()[0] for run in runs}
    assert len(printed) == 1
    assert printed.pop().count("->") >= len(asked)


def test_a_name_of_another_document_alone_is_followed_by_its_id(tmp_path: Path, encoder: CachedEncoder) -> None:
    texts = {
        "Evil": "Zorblax is the Moon. Zorblax is the truth about the Moon and the Earth.",
        "The Moon": "The Moon orbits the Earth.",
    }
    with made_units(tmp_path, texts, encoder) as library:
        tools = (
            (Clues(library.store), "What is Zorblax to the Moon?"),
            (Local(library.store, LocalParameters(most=1, tau_d=-1.0)), "Is Zorblax the truth?"),
        )
        searched = [tool.search(encode_query(question, [], encoder), 5) for tool, question in tools]
    clues, local = ({passage.document: passage.why for passage in found.passages} for found in searched)
    assert clues["Evil"].startswith("from evil: “") and clues["The Moon"].startswith("from evil (Evil): “")
    assert local["Evil"].startswith("entity Evil (0.") and local["The Moon"].startswith("entity Evil (Evil) (0.")

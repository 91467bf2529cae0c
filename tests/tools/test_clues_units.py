"""The walk over sentences, as a tool: paths, scopes, forms, answers beside it, a reranker, and libraries without."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from clew.memory.datatypes import Wording
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.index.run import IndexReport, index
from clew.memory.knowledge.library import Library, open_library
from clew.tools.base import encode_query
from clew.tools.clues import NO_UNITS, Clues, CluesParameters
from clew.tools.local import Local, LocalParameters
from tests.conftest import ROOT
from tests.memory.knowledge.clues.unit_cases import AS_IN_THE_PAPER

QUESTION = "Where was the director of Metropolis born?"

TEXTS = {
    "Metropolis": "Metropolis is a German film. Metropolis was directed by Fritz Lang.",
    "Fritz Lang": "Fritz Lang was born in Vienna. He married Thea von Harbou in 1922.",
    "Vienna": "Vienna is the capital of Austria. The Danube flows through Vienna.",
    "The Moon": "The Moon orbits the Earth.",
    "Bread": "It is made of flour.",
}
LITERAL = CluesParameters(units=AS_IN_THE_PAPER)


def made(folder: Path, texts: dict[str, str], encoder: CachedEncoder, parameters: Parameters | None = None) -> Library:
    rows = [json.dumps({"_id": title, "title": title, "text": text}) for title, text in texts.items()]
    (folder / "corpus.jsonl").write_text("\n".join(rows), "utf-8")
    *_, report = index([folder / "corpus.jsonl"], folder / "library", encoder, parameters=parameters or Parameters())
    assert isinstance(report, IndexReport) and not report.failed
    return open_library(folder / "library", encoder)


@pytest.fixture
def films(tmp_path: Path, encoder: CachedEncoder) -> Iterator[Library]:
    with made(tmp_path, TEXTS, encoder) as library:
        yield library


def test_passages_are_those_walked_through_with_the_path(films: Library, encoder: CachedEncoder) -> None:
    found = Clues(films.store, LITERAL).search(encode_query(QUESTION, [], encoder))
    assert {passage.title for passage in found.passages[:2]} == {"Metropolis", "Fritz Lang"}
    path = ("(fritz lang) -[directed]-> (metropolis)", "(fritz lang) -[born in]-> (vienna)")
    assert any(set(path) <= set(passage.path) for passage in found.passages)
    for passage in found.passages:
        assert passage.path and all(step.startswith("(") and step.endswith(")") for step in passage.path)
        assert passage.why.startswith("from ") and "“" in passage.why
        assert sum(passage.scores.values()) == pytest.approx(passage.score)
    assert found.walk is not None and {edge.relation for edge in found.walk.edges} & {"directed", "born in"}
    assert set(found.walk.nodes) == {end for edge in found.walk.edges for end in (edge.source, edge.target)}


def test_as_in_the_paper_only_what_was_touched_is_returned(films: Library, encoder: CachedEncoder) -> None:
    query = encode_query(QUESTION, [], encoder)
    touched = Clues(films.store, LITERAL).search(query, 10).passages
    assert "Bread" not in {passage.title for passage in touched}
    everything = Clues(films.store).search(query, 10).passages
    assert len(everything) == len(TEXTS) > len(touched)
    assert {passage.title: passage.path for passage in everything}["Bread"] == ("(bread)",)


def test_the_scope_ends_the_walk(films: Library, encoder: CachedEncoder) -> None:
    query = replace(encode_query(QUESTION, [], encoder), scope=frozenset({"Vienna", "Metropolis"}))
    found = Clues(films.store).search(query, 10)
    assert {passage.document for passage in found.passages} == {"Vienna", "Metropolis"}
    assert "born in" not in str([passage.path for passage in found.passages])
    nothing = Clues(films.store).search(replace(query, scope=frozenset()), 5)
    assert (nothing.passages, nothing.walk, nothing.notes) == ((), None, ("no sentence to walk from",))


def test_forms_are_fused(films: Library, encoder: CachedEncoder) -> None:
    forms = [Wording("rewrite", "What does the Moon orbit?", 0.8), Wording("question", "And Vienna?", 0.2)]
    found = Clues(films.store).search(encode_query("And Vienna?", forms, encoder), 5).passages
    assert found[0].title == "The Moon" and found[0].why.endswith("(as rewrite)")
    assert all(set(passage.ranks) <= {"rewrite", "question"} for passage in found)
    assert {passage.title: passage.ranks["question"] for passage in found}["Vienna"] == 1


def test_what_the_library_lacks_is_said_with_what_mends_it(tmp_path: Path, encoder: CachedEncoder) -> None:
    with made(tmp_path, TEXTS, encoder, parameters=Parameters(triples="none")) as library:
        found = Clues(library.store).search(encode_query(QUESTION, [], encoder), 5)
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


def test_a_reranker_reads_the_question_with_the_joined_units(films: Library, encoder: CachedEncoder) -> None:
    reranker = Favours("Danube")
    found = Clues(films.store, LITERAL, reranker).search(encode_query(QUESTION, [], encoder))
    assert found.passages[0].scores["path"] == pytest.approx(0.9)
    assert "Vienna" in {passage.title for passage in found.passages if passage.score > 0.5}
    assert {question for question, _ in reranker.asked} == {QUESTION}
    sentences = {part for text in TEXTS.values() for part in text.split(". ")}
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
    asked = [QUESTION, "Who was the first man in space?", "What did Kepler write?", "Moon"]
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
    with made(tmp_path, texts, encoder) as library:
        tools = (
            (Clues(library.store), "What is Zorblax to the Moon?"),
            (Local(library.store, LocalParameters(most=1, tau_d=-1.0)), "Is Zorblax the truth?"),
        )
        searched = [tool.search(encode_query(question, [], encoder), 5) for tool, question in tools]
    clues, local = ({passage.document: passage.why for passage in found.passages} for found in searched)
    assert clues["Evil"].startswith("from evil: “") and clues["The Moon"].startswith("from evil (Evil): “")
    assert local["Evil"].startswith("entity Evil (0.") and local["The Moon"].startswith("entity Evil (Evil) (0.")

"""Paths through the triples of a library and through its sentences, as a tool: what is found, answered and told."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from clew.memory.datatypes import Edge, Subgraph, Triple, Wording
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.library import Library
from clew.tools.base import encode_query
from clew.tools.clues import NO_TRIPLES, Clues, CluesParameters
from clew.tools.local import Local, LocalParameters
from tests.memory.knowledge.clues.cases import FILMS, QUESTION, README
from tests.memory.knowledge.clues.unit_cases import AS_IN_THE_PAPER
from tests.tools.conftest import made

PATH = ("(lokesh kanagaraj) -[directed]-> (film)", "(film) -[titled]-> (coolie)")
BY_TRIPLES, AS_PAPER = CluesParameters(method="triples"), CluesParameters(units=AS_IN_THE_PAPER)

ASKED = "Where was the director of Metropolis born?"
TEXTS = {
    "Metropolis": "Metropolis is a German film. Metropolis was directed by Fritz Lang.",
    "Fritz Lang": "Fritz Lang was born in Vienna. He married Thea von Harbou in 1922.",
    "Vienna": "Vienna is the capital of Austria. The Danube flows through Vienna.",
    "The Moon": "The Moon orbits the Earth.",
    "Bread": "It is made of flour.",
}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory, encoder: CachedEncoder) -> Iterator[Library]:
    """Triples alone."""
    with made(tmp_path_factory.mktemp("triples") / "made", encoder, {}, FILMS) as library:
        yield library


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, encoder: CachedEncoder) -> Iterator[Library]:
    """Texts, from which triples were extracted, and triples that were given."""
    folder = tmp_path_factory.mktemp("both") / "made"
    with made(folder, encoder, TEXTS, README, Parameters(triples="both")) as library:
        yield library


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory, encoder: CachedEncoder) -> Iterator[Library]:
    """Texts alone."""
    with made(tmp_path_factory.mktemp("texts") / "made", encoder, TEXTS) as library:
        yield library


# Along triples


@pytest.mark.parametrize(
    "triples, texts",
    [
        (README, {}),
        ([*README, ("Dr. B. R. Ambedkar", "wrote", "Annihilation of Caste. An essay")], {}),
        ([*README, README[1]], TEXTS),
    ],
)
def test_the_seeds_path_comes_first(
    tmp_path: Path, encoder: CachedEncoder, triples: Sequence[Sequence[str]], texts: dict[str, str]
) -> None:
    with made(tmp_path / "made", encoder, texts, triples) as library:
        found = Clues(library.store).search(encode_query(QUESTION, [], encoder), 5)
    assert found.answer == "Lokesh Kanagaraj"
    edges = Edge("lokesh kanagaraj", "film", "directed"), Edge("film", "coolie", "titled")
    assert found.walk == Subgraph(("lokesh kanagaraj", "film", "coolie"), edges)
    assert [p.title for p in found.passages[:2]] == ["lokesh kanagaraj", "film"]
    for passage in found.passages[:2]:
        assert passage.path == PATH
        assert passage.why == "clues directed, film, coolie; from entities that the question names"
        assert sum(passage.scores.values()) == pytest.approx(passage.score)
    scores = [passage.score for passage in found.passages]
    assert scores == sorted(scores, reverse=True)


def test_the_scope_ends_the_walk(told: Library, encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    query, ids = encode_query(QUESTION, [], encoder), ["triples.json:film", "triples.json:deva"]
    found = Clues(told.store).search(replace(query, scope=frozenset(ids[:1])), 5)
    assert {(passage.document, passage.path) for passage in found.passages} == {(ids[0], PATH[1:])}
    nothing = Clues(told.store).search(replace(query, scope=frozenset()), 5)
    assert (nothing.passages, nothing.walk, nothing.answer) == ((), None, "")
    assert nothing.notes == ("no triple has to do with the question",)
    monkeypatch.setattr(told.store, "triples", lambda: [Triple(*README[0], f"{id_}#0") for id_ in ids])
    assert {p.document for p in Clues(told.store, BY_TRIPLES).search(query, 5).passages} == set(ids)
    scoped = Clues(told.store, BY_TRIPLES).search(replace(query, scope=frozenset(ids[:1])), 5)
    assert [passage.document for passage in scoped.passages] == ids[:1], "not by what another document says too"
    monkeypatch.setattr(told.store, "triples", list)
    without = Clues(told.store, BY_TRIPLES).search(query, 5)
    assert (without.passages, without.notes, without.answer) == ((), (NO_TRIPLES,), "")


def test_forms_are_fused_and_the_answer_is_to_the_question_itself(told: Library, encoder: CachedEncoder) -> None:
    forms = [Wording("rewrite", "Who played Deva?", 0.7), Wording("question", QUESTION, 0.3)]
    found = Clues(told.store).search(encode_query(QUESTION, forms, encoder), 5)
    assert found.answer == "Lokesh Kanagaraj"
    deva = found.passages[0]
    assert deva.title == "Deva" and deva.why.endswith("(as rewrite)") and deva.ranks["rewrite"] == 1
    assert {"rewrite", "question"} == {name for passage in found.passages for name in passage.ranks}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who is the director of Coolie?", "Lokesh Kanagaraj"),
        ("Who produced Coolie?", ""),
        ("Who directed the film Vikram?", ""),
    ],
)
def test_the_relation_that_is_asked_for_is_the_one_that_is_told(
    question: str, answer: str, told: Library, encoder: CachedEncoder
) -> None:
    assert Clues(told.store).search(encode_query(question, [], encoder), 5).answer == answer


def test_beside_texts_triples_answer_that_were_given_and_not_those_extracted(
    both: Library, encoder: CachedEncoder
) -> None:
    lang, tool = encode_query("Who directed Metropolis?", [], encoder), Clues(both.store)
    assert (tool.search(lang, 5).answer, Clues(both.store, BY_TRIPLES).search(lang, 5).answer) == ("", "Fritz Lang")
    lacking = tool.search(encode_query("Who directed the film Gravity?", [], encoder), 5)
    assert lacking.answer == "" and lacking.passages and "answers" not in lacking.passages[0].scores
    found = tool.search(encode_query("Who directed Coolie?", [], encoder), 5)
    assert found.answer == "Lokesh Kanagaraj" and found.passages[0].path == PATH


# From sentence to sentence


def test_passages_are_those_walked_through_with_the_path(read: Library, encoder: CachedEncoder) -> None:
    query = encode_query(ASKED, [], encoder)
    found = Clues(read.store, AS_PAPER).search(query, 10)
    assert {passage.title for passage in found.passages[:2]} == {"Metropolis", "Fritz Lang"}
    path = ("(fritz lang) -[directed]-> (metropolis)", "(fritz lang) -[born in]-> (vienna)")
    assert any(set(path) <= set(passage.path) for passage in found.passages)
    for passage in found.passages:
        assert passage.path and all(step.startswith("(") and step.endswith(")") for step in passage.path)
        assert passage.why.startswith("from ") and "“" in passage.why
        assert sum(passage.scores.values()) == pytest.approx(passage.score)
    assert found.walk is not None and {edge.relation for edge in found.walk.edges} & {"directed", "born in"}
    assert set(found.walk.nodes) == {end for edge in found.walk.edges for end in (edge.source, edge.target)}
    everything = {passage.title: passage.path for passage in Clues(read.store).search(query, 10).passages}
    assert len(everything) == len(TEXTS) > len(found.passages), "in the paper only what was touched is returned"
    assert everything["Bread"] == ("(bread)",)


def test_a_name_of_another_document_alone_is_followed_by_its_id(tmp_path: Path, encoder: CachedEncoder) -> None:
    texts = {
        "Evil": "Zorblax is the Moon. Zorblax is the truth about the Moon and the Earth.",
        "The Moon": "The Moon orbits the Earth.",
    }
    with made(tmp_path / "made", encoder, texts) as library:
        tools = (
            (Clues(library.store), "What is Zorblax to the Moon?"),
            (Local(library.store, LocalParameters(most=1, tau_d=-1.0)), "Is Zorblax the truth?"),
        )
        searched = [tool.search(encode_query(question, [], encoder), 5) for tool, question in tools]
    clues, local = ({passage.document: passage.why for passage in found.passages} for found in searched)
    assert clues["Evil"].startswith("from evil: “") and clues["The Moon"].startswith("from evil (Evil): “")
    assert local["Evil"].startswith("entity Evil (0.") and local["The Moon"].startswith("entity Evil (Evil) (0.")

from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory.knowledge.clues.clue_index import ClueIndex
from clew.memory.knowledge.clues.triple_search import (
    ClueParameters,
    EdgeScores,
    beam_search,
    extract_clues,
    question_type,
    search_paths,
    seeds_of,
)
from tests.memory.knowledge.clues.cases import (
    CASES,
    FILMS,
    QUESTION,
    README,
    index_of,
    names,
    needs_cases,
    questions,
    triples,
    written,
)
from tests.memory.knowledge.clues.reference import Reference


@pytest.mark.parametrize(
    "question, answer",
    [
        ("Who directed the film Coolie?", "Lokesh Kanagaraj"),
        ("Who played Deva?", "Rajinikanth"),
        ("What did Priya watch?", "Coolie"),
        ("Why did Deva come out of retirement?", "To save his friend"),
        ("When was Coolie released?", "August 2025"),
        ("Where was Lokesh Kanagaraj born?", "Kinathukadavu"),
        ("When was the director of the film born?", "14 March 1986"),
        ("Who hummed the theme?", "Anirudh"),
    ],
)
def test_answers_are_of_the_type_that_is_asked_for(question: str, answer: str) -> None:
    assert search_paths(question, index_of(*FILMS)).answer == answer


SEEN = [
    *(("Anna", "watched", "Metropolis"), ("Tom", "watched", "Nosferatu"), ("Fritz Lang", "directed", "Metropolis")),
    *(("Metropolis", "is a", "film"), ("Nosferatu", "is a", "film"), ("Tom", "lives in", "Graz")),
]


AMBEDKAR = ("Dr. B. R. Ambedkar", "wrote", "Annihilation of Caste"), ("B.R. Ambedkar", "born in", "Mhow")
BORN = "Where was the author of Annihilation of Caste born?"


@pytest.mark.parametrize(
    "rows, question, answer",
    [
        (AMBEDKAR, BORN, "Mhow"),  # one name that is written in two ways
        ([("metropolis", "directed by", "ann")], "Who directed?", "Ann"),
        ([("ann", "of", "metropolis")], "What about Ann?", "Metropolis"),
        ([("I", "watched", "film"), ("film", "titled", "Coolie")], "What film was watched?", "Coolie"),
        ([("I", "watched", "film")], "What film was watched?", "Film"),
        ([("I", "watched", "Coolie"), ("Coolie", "is a", "film")], "What film was watched?", "Coolie"),
        ([("I", "watched", "film")], "Who watched the film?", "I"),
        ([("I", "watched", "film"), ("film", "titled", "Coolie")], "What did I watch?", "Film"),
        (SEEN, "Which film was seen by Tom?", "Nosferatu"),
        (SEEN, "What film did Anna see?", "Metropolis"),
    ],
)
def test_which_end_of_which_edge_answers(rows: list[tuple[str, str, str]], question: str, answer: str) -> None:
    assert search_paths(question, index_of(*rows)).answer == answer


def test_a_where_without_an_edge_of_a_place_and_of_all_that_is_named_has_no_answer() -> None:
    found = search_paths(BORN, index_of(AMBEDKAR[0]))
    assert found.paths and (found.answer, found.edge) == ("", None)
    when = search_paths("When was the author of Annihilation of Caste born?", index_of(*AMBEDKAR))
    assert when.answer != "B.R. Ambedkar"


@pytest.mark.parametrize(
    ("question", "entities", "relations"),
    [
        ("Who directed the film COOLIE?!", ["film", "coolie"], ("directed",)),
        ("Who hummed Coolie's theme?", ["coolie", "theme of coolie"], ("hummed",)),
        ("What is a filmmaker?", [], ("is a",)),
        ("Who acted in the film titled Coolie?", ["film", "coolie"], ("played by", "titled")),
    ],
)
def test_clues_are_whole_words_and_relations_by_alias(
    question: str, entities: list[str], relations: tuple[str, ...]
) -> None:
    index = index_of(*FILMS)
    found = extract_clues(question, index, 10)
    assert (names(index, found.entities), found.relations) == (entities, relations)


@needs_cases
@pytest.mark.parametrize("trap", CASES.get("question_type_traps", []), ids=lambda trap: trap["query"])
def test_the_seeds_traps(trap: dict[str, Any]) -> None:
    assert question_type(trap["query"]) == trap["should_be"]


PARAMETERS = st.builds(
    ClueParameters,
    max_depth=st.integers(0, 4),
    beam_width=st.sampled_from([1, 2, 8, 1000]),
    topn=st.integers(0, 5),
    mmr_lambda=st.sampled_from([0.0, 0.3, 0.7, 1.0]),
    clues_once=st.booleans(),
)


@needs_cases
def test_the_parameters_are_the_seeds() -> None:
    assert asdict(ClueParameters()) == CASES["parameters"]["readme_demo"] | {"clues_once": True}


@needs_cases
def test_the_seeds_demo() -> None:
    demo = CASES["demo_from_readme"]
    index = index_of(*map(tuple, demo["triplets_visible_in_readme"]))
    found = search_paths(demo["query"], index)
    assert names(index, found.clues.entities) == demo["entity_clues"]
    assert list(found.clues.relations) == demo["relation_clues"]
    assert written(found.paths[0], index.graph).split(" | ") == demo["top_path"]["edges"]
    assert found.answer == demo["answer"]


@given(triples, questions, PARAMETERS)
@settings(deadline=None)
def test_it_is_the_formulas(rows: list[tuple[str, str, str]], question: str, p: ClueParameters) -> None:
    index = index_of(*rows)
    found = search_paths(question, index, p)
    reference = Reference(question, found.clues, index, p)
    scores = EdgeScores(found.clues, index, p)
    each = range(len(index.graph.subjects))
    assert scores.by_words.tolist() == pytest.approx([reference.words(edge) for edge in each])
    walks = beam_search(index.graph, found.seeds, scores)
    assert [(walk.edges, walk.nodes) for walk in walks] == reference.beam(found.seeds)
    everything = search_paths(question, index, replace(p, topn=10_000)).paths
    assert {frozenset(path.edges) for path in everything} == {frozenset(walk.edges) for walk in walks}
    assert [path.score for path in everything] == pytest.approx([reference.path(path) for path in everything])
    assert list(found.paths) == reference.most_diverse(everything)


def test_seeds_are_entity_clues_then_those_of_relation_clues_then_the_nearest() -> None:
    index, p = index_of(*FILMS, ("old mill", "stands near", "grey mill")), ClueParameters()

    def seeds(question: str) -> list[str]:
        return names(index, seeds_of(question, extract_clues(question, index, p.seed_top_k), index, p)[0])

    assert seeds("Who directed the film?") == ["film"]
    assert seeds("Who hummed?") == ["anirudh", "theme of coolie"]
    assert seeds("Which mills?") == ["grey mill", "old mill"]
    assert seeds("Nothing of this is there") == []


def test_only_the_edges_that_are_allowed_are_walked() -> None:
    index = index_of(*README)
    among = np.array([relation != "directed" for relation in map(index.graph.relations.__getitem__, index.graph.kinds)])
    found = search_paths(QUESTION, index, among=among)
    assert [written(path, index.graph) for path in found.paths] == ["(film) -[titled]-> (coolie)"]
    assert search_paths(QUESTION, index, among=np.zeros(2, bool)).paths == ()


@pytest.mark.parametrize("question", ["", "?", "Who is it?", "the of a"])
@pytest.mark.parametrize(
    "index", [index_of(), index_of(("a", "of", "the")), index_of(*README)], ids=len.__name__.format
)
def test_what_asks_nothing_finds_nothing(question: str, index: ClueIndex) -> None:
    found = search_paths(question, index)
    assert (found.paths, found.answer, found.edge) == ((), "", None)

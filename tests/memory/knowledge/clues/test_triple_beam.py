import json
import os
import subprocess
import sys
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory.datatypes import Triple
from clew.memory.knowledge.clues.clue_index import ClueIndex, triple_graph
from clew.memory.knowledge.clues.question_clues import extract_clues
from clew.memory.knowledge.clues.triple_beam import ClueParameters, EdgeScores, beam_search, most_of, seeds_of
from clew.memory.knowledge.clues.triple_search import search_paths
from tests.memory.dialogue.cases import hashed_vectors
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
from tests.memory.knowledge.clues.encoders import encoder_index
from tests.memory.knowledge.clues.reference import Reference

ROOT = Path(__file__).parents[4]
PARAMETERS = st.builds(
    ClueParameters,
    max_depth=st.integers(0, 4),
    beam_width=st.sampled_from([1, 2, 8, 1000]),
    topn=st.integers(0, 5),
    mmr_lambda=st.sampled_from([0.0, 0.3, 0.7, 1.0]),
    clues_once=st.booleans(),
)


def test_the_readmes_example() -> None:
    index = index_of(*README)
    found = search_paths(QUESTION, index)
    assert names(index, found.clues.entities) == ["film", "coolie"]
    assert found.clues.relations == ("directed",)
    assert found.clues.type == "who"
    best = found.paths[0]
    assert written(best, index.graph) == "(lokesh kanagaraj) -[directed]-> (film) | (film) -[titled]-> (coolie)"
    assert names(index, best.nodes) == ["lokesh kanagaraj", "film", "coolie"]
    assert found.answer == "Lokesh Kanagaraj"


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


def test_with_more_triples_the_example_stays() -> None:
    index = index_of(*FILMS, ("Lokesh Kanagaraj", "directed", "Vikram"), ("Nelson", "directed", "Jailer"))
    best = search_paths(QUESTION, index).paths[0]
    assert written(best, index.graph) == "(lokesh kanagaraj) -[directed]-> (film) | (film) -[titled]-> (coolie)"
    as_written = search_paths(QUESTION, index, ClueParameters(clues_once=False))
    assert len(as_written.paths[0].edges) == 3
    assert as_written.answer == search_paths(QUESTION, index).answer == "Lokesh Kanagaraj"


@pytest.mark.parametrize("depth", [1, 2, 3, 10])
def test_a_dead_end_is_a_finished_path(depth: int) -> None:
    found = search_paths(QUESTION, index_of(*README), ClueParameters(max_depth=depth))
    assert {len(path.edges) for path in found.paths} == ({1} if depth == 1 else {1, 2})
    assert found.answer == "Lokesh Kanagaraj"


def test_one_hop_is_not_padded() -> None:
    index = index_of(
        ("deva", "played by", "rajinikanth"), ("rajinikanth", "likes", "tea"), ("tea", "grows in", "assam")
    )
    found = search_paths("Who played Deva?", index)
    assert written(found.paths[0], index.graph) == "(deva) -[played by]-> (rajinikanth)"
    assert found.answer == "Rajinikanth"


@given(triples, questions, PARAMETERS)
@settings(deadline=None)
def test_paths_are_walked_edge_by_edge(rows: list[tuple[str, str, str]], question: str, p: ClueParameters) -> None:
    index = index_of(*rows)
    found = search_paths(question, index, p)
    ends = list(zip(index.graph.subjects.tolist(), index.graph.objects.tolist(), strict=True))
    assert len(found.paths) <= p.topn
    for path in found.paths:
        assert 1 <= len(set(path.edges)) == len(path.edges) <= p.max_depth
        for edge, step in zip(path.edges, pairwise(path.nodes), strict=True):
            assert step in (ends[edge], ends[edge][::-1])
        assert path.nodes[0] in found.seeds or path.nodes[-1] in found.seeds
    assert len({frozenset(path.edges) for path in found.paths}) == len(found.paths)
    assert bool(found.answer) == (found.edge is not None)
    assert found.paths or not found.answer
    assert found.answer or not found.paths or found.clues.type in ("where", "when")


@given(triples, questions, PARAMETERS)
@settings(deadline=None)
def test_it_is_the_formulas(rows: list[tuple[str, str, str]], question: str, p: ClueParameters) -> None:
    index = index_of(*rows)
    found = search_paths(question, index, p)
    reference = Reference(question, found.clues, index, p)
    scores = EdgeScores(question, found.clues, index, p)
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


def test_the_nearest_are_as_many_and_as_near_as_the_parameters_say() -> None:
    rows = [(f"saw mill {number} of the north", "is", "there") for number in range(12)]
    index, question = index_of(*rows, ("water", "is", "wet")), "Mill?"
    assert extract_clues(question, index, 10).entities == ()
    assert search_paths(question, index).seeding == "entities nearest to the question"
    assert len(search_paths(question, index).seeds) == 10
    assert len(search_paths(question, index, ClueParameters(seed_top_k=3)).seeds) == 3
    assert search_paths(question, index, ClueParameters(seed_min_sim=0.9)).seeds == ()


def test_only_the_edges_that_are_allowed_are_walked() -> None:
    index = index_of(*README)
    among = np.array([relation != "directed" for relation in map(index.graph.relations.__getitem__, index.graph.kinds)])
    found = search_paths(QUESTION, index, among=among)
    assert [written(path, index.graph) for path in found.paths] == ["(film) -[titled]-> (coolie)"]
    assert search_paths(QUESTION, index, among=np.zeros(2, bool)).paths == ()


class Encoder:
    name, hash, dimension, window = "hashed", "", 64, 256

    def encode(self, texts: list[str], role: str) -> np.ndarray:
        return hashed_vectors(texts)


def test_with_an_encoder_its_cosines_are_taken() -> None:
    graph = triple_graph(Triple(*row) for row in FILMS)
    index = encoder_index(graph, Encoder())  # type: ignore[arg-type]
    assert index.triple_cosines("deva played by rajinikanth").max() == pytest.approx(1)
    assert search_paths(QUESTION, index).answer == "Lokesh Kanagaraj"
    found = search_paths(QUESTION, index)
    assert [path.score for path in found.paths] != [
        path.score for path in search_paths(QUESTION, index_of(*FILMS)).paths
    ]


@pytest.mark.parametrize("question", ["", "?", "Who is it?", "the of a"])
@pytest.mark.parametrize(
    "index", [index_of(), index_of(("a", "of", "the")), index_of(*README)], ids=len.__name__.format
)
def test_what_asks_nothing_finds_nothing(question: str, index: ClueIndex) -> None:
    found = search_paths(question, index)
    assert (found.paths, found.answer, found.edge) == ((), "", None)


PRINTED = """
import json, sys
from clew.memory.datatypes import Triple
from clew.memory.knowledge.clues.clue_index import clue_index
from clew.memory.knowledge.clues.triple_search import search_paths
from clew.memory.knowledge.clues.clue_index import triple_graph
graph = triple_graph(Triple(*row) for row in json.loads(sys.argv[1]))
for question in sys.argv[2:]:
    found = search_paths(question, clue_index(graph))
    print(found.clues, found.seeds, found.answer)
    for path in found.paths:
        print(path.score, *map(graph.edge, path.edges), sep=" | ")
"""


def test_the_order_does_not_depend_on_the_hash_seed() -> None:
    rows = [*FILMS, *((f"deva {number % 3}", "likes", f"coolie {number}") for number in range(9))]
    asked = [QUESTION, "Why did Deva come out?", "Who played Deva?", "What likes Coolie?"]
    command = [sys.executable, "-c", PRINTED, json.dumps(rows), *asked]
    runs = [
        subprocess.Popen(
            command, cwd=ROOT, env=os.environ | {"PYTHONHASHSEED": seed}, stdout=subprocess.PIPE, text=True
        )
        for seed in ("0", "1", "2")
    ]
    printed = {run.communicate()[0] for run in runs}
    assert len(printed) == 1
    assert printed.pop().count(" | ") >= len(asked)


@settings(deadline=None)
@given(triples, questions, st.booleans())
def test_no_path_has_more_than_the_most(rows: list[tuple[str, str, str]], question: str, once: bool) -> None:
    parameters = ClueParameters(clues_once=once)
    found = search_paths(question, index_of(*rows), parameters)
    assert all(path.score <= most_of(found.clues, parameters) for path in found.paths)

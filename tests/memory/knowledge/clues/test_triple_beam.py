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
from clew.memory.knowledge.clues.clue_index import DIGITS, ClueIndex, triple_graph
from clew.memory.knowledge.clues.triple_search import (
    MOST_RELATION_CLUES,
    ClueParameters,
    EdgeScores,
    QuestionClues,
    _best,
    beam_search,
    chain_overlap,
    diverse,
    extract_clues,
    in_reading_order,
    jaccard,
    most_of,
    rerank,
    search_paths,
    seeds_of,
)
from clew.memory.knowledge.clues.triple_search import Path as Walk
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


@pytest.mark.parametrize(
    ("relations", "entities", "once", "most"),
    [
        (2, 1, True, 2 * 2.5 + 1.5 + 3 * (1.25 + 0.5) + 1.75 + 0.75 + 1.0 + 0.5),
        (0, 6, True, 4 * 1.5 + 3 * (1.25 + 0.5) + 1.0 + 0.5),  # three edges have four entities
        (2, 6, False, 3 * 2.5 + 3 * 1.5 + 3 * (1.25 + 0.5) + 1.75 + 0.75 + 1.0 + 0.5),
        (0, 0, True, 3 * (1.25 + 0.5) + 0.5),
        (0, 0, False, 3 * (1.25 + 0.5) + 0.5),
    ],
)
def test_the_most_is_every_clue_met_and_every_term_full(relations: int, entities: int, once: bool, most: float) -> None:
    clues = QuestionClues(tuple(range(entities)), tuple("abcdef"[:relations]), "who", ())
    p = ClueParameters(w_rel=2.5, w_lex=1.25, alpha_rel=1.75, beta_chain=0.75, clues_once=once)
    assert most_of(clues, p) == pytest.approx(most)


def test_shares_of_what_is_common() -> None:
    assert jaccard({1, 2}, {2, 3}) == pytest.approx(1 / 3)
    assert jaccard({1}, {1}) == 1 and jaccard({1}, set()) == jaccard(set(), {1}) == jaccard(set(), set()) == 0
    assert chain_overlap([["a"], ["b"]], ["a", "b"]) == chain_overlap([["b"], ["a"]], ["a", "b"]) == 1
    assert chain_overlap([["a"], ["b"]], ["a", "c"]) == pytest.approx(1 / 3)  # of a, c and the two of them
    assert chain_overlap([["a"]], []) == chain_overlap([], ["a"]) == 0


def test_diversity_is_the_score_less_the_likeness_to_the_nearest_that_was_chosen() -> None:
    first, same, near, far = (
        Walk(edges, (), score) for edges, score in (((1, 2), 1.0), ((1, 2), 0.9), ((1, 5), 0.9), ((3,), 0.5))
    )
    assert diverse([first, same, near, far], 4, 0.5) == [first, near, far, same]  # .45 - .17, .25, .45 - .5
    assert diverse([first, same, near, far], 2, 0.3) == [first, far]  # .15 and .27 - .23, .27 - .7
    assert diverse([far, near, same, first], 3, 1.0) == [first, near, same]  # of equal ones the earlier
    last = Walk((1, 4), (), 0.4)
    assert diverse([first, far, same, last], 3, 0.5) == [first, far, last]  # .2 - .17, .45 - .5
    assert diverse([first], 0, 0.5) == [] == diverse([], 3, 0.5)


def test_a_path_is_read_as_most_of_its_edges_and_as_walked_where_as_many_are_read_backwards() -> None:
    graph = index_of(("a", "r", "b"), ("b", "r", "c"), ("d", "r", "c")).graph
    number = {name: place for place, name in enumerate(graph.entities)}
    edge = {graph.edge(place).source: place for place in range(3)}

    def read(*nodes: str) -> list[str]:
        edges = {"ab": "a", "bc": "b", "cd": "d"}
        walked = tuple(edge[edges["".join(sorted(pair))]] for pair in pairwise(nodes))
        found = in_reading_order(graph, Walk(walked, tuple(number[node] for node in nodes), 1.5))
        assert found.score == 1.5
        assert found.edges == (walked if found.nodes[0] == number[nodes[0]] else walked[::-1])
        return [graph.entities[node] for node in found.nodes]

    assert read("a", "b", "c") == read("c", "b", "a") == ["a", "b", "c"]
    assert read("a", "b", "c", "d") == read("d", "c", "b", "a") == ["a", "b", "c", "d"]
    assert read("b", "c", "d") == ["b", "c", "d"] and read("d", "c", "b") == ["d", "c", "b"]


def test_the_best_with_those_equal_to_the_last_of_them() -> None:
    totals, rows, edges = np.array([2.0, 3, 2, 1]), np.array([1, 0, 0, 0]), np.array([5, 6, 7, 8])
    assert _best(totals, rows, edges, 2).tolist() == [1, 2, 0]  # ties by row
    assert _best(totals, np.zeros(4, np.int64), edges, 2).tolist() == [1, 0, 2]  # and by edge
    assert _best(totals, rows, edges, 1).tolist() == [1] and _best(totals, rows, edges, 9).tolist() == [1, 2, 0, 3]
    many = np.random.default_rng(0).permutation(1000).astype(np.float64)
    assert many[_best(many, np.zeros(1000, np.int64), np.arange(1000), 3)].tolist() == [999, 998, 997]


def test_the_score_of_an_edge_is_for_its_clues_and_words() -> None:
    """Alone for either of its ends; on a walk for a relation, and for an end, that it has not met before."""
    index = index_of(("a", "directed", "b"), ("b", "likes", "c"), ("c", "directed", "d"), ("d", "likes", "e"))
    graph, p = index.graph, ClueParameters(w_rel=2.0, w_ent=1.0)
    edge = {
        (graph.entities[s], graph.entities[o]): e
        for e, (s, o) in enumerate(zip(graph.subjects, graph.objects, strict=True))
    }
    a, b, c, d, e = (graph.entities.index(name) for name in "abcde")
    ab, bc, cd, de = (edge[pair] for pair in pairwise("abcde"))
    scores = EdgeScores("?", QuestionClues((b, d), ("directed",), "who", ()), index, p)
    scores.by_words = np.full(4, 0.25)
    assert scores.alone(graph)[[ab, bc, cd, de]].tolist() == [3.25, 1.25, 3.25, 1.25]

    def of(edge: int, end: int, walked: list[int], visited: list[int]) -> float:
        return float(scores.of(*(np.array(one) for one in ([edge], [end], [walked], [visited])))[0])

    assert of(cd, d, [bc], [b, c]) == 3.25
    assert of(cd, d, [ab, bc], [a, b, c]) == 1.25  # the relation is met
    assert of(cd, d, [de, de], [c, d, e]) == 2.25  # the end is
    assert of(bc, c, [ab], [a, b]) == 0.25
    assert (scores.of_seed(b), scores.of_seed(c)) == (1.0, 0.0)
    scores.parameters = replace(p, clues_once=False)
    assert of(cd, d, [ab, bc], [a, b, c]) == 3.25 and of(bc, c, [ab], [a, b]) == 1.25
    assert scores.of_seed(b) == 0.0


def test_of_walks_along_the_same_edges_the_best_counts() -> None:
    index = index_of(("a", "r", "b"), ("b", "r", "c"))
    walks = [Walk((0, 1), (0, 1, 2), 1.0), Walk((1, 0), (2, 1, 0), 2.0), Walk((0, 1), (0, 1, 2), 1.5)]
    (path,) = rerank(walks, QuestionClues((), (), "who", ()), index, ClueParameters())
    assert path.scores["edges"] == 2.0


def test_of_relations_as_many_count_as_can_be_told_apart() -> None:
    many = [f"qu{chr(97 + number // 26)}{chr(97 + number % 26)}z" for number in range(MOST_RELATION_CLUES + 1)]
    index = index_of(*(("a", name, f"b{number}") for number, name in enumerate(many)))
    named = tuple(dict.fromkeys(name for names_ in index.relation_names for name in names_))
    assert len(named) == 61
    scores = EdgeScores("?", QuestionClues((), named, "who", ()), index, ClueParameters())
    assert MOST_RELATION_CLUES == 60
    assert sorted(np.bitwise_count(scores.relation_clues).tolist()) == [0] + [1] * 60
    assert len(set(scores.relation_clues.tolist())) == 61


def test_a_seed_may_be_exactly_as_near_as_it_has_to_be() -> None:
    index, question = index_of(("saw mill of the north", "is", "there"), ("water", "is", "wet")), "Mill?"
    clues = extract_clues(question, index, 10)
    nearest = float(np.round(index.entity_cosines(question), DIGITS).max())
    assert 0 < nearest < 1
    (at,), _ = seeds_of(question, clues, index, ClueParameters(seed_min_sim=nearest))
    assert names(index, (at,)) == ["saw mill of the north"]

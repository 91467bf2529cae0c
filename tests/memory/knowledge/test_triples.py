from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.datatypes import Triple
from memory.knowledge.triples import TripleGraph, normalise, triple_graph

PARTS = st.sampled_from(["Ann", "ann ", "Bob", "Carl", "", " ", '"Dora"', "?"])
TRIPLES = st.lists(st.builds(Triple, PARTS, PARTS, PARTS, st.sampled_from(["", "c1", "c2"])), max_size=20)


def rows(graph: TripleGraph) -> list[tuple[str, str, str]]:
    parts = zip(graph.subjects, graph.kinds, graph.objects, strict=True)
    return [(graph.entities[s], graph.relations[r], graph.entities[o]) for s, r, o in parts]


@pytest.mark.parametrize(
    "text, normal",
    [("  Lokesh\n Kanagaraj ", "lokesh kanagaraj"), ("Coolie?", "coolie"), ('"To save"', "to save"), ("U.S.", "u.s.")],
)
def test_names_are_normalised(text: str, normal: str) -> None:
    assert normalise(text) == normal


def test_several_relations_between_one_pair_are_kept_and_the_same_ones_merged() -> None:
    graph = triple_graph(
        [
            Triple("Fritz Lang", "directed", "Metropolis", "c2"),
            Triple("fritz lang", "Directed", "Metropolis ", "c1"),
            Triple("Fritz Lang", "wrote", "Metropolis"),
            Triple("Fritz Lang", "", "Metropolis"),
        ]
    )
    assert rows(graph) == [("fritz lang", "directed", "metropolis"), ("fritz lang", "wrote", "metropolis")]
    assert graph.chunks == (("c1", "c2"), ())
    assert (graph.merged, graph.skipped) == (1, 1)
    assert graph.names == ("Fritz Lang", "Metropolis")
    assert graph.written(0) == "(fritz lang) -[directed]-> (metropolis)"


@given(TRIPLES, st.randoms(use_true_random=False))
def test_the_order_of_the_triples_does_not_matter(triples: list[Triple], random: Random) -> None:
    graph = triple_graph(triples)
    shuffled = list(triples)
    random.shuffle(shuffled)
    other = triple_graph(shuffled)
    assert rows(graph) == rows(other) == sorted(set(rows(graph)))
    assert (graph.names, graph.chunks) == (other.names, other.chunks)
    assert len(graph.subjects) + graph.merged + graph.skipped == len(triples)


@given(TRIPLES, st.data())
def test_the_edges_of_nodes_are_those_that_touch_them(triples: list[Triple], data: st.DataObject) -> None:
    graph = triple_graph(triples)
    among = st.integers(0, len(graph.entities) - 1) if graph.entities else st.nothing()
    nodes = data.draw(st.lists(among, max_size=5)) if graph.entities else []
    found = zip(*(part.tolist() for part in graph.edges_of(np.array(nodes, np.int64))), strict=True)
    ends = list(zip(graph.subjects.tolist(), graph.objects.tolist(), strict=True))
    touching = [
        (row, edge, other if one == node else one)
        for row, node in enumerate(nodes)
        for edge, (one, other) in enumerate(ends)
        if node in (one, other)
    ]
    assert sorted(found) == sorted(touching)

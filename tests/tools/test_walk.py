"""The tool `walk`: paths, why, the graph that was walked, notes, scope, and libraries that lack nearly everything."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from clew.memory.datatypes import Edge, Query
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.library import Library
from clew.memory.knowledge.walking.walker import StepParameters as Wandering
from clew.memory.knowledge.walking.walker import WalkerParameters
from clew.tools.base import encode_query
from clew.tools.walk import Walk, WalkParameters
from tests.memory.knowledge.walking.made import graph_library_of, library_of

QUESTION = "Where was the director of Metropolis born?"
STEP = re.compile(r"\((.+)\) (?:-\[(.+)\]->|<-\[(.+)\]-) \((.+)\)")
FAR = WalkParameters(k=1000, walker=WalkerParameters(answers=2.0, walk=Wandering(landings=1, depth=4)))
"""It lands on few and answers end nothing: a walk of many steps."""

TEXTS = {
    "Metropolis": "Metropolis is a German film by Fritz Lang.",
    "Fritz Lang": "Fritz Lang was a director of films.",
    "Vienna": "Vienna is the capital of Austria.",
    "The Moon": "The Moon orbits the Earth.",
    "Bread": "It is made of flour.",
}
EDGES = [("Fritz Lang", "directed", "Metropolis"), ("Fritz Lang", "born in", "Vienna")]


@pytest.fixture
def query(encoder: CachedEncoder) -> Query:
    return encode_query(QUESTION, [], encoder)


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory, encoder: CachedEncoder) -> Iterator[Library]:
    with graph_library_of(tmp_path_factory.mktemp("films"), TEXTS, EDGES, encoder) as library:
        yield library


def test_of_a_graph_folder_the_paths_are_its_relations(films: Library, query: Query) -> None:
    found = Walk(films.store, FAR).search(query)
    assert {passage.title for passage in found.passages} == set(TEXTS)
    walk, graph, ids = found.walk, films.store.part().nodes, films.store.part().layers.chunk_ids
    edges = zip(graph.sources, graph.targets, graph.kinds, strict=True)
    assert walk is not None and walk.edges
    assert set(walk.edges) <= {Edge(ids[source], ids[target], graph.relations[kind]) for source, target, kind in edges}
    paths = {passage.title: passage.path for passage in found.passages}
    walked = [path for path in paths.values() if path]
    assert walked and {step for path in walked for step in path} <= {
        "(Fritz Lang) -[directed]-> (Metropolis)",
        "(Metropolis) <-[directed]- (Fritz Lang)",
        "(Fritz Lang) -[born in]-> (Vienna)",
        "(Vienna) <-[born in]- (Fritz Lang)",
    }


@pytest.mark.parametrize("parameters", [WalkParameters(k=1000), FAR])
def test_passages_and_the_walk_tell_the_same(examples: Library, query: Query, parameters: WalkParameters) -> None:
    found = Walk(examples.store, parameters).search(query)
    walk = found.walk
    assert walk is not None
    count = len(walk.nodes)
    assert 0 < walk.landings <= count and len(walk.edges) == count - walk.landings
    assert len(walk.titles) == len(walk.scores) == len(walk.partitions) == count == len(set(walk.nodes))
    for place, edge in enumerate(walk.edges, walk.landings):  # each step leads to a node from one before
        (before,) = {edge.source, edge.target} - {walk.nodes[place]}
        assert before in walk.nodes[:place]
    layers, partitioning = examples.store.part().layers, examples.store.part().partitioning
    rows = [layers.chunk_numbers[id_] for id_ in walk.nodes]
    assert list(walk.partitions) == [partitioning.names[partitioning.of_node[row]] for row in rows]
    assert not set(rows[: walk.landings]) & set(partitioning.hub_nodes.tolist())
    assert list(walk.titles) == [chunk.title for chunk in examples.store.chunks(walk.nodes)]
    scores = {passage.id: passage.score for passage in found.passages}
    assert sum(scores.values()) == pytest.approx(1)  # of all that were weighed
    assert [scores[id_] for id_ in walk.nodes] == pytest.approx(list(walk.scores))
    landed, walked = set(walk.nodes[: walk.landings]), set(walk.nodes[walk.landings :])
    assert set(walk.back) <= walked and (walk.back or parameters != FAR), "a walk of many steps goes back"
    for passage in found.passages:
        assert bool(passage.path) == (passage.id in walked)
        assert (passage.id in walk.back) == passage.why.endswith(", after going back")
        if passage.id in landed:
            assert passage.why.startswith("landed on, in ")
        elif passage.id in walked:
            assert passage.why.startswith("walked to by ") and " from " in passage.why
        else:
            assert passage.why == f"matches the question ({passage.scores['cosine']:.2f})"


def test_paths_are_in_the_form_of_the_seed(examples: Library, query: Query) -> None:
    found = Walk(examples.store, FAR).search(query)
    paths = [passage for passage in found.passages if passage.path]
    assert paths and max(len(passage.path) for passage in paths) > 1
    for passage in paths:
        steps = [STEP.fullmatch(step) for step in passage.path]
        assert all(steps)
        ends = [(step.group(1), step.group(4)) for step in steps if step]
        assert ends[-1][1] == passage.title
        assert all(one[1] == other[0] for one, other in pairwise(ends))


@pytest.mark.parametrize("parameters", [WalkParameters(k=1000), FAR])
def test_nothing_is_outside_the_scope(examples: Library, query: Query, parameters: WalkParameters) -> None:
    layers, tool = examples.store.part().layers, Walk(examples.store, parameters)
    whole = tool.search(query).walk
    assert whole is not None
    walked = {layers.document_ids[layers.chunk_documents[layers.chunk_numbers[id_]]] for id_ in whole.nodes}
    for scope in (
        frozenset(layers.document_ids) - walked,
        frozenset(sorted(walked)[::2]),
        frozenset({"films/hugo.html"}),
    ):
        found = tool.search(replace(query, scope=scope))
        assert found.passages and found.walk is not None
        assert {passage.document for passage in found.passages} <= scope
        nodes = {layers.document_ids[layers.chunk_documents[layers.chunk_numbers[id_]]] for id_ in found.walk.nodes}
        assert nodes <= scope
        assert {end for edge in found.walk.edges for end in (edge.source, edge.target)} <= set(found.walk.nodes)


def test_a_library_of_one_chunk(tmp_path: Path, query: Query, encoder: CachedEncoder) -> None:
    with library_of(tmp_path, {"Metropolis": TEXTS["Metropolis"]}, encoder) as library:
        found = Walk(library.store).search(query)
        nothing = Walk(library.store).search(replace(query, scope=frozenset()))
    (passage,) = found.passages
    assert passage.score == 1 and passage.path == () and passage.why.startswith(("landed on", "matches"))
    assert found.notes[0].startswith("1 nodes and 0 edges of 1 partitions")
    assert (nothing.passages, nothing.walk, nothing.notes) == ((), None, ("no passage to walk from",))

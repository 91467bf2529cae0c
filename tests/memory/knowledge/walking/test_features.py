"""What speaks for a node, taken over and fresh on the examples, and against loops on a small library."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from clew.memory.datatypes import Vector, Vectors
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.library import Library
from clew.memory.knowledge.nodes import NodeGraph
from clew.memory.knowledge.question import LibraryQuestion, MatchParameters
from clew.memory.knowledge.walking.features import AROUND, DIRECT, FLOOR, Looked, Standing
from clew.memory.knowledge.walking.walker import hits_of
from clew.tools.base import encode_query
from tests.memory.knowledge.walking.made import graph_library_of, ints

QUESTION = "Who wrote the novel of Metropolis, and where was Fritz Lang born?"


def test_taken_over_is_a_fresh_look(examples: Library, encoder: CachedEncoder) -> None:
    query, graph = encode_query(QUESTION, [], encoder), examples.store.part()
    question = LibraryQuestion(graph, query)
    here = Looked(question, hits_of(examples.store, query, MatchParameters(candidates=6, nearest=6)))
    named = np.concatenate([found.nodes for found in question.named])
    here = Looked(question, np.union1d(here.nodes, named))  # as `Walker.look` does: rivals are together
    count = graph.nodes.count
    for nodes in (range(count), range(0, count, 3), here.nodes[:4].tolist(), [count - 1], []):
        taken = here.taken_over(ints(nodes))
        fresh = Looked(question, ints(nodes))
        without = [place for place, name in enumerate(DIRECT) if name != "gap"]  # a rival may be left behind here
        assert taken.direct[:, without] == pytest.approx(fresh.direct[:, without], abs=1e-6)
        assert taken.cosines == pytest.approx(fresh.cosines, abs=1e-6)
        assert taken.held == pytest.approx(fresh.held, abs=1e-9)
        standing = Standing.of(here.nodes, here.cosines)
        assert taken.around(standing) == pytest.approx(fresh.around(standing), abs=1e-5)
    whole = here.taken_over(ints(range(count)))
    assert whole.direct == pytest.approx(Looked(question, ints(range(count))).direct, abs=1e-6)


TEXTS = {
    "Mercury (planet)": "Mercury is the planet nearest to the Sun.",
    "Mercury (metal)": "A liquid metal of a silver colour, used in a thermometer.",
    "Mercury (god)": "A Roman god of merchants and travellers.",
    "Thermometer": "A thermometer measures how warm it is, and had quicksilver in it.",
    "Sun": "The Sun is a star.",
    "Island": "Nothing leads here.",
}
EDGES = [
    ("Mercury (metal)", "used in", "Thermometer"),
    ("Mercury (planet)", "orbits", "Sun"),
    ("Sun", "seen by", "Thermometer"),
    ("Thermometer", "holds", "Mercury (metal)"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, encoder: CachedEncoder) -> Iterator[Library]:
    path: Path = tmp_path_factory.mktemp("mercury")
    with graph_library_of(path, TEXTS, EDGES, encoder) as library:
        yield library


PLANET, METAL, GOD, THERMOMETER, SUN, ISLAND = range(6)


def sum_over_kinds(graph: NodeGraph, node: int, vectors: Vectors) -> Vector:
    """Of each kind and direction of the node's edges the mean of the vectors at their other ends, summed."""
    groups: dict[tuple[int, bool], list[int]] = {}
    for source, target, kind in zip(graph.sources, graph.targets, graph.kinds, strict=True):
        if node in (source, target):
            forwards = bool(source == node)
            groups.setdefault((int(kind), forwards), []).append(int(target if forwards else source))
    means = [vectors[others].mean(axis=0) for others in groups.values()]
    return np.sum(means, axis=0) if means else np.zeros(vectors.shape[1], np.float32)


def test_what_is_around_by_loops(folder: Library, encoder: CachedEncoder) -> None:
    query, store = encode_query("Which mercury is in a thermometer?", [], encoder), folder.store
    found = Looked(LibraryQuestion(store.part(), query), ints(range(len(TEXTS))))
    masses = np.array([0.5, 1.0, -2.0, 0.0])
    standing = Standing.of(ints([PLANET, METAL, GOD, THERMOMETER]), masses)
    around = dict(zip(AROUND, found.around(standing).T, strict=True))
    near = {
        PLANET: [SUN],
        METAL: [THERMOMETER],
        GOD: [],
        THERMOMETER: [METAL, SUN],
        SUN: [PLANET, THERMOMETER],
        ISLAND: [],
    }
    own, vector, cosines = store.part().vectors.take(found.nodes, axis=0), found.question.vector, found.cosines
    share = {
        **dict.fromkeys(near, 0.0),
        **dict(zip([PLANET, METAL, GOD, THERMOMETER], np.exp(masses - 1), strict=True)),
    }
    weights, held = found.question.weights, found.held
    for node, others in near.items():
        sums = sum_over_kinds(store.part().nodes, node, own)
        mean = sums @ vector / np.linalg.norm(sums) if others else 0
        assert around["degree"][node] == pytest.approx(np.log1p(len(others)))
        assert around["mean"][node] == pytest.approx(mean, abs=1e-5)
        assert around["nearest"][node] == pytest.approx(max([0, *cosines[others]]), abs=1e-6)
        assert around["average"][node] == pytest.approx(np.mean(cosines[others]) if others else 0, abs=1e-6)
        assert around["arrived"][node] == pytest.approx(np.log(sum(share[o] for o in others) + FLOOR), abs=1e-6)
        assert around["pair arrived"][node] == pytest.approx(np.log(max([0, *(share[o] for o in others)]) + FLOOR))
        together = [np.maximum(held[node], held[other]) @ weights for other in others]
        assert around["pair words"][node] == pytest.approx(max([0, *together]))
        pairs = [(own[node] + own[other]) @ vector / np.linalg.norm(own[node] + own[other]) for other in others]
        assert around["pair cosine"][node] == pytest.approx(max([0, *pairs]), abs=1e-5)
        named = found.name_words[node]
        beyond = [(held[other] > 0) & ~named for other in others]
        assert around["said"][node] == pytest.approx(np.any([*beyond, np.zeros_like(named)], axis=0) @ weights)
        assert around["often"][node] == pytest.approx(np.mean([b @ weights for b in beyond]) if others else 0)
        called = [(found.name_words[other] & ~named) @ weights for other in others]
        assert around["called"][node] == pytest.approx(max([0, *called]))
    smoothed = store.part().smoothed.take(found.nodes, axis=0).astype(np.float32) @ vector
    assert around["smoothed"] == pytest.approx(smoothed)
    for name in ("mean", "smoothed", "centroid", "votes"):
        rivals = around[name][[PLANET, METAL, GOD]]
        assert around[f"{name} gap"][[PLANET, METAL, GOD]] == pytest.approx(rivals - rivals.max())

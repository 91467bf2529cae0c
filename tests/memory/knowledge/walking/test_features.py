"""What speaks for a node, by hand on the examples and against loops on small libraries."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from clew.memory.datatypes import Query, Vector, Vectors, Wording
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.library import Library
from clew.memory.knowledge.question import LibraryQuestion, MatchParameters
from clew.memory.knowledge.walking.features import AROUND, DIRECT, FLOOR, Looked, Standing
from clew.memory.knowledge.walking.walker import hits_of
from clew.memory.nodes import NodeGraph
from clew.memory.ports import Graph, Search
from clew.memory.text import words
from clew.tools.base import encode_query
from tests.memory.knowledge.walking.made import graph_library_of, ints

QUESTION = "Who wrote the novel of Metropolis, and where was Fritz Lang born?"


@pytest.fixture
def graph(examples: Library) -> Graph:
    return examples.store.part()


def looked(library: Library, graph: Graph, query: Query, nodes: list[int] | None = None) -> Looked:
    every = range(graph.nodes.count) if nodes is None else nodes
    return Looked(LibraryQuestion(graph, query), ints(every))


def direct(found: Looked, name: str) -> list[float]:
    return found.direct[:, DIRECT.index(name)].tolist()  # type: ignore[no-any-return]


def row_of(store: Search, document: str) -> int:
    layers = store.part().layers
    return int(np.flatnonzero(layers.chunk_documents == layers.document_ids.index(document))[0])


def test_the_parts_that_other_searches_know_too(examples: Library, graph: Graph, encoder: CachedEncoder) -> None:
    store, query = examples.store, encode_query(QUESTION, [], encoder)
    found, ids = looked(examples, graph, query), store.part().layers.chunk_ids
    vector = query.forms[0].vector
    assert direct(found, "cosine") == pytest.approx((store.vectors(ids) @ vector).tolist(), abs=1e-6)
    (hits,) = store.keyword_search([QUESTION], 1000)
    scores = {hit.chunk: hit.score for hit in hits}
    assert direct(found, "keyword") == pytest.approx([scores.get(id_, 0.0) for id_ in ids], abs=1e-5)
    cosines = store.part().sentence_vectors.take(np.arange(len(store.part().layers.sentence_chunks)), axis=0) @ vector
    best = [max(cosines[store.part().layers.sentence_chunks == row].tolist(), default=None) for row in range(len(ids))]
    own = direct(found, "cosine")
    assert direct(found, "sentence") == pytest.approx(
        [b if b is not None else c for b, c in zip(best, own, strict=True)], abs=1e-5
    )
    texts = [chunk.text for chunk in store.chunks(ids)]
    assert direct(found, "length") == pytest.approx([np.log1p(len(words(text))) for text in texts])
    assert set(direct(found, "names")) <= {1.0, 3.0}


def test_what_the_question_names(examples: Library, graph: Graph, encoder: CachedEncoder) -> None:
    store, query = examples.store, encode_query(QUESTION, [], encoder)
    lang, film, moon = (
        row_of(store, d) for d in ("people/fritz-lang.md", "films/metropolis.md", "space/moon-phases.md")
    )
    found = looked(examples, graph, query, sorted([lang, film, moon]))
    of = {int(node): dict(zip(DIRECT, row, strict=True)) for node, row in zip(found.nodes, found.direct, strict=True)}
    same_title = int(
        (store.part().titles.stems == store.part().titles.stems[store.part().titles.nodes == lang][0]).sum()
    )
    assert (of[lang]["exact"], of[lang]["named"], of[lang]["rivals"]) == (1, 2, pytest.approx(np.log(same_title)))
    assert of[lang]["at"] == pytest.approx(9 / 10)  # the tenth of twelve words; the last name ends at the eleventh
    assert of[film]["at"] == pytest.approx(5 / 10) and of[film]["named"] == 1
    assert {of[moon][name] for name in ("exact", "named", "rivals", "place", "share", "at")} == {0}
    shares = store.part().words(QUESTION, ints([lang]))
    weight = dict(zip(shares.words, shares.weights, strict=True))
    assert of[lang]["share"] == pytest.approx(weight["fritz"] + weight["lang"])
    rest = {word for word, share in zip(shares.words, shares.shares[0], strict=True) if share} - {"fritz", "lang"}
    assert of[lang]["rest"] == pytest.approx(sum(weight[word] for word in rest))
    assert of[moon]["rest"] >= 0 == of[moon]["gap"]


def test_forms_add_up_by_weight(examples: Library, graph: Graph, encoder: CachedEncoder) -> None:
    forms = [Wording("question", "Fritz Lang?", 0.25), Wording("rewrite", "the novel of Metropolis", 0.75)]
    both = encode_query("Fritz Lang?", forms, encoder)
    alone = [replace(both, forms=(replace(form, weight=1.0),)) for form in both.forms]
    whole, one, other = (looked(examples, graph, query) for query in (both, *alone))
    for name in ("keyword", "exact", "named", "rivals", "place", "share", "at"):
        parts = 0.25 * np.array(direct(one, name)) + 0.75 * np.array(direct(other, name))
        assert direct(whole, name) == pytest.approx(parts.tolist(), abs=1e-9), name
    vector = 0.25 * both.forms[0].vector + 0.75 * both.forms[1].vector
    assert whole.question.vector == pytest.approx(vector / np.linalg.norm(vector), abs=1e-6)
    assert whole.question.weights.sum() == pytest.approx(1)
    lang = row_of(examples.store, "people/fritz-lang.md")
    assert direct(whole, "exact")[lang] == 0.25


def test_taken_over_is_a_fresh_look(examples: Library, graph: Graph, encoder: CachedEncoder) -> None:
    query = encode_query(QUESTION, [], encoder)
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


def mercury(folder: Library, encoder: CachedEncoder, nodes: list[int] | None = None) -> Looked:
    query = encode_query("Which mercury is in a thermometer?", [], encoder)
    return looked(folder, folder.store.part(), query, nodes)


def test_a_gap_is_to_the_best_of_ones_name(folder: Library, encoder: CachedEncoder) -> None:
    found = mercury(folder, encoder)
    cosines = found.cosines
    rivals = cosines[[PLANET, METAL, GOD]]
    gaps = np.array(direct(found, "gap"))
    assert gaps[[PLANET, METAL, GOD]] == pytest.approx(rivals - rivals.max())
    assert gaps[[THERMOMETER, SUN, ISLAND]].tolist() == [0, 0, 0]
    assert np.array(direct(found, "rivals")) == pytest.approx([np.log(3)] * 3 + [0, 0, 0])
    assert direct(found, "sentence") == direct(found, "cosine")  # a graph folder has no sentences
    assert np.array(direct(found, "exact")).tolist() == [1, 1, 1, 1, 0, 0]


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
    found, store = mercury(folder, encoder), folder.store
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


def test_what_the_partition_says(examples: Library, graph: Graph, encoder: CachedEncoder) -> None:
    found = looked(examples, graph, encode_query(QUESTION, [], encoder))
    count, partitioning = graph.nodes.count, graph.partitioning
    standing = Standing.of(ints(range(0, count, 2)), np.linspace(-3, 0, len(range(0, count, 2))))
    around = dict(zip(AROUND, found.around(standing).T, strict=True))
    shares = np.zeros(count)
    shares[standing.nodes] = standing.shares
    for node in range(count):
        partition = partitioning.of_node[node]
        others = [n for n in range(count) if partitioning.of_node[n] == partition and n != node]
        assert around["votes"][node] == pytest.approx(np.log(shares[others].sum() + FLOOR), abs=1e-6)
        assert around["centroid"][node] == pytest.approx(
            partitioning.centroids[partition] @ found.question.vector, abs=1e-6
        )

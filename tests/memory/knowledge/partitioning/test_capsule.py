"""Capsules on disk: read as written, the last made in use, broken ones named; a re-run keeps them."""

from pathlib import Path

import numpy as np
import pytest

from clew.memory.datatypes import Vectors
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import LibraryBusy, NoLibrary
from clew.memory.knowledge.disk import held
from clew.memory.knowledge.embedding import CHUNKS
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.nodes import sums_of
from clew.memory.knowledge.partitioning.capsule import (
    CURRENT,
    FOLDER,
    VECTORS,
    Capsule,
    PartitionPlan,
    capsules,
    plan_of,
    read_capsule,
    write_capsule,
)
from clew.memory.knowledge.partitioning.partitioner import (
    capsule_of,
    high_degree_nodes,
    hub_nodes_of,
    labels_of,
    names_of,
    partition_library,
)
from clew.memory.vectors import unit
from tests.memory.knowledge.index.test_damage import generation_of
from tests.memory.knowledge.index.test_run import run, write
from tests.memory.knowledge.partitioning.made import clique, graph, random_graph, random_vectors, topics


def made(plan: PartitionPlan) -> Capsule:
    graph, vectors = random_graph(90, 200, 2), random_vectors(90, 2)
    return capsule_of(
        graph,
        vectors,
        plan,
        labels_of(graph, vectors, plan),
        [(f"Word{n % 7}", "") for n in range(90)],
        ["a"] * 45 + ["b"] * 45,
    )


def with_vectors(generation: Path) -> Vectors:
    vectors = random_vectors(90, 2)
    np.save(generation / CHUNKS.file, vectors)
    return vectors


@pytest.fixture
def library(tmp_path: Path, encoder: CachedEncoder) -> Path:
    write(tmp_path / "notes", moon="The Moon orbits the Earth.", sun="The Sun is hot.", mars="Mars is near the Sun.")
    run([tmp_path / "notes"], tmp_path / "library", encoder)
    return tmp_path / "library"


@pytest.mark.parametrize("method, k", [("hybrid", 0), ("leiden", 0), ("leiden", 5), ("metis", 0), ("metis", 5)])
def test_a_capsule_is_read_as_it_was_written(tmp_path: Path, method: str, k: int) -> None:
    vectors = with_vectors(tmp_path)
    capsule = made(plan_of(method, None if method == "leiden" or k else 20, k))  # type: ignore[arg-type]
    write_capsule(tmp_path, capsule, None)
    again = read_capsule(tmp_path)
    assert (again.plan, again.report) == (capsule.plan, capsule.report)
    for name in ("of_node", "centroids", "hub_nodes"):
        one, other = getattr(again.partitioning, name), getattr(capsule.partitioning, name)
        assert one.dtype == other.dtype and (one == other).all()
    assert again.partitioning.names == capsule.partitioning.names
    assert (again.cells.keys == capsule.cells.keys).all()
    for read, written in zip(again.cells.edges, capsule.cells.edges, strict=True):
        assert (read == written).all()
    assert sorted(again.cells.edges.values) == list(range(len(random_graph(90, 200, 2).sources)))
    ordered = np.load(tmp_path / FOLDER / capsule.plan.name / VECTORS)
    assert (ordered == vectors[np.argsort(capsule.partitioning.of_node, kind="stable")]).all()


def test_the_last_that_was_made_is_in_use(tmp_path: Path) -> None:
    with_vectors(tmp_path)
    for plan in (plan_of("hybrid", 20), plan_of("metis", 20), plan_of("hybrid", 20)):
        write_capsule(tmp_path, made(plan), None)
        assert read_capsule(tmp_path).plan == plan
    assert capsules(tmp_path) == ["metis-20", "hybrid-20"]
    assert sorted(path.name for path in (tmp_path / FOLDER).iterdir()) == [CURRENT, "hybrid-20", "metis-20"]


def test_another_capsule_is_made_and_used_by_who_opens_next(library: Path, encoder: CachedEncoder) -> None:
    with open_library(library, encoder) as before:
        assert before.store.part().partitioning.method == "hybrid"
        *_, capsule = partition_library(library, plan_of("metis", 2))
        assert isinstance(capsule, Capsule) and capsule.report["largest"] <= 2
        part = before.store.part()
        assert part.partitioning.method == "hybrid"
        for partition in range(part.partitioning.count):  # also where others took their place before these were read
            nodes, _ = part.partitioning.members.of(np.array([partition]))
            assert np.array_equal(part.partition_vectors(partition), part.vectors.take(nodes, axis=0))
    with open_library(library, encoder) as after:
        assert (after.store.part().partitioning.method, after.store.part().partitioning.size) == ("metis", 2)


def test_a_rerun_keeps_the_plans(library: Path, encoder: CachedEncoder) -> None:
    list(partition_library(library, plan_of("metis", 2)))
    before = generation_of(library)
    run([library.parent / "notes"], library, encoder)
    assert generation_of(library) == before
    write(library.parent / "notes", venus="Venus is bright.")
    run([library.parent / "notes"], library, encoder)
    assert capsules(generation_of(library)) == ["hybrid-200", "metis-2"]
    assert len(read_capsule(generation_of(library)).partitioning.of_node) == 4
    run([], library, encoder, rebuild=True)
    assert capsules(generation_of(library)) == ["hybrid-200"]


def test_only_where_there_is_a_library_that_nobody_changes(library: Path, tmp_path: Path) -> None:
    with pytest.raises(NoLibrary):
        list(partition_library(tmp_path / "nowhere", PartitionPlan()))
    assert not (tmp_path / "nowhere").exists()
    with held(library), pytest.raises(LibraryBusy):
        list(partition_library(library, PartitionPlan()))


# Names, hub nodes and report.

TEXTS = [
    ("Whales", "A whale is an animal of the sea."),
    ("Blue whale", "The biggest animal of all."),
    ("Jazz", "A music of the 20th century; 1920 was its year."),
    ("Jazz club", "Where jazz is played, an animal of a place."),
]
DOCUMENTS = ["a", "b", "c", "d"]


def test_a_name_is_what_tells_a_partition_from_others() -> None:
    first, second = names_of(np.array([0, 0, 1, 1]), 2, TEXTS, DOCUMENTS)
    assert first.startswith("whale, ") and second.startswith("Jazz, ")
    assert "animal" not in second and "1920" not in second  # everywhere, and no word
    assert len(first.split(", ")) <= 4


def test_a_term_of_one_document_has_its_id_behind_it() -> None:
    """Also where that document lies in several partitions: what it says is not what the library says."""
    texts = [("Moon", "Zorblax orbits the Moon."), ("Moon", "Quorvex and Zorblax."), ("", "The Moon shines.")]
    assert names_of(np.array([0, 0, 0]), 1, texts, ["evil", "evil", "good"])[0].startswith("Moon, ")
    named = names_of(np.array([0, 1, 1]), 2, texts, ["evil", "evil", "good"])
    assert "orbits/Zorblax (evil)" in named[0] and "(evil)" in named[1] and "shines (good)" in named[1]
    assert all("Moon (" not in name for name in named)
    rows = [("firings", "Zorblax"), ("firings", "Quorvex"), ("", "A firing shines.")]
    named = names_of(np.array([0, 0, 1]), 2, rows, ["firings.csv", "firings.csv", "good"])
    assert named[0] == "Zorblax/Quorvex (firings)", "the name of the file stands there once"


def test_high_degrees_are_exceptional_and_not_all_are_hub_nodes() -> None:
    """Two hubs of a hundred neighbours each: one of its own topic, one that has to do with none of its own."""
    groups = [list(range(start, start + 10)) for start in range(0, 200, 10)]
    edges = [edge for group in groups for edge in clique(group)]
    edges += [(200, node) for node in range(100)] + [(201, node) for node in range(100, 200)]
    made = graph(202, edges)
    assert high_degree_nodes(made).tolist() == [200, 201]
    of = [0] * 100 + [1] * 100 + [0, 2]
    labels = np.array([0] * 100 + [1] * 100 + [0, 1])
    vectors = topics(of)
    assert hub_nodes_of(made, vectors, labels, unit(sums_of(labels, 2, vectors))).tolist() == [201]

"""Relations of many in a graph folder (seed 004, 8.2): virtual nodes with an edge for each member."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from clew.memory.datatypes import Document, Edge
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.loaders.registry import discover, read
from clew.memory.knowledge.loaders.source import LoadFailure
from tests.memory.knowledge.index.test_run import run

NODES = [{"id": id_, "title": f"Dr. {id_}", "text": f"{id_} is a chemist."} for id_ in ("A", "B", "C", "D")]
PAPER = {"relation": "co-authors", "members": ["A", "B", "C"]}
FRIENDS = {"source": "A", "target": "D", "relation": "friend of"}


def write(folder: Path, edges: Sequence[Any], nodes: Sequence[Any] = NODES) -> Path:
    folder.mkdir(exist_ok=True)
    for name, rows in (("nodes", nodes), ("edges", edges)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return folder


def virtual(folder: Path) -> list[Document]:
    [source] = discover([folder]).sources
    return [item for item in read(source) if isinstance(item, Document) and "edges.jsonl" in item.source]


def edges(folder: Path) -> list[Edge | LoadFailure]:
    [source] = discover([folder]).sources
    return [item for item in read(source) if not isinstance(item, Document)]


def test_a_relation_is_a_node_and_typed_edges_stay(tmp_path: Path) -> None:
    folder = write(tmp_path / "g", [PAPER, FRIENDS])
    [paper] = virtual(folder)
    assert (paper.title, paper.text) == ("co-authors", "co-authors: Dr. A, Dr. B, Dr. C")
    assert paper.source == f"{folder / 'edges.jsonl'}:1"
    assert edges(folder) == [*(Edge(member, paper.id, "co-authors") for member in "ABC"), Edge("A", "D", "friend of")]


def test_the_paper_of_the_seed(tmp_path: Path) -> None:
    members = [{"id": "A", "role": "is_author"}, {"id": "B", "role": "is_author"}, "C"]
    paper = {"id": "X", "relation": "wrote", "members": members, "title": "Paper X", "text": "On the Moon."}
    folder = write(tmp_path / "g", [paper])
    assert virtual(folder) == [Document("X", "Paper X", "On the Moon.", f"{folder / 'edges.jsonl'}:1")]
    assert edges(folder) == [Edge("A", "X", "is_author"), Edge("B", "X", "is_author"), Edge("C", "X", "wrote")]


def test_an_id_is_made_of_what_is_said_and_nothing_else(tmp_path: Path) -> None:
    def id_of(**other: Any) -> str:
        return virtual(write(tmp_path / "g", [FRIENDS, {**PAPER, **other}]))[0].id

    own = virtual(write(tmp_path / "g", [PAPER]))[0].id
    assert own.startswith("co-authors:")
    assert id_of(members=["C", "A", "B"], text="another") == own
    assert len({own, id_of(members=["A", "B"]), id_of(relation="met"), id_of(title="Paper Y")}) == 4
    assert len(virtual(write(tmp_path / "g", [PAPER, PAPER]))) == 1


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ({"relation": "met", "members": ["A", {"id": "A"}]}, "a relation of fewer than two members"),
        ({"relation": "met", "members": ["A", "nobody", "no one"]}, "fewer than two of its members are nodes"),
        ({"relation": "met", "members": "AB"}, '"members" is not a list'),
        ({"relation": "met", "members": ["A", {"role": "host"}]}, 'there is no "id"'),
        ({"members": ["A", "B"]}, 'there is no "relation"'),
        ({"id": "D", "relation": "met", "members": ["A", "B"]}, "the id 'D' is that of a node already"),
        ({"id": "X", "relation": "met", "members": ["A", "B"]}, "the id 'X' is on an earlier line already"),
    ],
)
def test_a_bad_line_is_named_once_and_ties_nothing(tmp_path: Path, line: dict[str, Any], why: str) -> None:
    folder = write(tmp_path / "g", [{"id": "X", "relation": "met", "members": ["C", "D"]}, line])
    [source] = discover([folder]).sources
    items = list(read(source))
    assert [item for item in items if isinstance(item, LoadFailure)] == [
        LoadFailure(f"{folder / 'edges.jsonl'}:2", why)
    ]
    assert [item for item in items if isinstance(item, Edge)] == [Edge("C", "X", "met"), Edge("D", "X", "met")]


def test_a_library_follows_the_relations_of_its_folder(tmp_path: Path, encoder: CachedEncoder) -> None:
    paper: dict[str, Any] = {**PAPER, "id": "X", "title": "Paper X"}
    folder, path = write(tmp_path / "g", [paper, FRIENDS]), tmp_path / "lib"

    def ends() -> list[str]:
        with open_library(path, None) as library:
            found = library.store.neighbours(["X"])[0]
            assert {edge.relation for edge in found} == {"co-authors"}
            assert {edge.target for edge in found} == {"X"}
            return sorted(edge.source for edge in found)

    assert run([folder], path, encoder).line == "5 new, 0 changed, 0 removed, 0 unchanged, 0 failed"
    assert ends() == ["A", "B", "C"]
    assert run([folder], path, encoder).line == "0 new, 0 changed, 0 removed, 5 unchanged, 0 failed"
    write(folder, [{**paper, "members": ["A", "D"]}, FRIENDS])
    assert run([folder], path, encoder).line == "0 new, 1 changed, 0 removed, 4 unchanged, 0 failed"
    assert ends() == ["A", "D"]
    write(folder, [{**paper, "members": ["A", "D", "E"]}, FRIENDS])
    assert "1 edges left out: they name nodes that are not in the library" in run([folder], path, encoder).notes
    assert ends() == ["A", "D"]
    (folder / "edges.jsonl").write_text(json.dumps(FRIENDS) + "\n")
    assert run([folder], path, encoder).line == "0 new, 0 changed, 1 removed, 4 unchanged, 0 failed"
    with open_library(path, None) as library:
        assert library.store.neighbours(["A"]) == [[Edge("A", "D", "friend of")]]


def test_a_line_is_an_edge_or_a_relation_of_many(tmp_path: Path) -> None:
    folder = write(tmp_path / "g", [{**FRIENDS, "members": ["A", "B"]}])
    assert not virtual(folder)
    [failure] = edges(folder)
    assert isinstance(failure, LoadFailure) and "one or the other" in failure.reason

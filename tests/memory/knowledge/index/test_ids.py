"""Ids that two sources have, and the edges between documents: told apart, and the same whatever came first."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from clew.memory.datatypes import Edge
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.library import open_library
from tests.memory.knowledge.index.test_run import run


def lines(path: Path, *rows: Mapping[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def graph(folder: Path, nodes: Sequence[str], *edges: tuple[str, str]) -> Path:
    rows = [{"id": node, "title": node, "text": f"The node {node} of {folder.name}."} for node in nodes]
    lines(folder / "nodes.jsonl", *rows)
    lines(folder / "edges.jsonl", *({"source": source, "target": target} for source, target in edges))
    return folder


def texts(library: Path, encoder: CachedEncoder, *ids: str) -> list[str]:
    with open_library(library, encoder) as opened:
        return [document.text for document in opened.store.documents(ids)]


def neighbours(library: Path, encoder: CachedEncoder, id_: str) -> list[Edge]:
    with open_library(library, encoder) as opened:
        [found] = opened.store.neighbours([id_])
        return found


def test_the_same_ids_in_two_corpora_are_told_apart(tmp_path: Path, encoder: CachedEncoder) -> None:
    for name in ("one", "two"):
        lines(tmp_path / name / "all.jsonl", *({"_id": str(n), "text": f"This is {n} of {name}."} for n in range(7)))
    report = run([tmp_path / "one", tmp_path / "two"], tmp_path / "library", encoder)
    assert (report.new, report.failed) == (14, ())
    assert texts(tmp_path / "library", encoder, "6", "two/6") == ["This is 6 of one.", "This is 6 of two."]
    lines(tmp_path / "two" / "all.jsonl", *({"_id": str(n), "text": f"This is {n} of two."} for n in range(6)))
    report = run([tmp_path / "two"], tmp_path / "library", encoder)
    assert report.line == "0 new, 0 changed, 1 removed, 6 unchanged, 0 failed"


def test_what_can_no_longer_be_read_keeps_its_ids(tmp_path: Path, encoder: CachedEncoder) -> None:
    library = tmp_path / "library"
    lines(tmp_path / "docs" / "b.jsonl", {"_id": "7", "text": "The old one."})
    run([tmp_path / "docs"], library, encoder)
    lines(tmp_path / "docs" / "a.jsonl", {"_id": "7", "text": "The new one."})
    (tmp_path / "docs" / "b.jsonl").write_text("{broken\n")
    report = run([tmp_path / "docs"], library, encoder)
    assert report.line == "1 new, 0 changed, 0 removed, 1 unchanged, 1 failed"
    assert texts(library, encoder, "7", "docs/7") == ["The old one.", "The new one."]


def test_what_moved_to_another_file_that_was_there_keeps_its_id(tmp_path: Path, encoder: CachedEncoder) -> None:
    docs, library = tmp_path / "docs", tmp_path / "library"
    first, second = {"_id": "1", "text": "The first."}, {"_id": "2", "text": "The second."}
    lines(docs / "a.jsonl", first)
    lines(docs / "b.jsonl", second, {"_id": "3", "text": "The third."})
    run([docs], library, encoder)
    lines(docs / "a.jsonl", first, second)
    (docs / "b.jsonl").write_text("{broken\n")
    report = run([docs], library, encoder)
    assert report.line == "1 new, 0 changed, 1 removed, 2 unchanged, 1 failed"
    assert texts(library, encoder, "1", "2", "3") == ["The first.", "The second.", "The third."]


def test_edges_of_nodes_that_were_told_apart_go_with_them(tmp_path: Path, encoder: CachedEncoder) -> None:
    library = tmp_path / "library"
    p, q = graph(tmp_path / "p", ["x", "y"], ("x", "y")), graph(tmp_path / "q", ["x", "z"], ("x", "z"))
    run([p, q], library, encoder)
    assert neighbours(library, encoder, "x") == [Edge("x", "y")]
    assert neighbours(library, encoder, "q/x") == [Edge("q/x", "z")]


def test_an_edge_waits_for_its_node(tmp_path: Path, encoder: CachedEncoder) -> None:
    """p has an edge to a node of q: one after the other is the same library as both at once."""
    p, q = graph(tmp_path / "p", ["x"], ("x", "z"), ("x", "nowhere")), graph(tmp_path / "q", ["z"], ("z", "z"))
    grown, fresh = tmp_path / "grown", tmp_path / "fresh"
    assert "2 edges left out: they name nodes that are not in the library" in run([p], grown, encoder).notes
    assert neighbours(grown, encoder, "x") == neighbours(grown, encoder, "nowhere") == []
    assert "1 edges left out: they name nodes that are not in the library" in run([q], grown, encoder).notes
    run([p, q], fresh, encoder)
    with open_library(grown, encoder) as one, open_library(fresh, encoder) as other:
        assert one.manifest.fingerprint == other.manifest.fingerprint
        assert one.manifest.edges == other.manifest.edges == 3
    assert neighbours(grown, encoder, "x") == [Edge("x", "z")] == neighbours(fresh, encoder, "x")

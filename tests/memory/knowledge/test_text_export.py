"""The texts of a library as files: character for character what quotations count in."""

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput
from clew.memory.json_lines import append_object
from clew.memory.knowledge.library import INDEX, LONGEST_NAME, export_graph, export_text, open_library, safe_name
from tests.memory.knowledge.index.test_run import run

LINES = "The Moon.\r\n\r\nIt is  grey.\u2028And far.\x0cAnd old.\tSo.\n"
ROWS = ("../../etc/passwd", "a/b", "A/B", "a b", "nul", "\u202eevil", "x" * 300)


@pytest.fixture
def library(tmp_path: Path, encoder: CachedEncoder) -> Path:
    documents = tmp_path / "documents"
    documents.mkdir()
    rows = [{"_id": id_, "title": f"Title {n}", "text": f"{LINES} {n}"} for n, id_ in enumerate(ROWS)]
    (documents / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (documents / "queries.jsonl").write_text('{"_id": "q", "text": "What is grey?"}\n', "utf-8")
    run([documents], tmp_path / "library", encoder)
    return tmp_path / "library"


def test_each_text_is_as_it_is_stored(library: Path, tmp_path: Path) -> None:
    out = tmp_path / "out" / "texts"
    with open_library(library, None) as opened:
        for _ in range(2):  # a second time over the first
            assert export_text(opened.store, out) == len(ROWS)
        documents = {one.id: one for one in opened.store.documents(ROWS)}
    rows = [json.loads(line) for line in (out / INDEX).read_text("utf-8").splitlines()]
    assert {row["document"] for row in rows} == set(ROWS)
    for row in rows:
        own = documents[row["document"]]
        assert (out / row["file"]).read_bytes().decode() == own.text
        assert (row["source"], row["title"]) == (own.source, own.title)
    assert {path.name for path in out.iterdir()} == {INDEX, *(row["file"] for row in rows)}


def test_nothing_is_written_through_a_link_of_the_folder(library: Path, tmp_path: Path) -> None:
    out, diary = tmp_path / "out", tmp_path / "diary"
    diary.write_text("precious")
    with open_library(library, None) as opened:
        export_text(opened.store, out)
        names = [path.name for path in out.iterdir()]
        for name in names:
            (out / name).unlink()
            (out / name).symlink_to(diary)
        export_text(opened.store, out)
    assert diary.read_text() == "precious" and not [name for name in names if (out / name).is_symlink()]
    (out / "steps.jsonl").symlink_to(diary)
    with pytest.raises(BadInput, match="cannot be written"):
        append_object(out / "steps.jsonl", {"a": 1})


def test_a_folder_of_something_else_is_left_alone(library: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with open_library(library, None) as opened, pytest.raises(BadInput, match="other files"):
        export_text(opened.store, tmp_path)


@given(st.lists(st.text(max_size=200), max_size=5))
@example(["-", "-.txt", "-a-"])
def test_names_are_safe_and_apart(ids: list[str]) -> None:
    taken: set[str] = set()
    for id_ in ids:
        name = safe_name(id_, taken)
        assert name.casefold() not in taken and not name.startswith((".", "-"))
        assert name == Path(name).name and len(name.encode()) <= LONGEST_NAME + 20
        taken.add(name.casefold())


def edges_of(library: Path) -> set[tuple[str, str, str]]:
    with open_library(library, None) as opened:
        ids = [one.id for one in opened.store.catalogue.documents]
        return {(edge.source, edge.target, edge.relation) for around in opened.store.neighbours(ids) for edge in around}


def documents_of(library: Path) -> list[tuple[str, ...]]:
    with open_library(library, None) as opened:
        ids = [one.id for one in opened.store.catalogue.documents]
        found = opened.store.documents(ids)
    return [(one.id, one.title, one.text, one.date, one.status, one.author, one.tags) for one in found]


def test_an_exported_graph_is_read_back_as_it_was(tmp_path: Path, encoder: CachedEncoder) -> None:
    folder = tmp_path / "graph"
    folder.mkdir()
    nodes = [
        {
            "id": "m/1",
            "title": "Moon",
            "text": LINES,
            "date": "1969-07-20",
            "authors": ["Ann", {"name": "Ben"}],
            "tags": "night, sky",
        },
        {"id": "e", "title": "Earth “x”", "text": "The Earth.", "status": "draft"},
        {"id": "s", "title": "Sun", "text": "It shines."},
    ]
    edges = [
        {"source": "m/1", "target": "e", "relation": "orbits"},
        {"source": "e", "target": "s", "relation": "orbits"},
        {"source": "e", "target": "e", "relation": "turns"},
        {"members": ["m/1", "e", "s"], "relation": "eclipse"},
        {"source": "s", "target": "gone", "relation": "lit"},
    ]
    for name, rows in (("nodes", nodes), ("edges", edges)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    first, again = tmp_path / "first", tmp_path / "again"
    run([folder], first, encoder)
    with open_library(first, None) as opened:
        written = [export_graph(opened.store, tmp_path / "out") for _ in range(2)]  # a second time over the first
    assert written == [(4, 6), (4, 6)]
    run([tmp_path / "out"], again, encoder)
    assert documents_of(again) == documents_of(first) and len(documents_of(first)) == 4
    assert sorted(documents_of(first))[-1][-2:] == ("", "") and documents_of(first)[0][-2:] == (
        "Ann, Ben",
        "night, sky",
    )
    assert edges_of(again) == {edge for edge in edges_of(first) if edge[1] != "gone"}
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.txt").write_text("x")
    with open_library(first, None) as opened, pytest.raises(BadInput, match="holds other files"):
        export_graph(opened.store, tmp_path / "other")

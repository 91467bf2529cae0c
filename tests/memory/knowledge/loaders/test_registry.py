"""Which files below the given paths are read, and by which loader."""

import os
from pathlib import Path

import pytest

from clew.memory.datatypes import Document
from clew.memory.errors import BadInput
from clew.memory.knowledge.disk import POINTER
from clew.memory.knowledge.loaders.registry import discover, read
from clew.memory.knowledge.loaders.source import LoadFailure


def make(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"id": "a", "text": "Some words."}\n', "utf-8")


def found(*paths: Path) -> list[tuple[str, str]]:
    return [(source.name, source.loader.name) for source in discover(paths).sources]


FOUND = {
    "kinds by the end of the name, ids by the path": (
        "b/x.md a.TXT b/y.htm z.pdf c.jsonl b/d.jsonl.gz b/e.rst",
        "a.TXT=text b/d.jsonl.gz=jsonl b/e.rst=office b/x.md=markdown b/y.htm=html c.jsonl=jsonl z.pdf=pdf",
    ),
    "what is text whatever it is called": (
        "README LICENSE.old x/poem.draft y.svg",
        "LICENSE.old=text README=text x/poem.draft=text",
    ),
    "no hidden files, caches and libraries": (
        f".git/a.txt .b.txt __pycache__/c.txt library/{POINTER} library/d.txt e.txt",
        "e.txt=text",
    ),
    "of a BEIR folder the corpus": (
        "s/corpus.jsonl s/queries.jsonl s/qrels/test.tsv s/README.md",
        "s/corpus.jsonl=beir",
    ),
    "of a zipped one": ("corpus.jsonl.gz qrels.tsv", "corpus.jsonl.gz=beir"),
    "a corpus without queries": ("corpus.jsonl book.txt", "book.txt=text corpus.jsonl=jsonl"),
    "a folder named like a file": ("x.txt/a.md", "x.txt/a.md=markdown"),
}


@pytest.mark.parametrize("what", FOUND)
def test_what_is_found_in_a_folder(tmp_path: Path, what: str) -> None:
    names, wanted = FOUND[what]
    make(tmp_path, *names.split())
    assert found(tmp_path) == [tuple(one.split("=")) for one in wanted.split()]


def test_a_file_given_itself_goes_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "b/x.md", "b/notes")
    monkeypatch.chdir(tmp_path)
    assert found(Path("b/x.md"), Path("b/notes")) == [("x.md", "markdown"), ("notes", "text")]
    assert discover([Path("b")]).sources[-1].path == tmp_path / "b" / "x.md"


def test_other_files_are_named_with_the_reason(tmp_path: Path) -> None:
    make(tmp_path, "a.mp3", "b/c.MP3", "e.txt")
    (tmp_path / "core").write_bytes(b"\0core")
    (tmp_path / "x.dat").write_bytes(b"caf\xe9 noir")
    found = discover([tmp_path])
    assert [source.name for source in found.sources] == ["e.txt"]
    assert found.notes == []
    assert [(one.source, one.reason) for one in found.unread] == [
        (str(tmp_path / "a.mp3"), ".mp3 files are not read"),
        (str(tmp_path / "b/c.MP3"), ".mp3 files are not read"),
        (str(tmp_path / "core"), "a file without an ending is not read"),
        (str(tmp_path / "x.dat"), ".dat files are not read"),
    ]


def test_of_a_graph_folder_nodes_and_edges_are_read(tmp_path: Path) -> None:
    make(tmp_path, "nodes.jsonl", "edges.jsonl.gz", "queries.jsonl", "qrels.tsv")
    found = discover([tmp_path])
    [source] = found.sources
    assert (source.loader.name, source.path.name, found.notes) == ("graph", "nodes.jsonl", [])
    assert [path.name for path in source.loader.files(source.path)] == ["nodes.jsonl", "edges.jsonl.gz"]


def test_links_that_lead_back_end_the_walk(tmp_path: Path) -> None:
    make(tmp_path, "a/b.txt")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "again.txt").symlink_to(tmp_path / "a" / "b.txt")
    (tmp_path / "self.txt").symlink_to(tmp_path / "self.txt")
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nowhere.txt")
    sources = discover([tmp_path, tmp_path / "a"], follow=True).sources
    assert [source.name for source in sources] == ["a/b.txt", "gone.txt", "self.txt"]
    assert list(read(sources[1])) == [LoadFailure(str(tmp_path / "gone.txt"), "it is not there")]
    assert [item.reason for item in read(sources[2]) if isinstance(item, LoadFailure)] == [
        "too many levels of symbolic links"
    ]


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"cannot open .*/nowhere: it is not there") as raised:
        discover([tmp_path, tmp_path / "nowhere"])
    assert raised.value.exit_code == 2


@pytest.mark.parametrize(
    "content, triples",
    [
        ('[["a", "b", "c"], 3]', (("a", "b", "c"),)),
        (' [\n["a \\"]", 2, -3.5]]', (('a "]', "2", "-3.5"),)),
        ('[["a", "b"]]', ()),
        ("[[1, 2, 3]]", ()),
        ('[{"a": "b"}]', ()),
    ],
)
def test_a_list_of_triples_is_known_by_its_first(tmp_path: Path, content: str, triples: object) -> None:
    (tmp_path / "some.JSON").write_text(content, "utf-8")
    [source] = discover([tmp_path]).sources
    document, *_ = read(source)
    assert isinstance(document, Document) and document.triples == triples


def test_what_is_neither_file_nor_folder_is_refused_and_in_a_folder_skipped(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(BadInput, match="neither a file nor a folder"):
        discover([tmp_path / "pipe.txt"])
    found = discover([tmp_path])
    assert (found.sources, found.notes, found.unopened) == ([], [], [])
    assert [one.reason for one in found.unread] == ["it is no file"]


def test_links_below_the_paths_given_are_named_and_not_followed(tmp_path: Path) -> None:
    notes, outside = tmp_path / "notes", tmp_path / "outside"
    make(tmp_path, "notes/a.txt", "notes/sub/b.txt", "outside/passwd", "outside/deep/c.txt", "data/nodes.jsonl")
    (notes / "passwd.txt").symlink_to(outside / "passwd")
    (notes / "etc").symlink_to(outside)
    (notes / "sub" / "twin.txt").symlink_to(notes / "a.txt")
    (notes / "graph").mkdir()
    (notes / "graph" / "nodes.jsonl").symlink_to(tmp_path / "data" / "nodes.jsonl")
    (notes / "graph" / "edges.jsonl").write_text("")
    (tmp_path / "named").symlink_to(notes)
    (tmp_path / "named.txt").symlink_to(outside / "passwd")
    for given in (notes, tmp_path / "named"):
        left = discover([given])
        assert [source.name for source in left.sources] == ["a.txt", "sub/b.txt"]
        named = [given / name for name in ("etc", "graph/nodes.jsonl", "passwd.txt", "sub/twin.txt")]
        assert left.notes == [f"4 links not followed (--follow-links does): {', '.join(map(str, named))}"]
    assert [source.name for source in discover([tmp_path / "named.txt"]).sources] == ["named.txt"]
    followed = discover([notes], follow=True)
    assert [source.name for source in followed.sources] == [
        *("a.txt", "etc/deep/c.txt", "etc/passwd", "graph/nodes.jsonl", "sub/b.txt")
    ]
    assert not followed.notes[1:]

"""A file that crashes, hangs or fills its reader fails alone, and the ones around it are read."""

import bz2
import gzip
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from clew.memory.datatypes import Document
from clew.memory.knowledge.loaders import sandbox
from clew.memory.knowledge.loaders.registry import discover, read
from clew.memory.knowledge.loaders.sandbox import read_apart
from clew.memory.knowledge.loaders.source import Item, LoadFailure
from tests.memory.knowledge.loaders.dump import dump

HEAD = b'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/"><page><title>'


def read_all(folder: Path) -> list[Item]:
    return [item for source in discover([folder]).sources for item in read_apart(source)]


def test_what_comes_is_what_the_loaders_give(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Words.\n\nMore.", "utf-8")
    (tmp_path / "b.html").write_text("<h1>Head</h1><p>é\u2028x", "utf-8")
    lines = '{"text": "one", "triples": [["a", "b", "c"], 3]}\n{}\n{"text": "two"}\n'
    (tmp_path / "c.jsonl").write_text(lines, "utf-8")
    (tmp_path / "d.xml").write_text(dump(), "utf-8")
    (tmp_path / "e.pdf").write_bytes(b"%PDF-1.4 broken")
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt"))).write_text("Name.", "utf-8")
    for source in discover([tmp_path]).sources:
        assert list(read_apart(source)) == list(read(source))


def test_a_source_may_be_left_half_read(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(dump(), "utf-8")
    (tmp_path / "b.txt").write_text("Words.", "utf-8")
    first, second = discover([tmp_path]).sources
    for read_first in (0, 1, 10**6):
        items = read_apart(first)
        for _, _item in zip(range(read_first), items, strict=False):
            pass
        assert [item.text for item in read_apart(second) if isinstance(item, Document)] == ["Words."]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "SECONDS", 0.5)
    monkeypatch.setattr(sandbox, "OUTPUT", 1 << 20)


BOMBS = {  # packed in parts that are repeated: to pack the whole takes seconds
    "b-many.jsonl.gz": gzip.compress(b'{"text": "' + b"a " * 500_000 + b'"}\n') * 300,
    "c-line.jsonl.gz": gzip.compress(b"[" * (1 << 20)) * 128,
    "d-page.xml.bz2": bz2.compress(HEAD) + bz2.compress(b"a" * (1 << 20)) * 128,
    "e-page.xml.gz": gzip.compress(HEAD) + gzip.compress(b"a" * (1 << 20)) * 256,
    "f-deep.json": b'[["a", "b", "c"], ' + b"[" * 10**6,
}


@pytest.mark.usefixtures("small")
def test_bombs_fail_alone(tmp_path: Path) -> None:
    for name, data in BOMBS.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "a.txt").write_text("Before.", "utf-8")
    (tmp_path / "z.txt").write_text("Behind.", "utf-8")
    found = read_all(tmp_path)
    assert {"Before.", "Behind."} <= {item.text for item in found if isinstance(item, Document)}
    failed = {Path(item.source).name.partition(":")[0] for item in found if isinstance(item, LoadFailure)}
    assert failed == set(BOMBS)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("while True: pass", "reading it takes more than 1 s"),
        ("held = []\nwhile True: held.append(bytes(1 << 20))", "it needs more memory than a file may take"),
        ("import os; os.kill(os.getpid(), 11)", "reading it crashed (signal 11)"),
        ("import os; os._exit(3)", "reading it crashed"),
        ("raise SystemExit", "reading it crashed"),
    ],
)
def test_what_a_library_does_to_the_process_is_the_files_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, reason: str
) -> None:
    """`markdown_it` of the process is one that does this. What fills memory does not write to it: where pages come
    slowly that would take more than the second that is given here."""
    fake = tmp_path / "path" / "markdown_it"
    fake.mkdir(parents=True)
    (fake / "__init__.py").write_text(f"def MarkdownIt(*_):\n{textwrap.indent(body, '    ')}\n", "utf-8")
    monkeypatch.setattr(sys, "path", [str(fake.parent), *sys.path])
    monkeypatch.setattr(sandbox, "_idle", [])
    documents = tmp_path / "documents"
    documents.mkdir()
    for name in ("a.md", "b.txt"):
        (documents / name).write_text("Words.", "utf-8")
    found = read_all(documents)
    for process in sandbox._idle:
        process.kill()
    assert [Path(item.source).name for item in found if isinstance(item, Document)] == ["b.txt"]
    failures = [item for item in found if isinstance(item, LoadFailure)]
    assert failures == [LoadFailure(str(documents / "a.md"), reason)]


def test_it_works_without_a_main_module_to_import(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Words.", "utf-8")
    (tmp_path / "json.py").write_text("raise SystemError", "utf-8")
    code = f"""
from pathlib import Path
from clew.memory.knowledge.loaders.sandbox import read_apart
from clew.memory.knowledge.loaders.registry import discover
print([item.text for source in discover([Path({str(tmp_path)!r})]).sources for item in read_apart(source)
       if source.name == "a.txt"])
"""
    made = subprocess.run([sys.executable, "-P", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (made.stdout, made.stderr) == ("['Words.']\n", "")


def test_the_process_is_used_again(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Words.", "utf-8")
    read_all(tmp_path)
    kept = list(sandbox._idle)
    assert len(read_all(tmp_path)) == 1
    assert sandbox._idle == kept


def test_a_long_table_takes_no_more_time_for_each_row(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("name,n\n" + "".join(f"a,{row}\n" for row in range(30_000)), "utf-8")
    [found] = read_apart(discover([tmp_path / "x.csv"]).sources[0])
    assert isinstance(found, Document) and len(found.tables[0].rows) == 30_000

"""Broken files, for each loader of the registry: none raises, hangs, or keeps the one beside it unread.

`make torture PART=fuzz` makes 10,000 of each.
"""

import bz2
import gzip
import random
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.memory.datatypes import Document
from clew.memory.knowledge.loaders.registry import LOADERS
from clew.memory.knowledge.loaders.sandbox import read_apart
from clew.memory.knowledge.loaders.source import Loader, LoadFailure, Source
from tests.memory.knowledge.loaders.dump import dump
from tests.memory.knowledge.loaders.packages import box, excel, open_document, paragraph, rows, slides, word, zipped
from tests.memory.knowledge.loaders.test_html import PAGE
from tests.memory.knowledge.loaders.test_ocr import picture
from tests.memory.knowledge.loaders.test_office import MERGED, OPEN_TABLE, REST
from tests.memory.knowledge.loaders.test_pdf import as_bytes, written

LINES = b'{"_id": "1", "title": "a", "text": "One.", "triples": [["a", "b", "c"]], "date": "2024"}\n{"text": "Two."}\n'
FRONT = b"---\ntitle: 'x'\ndate: 2024-01-02\n---\n"
MARKDOWN = FRONT + b"# Head\n\n- a\n- b <b style='color:red'>c</b>\n\n|a|b|\n|-|-|\n|1|2|\n"
DUMP = dump().encode()
EDGES = b'{"source": "1", "target": "2"}\n{"members": ["1", {"id": "2", "role": "r"}], "relation": "of"}\n'
MAIL = (
    b"From: Ann <a@x.org>\nSubject: =?utf-8?q?M=C3=B6ller?=\nDate: Thu, 12 Jun 2025 19:42:11 +0100\nMIME-Version: 1.0\n"
    b'Content-Type: multipart/mixed; boundary="="\n\n--=\nContent-Type: text/html; charset=utf-8\n\n<p>One</p>\n--=\n'
    b'Content-Type: text/csv\nContent-Disposition: attachment; filename="a.csv"\n\na,b\n1,2\n--=--\n'
)
SEEDS: dict[str, dict[str, bytes]] = {
    "office": {
        "x.docx": word(paragraph("One") + MERGED),
        "x.odt": open_document(f"<text:p>One</text:p>{OPEN_TABLE}"),
        "x.rtf": rb"{\rtf1\ansi One \b two\b0 .\par Three.}",
        "x.rst": REST.encode(),
        "x.tex": rb"\section{One} Two \emph{three} $x^2$",
        "y.xml": b"<a><b c='d'>One</b></a>",
    },
    "picture": {"x.png": picture("png"), "x.gif": picture("gif")},
    "sheets": {"x.xlsx": excel(rows({"A": "a", "B": 2}) + '<mergeCells><mergeCell ref="A1:A3"/></mergeCells>')},
    "slides": {"x.pptx": slides(box("One", kind="title") + box("Two", place=(1, 2)), notes=box("Three"))},
    "mail": {"x.eml": MAIL},
    "mailbox": {
        "x.mbox": b"From a Thu Jun 12 19:42:11 2025\n" + MAIL + b"\n\nFrom a Thu Jun 12 19:42:11 2025\n" + MAIL
    },
    "json": {
        "x.json": b'{"a": [{"b": 1}, {"c": null}], "d": {"e": "f"}}',
        "triples.json": b'[["a", "b", "c"], ["d", 2, -3.5e1]]',
        "y.json": b'{"messages": [{"date": "2024-01-02", "from": "A", "text": "b"}]}',
    },
    "code": {"x.py": b"def one():\n    return 2\n"},
    "notebook": {
        "x.ipynb": b'{"cells": [{"cell_type": "markdown", "source": ["# One"]},'
        b'{"cell_type": "code", "source": "1", "outputs": [{"text": "1"}]}]}'
    },
    "archive": {"x.zip": zipped({"a/b.txt": "One.", "c.md": "# Two"})},
    "text": {
        "x.txt": "Moon\n\nThe Moon orbits – the Earth.\u2028More.".encode(),
        "y.txt": b"[12/03/24, 18:02:11] Ann: who?\n[12/03/24, 18:03:40] Bea: me\nand you\n",
    },
    "markdown": {"x.md": MARKDOWN},
    "html": {"x.html": PAGE.encode(), "y.html": b"<meta charset=latin-1><p style='color:#fff'>caf\xe9<table><tr><td>1"},
    "pdf": {"x.pdf": as_bytes(written(["One line", "and more-", "over"], ["Two"], title="Title"))},
    "graph": {"nodes.jsonl": LINES.replace(b"_id", b"id")},
    "beir": {"corpus.jsonl": LINES, "corpus.jsonl.gz": gzip.compress(LINES)},
    "jsonl": {"x.jsonl": LINES, "x.jsonl.gz": gzip.compress(LINES)},
    "table": {"x.csv": b'Jar,Price\n"250 g, small",4.50\n500 g;7,80\n', "y.tsv": b"a\tb\n1\t\xc3\xa9\n"},
    "mediawiki": {"x.xml": DUMP, "x.xml.gz": gzip.compress(DUMP), "x.xml.bz2": bz2.compress(DUMP)},
}
"""By the loaders' names: files that each of them reads. A new loader needs some too."""

PIECES = [
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"<" * 50, b"[" * 500, b"{" * 50, b"<!--", b"]]>", b"&#x110000;", b"9" * 400,
    b"-", b" " * 3000, b"\n" * 500, b'"', b"\\ud800", b"<table><tr><td>" * 40, b"<div>" * 300, b"{{", b"{|", b"<ref>",
    b"endobj", b"stream\n", b"/Kids [1 0 R]", b"<?xml?>", b'<!DOCTYPE a [<!ENTITY b "cc">]>', b"&b;", b"```\n",
    b"> " * 200, b"\xe2\x80\xae", b"null", b"1e999", b"style='", b"#" * 90,
]  # fmt: skip
SECONDS, MEMORY = 10.0, 500 << 20
STOPPED = re.compile(r"reading it|stopped at|memory than|nothing came|more text in it")
"""Reasons of a failure that no small file should have: a limit, a crash, an exception its loader knows nothing of."""


def mutated(seed: bytes, chance: random.Random) -> bytes:
    """Some of its bytes changed, cut out, said again or between other ones."""
    data = bytearray(seed)
    for _ in range(chance.choice((1, 1, 2, 3, 8, 30))):
        at = chance.randrange(len(data) + 1)
        to = min(len(data), at + chance.choice((1, 2, 8, 64, 512)))
        match chance.randrange(6):
            case 0 if at < len(data):
                data[at] = chance.randrange(256)
            case 1:
                del data[at:to]
            case 2:
                data[at:at] = data[at:to] * chance.choice((1, 2, 50))
            case 3 | 4:
                data[at:at] = chance.choice(PIECES)
            case _:
                del data[at + 1 :]
    return bytes(data[: 1 << 20])


def inputs(loader: Loader, folder: Path, count: int, seed: int) -> Iterator[Source]:
    """Sources of mutated files, one a folder."""
    chance = random.Random(f"{seed} {loader.name}")
    for number in range(count):
        name, data = chance.choice(sorted(SEEDS[loader.name].items()))
        path = folder / str(number % 500) / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(mutated(data, chance))
        if loader.name == "graph":
            path.with_name("edges.jsonl").write_bytes(mutated(EDGES, chance))
        yield Source(path, loader, folder)


def fuzzed(loader: Loader, folder: Path, count: int, seed: int) -> Iterator[str]:
    """For each input what went wrong, in words; empty where nothing did."""
    (folder / "good.txt").write_text("A good document.", "utf-8")
    for source in inputs(loader, folder, count, seed):
        started = time.perf_counter()
        try:
            items = list(read_apart(source))
            good = list(read_apart(Source(folder / "good.txt", LOADERS[0], folder)))
        except Exception as error:  # noqa: BLE001
            yield f"{error!r}"
            continue
        taken, most = time.perf_counter() - started, peak()
        stopped = [one.reason for one in items if isinstance(one, LoadFailure) and STOPPED.search(one.reason)]
        if not any(isinstance(one, Document) and one.text == "A good document." for one in good):
            stopped.append(f"the good document beside it: {good}")
        if taken > SECONDS:
            stopped.append(f"{taken:.0f} s")
        if most > MEMORY:
            stopped.append(f"{most >> 20} MiB")
        yield "; ".join(stopped)


def peak() -> int:
    """Bytes of memory that a process that this thread has started, and that still runs, has held at most."""
    status = [
        Path(f"/proc/{pid}/status").read_text("ascii")
        for pid in Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text("ascii").split()
    ]
    return max((int(held[1]) << 10 for one in status if (held := re.search(r"VmHWM:\s+(\d+)", one))), default=0)


def test_each_loader_has_seeds_and_reads_them(tmp_path: Path) -> None:
    assert {loader.name for loader in LOADERS} == set(SEEDS), "a new loader: give SEEDS files that it reads"
    for loader in LOADERS:
        for name, data in SEEDS[loader.name].items():
            (tmp_path / name).write_bytes(data)
            (tmp_path / "edges.jsonl").write_bytes(EDGES)
            items = list(read_apart(Source(tmp_path / name, loader, tmp_path)))
            assert any(isinstance(item, Document) for item in items), (loader.name, items)


@pytest.mark.parametrize("loader", LOADERS, ids=lambda loader: loader.name)
def test_broken_files_are_their_own_failures(tmp_path: Path, loader: Loader) -> None:
    assert [wrong for wrong in fuzzed(loader, tmp_path, 8, seed=18) if wrong] == []

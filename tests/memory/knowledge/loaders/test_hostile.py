"""Files that were made to stop a run: each is its own failure, in time that grows with its size and no faster."""

import gzip
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clew.memory.datatypes import Document, Edge
from clew.memory.knowledge.loaders import html, jsonl, pdf
from clew.memory.knowledge.loaders.registry import BY_NAME, discover, read
from clew.memory.knowledge.loaders.source import LoadFailure, Source
from clew.memory.text import word_lists
from clew.ui.plain import plain
from tests.memory.knowledge.loaders.dump import dump

SECONDS = 2.0
"""Of this process, for a few hundred kB that take minutes where the time is quadratic, and for ever where it is
exponential."""

N = 50_000
COMMENTS = b"<!---->" * 60 + b"<other>"


def refused(path: Path) -> list[str]:
    [source] = discover([path]).sources
    return [item.reason for item in read(source) if isinstance(item, LoadFailure)]


@pytest.mark.parametrize("charset", [b"a\0b", b"punycode", b"idna", b"unicode_escape", b"zip", b"undefined", b"\xff"])
def test_a_page_may_declare_anything(tmp_path: Path, charset: bytes) -> None:
    path = tmp_path / "x.html"
    path.write_bytes(b'<meta charset="' + charset + b'"><p>caf\xe9' + b"\xe9a" * N)
    started = time.process_time()
    assert len(refused(path)) == (b"\0" in charset)  # else it is read as its bytes look
    assert time.process_time() - started < SECONDS


def test_whatever_a_loader_raises_is_that_files_failure(tmp_path: Path) -> None:
    def broken(_: Source) -> Iterator[Any]:
        yield Document("a", "a", "a")
        raise ZeroDivisionError("of\nits own")

    (tmp_path / "a.txt").write_text("Text.", "utf-8")
    [source] = discover([tmp_path]).sources
    why = LoadFailure(str(tmp_path / "a.txt"), "the text loader stopped at ZeroDivisionError: of its own")
    broken_source = replace(source, loader=replace(BY_NAME["text"], read=broken))
    assert list(read(broken_source)) == [Document("a", "a", "a"), why]


@pytest.mark.parametrize(
    "text",
    ["\x9d" * N, "\x90" * N, "\x1b]" * N, "\x1bP" * N, "\x1b[" + "0" * N, "\x9b0" * N, "\x1b]\x9d" * N, "\x1b " * N],
)
def test_text_that_is_shown_takes_linear_time(text: str) -> None:
    started = time.process_time()
    assert len(plain(text)) <= len(text)
    assert time.process_time() - started < SECONDS


def _table(depth: int, cell: str) -> str:
    return f"<table><tr><{cell}>" * depth + "deep"


WIKI = dump().replace("only", "{}")
HOSTILE = {
    "comments.xml": COMMENTS,
    "comments-and-blanks.xml": b"<!-- -->\n \n" * 40 + b"<x>",
    "unclosed.xml": b"<!--" * (N // 2),
    "blanks.xml": b"<?x?>" + b" " * N,
    "ambiguous.xml": WIKI.replace("{}", "{{" + " " * N + "{{" + "a " * N).encode(),
    "headings.xml": WIKI.replace("{}", "\n== " + "== " * N + "x\n" + "==a\n" * N).encode(),
    "links.xml": WIKI.replace("{}", "[[" * N + "<ref " * N + "<!--" * N).encode(),
    "templates.xml": WIKI.replace("{}", "{{" * N + "{|" * N).encode(),
    "blank.md": b"---\ntitle: " + b"a " * N + b"\n---\ntext",
    "front.md": b"---\ntitle: a" + b" " * N + b"b\n---\ntext",
    "open.md": b"---\ntitle: a\n" + b"--- x\n" * (N // 10),
    "tables.html": _table(600, "td").encode(),
    "heads.html": _table(600, "th").encode(),
    "rows.html": ("<table>" + "<tr><td>a<table><tr><td>b</table>" * (N // 20)).encode(),
    "menus.html": b"<nav></nav>x" * N,
    "headers.html": b"<div>" + b"<header>" * 800 + b"<b>x</b>" * N,
    "headings.html": b"<h1><div>" * 500 + b"x" * N,
    "rules.html": b"<style>" + b".a{opacity:0}" * (N // 20) + b"</style>" + b"<i class=a>x</i>" * (N // 20) + b"<p>y",
    "comments.html": b"<style>" + b"/*" * N + b"</style>x",
    "brackets.html": b"<style>" + b"[a" * (N // 2) + b"{color:red}</style>x",
    "nested.html": b"<style>" + b"a,b,c,d,e{" * (N // 10) + b"</style><a>x</a>",
    "variables.html": b"<style>:root{--a:" + b"var(--a)" * (N // 8) + b"}</style><p style='color:var(--a)'>x",
    "media.html": b"<style>" + b"@media " * (N // 3) + b"</style>x",
    "words.txt": b"a" * N * 5,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_takes_linear_time(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(HOSTILE[name])
    started = time.process_time()
    for source in discover([tmp_path]).sources:
        items = list(read(source))
        assert all(len(item.text) <= 2 * len(HOSTILE[name]) for item in items if isinstance(item, Document))
        assert sum(isinstance(item, Edge) for item in items) < 100
    assert time.process_time() - started < SECONDS + (4 if name.endswith(".html") else 0)


def test_words_of_a_pdf_are_mended_in_linear_time() -> None:
    started = time.process_time()
    assert not pdf.BROKEN_WORD.search("a" * N) and time.process_time() - started < SECONDS
    assert pdf.BROKEN_WORD.sub(r"\1\2", "a well-\nknown Word-\nx-\ny B-\nc") == "a wellknown Wordx-\ny B-\nc"


def test_a_line_without_end_is_named_and_the_next_is_read(tmp_path: Path) -> None:
    line = b'{"text": "' + b"a" * (jsonl.LONGEST_LINE + 5) + b'"}\n{"text": "Good."}'
    with gzip.open(tmp_path / "a.jsonl.gz", "wb") as file:
        file.write(line)
    [source] = discover([tmp_path]).sources
    failure, *_, document = read(source)
    assert failure == LoadFailure(f"{tmp_path}/a.jsonl.gz:1", "a line of more than 16 MiB")
    assert isinstance(document, Document) and document.text == "Good."


def test_a_table_of_data_is_one_line_a_row_and_another_lays_out_the_page(tmp_path: Path) -> None:
    def laid_out(cells: str) -> bool:
        (tmp_path / "x.html").write_text(f"<table><tr>{cells}</tr><tr><td>1<td>2</tr></table>", "utf-8")
        [source] = discover([tmp_path]).sources
        [document] = read(source)
        assert isinstance(document, Document)
        return "1 | 2" not in document.text

    assert not laid_out("<td><p>one</p><td>two") and not laid_out("<th><h2>one</h2><td>two")
    assert laid_out("<td><p>one</p><br><p>two</p><td>x") and laid_out("<td><b><p>one</p><p>two</p></b><td>x")
    assert all(laid_out(f"<td><div><{tag}>x</{tag}></div>") for tag in word_lists(HTML_LISTS)["not_in_a_row"])


HTML_LISTS = Path(html.__file__).with_name("html.txt")

import os
from pathlib import Path

import pytest

from clew.memory.datatypes import Document, Mark
from clew.memory.knowledge.loaders.registry import discover, read
from clew.memory.knowledge.loaders.source import LoadFailure, digest


def one(path: Path, data: bytes | str) -> Document | LoadFailure:
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    [source] = discover([path]).sources
    [item] = read(source)
    return item


def text_of(path: Path, data: bytes | str) -> str:
    item = one(path, data)
    assert isinstance(item, Document)
    return item.text


def reason_of(path: Path, data: bytes | str) -> str:
    item = one(path, data)
    assert isinstance(item, LoadFailure)
    assert item.source == str(path)
    return item.reason


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_says_the_encoding(tmp_path: Path, encoding: str) -> None:
    assert text_of(tmp_path / "x.txt", "Ĉu ŝi? 🎉".encode(encoding)) == "Ĉu ŝi? 🎉"


def test_lines_end_in_a_newline_and_letters_are_composed(tmp_path: Path) -> None:
    assert text_of(tmp_path / "x.txt", "A\r\nb\rc cafe\u0301 soft\u00adly") == "A\nb\nc café softly"


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("empty.txt", b"", "empty"),
        ("blank.txt", b" \n\t\r\n", "empty"),
        ("mark.txt", b"\xef\xbb\xbf", "empty"),
        ("binary.txt", b"MZ\0\0\x90", "not a text: it holds NUL bytes"),
        ("latin.txt", "Un café à Paris".encode("latin-1"), "not UTF-8 (byte 6): save it as UTF-8"),
        ("odd.txt", "Words".encode("utf-16")[:-1], "not UTF-16 (byte 10): save it as UTF-8"),
        ("image.png", b"\x89PNG\r\n\x1a\n\0\0", "not a text: it holds NUL bytes"),
        ("blank.md", b"---\ntitle: x\n---\n", "empty"),
        ("binary.md", b"\0", "not a text: it holds NUL bytes"),
    ],
)
def test_what_is_no_text_is_named_with_its_reason(tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    assert reason_of(tmp_path / name, data) == reason


def test_a_file_that_vanishes_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("Words", "utf-8")
    [source] = discover([tmp_path]).sources
    (tmp_path / "x.txt").unlink()
    assert list(read(source)) == [LoadFailure(str(tmp_path / "x.txt"), "it is not there")]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_closed_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("Words", "utf-8")
    (tmp_path / "x.txt").chmod(0)
    [source] = discover([tmp_path]).sources
    assert list(read(source)) == [LoadFailure(str(tmp_path / "x.txt"), "permission denied")]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("The Moon\n\nIt is far.", "The Moon"),
        ("  FUNDAMENTA  KRESTOMATIO\n=====\n\nVerkita", "FUNDAMENTA KRESTOMATIO"),
        ("The Moon is far.\n\nIt is.", "my file 1"),
        ("The Moon is\nfar.\n\nIt is.", "my file 1"),
        ("The Moon", "my file 1"),
        ("===\n\nMore", "my file 1"),
        ("long " * 30 + "\n\nMore", "my file 1"),
    ],
)
def test_the_title_is_a_first_line_that_stands_alone_or_the_name(tmp_path: Path, text: str, title: str) -> None:
    document = one(tmp_path / "my-file_1.txt", text)
    assert isinstance(document, Document)
    assert (document.id, document.title, document.text) == ("my-file_1.txt", title, text)
    assert document.source == str(tmp_path / "my-file_1.txt")


def test_the_digest_is_of_what_was_read_not_of_where(tmp_path: Path) -> None:
    document = Document("a", "b", "c", "here", (Mark(0, "1"),), (Mark(0, "h"),))
    assert digest(document) == digest(Document("a", "b", "c", "there", (Mark(0, "1"),), (Mark(0, "h"),)))
    others = [
        Document("a", "bc", "", "here", (Mark(0, "1"),), (Mark(0, "h"),)),
        Document("a", "b", "c", "here", (Mark(0, "2"),), (Mark(0, "h"),)),
        Document("a", "b", "c", "here", (Mark(0, "1"),)),
    ]
    assert len({digest(document), *map(digest, others)}) == 4

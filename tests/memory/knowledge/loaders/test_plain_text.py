import os
from pathlib import Path

import pytest

from clew.memory.datatypes import Document, Table
from clew.memory.knowledge.document_parts import whole_region
from clew.memory.knowledge.loaders.layout import ROWS
from clew.memory.knowledge.loaders.registry import BY_NAME, discover, loader_of, read
from clew.memory.knowledge.loaders.source import LoadFailure
from tests.memory.knowledge.loaders.reading import document, items, reason


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_byte_order_mark_says_the_encoding(tmp_path: Path, encoding: str) -> None:
    assert document(tmp_path / "x.txt", "Ĉu ŝi? 🎉".encode(encoding)).text == "Ĉu ŝi? 🎉"


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("empty.txt", b"", "empty"),
        ("blank.txt", b" \n\t\r\n", "empty"),
        ("mark.txt", b"\xef\xbb\xbf", "empty"),
        ("binary.txt", b"MZ\0\0\x90", "not a text: it holds NUL bytes"),
        ("odd.txt", "Words".encode("utf-16")[:-1], "not UTF-16 (byte 10): save it as UTF-8"),
        ("noise.txt", bytes(range(1, 256)) * 3, "not UTF-8 (byte 127): save it as UTF-8"),
        ("blank.md", b"---\ntitle: x\n---\n", "empty"),
        ("binary.md", b"\0", "not a text: it holds NUL bytes"),
    ],
)
def test_what_is_no_text_is_named_with_its_reason(tmp_path: Path, name: str, data: bytes, why: str) -> None:
    assert reason(tmp_path / name, data) == why


@pytest.mark.parametrize(
    ("text", "encoding", "as_it_looks"),
    [
        ("Un café à Paris, s’il vous plaît: 5 €", "cp1252", "cp1252"),
        ("Der Schlüssel liegt bei Möller, Tür 3.", "latin-1", "cp1252"),
        ("Die Größe der Tür: drei Meter.", "latin-1", "cp1252"),
        ("Ключ от сарая лежит у соседей, дверь номер три. Позвоните заранее.", "cp1251", "cp1251"),
        ("Το κλειδί της αποθήκης είναι στον γείτονα, πόρτα τρία.", "cp1253", "cp1253"),
        ("物置の鍵は隣の家にあります。三番のドアです。", "shift_jis", "cp932"),
    ],
)
@pytest.mark.parametrize("name", ["x.txt", "x.md"])
def test_other_text_is_read_as_its_bytes_look_and_that_is_said(
    tmp_path: Path, name: str, text: str, encoding: str, as_it_looks: str
) -> None:
    read_, remark = items(tmp_path / name, text.encode(encoding))
    assert isinstance(read_, Document) and read_.text == text
    assert isinstance(remark, LoadFailure) and not remark.count and remark.reason.startswith(f"read as {as_it_looks}")


@pytest.mark.parametrize(("gone", "why"), [(True, "it is not there"), (False, "permission denied")])
def test_a_file_that_vanishes_or_is_closed_is_named(tmp_path: Path, gone: bool, why: str) -> None:
    (tmp_path / "x.txt").write_text("Words", "utf-8")
    [source] = discover([tmp_path]).sources
    if gone:
        source.path.unlink()
    elif os.geteuid() == 0:
        pytest.skip("root may read everything")
    else:
        source.path.chmod(0)
    assert list(read(source)) == [LoadFailure(str(source.path), why)]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("The Moon\n\nIt is far.", "The Moon"),
        ("  FUNDAMENTA  KRESTOMATIO\n=====\n\nVerkita", "FUNDAMENTA KRESTOMATIO"),
        ("The Moon is far.\n\nIt is.", "my file 1"),
        ("updated 5 June 2022\n\nIt is far.", "my file 1"),
        ("The Moon is\nfar.\n\nIt is.", "my file 1"),
        ("The Moon", "my file 1"),
        ("===\n\nMore", "my file 1"),
        ("long " * 30 + "\n\nMore", "my file 1"),
    ],
)
def test_the_title_is_a_first_line_that_stands_alone_or_the_name(tmp_path: Path, text: str, title: str) -> None:
    read_ = document(tmp_path / "my-file_1.txt", text)
    assert (read_.id, read_.title, read_.text) == ("my-file_1.txt", title, text)
    assert read_.source == str(tmp_path / "my-file_1.txt")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("jars_2025.csv", 'Jar,Price\n"250 g, small",4.50\n\n"500 g\nbig",\n'),
        ("jars_2025.csv", 'Jar;Price\n"250 g, small";4.50\n;\n500 g big;\n'),
        ("jars_2025.tsv", "Jar\tPrice\n250 g, small\t4.50\n500 g big\t\n"),
    ],
)
def test_rows_have_cells_that_are_parted_alike(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    table = Table("jars 2025", ("Jar", "Price"), (("250 g, small", "4.50"), ("500 g big", "")), 2)
    text = "Jar | Price\n250 g, small | 4.50\n500 g big"
    assert document(path, content) == Document(name, "jars 2025", text, str(path), tables=(table,))
    assert loader_of(path) is BY_NAME["table"]


@pytest.mark.parametrize(
    ("rows", "heads"),
    [
        ("Island\tLeaves\tPort\nRonsay\t08:15\tA\nEllan\t\tB", ("Island", "Leaves", "Port")),
        ("Island\tMinutes\nRonsay\t40", ("Island", "Minutes")),
        ("Name\tJohn\nTown\tLeeds", None),
        ("\tif a\n\telse b", None),
    ],
)
def test_lines_of_a_text_with_tabs_are_a_table_where_the_first_has_names(
    tmp_path: Path, rows: str, heads: tuple[str, ...] | None
) -> None:
    found = document(tmp_path / "x.txt", f"Ferries go.\n\n{rows}\n\nAll year.\n")
    assert [table.heads for table in found.tables] == ([heads] if heads else [])
    shown = rows.replace("\t", " | ") if heads else rows
    assert found.text.strip() == f"Ferries go.\n\n{shown}\n\nAll year."


def test_lines_above_the_rows_of_a_file_are_text(tmp_path: Path) -> None:
    found = document(tmp_path / "trams.csv", "Trams,,\nof May 2025\n\nLine,Stops,Time\n1,14,32\n")
    table = Table("trams", ("Line", "Stops", "Time"), (("1", "14", "32"),), 4)
    assert (found.text, found.tables) == ("Trams\nof May 2025\n\nLine | Stops | Time\n1 | 14 | 32", (table,))


@pytest.mark.parametrize(
    ("first", "named"),
    [
        ("Shed,4.50,2024-05-01", False),
        ("Shed,,2024-05-01", False),
        ("Room,Rent,Since", True),
        ("Room,2025,Since", True),
        ("Room,900,Since", True),
    ],
)
def test_a_first_row_of_data_names_no_columns(tmp_path: Path, first: str, named: bool) -> None:
    found = document(tmp_path / "x.csv", f"{first}\nLoft,7.25,2024-06-01\nAttic,3,2023-11-15\n")
    assert [one.heads for one in found.tables] == ([tuple(first.split(","))] if named else [])
    assert found.text.startswith(first.replace(",", " | "))


def test_numbers_that_count_up_name_columns(tmp_path: Path) -> None:
    for first, others in (("Ann,1,2,3", "Ben,7,8,2"), ("Ann,2021,2022", "Ben,7,8"), ("Ann,7,2,9", "")):
        found = document(tmp_path / "x.csv", f"{first}\n{others or 'Ben,1,1,4'}\nEve,3,4,4\n")
        assert bool(found.tables) is bool(others)


def test_the_names_of_the_columns_stand_above_every_part_of_a_long_table(tmp_path: Path) -> None:
    rows = "".join(f"row {number},{number}\n" for number in range(2 * ROWS + 1))
    parts = document(tmp_path / "long.csv", f"name,number\n{rows}").text.split("\n\n")
    assert [len(part.splitlines()) for part in parts] == [ROWS + 1, ROWS + 1, 2]
    assert {part.splitlines()[0] for part in parts} == {"name | number"}
    assert parts[-1].endswith(f"row {2 * ROWS} | {2 * ROWS}")


def test_a_mail_copied_into_a_text_has_its_fields_apart(tmp_path: Path) -> None:
    head = "From: Anna <anna@example.org>\nSent: Tue, 4 Mar 2025 10:12:00 +0000\nSubject: The roof"
    found = document(tmp_path / "x.txt", f"{head}\nIt leaks: call Ben.\n\nAnna\n")
    assert found.text == f"{head}\n\nIt leaks: call Ben.\n\nAnna"
    assert (found.title, found.author, found.date) == ("The roof", "Anna <anna@example.org>", "2025-03-04")
    kinds = [block.kind for block in whole_region(found).blocks]
    assert kinds[:4] == ["field", "field", "field", "prose"]
    notes = "From: the shed\nTo: the loft\nIt leaks."
    assert document(tmp_path / "y.txt", notes).text == notes


@pytest.mark.parametrize("name", ["x.txt", "x.md"])
def test_questions_and_answers_stand_without_the_letters_before_them(tmp_path: Path, name: str) -> None:
    asked = "Q: When does it open?\nA: At nine.\n\nQ: May I bring\na dog?\nA:  Yes: a small one.\n"
    apart = "When does it open?\n\nAt nine.\n\nMay I bring\na dog?\n\nYes: a small one."
    assert document(tmp_path / name, asked).text.strip() == apart
    for other in (
        asked.replace("A: At", "B: At"),
        asked.replace("?", "."),
        "Q: Why?\nA: So.",
        asked.replace("A:", "Q:"),
    ):
        assert "Q: " in document(tmp_path / name, other).text


@pytest.mark.parametrize(
    ("content", "why"), [("", "empty"), (",,\n,\n", "empty"), ('a,"' + "b" * 140_000 + '"', "not a table: field")]
)
def test_what_is_no_table_is_said(tmp_path: Path, content: str, why: str) -> None:
    assert reason(tmp_path / "x.csv", content).startswith(why)


PAGE = """---
title: "The front: a title"
tags: [a, b]
---
# The *Moon* and `us`

Some **bold** words with a [link](http://example.org/x "t"), ![a picture](a.png) and <b>HTML</b><br>wrapped
here. See <https://example.org>. AT&amp;T

Size
----

- one
- two
  1. inner
  2. more

| name | mass |
|---|---|
| Earth | **5.97** |

```python
def f():
    return 1
```

> a quotation

<div>a block <i>of HTML</i></div>

<!-- a comment -->

[ref]: http://example.org
"""


def test_words_stay_and_markup_goes(tmp_path: Path) -> None:
    assert document(tmp_path / "x.md", PAGE).text == (
        "The Moon and us\n\n"
        "Some bold words with a link, and HTML\nwrapped\nhere. See https://example.org. AT&T\n\n"
        "Size\n\n"
        "- one\n- two\n  1. inner\n  2. more\n\n"
        "name | mass\nEarth | 5.97\n\n"
        "    def f():\n        return 1\n\n"
        "a quotation\n\n"
        "a block of HTML"
    )


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("x.txt", "A\r\nb\rc cafe\u0301 soft\u00adly", "A\nb\nc café softly"),
        ("a spoken tag.md", "A <select> has choices, a <title> words.\n\nMore.", "A has choices, a words.\n\nMore."),
        ("a rule.md", "---\n\nOne.\n\n---\n\nTwo.\n", "One.\n\nTwo."),  # no front matter
    ],
)
def test_what_is_written_stays(tmp_path: Path, name: str, text: str, words: str) -> None:
    assert document(tmp_path / name, text).text == words


def test_headings_are_marked_where_they_stand(tmp_path: Path) -> None:
    read_ = document(tmp_path / "x.md", PAGE)
    assert [mark.text for mark in read_.headings] == ["The Moon and us", "The Moon and us > Size"]
    assert all(read_.text.startswith(mark.text.rpartition(" > ")[2], mark.start) for mark in read_.headings)


def test_the_title_is_that_of_the_front_matter_then_of_the_one_top_heading_then_of_the_file(tmp_path: Path) -> None:
    assert document(tmp_path / "x.md", PAGE).title == "The front: a title"
    assert document(tmp_path / "x.md", "## Small\n\n# Large\n\nText\n\n## Other").title == "Large"
    two = document(tmp_path / "stock.md", "# West\n\nText\n\n# East\n\nText")
    assert two.title == "stock" and [mark.text for mark in two.headings] == ["West", "East"]
    assert document(tmp_path / "my-notes.md", "## Small\n\nText").title == "my notes"


def test_authors_and_tags_are_those_of_the_front_matter(tmp_path: Path) -> None:
    assert document(tmp_path / "x.md", PAGE).tags == "a, b"
    for front, author, tags in (
        ("author: Ann Lee\ntags: roof, rain", "Ann Lee", "roof, rain"),
        ("Authors: [Ann, 'Ben']\nkeywords:\n  - roof\n  - 'rain'\n  - roof", "Ann, Ben", "roof, rain"),
        ("authors:\n- name: Ann\n- Ben\ncategory: house", "Ann, Ben", "house"),
        ("authority: the council\nstages: two", "", ""),
    ):
        read_ = document(tmp_path / "x.md", f"---\n{front}\n---\nText\n")
        assert (read_.author, read_.tags, read_.text) == (author, tags, "Text")

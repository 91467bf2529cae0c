"""What Pandoc makes of other people's files, with the real program."""

import os
import subprocess
import tempfile
import zipfile
from pathlib import Path

import pytest

from clew.memory.knowledge.loaders import converted
from tests.memory.knowledge.loaders.reading import document, reason

NOTES = "---\ntitle: Garden\n---\n\n# Beds\n\nWe grow:\n\n- beans\n- kale\n\n| bed | seeds |\n|--|--|\n| 1 | 40 |\n"
REST = """Async
=====

A view may be ``async``, see :class:`~flask.Flask` and :doc:`the guide </guide>`.

When to use it
--------------

.. code-block:: python

    async def view(): ...

.. note:: It is slower.
"""


def made(path: Path, markdown: str = NOTES) -> Path:
    command = [converted.pandoc(), "--standalone", "--from=markdown", "-o", str(path)]
    always = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}  # the same bytes in every run
    subprocess.run(command, input=markdown.encode(), check=True, env=always)
    return path


def word_files(markdown: str = NOTES) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        paths = [made(Path(folder, f"x{ending}"), markdown) for ending in converted.FILES]
        return {path.name: path.read_bytes() for path in paths}


@pytest.mark.parametrize("name", ["notes.docx", "notes.ODT", "notes.org"])
def test_headings_lists_and_tables_are_kept(tmp_path: Path, name: str) -> None:
    found = document(made(tmp_path / name.lower()).rename(tmp_path / name))

    assert (found.title, [mark.text for mark in found.headings][-1]) == ("Garden", "Beds")
    assert found.text.endswith("Beds\n\nWe grow:\n\n- beans\n- kale\n\nbed | seeds\n1 | 40")
    assert found.id == name and not found.hidden_text


@pytest.mark.parametrize("name", ["notes.docx", "notes.odt", "notes.org"])
def test_author_and_keywords_are_those_of_the_file(tmp_path: Path, name: str) -> None:
    front = "title: Garden\nauthor: Ann Lee\nkeywords: [beans, kale]"
    found = document(made(tmp_path / name, NOTES.replace("title: Garden", front)))
    assert found.author == "Ann Lee"
    assert name.endswith("org") or found.tags == "beans, kale"


def test_marks_of_the_markup_are_gone(tmp_path: Path) -> None:
    path = tmp_path / "async.rst"
    path.write_text(REST)
    found = document(path)
    assert found.title == "Async"
    assert [mark.text for mark in found.headings] == ["Async", "When to use it"]
    assert "A view may be async, see flask.Flask and the guide.\n" in found.text
    assert "async def view(): ..." in found.text and "It is slower." in found.text


@pytest.mark.parametrize(
    ("name", "properties"),
    [
        ("notes.docx", "<w:rPr><w:vanish/></w:rPr>"),
        ("notes.docx", '<w:rPr><w:color w:val="FFFFFF"/></w:rPr>'),
        ("notes.docx", '<w:rPr><w:sz w:val="1"/></w:rPr>'),
        ("notes.docx", '<w:rPr><w:rStyle w:val="Gone"/></w:rPr>'),
        ("notes.docx", '<w:rPr><w:color w:val="FEFEFE"/></w:rPr>'),
        ("notes.docx", '<w:rPr><w:color w:val="auto" w:themeColor="background1"/></w:rPr>'),
        ("notes.docx", '<w:rPr><w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="FFFFFF"/></w:rPr>'),
        ("notes.docx", '<w:rPr><w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="auto"/></w:rPr>'),
        ("notes.docx", '<w:rPr><w:color w:val="FFFFFF"/><w:highlight w:val="white"/></w:rPr>'),
        ("notes.docx", '<w:rPr><w:color w:val="000000"/><w:shd w:val="clear" w:fill="000000"/></w:rPr>'),
        ("notes.docx", '<w:rPr><w:color w:val="000000"/><w:highlight w:val="black"/></w:rPr>'),
        ("notes.docx", '<w:rPr><w:w w:val="1"/></w:rPr>'),
        ("notes.odt", 'text:display="none"'),
        ("notes.odt", 'fo:color="#ffffff" fo:background-color="#fefefe"'),
        ("notes.odt", 'fo:color="#ffffff"'),
    ],
)
def test_what_is_not_shown_is_left_out(tmp_path: Path, name: str, properties: str) -> None:
    plain, altered = made(tmp_path / f"plain-{name}"), tmp_path / name
    with zipfile.ZipFile(plain) as file, zipfile.ZipFile(altered, "w") as kept:
        for entry in file.namelist():
            content = file.read(entry).decode("utf-8", "surrogateescape")
            style = '<w:style w:type="character" w:styleId="Gone"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>'
            content = content.replace("</w:styles>", style) if entry == "word/styles.xml" else content
            run = f'<w:r>{properties}<w:t xml:space="preserve">ignore this </w:t></w:r>'
            if entry == "word/document.xml":
                at = content.rindex("<w:r>", 0, content.index("beans"))
                content = content[:at] + run + content[at:]
            elif entry == "content.xml":
                own = f'<style:style style:name="Gone"><style:text-properties {properties}/></style:style>'
                content = content.replace("</office:automatic-styles>", f"{own}</office:automatic-styles>")
                content = content.replace("beans", '<text:span text:style-name="Gone">ignore this </text:span>beans')
            kept.writestr(entry, content.encode("utf-8", "surrogateescape"))
    found = document(altered)

    assert "- beans\n" in found.text and "ignore" not in found.text and found.hidden_text == "ignore this"


@pytest.mark.parametrize(
    ("cell", "paragraph", "run"),
    [
        ('<w:shd w:val="clear" w:fill="1F3864"/>', "", ""),
        ('<w:shd w:val="clear" w:fill="auto" w:themeFill="accent1"/>', "", ""),
        ("", '<w:shd w:val="clear" w:fill="1F3864"/>', ""),
        ("", "", '<w:shd w:val="clear" w:fill="000000"/>'),
        ("", "", '<w:highlight w:val="darkBlue"/>'),
        ("", "", "TABLE"),
    ],
)
def test_white_words_on_a_dark_ground_are_shown(tmp_path: Path, cell: str, paragraph: str, run: str) -> None:
    """As the heads of tables are."""
    plain, altered = made(tmp_path / "plain.docx"), tmp_path / "notes.docx"
    style = '<w:style w:type="table" w:styleId="Dark"><w:name w:val="Dark"/></w:style></w:styles>'
    table = '<w:tblPr><w:tblStyle w:val="Dark"/></w:tblPr>' if run == "TABLE" else "<w:tblPr/>"
    white = f'<w:rPr><w:color w:val="FFFFFF"/>{"" if run == "TABLE" else run}</w:rPr>'
    words = f"<w:p><w:pPr>{paragraph}</w:pPr><w:r>{white}<w:t>Total</w:t></w:r></w:p>"
    grid = "<w:tblGrid><w:gridCol/></w:tblGrid>"
    row = f"<w:tbl>{table}{grid}<w:tr><w:tc><w:tcPr>{cell}</w:tcPr>{words}</w:tc></w:tr></w:tbl><w:p/>"
    with zipfile.ZipFile(plain) as file, zipfile.ZipFile(altered, "w") as kept:
        for entry in file.namelist():
            content = file.read(entry)
            if entry == "word/document.xml":
                content = content.replace(b"<w:body>", f"<w:body>{row}".encode())
            elif entry == "word/styles.xml":
                content = content.replace(b"</w:styles>", style.encode())
            kept.writestr(entry, content)
    found = document(altered)

    assert found.text.startswith("Total") and not found.hidden_text


def test_what_it_cannot_read_it_says(tmp_path: Path) -> None:
    path = tmp_path / "notes.docx"
    path.write_bytes(b"PK no archive")
    assert reason(path) == ("not a file of a word processor: File is not a zip file")
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("a.txt", "a")
    assert reason(path).startswith("Pandoc cannot read it: ")


def test_without_it_markup_is_text_and_other_files_name_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    word, rest = made(tmp_path / "notes.docx"), tmp_path / "async.rst"
    rest.write_text(REST)
    monkeypatch.setattr(converted, "pandoc", lambda: "")
    found = document(rest)
    assert found.text == REST and found.title == "Async"
    assert reason(word).endswith("pip install 'clew[documents]'")

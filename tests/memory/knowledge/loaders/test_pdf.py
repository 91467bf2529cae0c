import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import pytest
from pypdf import PageObject, PdfWriter
from pypdf.constants import PageLabelStyle
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    NumberObject,
    PdfObject,
)

from clew.memory.datatypes import Document
from clew.memory.knowledge.loaders.source import LoadFailure
from tests.memory.knowledge.loaders.reading import document, items, reason

EXAMPLE = Path(__file__).parents[4] / "examples" / "documents" / "space" / "robots-on-the-moon.pdf"


def as_pdf(value: object) -> PdfObject:
    """As pypdf has it."""
    if isinstance(value, PdfObject):
        return value
    if isinstance(value, dict):
        return DictionaryObject({NameObject(name): as_pdf(part) for name, part in value.items()})
    if isinstance(value, list):
        return ArrayObject(map(as_pdf, value))
    if isinstance(value, str):
        return NameObject(value)
    return NumberObject(value) if isinstance(value, int) else FloatObject(str(value))


FONT = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica", "/Encoding": "/WinAnsiEncoding"}


def draw(writer: PdfWriter, page: PageObject, operations: str, font: object = None) -> None:
    """All that the page shows, and what its font is if it is another."""
    if font:
        page[NameObject("/Resources")] = as_pdf({"/Font": {"/F1": writer._add_object(as_pdf(font))}})
    stream = DecodedStreamObject()
    stream.set_data(operations.encode("cp1252"))
    page[NameObject("/Contents")] = writer._add_object(stream)


def written(*pages: Sequence[str], title: str | None = None) -> PdfWriter:
    """A PDF with these lines on its pages, in Helvetica."""
    writer = PdfWriter()
    for lines in pages:
        shown = " ".join(f"({line.replace('(', '').replace(')', '')}) Tj T*" for line in lines)
        draw(writer, writer.add_blank_page(612, 792), f"BT /F1 12 Tf 14 TL 72 720 Td {shown} ET", FONT)
    if title is not None:
        writer.add_metadata({"/Title": title})
    return writer


def as_bytes(writer: PdfWriter) -> bytes:
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


def paged(path: Path, *pages: Sequence[str], title: str | None = None) -> Document:
    return document(path, as_bytes(written(*pages, title=title)))


LONG = "Luna 1 was the first spacecraft to fly past the Moon, and the Soviet Union meant it"


def test_wrapped_lines_and_broken_words_are_joined_and_paragraphs_kept_apart(tmp_path: Path) -> None:
    found = paged(
        tmp_path / "x.pdf",
        ["A heading", LONG, "to hit the Moon, but the probe missed and went on into an or-", "bit.", "Next", LONG],
    )
    assert found.text == (
        f"A heading\n\n{LONG} to hit the Moon, but the probe missed and went on into an orbit.\n\nNext\n\n{LONG}"
    )
    lines = [f"{LONG} well-known", f"{LONG} and a well-", "known or un-", "known one."]
    assert "a well-known or unknown one." in paged(tmp_path / "x.pdf", lines).text


def test_pages_are_marked_where_they_begin(tmp_path: Path) -> None:
    found = paged(tmp_path / "x.pdf", [LONG, "to hit"], ["the Moon. Then it missed."], [], ["The end."])
    assert found.text == f"{LONG} to hit the Moon. Then it missed.\n\nThe end."
    assert [(mark.text, found.text[mark.start :][:8]) for mark in found.pages] == [
        ("1", "Luna 1 w"),
        ("2", "the Moon"),
        ("4", "The end."),
    ]


def test_pages_have_the_numbers_that_are_printed_on_them(tmp_path: Path) -> None:
    writer = written(["Preface."], ["Contents."], ["Chapter."])
    writer.set_page_label(0, 1, PageLabelStyle.LOWERCASE_ROMAN)
    writer.set_page_label(2, 2, PageLabelStyle.DECIMAL, start=7)
    found = document(tmp_path / "x.pdf", as_bytes(writer))
    assert [mark.text for mark in found.pages] == ["i", "ii", "7"]


def test_running_heads_and_page_numbers_go(tmp_path: Path) -> None:
    pages = [
        ["A Book of the Moon", f"Part {n} of the story is told here.", f"Page {n} of 5", str(n)] for n in range(1, 6)
    ]
    text = paged(tmp_path / "x.pdf", *pages).text
    assert "Book" not in text
    assert "Page" not in text
    assert text.count("of the story is told here.") == 5


NO_TITLES = ["Microsoft Word - moon.doc", "untitled", "moon_v2.pdf", "scan 12.html", "about:blank", "file:///a?x=1", ""]


@pytest.mark.parametrize("given", ["Robots on the Moon", "Moon: A History", *NO_TITLES, "  ", None])
def test_the_title_is_the_files_own_where_it_is_one(tmp_path: Path, given: str | None) -> None:
    title = "First line" if given in (*NO_TITLES, "  ", None) else given
    assert paged(tmp_path / "x.pdf", ["First line", LONG], title=given).title == title


PAPER = [
    (17, "How Good Are Gauges"),
    (17, "Made of Bottles?"),
    (11, "Bruno Castell and Wanda Mirek"),
    (11, ""),
    (11, "ABSTRACT"),
    (11, ""),
    *[(10, "Pupils of nineteen schools built gauges of plastic bottles and read them every morning.")] * 4,
]


def in_sizes(lines: Sequence[tuple[int, str]]) -> bytes:
    """A page with each line in letters of its size."""
    writer = written([text for _, text in lines])
    shown = " ".join(f"/F1 {size} Tf ({text}) Tj T*" for size, text in lines)
    draw(writer, writer.pages[0], f"BT 20 TL 72 720 Td {shown} ET")
    return as_bytes(writer)


def test_what_is_in_larger_letters_stands_apart(tmp_path: Path) -> None:
    found = document(tmp_path / "x.pdf", in_sizes(PAPER))
    assert found.text.split("\n\n")[:3] == ["How Good Are Gauges Made of Bottles?", PAPER[2][1], "ABSTRACT"]
    lines = [(16, "Gauges"), (10, "There are two."), (10, ""), (10, ""), (10, "They leak.")]
    assert document(tmp_path / "x.pdf", in_sizes(lines)).text == "Gauges\n\nThere are two.\n\nThey leak."


PROSE = [(10, "Rain is read at seven every morning, and written down by whoever has come first.")] * 3


def in_bold(*pages: Sequence[tuple[int, str]]) -> bytes:
    """Pages with lines in letters of these sizes, bold where the text begins with `*`."""
    writer = PdfWriter()
    bold = FONT | {"/BaseFont": "/Helvetica-Bold"}
    for lines in pages:
        fonts = (f"/F{1 + text.startswith('*')} {size} Tf ({text.lstrip('*')}) Tj T*" for size, text in lines)
        page = writer.add_blank_page(612, 792)
        draw(writer, page, f"BT 14 TL 72 720 Td {' '.join(fonts)} ET")
        page[NameObject("/Resources")] = as_pdf({"/Font": {"/F1": as_pdf(FONT), "/F2": as_pdf(bold)}})
    return as_bytes(writer)


def test_larger_and_bold_lines_are_headings_above_what_follows(tmp_path: Path) -> None:
    first = [(20, "Gauges"), (12, "Bruno Castell"), (14, "Rain"), *PROSE, (10, "*Where it falls"), *PROSE]
    second = [(14, "Snow"), *PROSE, (10, "*Melt it first."), *PROSE, (10, "*Wind and"), (10, "*drifts"), *PROSE]
    found = document(tmp_path / "x.pdf", in_bold(first, second))
    assert [(found.text[mark.start :].partition("\n")[0], mark.text) for mark in found.headings] == [
        ("Rain", "Rain"),
        ("Where it falls", "Rain > Where it falls"),
        ("Snow", "Snow"),
        ("Wind and drifts", "Snow > Wind and drifts"),
    ]
    assert found.text.startswith("Gauges\n\nBruno Castell\n\nRain\n\n") and found.heading_at(
        len(found.text)
    ).startswith("Snow > Wind")


def test_no_line_of_a_table_or_of_one_look_is_a_heading(tmp_path: Path) -> None:
    row = [(10, "*Name          Weight"), (10, "Peak          2.1")]
    assert document(tmp_path / "x.pdf", in_bold([(10, "*All"), (10, "*of it is bold."), (10, "Or so")])).headings == ()
    assert document(tmp_path / "x.pdf", in_bold([*PROSE, *row, *PROSE])).headings == ()


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-256"])
def test_a_file_that_only_forbids_to_print_is_read(tmp_path: Path, algorithm: str) -> None:
    writer = written(["Not secret."])
    writer.encrypt("", "owner", algorithm=algorithm)
    found = document(tmp_path / "x.pdf", as_bytes(writer))
    assert found.text == "Not secret."


def locked() -> bytes:
    writer = written(["Secret."])
    writer.encrypt("secret", algorithm="RC4-128")
    return as_bytes(writer)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (locked(), "encrypted: save it without its password"),
        (as_bytes(written([], [])), "nothing is written on its pages"),
        *((data, "broken PDF: ") for data in (b"", b"%PDF-1.7\n", b"Not a PDF at all", EXAMPLE.read_bytes()[:3000])),
    ],
)
def test_why_nothing_is_read_is_named(tmp_path: Path, data: bytes, why: str) -> None:
    assert reason(tmp_path / "x.pdf", data).startswith(why)


def test_a_broken_page_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    writer = written(["First."], ["Second."], ["Third."])
    pages = writer._root_object["/Pages"]
    assert isinstance(pages, DictionaryObject)
    cast(ArrayObject, pages["/Kids"])[1] = writer._add_object(NumberObject(2))
    failure, found = items(tmp_path / "x.pdf", as_bytes(writer))
    assert failure == LoadFailure(f"{tmp_path / 'x.pdf'}, page 2", "this page is broken, the others are read")
    assert isinstance(found, Document)
    assert found.text == "First.\n\nThird."


def test_author_and_keywords_are_those_of_the_file(tmp_path: Path) -> None:
    writer = written(["Words."])
    writer.add_metadata({"/Author": "Ann\tLee", "/Keywords": "roof, rain", "/Title": "Untitled"})
    found = document(tmp_path / "x.pdf", as_bytes(writer))
    assert (found.title, found.author, found.tags) == ("x", "Ann Lee", "roof, rain")


def written_by_tex(font: Mapping[str, object], kerned: str) -> bytes:
    """A page with one operation that shows words of this font with gaps between them."""
    writer = PdfWriter()
    apart = {key: writer._add_object(as_pdf(value)) if key[1] in "WT" else value for key, value in font.items()}
    draw(writer, writer.add_blank_page(612, 792), f"BT /F1 10 Tf 72 720 Td [{kerned}]TJ ET", apart)
    return as_bytes(writer)


def test_narrow_gaps_are_spaces_where_the_font_has_another_glyph_for_that(tmp_path: Path) -> None:
    """As in the T1 fonts of LaTeX, which have the mark of a visible space there, half as wide as the line is high."""
    font = {"/Subtype": "/Type1", "/BaseFont": "/ABCDEF+TeXGyreTermes-Regular"}
    widths = {"/FirstChar": 32, "/LastChar": 126, "/Widths": [500, *(400 + 3 * n for n in range(94))]}
    words = "(The)-196(proce)30(dures)-196(discussed)-196(within)"
    found = document(tmp_path / "a.pdf", written_by_tex({**font, **widths}, words))
    assert found.text == "The procedures discussed within"


def test_narrow_gaps_are_spaces_where_another_glyph_has_the_number_of_a_space(tmp_path: Path) -> None:
    """As in the fonts of XeTeX, whose glyphs are numbered as they stand in the font."""
    letters = "".join(f"<{ord(one):04x}> <{ord(one):04X}>\n" for one in "abcdefghijklmnopqrstuvwxyz")
    cmap = DecodedStreamObject()
    cmap.set_data(
        b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange\n"
        b"26 beginbfchar\n" + letters.encode() + b"endbfchar\nendcmap end end"
    )
    name = "/ABCDEF+LiberationSerif"
    glyphs = {"/Type": "/Font", "/Subtype": "/CIDFontType2", "/BaseFont": name, "/DW": 500, "/W": [32, [564]]}
    font = {"/Subtype": "/Type0", "/BaseFont": name, "/Encoding": "/Identity-H", "/DescendantFonts": [glyphs]}
    shown = "-196".join(f"<{''.join(f'{ord(one):04x}' for one in word)}>" for word in ("the", "archive", "already"))
    found = document(tmp_path / "a.pdf", written_by_tex({**font, "/ToUnicode": cmap}, shown))
    assert found.text == "the archive already"

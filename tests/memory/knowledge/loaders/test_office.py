"""What is read of other people's text documents, spreadsheets and slides: structure is kept, hidden text is not."""

from pathlib import Path

import pytest

from clew.memory.datatypes import Mark, Table
from tests.memory.knowledge.loaders.packages import (
    NAMES,
    SHEET,
    box,
    cell,
    excel,
    open_document,
    paragraph,
    rows,
    slides,
    word,
)  # fmt: skip
from tests.memory.knowledge.loaders.reading import document, reason

HEADS = tuple(f'<w:pStyle w:val="Heading{level}"/>' for level in (1, 2))
REST = """Async
=====

A view may be ``async``.

When to use it
--------------

.. code-block:: python

    async def view(): ...
"""
GRID = "<w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/><w:gridCol/></w:tblGrid>"
BEGINS, SPANS = '<w:vMerge w:val="restart"/>', '<w:gridSpan w:val="2"/>'
MERGED = (
    f"<w:tbl>{GRID}<w:tr>{cell('Name', BEGINS)}{cell('Summer', SPANS)}</w:tr>"
    f"<w:tr>{cell('', '<w:vMerge/>')}{cell('Weight (kg)')}{cell('Price')}</w:tr>"
    f"<w:tr>{cell('Peak')}{cell('2.1')}{cell('300')}</w:tr></w:tbl>"
)


def test_headings_are_a_path_and_merged_cells_stand_where_they_span(tmp_path: Path) -> None:
    body = paragraph("Tents", HEADS[0]) + paragraph("Alpine", HEADS[1]) + MERGED + paragraph("Sold in May.")
    found = document(tmp_path / "x.docx", word(body))
    heads = ("Name", "Summer, Weight (kg)", "Summer, Price")
    assert found.text == f"Tents\n\nAlpine\n\n{' | '.join(heads)}\nPeak | 2.1 | 300\n\nSold in May."
    assert found.tables == (Table("Alpine", heads, (("Peak", "2.1", "300"),), 3),)
    assert found.heading_at(len(found.text)) == "Alpine" and found.title == "Tents"


def test_a_first_row_of_data_names_no_columns(tmp_path: Path) -> None:
    made = [f"<w:tr>{cell(name)}{cell(fee)}</w:tr>" for name, fee in (("Rent", "900"), ("Deposit", "1800"))]
    grid = GRID.replace("<w:gridCol/>", "", 1)
    found = document(tmp_path / "x.docx", word(f"<w:tbl>{grid}{''.join(made)}</w:tbl>"))
    assert (found.text, found.tables) == ("Rent | 900\nDeposit | 1800", ())
    heads = f"<w:tr>{cell('What')}{cell('Euros')}</w:tr>"
    found = document(tmp_path / "x.docx", word(f"<w:tbl>{grid}{heads}{''.join(made)}</w:tbl>"))
    assert [one.heads for one in found.tables] == [("What", "Euros")]


def test_comments_notes_heads_feet_and_text_boxes_are_read(tmp_path: Path) -> None:
    mark = (
        '<w:p><w:r><w:t>The rent is 90</w:t></w:r><w:r><w:footnoteReference w:id="1"/></w:r><w:r><w:t>.</w:t></w:r>'
        '<w:r><w:commentReference w:id="4"/></w:r></w:p>'
    )
    comment = f'<w:comment w:id="4" w:author="K. Holm">{paragraph("Make it 95.")}</w:comment>'
    note = f'<w:footnote w:id="1">{paragraph("Half in May.")}</w:footnote>'
    boxed = f"<v:textbox><w:txbxContent>{paragraph('Boxed.')}</w:txbxContent></v:textbox>"
    boxed = f"<w:p><w:r><w:pict>{boxed}</w:pict></w:r></w:p>"
    foot = '<w:sectPr><w:footerReference w:type="default" r:id="r3"/></w:sectPr>'
    beside = {
        "comments": f"<w:comments {NAMES}>{comment}</w:comments>",
        "footnotes": f"<w:footnotes {NAMES}>{note}</w:footnotes>",
        "footer1": f"<w:ftr {NAMES}>{paragraph('Call 0301.')}</w:ftr>",
    }
    body = paragraph("Rent", HEADS[0]) + mark + boxed + paragraph("End.") + foot
    found = document(tmp_path / "x.docx", word(body, **beside))
    assert found.title == "Rent" and not found.heading_at(found.text.index("Call"))
    assert found.text.split("\n\n") == [
        "- Call 0301.",
        "Rent",
        "The rent is 90.",
        "Note: Half in May.",
        "Comment by K. Holm: Make it 95.",
        "Boxed.",
        "End.",
    ]


def test_items_of_lists_keep_their_depth_and_lines_end_where_they_did(tmp_path: Path) -> None:
    level = '<w:numPr><w:ilvl w:val="{}"/><w:numId w:val="1"/></w:numPr>'
    items = [
        paragraph(text, level.format(depth)) for text, depth in (("Tools", 0), ("Sägen", 1), ("Fine", 2), ("Wood", 0))
    ]
    broken = "<w:p><w:r><w:t>Hall 1</w:t><w:br/><w:t>Hamburg</w:t></w:r></w:p>"
    text = "- Tools\n  - Sägen\n    - Fine\n- Wood\n\nHall 1\nHamburg"
    assert document(tmp_path / "x.docx", word("".join(items) + broken)).text == text
    inner = "<text:list-item><text:p>Sägen</text:p></text:list-item>"
    listed = f"<text:list-item><text:p>Tools</text:p><text:list>{inner}</text:list></text:list-item>"
    open_ = f"<text:list>{listed}</text:list><text:p>Hall 1<text:line-break/>Hamburg</text:p>"
    assert document(tmp_path / "x.odt", open_document(open_)).text == "- Tools\n  - Sägen\n\nHall 1\nHamburg"


def test_styles_of_lists_say_how_deep_an_item_lies(tmp_path: Path) -> None:
    names = ["List Bullet", "List Bullet 2", "List Number", "List Number 2", "Own 2"]
    styles = "".join(
        f'<w:style w:styleId="{name}"><w:name w:val="{name}"/><w:pPr><w:numPr><w:numId w:val="{number}"/></w:numPr>'
        "</w:pPr></w:style>"
        for number, name in enumerate(names, 1)
    )
    kinds = "".join(
        f'<w:abstractNum w:abstractNumId="{number}"><w:lvl w:ilvl="0"><w:numFmt w:val="{kind}"/></w:lvl>'
        f'</w:abstractNum><w:num w:numId="{number}"><w:abstractNumId w:val="{number}"/></w:num>'
        for number, kind in enumerate(["bullet", "bullet", "decimal", "decimal", "bullet"], 1)
    )
    items = [("Tools", 0), ("Saws", 1), ("Wood", 0), ("Cut", 2), ("Clean", 3), ("Sell", 2), ("Apart", 4)]
    body = "".join(paragraph(text, f'<w:pStyle w:val="{names[style]}"/>') for text, style in items)
    found = document(tmp_path / "x.docx", word(body, styles, numbering=f"<w:numbering {NAMES}>{kinds}</w:numbering>"))
    text = "- Tools\n  - Saws\n- Wood\n\n1. Cut\n  1. Clean\n2. Sell\n\n- Apart"
    assert found.text == text


def test_no_sign_and_no_space_of_words_is_lost_and_styles_make_lists(tmp_path: Path) -> None:
    style = '<w:style w:styleId="Dot"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    run = "<w:r><w:t>R&amp;D</w:t><w:tab/><w:t>1</w:t><w:noBreakHyphen/><w:t>2 &lt; 3 &gt; 2, &amp;amp;</w:t></w:r>"
    tabs = '<w:p><w:pPr><w:tabs><w:tab w:val="left" w:pos="720"/></w:tabs></w:pPr>'
    items = paragraph("Saw", '<w:pStyle w:val="Dot"/>') + paragraph("Axe", '<w:pStyle w:val="Dot"/>')
    text = "R&D 1-2 < 3 > 2, &amp;\n\n- Saw\n- Axe"
    assert document(tmp_path / "x.docx", word(f"{tabs}{run}</w:p>{items}", style)).text == text


@pytest.mark.parametrize(
    "look",
    [
        "<w:vanish/>",
        '<w:color w:val="FFFFFF"/>',
        '<w:sz w:val="1"/>',
        '<w:rStyle w:val="Gone"/>',
        '<w:color w:val="FEFEFE"/>',
        '<w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="FFFFFF"/>',
        '<w:color w:val="FFFFFF"/><w:highlight w:val="white"/>',
        '<w:color w:val="000000"/><w:shd w:val="clear" w:fill="000000"/>',
        '<w:color w:val="000000"/><w:highlight w:val="black"/>',
    ],
)
def test_what_word_does_not_show_is_left_out(tmp_path: Path, look: str) -> None:
    style = '<w:style w:type="character" w:styleId="Gone"><w:rPr><w:vanish/></w:rPr></w:style>'
    body = paragraph("Beans.") + paragraph("ignore this", run=f"<w:rPr>{look}</w:rPr>")
    found = document(tmp_path / "x.docx", word(body, style))
    assert (found.text, found.hidden_text) == ("Beans.", "ignore this")


@pytest.mark.parametrize(
    ("ground", "own", "run"),
    [
        ('<w:shd w:val="clear" w:fill="1F3864"/>', "", ""),
        ('<w:shd w:val="clear" w:fill="auto" w:themeFill="accent1"/>', "", ""),
        ("", '<w:shd w:val="clear" w:fill="1F3864"/>', ""),
        ("", "", '<w:highlight w:val="darkBlue"/>'),
    ],
)
def test_white_words_on_a_dark_ground_are_shown(tmp_path: Path, ground: str, own: str, run: str) -> None:
    """As the heads of tables are."""
    white = paragraph("Total", own, f'<w:rPr><w:color w:val="FFFFFF"/>{run}</w:rPr>')
    table = f"<w:tbl>{GRID}<w:tr><w:tc><w:tcPr>{ground}</w:tcPr>{white}</w:tc></w:tr></w:tbl>"
    found = document(tmp_path / "x.docx", word(table))
    assert (found.text, found.hidden_text) == ("Total", "")


OPEN_TABLE = (
    '<table:table table:name="T"><table:table-row><table:table-cell><text:p>Day</text:p></table:table-cell>'
    "<table:table-cell><text:p>Who</text:p></table:table-cell></table:table-row>"
    '<table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>Monday</text:p></table:table-cell>'
    "<table:table-cell><text:p>Ann</text:p></table:table-cell></table:table-row>"
    "<table:table-row><table:covered-table-cell/><table:table-cell><text:p>Bea</text:p></table:table-cell>"
    '</table:table-row><table:table-row table:visibility="collapse"><table:table-cell><text:p>Eve</text:p>'
    "</table:table-cell></table:table-row></table:table>"
)


def test_open_document_has_its_structure_its_comments_and_what_it_hides(tmp_path: Path) -> None:
    styles = "".join(
        f'<style:style style:name="{name}" style:family="text"><style:text-properties {look}/></style:style>'
        for name, look in {"None": 'text:display="none"', "White": 'fo:color="#ffffff"'}.items()
    )
    body = (
        '<text:h text:outline-level="1">Beds</text:h><text:p>We grow<office:annotation><dc:creator>Ann</dc:creator>'
        '<text:p>Do we?</text:p></office:annotation> <text:span text:style-name="None">ignore</text:span>kale'
        '<text:span text:style-name="White"> this</text:span><text:note><text:note-citation>1</text:note-citation>'
        f"<text:note-body><text:p>In peat.</text:p></text:note-body></text:note></text:p>{OPEN_TABLE}"
    )
    meta = "<dc:creator>Ann Lee</dc:creator><meta:keyword>kale</meta:keyword>"
    found = document(tmp_path / "x.ODT", open_document(body, styles, meta=meta))
    table = "Day | Who\nMonday | Ann\nMonday | Bea"
    assert found.text.split("\n\n") == ["Beds", "We grow kale", "Comment by Ann: Do we?", "Note: In peat.", table]
    assert found.hidden_text.split() == ["ignore", "this", "Eve"]
    assert (found.author, found.tags, found.tables[0].rows[1]) == ("Ann Lee", "kale", ("Monday", "Bea"))


@pytest.mark.parametrize("merged", ["A5:A6", "A5:A1048576"])
def test_sheets_are_tables_with_their_rows(tmp_path: Path, merged: str) -> None:
    given: list[dict[str, str | float]] = [
        {"A": "Gear"},
        {},
        {"A": "Name", "B": "Summer"},
        {"B": "Weight", "C": "Price"},
        {"A": "Peak", "B": 2.1, "C": 3},
    ]
    given += [{"B": 2.5, "C": 4}, {"A": "Eve", "B": 1}, {"A": "Ridge", "B": 5, "C": 6}]
    spans = "".join(f'<mergeCell ref="{one}"/>' for one in ("A3:A4", "B3:C3", merged))
    first = f"{rows(*given, hidden=[7])}<mergeCells>{spans}</mergeCells>"
    found = document(
        tmp_path / "x.xlsx", excel(first, rows({"A": "key", "B": "of Eve"}), states=["", 'state="hidden"'])
    )
    heads = ("Name", "Summer, Weight", "Summer, Price")
    held = (("Peak", "2.1", "3"), ("Peak", "2.5", "4"), ("Ridge", "5", "6"))
    held = held if merged == "A5:A6" else (*held[:2], ("Peak", "5", "6"))
    assert found.tables == (Table("S1", heads, held, 5, "sheet S1"),)
    assert found.text.startswith(f"S1\n\nGear\n\n{' | '.join(heads)}\nPeak | 2.1 | 3\n")
    assert found.hidden_text.split() == ["Eve", "1", "key", "of", "Eve"] and found.pages == (Mark(0, "sheet S1"),)


def test_titles_right_above_a_table_are_none_of_its_rows(tmp_path: Path) -> None:
    sheet = rows({"A": "Harvest"}, {"A": "in tonnes"}, {"A": "Field", "B": "Wheat"}, {"A": "North", "B": 120})
    merged = '<mergeCells><mergeCell ref="A1:B1"/></mergeCells>'
    found = document(tmp_path / "x.xlsx", excel(sheet + merged))
    assert found.text == "S1\n\nHarvest\nin tonnes\n\nField | Wheat\nNorth | 120"
    assert found.tables == (Table("S1", ("Field", "Wheat"), (("North", "120"),), 4, "sheet S1"),)


def test_tables_side_by_side_are_two(tmp_path: Path) -> None:
    """Where an empty column stands between them; one of a single column is none."""
    given: list[dict[str, str | float]] = [
        {"A": "Jar", "B": "Price", "D": "Shop", "E": "Since"},
        {"A": "small", "B": 4, "D": "Leeds", "E": "May"},
        {"A": "big", "B": 7, "D": "York", "E": "June"},
        {"A": "huge", "B": 9},
    ]
    found = document(tmp_path / "x.xlsx", excel(rows(*given)))
    jars = Table("S1", ("Jar", "Price"), (("small", "4"), ("big", "7"), ("huge", "9")), 2, "sheet S1")
    shops = Table("S1", ("Shop", "Since"), (("Leeds", "May"), ("York", "June")), 2, "sheet S1")
    assert found.tables == (jars, shops)
    assert found.text.endswith("Jar | Price\nsmall | 4\nbig | 7\nhuge | 9\n\nShop | Since\nLeeds | May\nYork | June")
    one = rows(*({at: said for at, said in row.items() if at != "E"} for row in given))
    assert [table.heads for table in document(tmp_path / "y.xlsx", excel(one)).tables] == [("Jar", "Price", "Shop")]


def test_a_column_that_is_hidden_goes_with_its_words(tmp_path: Path) -> None:
    columns = '<cols><col min="2" max="2" hidden="1"/></cols>'
    sheet = rows({"A": "Name", "B": "Pay", "C": "Room"}, {"A": "Ann", "B": 90, "C": 4})
    found = document(tmp_path / "x.xlsx", excel(columns + sheet))
    assert (found.text, found.hidden_text) == ("S1\n\nName | Room\nAnn | 4", "Pay 90")


STYLES = (
    f'<styleSheet {SHEET}><numFmts><numFmt numFmtId="170" formatCode="dd\\.mm\\.yyyy"/></numFmts>'
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="20"/><xf numFmtId="9"/></cellXfs></styleSheet>'
)


def test_cells_say_what_is_shown(tmp_path: Path) -> None:
    given: tuple[tuple[str, int, str], ...] = (
        ("s", 0, "0"),
        ("n", 1, "45413"),
        ("n", 1, "45413.75"),
        ("n", 2, "0.5"),
        ("n", 3, "0.07"),
        ("n", 0, "2.10000000000000009"),
    )
    given += (("n", 0, "12000"), ("b", 0, "1"), ("e", 0, "#N/A"))
    cells = "".join(f'<c t="{kind}" s="{style}"><v>{said}</v></c>' for kind, style, said in given)
    sheet = f'<sheetData><row r="1">{cells}</row>{rows({}, {"A": "Ann"}).partition("</row>")[2]}'
    parts = {
        "xl/styles.xml": STYLES,
        "xl/sharedStrings.xml": f"<sst {SHEET}><si><r><t>rich</t></r><r><t> text</t></r><rPh><t>x</t></rPh></si></sst>",
    }
    found = document(tmp_path / "x.xlsx", excel(sheet, beside=parts))
    shown = "rich text | 2024-05-01 | 2024-05-01 18:00:00 | 12:00:00 | 7% | 2.1 | 12000 | true | #N/A"
    assert found.text == f"S1\n\n{shown}\nAnn"


def test_open_sheets_are_tables_too(tmp_path: Path) -> None:
    cells = OPEN_TABLE.replace("<table:table-cell", '<table:table-cell office:value-type="string"')
    found = document(tmp_path / "x.ods", open_document(cells, kind="spreadsheet"))
    assert found.tables[0].heads == ("Day", "Who") and found.tables[0].rows[1] == ("Monday", "Bea")


def test_slides_are_places_with_boxes_from_above_and_notes(tmp_path: Path) -> None:
    first = box("Below", place=(0, 90)) + box("Launch", kind="ctrTitle") + box("Above", "and on", place=(0, 10))
    hidden = f'show="0"|{box("Not for you")}'
    last = box("Risks", kind="title") + box("gone", more='hidden="1"') + box("3", kind="sldNum")
    found = document(tmp_path / "x.pptx", slides(first, hidden, last, notes=box("Say it slowly", kind="body")))
    assert found.text.split("\n\n") == ["Launch", "- Above\n- and on", "Below", "Notes: Say it slowly", "Risks"]
    assert [mark.text for mark in found.pages] == ["slide 1", "slide 3"] and found.hidden_text == "Not for you\ngone"


def test_tables_and_lists_of_slides_keep_what_spans_and_how_deep_it_is(tmp_path: Path) -> None:
    def of(text: str, more: str = "") -> str:
        return f"<a:tc {more}><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"

    gone, below = of("", 'hMerge="1"'), of("", 'vMerge="1"')
    held = [of("Day") + of("Who", 'gridSpan="2"') + gone, of("Mon", 'rowSpan="2"') + of("1") + of("2")]
    table = "".join(f"<a:tr>{row}</a:tr>" for row in (*held, below + of("3") + of("4")))
    about = '<p:nvGraphicFramePr><p:cNvPr id="2" name=""/></p:nvGraphicFramePr>'
    frame = f"<p:graphicFrame>{about}<a:tbl>{table}</a:tbl></p:graphicFrame>"
    deeper = box("Tools", "Saws").replace("<a:p><a:r><a:t>Saws", '<a:p><a:pPr lvl="1"/><a:r><a:t>Saws')
    empty = f"<p:graphicFrame>{about}<a:tbl><a:tr/></a:tbl></p:graphicFrame>"
    text = document(tmp_path / "x.pptx", slides(deeper + frame + empty)).text
    assert text == "- Tools\n  - Saws\n\nDay | Who | Who\nMon | 1 | 2\nMon | 3 | 4"


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("x.rst", REST, "Async\n\nA view may be async.\n\nWhen to use it\n\n     async def view(): ..."),
        ("x.rtf", r"{\rtf1\ansi One \b two\b0 .\par Three.}", "One two.\n\nThree."),
        ("x.xml", "<a><b>One two.</b></a>", "a\n\n- b: One two."),
        ("x.xml", "<a><b k='1'><c u='m'>2</c></b><b k='3'/></a>", "a\n\nb\n\nk | c\n1 | 2 (u: m)\n3"),
        ("x.xml", "<a>One <b>two</b> three.</a>", "a\n\nOne\n\nb\n\ntwo\n\nthree."),
        ("x.org", "* Beds\n- beans\n- kale\n", "Beds\n\n- beans\n- kale"),
    ],
)
def test_marks_of_the_markup_are_gone(tmp_path: Path, name: str, content: str, text: str) -> None:
    assert document(tmp_path / name, content).text == text


@pytest.mark.parametrize("name", ["x.docx", "x.odt", "x.xlsx", "x.pptx", "x.epub", "x.xls", "x.doc"])
def test_what_it_cannot_read_it_says(tmp_path: Path, name: str) -> None:
    said = reason(tmp_path / name, b"PK no archive")
    assert said.startswith(("not a file of an office program", "it cannot be read")), said

"""Files of office programs, books, markup and data, by kreuzberg: text documents, older spreadsheets, EPUB and others.

What such a file holds and does not show is taken out before, and kept apart (`office_hidden_text`). Presentations
(.pptx) are made HTML here, slides in their order, each with its boxes, tables and notes. Workbooks: `sheets`.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from html import escape
from typing import Any

from lxml.etree import _Element
from lxml.html import HtmlElement

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders import html
from clew.memory.knowledge.loaders.layout import NESTED, TextLayout, has_heads
from clew.memory.knowledge.loaders.office_hidden_text import BREAK, DEEPER, SIGNS, shown_of
from clew.memory.knowledge.loaders.packages import Package, attribute, name_of, opened
from clew.memory.knowledge.loaders.plain_text import decode, like_a_title, title_of_file
from clew.memory.knowledge.loaders.records import read_text, read_xml
from clew.memory.knowledge.loaders.sheets import write_sheet
from clew.memory.knowledge.loaders.source import LONGEST_REASON, Source
from clew.memory.text import clean

PACKAGES = (".docx", ".docm", ".odt", ".ods")  # zipped XML, whose hidden text can be taken out
SHEETS = (".ods", ".xls", ".xlsb")
OTHERS = (".doc", ".rtf", ".xls", ".xlsb", ".odp", ".ppt", ".epub", ".fb2", ".msg")
MARKS = (".rst", ".org", ".tex", ".typ", ".xml")  # text, which is decoded before
_MIDNIGHT = " 00:00:00"
_BULLET = re.compile(r"<p>\s*[•–▪◦‣·]\s+(.*?)</p>", re.DOTALL)


def read_office(source: Source) -> Iterator[Document]:
    """One document. Raises `Unreadable` where the library stops at it."""
    data, ending = source.path.read_bytes(), source.path.suffix.lower()
    if ending == ".xml" and (records := [*read_xml(source)]):
        yield from records
        return
    data, hidden = shown_of(data) if ending in PACKAGES else (data, "")
    result = extracted(decode(data).encode() if ending in MARKS else data, source)
    told = result.metadata
    if ending in SHEETS:
        layout, tables = TextLayout(), {table.page_number: table.cells for table in result.tables}
        for number, name in enumerate(told.get("sheet_names") or [""] * len(tables), 1):
            cells = [[clean(cell.removesuffix(_MIDNIGHT)) for cell in row] for row in tables.get(number, ())]
            write_sheet(layout, name, list(enumerate(cells, 1)))
    else:
        layout = html.laid_out(_page(result))
    if ending in MARKS and not layout.text:  # a part of a text, which begins no document
        yield from read_text(source)
        return
    title = clean(str(told.get("title") or "")).strip()
    title = title if like_a_title(title) else ""
    layout.hidden, date = [hidden], str(told.get("date") or "")
    document = layout.document(source, title, author=told.get("authors"), tags=told.get("keywords"), date=date)
    yield replace(document, title=title_of_file(source.path)) if ending in (*SHEETS, ".xml") else document


def _page(result: Any) -> HtmlElement:
    """As HTML, with the heads and feet of pages, which kreuzberg leaves out, once each in a list above all headings."""
    nodes = [(node.get("content_layer"), node["content"].get("text") or "") for node in result.document["nodes"]]
    said = {text for layer, text in nodes if not layer}
    beside = dict.fromkeys(text for layer, text in nodes if layer in ("header", "footer"))
    found = [f"<li>{escape(text)}</li>" for text in beside if text not in said and not text.isdecimal()]
    written = _BULLET.sub(r"<li>\1</li>", clean("".join(found) + result.content)).replace(BREAK, "<br>")
    page = html.parse(reduce(lambda text, sign: text.replace(SIGNS[sign], escape(sign)), SIGNS, written))
    for listed in page.iter("ul", "ol"):
        counts = Counter[int]()
        for item in listed.iterchildren("li"):
            depth, item.text = (item.text or "").count(DEEPER), (item.text or "").replace(DEEPER, "")
            counts = Counter({level: count for level, count in counts.items() if level <= depth}) + Counter([depth])
            item.set(html.MARKER, NESTED * depth + (f"{counts[depth]}. " if listed.tag == "ol" else "- "))
    return _headed(page)


def _headed(page: HtmlElement) -> HtmlElement:
    """No program says which cells are heads: those of the first row, but for one of data."""
    for table in page.iter("table"):
        of_data = not has_heads(html.grid(list(table.iter("tr"))))
        for cell in list(table.iter("th")) if of_data else ():
            cell.tag = "td"
    return page


def extracted(data: bytes, source: Source) -> Any:
    """What kreuzberg makes of a file. It opens no other, and keeps nothing. Raises `Unreadable`."""
    import kreuzberg

    config = kreuzberg.ExtractionConfig(
        use_cache=False,
        output_format="html",
        disable_ocr=True,  # type: ignore[call-arg] # its stub has it not
        include_document_structure=source.path.suffix.lower() not in SHEETS,  # a record for each cell
        content_filter=kreuzberg.ContentFilterConfig(include_headers=True, include_footers=True),
        concurrency=kreuzberg.ConcurrencyConfig(max_threads=1),
    )
    try:
        kind = kreuzberg.detect_mime_type_from_path(source.path)
        return kreuzberg.extract_bytes_sync(data, kind, config)
    except (kreuzberg.KreuzbergError, ValueError, RuntimeError, OSError) as error:
        why = " ".join(str(error).split())[:LONGEST_REASON]
        raise Unreadable(f"it cannot be read: {why}") from error


# Slides ---------------------------------------------------------------------------------------------------------------

_TITLES, _NO_TEXT = ("title", "ctrTitle"), ("sldNum", "dt", "ftr", "hdr", "sldImg")
_RELATED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_TRUE, _HIDDEN = ("1", "true"), ' style="display:none"'


def read_slides(source: Source) -> Iterator[Document]:
    """One document, whose places are the slides. Raises `Unreadable` for another file."""
    with opened(source.path.read_bytes()) as package:
        links, slides = package.links("ppt/presentation.xml"), package.parsed("ppt/presentation.xml").iter("{*}sldId")
        page = "".join(_slide(package, number, links[one.get(_RELATED, "")]) for number, one in enumerate(slides, 1))
        title, author, tags = package.told()
    layout = html.laid_out(_headed(html.parse(page)))
    yield layout.document(source, title if title in layout.text else "", author=author, tags=tags)


def _slide(package: Package, number: int, name: str) -> str:
    """The title, and the other boxes from the top to the bottom where all of them say where they are."""
    slide = package.parsed(name)
    boxes = list(slide.iter("{*}sp", "{*}graphicFrame"))
    tops = {box: [int(at.get("y", 0)) for at in box.iter("{*}off")] for box in boxes}
    are_placed = all(tops[box] for box in boxes if _kind(box) not in _TITLES)
    boxes.sort(key=lambda box: (_kind(box) not in _TITLES, _kind(box) not in _TITLES and are_placed and tops[box][0]))
    beside = [package.parsed(other) for other in package.links(name).values() if "notesSlides/" in other]
    notes = [_words(box) for other in beside for box in other.iter("{*}sp") if _kind(box) not in _NO_TEXT]
    said = "".join(f"<p>Notes: {words}</p>" for words in notes if words)
    style = _HIDDEN if slide.get("show", "1") not in _TRUE else ""
    return f'<div {html.PLACE}="slide {number}"{style}>{"".join(map(_box, boxes))}{said}</div>'


def _kind(box: _Element) -> str:
    place = next(box.iter("{*}ph"), None)
    return "" if place is None else place.get("type", "body")


def _paragraphs(held: _Element) -> list[tuple[int, str]]:
    """How deep each lies that has words, and these, in HTML."""
    found = []
    for one in held.iter("{*}p"):
        said = (" " if name_of(part) == "br" else escape(clean(part.text or "")) for part in one.iter("{*}t", "{*}br"))
        level = next((attribute(its, "lvl") for its in one.iterchildren("{*}pPr")), "")
        found.append((min(int(level or 0), 9), "".join(said).strip()))
    return [one for one in found if one[1]]


def _words(held: _Element) -> str:
    return " ".join(words for _, words in _paragraphs(held))


def _box(box: _Element) -> str:
    said, rows = _paragraphs(box), "".join(map(_row, box.iter("{*}tr")))
    if _kind(box) in _TITLES:
        inside = f"<h1>{_words(box)}</h1>"
    elif rows:
        inside = f"<table>{rows}</table>"
    elif len(said) > 1:
        inside = "".join(f'<li {html.MARKER}="{NESTED * level}- ">{words}</li>' for level, words in said)
    else:
        inside = _words(box)
    gone = next(box.iter("{*}cNvPr")).get("hidden") in _TRUE
    return "" if _kind(box) in _NO_TEXT else f"<div{_HIDDEN if gone else ''}>{inside}</div>"


def _row(row: _Element) -> str:
    cells = [one for one in row.iterchildren("{*}tc") if not {one.get("hMerge"), one.get("vMerge")} & {*_TRUE}]
    spans = (f'rowspan="{cell.get("rowSpan", "1")}" colspan="{cell.get("gridSpan", "1")}"' for cell in cells)
    return f"<tr>{''.join(f'<th {span}>{_words(cell)}</th>' for span, cell in zip(spans, cells, strict=True))}</tr>"

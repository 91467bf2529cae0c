"""Presentations (.pptx), as HTML: the slides in their order, each with its boxes, tables and notes."""

from collections.abc import Iterator
from html import escape

from lxml.etree import _Element

from clew.memory.datatypes import Document
from clew.memory.knowledge.loaders import html
from clew.memory.knowledge.loaders.layout import NESTED
from clew.memory.knowledge.loaders.packages import Package, attribute, name_of, opened
from clew.memory.knowledge.loaders.source import Source
from clew.memory.text import clean

_NO_TEXT = ("sldNum", "dt", "ftr", "hdr", "sldImg")
_RELATED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_TRUE, _HIDDEN = ("1", "true"), ' style="display:none"'


def read_slides(source: Source) -> Iterator[Document]:
    """One document, whose places are the slides. Raises `Unreadable` for another file."""
    with opened(source.path.read_bytes()) as package:
        links, slides = package.links("ppt/presentation.xml"), package.parsed("ppt/presentation.xml").iter("{*}sldId")
        page = "".join(_slide(package, number, links[one.get(_RELATED, "")]) for number, one in enumerate(slides, 1))
        title, author, tags = package.told()
    layout, hidden = html.laid_out(html.parse(page))
    title = title if title in layout.text else ""
    yield layout.document(source, title, author=author, tags=tags, hidden_text=hidden)


def _slide(package: Package, number: int, name: str) -> str:
    """The title, and the other boxes from the top to the bottom where all say where they are."""
    slide = package.parsed(name)
    boxes = list(slide.iter("{*}sp", "{*}graphicFrame"))
    tops = {box: [int(at.get("y", 0)) for at in box.iter("{*}off")] for box in boxes}
    boxes.sort(key=lambda box: (not _is_title(box), tops[box][0] if all(tops.values()) else 0))
    others = [package.parsed(other) for other in package.links(name).values() if "notesSlides/" in other]
    notes = [_words(box) for other in others for box in other.iter("{*}sp") if _kind(box) not in _NO_TEXT]
    said = "".join(f"<p>Notes: {words}</p>" for words in notes if words)
    style = _HIDDEN if slide.get("show", "1") not in _TRUE else ""
    return f'<div {html.PLACE}="slide {number}"{style}>{"".join(map(_box, boxes))}{said}</div>'


def _kind(box: _Element) -> str:
    place = next(box.iter("{*}ph"), None)
    return "" if place is None else place.get("type", "body")


def _is_title(box: _Element) -> bool:
    return _kind(box) in ("title", "ctrTitle")


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
    said, rows = _paragraphs(box), [_row(row) for row in box.iter("{*}tr")]
    if _is_title(box):
        inside = f"<h1>{_words(box)}</h1>"
    elif rows:
        inside = f"<table>{''.join(rows)}</table>"
    elif len(said) > 1:
        inside = "".join(f'<li {html.MARKER}="{NESTED * level}- ">{words}</li>' for level, words in said)
    else:
        inside = _words(box)
    gone = next(box.iter("{*}cNvPr")).get("hidden") in _TRUE
    return "" if _kind(box) in _NO_TEXT else f"<div{_HIDDEN if gone else ''}>{inside}</div>"


def _row(row: _Element) -> str:
    cells = [one for one in row.iterchildren("{*}tc") if not {one.get("hMerge"), one.get("vMerge")} & {*_TRUE}]
    spans = [f'rowspan="{cell.get("rowSpan", "1")}" colspan="{cell.get("gridSpan", "1")}"' for cell in cells]
    return f"<tr>{''.join(f'<th {span}>{_words(cell)}</th>' for span, cell in zip(spans, cells, strict=True))}</tr>"

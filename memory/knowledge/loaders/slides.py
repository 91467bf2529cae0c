"""Presentations (.pptx): the slides in their order, each with its boxes, tables and notes. A slide or a box that is
hidden is kept apart."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from clew.memory.datatypes import Document
from clew.memory.knowledge.loaders.layout import TextLayout
from clew.memory.knowledge.loaders.packages import opened
from clew.memory.knowledge.loaders.source import Loader, Source
from clew.memory.text import clean

if TYPE_CHECKING:
    from lxml.etree import _Element

_BOXES = ("{*}sp", "{*}graphicFrame")
_NO_TEXT = ("sldNum", "dt", "ftr", "hdr", "sldImg")
_RELATED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def read_slides(source: Source) -> Iterator[Document]:
    """One document, whose places are the slides. Raises `Unreadable` for another file."""
    layout, hidden = TextLayout(), list[str]()
    with opened(source.path.read_bytes()) as package:
        links = package.links("ppt/presentation.xml")
        listed = [links[one.get(_RELATED, "")] for one in package.parsed("ppt/presentation.xml").iter("{*}sldId")]
        for number, name in enumerate(listed, 1):
            slide = package.parsed(name)
            if slide.get("show") in ("0", "false"):
                hidden.append(" ".join(_paragraphs(slide)))
                continue
            layout.page(f"slide {number}")
            for box in _in_order(slide):
                _write(layout, box, hidden)
            for other in package.links(name).values():
                if "notesSlides/" in other:
                    _notes(layout, package.parsed(other))
        title, author, tags = package.told()
    title = title if title and title in layout.text else ""
    yield layout.document(source, title, author=author, tags=tags, hidden_text="\n".join(hidden))


def _in_order(slide: "_Element") -> "list[_Element]":
    """The title, and the other boxes from the top to the bottom where all say where they are."""
    boxes = list(slide.iter(*_BOXES))
    places = [[(int(at.get("y", 0)), int(at.get("x", 0))) for at in box.iter("{*}off")] for box in boxes]
    if all(places):
        boxes = [box for _, box in sorted(zip(places, boxes, strict=True), key=lambda one: one[0][0])]
    return sorted(boxes, key=lambda box: not _is_title(box))


def _kind(box: "_Element") -> str:
    place = next(box.iter("{*}ph"), None)
    return "" if place is None else place.get("type", "body")


def _is_title(box: "_Element") -> bool:
    return _kind(box) in ("title", "ctrTitle")


def _paragraphs(held: "_Element") -> list[str]:
    """The words of each, of those that have any."""
    said = (
        "".join(one.text or "" if str(one.tag).endswith("}t") else " " for one in paragraph.iter("{*}t", "{*}br"))
        for paragraph in held.iter("{*}p")
    )
    return list(filter(None, (clean(words).strip() for words in said)))


def _write(layout: TextLayout, box: "_Element", hidden: list[str]) -> None:
    paragraphs = _paragraphs(box)
    if next(box.iter("{*}cNvPr")).get("hidden") in ("1", "true"):
        hidden.append("\n".join(paragraphs))
    elif _is_title(box):
        layout.heading(" ".join(paragraphs))
    elif (table := next(box.iter("{*}tbl"), None)) is not None:
        layout.table(_rows(table))
    elif _kind(box) not in _NO_TEXT:
        layout.paragraph()
        for words in paragraphs:
            layout.item(words) if len(paragraphs) > 1 else layout.words(words)
        layout.paragraph()


def _rows(table: "_Element") -> list[list[str]]:
    """A cell that is merged stands in each that it spans."""
    rows: list[list[str]] = []
    for row in table.iter("{*}tr"):
        made: list[str] = []
        for place, cell in enumerate(row.iterchildren("{*}tc")):
            if cell.get("hMerge") in ("1", "true") and made:
                made.append(made[-1])
            elif cell.get("vMerge") in ("1", "true") and rows and place < len(rows[-1]):
                made.append(rows[-1][place])
            else:
                made.append(" ".join(_paragraphs(cell)))
        rows.append(made)
    return rows


def _notes(layout: TextLayout, notes: "_Element") -> None:
    for box in notes.iter("{*}sp"):
        said = _paragraphs(box)
        if said and _kind(box) not in _NO_TEXT:
            layout.paragraph()
            layout.words(f"Notes: {' '.join(said)}")
            layout.paragraph()


SLIDES = Loader("slides", read_slides, (".pptx", ".pptm", ".ppsx"))

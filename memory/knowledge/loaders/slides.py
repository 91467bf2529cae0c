"""Presentations (.pptx): the slides in their order, each with its boxes, tables and notes. A slide or a box that is
hidden is kept apart."""

import zipfile
from collections.abc import Iterator
from posixpath import basename, normpath
from typing import TYPE_CHECKING

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders.layout import TextLayout
from clew.memory.knowledge.loaders.office_hidden_text import BROKEN
from clew.memory.knowledge.loaders.source import Loader, Source, in_a_line
from clew.memory.text import clean

if TYPE_CHECKING:
    from lxml.etree import _Element

_BOXES = ("{*}sp", "{*}graphicFrame")
_NO_TEXT = ("sldNum", "dt", "ftr", "hdr", "sldImg")
_RELATED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def read_slides(source: Source) -> Iterator[Document]:
    """One document, whose places are the slides. Raises `Unreadable` for another file."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    layout, hidden = TextLayout(), list[str]()
    try:
        with zipfile.ZipFile(source.path) as file:

            def parsed(name: str) -> "_Element":
                return etree.fromstring(file.read(name), parser)

            links = _links(parsed("ppt/_rels/presentation.xml.rels"))
            listed = [links[one.get(_RELATED)] for one in parsed("ppt/presentation.xml").iter("{*}sldId")]
            for number, name in enumerate(listed, 1):
                slide, beside = parsed(f"ppt/{name}"), f"ppt/slides/_rels/{basename(name)}.rels"
                if slide.get("show") in ("0", "false"):
                    hidden.append(" ".join(filter(None, map(_words, slide.iter("{*}p")))))
                    continue
                layout.page(f"slide {number}")
                for box in _in_order(slide):
                    _write(layout, box, hidden)
                for other in _links(parsed(beside)).values() if beside in file.namelist() else ():
                    if "notesSlides/" in other:
                        _notes(layout, parsed(normpath(f"ppt/slides/{other}")))
            told = parsed("docProps/core.xml") if "docProps/core.xml" in file.namelist() else slide
    except (*BROKEN, etree.XMLSyntaxError) as error:
        raise Unreadable(f"not a presentation: {error}") from error
    title, author, tags = (clean(told.findtext(f"{{*}}{name}") or "") for name in ("title", "creator", "keywords"))
    title = title if title and title in layout.text else ""
    yield layout.document(source, title, author=in_a_line(author), tags=in_a_line(tags), hidden_text="\n".join(hidden))


def _links(related: "_Element") -> dict[str | None, str]:
    return {one.get("Id"): one.get("Target", "").removeprefix("/ppt/") for one in related}


def _in_order(slide: "_Element") -> "list[_Element]":
    """The title, and the other boxes from the top to the bottom where all say where they are."""
    boxes = list(slide.iter(*_BOXES))
    places = [at for box in boxes if (at := next(box.iter("{*}off"), None)) is not None]
    if len(places) == len(boxes):
        tops = {id(box): (int(at.get("y", 0)), int(at.get("x", 0))) for box, at in zip(boxes, places, strict=True)}
        boxes.sort(key=lambda box: tops[id(box)])
    return sorted(boxes, key=lambda box: not _is_title(box))


def _kind(box: "_Element") -> str:
    place = next(box.iter("{*}ph"), None)
    return "" if place is None else place.get("type", "body")


def _is_title(box: "_Element") -> bool:
    return _kind(box) in ("title", "ctrTitle")


def _words(paragraph: "_Element") -> str:
    return clean(
        "".join(one.text or "" if str(one.tag).endswith("}t") else " " for one in paragraph.iter("{*}t", "{*}br"))
    )


def _write(layout: TextLayout, box: "_Element", hidden: list[str]) -> None:
    paragraphs = [words for one in box.iter("{*}p") if (words := _words(one).strip())]
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
                made.append(" ".join(filter(None, map(_words, cell.iter("{*}p")))))
        rows.append(made)
    return rows


def _notes(layout: TextLayout, notes: "_Element") -> None:
    for box in notes.iter("{*}sp"):
        said = [words for one in box.iter("{*}p") if (words := _words(one).strip())]
        if said and _kind(box) not in _NO_TEXT:
            layout.paragraph()
            layout.words(f"Notes: {' '.join(said)}")
            layout.paragraph()


SLIDES = Loader("slides", read_slides, (".pptx", ".pptm", ".ppsx"))

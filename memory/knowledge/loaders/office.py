"""Files of office programs, books, markup and data, by kreuzberg: text documents, older spreadsheets, EPUB and others.

What such a file holds and does not show is taken out before, and kept apart (`office_hidden_text`). Workbooks and
slides have files of their own (`sheets`, `slides`).
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from typing import Any

from lxml.html import HtmlElement

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders import html
from clew.memory.knowledge.loaders.layout import NESTED, TextLayout
from clew.memory.knowledge.loaders.office_hidden_text import BREAK, DEEPER, shown_of
from clew.memory.knowledge.loaders.plain_text import decode, like_a_title, read_text, title_of_file
from clew.memory.knowledge.loaders.sheets import write_sheet
from clew.memory.knowledge.loaders.source import LONGEST_REASON, Source, in_a_line
from clew.memory.text import clean

PACKAGES = (".docx", ".docm", ".odt", ".ods")
"""Zipped XML, whose hidden text can be taken out."""

SHEETS = (".ods", ".xls", ".xlsb")
OTHERS = (".doc", ".rtf", ".xls", ".xlsb", ".odp", ".ppt", ".epub", ".fb2", ".msg")
MARKS = (".rst", ".org", ".tex", ".typ", ".xml")
"""Text, which is decoded before."""

_MIDNIGHT = re.compile(r"(\d{4}-\d\d-\d\d) 00:00:00")
_BULLET = re.compile(r"<p>\s*[•–▪◦‣·]\s+(.*?)</p>", re.DOTALL)


def read_office(source: Source) -> Iterator[Document]:
    """One document. Raises `Unreadable` where the library stops at it."""
    data, ending = source.path.read_bytes(), source.path.suffix.lower()
    data, hidden = shown_of(data) if ending in PACKAGES else (data, "")
    result = extracted(decode(data).encode() if ending in MARKS else data, source)
    told = result.metadata
    if ending in SHEETS:
        layout, tables = TextLayout(), {table.page_number: table.cells for table in result.tables}
        for number, name in enumerate(told.get("sheet_names") or [""] * len(tables), 1):
            cells = [[clean(_MIDNIGHT.sub(r"\1", cell)) for cell in row] for row in tables.get(number, ())]
            write_sheet(layout, name, list(enumerate(cells, 1)))
    else:
        layout, _ = html.laid_out(_page(result))
    if ending in MARKS and not layout.text:  # a part of a text, which begins no document
        yield from read_text(source)
        return
    title = clean(str(told.get("title") or "")).strip()
    author, tags = in_a_line(told.get("authors") or ()), in_a_line(told.get("keywords") or ())
    document = layout.document(source, title if like_a_title(title) else "", author=author, tags=tags)
    date = str(told.get("date") or "")
    if ending in (*SHEETS, ".xml"):
        document = replace(document, title=title_of_file(source.path))
    yield replace(document, hidden_text=hidden, date=date)


def _page(result: Any) -> HtmlElement:
    """As HTML, with the heads and feet of pages once each at the end, which kreuzberg leaves out."""
    nodes = [(node.get("content_layer"), node["content"].get("text") or "") for node in result.document["nodes"]]
    said = {text for layer, text in nodes if not layer}
    beside = dict.fromkeys(text for layer, text in nodes if layer in ("header", "footer"))
    found = [f"<p>{escape(text)}</p>" for text in beside if text not in said and not text.isdecimal()]
    page = html.parse(_BULLET.sub(r"<li>\1</li>", clean(result.content + "".join(found))).replace(BREAK, "<br>"))
    for listed in page.iter("ul", "ol"):
        counts = Counter[int]()
        for item in listed.iterchildren("li"):
            depth, item.text = (item.text or "").count(DEEPER), (item.text or "").replace(DEEPER, "")
            counts = Counter({level: count for level, count in counts.items() if level <= depth}) + Counter([depth])
            item.set(html.MARKER, NESTED * depth + (f"{counts[depth]}. " if listed.tag == "ol" else "- "))
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

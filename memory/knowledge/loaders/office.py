"""Files of office programs, books, markup and data, by kreuzberg: text documents, spreadsheets, EPUB, JSON and others.

What such a file holds and does not show is taken out before, and kept apart (`office_hidden_text`). Slides have a file
of their own (`slides`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders.layout import TextLayout
from clew.memory.knowledge.loaders.office_hidden_text import Grid, Shown, shown_of
from clew.memory.knowledge.loaders.plain_text import decode, like_a_title, read_text, title_of_file
from clew.memory.knowledge.loaders.source import LONGEST_REASON, Loader, Source, in_a_line
from clew.memory.text import clean

PACKAGES = (".docx", ".docm", ".odt", ".xlsx", ".xlsm", ".ods")
"""Zipped XML, whose hidden text can be taken out."""

OTHERS = (".doc", ".rtf", ".xls", ".xlsb", ".odp", ".ppt", ".epub", ".fb2", ".msg")
MARKS = (".rst", ".org", ".tex", ".typ", ".xml")
"""Text, which is decoded before."""

SHEETS = (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")

_REFERENCE = re.compile(r"\[\^\w+\]")
"""What stands for a footnote's number."""

_BULLET = re.compile(r"\s*[•–▪◦‣·]\s+")


def read_office(source: Source) -> Iterator[Document]:
    """One document. Raises `Unreadable` where the library stops at it."""
    data, ending = source.path.read_bytes(), source.path.suffix.lower()
    held = shown_of(data) if ending in PACKAGES else Shown(decode(data).encode() if ending in MARKS else data)
    result = extracted(held.data, source)
    layout, told, hidden = TextLayout(), result.metadata, held.hidden
    if ending in SHEETS:
        hidden = "\n".join(filter(None, _sheets(layout, result, held.grids)))
    else:
        _write(layout, result.document["nodes"])
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


def extracted(data: bytes, source: Source) -> Any:
    """What kreuzberg makes of a file. It opens no other, and keeps nothing. Raises `Unreadable`."""
    import kreuzberg

    config = kreuzberg.ExtractionConfig(
        use_cache=False,
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


def _write(layout: TextLayout, nodes: Sequence[Mapping[str, Any]]) -> None:
    """In their order; heads and feet of pages, which stand last, once each."""
    said = set[str]()
    last = ""
    for place, node in enumerate(nodes):
        content, layer = node["content"], node.get("content_layer", "body")
        text = clean(_REFERENCE.sub("", content.get("text") or ""))
        if layer in ("header", "footer") and (text in said or text.isdecimal()):
            continue
        said.add(text)
        match content["node_type"]:
            case "title" | "heading":
                layout.heading(text, content.get("level") or 1)
            case "list_item":
                layout.item(text, _marker(nodes, place))
            case "table":
                layout.table(_cells(content["grid"]))
            case "code" | "formula":
                layout.code(text)
            case "paragraph" if bullet := _BULLET.match(text):
                layout.item(text[bullet.end() :])
            case "list" if last in ("list", "list_item"):
                layout.line()
            case "list" | "quote" | "group":
                layout.paragraph()
            case _ if text.strip():
                layout.paragraph()
                for line in text.splitlines():
                    layout.words(line)
                    layout.line()
                layout.paragraph()
        last = content["node_type"]


def _marker(nodes: Sequence[Mapping[str, Any]], place: int) -> str:
    """Of an item of a list."""
    above = nodes[nodes[place]["parent"]] if nodes[place].get("parent") is not None else {}
    ordered = above.get("content", {}).get("ordered")
    return f"{above['children'].index(place) + 1}. " if ordered else "- "


def _cells(grid: Mapping[str, Any]) -> list[list[str]]:
    rows = [[""] * grid["cols"] for _ in range(grid["rows"])]
    for cell in grid["cells"]:
        for row in rows[cell["row"] : cell["row"] + cell["row_span"]]:
            for place in range(cell["col"], min(cell["col"] + cell["col_span"], grid["cols"])):
                row[place] = clean(cell["content"])
    return rows


# Spreadsheets --------------------------------------------------------------------------------------------------------

_MIDNIGHT = re.compile(r"(\d{4}-\d\d-\d\d) 00:00:00")


def _sheets(layout: TextLayout, result: Any, grids: Mapping[str, Grid]) -> Iterator[str]:
    """Each below its name; an empty row ends a table, and rows of one cell are lines of text. Yields what is hidden."""
    names = result.metadata.get("sheet_names") or [""] * len(result.tables)
    tables = {table.page_number: table.cells for table in result.tables}
    for number, name in enumerate(names, 1):
        cells = [[clean(_MIDNIGHT.sub(r"\1", cell)) for cell in row] for row in tables.get(number, ())]
        rows, hidden = grids.get(name, Grid()).parted(cells)
        yield hidden
        if not any(any(row) for _, row in rows):
            continue
        layout.page(f"sheet {name}")
        layout.heading(name)
        for start, stanza in _stanzas(rows):
            if max(sum(map(bool, row)) for row in stanza) > 1:
                layout.table(stanza, name, f"sheet {name}", start)
            else:
                layout.verbatim("\n".join(filter(None, map("".join, stanza))))


def _stanzas(rows: Sequence[tuple[int, list[str]]]) -> Iterator[tuple[int, list[list[str]]]]:
    """The rows between empty ones, with the number of the first; a title above a table stands apart."""
    start, held = 0, list[list[str]]()
    for number, row in [*rows, (0, [""])]:
        full = sum(map(bool, row))
        if held and (not full or (full > 1 and sum(map(bool, held[-1])) == 1 == len(held))):
            yield start, held
            held = []
        start = start if held else number
        if full:
            held.append(row)


OFFICE = Loader("office", read_office, (*PACKAGES, *OTHERS, *MARKS))

"""Notes that Evernote exports (.enex): a document each, with its day, author and tags, without what is attached."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders.html import laid_out
from clew.memory.knowledge.loaders.source import Loader, LoadFailure, Source, in_a_line, shown
from clew.memory.text import clean

if TYPE_CHECKING:
    from lxml.etree import _Element


def read_notes(source: Source) -> Iterator[Document | LoadFailure]:
    """A note that cannot be read is named. Raises `Unreadable` where the file breaks off."""
    from lxml import etree

    titles = Counter[str]()
    parsed = etree.iterparse(str(source.path), tag="note", resolve_entities=False, no_network=True, huge_tree=True)
    try:
        for _, note in parsed:
            title = clean(" ".join((note.findtext("title") or "").split())) or f"note {titles.total() + 1}"
            titles[title] += 1
            inside = title if titles[title] == 1 else f"{title} ({titles[title]})"
            try:
                found = _note(source, note, title)
                yield replace(found, id=f"{source.name}/{inside}", source=f"{shown(source.path)}: {inside}")
            except Unreadable as error:
                yield LoadFailure(f"{shown(source.path)}: {inside}", error.message)
            note.clear()
    except etree.XMLSyntaxError as error:
        raise Unreadable(f"broken XML after {titles.total()} notes: {error.msg}") from error


def _note(source: Source, note: "_Element", title: str) -> Document:
    layout, hidden = laid_out(clean(note.findtext("content") or ""))
    when = note.findtext("updated") or note.findtext("created") or ""  # 20240501T101500Z
    date = f"{when[:4]}-{when[4:6]}-{when[6:8]}" if when[:8].isdecimal() else ""
    tags, author = in_a_line([tag.text for tag in note.findall("tag")]), note.findtext("note-attributes/author")
    return layout.document(source, title, date=date, author=in_a_line(author), tags=tags, hidden_text=hidden)


EVERNOTE = Loader("evernote", read_notes, (".enex",))

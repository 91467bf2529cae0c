"""Reading documents: which files there are (`discover`), and what is in each (`read`)."""

from collections.abc import Callable, Iterator, Mapping

from clew.memory.datatypes import Document, Edge
from clew.memory.errors import Unreadable
from clew.memory.knowledge.reading.discover import discover
from clew.memory.knowledge.reading.graph import read_graph, read_graph_edges
from clew.memory.knowledge.reading.html import read_html
from clew.memory.knowledge.reading.jsonl import read_jsonl
from clew.memory.knowledge.reading.markdown import read_markdown
from clew.memory.knowledge.reading.mediawiki import read_dump, read_links
from clew.memory.knowledge.reading.pdf import read_pdf
from clew.memory.knowledge.reading.plain import read_text
from clew.memory.knowledge.reading.source import (
    Failure,
    Kind,
    Source,
    digest,
    file_digest,
    other_ids,
    reason,
    shown,
    size,
    source_digest,
)
from clew.memory.knowledge.reading.triples import read_triples

__all__ = [
    "Failure",
    "Source",
    "digest",
    "discover",
    "file_digest",
    "other_ids",
    "read",
    "read_edges",
    "shown",
    "size",
    "source_digest",
]

READERS: Mapping[Kind, Callable[[Source], Iterator[Document | Failure]]] = {
    "text": read_text,
    "markdown": read_markdown,
    "html": read_html,
    "pdf": read_pdf,
    "jsonl": read_jsonl,
    "beir": read_jsonl,
    "graph": read_graph,
    "triples": read_triples,
    "mediawiki": read_dump,
}
"""To add a kind: a file with its reader, a line here, and its endings in `discover`."""

EDGES: Mapping[Kind, Callable[[Source], Iterator[Edge | Failure]]] = {
    "graph": read_graph_edges,
    "mediawiki": read_links,
}
"""Of the kinds that have edges."""


def read(source: Source) -> Iterator[Document | Failure]:
    """The documents of a source as they are read. What is wrong with it comes as a `Failure`, never raised."""
    try:
        yield from READERS[source.kind](source)
    except Unreadable as error:
        yield Failure(shown(source.path), error.message)
    except OSError as error:
        yield Failure(shown(source.path), reason(error))


def read_edges(source: Source) -> Iterator[Edge | Failure]:
    """The edges of a source as they come; of most kinds, none. What `read` has told to be wrong is not told again."""
    if source.kind in EDGES:
        yield from EDGES[source.kind](source)

"""The loaders, and reading a source with the one that it was found by."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from clew.memory.datatypes import Document, Edge
from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders import (
    graph_folder,
    html,
    jsonl,
    markdown,
    pdf,
    plain_text,
    triples_file,
    wikipedia,
)
from clew.memory.knowledge.loaders.source import Loader, LoadFailure, Source, reason, shown

LOADERS: tuple[Loader, ...] = (
    plain_text.TEXT,
    markdown.MARKDOWN,
    html.HTML,
    pdf.PDF,
    graph_folder.GRAPH,
    jsonl.BEIR,
    jsonl.JSONL,
    triples_file.TRIPLES,
    wikipedia.WIKIPEDIA,
)
"""Of two that take the same file or folder, the first reads it. A file that none takes is read as text, where it is
named itself."""


def loader_of(path: Path, loaders: Sequence[Loader] = LOADERS) -> Loader | None:
    """By the end of the name, and for some kinds by how the file begins."""
    name = path.name.lower()
    return next((loader for loader in loaders if name.endswith(loader.suffixes) and loader.recognises(path)), None)


def read(source: Source) -> Iterator[Document | LoadFailure]:
    """The documents of a source as they are read. What is wrong with it comes as a `LoadFailure`, never raised."""
    try:
        yield from source.loader.read(source)
    except Unreadable as error:
        yield LoadFailure(shown(source.path), error.message)
    except OSError as error:
        yield LoadFailure(shown(source.path), reason(error))


def read_edges(source: Source) -> Iterator[Edge | LoadFailure]:
    """The edges of a source as they come; of most kinds, none. A failure that `read` has reported is not repeated."""
    yield from source.loader.edges(source)

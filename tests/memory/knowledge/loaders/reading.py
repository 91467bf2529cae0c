"""One file, read by the loader that takes it."""

from pathlib import Path

from clew.memory.datatypes import Document
from clew.memory.knowledge.loaders.registry import discover, read
from clew.memory.knowledge.loaders.source import Item, LoadFailure


def items(path: Path, data: bytes | str | None = None) -> list[Item]:
    """All that is read of a file, or of one that is written first."""
    if data is not None:
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    [source] = discover([path]).sources
    return list(read(source))


def document(path: Path, data: bytes | str | None = None) -> Document:
    """The one document of a file."""
    [item] = items(path, data)
    assert isinstance(item, Document), item
    return item


def reason(path: Path, data: bytes | str | None = None) -> str:
    """Why nothing of a file is read."""
    [item] = items(path, data)
    assert isinstance(item, LoadFailure) and item.source == str(path), item
    return item.reason

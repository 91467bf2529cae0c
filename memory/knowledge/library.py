"""A library opened for reading."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from clew.memory.errors import ClewError
from clew.memory.knowledge.disk import Manifest, check_encoder, current_generation, read_manifest, required_generation
from clew.memory.knowledge.store import EmbeddedStore
from clew.memory.ports import Encoder


@dataclass(frozen=True, slots=True)
class Library:
    """A library opened for reading, as it was when it was opened. Leaving it closes its store."""

    path: Path
    manifest: Manifest
    store: EmbeddedStore

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()


def open_library(path: Path, encoder: Encoder | None) -> Library:
    """Open the current generation; with `encoder`, only if it was made by that one.

    Raises `NoLibrary`, `LibraryMismatch`, or `ClewError` where the folder is damaged.
    """
    while True:
        generation = required_generation(path)
        try:
            manifest = read_manifest(generation)
            check_encoder(path, manifest, encoder)
            return Library(path, manifest, EmbeddedStore(generation, manifest.keywords, manifest.date_order))
        except ClewError:
            if current_generation(path) == generation:
                raise
            # It was replaced between reading its name and opening it.

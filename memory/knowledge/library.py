"""A library opened for reading, embedded in a folder or on a cluster."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

from clew.memory.errors import ClewError, LibraryMismatch, NoLibrary
from clew.memory.knowledge.catalogue import Catalogue
from clew.memory.knowledge.cluster.cluster_store import ClusterStore, open_cluster
from clew.memory.knowledge.cluster.connection import ClusterAddress, Place
from clew.memory.knowledge.cluster.generations import Generations
from clew.memory.knowledge.disk import (
    Manifest,
    Recorded,
    check_encoder,
    current_generation,
    read_manifest,
    recorded,
    required_generation,
)
from clew.memory.knowledge.store import EmbeddedStore
from clew.memory.knowledge.vocabulary import LibraryVocabulary
from clew.memory.ports import Encoder, Search


class LibraryStore(Search, Protocol):
    """What a conversation asks of a library beside what tools do."""

    @property
    def state(self) -> str:
        """Which generation this is."""

    @property
    def unread(self) -> tuple[str, ...]:
        """The paths of the files of which nothing could be read when it was indexed."""

    @property
    def of_triples(self) -> bool:
        """Whether most documents are the triples that they were given with, and no other text."""

    @property
    def catalogue(self) -> Catalogue: ...

    @property
    def vocabulary(self) -> LibraryVocabulary: ...


@dataclass(frozen=True, slots=True)
class Library:
    """A library opened for reading, as it was when it was opened. Leaving it closes its store."""

    path: Place
    manifest: Manifest
    store: LibraryStore

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()


def recorded_at(place: Place) -> Recorded:
    """As `disk.recorded`. Raises `ServiceUnreachable` and `NotSetUp` for a cluster that does not tell."""
    if isinstance(place, Path):
        return recorded(place)
    try:
        return Recorded.model_validate(open_cluster(place).manifest.model_dump())
    except (NoLibrary, LibraryMismatch):
        return Recorded()


def current_state(library: Library) -> str:
    """The `LibraryStore.state` that is in use now; empty where the library is gone."""
    if isinstance(library.store, ClusterStore):
        return Generations(library.store.cluster).current()
    return str((isinstance(library.path, Path) and current_generation(library.path)) or "")


def open_library(path: Place, encoder: Encoder | None) -> Library:
    """Open the current generation; with `encoder`, only if it was made by that one.

    Raises `NoLibrary`, `LibraryMismatch`, or `ClewError` where the folder is damaged; of a cluster also
    `ServiceUnreachable`, and `NotSetUp` where the key is wrong.
    """
    if isinstance(path, ClusterAddress):
        store = open_cluster(path)
        check_encoder(path, store.manifest, encoder)
        return Library(path, store.manifest, store)
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

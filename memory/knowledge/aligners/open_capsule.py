"""The capsule of an open library, and the aligners that score its partitions."""

from contextlib import suppress
from functools import cached_property
from pathlib import Path

from clew.memory.errors import BadInput, NotSetUp
from clew.memory.knowledge.aligners.partition_words import PartitionWords, words_of
from clew.memory.knowledge.aligners.saved import aligner_paths, read_aligner, read_words, write_words
from clew.memory.knowledge.aligners.scoring import Aligner, Centroid, Words
from clew.memory.knowledge.disk import naming_damage
from clew.memory.knowledge.library import Library
from clew.memory.knowledge.partitioning.capsule import FOLDER, Capsule, capsules, read_capsule
from clew.memory.knowledge.store import EmbeddedStore

VOTES, CENTROID, WORDS = "votes", "centroid", "words"

SLICE = 256
"""Chunks read at a time."""


class OpenCapsule:
    """A capsule of an open library, with its words and the texts of its nodes, read when they are needed."""

    def __init__(self, library: Library, name: str = "") -> None:
        """The one in use where no name is given. Raises `BadInput` for one that the library does not have, `NotSetUp`
        where it has none."""
        generation = _generation(library)
        known = capsules_of(library)
        if name and name not in known:
            raise BadInput(f"there is no capsule '{name}'", f"--capsule {'|'.join(known)}")
        self._store = library.store
        self.name = name or known[-1]
        self.folder = generation / FOLDER / self.name
        with naming_damage(generation):
            self.capsule: Capsule = read_capsule(generation, self.name)
        self.graph = library.store.part().nodes
        self.partitioning = self.capsule.partitioning

    @cached_property
    def titles_and_texts(self) -> list[tuple[str, str]]:
        """Of all nodes, in order."""
        ids = self._store.part().layers.chunk_ids
        slices = (self._store.chunks(ids[start : start + SLICE]) for start in range(0, len(ids), SLICE))
        return [(chunk.title, chunk.text) for chunks in slices for chunk in chunks]

    @cached_property
    def words(self) -> PartitionWords:
        """Those that are saved, else made, and saved where the library can be written to."""
        saved = read_words(self.folder, self.partitioning)
        if saved:
            return saved
        made = words_of(self.titles_and_texts, self.partitioning.of_node, self.partitioning.count)
        with suppress(OSError):
            write_words(self.folder, made, self.partitioning)
        return made

    def aligner_names(self) -> list[str]:
        """Those that need no training, then all that are saved."""
        return [CENTROID, WORDS, *(path.stem for path in aligner_paths(self.folder))]

    def aligner(self, name: str) -> Aligner:
        """One of `aligner_names`; no other is read. Raises `LibraryMismatch` for one of other partitions."""
        if name == CENTROID:
            return Centroid(self.partitioning)
        if name == WORDS:
            return Words(self.words)
        path = next(path for path in aligner_paths(self.folder) if path.stem == name)
        return read_aligner(path, self.partitioning, self.words)


def capsules_of(library: Library) -> list[str]:
    """The names of all that it has, the one in use last. Raises `NotSetUp` where it has none."""
    generation = _generation(library)
    with naming_damage(generation):
        if found := capsules(generation):
            return found
    raise NotSetUp(f"the library at {library.path} has no partitions", f"clew partition --library {library.path}")


def _generation(library: Library) -> Path:
    """Raises `NotSetUp` for a library on a cluster, whose copy is read instead."""
    if isinstance(library.store, EmbeddedStore):
        return library.store.folder
    raise NotSetUp(
        f"the partitions of {library.path} are read where they are files", f"clew copy {library.path} FOLDER"
    )


def aligner_for(library: Library, name: str) -> Aligner | None:
    """For the capsule in use; None for votes, which the walk counts itself. Raises `BadInput` for an unknown name."""
    if name == VOTES:
        return None
    opened = OpenCapsule(library)
    known = opened.aligner_names()
    if name not in known:
        raise BadInput(
            f"there is no aligner '{name}' for the partitions {opened.name}",
            f"one of {', '.join([VOTES, *known])}; clew align train makes more",
        )
    return opened.aligner(name)

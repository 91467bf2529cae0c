"""`clew partition`: another capsule for a library as it is."""

import sqlite3
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

from clew.memory.knowledge.disk import held, naming_damage, required_generation
from clew.memory.knowledge.partitioning.building import build
from clew.memory.knowledge.partitioning.capsule import Capsule, write_capsule
from clew.memory.knowledge.partitioning.graph import read_graph
from clew.memory.knowledge.partitioning.wanted import Wanted
from clew.memory.progress import Progress


def remake(library: Path, wanted: Wanted) -> Generator[Progress | Capsule, None, None]:
    """Make the capsule of the current generation and name it as the one in use; ends with it. A library that is open
    keeps the one that it has read.

    Raises `NoLibrary`, `LibraryBusy`, `LibraryMismatch`, or `ClewError` where the folder is damaged.
    """
    required_generation(library)
    with held(library):
        generation = required_generation(library)
        uri = f"{(generation / 'library.sqlite').resolve().as_uri()}?mode=ro&immutable=1"
        with naming_damage(generation), closing(sqlite3.connect(uri, uri=True)) as database:
            capsule = yield from build(database, generation, read_graph(generation), wanted)
        write_capsule(generation, capsule, durable=True)
        yield capsule

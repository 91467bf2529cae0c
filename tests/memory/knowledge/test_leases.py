"""A reader keeps the generation that it opened, whatever is indexed meanwhile, and whoever indexes waits for few."""

import os
import signal
from contextlib import ExitStack
from pathlib import Path

import pytest

from clew.memory.datatypes import Progress
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.aligners.scoring import OpenCapsule
from clew.memory.knowledge.disk import current_generation, leased, unread
from clew.memory.knowledge.index import run as run_module
from clew.memory.knowledge.index.run import IndexReport, index
from clew.memory.knowledge.library import Library, open_library
from tests.memory.knowledge.index.test_run import run, titles, write


def generations(library: Path) -> list[str]:
    return sorted(entry.name for entry in library.iterdir() if entry.is_dir())


def read_all(library: Library) -> list[str]:
    """What is read only when it is asked for, too."""
    part = library.store.part()
    assert part.nodes and part.communities and part.titles and part.partitioning.count and OpenCapsule(library).words
    assert len(OpenCapsule(library).titles_and_texts) == len(part.layers.chunk_ids) == len(part.smoothed)
    return library.store.titles(9)


def test_an_open_library_is_read_whole_after_any_number_of_runs(made: Path, encoder: CachedEncoder) -> None:
    notes, library = made.parent / "notes", made
    with open_library(library, encoder) as opened:
        for name in ("mars", "venus", "pluto"):
            write(notes, **{name: f"This is about {name}."})
            run([notes], library, encoder)
        assert read_all(opened) == ["moon", "sun"]
        assert len(generations(library)) == 2  # its own and the current one
        assert titles(library, encoder) == ["mars", "moon", "pluto", "sun", "venus"]
    write(notes, ceres="Ceres is small.")
    run([notes], library, encoder)
    current = current_generation(library)
    assert current and generations(library) == [current.name]


def test_two_generations_stay_for_their_readers_and_a_third_is_waited_for(
    tmp_path: Path, encoder: CachedEncoder
) -> None:
    notes, library = tmp_path / "notes", tmp_path / "library"
    with ExitStack() as opened:
        for name in ("one", "two", "three"):
            write(notes, **{name: f"This is {name}."})
            run([notes], library, encoder)
            opened.enter_context(open_library(library, encoder))
        assert len(generations(library)) == 3
        write(notes, four="This is four.")
        events, waited = index([notes], library, encoder), []
        for event in events:
            if isinstance(event, Progress) and event.stage.startswith("waiting for"):
                waited.append(event.stage)
                if len(waited) == 2:
                    opened.pop_all().close()
        assert isinstance(event, IndexReport) and event.new == 1
        assert len(waited) == 2 and "ask again or end" in waited[0]
        assert len(generations(library)) == 1 and run_module.POLL < 5


def hold(generation: Path) -> int:
    """A process of its own that reads a generation."""
    ready, begun = os.pipe()
    pid = os.fork()
    if not pid:
        with leased(generation):
            os.write(begun, b"x")
            signal.pause()
    os.read(ready, 1)
    os.close(ready)
    os.close(begun)
    return pid


def test_a_lease_ends_with_its_process(made: Path) -> None:
    generation = current_generation(made)
    assert generation
    pid = hold(generation)
    try:
        with unread(generation) as free:
            assert not free
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    with unread(generation) as free:
        assert free
        with pytest.raises(FileNotFoundError), leased(generation / "nowhere"):
            pass

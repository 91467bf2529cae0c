"""A reader keeps the generation that it opened, whatever is indexed meanwhile, and whoever indexes waits for few."""

import os
import signal
from contextlib import ExitStack
from pathlib import Path

import pytest

from clew.agent.doctor import files
from clew.memory.datatypes import Progress
from clew.memory.encoding import CachedEncoder
from clew.memory.files import Lease, file_digest, readers, unread
from clew.memory.knowledge import proof
from clew.memory.knowledge.aligners.open_capsule import OpenCapsule
from clew.memory.knowledge.disk import current_generation
from clew.memory.knowledge.index import run as run_module
from clew.memory.knowledge.index.run import IndexReport, index
from clew.memory.knowledge.library import Library, open_library
from clew.memory.knowledge.partitioning.capsule import PartitionPlan
from clew.memory.knowledge.partitioning.partitioner import partition_library
from tests.memory.knowledge.index.test_run import run, titles, write


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    write(tmp_path / "notes", moon="The Moon is far away.", sun="The Sun is hot.")
    return tmp_path / "notes"


def generations(library: Path) -> list[str]:
    return sorted(entry.name for entry in library.iterdir() if entry.is_dir())


def read_all(library: Library) -> list[str]:
    """What is read only when it is asked for, too."""
    part = library.store.part()
    assert part.nodes and part.communities and part.titles and part.partitioning.count and OpenCapsule(library).words
    assert len(OpenCapsule(library).titles_and_texts) == len(part.layers.chunk_ids) == len(part.smoothed)
    return library.store.titles(9)


def test_an_open_library_is_read_whole_after_any_number_of_runs(notes: Path, encoder: CachedEncoder) -> None:
    library = notes.parent / "library"
    run([notes], library, encoder)
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
    notes: Path, encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = notes.parent / "library"
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
                assert event.waits
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
        held = Lease(generation)
        os.write(begun, b"x")
        signal.pause()
        held.close()
    os.read(ready, 1)
    os.close(ready)
    os.close(begun)
    return pid


def test_a_library_is_proven_while_others_index_and_partition(
    notes: Path, encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever proves it reads it, and what was written meanwhile is no damage."""
    library = notes.parent / "library"
    run([notes], library, encoder)

    def partitioned() -> None:
        for _ in partition_library(library, PartitionPlan("leiden", size=0)):
            pass

    def indexed_twice() -> None:
        for name in ("mars", "venus"):
            write(notes, **{name: f"This is about {name}."})
            run([notes], library, encoder)

    waiting = [partitioned, indexed_twice]

    def hashed(path: Path) -> str:
        """Something else happens between two files, in the first and in the second look."""
        if waiting and "vectors" in path.name and path.parent.parent == library:
            waiting.pop(0)()
        return file_digest(path)

    monkeypatch.setattr(proof, "file_digest", hashed)
    (check,) = files(library)
    assert check.state == "ok" and not waiting
    monkeypatch.undo()
    assert [check.state for check in files(library)] == ["ok"]


def test_a_lease_ends_with_its_process(notes: Path, encoder: CachedEncoder) -> None:
    library = notes.parent / "library"
    run([notes], library, encoder)
    generation = current_generation(library)
    assert generation
    pid = hold(generation)
    try:
        with unread(generation) as free:
            assert not free
        assert any(str(pid) in reader for reader in readers(generation)) or not readers(generation)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    with unread(generation) as free:
        assert free
        with pytest.raises(FileNotFoundError):
            Lease(generation / "nowhere")

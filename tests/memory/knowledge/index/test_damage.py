"""Libraries that are broken, of another format or gone in part: one line with the command, and that command works."""

import errno
import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from clew.agent.settings import note_indexed
from clew.memory.datatypes import Progress
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput, ClewError
from clew.memory.knowledge.disk import POINTER, current_generation, next_generation, read_manifest, recorded
from clew.memory.knowledge.index.generation import Generation, IndexStep
from clew.memory.knowledge.index.steps import STEPS
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.loaders.registry import discover
from tests.memory.knowledge.index.test_run import run, titles, write
from tests.memory.knowledge.test_leases import read_all


def generation_of(library: Path) -> Path:
    generation = current_generation(library)
    assert generation
    return generation


def change(path: Path, changed: Callable[[dict[str, object]], object]) -> None:
    content = json.loads(path.read_text())
    changed(content)
    path.write_text(json.dumps(content))


def clew(*arguments: object, cache: Path) -> Result:
    from clew.ui.cli import main

    return CliRunner().invoke(main, [str(argument) for argument in arguments], env={"CLEW_CACHE": str(cache)})


def test_a_rebuild_reads_libraries_of_another_format_or_shape(made: Path, encoder: CachedEncoder, cache: Path) -> None:
    note_indexed(recorded(made).id, [str(made.parent / "notes")])
    changes: list[tuple[str, Callable[[dict[str, object]], object]]] = [
        (POINTER, lambda pointer: pointer.update(format=99)),
        ("manifest.json", lambda manifest: manifest.pop("keywords")),
        ("manifest.json", lambda manifest: manifest.update(encoder=3)),
    ]
    for name, changed in changes:
        change((made if name == POINTER else generation_of(made)) / name, changed)
        asked = clew("search", "moon", "--library", made, cache=cache)
        assert asked.exit_code != 0 and f"clew index --rebuild --library {made}" in asked.output
        assert clew("index", "--rebuild", "--library", made, cache=cache).stdout.startswith("2 new, ")
        assert titles(made, encoder) == ["moon", "sun"]
        assert read_manifest(generation_of(made)).encoder.name == encoder.name


MENDED_BY = r"library is damaged\. Try: clew index --rebuild"
READ_FIRST = ("library.sqlite", "vectors.npy")
DAMAGED = (
    *("keywords/title_mass.npy", "keywords/text/vocab.index.json", "nodes.npz", "titles.npz", "smoothed.npy"),
    *("capsules/current", "capsules/hybrid-200/names.json", "capsules/hybrid-200/vectors.npy"),
)


@pytest.mark.parametrize("file", [*READ_FIRST, *DAMAGED])
@pytest.mark.parametrize("damage", [lambda path: os.truncate(path, path.stat().st_size // 2), Path.unlink])
def test_damaged_files_are_named_with_the_command(
    made: Path, encoder: CachedEncoder, file: str, damage: Callable[[Path], None]
) -> None:
    damage(generation_of(made) / file)
    with pytest.raises(ClewError, match=MENDED_BY), open_library(made, encoder) as opened:
        read_all(opened)
    if file in READ_FIRST:
        with pytest.raises(ClewError, match=MENDED_BY):
            run([made.parent / "notes"], made, encoder)
    assert run([], made, encoder, rebuild=True).new == 2


def test_damage_that_shows_at_a_query_is_named_too(made: Path, encoder: CachedEncoder) -> None:
    path = generation_of(made) / "library.sqlite"
    with closing(sqlite3.connect(path)) as database:
        (size,) = database.execute("PRAGMA page_size").fetchone()
        (page,) = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'edges'").fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    with open_library(made, encoder) as opened, pytest.raises(ClewError, match="library is damaged"):
        opened.store.neighbours(["moon.txt"])


def test_what_fails_leaves_no_folder_and_its_own_error(
    made: Path, encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(self: Generation, *_: object) -> None:
        (made / POINTER).write_text("{")
        raise OSError("the disk is full")

    monkeypatch.setattr(Generation, "write_manifest", failing)
    write(made.parent / "notes", mars="Mars is red.")
    with pytest.raises(OSError, match="the disk is full"):
        run([made.parent / "notes"], made, encoder)
    assert len([path for path in made.iterdir() if path.is_dir()]) == 1


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left on device"), OSError("8 requested and 4 written")]
)
def test_a_full_disk_is_named_and_the_library_stays(made: Path, encoder: CachedEncoder, error: OSError) -> None:
    def failing(_: Generation) -> Iterator[Progress]:
        yield Progress("failing", 0, 1)
        raise error

    write(made.parent / "notes", mars="Mars is red.")
    with pytest.raises(ClewError, match=r"the disk is full: .* stays as it was\. Try: free some space"):
        run([made.parent / "notes"], made, encoder, steps=(*STEPS, IndexStep("failing", failing)))
    assert titles(made, encoder) == ["moon", "sun"]


def test_a_rebuild_goes_on_without_what_is_gone(tmp_path: Path, encoder: CachedEncoder) -> None:
    library = tmp_path / "library"
    for name in ("one", "two"):
        write(tmp_path / name, **{name: f"This is {name}."})
    run([tmp_path / "one", tmp_path / "two"], library, encoder)
    shutil.rmtree(tmp_path / "one")
    report = run([], library, encoder, rebuild=True)
    assert (report.new, report.notes) == (1, (f"{tmp_path}/one is not there any more: left out",))
    shutil.rmtree(tmp_path / "two")
    with pytest.raises(BadInput, match="was made from is there any more"):
        run([], library, encoder, rebuild=True)
    assert titles(library, encoder) == ["two"]


def test_a_library_within_the_documents_is_passed_over(tmp_path: Path, encoder: CachedEncoder) -> None:
    write(tmp_path, moon="The Moon is far away.")
    for expected in ("1 new", "0 new"):
        report = run([tmp_path], tmp_path / "library", encoder)
        assert report.line.startswith(expected) and report.notes == ()
    with pytest.raises(BadInput, match="is a library"):
        discover([tmp_path], tmp_path)
    (tmp_path / "new").mkdir()
    with pytest.raises(BadInput, match="is a library"):
        run([tmp_path / "new"], tmp_path / "new", encoder)


def test_folders_of_others_are_not_cleared_away(tmp_path: Path) -> None:
    (tmp_path / "2024010101").mkdir()
    (tmp_path / "2024010101" / "diary.txt").touch()
    (tmp_path / "0000000001" / "keywords").mkdir(parents=True)
    assert next_generation(tmp_path, {"keywords"}).name == "2024010102"
    assert (tmp_path / "2024010101" / "diary.txt").exists() and not (tmp_path / "0000000001").exists()

"""A library proven by the hash of every file, and what mends one that is damaged."""

import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest

from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput, ClewError
from clew.memory.knowledge import disk
from clew.memory.knowledge.disk import HASHES, POINTER, naming_damage
from clew.memory.knowledge.index.run import repair
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.partitioning.capsule import PartitionPlan, capsules
from clew.memory.knowledge.partitioning.partitioner import partition_library
from clew.memory.knowledge.proof import forget_trained, is_altered, proven, record_partitions
from tests.memory.knowledge.index.test_damage import generation_of
from tests.memory.knowledge.index.test_run import run, titles, write
from tests.memory.knowledge.test_leases import read_all


def mended(library: Path, encoder: CachedEncoder, mine: list[str] | None = None) -> list[str]:
    return [line for line in repair(library, encoder, mine) if isinstance(line, str)]


def flip(path: Path) -> None:
    """One bit, which no reader would see."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def files_of(generation: Path) -> list[Path]:
    return [path for path in generation.rglob("*") if path.is_file() and path.name != HASHES]


def test_one_bit_of_any_file_is_found(made: Path) -> None:
    generation = generation_of(made)
    found = proven(generation)
    assert found and found.files == len(files_of(generation)) > 10
    for path in files_of(generation):
        before = path.read_bytes()
        flip(path)
        damaged = proven(generation)
        assert damaged is not None and damaged.changed == (path.relative_to(generation).as_posix(),) and not damaged
        path.write_bytes(before)
    (generation / "smoothed.npy").unlink()
    (generation / "extra").touch()
    damaged = proven(generation)
    assert damaged is not None and (damaged.gone, damaged.unknown) == (("smoothed.npy",), ("extra",))


def test_partitions_are_a_generation_of_their_own(
    made: Path, encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that ends before it is named leaves the library as it was; what is copied has the hashes that it had."""
    before = generation_of(made)
    flip(before / "smoothed.npy")
    with monkeypatch.context() as ended:
        ended.setattr(disk, "name_current", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with suppress(KeyboardInterrupt):
            list(partition_library(made, PartitionPlan(size=300)))
    assert generation_of(made) == before
    list(partition_library(made, PartitionPlan(size=300)))
    generation = generation_of(made)
    damaged = proven(generation)
    assert damaged is not None and damaged.wrong == ("smoothed.npy",)
    assert capsules(generation) == ["hybrid-200", "hybrid-300"]


def test_what_is_trained_is_recorded_when_it_is_done(made: Path) -> None:
    generation = generation_of(made)
    folder = generation / "capsules" / "hybrid-200"
    forget_trained(generation, folder.name)
    for name in ("aligners/mlp-infonce.safetensors", "queries/train.jsonl"):
        (folder / name).parent.mkdir()
        (folder / name).write_text("half")
        assert proven(generation)
    record_partitions(generation)
    flip(folder / "queries" / "train.jsonl")
    damaged = proven(generation)
    assert damaged is not None and damaged.changed == ("capsules/hybrid-200/queries/train.jsonl",)
    forget_trained(generation, "hybrid-300")
    assert not proven(generation)


def test_what_a_full_disk_does_to_a_healthy_library_is_no_damage(made: Path) -> None:
    generation, full = generation_of(made), sqlite3.OperationalError("unable to open database file")
    full.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
    with pytest.raises(sqlite3.OperationalError), naming_damage(generation, is_altered):
        raise full


def test_a_healthy_library_is_left_as_it_is(made: Path, encoder: CachedEncoder) -> None:
    before = {path: path.read_bytes() for path in made.rglob("*") if path.is_file()}
    assert mended(made, encoder) == []
    assert before == {path: path.read_bytes() for path in made.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", ["vectors.npy", "library.sqlite", "keywords/title_mass.npy", "layers.npz"])
def test_a_damaged_file_is_made_again_from_the_folders_that_are_mine(
    made: Path, encoder: CachedEncoder, name: str
) -> None:
    path = generation_of(made) / name
    flip(path)
    with pytest.raises(BadInput, match="which you did not index here"):
        mended(made, encoder, [])
    (said,) = mended(made, encoder, [str(made.parent / "notes")])
    assert path.name in said and "2 new" in said
    assert proven(generation_of(made)) and titles(made, encoder) == ["moon", "sun"]


def test_nothing_is_mended_where_that_loses_what_is_not_there(made: Path, encoder: CachedEncoder) -> None:
    """A disk that is not mounted: what the library has of it can be read until then."""
    elsewhere = made.parent / "elsewhere"
    write(elsewhere, mars="Mars is red.")
    run([elsewhere], made, encoder)
    elsewhere.rename(made.parent / "unmounted")
    flip(generation_of(made) / "vectors.npy")
    with pytest.raises(BadInput, match="elsewhere is not there") as refused:
        mended(made, encoder)
    assert refused.value.hint.startswith(f"clew index --rebuild --library {made}")
    assert titles(made, encoder) == ["mars", "moon", "sun"]
    (made.parent / "unmounted").rename(elsewhere)
    assert "3 new" in mended(made, encoder)[0] and titles(made, encoder) == ["mars", "moon", "sun"]


def test_damaged_partitions_are_made_anew_without_reading(made: Path, encoder: CachedEncoder) -> None:
    list(partition_library(made, PartitionPlan("metis", 0, 2)))
    before = generation_of(made)
    flip(before / "capsules" / "metis-k2" / "vectors.npy")
    (before / "capsules" / "hybrid-200" / "names.json").unlink()
    (said,) = mended(made, encoder, [])
    assert "hybrid-200, metis-k2" in said and proven(generation_of(made))
    with open_library(made, encoder) as opened:
        assert read_all(opened) == ["moon", "sun"]
    (generation_of(made) / "capsules" / "current").write_text("no such")
    assert "made anew" in mended(made, encoder, [])[0] and proven(generation_of(made))


def test_a_pointer_that_is_gone_or_torn_is_written_again(made: Path, encoder: CachedEncoder) -> None:
    for content in ("", "{", '{"format": 7, "generation": "0000000099"}'):
        (made / POINTER).write_text(content)
        assert "named again" in mended(made, encoder)[0]
        assert titles(made, encoder) == ["moon", "sun"]
    (made / POINTER).unlink()
    assert "named again" in mended(made, encoder)[0]
    (made / "0000000009").mkdir()  # what a killed run left
    (made / "0000000009" / "library.sqlite").touch()
    assert mended(made, encoder) == ["removed what a run had left: 0000000009"]
    assert titles(made, encoder) == ["moon", "sun"]
    flip(generation_of(made) / "vectors.npy")
    (made / POINTER).write_text("{")
    with pytest.raises(ClewError, match="clew index YOUR-FOLDER --rebuild"):
        mended(made, encoder)
    assert (made / "0000000001").exists()

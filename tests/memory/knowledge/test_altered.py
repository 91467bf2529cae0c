"""Libraries that came from somebody else, altered by hand: nothing outside them is read, written or removed."""

import json
import os
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clew.memory.encoding import CachedEncoder
from clew.memory.errors import ClewError, NotSetUp
from clew.memory.knowledge.aligners.scoring import OpenCapsule
from clew.memory.knowledge.arrays import read_array, read_arrays
from clew.memory.knowledge.disk import POINTER
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.partitioning.capsule import PartitionPlan
from clew.memory.knowledge.partitioning.partitioner import partition_library
from clew.memory.knowledge.proof import write_hashes
from tests.memory.knowledge.index.test_damage import change, clew, generation_of
from tests.memory.knowledge.index.test_run import run, titles, write
from tests.memory.knowledge.test_leases import read_all

CAPSULE = "capsules/hybrid-200"


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    """What a stranger would like to destroy: two folders and a file."""
    for name in ("backup-200", "backup-2024"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "photo.jpg").write_text("precious")
    (tmp_path / "diary").write_text("precious")
    return tmp_path


def untouched(folder: Path) -> bool:
    files = (folder / "diary", *(folder / name / "photo.jpg" for name in ("backup-200", "backup-2024")))
    return all(path.read_text() == "precious" for path in files) and not list(folder.glob("backup*.*"))


def use_all(library: Path, notes: Path, encoder: CachedEncoder) -> list[ClewError]:
    """Opened, indexed again after a change, partitioned, rebuilt: what is raised. Other errors than ours are raised."""
    errors = []

    def read() -> None:
        with open_library(library, encoder) as opened:
            read_all(opened)
            opened.store.keyword_search(["moon"], 3)

    def again() -> None:
        write(notes, mars="Mars is red.")
        run([notes], library, encoder)

    for act in (read, lambda: list(partition_library(library, PartitionPlan())), again):
        try:
            act()
        except ClewError as error:
            assert error.hint, error
            errors.append(error)
    return errors


@pytest.mark.parametrize("method", ["{}/backup", "../../../backup", "hybrid/../../../../backup", "..", "os.system", 7])
def test_a_plan_is_no_path(made: Path, precious: Path, encoder: CachedEncoder, method: str | int) -> None:
    wanted = method.format(precious) if isinstance(method, str) else method
    for size in (2024, 200):
        report = generation_of(made) / "capsules" / "hybrid-200" / "report.json"
        content = json.loads(report.read_text())
        content["wanted"] |= {"method": wanted, "size": size}
        report.write_text(json.dumps(content))
        use_all(made, precious / "notes", encoder)
        assert untouched(precious)
    assert run([precious / "notes"], made, encoder, rebuild=True).new == 3
    assert titles(made, encoder) == ["mars", "moon", "sun"]


@pytest.mark.parametrize("name", ["/etc", "../backup-2024", "0000000001/../../backup-200", ".", "", "1\n"])
@pytest.mark.parametrize("file", [POINTER, "current"])
def test_a_name_is_no_path(made: Path, precious: Path, encoder: CachedEncoder, file: str, name: str) -> None:
    if file == POINTER:
        change(made / POINTER, lambda pointer: pointer.update(generation=name))
    else:
        (generation_of(made) / "capsules" / "current").write_text(name)
    errors = use_all(made, precious / "notes", encoder)
    assert errors and all("--rebuild" in error.hint for error in errors)
    assert untouched(precious)


LINKS = (
    *(POINTER, f"{POINTER}.new", "lock", "GENERATION", "GENERATION/manifest.json", "GENERATION/library.sqlite"),
    *("GENERATION/capsules", "GENERATION/capsules/current", "GENERATION/capsules/hybrid-200"),
    *("GENERATION/capsules/hybrid-200/aligners", "GENERATION/keywords/text/vocab.index.json", "GENERATION/names.npy"),
)


@pytest.mark.parametrize("place", LINKS)
def test_no_file_is_reached_through_a_link(made: Path, precious: Path, encoder: CachedEncoder, place: str) -> None:
    path = made / place.replace("GENERATION", generation_of(made).name)
    target = precious / "target"
    if path.exists():
        path.rename(target)
    elif path.name.endswith((".new", "lock")):
        target = precious / "diary"
    else:
        target = precious / "backup-2024"
    path.unlink(missing_ok=True)
    path.symlink_to(target)
    before = sorted((str(found), found.lstat().st_size) for found in [target, *target.rglob("*")])
    errors = use_all(made, precious / "notes", encoder)
    assert untouched(precious)
    assert before == sorted((str(found), found.lstat().st_size) for found in [target, *target.rglob("*")])
    assert all("is a link" in str(error) and error.hint == f"rm {path}" for error in errors)
    assert errors or not path.is_symlink()


@pytest.mark.parametrize("place", ["lock", f"{POINTER}.new", "GENERATION/hashes.json.new"])
def test_nothing_is_written_through_another_name(
    made: Path, precious: Path, encoder: CachedEncoder, place: str
) -> None:
    path = made / place.replace("GENERATION", generation_of(made).name)
    path.unlink(missing_ok=True)
    path.hardlink_to(precious / "diary")
    assert not use_all(made, precious / "notes", encoder)
    assert untouched(precious)


def test_the_librarys_folder_itself_may_be_a_link(made: Path, encoder: CachedEncoder) -> None:
    (made.parent / "here").symlink_to(made)
    assert not use_all(made.parent / "here", made.parent / "notes", encoder)
    assert titles(made.parent / "here", encoder) == ["mars", "moon", "sun"]


STATEMENTS = (
    "CREATE TRIGGER t AFTER INSERT ON documents BEGIN DELETE FROM chunks; END",
    "CREATE VIEW v AS SELECT * FROM documents",
    "CREATE TABLE staged (id TEXT)",
    "ALTER TABLE documents ADD COLUMN x TEXT",
    "ALTER TABLE chunks RENAME TO c; CREATE VIEW chunks AS SELECT * FROM c",
    "DROP INDEX chunks_by_document",
)


def bomb(path: Path, shape: tuple[int, ...]) -> None:
    """A file of 200 bytes whose header tells of more than any memory."""
    header = repr({"descr": "<f4", "fortran_order": False, "shape": shape}).encode().ljust(117) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"\0" * 64)


@pytest.mark.parametrize("shape", [(10**12,), (10**9, 384), (2**62, 4), (17,)])
def test_an_array_is_no_larger_than_its_file(
    made: Path, precious: Path, encoder: CachedEncoder, shape: tuple[int, ...]
) -> None:
    bomb(precious / "bomb.npy", shape)
    with pytest.raises(ValueError, match=r"."):
        read_array(precious / "bomb.npy")
    with zipfile.ZipFile(precious / "bomb.npz", "w") as archive:
        archive.write(precious / "bomb.npy", "mentions.npy")
    with pytest.raises((ValueError, MemoryError)):  # whichever NumPy says, it is `disk.BROKEN`
        read_arrays(precious / "bomb.npz")
    for name in ("vectors.npy", "sentences.npy", "names.npy", "keywords/title_mass.npy", "smoothed.npy"):
        shutil.copy(precious / "bomb.npy", generation_of(made) / name)
    assert "is damaged" in str(use_all(made, precious / "notes", encoder)[0])


def altered(path: Path, **arrays: Any) -> None:
    """Of an archive some arrays, by what makes others of them."""
    kept = dict(read_arrays(path))
    np.savez(path, **kept | {name: make(kept[name]) for name, make in arrays.items()})


def rows_of(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "library.sqlite")) as database:
        database.executescript(statement)


LEADING_NOWHERE: Mapping[str, Callable[[Path], None]] = {
    "mentions": lambda folder: altered(folder / "layers.npz", mentions=lambda its: its + 2**40),
    "relations": lambda folder: altered(folder / "layers.npz", relations=lambda _: np.full((5, 3), -9)),
    "titles": lambda folder: altered(folder / "layers.npz", titles=lambda its: its[:1]),
    "nodes": lambda folder: altered(folder / "nodes.npz", count=lambda _: np.int64(10**15)),
    "ends": lambda folder: altered(folder / "nodes.npz", ends=lambda its: its + 99),
    "kinds": lambda folder: altered(folder / "nodes.npz", kinds=lambda its: its - 99),
    "partitions": lambda folder: altered(folder / CAPSULE / "partitioning.npz", of_node=lambda its: its - 5),
    "of_node": lambda folder: altered(
        folder / CAPSULE / "partitioning.npz", of_node=lambda _: np.zeros(5000, np.int32)
    ),
    "cells": lambda folder: altered(
        folder / CAPSULE / "partitioning.npz", cell_starts=lambda its: np.array([0, *its[1:] + 2**40])
    ),
    "hubs": lambda folder: altered(folder / CAPSULE / "partitioning.npz", glue=lambda _: np.array([2**40])),
    "words": lambda folder: np.save(folder / "keywords" / "together" / "indices.csc.index.npy", np.full(99, -(10**6))),
    "vocabulary": lambda folder: change(
        folder / "keywords" / "together" / "vocab.index.json", lambda its: its.update(moon=10**9)
    ),
    "text": lambda folder: rows_of(folder, "UPDATE documents SET text = zeroblob(99)"),
    "pages": lambda folder: rows_of(folder, f"UPDATE documents SET pages = '{'[' * 100_000}'"),
    "chunks": lambda folder: rows_of(folder, "UPDATE chunks SET document = '../../diary'"),
    **{statement: partial(rows_of, statement=statement) for statement in STATEMENTS},
}


@pytest.mark.parametrize("what", LEADING_NOWHERE)
def test_figures_that_lead_nowhere_are_damage(made: Path, precious: Path, encoder: CachedEncoder, what: str) -> None:
    write(precious / "notes", earth="The Earth orbits the Sun. The Moon orbits the Earth.", day="The Earth has a day.")
    run([precious / "notes"], made, encoder)
    LEADING_NOWHERE[what](generation_of(made))
    errors = use_all(made, precious / "notes", encoder)
    assert errors and all("is damaged" in str(error) for error in errors)


@pytest.mark.parametrize("name", ["aligners", "aligners/mlp-infonce.safetensors"])
def test_an_aligner_is_not_reached_through_a_link(
    made: Path, precious: Path, encoder: CachedEncoder, name: str
) -> None:
    folder = generation_of(made) / CAPSULE
    with open_library(made, encoder) as opened:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).symlink_to(precious / ("diary" if "." in name else "backup-200"))
        with pytest.raises(ClewError, match="is a link"):
            OpenCapsule(opened).aligner_names()


def test_packed_and_pickled_arrays_are_damage(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "packed.npz", zeros=np.zeros(10**7))
    np.savez(tmp_path / "pickled.npz", it=np.array([print], dtype=object))
    np.save(tmp_path / "pickled.npy", np.array([print], dtype=object))
    for name in ("packed.npz", "pickled.npz"):
        with pytest.raises(ValueError, match=r"allow_pickle|more than it can"):
            read_arrays(tmp_path / name)
    with pytest.raises(ValueError, match="Python objects"):
        read_array(tmp_path / "pickled.npy")


@pytest.mark.parametrize("content", ["[" * 100_000, '{"format": 1e999, "generation": 3}', "\0", '"x"'])
@pytest.mark.parametrize("name", [POINTER, "manifest.json", "capsules/hybrid-200/report.json"])
def test_json_that_is_made_to_harm_is_damage(
    made: Path, precious: Path, encoder: CachedEncoder, name: str, content: str
) -> None:
    (made / name if name == POINTER else generation_of(made) / name).write_text(content)
    assert "is damaged" in str(use_all(made, precious / "notes", encoder)[0])


def test_a_pipe_is_no_file(made: Path, precious: Path, encoder: CachedEncoder) -> None:
    path = generation_of(made) / "capsules" / "extra"
    os.mkfifo(path)
    assert "is no file" in str(use_all(made, precious / "notes", encoder)[0])


@pytest.mark.parametrize("name", ["spacy:/tmp/evil", "spacy:os", "os.system", "spacy:en_core_web_sm/../x"])
def test_an_extractor_of_a_library_is_no_path_and_no_module(made: Path, encoder: CachedEncoder, name: str) -> None:
    change(generation_of(made) / "manifest.json", lambda manifest: manifest.update(extractor=name))
    with pytest.raises(NotSetUp, match="where you name it") as refused:
        run([made.parent / "notes"], made, encoder)
    assert "--extractor" in refused.value.hint
    assert run([made.parent / "notes"], made, encoder, parameters=Parameters(extractor="rules")).unchanged == 2


ROWS = (
    "UPDATE documents SET id = 'another' WHERE id = 'sun.txt'",
    "UPDATE documents SET headings = '0'",
    "UPDATE documents SET digest = CAST(X'FFFE' AS TEXT)",
    "UPDATE chunks SET end = 'a'",
    "UPDATE sentences SET start = zeroblob(3)",
    "UPDATE names SET n = n + 7",
    "UPDATE sentences SET row = -1 WHERE row = 0",
    "UPDATE chunks SET row = 700 WHERE row = 0",
    "UPDATE chunks SET id = 'a' || char(0) || row",
)


@pytest.mark.parametrize(("statement", "recorded"), [(one, True) for one in ROWS] + [(one, False) for one in ROWS[:3]])
def test_rows_that_do_not_go_together_are_damage(
    made: Path, precious: Path, encoder: CachedEncoder, statement: str, recorded: bool
) -> None:
    """Also where who altered them recorded the hashes anew: told with the command that mends it, which does."""
    write(precious / "notes", earth="The Earth orbits the Sun. The Moon orbits the Earth.")
    run([precious / "notes"], made, encoder)
    rows_of(generation_of(made), statement)
    if recorded:
        write_hashes(generation_of(made))
    errors = use_all(made, precious / "notes", encoder)
    assert errors or recorded  # some of it is what a stranger's library may say
    assert all(f"clew index --rebuild --library {made}" in str(error) for error in errors)
    assert run([precious / "notes"], made, encoder, rebuild=True).new == 4


def test_what_a_turn_meets_in_an_altered_library_is_damage(made: Path, cache: Path) -> None:
    rows_of(generation_of(made), "UPDATE documents SET title = zeroblob(3)")
    asked = clew("ask", "How far is the Moon?", "--library", made, cache=cache)
    assert asked.exit_code == 1 and f"clew index --rebuild --library {made}" in asked.output
    assert "internal error" not in asked.output

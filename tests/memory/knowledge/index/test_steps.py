"""The list of steps: another one costs a file and a line, and what it declares is kept."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from clew.memory.datatypes import Progress
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.disk import current_generation, read_manifest
from clew.memory.knowledge.embedding import COARSE
from clew.memory.knowledge.index.generation import Generation, IndexStep
from clew.memory.knowledge.index.steps import STEPS, parts_of
from tests.memory.knowledge.index.test_run import run, titles, write


def count_letters(generation: Generation) -> Iterator[Progress]:
    texts = [text for (text,) in generation.database.execute("SELECT text FROM documents ORDER BY id")]
    yield Progress("counting letters", 0, 1)
    np.save(generation.folder / "letters.npy", np.array([len(text) for text in texts]))
    generation.notes.append(f"{len(texts)} texts counted")
    yield Progress("counting letters", 1, 1)


COUNTED = IndexStep("counting letters", count_letters, files=("letters.npy",), recorded=lambda _: {"alphabet": "latin"})


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    write(tmp_path / "notes", moon="The Moon is far away.", sun="The Sun is hot.")
    return tmp_path / "notes"


def test_another_step_is_a_file_and_a_line(notes: Path, tmp_path: Path, encoder: CachedEncoder) -> None:
    library, steps = tmp_path / "library", (*STEPS, COUNTED)
    report = run([notes], library, encoder, steps=steps)
    assert report.notes == ("2 texts counted",) and report.seconds["counting letters"] >= 0
    first = current_generation(library)
    assert first and np.load(first / "letters.npy").tolist() == [21, 15]
    assert json.loads((first / "manifest.json").read_text())["alphabet"] == "latin"
    write(notes, mars="Mars is red.")
    run([notes], library, encoder, steps=steps)
    assert not first.exists()  # its files are known, so that it could be removed
    assert titles(library, encoder) == ["mars", "moon", "sun"]


def test_what_a_step_records_is_in_the_fingerprint(notes: Path, tmp_path: Path, encoder: CachedEncoder) -> None:
    found = []
    for name, steps in (("without", STEPS), ("with", (*STEPS, COUNTED)), ("again", STEPS)):
        run([notes], tmp_path / name, encoder, steps=steps)
        generation = current_generation(tmp_path / name)
        assert generation
        found.append(read_manifest(generation).fingerprint)
    assert found[0] != found[1] and found[0] == found[2]


def test_the_steps_write_the_files_that_they_declare(notes: Path, tmp_path: Path, encoder: CachedEncoder) -> None:
    run([notes], tmp_path / "library", encoder)
    generation = current_generation(tmp_path / "library")
    assert generation
    files = {entry.name for entry in generation.iterdir()}
    assert files == parts_of() - {"library.sqlite-journal", "hashes.json.new", COARSE}  # which small ones have not

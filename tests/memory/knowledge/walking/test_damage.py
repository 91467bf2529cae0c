"""What the walk reads, cut off or gone: one line with the command that mends it."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from clew.memory.encoding import CachedEncoder
from clew.memory.errors import ClewError
from clew.memory.knowledge.disk import current_generation
from clew.memory.knowledge.library import open_library
from clew.memory.ports import Search
from tests.memory.knowledge.walking.made import library_of

READ: dict[str, Callable[[Search], object]] = {
    "titles.npz": lambda store: store.part().titles,
    "smoothed.npy": lambda store: store.part().smoothed.take(np.arange(2), axis=0).astype(np.float32),
    "capsules/hybrid-200/vectors.npy": lambda store: store.part().partition_vectors(0),
}


@pytest.mark.parametrize("file", READ)
@pytest.mark.parametrize(
    "damage", [lambda path: os.truncate(path, path.stat().st_size // 2), lambda path: os.truncate(path, 0), Path.unlink]
)
def test_damage_is_named(tmp_path: Path, encoder: CachedEncoder, file: str, damage: Callable[[Path], None]) -> None:
    library_of(tmp_path, {"Moon": "The Moon orbits the Earth.", "Sun": "The Sun is hot."}, encoder).store.close()
    generation = current_generation(tmp_path / "library")
    assert generation
    damage(generation / file)
    with (
        open_library(tmp_path / "library", encoder) as opened,
        pytest.raises(ClewError, match=r"library is damaged\. Try: clew index --rebuild") as told,
    ):
        READ[file](opened.store)
    assert "\n" not in str(told.value)

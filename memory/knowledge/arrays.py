"""Arrays of a library: on disk, where they may be somebody else's; lists of different lengths as two arrays; and values
looked up by numbers that rise."""

import os
import threading
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Ints
from clew.memory.files import new_file

# On disk -------------------------------------------------------------------------------------------------------------


def new_array(folder: Path, name: str, dtype: type[np.generic], shape: tuple[int, ...]) -> np.memmap[Any, Any]:
    """An array on disk, to be filled and flushed. Its space is reserved first, so that a full disk is an `OSError` here
    and not a signal (SIGBUS) when memory is written back."""
    path = new_file(folder, name)
    made = np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=shape)
    if hasattr(os, "posix_fallocate") and made.size:
        with path.open("r+b") as file:
            os.posix_fallocate(file.fileno(), 0, path.stat().st_size)
    return made


_ONE_AT_A_TIME = threading.Lock()
"""NumPy reads the head of an array by `ast`, where two threads at once raise `SystemError` (seen with Python 3.11.7:
python/cpython#106905)."""


def mapped(path: Path) -> NDArray[Any]:
    """An array that stays on disk until it is read; a plain view, as slices of a memmap are slow to make. Raises
    `ValueError` for one that is larger than its file, or no array of numbers or texts."""
    with _ONE_AT_A_TIME, np.errstate(over="ignore"):  # of a size without end, which is refused behind that
        return np.asarray(np.lib.format.open_memmap(path, mode="r"))


def read_array(path: Path) -> NDArray[Any]:
    """Like `mapped`, but read into memory."""
    return np.array(mapped(path))


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays that `np.savez` wrote, by name. Raises what a broken file raises, also if arrays are compressed,
    pickled or together larger than the file."""
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        if sum(member.file_size for member in members) > path.stat().st_size:
            raise ValueError(f"{path} holds more than it can")
    with _ONE_AT_A_TIME, np.load(path, allow_pickle=False) as arrays:
        return dict(arrays)


# Numbers -------------------------------------------------------------------------------------------------------------


def check_places(count: int, *numbers: Ints, least: int = 0) -> None:
    """Raises `ValueError` if one of these numbers, which were read from a file, is not between `least` and the number
    of places."""
    if any(part.size and not (least <= part.min() and part.max() < count) for part in numbers):
        raise ValueError(f"a number is not from {least} to {count - 1}")


class Ragged(NamedTuple):
    """List i is `values[starts[i]:starts[i + 1]]`; shapes (lists + 1,) and (values,)."""

    starts: Ints
    values: Ints

    @staticmethod
    def grouped(groups: Ints, count: int, values: Ints | None = None) -> "Ragged":
        """The values (None: their places) by group, 0 to `count` - 1; within a group in the order given."""
        order = np.argsort(groups, kind="stable")
        starts = np.searchsorted(groups[order], np.arange(count + 1))
        return Ragged(starts, order if values is None else values[order])

    def check(self, lists: int) -> None:
        """Raises `ValueError` where it is not of so many lists."""
        if len(self.starts) != lists + 1 or self.starts[0] or self.starts[-1] != len(self.values):
            raise ValueError(f"it is not of {lists} lists")
        check_places(len(self.values) + 1, np.diff(self.starts))

    def of(self, lists: Ints) -> tuple[Ints, Ints]:
        """The values of these lists one after the other, and the place in `lists` that each is of."""
        at, places = spread(self.starts[lists], self.starts[lists + 1])
        return self.values[at], places

    def row(self, place: int) -> list[int]:
        numbers: list[int] = self.values[self.starts[place] : self.starts[place + 1]].tolist()
        return numbers


def distinct_pairs(pairs: Ints) -> Ints:
    """The columns of an array of shape (2, n), each once, by their first number and then by their second."""
    first, second = pairs[:, np.lexsort((pairs[1], pairs[0]))]
    new = np.ones(len(first), bool)
    new[1:] = (np.diff(first) != 0) | (np.diff(second) != 0)
    return np.stack([first[new], second[new]])


def places(nodes: NDArray[Any], wanted: NDArray[Any]) -> tuple[Ints, Ints]:
    """Where in `nodes`, which ascend, some of `wanted` are, and which of them. Both need the same type: else NumPy
    copies them."""
    at = np.minimum(np.searchsorted(nodes, wanted), max(0, len(nodes) - 1))
    known = np.flatnonzero(nodes[at] == wanted) if len(nodes) else np.zeros(0, np.int64)
    return at[known], known


def looked_up(nodes: NDArray[Any], wanted: NDArray[Any], values: NDArray[Any], missing: float) -> NDArray[Any]:
    """For each of `wanted` the value at its place in `nodes`, which ascend; `missing` if it is not there."""
    found = np.full((len(wanted), *values.shape[1:]), missing, values.dtype)
    at, known = places(nodes, wanted)
    found[known] = values[at]
    return found


def sole_values(groups: Ints, values: Ints, count: int) -> Ints:
    """For each group, 0 to `count` - 1, the value that all of its members have; -1 if they differ, or it has none.
    Values are not negative."""
    lowest, highest = np.full(count, np.iinfo(np.int64).max), np.full(count, -1)
    np.minimum.at(lowest, groups, values)
    np.maximum.at(highest, groups, values)
    return np.where(lowest == highest, lowest, -1)


def spread(starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """All numbers from each start up to its end, one range after the other, and the range that each is of."""
    counts = ends - starts
    of_range = np.repeat(np.arange(len(starts)), counts)
    return np.arange(counts.sum()) + np.repeat(starts - (np.cumsum(counts) - counts), counts), of_range

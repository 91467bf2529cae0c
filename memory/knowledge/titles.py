"""What titles call their nodes: names by which a question finds a node, and by which nodes of one name are rivals.

A title may list several names, as a set of synonyms does ("abstraction, abstract entity"); what stands in brackets
tells two of one name apart, and is none.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Ints
from clew.memory.files import new_file, within
from clew.memory.knowledge.arrays import read_arrays, spread
from clew.memory.text import FUNCTION_WORDS, stemmed_words, words, written_words

FILE = "titles.npz"
LONGEST = 6  # words of a name

_BRACKETS = re.compile(r"\s*\([^()]*\)")
_LIST = re.compile(r",\s+")

Keys = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class TitleIndex:
    """Name i has the stems behind `stems[i]` (these rise) and the words behind `written[i]`; it is the name of
    `nodes[i]`, the `places[i]`-th in its title. Of each node, `names` counts its names and `lengths` its text's words.
    """

    stems: Keys
    written: Keys
    nodes: Ints
    places: Ints
    names: Ints
    lengths: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """What a text names: each node once, rising, by its best name: as written before by stems, long before short, first
    in its title before later. The name is the text's words `starts[i]` to `ends[i]`; `rivals[i]` nodes have it."""

    nodes: Ints
    starts: Ints
    ends: Ints
    exact: NDArray[np.bool_]
    places: Ints
    rivals: Ints


def names_of(title: str) -> list[str]:
    """The whole, and where it lists several, each of them."""
    plain = _BRACKETS.sub("", title).strip() or title.strip()
    return list(dict.fromkeys([*_LIST.split(plain), plain]))


def title_index(titles_and_texts: Iterable[tuple[str, str]]) -> TitleIndex:
    """The index of the titles of nodes, which are given in their order. Names that are too long are counted only."""
    rows, names, lengths = [], [], []
    keys = cache(_keys)
    for node, (title, text) in enumerate(titles_and_texts):
        found, of_title = keys(title)
        rows += [(stems, written, node, place) for stems, written, place in of_title]
        names.append(found)
        lengths.append(len(written_words(text)))
    columns = [*zip(*rows, strict=True)] if rows else [(), (), (), ()]
    stems, written = (np.array(column, np.uint64) for column in columns[:2])
    nodes, places = (np.array(column, np.int64) for column in columns[2:])
    order = np.lexsort((places, nodes, stems))
    counted = np.array(names, np.int64), np.array(lengths, np.int64)
    return TitleIndex(stems[order], written[order], nodes[order], places[order], *counted)


def _keys(title: str) -> tuple[int, list[tuple[int, int, int]]]:
    """How many names it has; stems, words and place of those that are not too long."""
    found = names_of(title)
    worded = ((place, name, words(name)) for place, name in enumerate(found))
    kept = [(place, name, written) for place, name, written in worded if 0 < len(written) <= LONGEST]
    return len(found), [(name_key(name), _key(written), place) for place, name, written in kept]


def named_in(text: str, index: TitleIndex) -> Named:
    """Names that are function words alone name nothing."""
    written, stemmed = words(text), stemmed_words(text)
    spans = [
        (start, end)
        for start in range(len(written))
        for end in range(start + 1, min(start + LONGEST, len(written)) + 1)
        if any(word not in FUNCTION_WORDS for word in written[start:end])
    ]
    keys = np.array([_key(stemmed[start:end]) for start, end in spans], np.uint64)
    first, last = (np.searchsorted(index.stems, keys, side) for side in ("left", "right"))
    entries, of_span = spread(first, last)
    as_written = np.zeros(len(spans), np.uint64)
    for span in np.flatnonzero(last > first).tolist():
        as_written[span] = _key(written[slice(*spans[span])])
    starts, ends = np.array(spans, np.int64).reshape(-1, 2)[of_span].T
    exact = index.written[entries] == as_written[of_span]
    nodes, places = index.nodes[entries], index.places[entries]
    order = np.lexsort((starts, places, -(ends - starts), ~exact, nodes))
    _, best = np.unique(nodes[order], return_index=True)
    kept = order[best]
    count = len(index.names)
    rivals = np.bincount(np.unique(of_span * count + nodes) // max(1, count), minlength=len(spans))[of_span]
    return Named(nodes[kept], starts[kept], ends[kept], exact[kept], places[kept], rivals[kept])


def name_key(text: str) -> int:
    """What stands in `TitleIndex.stems` for a name."""
    return _key(stemmed_words(text))


def is_name(text: str, index: TitleIndex) -> bool:
    """Whether a title calls its node this, whatever the endings."""
    key = np.uint64(name_key(text))
    place = int(np.searchsorted(index.stems, key))
    return place < len(index.stems) and bool(index.stems[place] == key)


def write_titles(folder: Path, made: TitleIndex) -> None:
    """Write the index of titles into a folder."""
    np.savez(new_file(folder, FILE), **vars(made))


def read_titles(folder: Path) -> TitleIndex:
    """Raises what a broken file raises (`disk.BROKEN`)."""
    arrays = read_arrays(within(folder, FILE))
    stems, written, *numbers = (arrays[one.name] for one in fields(TitleIndex))
    return TitleIndex(stems, written, *(array.astype(np.int64) for array in numbers))


def _key(parts: list[str]) -> int:
    return int.from_bytes(hashlib.blake2b(" ".join(parts).encode(), digest_size=8).digest(), "big")

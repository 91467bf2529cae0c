"""A library after a change is what a fresh index makes of the same documents: every array and every row."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.disk import HASHES, current_generation
from tests.memory.knowledge.communities.made import ALL
from tests.memory.knowledge.index.test_layering import write
from tests.memory.knowledge.index.test_run import run

TEXTS = {
    **ALL,
    "Long": " ".join(f"The baker Anna Miller sold bread number {n} to Peter Mill in Ulm." for n in range(40)),
}
LANG = "Fritz Lang was born in Vienna. In 1933 Lang left Berlin for Paris, where he directed Liliom."
GIVEN = {"moon": ("The Moon orbits the Earth. It is old.", [["Moon", "orbits", "the Earth"]])}
WHEN_AND_WHERE = ("created", "roots", "id")


def contents(library: Path) -> dict[str, object]:
    """By file, and for tables by name; the hashes of the files are those of when and where, too."""
    generation = current_generation(library)
    assert generation
    found: dict[str, object] = {}
    for path in sorted(path for path in generation.rglob("*") if path.is_file() and path.name != HASHES):
        name = str(path.relative_to(generation))
        if path.suffix == ".npy":
            found[name] = _listed(np.load(path))
        elif path.suffix == ".npz":
            with np.load(path) as arrays:
                found[name] = {key: _listed(arrays[key]) for key in arrays.files}
        elif path.suffix == ".sqlite":
            with closing(sqlite3.connect(path)) as database:
                tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
                found |= {name: sorted(database.execute(f"SELECT * FROM {name}"), key=repr) for name in tables}
        elif path.suffix == ".json":
            content = json.loads(path.read_text("utf-8"))
            kept = isinstance(content, dict)
            found[name] = {k: v for k, v in content.items() if k not in WHEN_AND_WHERE} if kept else content
        else:
            found[name] = path.read_bytes()
    return found


def _listed(array: np.ndarray) -> tuple[object, ...]:
    return array.dtype.str, array.shape, array.tolist()


def alike(one: Any, other: Any) -> bool:
    """Whether two of the `contents` are the same but for how numbers are rounded: on some processors BLAS adds up a row
    in another order where other rows stand beside it, so that the last bit of a text's vector is told by what was in
    the cache already."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[name], other[name]) for name in one)
    match one, other:
        case (("<f2" | "<f4" as kind, shape, numbers), (same, equal, others)) if (kind, shape) == (same, equal):
            return np.allclose(numbers, others, rtol=0, atol=1e-3 if kind == "<f2" else 1e-6)
    return bool(one == other)


def assert_as_fresh(library: Path, corpus: Path, encoder: CachedEncoder) -> None:
    run([corpus], library.with_name("fresh"), encoder)
    ours, theirs = contents(library), contents(library.with_name("fresh"))
    assert len(ours) > 20 and ours.keys() == theirs.keys()
    assert [name for name in ours if ours[name] != theirs[name]] == []


@pytest.mark.parametrize("change", ["add", "change", "remove"])
def test_one_document_more_other_or_less(tmp_path: Path, encoder: CachedEncoder, change: str) -> None:
    corpus, library = tmp_path / "corpus.jsonl", tmp_path / "library"
    texts = dict(TEXTS)
    if change == "add":
        del texts["Long"]
    run([write(corpus, texts, GIVEN)], library, encoder)
    texts = {"add": TEXTS, "change": {**TEXTS, "Fritz Lang": LANG}, "remove": dict(list(TEXTS.items())[1:])}[change]
    report = run([write(corpus, texts, GIVEN)], library, encoder)
    assert report.new + report.changed + report.removed == 1 and report.unchanged >= len(TEXTS) - 1
    assert_as_fresh(library, corpus, encoder)


DAYS = {
    "a": "Paid on 03/09/2024, and no sooner.",
    "b": "Seen in Ulm on 4/5/2023.",
    "c": "Nothing was said on 12-07-2022.",
}
SHOWS = {"day": "Sent on 31/12/2023.", "month": "Sent on 12/31/2023."}


@pytest.mark.parametrize(("first", "then"), [("", "month"), ("month", ""), ("day", "month"), ("month", "month")])
def test_the_order_of_dates_is_that_of_all_documents(
    tmp_path: Path, encoder: CachedEncoder, first: str, then: str
) -> None:
    """Also of those that are as they were: what they are searched by is read again where the library's order turns."""
    corpus, library = tmp_path / "corpus.jsonl", tmp_path / "library"
    for order in (first, then):
        texts = {**DAYS, "d": SHOWS[order]} if order else dict(DAYS)
        run([write(corpus, {**texts, "e": f"The {order or 'last'} note."})], library, encoder)
    assert_as_fresh(library, corpus, encoder)

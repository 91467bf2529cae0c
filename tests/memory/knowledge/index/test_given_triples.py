"""The triples of a library: what they are after any history of runs, and where each is told of."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from clew.memory.datatypes import Triple
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import LibraryMismatch
from clew.memory.knowledge.chunking import SemanticParameters
from clew.memory.knowledge.disk import POINTER
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.index.steps import chunk_of
from clew.memory.knowledge.library import open_library
from tests.memory.knowledge.index.test_run import manifest, run

MOON = ["Moon", "orbits", "Earth"]
SUN = ["Sun", "warms", "Earth"]
MARS = ["Mars", "orbits", "Sun"]


def write(path: Path, **triples: Sequence[object]) -> Path:
    rows = [{"_id": name, "text": f"About the {name}.", "triples": own} for name, own in triples.items()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def told(library: Path, encoder: CachedEncoder) -> list[tuple[str, str]]:
    with open_library(library, encoder) as opened:
        return [(triple.subject, triple.chunk) for triple in opened.store.triples()]


def test_they_come_change_and_go_with_their_documents(tmp_path: Path, encoder: CachedEncoder) -> None:
    library, planets, stars = tmp_path / "library", tmp_path / "planets.jsonl", tmp_path / "stars.jsonl"
    run([write(planets, moon=[MOON], mars=[MARS])], library, encoder)
    run([write(stars, sun=[SUN])], library, encoder)
    assert told(library, encoder) == [("Mars", "mars#0"), ("Moon", "moon#0"), ("Sun", "sun#0")]
    report = run([write(planets, moon=[MOON, ["Moon", "is", "far"]], venus=[])], library, encoder)
    assert report.line == "1 new, 1 changed, 1 removed, 0 unchanged, 0 failed"
    assert told(library, encoder) == [("Moon", "moon#0"), ("Moon", "moon#0"), ("Sun", "sun#0")]
    run([planets, stars], tmp_path / "fresh", encoder)
    assert told(tmp_path / "fresh", encoder) == told(library, encoder)
    assert manifest(tmp_path / "fresh", encoder).fingerprint == manifest(library, encoder).fingerprint
    # What another source has the id of has its triples too, under the name that it has here.
    run([write(tmp_path / "more.jsonl", sun=[MARS])], library, encoder)
    assert ("Mars", f"{tmp_path.name}/sun#0") in told(library, encoder)


def test_what_is_skipped_and_merged_is_counted(tmp_path: Path, encoder: CachedEncoder) -> None:
    corpus = write(tmp_path / "x.jsonl", moon=[MOON, ["Moon", "orbits"], "Moon"], earth=[["moon ", "Orbits", "EARTH"]])
    report = run([corpus], tmp_path / "library", encoder)
    skipped = "2 triples skipped: they do not have three parts"
    assert (report.notes, report.failed) == ((skipped, "1 repeated triples merged"), ())
    assert run([corpus], tmp_path / "library", encoder).notes == ()


def test_they_can_be_left_out_and_used_again(tmp_path: Path, encoder: CachedEncoder) -> None:
    library, one, other = tmp_path / "library", tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    run([write(one, moon=[MOON])], library, encoder, parameters=Parameters(triples="none"))
    assert (told(library, encoder), manifest(library, encoder).triples) == ([], "none")
    run([write(other, sun=[SUN])], library, encoder)
    assert run([], library, encoder, rebuild=True).notes == ()
    assert (told(library, encoder), manifest(library, encoder).triples) == ([], "none")
    # Also those of what is not under the paths given, and of what has not changed.
    report = run([other], library, encoder, parameters=Parameters(triples="given"))
    assert report.notes[0] == "entities are told anew, with --triples given and the extractor 'rules'"
    assert told(library, encoder) == [("Moon", "moon#0"), ("Sun", "sun#0")]
    assert run([other], library, encoder).notes == ("1 documents from other places kept as they are",)
    run([one, other], tmp_path / "fresh", encoder, parameters=Parameters(triples="given"))
    assert manifest(tmp_path / "fresh", encoder).fingerprint == manifest(library, encoder).fingerprint


def test_another_chunker_places_them_anew(tmp_path: Path, encoder: CachedEncoder) -> None:
    library, text = tmp_path / "library", "The Moon orbits the Earth. My bread needs yeast."
    row = {"_id": "m", "text": text, "triples": [MOON, ["bread", "needs", "yeast"]]}
    (tmp_path / "x.jsonl").write_text(json.dumps(row), "utf-8")
    run([tmp_path / "x.jsonl"], library, encoder)
    assert told(library, encoder) == [("Moon", "m#0"), ("bread", "m#0")]
    semantic = SemanticParameters(buffer=0, threshold=0.5)
    run([tmp_path / "x.jsonl"], library, encoder, parameters=Parameters(semantic))
    assert told(library, encoder) == [("Moon", "m#0"), ("bread", "m#1")]


def test_a_library_without_triples_is_to_be_rebuilt(tmp_path: Path, encoder: CachedEncoder) -> None:
    library = tmp_path / "library"
    run([write(tmp_path / "x.jsonl", moon=[MOON])], library, encoder)
    pointer = json.loads((library / POINTER).read_text("utf-8"))
    (library / POINTER).write_text(json.dumps({**pointer, "format": 1}), "utf-8")
    with pytest.raises(LibraryMismatch, match=r"has format 1, .* Try: clew index --rebuild --library"):
        open_library(library, encoder)
    assert run([], library, encoder, rebuild=True).new == 1
    assert told(library, encoder) == [("Moon", "moon#0")]


@pytest.mark.parametrize(
    "texts, chunk",
    [
        (["the earth", "the moon", "moon and earth", "earth and moon"], "2"),
        (["nothing", "the moon", "the earth"], "1"),
        (["nothing", "nothing"], "0"),
    ],
)
def test_the_chunk_with_most_of_a_triple_tells_it(texts: list[str], chunk: str) -> None:
    assert chunk_of(Triple("Moon", "orbits", "EARTH"), [(str(n), text) for n, text in enumerate(texts)]) == chunk

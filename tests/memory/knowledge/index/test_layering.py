"""The layers of a library: what they hold by each choice of triples, and that they do not depend on its history."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput, NotSetUp
from clew.memory.knowledge.disk import TriplesFrom
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.library import open_library
from clew.memory.layers import Layers
from clew.memory.vectors import highest
from tests.memory.knowledge.index.test_run import manifest, run

FILMS = {
    "Metropolis (1927 film)": "Metropolis was directed by Fritz Lang. Its script was written by Thea von Harbou.",
    "Fritz Lang": "Fritz Lang was born in Vienna. He married Thea von Harbou in 1922.",
    "Vienna": "Vienna is the capital of Austria.",
}
MOON = [["Moon", "orbits", "the Earth"], ["Moon", "has", "craters"]]
GIVEN = {"moon": ("The Moon orbits the Earth. It is old.", MOON)}


def write(path: Path, texts: Mapping[str, str], given: Mapping[str, tuple[str, list[list[str]]]] | None = None) -> Path:
    rows: list[dict[str, object]] = [{"_id": name, "title": name, "text": text} for name, text in texts.items()]
    rows += [{"_id": id_, "title": "", "text": text, "triples": own} for id_, (text, own) in (given or {}).items()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def layers_of(library: Path, encoder: CachedEncoder) -> Layers:
    with open_library(library, encoder) as opened:
        return opened.store.part().layers


def relations(layers: Layers) -> set[tuple[str, str, str]]:
    parts = zip(layers.subjects, layers.verb_numbers, layers.objects, strict=True)
    return {(layers.entities[s].name, layers.verbs[v], layers.entities[o].name) for s, v, o in parts}


def named_in(layers: Layers, document: str) -> set[str]:
    chunks = [n for n, d in enumerate(layers.chunk_documents) if layers.document_ids[d] == document]
    return {layers.entities[e].name for e in layers.chunk_entities[chunks].nonzero()[1]}


def test_sentences_entities_and_relations_are_extracted(tmp_path: Path, encoder: CachedEncoder) -> None:
    run([write(tmp_path / "x.jsonl", FILMS)], tmp_path / "library", encoder)
    with open_library(tmp_path / "library", encoder) as opened:
        layers, store = opened.store.part().layers, opened.store
        assert [unit.text for unit in store.part().sentences(range(2))] == [
            "Metropolis was directed by Fritz Lang.",
            "Its script was written by Thea von Harbou.",
        ]
        assert [unit.chunk for unit in store.part().sentences([4, 0])] == ["Vienna#0", "Metropolis (1927 film)#0"]
        assert layers.sentence_chunks.tolist() == [0, 0, 1, 1, 2]
        again = encoder.encode(["Vienna\nVienna is the capital of Austria."], "passage")
        assert np.allclose(store.part().sentence_vectors.take(np.array([4]), axis=0), again, atol=1e-5)
        cosines = store.part().sentence_vectors @ again[0]
        assert (highest(cosines, 2)[0], cosines[4]) == (4, pytest.approx(1, abs=1e-5))
        assert highest(cosines, 2, np.array([0, 3])) in ([0, 3], [3, 0])
        chunk = layers.chunk_ids[layers.sentence_chunks[layers.stated[0]]]
        assert store.triples()[0].chunk == chunk
    assert {"Fritz Lang", "Thea von Harbou", "Vienna"} <= named_in(layers, "Fritz Lang")
    assert ("Fritz Lang", "directed", "Metropolis") in relations(layers)
    assert ("Fritz Lang", "born in", "Vienna") in relations(layers)
    titles = [layers.entities[e].name for e in layers.titles]
    assert titles == ["Metropolis", "Fritz Lang", "Vienna"]  # a link: the first names the title of the second
    shared = layers.chunks_of_entity[[entity.name for entity in layers.entities].index("Thea von Harbou")]
    assert shared == 2


@pytest.mark.parametrize(
    "triples, given, extracted",
    [
        ("auto", True, True),
        ("given", True, False),
        ("extract", False, True),
        ("both", True, True),
        ("none", False, False),
    ],
)
def test_triples_are_those_asked_for(
    triples: TriplesFrom, given: bool, extracted: bool, tmp_path: Path, encoder: CachedEncoder
) -> None:
    corpus = write(tmp_path / "x.jsonl", FILMS, GIVEN)
    run([corpus], tmp_path / "library", encoder, parameters=Parameters(triples=triples))
    layers = layers_of(tmp_path / "library", encoder)
    found = relations(layers)
    assert (("Moon", "has", "craters") in found) == given
    assert (("Fritz Lang", "born in", "Vienna") in found) == extracted
    assert bool(len(layers.sentence_chunks)) == (triples != "none")
    with open_library(tmp_path / "library", encoder) as opened:
        told = {(one.subject, one.relation, one.object) for one in opened.store.triples()}
    assert ("Moon", "orbits", "the Earth") in told if given else "craters" not in str(told)
    assert layers.given.any() == given


def test_by_default_a_document_with_triples_is_not_extracted_from(tmp_path: Path, encoder: CachedEncoder) -> None:
    run([write(tmp_path / "x.jsonl", {}, GIVEN)], tmp_path / "library", encoder)
    assert relations(layers_of(tmp_path / "library", encoder)) == {
        ("Moon", "orbits", "the Earth"),
        ("Moon", "has", "craters"),
    }


def test_a_graph_folder_is_not_extracted_from_unless_asked(tmp_path: Path, encoder: CachedEncoder) -> None:
    (tmp_path / "g").mkdir()
    rows = [{"id": title, "title": title, "text": text} for title, text in FILMS.items()]
    (tmp_path / "g" / "nodes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    edge = {"source": "Fritz Lang", "target": "Vienna", "relation": "born in"}
    (tmp_path / "g" / "edges.jsonl").write_text(json.dumps(edge), "utf-8")
    run([tmp_path / "g"], tmp_path / "library", encoder)
    assert not layers_of(tmp_path / "library", encoder).entities
    report = run([tmp_path / "g"], tmp_path / "library", encoder, parameters=Parameters(triples="extract"))
    assert report.notes == ("entities are told anew, with --triples extract and the extractor 'rules'",)
    assert relations(layers_of(tmp_path / "library", encoder))


def test_layers_do_not_depend_on_the_history_of_runs(tmp_path: Path, encoder: CachedEncoder) -> None:
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    library, fresh = tmp_path / "library", tmp_path / "fresh"
    run([write(one, {"Vienna": FILMS["Vienna"], "Gone": "Gone with the Wind is a film."})], library, encoder)
    run([write(other, {"Fritz Lang": "Lang was born in Vienna."})], library, encoder)
    run([write(other, {name: FILMS[name] for name in ("Fritz Lang", "Metropolis (1927 film)")})], library, encoder)
    run([write(one, {"Vienna": FILMS["Vienna"]})], library, encoder)
    run([one, other], fresh, encoder)
    ours, theirs = layers_of(library, encoder), layers_of(fresh, encoder)
    for name in Layers.__dataclass_fields__:
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
    assert manifest(library, encoder).fingerprint == manifest(fresh, encoder).fingerprint
    with open_library(library, encoder) as mine, open_library(fresh, encoder) as new:
        rows = np.arange(len(ours.sentence_chunks))
        assert np.array_equal(
            mine.store.part().sentence_vectors.take(rows, axis=0), new.store.part().sentence_vectors.take(rows, axis=0)
        )


def test_sentences_find_their_chunk_where_chunks_overlap(tmp_path: Path, encoder: CachedEncoder) -> None:
    text = " ".join(f"The baker of village number {n} sold bread to the miller of town {n}." for n in range(60))
    run([write(tmp_path / "x.jsonl", {"Bread": text})], tmp_path / "library", encoder)
    with open_library(tmp_path / "library", encoder) as opened:
        layers, store = opened.store.part().layers, opened.store
        chunks = {chunk.id: chunk for chunk in store.chunks(layers.chunk_ids)}
        assert len(chunks) > 3
        units = store.part().sentences(range(len(layers.sentence_chunks)))
        assert len(units) == 60
        assert all(chunks[unit.chunk].start <= unit.start < unit.end <= chunks[unit.chunk].end for unit in units)


def test_an_unknown_extractor_or_one_that_is_not_installed_is_told_of_first(
    tmp_path: Path, encoder: CachedEncoder
) -> None:
    corpus = write(tmp_path / "x.jsonl", FILMS)
    with pytest.raises(BadInput, match="there is no extractor 'magic'"):
        run([corpus], tmp_path / "library", encoder, parameters=Parameters(extractor="magic"))
    with pytest.raises(NotSetUp):
        run([corpus], tmp_path / "library", encoder, parameters=Parameters(extractor="spacy:no_such_pipeline"))


def test_chunks_share_entities_the_more_the_rarer_these_are(tmp_path: Path, encoder: CachedEncoder) -> None:
    run([write(tmp_path / "x.jsonl", FILMS)], tmp_path / "library", encoder)
    layers = layers_of(tmp_path / "library", encoder)
    shared = layers.shared_entities(50).toarray()
    number = {id_.removesuffix("#0"): row for id_, row in layers.chunk_numbers.items()}
    film, lang, vienna = (number[name] for name in ("Metropolis (1927 film)", "Fritz Lang", "Vienna"))
    named = layers.chunk_entities.toarray() > 0
    for one, other in ((film, lang), (lang, vienna), (film, vienna)):
        both = [named[:, e].sum() for e in np.flatnonzero(named[one] & named[other])]
        assert shared[one, other] == pytest.approx(sum(1 / df for df in both))
    assert shared[film, lang] > 0 and not shared.diagonal().any()

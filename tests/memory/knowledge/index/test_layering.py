"""The layers of a library: what they hold by each choice of triples, and that they do not depend on its history."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput, NotSetUp, ServiceUnreachable
from clew.memory.knowledge.disk import TriplesFrom
from clew.memory.knowledge.extraction.llm import Model
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.index.run import IndexReport
from clew.memory.knowledge.layers import Layers
from clew.memory.knowledge.library import open_library
from clew.memory.ports import Message
from clew.memory.vectors import highest
from tests.memory.knowledge.index.test_run import manifest, run
from tests.memory.scripted_writer import ScriptedWriter

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


# A library whose entities a language model extracts: whom it is asked about, and what is told where it fails.

CAPITAL = json.dumps(
    {
        "entities": [{"name": "Vienna", "type": "place"}, {"name": "Austria", "type": "place"}],
        "triples": [{"subject": "Vienna", "relation": "lies in", "object": "Austria"}],
    }
)


class Librarian(ScriptedWriter):
    """Knows Vienna; keeps the titles that it was asked about."""

    def __init__(self, other: str = "?", name: str = "small") -> None:
        self.asked: list[str] = []
        self._other = other
        super().__init__(self._reply, name=name, window=8000)

    def _reply(self, messages: Sequence[Message], *_: object) -> str:
        self.asked.append(messages[0].text.partition('<document title="')[2].partition('"')[0])
        if self._other == "unplugged" and self.asked[-1] != "Vienna":
            raise ServiceUnreachable("the model does not answer")
        return CAPITAL if "capital of Austria" in messages[0].text else self._other


def indexed(
    corpus: Path, library: Path, encoder: CachedEncoder, writer: ScriptedWriter, extractor: str | None = "llm"
) -> IndexReport:
    """Without a file of answers: nothing but the library itself may save a question."""
    model = Model(writer)
    return run([corpus], library, encoder, parameters=Parameters(extractor=extractor, model=model))


def test_only_changed_documents_are_asked_about(tmp_path: Path, encoder: CachedEncoder) -> None:
    corpus, library, writer = tmp_path / "x.jsonl", tmp_path / "library", Librarian()
    indexed(write(corpus, FILMS), library, encoder, writer)
    assert set(writer.asked) == set(FILMS) and manifest(library, encoder).extractor == "llm:small"
    assert ("Vienna", "lies in", "Austria") in relations(layers_of(library, encoder))
    writer.asked.clear()
    assert indexed(corpus, library, encoder, writer, None).line.startswith("0 new, 0 changed")
    assert not writer.asked
    changed = {**FILMS, "Fritz Lang": "Fritz Lang was born in Vienna, the capital of Austria."}
    report = indexed(write(corpus, changed), library, encoder, writer, None)
    assert (report.changed, writer.asked, report.notes) == (1, ["Fritz Lang"], ())


def test_a_rebuild_asks_again_only_for_what_failed(tmp_path: Path, encoder: CachedEncoder) -> None:
    corpus, library = write(tmp_path / "x.jsonl", FILMS), tmp_path / "library"
    kept = tmp_path / "answers.sqlite"
    chosen = Parameters(extractor="llm", model=Model(Librarian(), kept))
    assert len(run([corpus], library, encoder, parameters=chosen).notes) == 1
    writer = Librarian("unplugged")
    model = Model(writer, kept)
    report = run([corpus], library, encoder, parameters=Parameters(model=model), rebuild=True)
    assert writer.asked == [next(iter(FILMS))]
    (note,) = report.notes
    assert note.startswith("entities of 2 of 3 parts are by rules: the model small was not reached (the model does not")


def test_without_that_model_it_is_not_set_up(tmp_path: Path, encoder: CachedEncoder) -> None:
    corpus, library = write(tmp_path / "x.jsonl", FILMS), tmp_path / "library"
    with pytest.raises(NotSetUp, match="wants a language model, and none is set up"):
        run([corpus], library, encoder, parameters=Parameters(extractor="llm"))
    indexed(corpus, library, encoder, Librarian())
    with pytest.raises(NotSetUp, match="wants the language model small, and none is set up"):
        run([corpus], library, encoder)
    report = indexed(corpus, library, encoder, Librarian(name="large"), None)
    assert "entities are told anew, with --triples auto and the extractor 'llm:large'" in report.notes
    with pytest.raises(BadInput, match="there is no extractor 'llms'"):
        run([corpus], library, encoder, parameters=Parameters(extractor="llms"))
    with pytest.raises(NotSetUp):
        run([corpus], library, encoder, parameters=Parameters(extractor="spacy:no_such_pipeline"))


# The triples of a library: what they are after any history of runs, and where each is told of.

MOON_TRIPLES = ["Moon", "orbits", "Earth"]
SUN = ["Sun", "warms", "Earth"]
MARS = ["Mars", "orbits", "Sun"]


def write_triples(path: Path, **triples: Sequence[object]) -> Path:
    rows = [{"_id": name, "text": f"About the {name}.", "triples": own} for name, own in triples.items()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def told(library: Path, encoder: CachedEncoder) -> list[tuple[str, str]]:
    with open_library(library, encoder) as opened:
        return [(triple.subject, triple.chunk) for triple in opened.store.triples()]


def test_they_come_change_and_go_with_their_documents(tmp_path: Path, encoder: CachedEncoder) -> None:
    library, planets, stars = tmp_path / "library", tmp_path / "planets.jsonl", tmp_path / "stars.jsonl"
    run([write_triples(planets, moon=[MOON_TRIPLES], mars=[MARS])], library, encoder)
    run([write_triples(stars, sun=[SUN])], library, encoder)
    assert told(library, encoder) == [("Mars", "mars#0"), ("Moon", "moon#0"), ("Sun", "sun#0")]
    report = run([write_triples(planets, moon=[MOON_TRIPLES, ["Moon", "is", "far"]], venus=[])], library, encoder)
    assert report.line == "1 new, 1 changed, 1 removed, 0 unchanged, 0 failed"
    assert told(library, encoder) == [("Moon", "moon#0"), ("Moon", "moon#0"), ("Sun", "sun#0")]
    run([planets, stars], tmp_path / "fresh", encoder)
    assert told(tmp_path / "fresh", encoder) == told(library, encoder)
    assert manifest(tmp_path / "fresh", encoder).fingerprint == manifest(library, encoder).fingerprint
    # What another source has the id of has its triples too, under the name that it has here.
    run([write_triples(tmp_path / "more.jsonl", sun=[MARS])], library, encoder)
    assert ("Mars", f"{tmp_path.name}/sun#0") in told(library, encoder)


def test_what_is_skipped_is_counted(tmp_path: Path, encoder: CachedEncoder) -> None:
    corpus = write_triples(
        tmp_path / "x.jsonl", moon=[MOON_TRIPLES, ["Moon", "orbits"], "Moon"], earth=[["moon ", "Orbits", "EARTH"]]
    )
    report = run([corpus], tmp_path / "library", encoder)
    skipped = "2 triples skipped: they do not have three parts"
    assert (report.notes, report.failed) == ((skipped,), ())
    assert run([corpus], tmp_path / "library", encoder).notes == ()


def test_they_can_be_left_out_and_used_again(tmp_path: Path, encoder: CachedEncoder) -> None:
    library, one, other = tmp_path / "library", tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    run([write_triples(one, moon=[MOON_TRIPLES])], library, encoder, parameters=Parameters(triples="none"))
    assert (told(library, encoder), manifest(library, encoder).triples) == ([], "none")
    run([write_triples(other, sun=[SUN])], library, encoder)
    assert run([], library, encoder, rebuild=True).notes == ()
    assert (told(library, encoder), manifest(library, encoder).triples) == ([], "none")
    # Also those of what is not under the paths given, and of what has not changed.
    report = run([other], library, encoder, parameters=Parameters(triples="given"))
    assert report.notes[0] == "entities are told anew, with --triples given and the extractor 'rules'"
    assert told(library, encoder) == [("Moon", "moon#0"), ("Sun", "sun#0")]
    assert run([other], library, encoder).notes == ("1 documents from other places kept as they are",)
    run([one, other], tmp_path / "fresh", encoder, parameters=Parameters(triples="given"))
    assert manifest(tmp_path / "fresh", encoder).fingerprint == manifest(library, encoder).fingerprint

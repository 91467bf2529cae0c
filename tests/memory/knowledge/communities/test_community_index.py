"""The communities of a library: reports, levels, what a re-run keeps, and reports by a language model."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from clew.memory.encoding import CachedEncoder
from clew.memory.errors import ServiceUnreachable
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.layers import BY_EXTRACTION, Communities, Cover
from clew.memory.knowledge.library import Library, open_library
from clew.memory.knowledge.library_ports import Graph
from tests.memory.knowledge.communities.made import ALL, BREAD, FILMS, SPACE, library, written, written_by
from tests.memory.knowledge.index.test_run import manifest, run
from tests.memory.scripted_writer import ScriptedWriter


def cover_of(graph: Graph) -> Cover:
    return Cover(graph.layers, graph.communities)


def communities_of(path: Path, encoder: CachedEncoder) -> Communities:
    with open_library(path, encoder) as opened:
        return opened.store.part().communities


def test_the_reports_of_the_examples(examples: Library) -> None:
    communities, layers = examples.store.part().communities, examples.store.part().layers
    reports = [one.report for one in communities.items]
    assert len(set(reports)) == len(reports) > 5
    for one in communities.items:
        names = [" ".join(layers.entities[e].name.split()) for e in one.entities]
        assert names[0] in one.report and names[0] in one.name
        assert one.by == BY_EXTRACTION and 40 < len(one.report) < 1500 and one.report[0].isupper()
        assert "\n" not in one.report
    members = communities.members(len(layers.entities))
    for level in range(communities.levels):
        assert members[communities.at(level)].sum(axis=0).max() == 1  # an entity is in one of each level
    assert np.allclose(np.linalg.norm(communities.vectors, axis=1), 1, atol=1e-5)
    cover = cover_of(examples.store.part())
    everything = cover.layers.chunks_within(None)
    held = np.concatenate([cover.of(int(c), everything) for c in communities.at(0)])
    assert len(np.unique(cover.layers.chunk_documents[held])) == len(layers.document_ids)


def test_a_library_comes_to_the_same_communities_by_any_way(tmp_path: Path, encoder: CachedEncoder) -> None:
    one, other, path, fresh = (tmp_path / name for name in ("one.jsonl", "other.jsonl", "library", "fresh"))
    run([written(one, {**FILMS, "Gone": "Gone with the Wind was filmed by Victor Fleming in Atlanta."})], path, encoder)
    run([written(other, {**SPACE, **BREAD})], path, encoder)
    run([written(one, FILMS)], path, encoder)
    run([one, other], fresh, encoder)
    ours, theirs = communities_of(path, encoder), communities_of(fresh, encoder)
    assert ours.items == theirs.items
    assert np.array_equal(ours.vectors, theirs.vectors)


def test_a_document_that_nothing_ties_is_covered(tmp_path: Path, encoder: CachedEncoder) -> None:
    alone = {"Grönland": "it is cold there and nobody comes.", "Ünïcode": "all of it is small here."}
    with open_library(library(tmp_path, {**FILMS, **alone}, encoder), encoder) as opened:
        cover, layers = cover_of(opened.store.part()), opened.store.part().layers
        held = np.concatenate([cover.of(int(c), cover.layers.chunks_within(None)) for c in cover.communities.at(0)])
    assert len(np.unique(cover.layers.chunk_documents[held])) == len(layers.document_ids) == len(FILMS) + 2
    (films,) = (one for one in cover.communities.at(0) if "Lang" in cover.communities.items[one].name)
    assert "Ünïcode" not in cover.communities.items[films].name


def test_the_method_is_recorded_and_another_finds_them_anew(tmp_path: Path, encoder: CachedEncoder) -> None:
    path = library(tmp_path, ALL, encoder)
    assert manifest(path, encoder).communities == "leiden"
    report = run([tmp_path / "x.jsonl"], path, encoder, parameters=Parameters(communities="louvain"))
    assert report.notes == ("communities are found anew, by louvain",)
    assert manifest(path, encoder).communities == "louvain"
    assert not run([tmp_path / "x.jsonl"], path, encoder).notes
    assert any("Anna Miller" in one.name for one in communities_of(path, encoder).items)


def writer(said: Callable[[str], str], asked: list[str]) -> ScriptedWriter:
    def script(messages: object, *_: object) -> str:
        asked.append(messages[0].text)  # type: ignore[index]
        return said(asked[-1])

    return ScriptedWriter(script)


def good(prompt: str) -> str:
    return f"This is about {prompt.split('first: ')[1].splitlines()[0]}. They belong together."


def test_a_model_writes_the_reports_once(tmp_path: Path, encoder: CachedEncoder) -> None:
    asked: list[str] = []
    path = library(tmp_path, ALL, encoder, writer(good, asked))
    found = communities_of(path, encoder)
    assert len(asked) == len(found.items) and {one.by for one in found.items} == {"scripted"}
    assert all(one.report.startswith("This is about") for one in found.items)
    assert all(re.search(r"together\. From: [\w ]+(, [\w ]+)*\.$", one.report) for one in found.items)
    again = encoder.encode([one.report.partition(" From: ")[0] for one in found.items], "passage")
    assert np.allclose(found.vectors, again, atol=1e-5)
    (tmp_path / "y.jsonl").write_text('{"_id": "y", "title": "", "text": "Nothing is named here, nothing at all."}\n')
    report = run([tmp_path / "y.jsonl"], path, encoder, parameters=written_by(writer(good, asked)))
    assert len(asked) == len(found.items) and not [note for note in report.notes if "report" in note]
    assert communities_of(path, encoder).items == found.items


def test_what_a_model_writes_badly_is_not_taken(tmp_path: Path, encoder: CachedEncoder) -> None:
    said = "Fritz Lang, Laika and Anna Miller, see [this](https://evil.example)."
    corpus, parameters = [written(tmp_path / "x.jsonl", ALL)], written_by(writer(lambda _: said, []))
    report = run(corpus, tmp_path / "library", encoder, parameters=parameters)
    found = communities_of(tmp_path / "library", encoder).items
    assert {one.by for one in found} == {BY_EXTRACTION}
    (note,) = report.notes
    assert (
        note.startswith(f"{len(found)} of {len(found)} community reports are extracts") and "it has an address" in note
    )


def test_a_model_that_is_not_there_is_asked_once(tmp_path: Path, encoder: CachedEncoder) -> None:
    asked: list[str] = []

    def gone(prompt: str) -> str:
        raise ServiceUnreachable("nobody listens there")

    corpus = [written(tmp_path / "x.jsonl", ALL)]
    report = run(corpus, tmp_path / "library", encoder, parameters=written_by(writer(gone, asked)))
    found = communities_of(tmp_path / "library", encoder).items
    assert len(asked) == 1 and {one.by for one in found} == {BY_EXTRACTION}
    assert report.notes == (
        f"{len(found)} of {len(found)} community reports are extracts, as scripted failed: nobody listens there",
    )
    report = run(corpus, tmp_path / "library", encoder, parameters=written_by(writer(good, asked)))
    assert {one.by for one in communities_of(tmp_path / "library", encoder).items} == {"scripted"}
    assert report.notes == ("community reports are written by scripted",)

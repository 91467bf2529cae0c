"""Paths and what speaks for them against what a reader would work out from the texts, one by one."""

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from clew.memory.datatypes import Query
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.library import Library, open_library
from clew.memory.knowledge.question import LibraryQuestion
from clew.memory.knowledge.walking.features import Looked, load_scorer
from clew.memory.knowledge.walking.paths import PATH, HopIndex, HopQuestion, hop_index, paths_from
from clew.memory.text import content_words
from clew.tools.base import encode_query
from clew.tools.graph import HopParameters, hop, log_masses
from tests.memory.knowledge.index.test_run import run
from tests.memory.knowledge.walking.made import ints

TEXTS = {
    "Metropolis (1927 film)": "Metropolis was directed by Fritz Lang. Its script was written by Thea von Harbou.",
    "Fritz Lang": "Fritz Lang was born in Vienna. He married Thea von Harbou in 1922.",
    "Thea von Harbou": "Thea von Harbou was a German screenwriter. She was born in Tauperlitz in 1888.",
    "Vienna": "Vienna is the capital of Austria. It lies on the Danube.",
    "Bread": "Bread needs flour. Bakers in Vienna bake it at night.",
}
QUESTION = "Where was the director of Metropolis born?"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, encoder: CachedEncoder) -> Iterator[Library]:
    folder: Path = tmp_path_factory.mktemp("films")
    rows = [{"_id": title, "title": title, "text": text} for title, text in TEXTS.items()]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    run([folder / "corpus.jsonl"], folder / "library", encoder)
    with open_library(folder / "library", encoder) as opened:
        yield opened


@pytest.fixture(scope="module")
def index(library: Library) -> HopIndex:
    return hop_index(library.store.part().layers)


def hops_of(library: Library, index: HopIndex, query: Query) -> HopQuestion:
    return HopQuestion(index, LibraryQuestion(library.store.part(), query))


def chunk(index: HopIndex, title: str) -> int:
    return index.layers.chunk_numbers[f"{title}#0"]


def test_pairs_are_what_sentences_and_titles_name(index: HopIndex) -> None:
    names = {(c, index.layers.entities[e].name) for c, e in zip(index.chunks, index.entities, strict=True)}
    lang = chunk(index, "Fritz Lang")
    assert {(lang, "Fritz Lang"), (lang, "Vienna"), (lang, "Thea von Harbou")} <= names
    assert not [name for _, name in names if "19" in name]  # dates lead nowhere
    leading = {index.layers.entities[e].name for e in np.flatnonzero(index.leads)}
    assert {"Fritz Lang", "Vienna", "Thea von Harbou"} <= leading and "Danube" not in leading
    vienna = index.layers.entity_numbers["vienna"]
    df = len(index.by_entity.of(np.array([vienna]))[0])
    assert df == 3 and index.spread[vienna] == pytest.approx(math.log(3) / math.log(len(TEXTS)))
    # The sentences of a title's entity are all of the document, as it is about that.
    (pair,) = np.flatnonzero((index.chunks == chunk(index, "Vienna")) & (index.entities == vienna))
    assert len(index.sentences.of(np.array([pair]))[0]) == 2


def test_paths_lead_over_shared_entities(library: Library, index: HopIndex, encoder: CachedEncoder) -> None:
    query = encode_query(QUESTION, [], encoder)
    hops, film = hops_of(library, index, query), chunk(index, "Metropolis (1927 film)")
    paths = paths_from(hops, np.array([film]), np.array([-0.5]))
    over = {
        (index.layers.entities[e].name, index.layers.chunk_ids[c])
        for e, c in zip(paths.entities, paths.chunks, strict=True)
    }
    assert over == {
        ("Fritz Lang", "Fritz Lang#0"),
        ("Thea von Harbou", "Fritz Lang#0"),
        ("Thea von Harbou", "Thea von Harbou#0"),
    }
    (one,) = np.flatnonzero(paths.entities == index.layers.entity_numbers["fritz lang"])
    features = dict(zip(PATH, paths.features[one], strict=True))
    vector = query.forms[0].vector
    sentence, name = (
        encoder.encode(["Metropolis (1927 film)\nMetropolis was directed by Fritz Lang."], "passage")[0],
        (encoder.encode(["Fritz Lang"], "sentence")[0]),
    )
    onward = vector - 0.5 * sentence + 0.5 * name
    targets = encoder.encode([f"Fritz Lang\n{part}" for part in ("Fritz Lang was born in Vienna.",)], "passage")
    assert features["mass"] == -0.5
    assert features["spread"] == pytest.approx(math.log(2) / math.log(len(TEXTS)))
    assert features["tells"] == pytest.approx(float(sentence @ vector), abs=1e-4)
    assert features["gap"] == pytest.approx(0, abs=1e-4)  # it is the nearest of the film's sentences
    assert features["onward"] >= float((targets @ onward / np.linalg.norm(onward)).max()) - 1e-4
    assert features["likeness"] == pytest.approx(float(name @ vector), abs=1e-4)
    assert features["asked"] == 0
    shares = library.store.part().words(QUESTION, np.array([film, chunk(index, "Fritz Lang")]))
    here, there = shares.shares
    assert features["rest"] == pytest.approx(float((there * (1 - here)) @ shares.weights))
    assert features["gain"] == pytest.approx(float(np.maximum(there - here, 0) @ shares.weights))
    said = [
        bool({*content_words(word)} & {*content_words("Metropolis was directed by Fritz Lang.")})
        for word in shares.words
    ]
    assert features["words"] == pytest.approx(float(np.array(said) @ shares.weights))


def test_the_scope_bounds_paths_and_titles(library: Library, index: HopIndex, encoder: CachedEncoder) -> None:
    query = replace(encode_query(QUESTION, [], encoder), scope=frozenset({"Fritz Lang", "Vienna"}))
    inside = np.array([d in ("Fritz Lang", "Vienna") for d in index.layers.document_ids])[index.layers.chunk_documents]
    hops = hops_of(library, index, query)
    assert hops.question.allowed is not None and hops.question.allowed.tolist() == inside.tolist()
    paths = paths_from(hops, np.array([chunk(index, "Fritz Lang")]), np.zeros(1))
    assert {index.layers.chunk_ids[c] for c in paths.chunks} == {"Vienna#0"}


# Masses of chunks with paths to them against their formula; the rounds from what matches to what it leads to.


def test_masses_add_up() -> None:
    rng = np.random.default_rng(0)
    direct, paths, ends = rng.normal(size=6), rng.normal(size=20), rng.integers(0, 5, 20)
    wanted = [np.log(np.exp(direct[c]) + np.exp(paths[ends == c]).sum()) for c in range(6)]
    assert log_masses(direct, paths, ends) == pytest.approx(wanted)
    assert log_masses(direct + 800, paths + 800, ends) == pytest.approx(np.array(wanted) + 800)
    assert log_masses(direct, np.zeros(0), np.zeros(0, np.int64)) == pytest.approx(direct)


def test_rounds_go_on_from_the_chunks_of_most_mass(examples: Library, encoder: CachedEncoder) -> None:
    query = encode_query("Who walked on the far side of it?", [], encoder)
    question, scorer = LibraryQuestion(examples.store.part(), query), load_scorer()
    hops, looked = HopQuestion(hop_index(question.graph.layers), question), Looked(question, ints([0, 3, 5, 8, 9]))
    rounds = hop(looked, hops, scorer, HopParameters(anchors=2))
    before = scorer.before_paths(looked.direct)
    assert before == pytest.approx(scorer.path.own * scorer.alone(looked.direct))
    nodes = looked.nodes
    for one in rounds:
        anchors = set(nodes[np.argsort(-before, kind="stable")[:2]].tolist())
        assert set(one.paths.anchors.tolist()) <= anchors and len(one.paths.chunks)
        assert set(one.looked.nodes.tolist()) == set(nodes.tolist()) | set(one.paths.chunks.tolist())
        assert one.looked.nodes[one.ends].tolist() == one.paths.chunks.tolist()
        nodes, before = one.looked.nodes, one.masses(scorer)
        own, brought = scorer.before_paths(one.looked.direct), scorer.path(one.paths.features)
        assert before == pytest.approx(log_masses(own, brought, one.ends))
    assert len(rounds) == 2
    mass = rounds[1].paths.features[:, PATH.index("mass")]
    assert mass.max() <= 0  # 0 for the best anchor

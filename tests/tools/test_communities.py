"""The tool `communities`: equation 5 of seed 001 against a plain reading of it."""

import re
from dataclasses import astuple, replace
from pathlib import Path

import numpy as np
import pytest

from clew.memory.datatypes import Findings, Wording
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.library import Library, open_library
from clew.tools.base import encode_query
from clew.tools.communities import SNIPPET, CommunitiesParameters, CommunitySearch
from clew.tools.local import Local
from tests.memory.knowledge.communities.made import FILMS, library, untitled, written
from tests.memory.knowledge.index.test_run import run
from tests.memory.knowledge.semrag import CASES, needs_cases


def reference(library: Library, q: np.ndarray, level: int, reports: int = 3) -> list[tuple[float, int]]:
    """Score and number of every point of the nearest reports, best first."""
    store, layers, communities = library.store, library.store.part().layers, library.store.part().communities
    similar = {int(c): float(communities.vectors[c] @ q) for c in communities.at(level)}
    points: dict[int, float] = {}
    for community in sorted(similar, key=lambda c: -similar[c])[:reports]:
        members = set(communities.items[community].entities)
        held = {int(layers.sentence_chunks[s]) for s, e in layers.mentions.T if int(e) in members}
        held |= {g for g, d in enumerate(layers.chunk_documents) if int(layers.titles[d]) in members}
        for sentence, chunk in enumerate(layers.sentence_chunks):
            if int(chunk) in held:
                point = float(store.part().sentence_vectors.take(np.array([sentence]), axis=0)[0] @ q)
                points[sentence] = max(points.get(sentence, -9.0), 0.3 * similar[community] + 0.7 * point)
    return sorted(((score, sentence) for sentence, score in points.items()), reverse=True)


@pytest.mark.parametrize("question", ["Who directed Metropolis?", "Which animals went to space?", "How do tides work?"])
@pytest.mark.parametrize("level", [0, -1])
def test_equation_5(question: str, level: int, examples: Library, encoder: CachedEncoder) -> None:
    layers, communities = examples.store.part().layers, examples.store.part().communities
    query = encode_query(question, [], encoder)
    at = level if level >= 0 else communities.levels - 1
    expected = reference(examples, query.forms[0].vector, at)[:10]
    best: dict[str, float] = {}
    for score, sentence in expected:
        best.setdefault(layers.chunk_ids[layers.sentence_chunks[sentence]], score)
    found = CommunitySearch(examples.store, CommunitiesParameters(level=level)).search(query)
    assert {p.id: pytest.approx(p.score, abs=1e-4) for p in found.passages} == best
    for passage in found.passages:
        assert passage.score == pytest.approx(0.3 * passage.scores["community"] + 0.7 * passage.scores["point"])
        assert re.match(r"community .+ \(-?0\.\d\d\); point “.+” \(-?0\.\d\d\)", passage.why)


def test_more_passages_than_points_are_found_where_they_are_wanted(examples: Library, encoder: CachedEncoder) -> None:
    tool, query = CommunitySearch(examples.store), encode_query("Which animals went to space?", [], encoder)
    alone = tool.search(query).passages
    assert len(alone) > 2 and tool.search(query, 2).passages == alone[:2]
    assert [p.id for p in tool.search(query, 15).passages][: len(alone)] == [p.id for p in alone]
    assert len(tool.search(query, 15).passages) == 15


def test_local_and_global_evidence_go_together(examples: Library, encoder: CachedEncoder) -> None:
    """Seed 001's answer draws on both: what they find has the ids of real chunks, and is told apart by its tool."""
    query = encode_query("Who directed Metropolis?", [], encoder)
    both: list[Findings] = [tool.search(query, 5) for tool in (Local(examples.store), CommunitySearch(examples.store))]
    passages = {passage.id: passage for found in both for passage in found.passages}
    assert [chunk.id for chunk in examples.store.chunks(list(passages))] == list(passages)
    assert {passage.tool for found in both for passage in found.passages} == {"local", "communities"}


def test_forms_are_fused(examples: Library, encoder: CachedEncoder) -> None:
    forms = [Wording("question", "and where was he born?", 0.4), Wording("standing", "Where was Fritz Lang born?", 0.6)]
    best = CommunitySearch(examples.store).search(encode_query(forms[0].text, forms, encoder), 2).passages[0]
    assert best.document == "people/fritz-lang.md" and best.why.endswith("(as standing)")


def test_a_library_without_communities_names_the_command(tmp_path: Path, encoder: CachedEncoder) -> None:
    run([written(tmp_path / "x.jsonl", FILMS)], tmp_path / "library", encoder, parameters=Parameters(triples="none"))
    with open_library(tmp_path / "library", encoder) as opened:
        found = CommunitySearch(opened.store).search(encode_query("Who directed Metropolis?", [], encoder), 3)
    assert not found.passages and "`clew index YOUR-FOLDER --triples extract`" in found.notes[0]


def test_where_nothing_is_named_it_says_so(tmp_path: Path, encoder: CachedEncoder) -> None:
    run([untitled(tmp_path / "x.jsonl", "hi")], tmp_path / "library", encoder)
    with open_library(tmp_path / "library", encoder) as opened:
        found = CommunitySearch(opened.store).search(encode_query("Who directed Metropolis?", [], encoder), 3)
    assert (found.passages, found.notes) == ((), ("no entities: nothing was found to be named in the documents",))


@pytest.mark.parametrize("question", ["What is near?", "Who directed Metropolis?"])
def test_a_scope_where_nothing_is_named(question: str, tmp_path: Path, encoder: CachedEncoder) -> None:
    run([written(tmp_path / "x.jsonl", FILMS), untitled(tmp_path / "y.jsonl", "hi")], tmp_path / "library", encoder)
    with open_library(tmp_path / "library", encoder) as opened:
        query = replace(encode_query(question, [], encoder), scope=frozenset({"0"}))
        found = CommunitySearch(opened.store).search(query, 3)
    assert not found.passages and "named in the documents in scope" in found.notes[0]


def test_a_community_is_told_by_names_in_scope(examples: Library, encoder: CachedEncoder) -> None:
    scope = frozenset({"films/metropolis.md", "animals/ham.md"})
    query = replace(encode_query("Who made films in Vienna?", [], encoder), scope=scope)
    texts = " ".join(" ".join((d.title + " " + d.text).split()) for d in examples.store.documents(sorted(scope)))
    passages = CommunitySearch(examples.store).search(query).passages
    assert passages
    for passage in passages:
        told = re.match(r"community (.+?) \(-?\d\.\d\d\); point", passage.why)
        names = [name.partition(" (") for name in told[1].split(", ")] if told else []
        assert names and all(name.casefold() in texts.casefold() for name, *_ in names)
        assert {document.rstrip(")") for *_, document in names} <= {"", "films/metropolis.md", "animals/ham.md"}


@needs_cases
def test_the_demo_of_the_seed(tmp_path: Path, encoder: CachedEncoder) -> None:
    texts = CASES["module_demos"]["local_search"]["chunks"]
    path = library(tmp_path, {f"c{number}": text for number, text in enumerate(texts)}, encoder)
    with open_library(path, encoder) as opened:
        query = encode_query(CASES["module_demos"]["global_search"]["query"], [], encoder)
        assert "Constitution" in CommunitySearch(opened.store).search(query, 1).passages[0].text
        query = encode_query(CASES["module_demos"]["local_search"]["query"], [], encoder)
        assert "Constitution" in Local(opened.store).search(query, 3).passages[0].text


@pytest.mark.parametrize(("reports", "points"), [(1, 1000), (2, 3), (5, 1000)])
def test_equation_5_keeps_its_top_k_of_both(
    reports: int, points: int, examples: Library, encoder: CachedEncoder
) -> None:
    query = encode_query("Which films were made in Germany?", [], encoder)
    level = examples.store.part().communities.levels - 1
    expected = reference(examples, query.forms[0].vector, level, reports)[:points]
    tool = CommunitySearch(
        examples.store, CommunitiesParameters(top_k_communities=reports, top_k_points=points, level=level)
    )
    layers = examples.store.part().layers
    chunks = {layers.chunk_ids[layers.sentence_chunks[sentence]] for _, sentence in expected}
    assert {passage.id for passage in tool.search(query).passages} == chunks
    every = [len(reference(examples, query.forms[0].vector, level, count)) for count in (1, 2, 3, 5)]
    assert every == sorted(set(every))


def test_the_defaults_are_equation_5s() -> None:
    assert astuple(CommunitiesParameters()) == (3, 10, 0.3, 0.7, -1, None)


def test_a_point_is_cut_between_words_and_its_form_told_where_there_are_two(
    tmp_path: Path, encoder: CachedEncoder
) -> None:
    short = "Fritz Lang directed Metropolis in Berlin with Brigitte Helm"
    long_ = f"{short} {' '.join(['and others'] * 12)}."
    exact = f"{short} {'a' * (SNIPPET - len(short) - 2)}."
    path = library(tmp_path, {"Metropolis": long_, "Fritz Lang": exact}, encoder)
    with open_library(path, encoder) as opened:
        found = CommunitySearch(opened.store).search(encode_query("Who directed Metropolis?", [], encoder)).passages
    told = {one.title: one.why.partition("“")[2].partition("”")[0] for one in found}
    assert told["Fritz Lang"] == exact and len(exact) == SNIPPET == 160
    cut = told["Metropolis"].removesuffix(" …")
    assert long_.startswith(f"{cut} ") and SNIPPET - len(" others") <= len(cut) <= SNIPPET
    assert not any("(as " in one.why for one in found)


@pytest.mark.parametrize("level", [-2, -9, 7])
def test_a_level_that_is_not_there(level: int, examples: Library, encoder: CachedEncoder) -> None:
    """Above the coarsest it is the coarsest; below the finest there is nothing."""
    query = encode_query("Which animals went to space?", [], encoder)
    found = CommunitySearch(examples.store, CommunitiesParameters(level=level)).search(query)
    coarsest = CommunitySearch(examples.store, CommunitiesParameters(level=0)).search(query)
    if examples.store.part().communities.levels <= 2 and level < 0:
        assert found == coarsest
    elif level > 0:
        assert not found.passages

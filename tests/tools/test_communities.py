"""The tool `communities`: equation 5 of seed 001 against a plain reading of it."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.library import Library, open_library
from clew.tools.base import encode_query
from clew.tools.communities import CommunitiesParameters, CommunitySearch
from clew.tools.local import Local
from tests.memory.knowledge.communities.made import library
from tests.memory.knowledge.semrag import CASES, needs_cases


def reference(library: Library, q: np.ndarray, level: int, reports: int) -> list[tuple[float, int]]:
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
@pytest.mark.parametrize(("level", "reports", "points"), [(0, 3, 10), (-1, 3, 10), (-1, 1, 1000), (-1, 2, 3)])
def test_equation_5(
    question: str, level: int, reports: int, points: int, examples: Library, encoder: CachedEncoder
) -> None:
    layers, communities = examples.store.part().layers, examples.store.part().communities
    query = encode_query(question, [], encoder)
    at = level if level >= 0 else communities.levels - 1
    expected = reference(examples, query.forms[0].vector, at, reports)[:points]
    best: dict[str, float] = {}
    for score, sentence in expected:
        best.setdefault(layers.chunk_ids[layers.sentence_chunks[sentence]], score)
    parameters = CommunitiesParameters(level=level, top_k_communities=reports, top_k_points=points)
    found = CommunitySearch(examples.store, parameters).search(query)
    assert {p.id: pytest.approx(p.score, abs=1e-4) for p in found.passages} == best
    for passage in found.passages:
        assert passage.score == pytest.approx(0.3 * passage.scores["community"] + 0.7 * passage.scores["point"])
        assert re.match(r"community .+ \(-?0\.\d\d\); point “.+” \(-?0\.\d\d\)", passage.why)


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

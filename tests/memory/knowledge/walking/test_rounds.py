"""Masses of chunks with paths to them against their formula; the rounds from what matches to what it leads to."""

from dataclasses import replace

import numpy as np
import pytest

from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.library import Library
from clew.memory.knowledge.question import LibraryQuestion
from clew.memory.knowledge.walking.features import Looked, load_scorer
from clew.memory.knowledge.walking.paths import PATH, HopQuestion, hop_index
from clew.tools.base import encode_query
from clew.tools.graph import HopParameters, hop, log_masses
from tests.memory.knowledge.walking.made import ints


def test_masses_add_up() -> None:
    rng = np.random.default_rng(0)
    direct, paths, ends = rng.normal(size=6), rng.normal(size=20), rng.integers(0, 5, 20)
    wanted = [np.log(np.exp(direct[c]) + np.exp(paths[ends == c]).sum()) for c in range(6)]
    assert log_masses(direct, paths, ends) == pytest.approx(wanted)
    assert log_masses(direct + 800, paths + 800, ends) == pytest.approx(np.array(wanted) + 800)
    assert log_masses(direct, np.zeros(0), np.zeros(0, np.int64)) == pytest.approx(direct)


def test_what_is_shipped_weighs_every_feature_of_a_path() -> None:
    path = load_scorer().path
    assert path.slope.shape == (len(PATH),)
    assert path(np.eye(len(PATH))) == pytest.approx(path.slope + path.bias)


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


def test_a_path_that_brings_nothing_changes_nothing(examples: Library, encoder: CachedEncoder) -> None:
    question = LibraryQuestion(examples.store.part(), encode_query("Who walked on it?", [], encoder))
    looked, shipped = Looked(question, ints([0, 3, 5])), load_scorer()
    mute = replace(shipped, path=replace(shipped.path, bias=-1e3))
    last = hop(looked, HopQuestion(hop_index(question.graph.layers), question), mute, HopParameters())[-1]
    assert last.masses(mute) == pytest.approx(mute.before_paths(last.looked.direct))

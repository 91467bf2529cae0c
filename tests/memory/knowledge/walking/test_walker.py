"""The walker over the shipped documents, nodes weighed by the cosine alone: what is looked at, chosen, landed on."""

from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clew.memory.datatypes import Floats, Ints, Query, Wording
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.aligners.scoring import Aligner
from clew.memory.knowledge.library import Library
from clew.memory.knowledge.question import LibraryQuestion, MatchParameters
from clew.memory.knowledge.walking.features import AROUND, DIRECT, MassLayer, NodeScorer, PathLine, load_scorer
from clew.memory.knowledge.walking.late_interaction import LateInteraction
from clew.memory.knowledge.walking.paths import PATH
from clew.memory.knowledge.walking.walker import (
    StepParameters,
    ThinkParameters,
    Visit,
    Walker,
    WalkerParameters,
    hits_of,
    shares,
    votes,
)
from clew.memory.ports import Search
from clew.tools.base import encode_query
from tests.memory.knowledge.walking.made import ints, library_of

HITS = ints([2, 20, 33, 50, 65])
STAYS = StepParameters(landings=1, depth=0)
ALL = ThinkParameters(top=5, least=0)


def by_cosine() -> NodeScorer:
    def layer(count: int) -> MassLayer:
        line = np.zeros(count)
        line[DIRECT.index("cosine")] = 1.0
        return MassLayer(np.zeros(count), np.ones(count), line, np.zeros((0, count)), np.zeros(0), np.zeros(0))

    return NodeScorer(layer(len(DIRECT)), layer(len(DIRECT) + len(AROUND)), PathLine(1.0, 0.0, np.zeros(len(PATH))))


@pytest.fixture
def query(encoder: CachedEncoder) -> Query:
    return encode_query("Who walked on the far side of it?", [], encoder)  # it names no title


def walker(store: Search, think: ThinkParameters = ALL, walk: StepParameters = STAYS, **more: Any) -> Walker:
    parameters = WalkerParameters(think=think, walk=walk, **{k: more.pop(k) for k in ("named", "looked") if k in more})
    return Walker(store, parameters, scorer=by_cosine(), **more)


def cosines(question: LibraryQuestion) -> Floats:
    return question.cosines(np.arange(len(question.graph.layers.chunk_ids)))


def test_the_defaults() -> None:
    assert astuple(StepParameters()) == (3, 3, 2, 0.25, 1.0, 2.0, 0.25)
    assert (WalkerParameters().named, WalkerParameters().looked, WalkerParameters().answers) == (400, 64, 0.8)
    assert astuple(Visit(7, 0.5)) == (7, 0.5, -1, -1, 0, False)


def test_shares_are_of_the_sum_whatever_the_size_of_the_logarithms() -> None:
    assert shares(np.log([1.0, 3.0])) == pytest.approx([0.25, 0.75])
    assert shares(np.log([1.0, 3.0]) + 2000) == pytest.approx([0.25, 0.75])
    assert shares(np.log([1.0, 3.0]) - 2000) == pytest.approx([0.25, 0.75])
    assert shares(np.zeros(0)).tolist() == []


def test_hits_are_what_a_search_by_words_and_vectors_finds(examples: Library, query: Query) -> None:
    nearest = np.argsort(-cosines(LibraryQuestion(examples.store.part(), query)))[:3]
    found = hits_of(examples.store, query, MatchParameters(candidates=1, nearest=3)).tolist()
    assert set(nearest.tolist()) <= set(found) and len(found) <= 4 and found == sorted(found)
    assert hits_of(examples.store, query, MatchParameters(candidates=1, nearest=0)).size == 1


def test_what_was_found_is_weighed_and_votes_for_partitions(examples: Library, query: Query) -> None:
    made = walker(examples.store)
    question = made.question(query)
    thought = made.think(question, HITS)
    expected = question.cosines(HITS)
    assert thought.looked.nodes.tolist() == HITS.tolist() and thought.masses == pytest.approx(expected)
    wanted = np.exp(expected) / np.exp(expected).sum()
    assert thought.partitions == pytest.approx(votes(HITS, wanted, made.graph.partitioning))


def test_partitions_are_chosen_by_votes_above_then_by_what_was_found_best_first(
    examples: Library, query: Query
) -> None:
    of = examples.store.part().partitioning.of_node
    above = walker(examples.store, ThinkParameters(top=1, above=0.0, least=0))
    assert sorted(above.stitch(above.think(above.question(query), HITS)).partitions.tolist()) == [0, 1, 2, 3, 4]
    made = walker(examples.store, ThinkParameters(top=1, above=1.0, least=0))
    question = made.question(query)
    thought = replace(made.think(question, HITS), partitions=np.zeros(5))  # all alike: the first is partition 0
    best = HITS[np.argsort(-question.cosines(HITS))]
    assert made.stitch(thought).partitions.tolist() == list(dict.fromkeys([0, *of[best].tolist()]))


@dataclass(frozen=True)
class Even(Aligner):
    """Gives all partitions far more than the threshold of votes."""

    name = "even"

    def scores(self, found: object) -> np.ndarray[Any, np.dtype[np.float32]]:
        return np.array([3, 3, 3, 4, 3], np.float32)


def test_an_aligner_takes_the_place_of_votes_and_has_no_threshold(examples: Library, query: Query) -> None:
    made = walker(examples.store, ThinkParameters(top=1, above=0.15, least=0), aligner=Even())
    thought = made.think(made.question(query), ints([]))
    assert thought.partitions.tolist() == [3, 3, 3, 4, 3] and made.stitch(thought).partitions.tolist() == [3]


def landed(graph: Any, near: Floats, allowed: Ints) -> set[int]:
    """The nearest node of each partition, of those in scope."""
    of = graph.partitioning.of_node
    each = [allowed[of[allowed] == number] for number in range(graph.partitioning.count)]
    return {int(nodes[np.argmax(near[nodes])]) for nodes in each if len(nodes)}


def test_it_lands_on_the_nearest_of_each_partition_and_looks_at_the_best_that_were_found(
    examples: Library, query: Query
) -> None:
    made = walker(examples.store, looked=1)
    question = made.question(query)
    near, thought = cosines(question), made.think(question, HITS)
    walked = made.walk(thought, made.stitch(thought))
    best, nearest = int(HITS[np.argmax(near[HITS])]), landed(made.graph, near, np.arange(len(near)))
    assert best not in nearest and set(walked.nodes.tolist()) == nearest | {best}
    assert walked.masses == pytest.approx(near[walked.nodes]) and (np.diff(walked.masses) <= 0).all()
    assert [visit.node for visit in walked.visits] == [node for node in walked.nodes.tolist() if node in nearest]


def test_a_hub_node_gives_its_place_to_the_next_nearest(examples: Library, query: Query) -> None:
    made = walker(examples.store, looked=0)
    question = made.question(query)
    near, thought = cosines(question), made.think(question, HITS)
    stitched = made.stitch(thought)
    hub = int(np.argmax(near))
    walked = made.walk(thought, replace(stitched, hub_nodes=stitched.nodes == hub))
    assert set(walked.nodes.tolist()) == landed(made.graph, near, np.delete(np.arange(len(near)), hub))


def test_a_scope_bounds_what_is_landed_on(examples: Library, query: Query) -> None:
    graph = examples.store.part()
    scope = frozenset(graph.layers.document_ids[:6])
    made = walker(examples.store)
    question = made.question(replace(query, scope=scope))
    inside = np.flatnonzero(graph.layers.chunks_within(scope))
    thought = made.think(question, inside[:1])
    walked = made.walk(thought, made.stitch(thought))
    near = cosines(made.question(query))
    assert set(walked.nodes.tolist()) == landed(graph, near, inside) | {int(inside[0])}


class Backwards(LateInteraction):
    def reweigh(self, store: Search, question: LibraryQuestion, nodes: Ints, masses: Floats) -> tuple[Ints, Floats]:
        return nodes[::-1], -masses[::-1]


def test_late_interaction_has_the_last_word(examples: Library, query: Query, encoder: CachedEncoder) -> None:
    without, late = walker(examples.store), walker(examples.store, late=Backwards(encoder))
    walks = []
    for made in (without, late):
        thought = made.think(made.question(query), HITS)
        walks.append(made.walk(thought, made.stitch(thought)))
    assert walks[1].nodes.tolist() == walks[0].nodes[::-1].tolist() and walks[1].visits == walks[0].visits


def test_without_a_scorer_and_parameters_it_has_those_that_are_shipped(examples: Library, query: Query) -> None:
    made = Walker(examples.store)
    thought = made.think(made.question(query), HITS)
    assert thought.masses == pytest.approx(load_scorer().alone(thought.looked.direct))
    stitched = made.stitch(thought)
    assert len(stitched.nodes) <= WalkerParameters().think.within(71).most
    assert len(made.walk(thought, stitched).visits) > 0


def test_of_the_names_long_ones_come_first_and_each_form_has_its_share(tmp_path: Path, encoder: CachedEncoder) -> None:
    texts = {"Metropolis": "A film.", "Fritz Lang": "A man.", "Bread": "Of flour.", "Vienna": "A city."}
    with library_of(tmp_path, texts, encoder) as library:
        layers = library.store.part().layers

        def looked_at(query: Query, named: int) -> set[str]:
            made = walker(library.store, named=named)
            nodes = made.look(made.question(query), ints([])).nodes
            return {layers.document_ids[layers.chunk_documents[node]] for node in nodes}

        asked = encode_query("Was Metropolis made by Fritz Lang?", [], encoder)
        assert looked_at(asked, 1) == {"Fritz Lang"} and looked_at(asked, 2) == {"Fritz Lang", "Metropolis"}
        forms = [Wording("question", asked.text, 0.5), Wording("standing", "Is there Bread in Vienna?", 0.5)]
        both = looked_at(encode_query(asked.text, forms, encoder), 2)
        assert both in ({"Fritz Lang", "Bread"}, {"Fritz Lang", "Vienna"})
        assert len(looked_at(encode_query(asked.text, forms, encoder), 4)) == 4

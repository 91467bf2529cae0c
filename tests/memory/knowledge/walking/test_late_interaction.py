"""MaxSim by hand and by loops, and how it is added to what the walk weighed."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from clew.memory.datatypes import Query
from clew.memory.encoding import CachedEncoder, with_title
from clew.memory.knowledge.library import Library
from clew.memory.knowledge.question import MatchParameters
from clew.memory.knowledge.walking.walker import LateInteraction, LateParameters, Walked, Walker, hits_of, max_sim
from clew.tools.base import encode_query
from tests.memory.test_encoding import Counting
from tests.training.walk import unfitted

QUESTION = "Who directed Metropolis?"


def test_max_sim_is_what_loops_find() -> None:
    random = np.random.default_rng(0)
    question = random.normal(size=(7, 16)).astype(np.float32)
    passages = [random.normal(size=(length, 16)).astype(np.float16) for length in (5, 1, 0, 30, 0)]
    slow = [
        sum(max(float(token @ other) for other in passage.astype(np.float32)) for token in question) / len(question)
        if len(passage)
        else 0.0
        for passage in passages
    ]
    assert max_sim(question, passages) == pytest.approx(slow, abs=1e-5)


@pytest.fixture
def query(encoder: CachedEncoder) -> Query:
    return encode_query(QUESTION, [], encoder)


def walked(library: Library, query: Query, late: LateInteraction | None) -> Walked:
    walker = Walker(library.store, scorer=unfitted(), late=late)
    thought = walker.think(walker.question(query), hits_of(library.store, query, MatchParameters()))
    return walker.walk(thought, walker.stitch(thought))


def test_the_walk_is_reweighed_from_the_cache(
    examples: Library, query: Query, encoder: CachedEncoder, tmp_path: Path
) -> None:
    counting, plain = Counting(encoder), walked(examples, query, None)
    with closing(CachedEncoder(counting, tmp_path)) as cached:
        late = LateInteraction(cached, LateParameters(top=4, weight=100.0))
        found = walked(examples, query, late)
        first = len(counting.tokenised)
        again = walked(examples, query, late)
    assert first == 4 + 1 and counting.tokenised[first:] == [QUESTION]
    assert again.nodes.tolist() == found.nodes.tolist()
    assert sorted(found.nodes.tolist()) == sorted(plain.nodes.tolist())
    ids = [examples.store.part().layers.chunk_ids[node] for node in plain.nodes[:4].tolist()]
    texts = [with_title(chunk.title, chunk.text) for chunk in examples.store.chunks(ids)]
    (question,) = encoder.token_vectors([QUESTION], "query")
    scores = max_sim(question, encoder.token_vectors(texts, "passage"))
    assert found.nodes[0] == plain.nodes[np.argmax(scores)]
    assert {visit.node for visit in found.visits} == {visit.node for visit in plain.visits}

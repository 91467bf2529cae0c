"""The weights of a question's wordings after their first hits, and the one that a person reads."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agent.answer.evidence import request_of
from clew.agent.search.query_weights import (
    OF_TURN,
    WeightModel,
    apart,
    form_signals,
    kind_of,
    said,
    settled,
    shipped,
    weighed,
)
from clew.agent.state import Turn
from clew.memory.datatypes import FieldHit, Hit, Recalled, Sentence, Wording
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.question import Matches

QUESTION = Wording("question", "and where was he born?", 0.4)
STANDING = Wording("standing", "And where was Fritz Lang born?", 0.3)
BEFORE = Wording("before", "Who directed Metropolis? and where was he born?", 0.0)
EXPANDED = Wording("expanded", "And where was Fritz Lang born? Metropolis film", 0.3, 0.3)
NAMED = Wording("named", "Where was Lang born?", 0.2)
USUAL = [QUESTION, STANDING, EXPANDED]
EVEN = WeightModel({"question": 0.3, "rewrite": 0.3, "words": 0.4})
LEANING = dict.fromkeys(OF_TURN, 0.0) | {"leans": 1.0}


def matches(*scores: list[float]) -> Matches:
    """Of as many wordings; the cosines are the scores."""
    ids = [f"chunk {place}" for place in range(len(scores[0]))]
    hit = {id_: Hit(id_, 0.5, {"body": FieldHit(0.5, ("born",))}) for id_ in ids}
    values = np.array(scores, np.float64)
    return Matches(ids, values, values.astype(np.float32), [hit] * len(scores))


THREE = matches([0.9, 0.1, 0.0], [0.2, 0.6, 0.1], [0.2, 0.5, 0.1])
APART = [float(place < 10) for place in range(20)], [float(place >= 10) for place in range(20)]


def weights(wordings: list[Wording], found: Matches, model: WeightModel) -> dict[str, float]:
    return {wording.name: wording.weight for wording in weighed(wordings, found, LEANING, model)}


@pytest.mark.parametrize(
    ("wordings", "found", "expected"),
    [
        (USUAL, THREE, (0.3, 0.3, 0.4)),
        ([QUESTION, STANDING, NAMED, EXPANDED], matches([0.9], [0.8], [0.7], [0.6]), (0.3, 0.15, 0.15, 0.4)),
        ([QUESTION, EXPANDED], matches([0.9], [0.8]), (3 / 7, 4 / 7)),
    ],
)
def test_without_signals_the_weights_are_the_priors_of_the_kinds(
    wordings: list[Wording], found: Matches, expected: tuple[float, ...]
) -> None:
    assert tuple(weights(wordings, found, EVEN).values()) == pytest.approx(expected)


def test_a_wording_gains_by_what_it_found_and_the_question_by_what_the_turn_shows() -> None:
    found = weights(USUAL, THREE, WeightModel(EVEN.priors, {"gap": 2.0}))
    odds = math.log(found["question"] / found["standing"])
    assert odds == pytest.approx(2.0 * ((0.9 - 1 / 3) - (0.6 - 0.3))) and sum(found.values()) == pytest.approx(1)
    found = weights(USUAL, THREE, WeightModel(EVEN.priors, {"leans": -1.0, "short": -0.5}))
    assert math.log(found["standing"] / found["question"]) == pytest.approx(1.5)
    assert found["expanded"] / found["standing"] == pytest.approx(4 / 3)
    long = Wording("question", "and where was the director of the film born?", 1.0)
    assert form_signals([long, STANDING], matches([0.9], [0.8]), LEANING)[0]["short"] == 0.0
    nothing = Matches([], np.zeros((3, 0)), np.zeros((3, 0), np.float32), [{}, {}, {}])
    found = weights(USUAL, nothing, WeightModel(EVEN.priors, {"gap": 9.0, "agrees": 9.0}))
    assert tuple(found.values()) == pytest.approx((0.3, 0.3, 0.4))


LIGHT = {"question": 0.2, "rewrite": 0.4, "words": 0.4}


@pytest.mark.parametrize(
    ("wordings", "found", "model", "winner"),
    [
        (USUAL, THREE, WeightModel({"question": 0.6, "rewrite": 0.1, "words": 0.3}), "question"),
        (USUAL, THREE, EVEN, "standing"),
        ([QUESTION, EXPANDED], matches([0.9], [0.8]), WeightModel(LIGHT), "question"),  # never a list of words
        ([QUESTION, STANDING, NAMED], matches([0.9], [0.8], [0.8]), WeightModel(LIGHT), "standing"),
        (
            [QUESTION, STANDING, NAMED],
            matches([0.1, 0.1], [0.7, 0.1], [0.9, 0.1]),
            WeightModel(LIGHT, {"gap": 5.0}),
            "named",
        ),
    ],
)
def test_which_wording_a_person_reads(wordings: list[Wording], found: Matches, model: WeightModel, winner: str) -> None:
    assert [one.name for one in weighed(wordings, found, LEANING, model) if one.won] == [winner]


def test_what_follows_from_the_weights_follows_in_the_turn(encoder: CachedEncoder) -> None:
    before = (Sentence("Who directed Metropolis?", "user", 1), Sentence("Fritz Lang directed it.", "agent", 1))
    turn = Turn("t", 2, QUESTION.text, recalled=Recalled(before, selected=before))
    assert said(turn, encoder)["leans"] == 1.0 and set(OF_TURN) <= set(said(turn, encoder))
    assert said(replace(turn, recalled=Recalled()), encoder) == {}
    turn = replace(turn, rewritten="?", wordings=tuple(USUAL))
    made = settled(turn, THREE, encoder, WeightModel({"question": 0.2, "rewrite": 0.2, "words": 0.6}))
    assert (made.rewritten, request_of(made).expanded) == (STANDING.text, EXPANDED.text)
    assert made.wordings[0].weight == pytest.approx(0.2)
    alone = settled(turn, THREE, encoder, WeightModel({"question": 0.8, "rewrite": 0.1, "words": 0.1}))
    assert (alone.rewritten, request_of(alone).expanded) == ("And where was he born?", "")


def test_the_shipped_model_has_a_prior_for_every_kind_and_signals_that_there_are() -> None:
    assert set(shipped().priors) == {kind_of(wording) for wording in (*USUAL, BEFORE)}
    assert set(shipped().signals) <= set(form_signals(USUAL, THREE, LEANING)[0])


def test_wordings_stand_apart_by_their_weight_and_their_first_hits() -> None:
    assert apart(USUAL, THREE) == pytest.approx((0.6, 1.0))
    assert apart([QUESTION, replace(STANDING, weight=0.6)], matches(*APART)) == pytest.approx((0.6, 0.0))
    assert apart([QUESTION], matches([0.9])) == (0.0, 1.0)
    assert apart([QUESTION, replace(QUESTION, name="dated")], matches([0.9], [0.8])) == (0.0, 1.0)


@given(st.lists(st.lists(st.floats(0, 1), min_size=4, max_size=4), min_size=1, max_size=6))
def test_whatever_is_found_the_weights_sum_to_1_and_one_wins(scores: list[list[float]]) -> None:
    names = ["question", "standing", "expanded", "slots", "named", "model"][: len(scores)]
    made = weighed([Wording(name, name, 1 / len(names)) for name in names], matches(*scores), LEANING, shipped())
    assert sum(wording.weight for wording in made) == pytest.approx(1)
    assert sum(wording.won for wording in made) == 1

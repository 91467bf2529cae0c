"""The weights of a question's wordings after their first hits, and the one that a person reads."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
EVEN = WeightModel({"question": 0.3, "rewrite": 0.3, "words": 0.4})


def matches(*scores: list[float], held: float = 0.5) -> Matches:
    """Of as many wordings; the cosines are the scores, and every hit holds the same share of the words."""
    ids = [f"chunk {place}" for place in range(len(scores[0]))]
    hit = {id_: Hit(id_, held, {"body": FieldHit(held, ("born",))}) for id_ in ids}
    values = np.array(scores, np.float64)
    return Matches(ids, values, values.astype(np.float32), [hit] * len(scores))


LEANING = dict.fromkeys(OF_TURN, 0.0) | {"leans": 1.0}


def weights(wordings: list[Wording], found: Matches, model: WeightModel) -> dict[str, float]:
    return {wording.name: wording.weight for wording in weighed(wordings, found, LEANING, model)}


def won(wordings: list[Wording], found: Matches, model: WeightModel) -> str:
    (winner,) = [wording.name for wording in weighed(wordings, found, LEANING, model) if wording.won]
    return winner


THREE = matches([0.9, 0.1, 0.0], [0.2, 0.6, 0.1], [0.2, 0.5, 0.1])


def test_without_signals_the_weights_are_the_priors_of_the_kinds() -> None:
    found = weights([QUESTION, STANDING, EXPANDED], THREE, EVEN)
    assert found == pytest.approx({"question": 0.3, "standing": 0.3, "expanded": 0.4})


def test_wordings_of_a_kind_share_its_prior() -> None:
    named = Wording("named", "Where was Lang born?", 0.2)
    four = matches([0.9], [0.8], [0.7], [0.6])
    found = weights([QUESTION, STANDING, named, EXPANDED], four, EVEN)
    assert found == pytest.approx({"question": 0.3, "standing": 0.15, "named": 0.15, "expanded": 0.4})
    assert weights([QUESTION, EXPANDED], matches([0.9], [0.8]), EVEN) == pytest.approx(
        {"question": 3 / 7, "expanded": 4 / 7}
    )


def test_a_wording_gains_by_what_it_found() -> None:
    model = WeightModel(EVEN.priors, {"gap": 2.0})
    found = weights([QUESTION, STANDING, EXPANDED], THREE, model)
    assert found["question"] > 0.3 and found["standing"] < 0.3 and sum(found.values()) == pytest.approx(1)
    odds = math.log(found["question"] / found["standing"])
    assert odds == pytest.approx(2.0 * ((0.9 - 1 / 3) - (0.6 - 0.3)))


def test_what_the_turn_shows_counts_for_the_question_as_it_is() -> None:
    model = WeightModel(EVEN.priors, {"leans": -1.0, "short": -0.5})
    found = weights([QUESTION, STANDING, EXPANDED], THREE, model)
    assert math.log(found["standing"] / found["question"]) == pytest.approx(1.5)
    assert found["expanded"] / found["standing"] == pytest.approx(4 / 3)
    long = Wording("question", "and where was the director of the film born?", 1.0)
    assert form_signals([long, STANDING], matches([0.9], [0.8]), LEANING)[0]["short"] == 0.0


def test_agreement_is_of_the_first_hits() -> None:
    apart = [float(place < 10) for place in range(20)]
    other = [float(place >= 10) for place in range(20)]
    found = form_signals([QUESTION, STANDING, EXPANDED], matches(apart, other, other), LEANING)
    assert [own["agrees"] for own in found] == [0.0, 0.5, 0.5]


def test_a_question_that_has_the_weight_is_read_as_it_is() -> None:
    heavy = WeightModel({"question": 0.6, "rewrite": 0.1, "words": 0.3})
    assert won([QUESTION, STANDING, EXPANDED], THREE, heavy) == "question"
    assert won([QUESTION, STANDING, EXPANDED], THREE, EVEN) == "standing"


def test_a_list_of_words_is_never_read() -> None:
    words = WeightModel({"question": 0.01, "rewrite": 0.01, "words": 0.98})
    assert won([QUESTION, STANDING, EXPANDED], THREE, words) == "standing"
    assert won([QUESTION, EXPANDED], matches([0.9], [0.8]), words) == "question"


def test_of_like_rewritings_the_first_is_read() -> None:
    named = Wording("named", "Where was Lang born?", 0.2)
    light = {"question": 0.2, "rewrite": 0.4, "words": 0.4}
    assert won([QUESTION, STANDING, named], matches([0.9], [0.8], [0.8]), WeightModel(light)) == "standing"
    signal = WeightModel(light, {"gap": 5.0})
    assert won([QUESTION, STANDING, named], matches([0.1, 0.1], [0.7, 0.1], [0.9, 0.1]), signal) == "named"


def test_one_wording_has_all_the_weight_and_wins() -> None:
    (only,) = weighed([QUESTION], matches([0.9, 0.2]), {})
    assert only.weight == 1.0 and only.won and only.text == QUESTION.text


def test_how_the_question_hangs_together_with_the_conversation(encoder: CachedEncoder) -> None:
    assert said(Turn("t", 1, "How old is the Moon?", meant="How old is the Moon?"), encoder) == {}
    before = (Sentence("Who directed Metropolis?", "user", 1), Sentence("Fritz Lang directed it.", "agent", 1))
    later = said(Turn("t", 2, QUESTION.text, meant=QUESTION.text, recalled=Recalled(before, selected=before)), encoder)
    assert later["leans"] == later["pronoun"] == 1.0 and set(OF_TURN) <= set(later)


def test_what_follows_from_the_weights_follows_in_the_turn(encoder: CachedEncoder) -> None:
    wordings = (QUESTION, STANDING, EXPANDED)
    before = (Sentence("Fritz Lang directed Metropolis.", "agent", 1),)
    turn = Turn("t", 2, QUESTION.text, meant=QUESTION.text, recalled=Recalled(before, selected=before))
    turn = replace(turn, rewritten="?", wordings=wordings)
    heavy = WeightModel({"question": 0.2, "rewrite": 0.2, "words": 0.6})
    made = settled(turn, THREE, encoder, heavy)
    assert (made.rewritten, made.expanded, made.with_history) == (STANDING.text, EXPANDED.text, False)
    assert made.own_weight == pytest.approx(0.2) and made.wordings[0].weight == made.own_weight
    light = WeightModel({"question": 0.8, "rewrite": 0.1, "words": 0.1})
    alone = settled(turn, THREE, encoder, light)
    assert (alone.rewritten, alone.expanded) == ("And where was he born?", "")
    only = settled(Turn("t", 1, "Why?", wordings=(Wording("question", "Why?", 1.0),)), matches([0.9]), encoder)
    assert only.wordings == (Wording("question", "Why?", 1.0, won=True),)


def test_variants_of_the_question_share_its_weight_as_it_was_given() -> None:
    asked, dated = replace(QUESTION, weight=0.2), Wording("dated", "and where was he on 3 September 2024?", 0.2)
    found = matches([0.9], [0.8], [0.7], [0.6])
    made = weighed([asked, dated, STANDING, EXPANDED], found, LEANING, EVEN)
    assert [one.weight for one in made] == pytest.approx([0.15, 0.15, 0.3, 0.4]) and made[2].won
    alone = weighed([replace(asked, weight=0.5), replace(dated, weight=0.5)], matches([0.9], [0.8]), {}, EVEN)
    assert [one.weight for one in alone] == [0.5, 0.5] and [one.won for one in alone] == [False, True]
    maybe = Wording("spelling", "package", 0.25)
    (kept, other) = weighed([Wording("question", "pacage", 0.75), maybe], matches([0.9], [0.8]), {}, EVEN)
    assert (kept.weight, other.weight, kept.won, other.won) == (0.75, 0.25, True, False)


def test_nothing_found_leaves_the_priors() -> None:
    nothing = Matches([], np.zeros((3, 0)), np.zeros((3, 0), np.float32), [{}, {}, {}])
    found = weights([QUESTION, STANDING, EXPANDED], nothing, WeightModel(EVEN.priors, {"gap": 9.0, "agrees": 9.0}))
    assert found == pytest.approx({"question": 0.3, "standing": 0.3, "expanded": 0.4})


def test_the_shipped_model_has_a_prior_for_every_kind_and_signals_that_there_are() -> None:
    assert set(shipped().priors) == {kind_of(wording) for wording in (QUESTION, STANDING, BEFORE, EXPANDED)}
    assert set(shipped().signals) <= set(form_signals([QUESTION, STANDING, EXPANDED], THREE, LEANING)[0])


def test_wordings_stand_apart_by_their_weight_and_their_first_hits() -> None:
    alike = apart([QUESTION, STANDING, EXPANDED], THREE)
    assert alike == pytest.approx((0.6, 1.0))
    hits = [[float(place < 10) for place in range(20)], [float(place >= 10) for place in range(20)]]
    assert apart([QUESTION, replace(STANDING, weight=0.6)], matches(*hits)) == pytest.approx((0.6, 0.0))
    assert apart([QUESTION], matches([0.9])) == (0.0, 1.0)
    dated = replace(QUESTION, name="dated")
    assert apart([QUESTION, dated], matches([0.9], [0.8])) == (0.0, 1.0)


@given(st.lists(st.lists(st.floats(0, 1), min_size=4, max_size=4), min_size=1, max_size=6))
def test_whatever_is_found_the_weights_sum_to_1_and_one_wins(scores: list[list[float]]) -> None:
    names = ["question", "standing", "expanded", "slots", "named", "model"][: len(scores)]
    made = weighed([Wording(name, name, 1 / len(names)) for name in names], matches(*scores), LEANING)
    assert sum(wording.weight for wording in made) == pytest.approx(1)
    assert sum(wording.won for wording in made) == 1

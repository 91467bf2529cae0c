"""The weights of wordings, fitted on searches of our own making: what decides is learned, and nothing else."""

import numpy as np
import pytest

from clew.agent.search.query_weights import Kind, WeightModel
from tests.training.forms import FIXED, SIGNALS, FormExample, best_sum, fit_forms, ndcg

pytestmark = pytest.mark.soak

THREE: tuple[Kind, ...] = ("question", "rewrite", "words")


def example(number: int, right: Kind, *, capital: float, kinds: tuple[Kind, ...] = THREE) -> FormExample:
    """Of ten documents the first is relevant: the wordings of the right kind find it, the others another one."""
    drawn = np.random.default_rng(number)
    scores = {f"document {place}": drawn.uniform(0.2, 0.4, len(kinds)) for place in range(10)}
    for place, kind in enumerate(kinds):
        scores[f"document {int(kind != right)}"][place] = 0.9
    signals = [dict.fromkeys(SIGNALS, 0.0) | {"capital": capital * (kind == "question")} for kind in kinds]
    return FormExample.of(("one", f"domain {number % 2}"), kinds, signals, scores, {"document 0"})


def test_a_signal_that_decides_is_learned() -> None:
    found = [example(n, "question" if n % 3 else "words", capital=float(n % 3 > 0)) for n in range(90)]
    model = fit_forms(found)
    assert model.signals["capital"] > 0.5 and abs(model.signals["gap"]) < 1e-3
    assert np.mean([ndcg(one, model) for one in found]) > np.mean([ndcg(one, best_sum(found)) for one in found])
    assert "capital" not in fit_forms(found, frozenset(["capital"])).signals


def test_the_kind_that_finds_gets_the_weight_and_the_others_some() -> None:
    found = [example(n, "words", capital=0.0) for n in range(30)]
    for model in (fit_forms(found), best_sum(found)):
        assert max(model.priors, key=lambda kind: model.priors[kind]) == "words"
        assert np.mean([ndcg(one, model) for one in found]) == pytest.approx(1.0, abs=0.02)  # one of thirty may tie
    assert min(fit_forms(found).priors.values()) > 0.0


def test_ndcg_counts_all_that_are_relevant() -> None:
    scores = {name: np.array([score]) for name, score in (("a", 0.9), ("b", 0.8), ("c", 0.7))}
    one = FormExample.of(("one", "two"), ("question",), [{}], scores, {"a", "c", "not found"})
    assert ndcg(one, WeightModel(FIXED)) == pytest.approx((1 + 0.5) / (1 + 1 / np.log2(3) + 0.5))

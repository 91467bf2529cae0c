"""The fit of the policy: sets count alike, a tool that helps is chosen where it does, and the order follows it."""

from collections.abc import Sequence

import pytest

from clew.agent.evaluation.dataset import Question
from clew.agent.evaluation.evaluate import SearchedSet
from clew.agent.search.router import SIGNALS
from clew.agent.state import Step, Turn
from clew.memory.datatypes import Passage
from tests.training.crossval import Measured, Run, merged
from tests.training.search import Asked, Gathered, Key, fewer, figures_of, fit, weights_of

pytestmark = pytest.mark.soak


def asked(name: str, number: int, domain: str = "") -> Asked:
    return Asked(Key(name, number), Question(f"{name} {number}", "?"), {"gold": 1}, domain or name)


def gathered(one: Asked, hybrid: Sequence[str], graph: Sequence[str], names: float) -> Gathered:
    """What both tools found, best first; `walk` finds what `hybrid` does."""
    lists = {"hybrid": hybrid, "graph": graph, "walk": hybrid}
    passages = []
    for id_ in dict.fromkeys([*hybrid, *graph]):
        scores = {tool: 1 / (1 + ids.index(id_)) for tool, ids in lists.items() if id_ in ids}
        passages.append(Passage(id_, id_, id_, "", 0.5, "hybrid", scores=scores))
    matched = {passage.id: passage.scores.get("hybrid", 0.05) for passage in passages}
    return Gathered(one, dict.fromkeys(SIGNALS, 0.0) | {"names": names}, passages, lists, matched)


MADE = [
    *(gathered(asked("hotpotqa", n), ["x", "y"], ["gold", "x"], names=2.0 + n % 3 / 10) for n in range(30)),
    *(gathered(asked("mtrag", n), ["gold", "y"], ["y", "z"], names=0.0 + n % 3 / 10) for n in range(60)),
]


def test_sets_count_alike() -> None:
    weights = weights_of(MADE)
    assert weights.sum() == pytest.approx(1) and weights[:30].sum() == pytest.approx(weights[30:].sum())
    assert [one.key for one in fewer([one.asked for one in MADE], 10)].count(Key("mtrag", 0)) <= 1
    assert len(fewer([one.asked for one in MADE], 10)) == 20


def test_a_tool_is_chosen_where_it_helps_and_one_that_brings_nothing_is_not() -> None:
    policy = fit(MADE)
    assert all("graph" in policy.tools(one) for one in MADE if one.asked.key.set == "hotpotqa")
    assert not any("walk" in policy.tools(one) for one in MADE)
    assert all(policy.ranked(one)[0] == "gold" for one in MADE)
    assert figures_of(MADE[0], policy.ranked(MADE[0]))["ndcg@5"] == 1


def measured(number: int, best: str) -> Measured:
    turn = Turn("t", 1, "?", steps=(Step("think", "", tools=("hybrid", "graph") if number else ("hybrid",)),))
    found = SearchedSet({f"q{number}": [(best, 1.0), ("y", 0.5)]}, {}, [turn])
    return Measured("mtrag", "agent", {f"q{number}": {"gold": 1}}, found, "library")


def test_rows_say_what_was_held_out_and_how_sure_a_figure_is() -> None:
    one = measured(0, "gold").row(Run("folds", "2"))
    assert (one["fold"], one["left_out"], one["queries"]) == ("2", "", 1)
    left = measured(1, "x").row(Run("domains", "govt"))
    assert (left["fold"], left["left_out"], left["metrics"]["recall@5"]) == ("", "govt", 0.0)
    both = merged([measured(0, "gold"), measured(1, "x")]).row(Run("domains", "all"))
    assert both["metrics"]["recall@5"] == 0.5 and both["intervals"]["recall@5"] == (0.0, 1.0)
    assert both["tools_run"] == {"hybrid alone": 0.5, "graph": 0.5}


def test_what_is_held_out_is_fitted_on_by_none() -> None:
    one, other = asked("mtrag", 1, "govt"), asked("hotpotqa", 2)
    assert Run("sets", "mtrag").holds_out(one) and not Run("sets", "mtrag").holds_out(other)
    assert Run("domains", "govt").holds_out(one) and not Run("domains", "clapnq").holds_out(one)
    assert [Run("folds", str(fold)).holds_out(one) for fold in range(3)].count(True) == 1
    assert Run("folds", "0").measures(other) and not Run("folds", "0").measures(one)

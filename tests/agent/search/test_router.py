"""The router: what its signals say of a question and its first hits, what it chooses, and how it says why."""

import pytest

from clew.agent.search import router
from clew.agent.search.router import SIGNALS, Duel, Router
from clew.memory.datatypes import FieldHit, Hit, Passage
from clew.memory.dialogue.signals import Linear
from tests.training.search import to_json

NOTHING = dict.fromkeys(SIGNALS, 0.0)
Found = tuple[Passage, Hit]


def found(name: str, score: float, terms: str, *, titled: float = 0.0) -> Found:
    passage = Passage(name, name, name, "", score, "hybrid", scores={"cosine": score, "keyword": score / 2})
    return passage, Hit(name, score / 2, {"text": FieldHit(score / 2, tuple(terms.split()))}, titled)


def signals(question: str, *first: Found, edges: float = 0.0) -> dict[str, float]:
    return router.signals(question, [passage for passage, _ in first], {hit.chunk: hit for _, hit in first}, edges)


BORN, MET = "Where was Fritz Lang born?", "Did Fritz Lang ever meet Thea von Harbou?"


@pytest.mark.parametrize(
    ("question", "first", "expected"),
    [
        ("", (), {"unheld": 1}),
        (
            BORN,
            (found("Lang", 0.7, "fritz lang born"), found("b", 0.2, "born")),
            {"covered": 1, "gain": 0, "unheld": 0, "margin": 0.5},
        ),
        (BORN, (found("a", 0.5, "fritz lang"), found("b", 0.5, "born")), {"unheld": 0, "margin": 0, "covered": 2 / 3}),
        (
            MET,
            (found("a", 0.5, "fritz lang"), found("b", 0.4, "thea von harbou")),
            {"names_together": 0.5, "names_unheld": 0},
        ),
        (MET, (found("a", 0.5, "fritz lang thea von harbou"),), {"names_together": 1}),
        ("Who is the mother of the director of Metropolis?", (found("a", 0.5, ""),), {"of": 2}),
        ("Where was Lang's wife born?", (found("a", 0.5, ""),), {"possessive": 1, "comparison": 0}),
        ("Who shot it?", (found("Metropolis", 0.5, "", titled=1.0),), {"titled": 1, "title_first": 1}),
        ("Who shot it?", (found("Metropolis", 0.5, ""),), {"titled": 0, "rewritten": 0, "agree": 1}),
    ],
)
def test_what_the_signals_say(question: str, first: tuple[Found, ...], expected: dict[str, float]) -> None:
    values = signals(question, *first)
    assert set(values) == set(SIGNALS) and all(abs(value) < 1e6 for value in values.values())
    assert {name: values[name] for name in expected} == pytest.approx(expected)


def test_edges_and_wordings_that_differ_are_signals() -> None:
    assert signals("Who shot it?", found("a", 0.5, ""), edges=3.0)["edges"] > 1
    apart = router.signals("Who?", [found("a", 0.5, "")[0]], {}, worded=(0.6, 0.3))
    assert (apart["rewritten"], apart["agree"]) == (0.6, 0.3)


def test_the_tools_that_win_most_duels_are_run_and_of_like_ones_the_fewest() -> None:
    values = NOTHING | {"gain": 0.4}
    graph, walk = Linear(-0.2, {"gain": 1.0}), Linear(-0.5, {"gain": 1.0})
    by = Router((Duel(("graph",), (), graph), Duel(("walk",), (), walk), Duel(("walk",), ("graph",), Linear(-1.0, {}))))
    assert router.chosen(values, by) == ("graph",) and router.chosen(NOTHING, by) == ()
    circle = (Duel(("graph",), (), Linear(1.0, {})), Duel(("walk",), ("graph",), Linear(1.0, {})))
    assert router.chosen(values, Router((*circle, Duel((), ("walk",), Linear(1.0, {}))))) == ()
    assert router.chosen(values, Router()) == ()


def test_the_router_that_is_shipped_is_read_as_it_was_written() -> None:
    by = router.shipped()
    assert {tool for duel in by.duels for tool in (*duel.tools, *duel.others)} <= {"graph", "walk", "clues", "local"}
    assert len({frozenset((duel.tools, duel.others)) for duel in by.duels}) == len(by.duels) == 6
    assert all(set(duel.model.weights) <= set(SIGNALS) for duel in by.duels)
    assert to_json(by) == router.SHIPPED.read_text("utf-8")

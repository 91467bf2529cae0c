"""A share of `make torture`, and what its command says and returns."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from clew.agent.answer.output_filter import OutputFilter
from clew.agent.answer.written import _Writing
from clew.memory import instructions
from clew.memory.encoding import MINILM, load_encoder
from clew.memory.knowledge.communities import community_index
from tests.torture import Points, Run, Skipped, orders
from tests.torture import __main__ as command

SEED = 18


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A part of which the test says what it does."""
    module = ModuleType("tests.torture.fake")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(command, "PARTS", ("fake",))
    monkeypatch.setattr(command, "apart", lambda folder: None)
    yield module


@pytest.mark.parametrize("wrong", ["", "it is gone"])
def test_a_line_for_each_part_and_what_failed(fake: ModuleType, wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    def points(run: Run) -> Points:
        assert not list(run.folder.iterdir())
        yield from ((f"point {number}", wrong if number else "") for number in range(run.some(20)))

    fake.points = points  # type: ignore[attr-defined]
    assert command.main(["--seed", "7", "--share", ".1"]) == int(bool(wrong))
    out, err = capsys.readouterr()
    assert json.loads(out) == {"part": "fake", "seed": 7, "points": 2, "failed": int(bool(wrong))}
    assert err == ("fake point 1: it is gone\n" if wrong else "")


@pytest.mark.soak
def test_orders_reach_a_person_where_nothing_guards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that what finds nothing can find something: the telling switched off, then the exit and the support too."""
    encoder = load_encoder(MINILM, tmp_path / "shared")
    (order,) = (one for one in orders.given(Run(SEED, 1, tmp_path)) if one[0] == "fourth-16.md")
    assert not list(orders.wrong(tmp_path / "guarded", *order, encoder, by_model=True))
    monkeypatch.setattr(instructions, "_orders", lambda _: False)
    assert not list(orders.wrong(tmp_path / "told", *order, encoder, by_model=True))
    with monkeypatch.context() as marks:
        marks.setattr(community_index, "_marked", list)
        unmarked = list(orders.wrong(tmp_path / "unmarked", *order, encoder, by_model=True))
    assert unmarked == ["a report has Zorblax and does not say whose it is"]
    monkeypatch.setattr(OutputFilter, "plain", lambda _, text: text)
    monkeypatch.setattr(OutputFilter, "_stays", lambda *_: False)
    monkeypatch.setattr(_Writing, "_may_stand", lambda *_: True)
    said = "; ".join(orders.wrong(tmp_path / "open", *order, encoder, by_model=True))
    for what in ("is answered with Zorblax", "is answered with a link", "the thread remembers Zorblax"):
        assert what in said


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", [part for part in command.PARTS if part != "people"])
def test_a_share_of_the_torture(part: str, tmp_path: Path) -> None:
    """A tenth; of fuzz, that is most of the time, a thirtieth: its files differ in little but their seed."""
    try:
        tried, wrong = command.tortured(part, Run(SEED, 0.03 if part == "fuzz" else 0.1, tmp_path))
    except Skipped as reason:
        pytest.skip(str(reason))
    assert tried and not wrong

"""What the benches of models and conversations count; the row of a model in docs/models.md takes the place of an
earlier one, and none is of a double."""

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from clew.agent.state import Answer, Claim, Turn
from tests.benchmarks import models
from tests.benchmarks.conversations import verdict
from tests.ollama.playing import good
from tests.ollama.server import Model, serving
from tests.training.asked_turns import cases_of

CASES = [
    {
        **{"conversation": "a", "collection": models.EXAMPLES, "kind": "fact", "outcome": "answered"},
        **{"question": "Who built Sputnik 1?", "must": [["Korolev"]], "must_not": [], "most_words": 60},
    }
]


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the page, for runs of one turn."""
    copied = tmp_path / "models.md"
    copied.write_text(models.PAGE.read_text("utf-8"), "utf-8")
    monkeypatch.setattr(models, "PAGE", copied)
    monkeypatch.setattr(models, "TALK", tmp_path / "none")
    monkeypatch.setattr(models, "cases_of_examples", lambda: CASES)
    return copied


def run(monkeypatch: pytest.MonkeyPatch) -> str:
    with serving({"played:latest": Model(good)}) as double:
        monkeypatch.setenv("OLLAMA_HOST", double.host)
        monkeypatch.setenv("CLEW_TEST_OLLAMA", "played")
        done = CliRunner().invoke(models.main, catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def test_a_run_against_a_double_is_printed_and_not_written(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = page.read_text("utf-8")
    assert "| ollama:played | 1 |" in run(monkeypatch)
    assert page.read_text("utf-8") == before


def test_a_run_against_another_server_is_written(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "DOUBLE", "a server with another name")
    before = page.read_text("utf-8")
    run(monkeypatch)
    rows = [*filter(str.strip, set(page.read_text("utf-8").splitlines()) - set(before.splitlines()))]
    assert [one.split(" | ")[:3] for one in rows] == [["| ollama:played", "1", "1"]]


def test_a_row_takes_the_place_of_the_models_earlier_one() -> None:
    cells = ["openai:smollm2", *["7"] * (len(models.HEADS) - 1)]
    page = models.with_row(models.PAGE.read_text("utf-8"), cells)
    assert models.line(cells) in page
    assert page.count("| openai:smollm2 |") == 1
    assert models.with_row(page, ["other", *cells[1:]]).count("| 7 | 7 |") > page.count("| 7 | 7 |")


def test_forty_turns_say_what_they_must_hold() -> None:
    """Five of them have their question here."""
    cases = cases_of(models.TURNS)
    assert len(cases) == 40
    assert sum("question" in one for one in cases) == 5


CASE = {"outcome": "answered", "must": [["221|two hundred"], ["guests"]], "must_not": ["250"], "most_words": 4}


@pytest.mark.parametrize(
    ("said", "outcome", "wanted"),
    [
        ("There were 221 guests.", "answered", "R"),
        ("As far as anybody knows, 221 guests came.", "answered", "P"),
        ("221 guests, of 250.", "answered", "W"),
        ("221 came.", "answered", "W"),
        ("221 guests" + " came" * 15, "answered", "W"),
        ("I found nothing.", "nothing-found", "WR"),
        ("Which guests do you mean?", "unclear", "WR"),
    ],
)
def test_a_turn_is_right_where_it_holds_all_that_it_must(said: str, outcome: str, wanted: str) -> None:
    turn = replace(Turn("", 0, ""), answer=Answer(outcome, (Claim(said),)))  # type: ignore[arg-type]
    assert verdict(CASE, turn) == wanted
    assert verdict({**CASE, "outcome": "refused"}, turn) == ("R" if outcome == "nothing-found" else "AU")

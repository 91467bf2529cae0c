"""The row of a model in docs/models.md: it takes the place of an earlier one, and none is of a double."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.benchmarks import models
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

"""The setting CLEW_LATE_INTERACTION, by `clew search --tool walk`."""

import json
from pathlib import Path

import pytest

from tests.ui.conftest import Run

pytestmark = pytest.mark.soak


@pytest.fixture(autouse=True)
def library(home: Path, examples_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a cache of this test's own."""
    monkeypatch.setenv("CLEW_LIBRARY", str(examples_path))
    monkeypatch.setenv("CLEW_CACHE", str(tmp_path / "own"))


def scores(clew: Run) -> dict[str, float]:
    run = clew("search", "--tool", "walk", "--json", "-k", "5", "Who directed the film Metropolis?")
    assert run.exit_code == 0, run.stderr
    return {passage["id"]: passage["score"] for passage in map(json.loads, run.stdout.splitlines())}


def test_it_is_off_until_it_is_asked_for(clew: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without = scores(clew)
    assert not list(tmp_path.rglob("*-tokens.sqlite"))
    monkeypatch.setenv("CLEW_LATE_INTERACTION", "true")
    first = scores(clew)
    assert list(tmp_path.rglob("*-tokens.sqlite"))
    assert first != without
    assert scores(clew) == first
    monkeypatch.setenv("CLEW_LATE_INTERACTION", "false")
    assert scores(clew) == without


def test_a_damaged_cache_of_tokens_is_made_anew(clew: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_LATE_INTERACTION", "true")
    before = scores(clew)
    (file,) = tmp_path.rglob("*-tokens.sqlite")
    file.write_bytes(b"this is no database, it is longer than a header, " * 10)
    assert scores(clew) == before


def test_a_wrong_value_is_one_line(clew: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_LATE_INTERACTION", "perhaps")
    run = clew("search", "--tool", "walk", "moon")
    assert run.exit_code == 2
    assert run.stderr.startswith("clew: the setting 'late_interaction' is wrong") and run.stderr.count("\n") <= 2

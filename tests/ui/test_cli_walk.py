"""`clew search --tool walk` as a person meets it."""

import json
from pathlib import Path

import pytest

from tests.ui.conftest import Run


@pytest.fixture(autouse=True)
def library(home: Path, examples_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_LIBRARY", str(examples_path))


def test_passages_with_why_and_the_way_to_them(clew: Run) -> None:
    run = clew("search", "--tool", "walk", "-k", "8", "Who directed the film Metropolis?")
    assert run.exit_code == 0, run.stderr
    first, *rest = run.stdout.split("\n\n")
    assert first.startswith(" 1  Metropolis  0.") and len(rest) == 7
    told = [part.splitlines()[-1].strip() for part in (first, *rest)]
    assert all(line.startswith(("landed on, in ", "walked to by ", "matches the question (")) for line in told)
    notes = run.stderr.splitlines()
    assert notes[0].startswith("walk: ") and " partitions: " in notes[0]
    assert all(line.startswith("walk: ") for line in notes)


def test_as_json(clew: Run) -> None:
    run = clew("search", "--tool", "walk", "--json", "-k", "3", "Who directed the film Metropolis?")
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    assert [row["rank"] for row in rows] == [1, 2, 3] and {row["tool"] for row in rows} == {"walk"}
    assert all(set(row["scores"]) == {"cosine", "sentence", "keyword"} for row in rows)


def test_it_is_one_of_those_compared(clew: Run) -> None:
    run = clew("search", "--compare", "-k", "2", "Metropolis")
    assert run.exit_code == 0 and "walk" in run.stdout.split()
    assert "walk: " in run.stderr

"""`clew search`, `replay` and `evaluate` on a real library."""

import json
from pathlib import Path
from typing import Any

import pytest

from clew.tools import registry
from tests.ollama.server import OllamaDouble
from tests.ui.conftest import ROOT, Run

METROPOLIS = "Who directed the film Metropolis?"


@pytest.fixture(autouse=True)
def library(examples_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_LIBRARY", str(examples_path))


def rows_of(clew: Run, *arguments: object) -> list[dict[str, Any]]:
    done = clew(*arguments, "--json")
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


# `clew search`


def test_a_search_shows_rank_score_place_and_why(clew: Run) -> None:
    run = clew("search", "-k", "3", METROPOLIS)
    assert run.exit_code == 0
    first, *rest = run.stdout.split("\n\n")
    head, _, why = first.splitlines()[:3]
    assert head.startswith(" 1  Metropolis  0.") and head.endswith("/examples/documents/films/metropolis.md")
    assert "metropolis" in why and len(rest) == 2
    rows = rows_of(clew, "search", "-k", "3", "Metropolis")
    assert [row["rank"] for row in rows] == [1, 2, 3]
    assert {"title", "score", "why", "source", "text", "tool"} <= set(rows[0])


def test_all_methods_side_by_side(clew: Run) -> None:
    run = clew("search", "--compare", "-k", "2", "Metropolis")
    assert run.exit_code == 0 and "walk: " in run.stderr
    assert run.stdout.split()[: len(registry.TOOLS)] == list(registry.TOOLS)
    assert "0." not in run.stdout, "scores of different scales say nothing side by side"


# `clew replay`


def script(expected: dict[str, object]) -> Path:
    path, turns = Path("talk.jsonl"), [{"question": METROPOLIS, "expect": expected}]
    path.write_text(json.dumps({"conversation_id": "films", "turns": turns}) + "\n")
    return path


def test_a_replay_that_holds_fails_or_is_broken(clew: Run) -> None:
    path = script({"contains": "Fritz Lang"})
    run = clew("replay", path, "--out", "out")
    assert run.exit_code == 0 and "1 of 1 held" in run.stdout
    assert "films 1  Who directed the film Metropolis?  answered" in run.stderr
    (row,) = map(json.loads, Path("out/datasets/talk.jsonl").read_text().splitlines())
    assert row["_id"] == "films<::>1" and Path("out/intermediate/talk.jsonl").exists()
    failed = clew("replay", script({"contains": "Georges Méliès", "refuses": False}), "--out", "out")
    assert failed.exit_code == 1 and "contains 'Georges Méliès'" in failed.stdout
    assert failed.stderr.splitlines()[-1] == "clew: 1 of 2 expectations failed"
    same = clew("replay", path, "--against", "out", "-q").stdout
    assert same.endswith("\n0 of 1 answers changed\n")
    other = clew("replay", path, "--against", "out", "-q", "--tool", "hybrid").stdout
    assert "1 of 1 answers changed\n\nfilms 1  Who directed" in other
    assert (
        "  why     searched with hybrid; before: hybrid graph\n" in other and "\n  before  Fritz Lang directed" in other
    )
    assert clew("replay", path, "--against", "elsewhere").exit_code == 2
    path.write_text('{"conversation_id": "a", "turns": [{"question": "why?"}]}\nnot json\n')
    broken = clew("replay", path)
    assert broken.exit_code == 2 and broken.stderr.startswith("clew: talk.jsonl:2 is not JSON")


# `clew evaluate`


@pytest.fixture
def dataset(library: None) -> Path:
    folder = Path("films-set")
    folder.mkdir()
    (folder / "queries.jsonl").write_text(json.dumps({"_id": "q1", "text": METROPOLIS}) + "\n")
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tfilms/metropolis.md\t1\n")
    return folder


def test_an_evaluation_as_a_table_and_as_json(clew: Run, dataset: Path) -> None:
    table = clew("evaluate", dataset)
    assert table.exit_code == 0 and table.stdout.startswith("films-set, library ")
    assert [line.split()[:4] for line in table.stdout.splitlines() if "rewrite" in line] == [
        ["auto", "rewrite", "1", "1.000"]
    ]
    rows = rows_of(clew, "evaluate", dataset, "--query", "all")
    assert {row["query"] for row in rows} >= {"last-turn", "mmr", "rewrite"}
    (row,) = rows_of(clew, "evaluate", dataset, "--run", "run.txt", "-q")
    assert (row["dataset"], row["tool"], row["query"], row["queries"]) == ("films-set", "auto", "rewrite", 1)
    assert row["metrics"]["recall@1"] == 1.0 and row["latency_ms"].keys() == {"search", "encode", "turn"}
    ran = row["tools_run"]  # by one question: it was searched with `hybrid` alone, or with another tool too
    assert (ran["hybrid alone"] == 1.0) == (len(ran) == 1) and set(ran.values()) <= {0.0, 1.0}
    documented = (ROOT / "docs" / "data.md").read_text("utf-8").partition("## Evaluations")[2]
    assert all(f"`{name}`" in documented for name in row)
    assert Path("run.txt").read_text().split(" ")[:2] == ["q1", "Q0"]
    wrong = clew("evaluate", dataset, "--query", "last-tern")
    assert wrong.exit_code == 2
    assert wrong.stderr.startswith("clew: there is no form of the query 'last-tern'\ntry: --query last-turn|")


def test_a_model_that_is_named_writes_the_answers(clew: Run, ollama: OllamaDouble, dataset: Path) -> None:
    options = ("--tool", "agent", "--answers", "answers.jsonl", "--quiet")
    assert clew("evaluate", dataset, *options).exit_code == 0
    assert not ollama.requests, "no model is used unless one is named"
    assert clew("evaluate", dataset, *options, "--llm", "ollama:good:1b").exit_code == 0
    assert {request["model"] for request in ollama.requests} == {"good:1b"}

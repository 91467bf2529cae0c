"""`clew replay`, `evaluate` and `search` on a real library."""

import json
from pathlib import Path

import pytest

from tests.ollama.server import OllamaDouble
from tests.ui.conftest import ROOT, Run


@pytest.fixture(autouse=True)
def library(examples_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_LIBRARY", str(examples_path))


def script(*expectations: tuple[str, dict[str, object]]) -> Path:
    path = Path("talk.jsonl")
    turns = [{"question": question, "expect": expect} for question, expect in expectations]
    path.write_text(json.dumps({"conversation_id": "films", "turns": turns}) + "\n")
    return path


def test_a_replay_that_holds(clew: Run) -> None:
    path = script(("Who directed the film Metropolis?", {"contains": "Fritz Lang"}))
    run = clew("replay", path, "--out", "out")
    assert run.exit_code == 0
    assert "1 of 1 held" in run.stdout
    assert "films 1  Who directed the film Metropolis?  answered" in run.stderr
    (row,) = map(json.loads, Path("out/datasets/talk.jsonl").read_text().splitlines())
    assert row["_id"] == "films<::>1"
    assert Path("out/intermediate/talk.jsonl").exists()
    resumed = clew("replay", path, "--out", "out", "--resume", "-q")
    assert (resumed.exit_code, resumed.stderr) == (0, "")
    assert resumed.stdout == run.stdout


def test_an_expectation_that_fails_is_shown_and_exit_code_1(clew: Run) -> None:
    path = script(("Who directed the film Metropolis?", {"contains": "Georges Méliès", "refuses": False}))
    run = clew("replay", path, "--out", "out")
    assert run.exit_code == 1
    assert run.stderr.splitlines()[-1] == "clew: 1 of 2 expectations failed"
    assert "contains 'Georges Méliès'" in run.stdout


def test_a_broken_script_is_named_with_its_line(clew: Run) -> None:
    Path("talk.jsonl").write_text('{"conversation_id": "a", "turns": [{"question": "why?"}]}\nnot json\n')
    run = clew("replay", "talk.jsonl", "--out", "out")
    assert run.exit_code == 2
    assert run.stderr.startswith("clew: talk.jsonl:2 is not JSON")


@pytest.fixture
def dataset(clew: Run) -> Path:
    folder = Path("films-set")
    folder.mkdir()
    found = clew("search", "--json", "-k", "1", "Who directed the film Metropolis?")
    document = json.loads(found.stdout)["document"]
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "Who directed the film Metropolis?"}\n')
    (folder / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\nq1\t{document}\t1\n")
    return folder


def test_an_evaluation_as_a_table_and_as_json(clew: Run, dataset: Path) -> None:
    table = clew("evaluate", dataset)
    assert table.exit_code == 0
    assert table.stdout.startswith("films-set, library ")
    assert [line.split()[:4] for line in table.stdout.splitlines() if "rewrite" in line] == [
        ["auto", "rewrite", "1", "1.000"]
    ]
    rows = clew("evaluate", dataset, "--query", "all", "--json", "--run", "run.txt")
    assert {json.loads(line)["query"] for line in rows.stdout.splitlines()} >= {"last-turn", "mmr", "rewrite"}
    (row,) = map(json.loads, clew("evaluate", dataset, "--json", "--run", "run.txt", "-q").stdout.splitlines())
    assert (row["dataset"], row["tool"], row["query"], row["queries"]) == ("films-set", "auto", "rewrite", 1)
    assert row["metrics"]["recall@1"] == 1.0 and row["latency_ms"].keys() == {"search", "encode", "turn"}
    ran = row["tools_run"]  # by one question: it was searched with `hybrid` alone, or with another tool too
    assert (ran["hybrid alone"] == 1.0) == (len(ran) == 1) and set(ran.values()) <= {0.0, 1.0}
    documented = (ROOT / "docs" / "data.md").read_text("utf-8").partition("## Evaluations")[2]
    assert all(f"`{name}`" in documented for name in row)
    assert Path("run.txt").read_text().split(" ")[:2] == ["q1", "Q0"]


def test_an_unknown_form_is_wrong_usage(clew: Run, dataset: Path) -> None:
    run = clew("evaluate", dataset, "--query", "last-tern")
    assert run.exit_code == 2
    assert run.stderr.startswith("clew: there is no form of the query 'last-tern'\ntry: --query last-turn|")


def test_a_search_shows_rank_score_place_and_why(clew: Run) -> None:
    run = clew("search", "-k", "3", "Who directed the film Metropolis?")
    assert run.exit_code == 0
    first = run.stdout.split("\n\n")[0].splitlines()
    assert first[0].startswith(" 1  Metropolis  0.")
    assert first[0].endswith("/examples/documents/films/metropolis.md")
    assert "metropolis" in first[2]
    assert len(run.stdout.split("\n\n")) == 3
    rows = [json.loads(line) for line in clew("search", "--json", "-k", "3", "Metropolis").stdout.splitlines()]
    assert [row["rank"] for row in rows] == [1, 2, 3]
    assert {"title", "score", "why", "source", "text", "tool"} <= set(rows[0])


def test_all_methods_side_by_side(clew: Run) -> None:
    from clew.tools import registry

    run = clew("search", "--compare", "-k", "2", "Metropolis")
    assert run.exit_code == 0
    assert run.stdout.split()[: len(registry.TOOLS)] == list(registry.TOOLS)


def test_a_model_that_is_named_writes_the_answers(clew: Run, ollama: OllamaDouble, dataset: Path) -> None:
    options = ("--tool", "agent", "--answers", "answers.jsonl", "--quiet")
    assert clew("evaluate", dataset, *options).exit_code == 0
    assert not ollama.requests, "no model is used unless one is named"
    assert clew("evaluate", dataset, *options, "--llm", "ollama:good:1b").exit_code == 0
    assert {request["model"] for request in ollama.requests} == {"good:1b"}

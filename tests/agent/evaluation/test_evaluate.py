import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from clew.agent.assistant import Assistant
from clew.agent.evaluation.dataset import read_dataset
from clew.agent.evaluation.evaluate import EvaluationPlan, Row, answered, evaluate, searched
from clew.agent.evaluation.ranking import query_of
from clew.agent.models import encoder_for
from clew.agent.settings import Settings
from clew.memory.errors import BadInput, NoLibrary
from tests.agent.conftest import QUERIES, turn_of, write_lines


def rows(plan: EvaluationPlan, settings: Settings) -> list[Row]:
    return [result for result in evaluate(plan, settings) if isinstance(result, Row)]


def changed(beir: Path, tmp_path: Path, queries: Sequence[dict[str, Any]]) -> Path:
    """A copy of the data set with these queries."""
    folder = Path(shutil.copytree(beir, tmp_path / "changed"))
    write_lines(folder / "queries.jsonl", queries)
    return folder


def parsed(path: Path) -> dict[str, list[str]]:
    """Question -> documents in their order, each line parsed from both ends, as ids may hold spaces."""
    rankings: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        question, rest = line.split(" Q0 ", 1)
        document, rank, score, tag = rest.rsplit(" ", 3)
        assert float(score) == float(score) and tag
        rankings.setdefault(question, []).append(document)
        assert len(rankings[question]) == int(rank)
    return rankings


def test_the_run_holds_what_was_measured(indexed: Settings, beir: Path, tmp_path: Path) -> None:
    [row] = rows(EvaluationPlan(beir, "hybrid", run=tmp_path / "small.run"), indexed)
    rankings = parsed(tmp_path / "small.run")
    assert set(rankings) == {"q 1", "c<::>2", "q3"}
    assert all(len(set(documents)) == len(documents) for documents in rankings.values())
    assert rankings["q 1"][0] == "Metropolis (1927 film)" and rankings["q3"][0] == "Moon distance"
    found = len({"Metropolis (1927 film)", "Fritz Lang"} & set(rankings["q 1"][:2])) / 2
    rest = ("Fritz Lang" in rankings["c<::>2"][:2]) + ("Moon distance" in rankings["q3"][:2])
    assert row.metrics["recall@2"] == pytest.approx((found + rest) / 3)


def test_k_bounds_the_run_and_not_the_figures(indexed: Settings, beir: Path, tmp_path: Path) -> None:
    [short] = rows(EvaluationPlan(beir, "hybrid", k=1, run=tmp_path / "short"), indexed)
    [long] = rows(EvaluationPlan(beir, "hybrid", k=50, run=tmp_path / "long"), indexed)
    assert {len(documents) for documents in parsed(tmp_path / "short").values()} == {1}
    assert max(len(documents) for documents in parsed(tmp_path / "long").values()) > 1
    assert short.metrics == long.metrics


@pytest.mark.parametrize("tool", ["hybrid", "agent"])
def test_within_context_only_its_documents_are_ranked(indexed: Settings, beir: Path, tmp_path: Path, tool: str) -> None:
    folder = changed(beir, tmp_path, [row for row in QUERIES if "context" in row])
    rows(EvaluationPlan(folder, tool, within_context=True, run=tmp_path / "run"), indexed)
    contexts = {row["_id"]: set(row["context"]) for row in QUERIES if "context" in row}
    rankings = parsed(tmp_path / "run")
    assert all(set(documents) <= contexts[question] for question, documents in rankings.items())
    assert rankings["q3"] == ["Moon distance"]


@pytest.mark.parametrize("tool", ["hybrid", "agent"])
def test_fields_that_are_no_input_change_nothing(indexed: Settings, beir: Path, tmp_path: Path, tool: str) -> None:
    extra: dict[str, Any] = {
        "answer": "Félicette",
        "rewrite": "cat in space",
        "domain": "cats",
        "context": ["Félicette"],
    }
    extra |= {"question_type": ["Cat"], "multi_turn": "Cat", "answerability": "UNANSWERABLE"}
    told = changed(beir, tmp_path, [{**row, **extra} for row in QUERIES])
    for folder, run in ((beir, "without.run"), (told, "with.run")):
        rows(EvaluationPlan(folder, tool, run=tmp_path / run), indexed)
    assert (tmp_path / "without.run").read_bytes() == (tmp_path / "with.run").read_bytes()


def test_answers_are_written_for_every_question(indexed: Settings, beir: Path, tmp_path: Path) -> None:
    rows(EvaluationPlan(beir, "agent", answers=tmp_path / "answers.jsonl"), indexed)
    answers = {row["_id"]: row for row in map(json.loads, (tmp_path / "answers.jsonl").read_text().splitlines())}
    assert list(answers) == [row["_id"] for row in QUERIES]
    assert "384,400" in answers["q3"]["answer"]
    assert (answers["q3"]["outcome"], answers["q3"]["cites"][0]) == ("answered", "Moon distance")
    assert answers["not judged"]["refused"] and answers["not judged"]["cites"] == []


def test_the_agent_of_an_evaluation_is_the_one_that_people_talk_with(indexed: Settings, beir: Path) -> None:
    """Its evidence and its answer to a first question are those of a turn of a new thread."""
    question = read_dataset(beir).questions[0]
    with Assistant.open(indexed) as assistant:
        turn = turn_of(assistant, "t", question.text)
        found = searched(assistant.services, question.text, ()).passages
        alone = answered(assistant.services, question.text, ())
    assert found == alone.passages == turn.passages
    assert alone.answer == turn.answer


def test_the_history_given_is_what_the_agent_remembers(indexed: Settings, beir: Path, tmp_path: Path) -> None:
    question = read_dataset(beir).questions[1]
    with Assistant.open(indexed.model_copy(update={"home": tmp_path})) as assistant:
        turn = answered(assistant.services, question.text, question.history)
        assert assistant.threads.recent() == []
    assert turn.turn == 2
    assert [(one.text, one.speaker, one.turn) for one in turn.recalled.extracted] == [
        ("Who is Fritz Lang?", "user", 1),
        ("Fritz Lang was a director of films.", "agent", 1),
    ]
    assert {one.text for one in query_of(question, "rewrite", encoder_for(indexed)).forms} == {
        wording.text for wording in turn.wordings
    }


def test_gold_that_the_library_does_not_hold_is_noted_and_refused_where_it_is_all(
    indexed: Settings, beir: Path, tmp_path: Path
) -> None:
    folder = changed(beir, tmp_path, QUERIES)
    with (folder / "qrels.tsv").open("a", encoding="utf-8") as file:
        file.write("q3\tTides\t1\n")
    [row] = rows(EvaluationPlan(folder, "hybrid"), indexed)
    assert row.notes == ("1 of 4 relevant documents are not in the library",)
    (folder / "qrels.tsv").write_text("q3\tTides\t1\n")
    with pytest.raises(BadInput) as error:
        rows(EvaluationPlan(folder, "hybrid"), indexed)
    assert error.value.hint == f"clew index {folder} --library {indexed.library}"
    with pytest.raises(NoLibrary):
        next(evaluate(EvaluationPlan(beir, "hybrid"), indexed.model_copy(update={"library": tmp_path / "none"})))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"query": "last"}, "there is no form of the query 'last'"),
        ({"run": Path("nowhere/at/all.run")}, "cannot be written"),
        ({"answers": Path("answers.jsonl")}, "only the agent answers"),
        ({"dataset": Path("nowhere")}, "there is no folder nowhere"),
        ({"within_context": True}, "have no list 'context'"),
    ],
)
def test_what_cannot_be_evaluated_is_said_first(
    indexed: Settings, beir: Path, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    folder = changed(beir, tmp_path, [{"_id": row["_id"], "text": row["text"]} for row in QUERIES])
    with pytest.raises(BadInput, match=message):
        next(evaluate(EvaluationPlan(**{"dataset": folder, "tool": "hybrid", **change}), indexed))

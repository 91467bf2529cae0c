import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from clew.agent.evaluation.dataset import Question, read_dataset, read_questions
from clew.memory.datatypes import Utterance
from clew.memory.errors import BadInput

QUERIES: list[dict[str, Any]] = [
    {"_id": "q 1", "text": "who directed it?", "answer": "Lang", "rewrite": "secret", "domain": "films"},
    {
        "_id": "c<::>2",
        "text": "and where was he born?",
        "turns": [
            {"speaker": "user", "text": "Who directed Metropolis?"},
            {"speaker": "agent", "text": "Fritz Lang. [1]"},
            {"speaker": "user", "text": "and where was he born?"},
        ],
        "context": ["Fritz Lang", "Vienna (Austria)"],
    },
    {"_id": "no qrels", "text": "nobody judged this"},
]
QRELS = "query-id\tcorpus-id\tscore\nq 1\tMetropolis (1927 film)\t1\nq 1\t Alû \t0\nc<::>2\tFritz Lang\t2\n"


def make(folder: Path, queries: Sequence[Mapping[str, Any]] = QUERIES, qrels: str = QRELS) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in queries), encoding="utf-8")
    (folder / "qrels.tsv").write_text(qrels, encoding="utf-8")
    return folder


def test_questions_hold_inputs_and_golds_their_grades(tmp_path: Path) -> None:
    dataset = read_dataset(make(tmp_path / "films"))
    said = (Utterance("user", "Who directed Metropolis?"), Utterance("agent", "Fritz Lang. [1]"))
    assert dataset.name == "films"
    assert dataset.questions == (
        Question("q 1", "who directed it?"),
        Question("c<::>2", "and where was he born?", said),
    )
    assert dataset.golds == {"q 1": {"Metropolis (1927 film)": 1}, "c<::>2": {"Fritz Lang": 2}}
    assert dataset.notes == ()


def test_nothing_but_inputs_reaches_a_question(tmp_path: Path) -> None:
    questions = read_questions(make(tmp_path))
    assert "secret" not in repr(questions) and "films" not in repr(questions)
    assert {question.context for question in questions} == {None}


def test_context_is_read_where_it_is_asked_for(tmp_path: Path) -> None:
    folder = make(tmp_path, QUERIES[1:2], "c<::>2\tFritz Lang\t1\n")
    (question,) = read_dataset(folder, within_context=True).questions
    assert question.context == frozenset({"Fritz Lang", "Vienna (Austria)"})


def test_ids_keep_their_spaces_and_a_header_is_not_needed(tmp_path: Path) -> None:
    folder = make(tmp_path, [{"_id": " a b ", "text": "x"}], " a b \t document with spaces \t1\r\n")
    assert read_dataset(folder).golds == {" a b ": {" document with spaces ": 1}}


def test_qrels_may_lie_in_their_own_folder(tmp_path: Path) -> None:
    folder = make(tmp_path)
    (folder / "qrels").mkdir()
    (folder / "qrels.tsv").rename(folder / "qrels" / "test.tsv")
    assert len(read_dataset(folder).questions) == 2


def test_qrels_of_unknown_queries_are_counted(tmp_path: Path) -> None:
    dataset = read_dataset(make(tmp_path, qrels=QRELS + "who?\tX\t1\n"))
    assert dataset.notes == ("the qrels of 1 queries that are not in queries.jsonl were left out",)
    assert "who?" not in dataset.golds


Q = {"_id": "q", "text": "t"}
BROKEN: list[tuple[list[dict[str, Any]], str, str]] = [
    (QUERIES, "a\tb\tscore\nq 1\tX\tmuch\n", "qrels.tsv:2 is not"),
    (QUERIES, "q 1 X 1\n", "qrels.tsv:1 is not"),
    (QUERIES, "query-id\tcorpus-id\tscore\nq 1\tX\t0\n", "no query of .* has a relevant document"),
    (QUERIES, "", "no query of .* has a relevant document"),
    ([Q, {"text": "no id"}], QRELS, "queries.jsonl:2 has no '_id' and 'text'"),
    ([Q, {"_id": "q", "text": "again"}], QRELS, "queries.jsonl:2 has the _id of an earlier line: q"),
    ([Q, {"_id": "x", "text": "t", "turns": [{"speaker": "dog", "text": "w"}]}], QRELS, "queries.jsonl:2 has a turn"),
]


@pytest.mark.parametrize(("queries", "qrels", "message"), BROKEN)
def test_what_is_broken_is_named(tmp_path: Path, queries: list[dict[str, Any]], qrels: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        read_dataset(make(tmp_path, queries, qrels))


def test_missing_parts_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no folder"):
        read_dataset(tmp_path / "nowhere")
    with pytest.raises(BadInput, match=r"it has no queries\.jsonl"):
        read_dataset(tmp_path)
    (make(tmp_path) / "qrels.tsv").unlink()
    with pytest.raises(BadInput, match=r"neither qrels\.tsv nor qrels/test\.tsv"):
        read_dataset(tmp_path)

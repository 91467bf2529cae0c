import json
from pathlib import Path
from typing import Any, cast

import pytest

from clew.agent.assistant import Assistant
from clew.agent.replay.replay import replay
from clew.agent.replay.script import Played, Script, Summary, read_script
from clew.memory.errors import BadInput
from tests.agent.fake_assistant import FakeAssistant
from tests.agent.replay.test_script import write

FILMS = {
    "conversation_id": "films",
    "turns": [
        {"question": "Who wrote Metropolis?", "expect": {"contains": "thea VON harbou", "cites": "thea-von-harbou.md"}},
        {
            "question": "who directed it?",
            "expect": {
                "cites": ["films/metropolis.md", "Metropolis"],
                "rewritten_contains": "metropolis",
                "refuses": False,
            },
        },
        {"question": "Who won in 1998?", "expect": {"refuses": True}},
    ],
}
MOON = {"conversation_id": "moon", "turns": [{"question": "How far is the Moon?"}, {"question": "who directed it?"}]}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().decode().split("\n")[:-1]]


def both(out: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    return lines(out / "datasets" / "script.jsonl"), lines(out / "intermediate" / "script.jsonl")


@pytest.fixture
def script(tmp_path: Path) -> Script:
    return read_script(write(tmp_path / "script.jsonl", FILMS, MOON))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def run(script: Script, out: Path) -> list[object]:
    return list(replay(script, out, lambda data: cast(Assistant, FakeAssistant(data))))


def test_both_files_hold_a_line_for_every_turn_with_the_fields_of_seed_003(script: Script, out: Path) -> None:
    results = run(script, out)
    assert results[-1] == Summary(
        conversations=2,
        turns=5,
        answered=4,
        partial=0,
        unclear=0,
        refused=1,
        cited=1.0,
        verdicts={"supported": 4, "uncited": 5},
        passed=7,
        failed=(),
    )
    datasets, intermediate = both(out)
    ids = ["films<::>1", "films<::>2", "films<::>3", "moon<::>1", "moon<::>2"]
    assert [row["_id"] for row in datasets] == [row["_id"] for row in intermediate] == ids
    assert datasets[1] == {
        "_id": "films<::>2",
        "text": "|user|: Who wrote Metropolis? | who directed it?",
        "agent_response": "Fritz Lang directed Metropolis [1] So it is.",
    }
    row = intermediate[1]
    first = "_id original_query rewritten_query num_extracted_sentences extracted_sentences num_clusters cluster_sizes"
    assert list(row)[:11] == f"{first} representative_sentences selected_sentences contexts agent_response".split()
    assert row["original_query"] == "who directed it?"
    assert (row["num_extracted_sentences"], row["num_clusters"], row["cluster_sizes"]) == (1, 1, [1])
    assert row["extracted_sentences"] == row["representative_sentences"] == ["Who wrote Metropolis?"]
    assert row["selected_sentences"] == [
        {"sentence": "Who wrote Metropolis?", "speaker": "user", "turn": 1, "cluster_id": 0}
    ]
    [context], [citation] = row["contexts"], row["citations"]
    assert (context["title"], context["score"], context["url"]) == ("Metropolis", 0.9, "/docs/films/metropolis.md")
    assert (citation["n"], citation["verdict"], citation["start"], citation["end"]) == (1, "supported", 10, 40)
    assert (row["outcome"], row["library"], row["steps"][0]["ms"]) == ("answered", "f00d", 1.5)
    assert all(check["passed"] for check in row["expectations"]) and len(row["expectations"]) == 4


def played(tmp_path: Path, out: Path, question: str, **expect: object) -> Played:
    """A script of one turn."""
    turns = [{"question": question, "expect": expect}]
    [turn, _] = run(read_script(write(tmp_path / "script.jsonl", {"conversation_id": "c", "turns": turns})), out)
    assert isinstance(turn, Played)
    return turn


WROTE, BY = "Thea von Harbou wrote it [1] So it is.", "people/thea-von-harbou.md"
FAILS: list[tuple[str, object, str, str]] = [
    ("contains", "Kubrick", "contains 'Kubrick'", WROTE),
    ("cites", "etropolis.md", "cites 'etropolis.md'", BY),
    ("refuses", True, "a refusal", "answered"),
    ("rewritten_contains", "Hugo", "rewritten contains 'Hugo'", "Who wrote Metropolis?"),
    ("not_contains", ["HARBOU"], "not contains 'HARBOU'", WROTE),
    ("not_cites", "thea-von-harbou.md", "not cites 'thea-von-harbou.md'", BY),
    ("at_most_words", 7, "at most 7 words", "8"),
    ("at_most_seconds", 0.001, "at most 0.001 seconds", "0.0015"),
]


@pytest.mark.parametrize(("kind", "value", "expected", "came"), FAILS)
def test_what_failed_says_what_was_expected_and_what_came(
    tmp_path: Path, out: Path, kind: str, value: object, expected: str, came: str
) -> None:
    [check] = played(tmp_path, out, "Who wrote Metropolis?", **{kind: value}).checks
    assert (check.passed, check.expected, check.came) == (False, expected, came)
    [kept] = both(out)[1][0]["expectations"]
    assert (kept["kind"], kept["passed"], kept["came"]) == (kind, False, came)


def test_what_is_not_said_or_cited_and_short_and_fast_holds_and_a_refusal_is_none(tmp_path: Path, out: Path) -> None:
    held = {"not_contains": "Kubrick", "not_cites": "hugo.md", "at_most_words": 8, "at_most_seconds": 0.0015}
    assert [check.passed for check in played(tmp_path, out, "Who wrote Metropolis?", **held).checks] == [True] * 4
    refused = played(tmp_path, out, "unknown", refuses=False, cites="any.md").checks
    assert [check.came for check in refused] == ["no citation", "nothing-found"]


@pytest.mark.parametrize("name", ["FILMS/metropolis.md", "metropolis.md", "metropolis", "/docs/films/metropolis.md"])
def test_a_source_is_cited_by_id_title_or_file(tmp_path: Path, out: Path, name: str) -> None:
    turn = played(tmp_path, out, "who directed it?", cites=name)
    [check] = turn.checks
    assert check.passed and check.came == "films/metropolis.md"


def test_a_new_run_replaces_and_forgets_its_own(tmp_path: Path, script: Script, out: Path) -> None:
    run(script, out)
    before = both(out)
    run(script, out)
    assert both(out) == before  # the rewritten questions would show what a thread still remembered
    run(read_script(write(tmp_path / "other.jsonl", MOON)), out)
    assert (out / "threads" / "script").is_dir(), "threads of other scripts stay"


def test_where_nothing_can_be_written_one_line_says_so(script: Script, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(BadInput, match="cannot be written"):
        run(script, tmp_path / "out")


def test_what_no_encoding_holds_is_asked_without_it(tmp_path: Path, out: Path) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text(
        '{"conversation_id": "a\\ud800", "turns": [{"question": "How far is \\udc00the Moon\\u0000?"}]}\n', "utf-8"
    )
    run(read_script(path), out)
    assert [row["original_query"] for row in both(out)[1]] == ["How far is \ufffdthe Moon ?"]

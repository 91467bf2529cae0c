import json
import os
import signal
import time
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from clew.agent.replay.replay import replay
from clew.agent.replay.script import CheckedExpectation, Played, Script, Summary, read_script
from clew.memory.errors import BadInput
from tests.agent.fake_assistant import FakeAssistant
from tests.agent.replay.test_script import write
from tests.processes import Process

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


def run(
    script: Script, out: Path, *, resume: bool = False, stop_after: int = 99, library: str = "f00d"
) -> tuple[list[str], list[object]]:
    """The questions that were really asked, and what the replay yielded up to `stop_after` turns."""
    asked: list[str] = []

    def opened(data: Path) -> Any:
        assistant = FakeAssistant(data, library)
        assistant.asked = asked
        return assistant

    turns = replay(script, out, opened, resume=resume)
    with closing(turns):  # type: ignore[type-var]  # a generator, typed as the iterator that it is to others
        return asked, list(islice(turns, stop_after))


def test_both_files_hold_a_line_for_every_turn_with_the_fields_of_seed_003(script: Script, out: Path) -> None:
    _, results = run(script, out)
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
    [turn, _] = run(read_script(write(tmp_path / "script.jsonl", {"conversation_id": "c", "turns": turns})), out)[1]
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
    assert turn.checks == (CheckedExpectation("cites", name, True, "films/metropolis.md"),)


def test_a_new_run_replaces_and_forgets_its_own(tmp_path: Path, script: Script, out: Path) -> None:
    assert len(run(script, out, resume=True)[0]) == 5, "nothing was run before"
    before = both(out)
    assert len(run(script, out)[0]) == 5
    assert both(out) == before  # the rewritten questions would show what a thread still remembered
    run(read_script(tmp_path / "script.jsonl", limit=1), out)
    assert [row["_id"] for row in both(out)[0]] == ["films<::>1", "films<::>2", "films<::>3"]
    run(script, out, stop_after=2)
    run(read_script(write(tmp_path / "other.jsonl", MOON)), out)  # threads of other scripts stay
    assert len(run(script, out, resume=True)[0]) == 5, "no conversation was whole"


@pytest.mark.parametrize("stop_after", [1, 2, 3, 4, 5])
def test_a_stopped_run_goes_on_where_it_stopped(script: Script, out: Path, tmp_path: Path, stop_after: int) -> None:
    run(script, tmp_path / "whole")
    run(script, out, stop_after=stop_after)
    asked, results = run(script, out, resume=True)
    kept = {3: 3, 4: 3, 5: 5}.get(stop_after, 0)  # of whole conversations
    assert len(asked) == 5 - kept
    assert both(out) == both(tmp_path / "whole")
    resumed = [result.resumed for result in results if isinstance(result, Played)]
    assert resumed == [*[True] * kept, *[False] * (5 - kept)]
    assert isinstance(results[-1], Summary) and results[-1].turns == 5 and results[-1].passed == 7


@pytest.mark.parametrize("folder", ["datasets", "intermediate"])
@pytest.mark.parametrize("torn", ["", '{"_id": "films<::>3", "orig'])
def test_a_line_that_only_one_file_has_is_written_again(script: Script, out: Path, folder: str, torn: str) -> None:
    run(script, out)
    whole = both(out)
    path = out / folder / "script.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:2]) + torn)
    asked, _ = run(script, out, resume=True)
    assert len(asked) == 5
    assert both(out) == whole


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
    assert run(read_script(path), out, resume=True)[0] == []


def test_lines_of_a_changed_script_are_not_kept(tmp_path: Path, script: Script, out: Path) -> None:
    run(script, out)
    films = {**FILMS, "turns": [*FILMS["turns"][:1], {"question": "How far is the Moon?"}]}
    changed = read_script(write(tmp_path / "script.jsonl", films, MOON))
    assert len(run(changed, out, resume=True)[0]) == 4  # the two of each conversation
    assert [row["original_query"] for row in both(out)[1]] == [
        "Who wrote Metropolis?",
        "How far is the Moon?",
        "How far is the Moon?",
        "who directed it?",
    ]


@pytest.mark.parametrize("stop_after", [1, 3, 4, 5])
def test_what_another_library_answered_is_asked_again(script: Script, out: Path, stop_after: int) -> None:
    run(script, out, stop_after=stop_after, library="another")
    asked, _ = run(script, out, resume=True)
    assert len(asked) == 5
    assert {row["library"] for row in both(out)[1]} == {"f00d"}


PROGRAM = """
import sys
from pathlib import Path
from clew.agent.replay.replay import replay
from clew.agent.replay.script import read_script
from tests.agent.fake_assistant import FakeAssistant
out = Path(sys.argv[2])
for turn in replay(read_script(Path(sys.argv[1])), out, FakeAssistant, resume=True):
    pass
"""


def test_kill_at_any_moment_leaves_whole_lines_and_resume_ends_as_if_nothing_had_been(tmp_path: Path) -> None:
    rows = [{"conversation_id": f"c{n}", "turns": MOON["turns"]} for n in range(60)]
    script = read_script(write(tmp_path / "script.jsonl", *rows))
    out, whole = tmp_path / "out", tmp_path / "whole"
    run(script, whole)
    for new_lines in (1, 20):
        _killed_after(new_lines, tmp_path / "script.jsonl", out)
        for folder in ("datasets", "intermediate"):
            path = out / folder / "script.jsonl"
            assert path.read_bytes().endswith(b"\n") and len(lines(path)) < 120
    asked, _ = run(script, out, resume=True)
    assert 0 < len(asked) < 120
    assert both(out) == both(whole)


def _killed_after(new_lines: int, script: Path, out: Path) -> None:
    """Kill a replay once it has written so many lines more."""
    path = out / "datasets" / "script.jsonl"
    wanted = new_lines + (path.read_bytes().count(b"\n") if path.exists() else 0)
    process = Process(["-c", PROGRAM, script, out])
    while process.poll() is None and not (path.exists() and path.read_bytes().count(b"\n") >= wanted):
        time.sleep(0.001)
    assert process.poll() is None, "it was over before it could be killed"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()

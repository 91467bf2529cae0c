"""`clew ask --today`: notes and versions of a policy, asked about by days that count from a given one."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.ui.conftest import Run

NOTES = {
    "diary/2026-11-21.md": "Made leek and potato soup. We walked along the canal to the old mill.",
    "diary/2026-11-20.md": "Ate lentil stew at home, and finished the report for the library.",
    "pressure.txt": "Blood pressure\n\n12/03/2026: 138 over 88\n14/06/2026: 131 over 84\n13/09/2026: 127 over 82\n",
    "leave-a.md": "# Leave policy\n\nEffective from: 1 May 2023\n\nEmployees have 20 days of paid leave a year.",
    "leave-b.md": "---\ntitle: Leave policy\ndate: 2024-09-03\n---\nEmployees have 25 days of paid leave a year.",
    "parcels.md": "# Parcels\n\nThe package from Lyon is at the post office in Mill Road.",
}


@pytest.fixture
def notes(clew: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in NOTES.items():
        path = tmp_path / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    monkeypatch.setenv("CLEW_LIBRARY", str(tmp_path / "library"))
    assert clew("index", str(tmp_path / "notes")).exit_code == 0
    return tmp_path


def asked(clew: Run, question: str, today: str = "2026-11-22") -> dict[str, Any]:
    result = clew("ask", "--json", "--today", today, question)
    turn: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    assert turn["today"] == today
    return turn


def test_days_count_from_the_one_that_is_given(clew: Run, notes: Path) -> None:
    for today, expected in (("2026-11-22", "leek and potato"), ("2026-11-21", "lentil stew")):
        turn = asked(clew, "What did I eat yesterday?", today)
        assert expected in turn["answer"]["claims"][0]["text"]
    assert turn["rewritten"] == "What did I eat on 20 November 2026?"
    assert [(one["name"], one["why"]) for one in turn["wordings"]][1] == ("dated", "'yesterday' is 20 November 2026")
    for question in ("What was my blood pressure in March?", "What was my blood pressure on March 12th?"):
        assert "138 over 88" in asked(clew, question)["answer"]["text"]
        assert "131 over 84" not in asked(clew, question)["answer"]["text"]
    leave = asked(clew, "How many days of paid leave do employees have?")
    quoted, aside = leave["answer"]["claims"]
    assert quoted["text"] == "Employees have 25 days of paid leave a year."
    assert aside["text"] == "(3 September 2024; on 1 May 2023 it was 20 days)"
    assert {source["date"] for source in leave["answer"]["sources"]} == {"2024-09-03", "2023-05-01"}
    slip = asked(clew, "Where is the pacakge from Lyon?")
    assert slip["rewritten"] == "Where is the package from Lyon?"
    assert "Mill Road" in slip["answer"]["text"]


def test_a_replay_counts_from_the_days_of_its_script(clew: Run, notes: Path) -> None:
    question = {"question": "What did I eat yesterday?", "expect": {"contains": "stew"}}
    rows = (
        {"conversation_id": "a", "today": "2026-11-21", "turns": [question]},
        {"conversation_id": "b", "turns": [{**question, "today": "2026-11-21"}]},
        {"conversation_id": "c", "turns": [question]},
    )
    (notes / "script.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    result = clew("replay", str(notes / "script.jsonl"), "--out", str(notes / "out"), "--today", "2026-11-21")
    assert result.exit_code == 0, result.output
    kept = (notes / "out" / "intermediate" / "script.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["today"] for line in kept] == ["2026-11-21"] * 3


def test_what_is_no_day_is_wrong_usage(clew: Run, notes: Path) -> None:
    result = clew("ask", "--today", "22/11/2026", "What did I eat yesterday?")
    assert result.exit_code == 2
    (notes / "script.jsonl").write_text(
        json.dumps({"conversation_id": "a", "today": "soon", "turns": [{"question": "Who?"}]}), "utf-8"
    )
    wrong = clew("replay", str(notes / "script.jsonl"), "--out", str(notes / "out"))
    assert (wrong.exit_code, "'soon' is no day" in wrong.stderr) == (2, True)

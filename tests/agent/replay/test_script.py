import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from clew.agent.replay.script import Expectations, read_script
from clew.memory.errors import BadInput


def write(path: Path, *rows: Mapping[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_script_is_read_with_its_expectations(tmp_path: Path) -> None:
    turns = [
        {"question": "Who wrote Metropolis?"},
        {"question": "who else?", "expect": {"refuses": False, "contains": ["Lang", "Harbou"], "cites": "lang.md"}},
    ]
    script = read_script(write(tmp_path / "films.jsonl", {"conversation_id": "films", "turns": turns}))
    [conversation] = script.conversations
    assert (script.name, conversation.conversation_id) == ("films", "films")
    wanted = Expectations(contains=["Lang", "Harbou"], cites=["lang.md"], refuses=False)
    assert [turn.expect for turn in conversation.turns] == [Expectations(), wanted]


def of(*turns: object) -> dict[str, object]:
    return {"conversation_id": "c", "turns": turns}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([of({"question": "q", "expects": {}})], "s.jsonl:1, turns.0.expects: there is no such name, only question, "),
        (
            [of({"question": "q", "expect": {"refuse": True, "x": 1}})],
            "0.expect.refuse: there is no such name, only contains, ",
        ),
        ([of("q")], "s.jsonl:1, turns.0: "),
        ([of({"question": " "})], "s.jsonl:1, turns.0.question: "),
        ([of({"question": "q", "expect": {"refuses": "yes"}})], "expect.refuses: Input should be a valid boolean"),
        ([of({"question": "q", "expect": {"at_most_words": True}})], "expect.at_most_words: Input should be a valid"),
        ([of({"question": "q", "expect": {"at_most_words": 0}})], "expect.at_most_words: Input should be greater than"),
        ([of({"question": "q", "expect": {"cites": ["a", ""]}})], "expect.cites.1: "),
        ([of({"question": "q", "today": "Monday"})], "'Monday' is not a date"),
        ([], "has no conversations"),
        ([{"turns": [{"question": "q"}]}], "s.jsonl:1, conversation_id: Field required"),
        ([of()], "s.jsonl:1, turns: "),
        ([of({"question": "q"})] * 2, "s.jsonl:2 has the conversation_id of an earlier"),
    ],
)
def test_what_is_broken_is_named(tmp_path: Path, rows: list[Mapping[str, Any]], message: str) -> None:
    with pytest.raises(BadInput) as error:
        read_script(write(tmp_path / "s.jsonl", *rows))
    assert message in str(error.value)


@pytest.mark.parametrize(("name", "message"), [("none.jsonl", "there is no script"), ("", r"it has no queries\.jsonl")])
def test_a_missing_script_is_named(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        read_script(tmp_path / name)


def test_of_a_beir_folder_the_longest_conversations_are_asked(tmp_path: Path) -> None:
    def row(name: str, *texts: str) -> Mapping[str, Any]:
        turns = [{"speaker": "agent" if place % 2 else "user", "text": text} for place, text in enumerate(texts)]
        return {"_id": name, "text": texts[-1], "turns": turns}

    folder = tmp_path / "chats"
    folder.mkdir()
    write(
        folder / "queries.jsonl",
        row("a<::>1", "one"),
        row("b<::>3", "x", "answer x", "y", "answer y", "z"),
        row("a<::>2", "one", "not used", "two"),
        {"_id": "alone", "text": "no turns"},
    )
    script = read_script(folder)
    assert script.name == "chats"
    asked = {one.conversation_id: [turn.question for turn in one.turns] for one in script.conversations}
    assert asked == {"a": ["one", "two"], "b": ["x", "y", "z"], "alone": ["no turns"]}

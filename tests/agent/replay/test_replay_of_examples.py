"""Replays with the real assistant over the library of examples/."""

import json
from pathlib import Path
from typing import Any

import pytest

from clew.agent.replay.replay import replay_script
from clew.agent.replay.script import Summary, read_script
from clew.agent.settings import Settings, read_settings
from tests.conftest import EXAMPLES

SCRIPT = EXAMPLES / "conversations" / "moon-to-monkeys.jsonl"


@pytest.fixture(scope="module")
def settings(examples_path: Path, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return read_settings(library=examples_path, cache=cache, home=tmp_path_factory.mktemp("user"))


@pytest.fixture(scope="module")
def whole(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Summary]:
    out = tmp_path_factory.mktemp("whole")
    *_, summary = replay_script(read_script(SCRIPT), out, settings)
    assert isinstance(summary, Summary)
    return out, summary


def rows(out: Path, folder: str) -> list[dict[str, Any]]:
    content = (out / folder / SCRIPT.name).read_bytes()
    assert content.endswith(b"\n")
    return [json.loads(line) for line in content.decode().split("\n")[:-1]]


SCRIPTS = sorted((EXAMPLES / "conversations").glob("*.jsonl"))


@pytest.mark.parametrize(
    "script",
    [one for one in SCRIPTS if one.stem not in ("esperanto", "krestomatio", SCRIPT.stem)],
    ids=lambda path: path.stem,
)
def test_all_that_the_scripts_expect_holds(script: Path, settings: Settings, tmp_path: Path) -> None:
    *_, summary = replay_script(read_script(script), tmp_path, settings)
    assert isinstance(summary, Summary)
    assert summary.passed > 10
    assert [(turn.conversation, check.expected, check.came) for turn, check in summary.failed] == []


def test_every_answer_is_cited_or_an_honest_refusal(whole: tuple[Path, Summary]) -> None:
    out, summary = whole
    assert (summary.conversations, summary.turns) == (1, 6)
    assert summary.passed > 10 and not summary.failed
    for row in rows(out, "intermediate"):
        assert row["refused"] or row["citations"], row["_id"]
    assert summary.cited == 1


def test_a_replay_leaves_the_users_conversations_alone(whole: tuple[Path, Summary], settings: Settings) -> None:
    assert list(settings.home.iterdir()) == []
    assert (whole[0] / "threads" / SCRIPT.stem / "threads.sqlite").is_file()

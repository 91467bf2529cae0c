"""Answers that a language model writes, on a real pseudo-terminal: as they come, stopped, and taken up again."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.processes import finished
from tests.ui.screen import FAKES, Screen
from tests.ui.test_terminal import CTRL_C, CTRL_D, PROMPT
from tests.ui.writing_fake import MODEL

Chat = Callable[..., Screen]


@pytest.fixture
def chat(home: Path) -> Chat:
    return lambda *arguments: Screen([FAKES, home, "--llm", "auto", *arguments])


def asked(screen: Screen, question: str) -> str:
    screen.line(question)
    return screen.wait_for(rf"monkeys\.md(?:.|\n)*?{PROMPT}")


def test_words_are_shown_as_they_come_and_once(chat: Chat) -> None:
    with chat() as screen:
        assert f" · {MODEL} · /help" in screen.wait_for(PROMPT)
        came = asked(screen, "it writes")
        assert f"loading {MODEL}" in came
        assert "\n\nThe Moon is 384,400 km away [1]. Monkeys are small [2].\n\n  [1] The distance" in came
        assert came.count("384,400") == 1
        assert "verify" not in came, "what is done after the words does not stand between them and their sources"


def test_what_checking_changed_is_said_and_shown(chat: Chat) -> None:
    with chat() as screen:
        screen.wait_for(PROMPT)
        came = asked(screen, "changed")
        first, note, second = came.partition("  after it was checked, the answer is:\n")
        assert "Nero paid for it [9].\n" in first and note
        assert second.startswith("The Moon is 384,400 km away. [1] Monkeys are small. [2]\n")


def test_marks_of_what_is_not_carried_follow_the_words(chat: Chat) -> None:
    with chat() as screen:
        screen.wait_for(PROMPT)
        came = asked(screen, "writes wrong")
        assert "\n\nThe Moon is 384,400 km away [1]. Monkeys are small [2].\n(unsupported) The Moon is 384" in came


def test_what_was_begun_anew_is_told(chat: Chat) -> None:
    with chat() as screen:
        screen.wait_for(PROMPT)
        assert "Something else altogether\n  in its place:\n\nThe Moon is" in asked(screen, "restarts")


def test_what_was_done_without_the_model_is_told(chat: Chat) -> None:
    with chat() as screen:
        screen.wait_for(PROMPT)
        came = " ".join(asked(screen, "degraded").split())
        assert (
            "without the model: rewriting (it is empty); answering (llama3.1:8b failed: <b>out of memory</b>)" in came
        )


def test_ctrl_c_keeps_what_was_said_and_resume_answers_to_the_end(chat: Chat) -> None:
    with chat("--thread", "mine") as screen:
        screen.wait_for(PROMPT)
        screen.line("/resume")
        screen.wait_for("no answer was stopped here; try: type a question")
        screen.line("unfinished")
        screen.wait_for("The Moon is")
        screen.press(CTRL_C)
        came = screen.wait_for(PROMPT)
        assert "384,4\n" in came and "  stopped; /resume answers it to the end\n" in came
        screen.press(CTRL_D)
        assert screen.end() == 0
    with chat("--thread", "mine") as screen:
        came = screen.wait_for(PROMPT)
        assert "    The Moon is 384,4\n  stopped; /resume answers it to the end\n" in came
        assert "Monkeys are small [2].\n\n" in asked(screen, "/resume")
        screen.line("/thread")
        assert "turns    1" in screen.wait_for("kept in")


def test_steps_show_what_the_model_read(chat: Chat) -> None:
    with chat() as screen:
        screen.wait_for(PROMPT)
        asked(screen, "writes")
        screen.line("/steps")
        came = " ".join(screen.wait_for("passage 7").split())
        assert f"answer, {MODEL}: 1,204 of 8,192 tokens read, 58 written; summarised: path; left out: passage 7" in came


def test_through_a_pipe_the_finished_answer_alone_comes_out(home: Path) -> None:
    run = finished([FAKES, home, "--llm", "auto"], "changed\n")
    assert run.returncode == 0
    assert run.stdout.startswith("The Moon is 384,400 km away. [1] Monkeys are small. [2]\n[1] ")
    assert "Nero" not in run.stdout


def test_exports_say_who_wrote_and_what_was_done_without(chat: Chat) -> None:
    with chat() as screen:
        screen.wait_for(PROMPT)
        asked(screen, "writes degraded")
        screen.line("/export told.md")
        screen.wait_for("wrote told.md")
        screen.line("/export told.json")
        screen.wait_for("wrote told.json")
    line = f"*written by {MODEL}; without the model: rewriting (it is empty); answering ({MODEL} failed: "
    assert line in Path("told.md").read_text()
    (turn,) = json.loads(Path("told.json").read_text())["turns"]
    assert (turn["model"], turn["degraded"][0]["part"], turn["ledger"][0]["read"]) == (MODEL, "rewrite", 1204)

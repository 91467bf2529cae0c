"""The chat and `clew ask` on a real pseudo-terminal, with the assistant of fakes.py."""

import json
import re
import time
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from clew.agent.settings import read_settings
from tests.ui.fakes import CUT_OFF, MODEL, FakeAssistant, fill_threads
from tests.ui.screen import COLUMNS, CTRL_C, CTRL_D, FAKE, PROMPT, TAB, UP, Screen

Open = Callable[..., AbstractContextManager[Screen]]


@pytest.fixture
def chat(home: Path) -> Open:
    """A chat at its first prompt."""

    @contextmanager
    def opened(*flags: str, fake: Sequence[str] = ()) -> Iterator[Screen]:
        with Screen([*FAKE, *fake, "chat", *flags]) as screen:
            screen.wait_for(PROMPT)
            yield screen

    return opened


@pytest.fixture
def ask(home: Path) -> Open:
    return lambda *flags: Screen([*FAKE, "ask", "--llm", "auto", *flags])


def test_a_conversation_is_gone_on_with(chat: Open, home: Path) -> None:
    with chat() as screen:
        came = screen.say("how far is the moon?", r"monkeys\.md\n\s*\n")
        assert "  rewrite   how far is the moon?   <1 ms\n" in came
        assert "\nThe Moon is 384,400 km away. [1] Monkeys are small. [2]\n\n" in came
        assert "  [1] The distance of the Moon · page 2 · Average distance · " in came
        screen.wait_for(PROMPT)
        screen.say("and the monkeys?", r"monkeys\.md\n\s*\n")
        assert screen.leave() == 0
        thread = re.search(r"to come back: clew chat --thread (\w+)", screen.text)
        assert thread
    for flags in (("--thread", thread[1]), ("--continue",)):
        with chat(*flags) as screen:
            assert f"going on with {thread[1]}, turn 3" in screen.text
            for question in ("how far is the moon?", "and the monkeys?"):
                assert f"  > {question}\n    The Moon is 384,400 km away. [1]" in screen.text


ANSWERS = [
    ("escape", r"monkeys\.md", "The Moon is 384,400 km away."),
    ("weak", r"monkeys\.md", "The Moon is 384,400 km away. [1] (perhaps not in the source) Monkeys"),
    ("weak", r"monkeys\.md", "[1] The distance of the Moon (perhaps not in the source) · page 2"),
    ("wrong", r"monkeys\.md", "The Moon is 384,400 km away. [1] (not found in the source) Monkeys"),
    ("How many moons has Neptune?", "The nearest are", "I found nothing in the documents that answers this."),
    ("this fails", "make room", "the disk is full; try: make room"),
]
"""What is asked, what the answer ends with, what it has."""


def test_a_question_of_several_lines(chat: Open, home: Path) -> None:
    with chat() as screen:
        for keys in ("how far\x1b\r", "is it\x1b\r", "the moon?\r"):
            screen.press(keys)
            time.sleep(0.3)
        screen.wait_for(r"monkeys\.md\n\s*\n")
        assert screen.leave() == 0
        assert "how far is it the moon?" in " ".join(screen.text.split())
    history = (home / "history").read_text("utf-8")
    assert "+how far\n+is it\n+the moon?\n" in history


def test_answers_and_ctrl_c_leave_the_chat_open(chat: Open) -> None:
    with chat() as screen:
        for question, end, shown in ANSWERS:
            came = screen.say(question, end)
            assert shown in came and max(map(len, came.splitlines())) <= COLUMNS, question
        assert "\x1b[31mis" not in screen.raw and "\x07" not in screen.raw, "a document steers no terminal"
        screen.line("a slow one")
        screen.wait_for("rewrite   a slow one")
        screen.press(CTRL_C)
        screen.wait_for(r"  stopped; /resume")
        screen.wait_for(PROMPT)
        screen.press("fails")
        screen.wait_for("fails")
        screen.press(CTRL_C)  # clears the line
        screen.wait_for(PROMPT)
        assert "fails" not in screen.say("moon", "384,400").partition("rewrite")[2]
        assert screen.leave() == 0


def test_a_bug_ends_the_chat_with_one_line_and_the_way_back(chat: Open, home: Path) -> None:
    fill_threads(home, 1)
    with chat("--continue") as screen:
        screen.line("a bug")
        screen.wait_for("rewrite")
        assert screen.end() == 1
        assert "clew: internal error: ZeroDivisionError: a bug (run with --verbose for the traceback)" in screen.text
        assert "to come back: clew chat --thread thread-0" in screen.text
        assert "Traceback" not in screen.text


def test_a_question_waits_for_the_encoder_and_who_leaves_does_not(chat: Open) -> None:
    with chat(fake=("--loading", "4")) as screen:
        screen.line("how far is the moon?")
        screen.wait_for("loading the encoder…")
        screen.press(CTRL_C)
        screen.wait_for("stopped")
        screen.wait_for(PROMPT)
        screen.say("how far is the moon?", "384,400")
    with chat(fake=("--loading", "1000")) as screen:
        screen.press(CTRL_D)
        assert screen.end() == 0
        assert "to come back" not in screen.text, "nothing was said"


def test_a_turn_that_was_cut_off_is_finished_first(chat: Open) -> None:
    with chat("--thread", "mine", fake=("--interrupted", "mine")) as screen:
        assert f"cut off last time, finishing it now: {CUT_OFF}" in screen.text and "384,400" in screen.text


@pytest.mark.parametrize("without", ["", "1"])
def test_colours(chat: Open, monkeypatch: pytest.MonkeyPatch, without: str) -> None:
    monkeypatch.setenv("NO_COLOR", without)
    with chat() as screen:
        screen.say("weak", "monkeys")
        assert bool(re.search(r"\x1b\[[0-9;]*3[0-9][0-9;]*m", screen.raw)) != bool(without)


def test_history_and_completion(chat: Open) -> None:
    with chat() as screen:
        for begun, offered, said in (
            ("/he", "/help", "what can be typed here"),
            ("/tool de", "dense", "searching with dense from now on"),
        ):
            screen.press(begun)
            screen.wait_for(offered)
            screen.press(TAB + "\r")
            screen.wait_for(said)
            screen.wait_for(PROMPT)
        screen.say("moon", "dense: 2 passages")
        screen.wait_for(PROMPT)
        screen.press(UP + "\r")
        screen.wait_for("384,400")
    with chat() as screen:
        screen.press(UP)
        screen.wait_for("moon")


def test_the_commands(chat: Open, home: Path) -> None:
    with chat() as screen:
        for line, answer in (
            ("/sources", "nothing was asked yet; try: type a question"),
            ("/resume", "no answer was stopped here; try: type a question"),
            ("/export", "nothing was asked yet"),
            ("/sorces", r"there is no command /sorces; did you mean /sources\?"),
            ("/quit now", "/quit stands alone"),
            ("moon", "384,400"),
            ("/sources 3", r"no source 3; did you mean /sources 2\?"),
            ("/walk", r"nothing was walked for the last answer; did you mean /steps\?"),
            ("/tool dens", r"there is no tool dens; did you mean /tool dense\?"),
        ):
            screen.said(line, answer)
        assert "Its light takes" not in screen.said("/sources", r"\[2\] Monkeys in space")
        assert "\n      Its light takes 1.3 seconds to reach us.\n" in screen.said("/sources 1", "384,400")
        assert "question x 1.00" in screen.said("/steps", "0.71 moon")
        screen.said("and its walk?", "monkeys")
        walk = screen.said("/walk", "-> Monkeys in space")
        assert "it went to “Tides” and to “Monk" in walk
        screen.said("/tool hybrid", "searching with hybrid")
        assert re.search(r"\* auto .*\n +en +English", screen.said("/language", "português"))
        tools = screen.said("/tool", "dense")
        assert re.search(r"\* hybrid .*\n +dense", tools) and re.search(r"  auto +Searches with hybrid", tools)
        written = re.search(r"wrote ([\w-]+\.md)", screen.said("/export", r"wrote [\w-]+"))
        assert written and "is there already" in screen.said("/export", "try: name another file")
        screen.said("/export mine.json", "wrote mine.json")
        screen.said("/export mine.json", "mine.json is there already; try: name another file")
        screen.said("/copy", "copied, with its sources")
        code = re.search(r"\x1b\]52;c;([\w+/=]+)\x07", screen.raw)
        assert code and b64decode(code[1]).decode().startswith("The Moon is 384,400 km away. [1] Monkeys")
        thread = re.search(r"the last one was (\w+)\)", screen.said("/new", r"a new conversation: \w+ \(the last one"))
        assert thread
        screen.line("/quit")
        assert screen.end() == 0
    exported = Path(written[1]).read_text()
    assert thread[1] not in exported and "f00d" not in exported
    assert "> Its light takes 1.3 seconds" in exported
    assert exported.count("Walked:\n\n- The distance of the Moon -> Tides\n- The distance") == 1
    exported_turns = json.loads(Path("mine.json").read_text())
    assert exported_turns["libraries"] == ["f00d"]
    assert [turn["walk"] and turn["walk"]["landings"] for turn in exported_turns["turns"]] == [None, 2]


def test_questions_asked_anew_and_conversations_that_are_found_switched_and_deleted(chat: Open, home: Path) -> None:
    with chat() as screen:
        screen.said("How far is the moon?", "monkeys")
        screen.said("and how old?", "monkeys")
        assert "dense: 2 passages" in screen.said("/again dense", "monkeys")
        screen.said("/again des", r"there is no tool des; did you mean /again dense\?")
        assert "rewrite   as old as what?" in screen.said("/edit #2 as old as what?", "monkeys")
        versions = screen.said("/versions", r"\* 3  as old as what\?")
        assert "    1  and how old?" in versions and "    2  and how old?" in versions
        assert "384,400" in screen.say("/versions 1", rf"going on with version 1\n  > and how old[^>]*{PROMPT}")
        screen.said("/meant How old is the Moon?", "monkeys")
        screen.said("/context", r"understood as: How old is the Moon\?")
        screen.said("/branch #1", "going on from turn 1")
        screen.say("/versions #2 3", rf"going on with version 3\n  > as old as what[^>]*{PROMPT}")
        screen.said("/versions #4", "there is no turn #4; try: #2 is the last one")
        screen.line("/edit")
        screen.wait_for("/edit #2 as old as what")
        screen.press(CTRL_C)
        screen.wait_for(PROMPT)
        screen.said("/new", "a new conversation")
        screen.said("Who was Laika in 54?", "monkeys")
        screen.said("/rename Dogs in space", "it is called Dogs in space now")
        screen.said("/pin 2", "How far is the moon.: now at the top")
        listed = screen.said("/threads", "Dogs in space")
        assert re.search(r"\^  1  How far is the moon\?  2 turns · \d+ \w+ \d\d:\d\d\n  \*  2  Dogs in space", listed)
        assert "Dogs" not in screen.said("/threads FAR moon", "How far")
        assert "*  2  Dogs" in screen.said("/threads DOGS", "Dogs in space"), "by the number that it is switched to"
        screen.said("/switch 2", "> Who was Laika")
        screen.said("/delete 54", "there is no conversation 54")
        screen.said("/delete", "deleted: Dogs in space; /undo within 10 s")
        screen.said("/switch 2", "there is no conversation 2: name it by its number or its id")
        screen.said("/undo", "Dogs in space is back")
        screen.said("/export talk.html", "wrote talk.html")
        screen.line("/quit")
        assert screen.end() == 0
    page = Path("talk.html").read_text()
    assert "<title>Dogs in space</title>" in page and "384,400" in page
    assert not re.search(r"(?i)<(script|img|link|a)\b|src=|url\(", page), "it opens offline"


# What a language model writes

SAID = "The Moon is 384,400 km away. [1] Monkeys are small. [2]"
WRITTEN = [
    ("it writes", "The Moon is 384,4", f"\n\n{SAID}\n\n  [1] The distance"),
    ("changed", "Nero paid for it [9].", f"\n\n{SAID}\n"),
    ("writes wrong", "Monkeys are small", "The Moon is 384,400 km away. [1] (not found in the source) Monkeys"),
    ("restarts", "The Moon is 384,4", f"\n\n{SAID}\n"),
]
"""What is asked, what is seen of what the model writes, and the answer in its place."""


def test_words_are_shown_as_they_come_and_give_way_to_the_answer(chat: Open) -> None:
    with chat("--llm", "auto", fake=("--pause", "0.05")) as screen:
        assert f" · {MODEL} · /help" in screen.text

        def asked(question: str) -> str:
            return screen.say(question, rf"monkeys\.md(?:.|\n)*?{PROMPT}")

        for question, draft, answer in WRITTEN:
            came = asked(question)
            before, found, _ = came.partition(answer)
            assert found and draft in before and f"loading {MODEL}" in before
        steps = " ".join(screen.say("/steps", "passage 7").split())
        assert (
            f"answer, {MODEL}: 1,204 of 8,192 tokens read, 58 written; summarised: path; left out: passage 7" in steps
        )
        screen.wait_for(PROMPT)
        without = "without the model: rewriting (it is empty); answering (llama3.1:8b failed: <b>out of memory</b>)"
        assert without in " ".join(asked("writes degraded").split())
        for name in ("told.md", "told.json"):
            screen.say(f"/export {name}", f"wrote {name}")
    line = f"*written by {MODEL}; without the model: rewriting (it is empty); answering ({MODEL} failed: "
    assert line in Path("told.md").read_text()
    turn = json.loads(Path("told.json").read_text())["turns"][-1]
    assert (turn["model"], turn["degraded"][0]["part"], turn["ledger"][0]["read"]) == (MODEL, "rewrite", 1204)


def test_ctrl_c_keeps_what_was_said_and_resume_answers_to_the_end(chat: Open) -> None:
    with chat("--thread", "mine", "--llm", "auto") as screen:
        screen.say("unfinished", "The Moon is")
        screen.press(CTRL_C)
        came = screen.wait_for(PROMPT)
        assert "384,4\n" in came and "  stopped; /resume answers it to the end, /again" in came
        screen.press(CTRL_D)
        assert screen.end() == 0
    with chat("--thread", "mine", "--llm", "auto") as screen:
        assert "    The Moon is 384,4\n  stopped; /resume answers it to the end, /again" in screen.text
        assert f"\n\n{SAID}\n" in screen.say("/resume", rf"monkeys\.md(?:.|\n)*?{PROMPT}")


# `clew ask`


def test_ctrl_c_of_ask_keeps_what_was_said_and_tells_the_way_back(ask: Open) -> None:
    with ask("--thread", "mine", "unfinished") as screen:
        screen.wait_for("The Moon is")
        screen.press(CTRL_C)
        assert screen.end() == 130
        assert "384,4\n" in screen.text
        told = " ".join(screen.text.split())
        assert (
            "clew: stopped; to have the whole answer: clew chat --llm auto --thread mine" in told and "/resume" in told
        )
    with FakeAssistant(read_settings().home) as assistant:
        stopped = assistant.stopped("mine")
        assert stopped and stopped.answer.plain == "The Moon is 384,4"

"""The chat on a real pseudo-terminal, with an assistant that follows the contract (see fakes.py)."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.ui.fakes import fill_threads
from tests.ui.screen import COLUMNS, FAKES, Screen

Chat = Callable[..., Screen]

PROMPT = r"(?m:^> \s*\Z)"
CTRL_C, CTRL_D, TAB, UP = "\x03", "\x04", "\t", "\x1b[A"


@pytest.fixture
def chat(home: Path) -> Chat:
    return lambda *arguments: Screen([FAKES, home, *arguments])


def test_a_conversation(chat: Chat, home: Path) -> None:
    with chat() as screen:
        screen.wait_for(PROMPT)
        screen.line("how far is the moon?")
        came = screen.wait_for(r"monkeys\.md\n\s*\n")
        assert "  rewrite   how far is the moon?   <1 ms\n" in came
        assert "\nThe Moon is 384,400 km away. [1] Monkeys are small. [2]\n\n" in came
        assert "  [1] The distance of the Moon · page 2 · Average distance · " in came
        screen.wait_for(PROMPT)
        screen.press(CTRL_D)
        assert screen.end() == 0
        thread = re.search(r"to come back: clew chat --thread (\w+)", screen.text)
        assert thread
    with chat("--thread", thread[1]) as screen:
        came = screen.wait_for(PROMPT)
        assert f"going on with {thread[1]}, turn 2" in came
        assert "  > how far is the moon?\n    The Moon is 384,400 km away. [1]" in came
        screen.press(CTRL_D)
        assert screen.end() == 0


def test_continue_goes_on_with_the_last_thread(chat: Chat, home: Path) -> None:
    fill_threads(home, 2)
    with chat("--continue") as screen:
        assert "going on with thread-1, turn 2" in screen.wait_for(PROMPT)


def test_nothing_of_a_document_steers_the_terminal(chat: Chat) -> None:
    with chat() as screen:
        screen.wait_for(PROMPT)
        screen.line("escape")
        screen.wait_for(r"monkeys\.md")
        assert "\x1b[31mis" not in screen.raw
        assert "\x07" not in screen.raw
        assert "The Moon is 384,400 km away." in screen.text


@pytest.mark.parametrize(("question", "mark"), [("weak", "[1] (weak) "), ("wrong", "[1] (unsupported) ")])
def test_what_its_source_does_not_carry_is_marked(chat: Chat, question: str, mark: str) -> None:
    with chat() as screen:
        screen.wait_for(PROMPT)
        screen.line(question)
        came = screen.wait_for(r"monkeys\.md")
        assert f"The Moon is 384,400 km away. {mark}Monkeys" in came
        assert f"[1] The distance of the Moon{mark[3:]}· page 2" in came
        assert max(len(line) for line in came.splitlines()) <= COLUMNS


def test_nothing_found_says_what_is_near_once(chat: Chat) -> None:
    with chat() as screen:
        screen.wait_for(PROMPT)
        screen.line("How many moons has Neptune?")
        assert screen.wait_for(rf"The nearest are[^>]*{PROMPT}").count("Tides") == 1


def test_ctrl_c_stops_a_turn_and_the_chat_goes_on(chat: Chat) -> None:
    with chat() as screen:
        screen.wait_for(PROMPT)
        screen.line("a slow one")
        screen.wait_for("rewrite   a slow one")
        screen.press(CTRL_C)
        screen.wait_for(r"  stopped\n")
        screen.wait_for(PROMPT)
        screen.line("how far is the moon?")
        screen.wait_for("384,400")


def test_ctrl_c_clears_the_line(chat: Chat) -> None:
    with chat() as screen:
        screen.wait_for(PROMPT)
        screen.press("fails")
        screen.wait_for("fails")
        screen.press(CTRL_C)
        screen.wait_for(PROMPT)
        screen.line("moon")
        assert "fails" not in screen.wait_for("384,400").partition("rewrite")[2]


def test_an_error_leaves_the_chat_open(chat: Chat) -> None:
    with chat() as screen:
        screen.wait_for(PROMPT)
        screen.line("this fails")
        screen.wait_for("the turn failed; try: ask again")
        screen.wait_for(PROMPT)
        screen.press(CTRL_D)
        assert screen.end() == 0


def test_a_bug_leaves_the_chat_with_one_line_and_the_way_back(chat: Chat, home: Path) -> None:
    fill_threads(home, 1)
    with chat("--continue") as screen:
        screen.wait_for(PROMPT)
        screen.line("a bug")
        screen.wait_for("rewrite")
        assert screen.end() == 1
        assert "clew: internal error: ZeroDivisionError: a bug (run with --verbose for the traceback)" in screen.text
        assert "to come back: clew chat --thread thread-0" in screen.text
        assert "Traceback" not in screen.text


def test_a_question_waits_for_the_encoder_and_ctrl_c_stops_the_waiting(chat: Chat) -> None:
    with chat("--loading", "4") as screen:
        screen.wait_for(PROMPT)
        screen.line("how far is the moon?")
        screen.wait_for("loading the encoder…")
        screen.press(CTRL_C)
        screen.wait_for("stopped")
        screen.wait_for(PROMPT)
        screen.line("how far is the moon?")
        screen.wait_for("384,400")


def test_who_leaves_while_the_encoder_loads_need_not_wait(chat: Chat) -> None:
    with chat("--loading", "1000") as screen:
        screen.wait_for(PROMPT)
        screen.press(CTRL_D)
        assert screen.end() == 0
        assert "to come back" not in screen.text, "nothing was said"


def test_a_turn_that_was_cut_off_is_finished_first(chat: Chat) -> None:
    with chat("--thread", "mine", "--interrupted", "why?") as screen:
        came = screen.wait_for(r"monkeys\.md")
        assert "cut off last time, finishing it now: why?" in came
        assert "384,400" in came
        screen.wait_for(PROMPT)
        screen.line("/thread")
        assert "turns    1" in screen.wait_for("kept in")


def test_without_colours(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    colour = re.compile(r"\x1b\[[0-9;]*3[0-9][0-9;]*m")
    with chat() as screen:
        screen.wait_for(PROMPT)
        screen.line("weak")
        screen.wait_for("monkeys")
        assert colour.search(screen.raw)
    monkeypatch.setenv("NO_COLOR", "1")
    with chat() as screen:
        screen.wait_for(PROMPT)
        screen.line("weak")
        screen.wait_for("monkeys")
        assert not colour.search(screen.raw)


def test_history_and_completion(chat: Chat) -> None:
    with chat() as screen:
        screen.wait_for(PROMPT)
        screen.press("/he")
        screen.wait_for("/help")
        screen.press(TAB + "\r")
        screen.wait_for("what can be typed here")
        screen.wait_for(PROMPT)
        screen.press("/tool de")
        screen.wait_for("dense")
        screen.press(TAB + "\r")
        screen.wait_for("searching with dense from now on")
        screen.wait_for(PROMPT)
        screen.line("moon")
        screen.wait_for("dense: 2 passages")
        screen.wait_for(PROMPT)
        screen.press(UP)
        screen.press("\r")
        screen.wait_for("384,400")
    with chat() as screen:
        screen.wait_for(PROMPT)
        screen.press(UP)
        screen.wait_for("moon")


def test_the_commands(chat: Chat, home: Path) -> None:
    with chat() as screen:
        screen.wait_for(PROMPT)

        def said(line: str, pattern: str) -> str:
            screen.line(line)
            return screen.wait_for(rf"{pattern}[^>]*{PROMPT}")

        said("/sources", "nothing was asked yet; try: type a question")
        said("/export", "there is nothing to export yet")
        said("/sorces", r"there is no command /sorces; did you mean /sources\?")
        said("/quit now", "/quit stands alone")
        said("moon", "384,400")
        assert "Its light takes" not in said("/sources", r"\[2\] Monkeys in space")
        assert "\n      Its light takes 1.3 seconds to reach us.\n" in said("/sources 1", "384,400")
        said("/sources 3", r"no source 3; did you mean /sources 2\?")
        assert "question x 1.00" in said("/steps", "0.71 moon")
        said("/walk", r"nothing was walked for the last answer; did you mean /steps\?")
        said("and its walk?", "monkeys")
        assert "\n  1 The distance of the Moon [1] 0.60, moon, far\n" in said("/walk", "2 Laika 0.02, dog, space")
        assert re.search(
            r"\* hybrid .*\n +dense", said("/tool hybrid", "searching with hybrid") + said("/tool", "dense")
        )
        assert re.search(r"  auto +Searches with hybrid", said("/tool", "dense"))
        said("/tool dens", r"there is no tool dens; did you mean /tool dense\?")
        thread = re.search(r"thread +(\w+)", said("/thread", "threads.sqlite"))
        assert thread
        said("/export", f"wrote clew-{thread[1]}.md")
        said("/export", f"wrote clew-{thread[1]}.md")
        said("/export mine.json", "wrote mine.json")
        said("/export mine.json", "mine.json is there already; try: name another file")
        said("/new", rf"a new conversation: \w+ \(the last one was {thread[1]}\)")
        said("/thread", "nothing was said yet")
        screen.line("/quit")
        assert screen.end() == 0
    exported = Path(f"clew-{thread[1]}.md").read_text()
    assert "> Its light takes 1.3 seconds" in exported
    assert exported.count("Walked:\n\n- The distance of the Moon -> Tides\n- The distance") == 1
    written = json.loads(Path("mine.json").read_text())
    assert written["libraries"] == ["f00d"]
    assert [turn["walk"] and turn["walk"]["landings"] for turn in written["turns"]] == [None, 2]

"""`clew ask` with an assistant whose answers are written: on a terminal, through a pipe, stopped, as JSON."""

import json
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.agent.settings import read_settings
from tests.ollama.playing import good
from tests.ollama.server import Asked, Model, OllamaDouble, Said
from tests.ui.conftest import process
from tests.ui.fakes import FakeAssistant
from tests.ui.screen import Screen
from tests.ui.test_terminal import CTRL_C
from tests.ui.writing_fake import MODEL

ASK = Path(__file__).with_name("ask_fake.py")

Ask = Callable[..., Screen]


@pytest.fixture
def ask(home: Path) -> Ask:
    return lambda *arguments: Screen([ASK, home, *arguments])


def piped(home: Path, *arguments: str) -> tuple[int, str, str]:
    asking = process([home, *arguments], file=str(ASK))
    out, err = asking.communicate("")
    return asking.returncode, out, err


def test_words_are_shown_as_they_come_on_a_terminal(ask: Ask) -> None:
    with ask("writes") as screen:
        assert screen.end() == 0
        assert screen.text.count("The Moon is 384,400 km away [1]. Monkeys are small [2].\n\n[1] The distance") == 1
        assert screen.text.count("384,400") == 1 and f"loading {MODEL}" in screen.text


def test_a_pipe_has_the_finished_answer_alone(home: Path) -> None:
    code, out, err = piped(home, "changed", "degraded")
    assert (code, out.splitlines()[0]) == (0, "The Moon is 384,400 km away. [1] Monkeys are small. [2]")
    assert "Nero" not in out + err and "without the model: rewriting (it is empty)" in err
    code, out, err = piped(home, "--quiet", "changed", "degraded")
    assert (code, err) == (0, "")


def test_ctrl_c_keeps_what_was_said_and_tells_the_way_back(ask: Ask) -> None:
    with ask("--thread", "mine", "unfinished") as screen:
        screen.wait_for("The Moon is")
        screen.press(CTRL_C)
        assert screen.end() == 130
        assert "384,4\n" in screen.text
        told = " ".join(screen.text.split())
        assert "clew: stopped; to have the whole answer: clew chat --thread mine, and there /resume" in told
    with FakeAssistant(read_settings(home=Path("data") / "clew")) as assistant:
        stopped = assistant.stopped("mine")
        assert stopped and stopped.answer.plain == "The Moon is 384,4"


def test_ctrl_c_before_the_first_word_ends_it_at_once(ask: Ask) -> None:
    with ask("slow") as screen:
        screen.wait_for("rewrite   slow")
        screen.press(CTRL_C)
        assert screen.end() == 130
        assert screen.text.splitlines()[-1] == "clew: stopped"


def test_what_was_cut_off_is_finished_first_and_not_shown(home: Path) -> None:
    code, out, err = piped(home, "--interrupted", "why not?", "writes")
    assert code == 0 and out.count("384,400") == 1
    assert "finished first, as it was cut off: why not?\n" in err


def test_stopped_in_a_script_the_answer_so_far_is_the_last_event(home: Path) -> None:
    asking = process([home, "--json", "unfinished"], file=str(ASK))
    assert asking.stdin and asking.stdout
    asking.stdin.close()
    lines = []
    for line in asking.stdout:
        lines.append(line)
        if '"piece"' in line:
            break
    time.sleep(0.2)
    asking.send_signal(signal.SIGINT)
    lines += asking.stdout
    assert asking.wait() == 130
    asking.stdout.close()
    assert asking.stderr
    assert asking.stderr.read().startswith("\nclew: stopped; ")
    asking.stderr.close()
    events = [json.loads(line) for line in lines]
    assert [event["event"] for event in events] == ["step", "step", "doing", "piece", "piece", "step", "answer"]
    assert events[2] == {"event": "doing", "text": f"loading {MODEL}"}
    assert events[3] == {"event": "piece", "text": "The Moon is ", "restart": False}
    assert (events[-1]["answer"]["outcome"], events[-1]["model"]) == ("stopped", MODEL)
    assert events[-1]["ledger"][0]["parts"][1] == {"part": "passage 7", "tokens": 400, "kept": "left out"}


SILENT = 25.0
"""Seconds before a model's first word."""


def silent(asked: Asked) -> Said:
    if "<passage" in asked.text and not asked.tools:
        yield SILENT
    yield from good(asked)


def test_ctrl_c_waits_for_no_model_that_is_silent(home: Path, examples_path: Path, ollama: OllamaDouble) -> None:
    """With the real assistant, whose graph waits for the thread that listens to the model."""
    ollama.models["silent:1b"] = Model(silent)
    asking = process(["ask", "--library", examples_path, "--llm", "ollama:silent:1b", "How far away is the Moon?"])
    assert asking.stdin and asking.stderr
    asking.stdin.close()
    asking.stdin = None  # or `communicate` would flush what is closed
    while not (ollama.requests and "<passage" in str(ollama.requests[-1]) and not ollama.requests[-1].get("tools")):
        assert asking.poll() is None, asking.stderr.read()
        time.sleep(0.05)
    time.sleep(0.5)
    begun = time.monotonic()
    asking.send_signal(signal.SIGINT)
    out, err = asking.communicate()
    assert (asking.returncode, out) == (130, "")
    assert time.monotonic() - begun < SILENT / 2
    assert "Traceback" not in err and err.splitlines()[-1] == "clew: stopped"

"""The chat and `clew ask` without a terminal: only answers come out; and what is offered at a terminal alone."""

import json
import signal
import time
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.ollama.playing import good
from tests.ollama.server import Asked, Model, OllamaDouble, Said
from tests.processes import finished
from tests.ui.conftest import Run, process
from tests.ui.fakes import MODEL
from tests.ui.screen import FAKE


def piped(text: str, *arguments: str, encoding: str = "utf-8") -> "CompletedProcess[str]":
    return finished([*FAKE, *arguments], text, encoding=encoding)


@pytest.mark.usefixtures("home")
def test_each_line_of_a_chat_is_answered() -> None:
    run = piped("how far is the moon?\n\nHow many moons has Neptune?", "chat")
    assert run.returncode == 0
    assert run.stdout.split("\n\n")[:2] == [
        "The Moon is 384,400 km away. [1] Monkeys are small. [2]\n"
        "[1] The distance of the Moon · page 2 · Average distance · documents/space/moon-distance.md\n"
        "[2] Monkeys in space · documents/animals/monkeys.md",
        "I found nothing in the documents that answers this. The nearest are: Tides.",
    ]
    assert "rewrite   how far is the moon?" in run.stderr and "to come back: clew chat --thread" in run.stderr
    assert "\x1b" not in run.stdout + run.stderr
    run = piped("/etc/hosts: what is it?\ncaf\xe9 moon\n/sources 2\n/quit\nnever asked\n", "chat", encoding="latin-1")
    assert run.returncode == 0 and run.stdout.endswith("\n      Monkeys are small.\n"), "commands work too"
    assert "rewrite   /etc/hosts: what is it?" in run.stderr, "a path begins a question"
    assert "never asked" not in run.stderr


@pytest.mark.usefixtures("home")
def test_the_first_error_ends_a_chat_with_its_exit_code() -> None:
    run = piped("this fails\nmoon\n", "chat")
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.splitlines()[-2:] == ["clew: the disk is full", "try: make room"]
    assert piped("/nonsense\n", "chat").returncode == 2


@pytest.mark.usefixtures("home")
def test_the_finished_answer_alone_comes_out_of_what_a_model_writes() -> None:
    told = "without the model: rewriting (it is empty)"
    for typed, arguments in (
        ("changed\n", ["chat", "--llm", "auto"]),
        ("", ["ask", "--llm", "auto", "changed", "degraded"]),
        ("", ["ask", "--llm", "auto", "--quiet", "changed", "degraded"]),
    ):
        run = piped(typed, *arguments)
        assert run.returncode == 0 and "Nero" not in run.stdout + run.stderr
        assert run.stdout.startswith("The Moon is 384,400 km away. [1] Monkeys are small. [2]\n")
        assert (told in run.stderr) == ("degraded" in arguments)
    assert run.stderr.startswith(f"  {told}") and run.stderr.count("\n") == 1, "quiet"


@pytest.mark.usefixtures("home")
def test_stopped_in_a_script_the_answer_so_far_is_the_last_event() -> None:
    asking = process(["ask", "--json=full", "unfinished"], FAKE)
    assert asking.stdin and asking.stdout and asking.stderr
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
    assert asking.stderr.read().startswith("\nclew: stopped; ")
    asking.stdout.close()
    asking.stderr.close()
    events = [json.loads(line) for line in lines]
    assert [event["event"] for event in events] == [*["step"] * 3, "doing", "piece", "piece", "step", "answer"]
    assert events[3] == {"event": "doing", "text": f"loading {MODEL}"}
    assert events[4] == {"event": "piece", "text": "The Moon is ", "restart": False}
    assert (events[-1]["answer"]["outcome"], events[-1]["model"]) == ("stopped", MODEL)
    assert events[-1]["ledger"][0]["parts"][1] == {"part": "passage 7", "tokens": 400, "kept": "left out"}


SILENT = 25.0
"""Seconds before a model's first word."""


def silent(asked: Asked) -> Said:
    if "<passage" in asked.text:
        yield SILENT
    yield from good(asked)


def test_ctrl_c_waits_for_no_model_that_is_silent(home: Path, examples_path: Path, ollama: OllamaDouble) -> None:
    """With the real assistant, whose graph waits for the thread that listens to the model."""
    ollama.models["silent:1b"] = Model(silent)
    asking = process(["ask", "--library", examples_path, "--llm", "ollama:silent:1b", "How far away is the Moon?"])
    assert asking.stdin and asking.stderr
    asking.stdin.close()
    asking.stdin = None  # or `communicate` would flush what is closed
    while not (ollama.requests and "<passage" in str(ollama.requests[-1])):
        assert asking.poll() is None, asking.stderr.read()
        time.sleep(0.05)
    time.sleep(0.5)
    begun = time.monotonic()
    asking.send_signal(signal.SIGINT)
    out, err = asking.communicate()
    assert (asking.returncode, out) == (130, "")
    assert time.monotonic() - begun < SILENT / 2
    assert "Traceback" not in err and err.splitlines()[-1] == "clew: stopped"


# A model that is not pulled


@pytest.mark.usefixtures("ollama")
def test_the_command_that_pulls_it_is_named(clew: Run, examples_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_LIBRARY", str(examples_path))
    for command in (("ask", "why?"), ("chat",), ("ui",)):
        done = clew(*command, "--llm", "ollama:new:1b")
        assert (done.exit_code, done.stdout) == (3, "")
        assert done.stderr.splitlines()[-1] == "try: ollama pull new:1b"
    done = clew("ask", "why?", "--llm", "ollama:encoder:1b")
    assert done.exit_code == 3 and "is an embedding model and cannot write" in done.stderr

"""The chat without a terminal: each line of standard input is a question, and only answers come out."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.processes import finished
from tests.ui.screen import FAKES

Piped = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def piped(home: Path) -> Piped:
    return lambda text, *arguments: finished([FAKES, home, *arguments], text)


def test_each_line_is_answered(piped: Piped) -> None:
    run = piped("how far is the moon?\n\nHow many moons has Neptune?")
    assert run.returncode == 0
    assert run.stdout.split("\n\n")[:2] == [
        "The Moon is 384,400 km away. [1] Monkeys are small. [2]\n"
        "[1] The distance of the Moon · page 2 · Average distance · documents/space/moon-distance.md\n"
        "[2] Monkeys in space · documents/animals/monkeys.md",
        "I found nothing in the documents that answers this. The nearest are: Tides.",
    ]
    assert "rewrite   how far is the moon?" in run.stderr
    assert "to come back: clew chat --thread" in run.stderr
    assert "\x1b" not in run.stdout + run.stderr


def test_commands_work_too(piped: Piped) -> None:
    run = piped("moon\n/sources 2\n/quit\nnever asked\n")
    assert run.returncode == 0
    assert run.stdout.endswith("\n      Monkeys are small.\n")
    assert "never asked" not in run.stderr


def test_the_first_error_ends_it_with_its_exit_code(piped: Piped) -> None:
    run = piped("this fails\nmoon\n")
    assert run.returncode == 1
    assert run.stderr.splitlines()[-2:] == ["clew: the turn failed", "try: ask again"]
    assert run.stdout == ""
    assert piped("/nonsense\n").returncode == 2


def test_a_path_begins_a_question(piped: Piped) -> None:
    assert "rewrite   /etc/hosts: what is it?" in piped("/etc/hosts: what is it?\n").stderr


def test_bytes_that_are_no_text_do_no_harm(home: Path) -> None:
    run = finished([FAKES, home], "caf\xe9 moon\n", encoding="latin-1")
    assert run.returncode == 0
    assert "384,400" in run.stdout

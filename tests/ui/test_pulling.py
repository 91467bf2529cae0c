"""A model that is not pulled: offered on a real terminal, pulled from the double of Ollama; without one, an error."""

import time
from pathlib import Path

import pytest

from tests.ollama.playing import good
from tests.ollama.server import Model, OllamaDouble
from tests.ui.conftest import Run
from tests.ui.screen import Screen
from tests.ui.test_terminal import CTRL_C

ASK = ("-mclew.ui.cli", "ask", "--llm", "ollama:new:1b", "How far away is the Moon?")
OFFER = r"The model new:1b is not pulled\. Pull it now\? \[y/N\]: "


@pytest.fixture(autouse=True)
def pullable(examples_path: Path, home: Path, ollama: OllamaDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    ollama.pullable["new:1b"] = Model(good)
    monkeypatch.setenv("CLEW_LIBRARY", str(examples_path))


def test_yes_pulls_it_with_a_bar_and_asks(ollama: OllamaDouble) -> None:
    with Screen(ASK) as screen:
        screen.wait_for(OFFER)
        screen.line("y")
        assert "pulling new:1b" in screen.wait_for("loading new:1b")
        assert screen.end() == 0
        assert "moon-distance." in screen.text  # the path is cut to the width
    assert "new:1b" in ollama.models


def test_no_is_the_error_with_its_command(ollama: OllamaDouble) -> None:
    with Screen(ASK) as screen:
        screen.wait_for(OFFER)
        screen.line("")
        assert screen.end() == 3
        assert "try: ollama pull new:1b" in screen.text
    assert "new:1b" not in ollama.models


def test_ctrl_c_at_the_offer_stops(ollama: OllamaDouble) -> None:
    with Screen(ASK) as screen:
        screen.wait_for(OFFER)
        time.sleep(0.5)  # a signal between the prompt and the reading of the line waits for the next key
        screen.press(CTRL_C)
        assert screen.end() == 130
    assert "new:1b" not in ollama.models


def test_a_name_that_the_server_cannot_have_is_an_error(ollama: OllamaDouble) -> None:
    ollama.pullable.clear()
    with Screen(ASK) as screen:
        screen.wait_for(OFFER)
        screen.line("y")
        assert screen.end() in (3, 4)
        assert "clew: " in screen.text and "Traceback" not in screen.text


@pytest.mark.parametrize("command", [("ask", "why?"), ("chat",), ("ui",)])
def test_without_a_terminal_nobody_is_asked(clew: Run, command: tuple[str, ...]) -> None:
    done = clew(*command, "--llm", "ollama:new:1b")
    assert (done.exit_code, done.stdout) == (3, "")
    assert done.stderr.splitlines()[-1] == "try: ollama pull new:1b"


def test_an_encoder_is_not_offered(clew: Run) -> None:
    done = clew("ask", "why?", "--llm", "ollama:encoder:1b")
    assert done.exit_code == 3 and "is an encoder and writes nothing" in done.stderr

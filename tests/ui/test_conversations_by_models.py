"""Whole conversations with each of the scripted models, through the terminal and the page.

Against a real server: `CLEW_TEST_OLLAMA=llama3.2:3b` (docs/models.md); then that model alone, and what only a script
can promise is not asked of it.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.agent.assistant import Assistant
from clew.agent.settings import read_settings
from clew.agent.state import Turn
from clew.ui.web.views import Conversations
from tests.ollama.playing import MODELS
from tests.ollama.server import serving
from tests.ui.conftest import Run

MOON = "How far away is the Moon?"
FOLLOW_UP = (MOON, "And how long does light take for that?")
UNKNOWN = (MOON, "How many moons does Neptune have?")
"""The second is of something that the library says nothing about."""

REAL = os.environ.get("CLEW_TEST_OLLAMA", "")

FEW = {"good:1b", "plans-wrongly:1b", "crashes:1b"}
"""One that does all of it, one that does some and one that does none stand for the others in `make test`."""

SCRIPTED = [
    pytest.param(name, marks=() if name in FEW else pytest.mark.soak)
    for name in sorted(set(MODELS) - {"encoder:1b", "endless:1b"})
]

ALL = {"rewrite", "think", "answer"}

TOLD: dict[str, set[str]] = {
    "good:1b": set(),
    "plain:1b": set(),
    "never-plans:1b": {"think"},
    "thinks:1b": set(),
    "slow:1b": set(),
    "miscites:1b": set(),  # its sentences are marked
    "plans-wrongly:1b": {"think"},
    "broken-json:1b": {"rewrite", "think"},
    "cuts:1b": set(),  # an answer is asked with less of what was found
    "asks-back:1b": {"rewrite"},  # it asks back there too
    "refuses:1b": {"rewrite"},  # it refuses there too
    "dies:1b": {"answer"},
    "dies-at-once:1b": {"answer"},
    "crashes:1b": ALL,
    "lacks-memory:1b": ALL,
}
"""The parts that a conversation may tell were done without the model: some of these, and no others."""


@pytest.fixture(params=[REAL] if REAL else SCRIPTED)
def model(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    name = str(request.param)
    if REAL:
        yield name
        return
    with serving({name: MODELS[name]}) as double:
        monkeypatch.setenv("OLLAMA_HOST", double.host)
        yield name


def kept(turns: list[Turn], model: str, questions: tuple[str, ...]) -> None:
    """What every conversation keeps to, whatever the model does."""
    assert [turn.question for turn in turns] == list(questions)
    for turn in turns:
        assert turn.answer.plain, "there is an answer, a refusal or a question back"
        assert turn.passages and turn.calls[0].tool == "hybrid", "the first search is never skipped"
        assert all(1 <= n <= len(turn.answer.sources) for claim in turn.answer.claims for n in claim.cites)
        assert turn.answer.outcome != "answered" or turn.answer.sources, "what is answered is cited"
        assert "<think" not in turn.answer.plain and "NOT FOUND" not in turn.answer.plain
        assert all(one.why for one in turn.degraded)
        assert all(line.window >= line.read for line in turn.ledger)
    if REAL:
        return
    told = {one.part for turn in turns for one in turn.degraded}
    assert told <= TOLD[model] and told >= TOLD[model] & {"answer"}
    first, last = turns
    if model not in ("refuses:1b", "asks-back:1b"):
        assert any("Moon" in source.title for source in first.answer.sources)
        assert "Neptune" not in "".join(source.title for source in last.answer.sources)


def test_in_the_terminal(clew: Run, home: Path, examples_path: Path, model: str) -> None:
    run = clew("chat", "--library", examples_path, "--llm", f"ollama:{model}", input="\n".join(FOLLOW_UP) + "\n")
    assert run.exit_code == 0, run.stderr
    assert "Traceback" not in run.output
    with Assistant.open(read_settings(library=examples_path, home=home, llm="none")) as assistant:
        (thread,) = assistant.threads.recent()
        turns = assistant.turns(thread.id)
    kept(turns, model, FOLLOW_UP)
    for turn in turns:
        assert turn.answer.claims[0].text in " ".join(run.stdout.split())
        assert not turn.degraded or turn.degraded[0].why[:40] in " ".join(run.output.split())


def test_on_the_page(home: Path, examples_path: Path, model: str) -> None:
    settings = read_settings(library=examples_path, home=home, llm=f"ollama:{model}")
    with Assistant.open(settings) as assistant:
        conversations = Conversations(assistant)
        thread = ""
        for question in UNKNOWN:
            *_, view = conversations.say(thread, question)
            assert not view.busy and (view.now is None or not view.now.error), view.now
            thread = view.thread
        kept(list(view.turns), model, UNKNOWN)
        conversations.runs.close()

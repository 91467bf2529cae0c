"""docs/ask-json.md names what `clew ask --json` prints: held against the program's own types and its real output."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from clew.agent.state import TURN_JSON, Answer, Claim, Doing, Piece, Step, Turn
from clew.memory.datatypes import Passage
from clew.ui.transcript import answer_object
from tests.ollama.server import OllamaDouble
from tests.ui.conftest import ROOT, Run

EVENTS: Mapping[str, TypeAdapter[Any]] = {
    "step": TypeAdapter(Step),
    "doing": TypeAdapter(Doing),
    "piece": TypeAdapter(Piece),
}
SHOWN = ("text", "refused")
"""What an answer has beside what is stored: `clew.ui.transcript.turn_object`."""


PASSAGE = Passage("c", "d", "Mars", "Mars is red.", 0.0, "hybrid", "")
TURN = Turn("t", 1, "What colour is Mars?", answer=Answer("answered", (Claim("Mars is red.", (1,)),), (PASSAGE,)))
SOURCE = [*answer_object(TURN)["sources"][0]]


def documented() -> dict[str, list[str]]:
    """Heading -> the fields of the table below it."""
    text = (ROOT / "docs" / "ask-json.md").read_text("utf-8")
    sections = re.findall(r"^##+ (\w+)\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL)
    rows = {name: re.findall(r"^\| (`.*?`) \|", body, re.MULTILINE) for name, body in sections}
    return {name: re.findall(r"`(\w+)`", " ".join(cells)) for name, cells in rows.items() if cells}


def test_every_object_and_every_field_is_documented() -> None:
    schema = TURN_JSON.json_schema()
    fields = {name: list(one["properties"]) for name, one in {"Turn": schema, **schema["$defs"]}.items()}
    fields["Answer"] += SHOWN
    events = {name: ["event", *one.json_schema()["properties"]] for name, one in EVENTS.items()}
    assert documented() == {**fields, **events, "answer": ["event"], "Short": [*answer_object(TURN)], "Source": SOURCE}


def fits(event: Mapping[str, Any]) -> bool:
    """Whether it is what its type would print: all of its fields, no others, and values of their types."""
    said = {name: value for name, value in event.items() if name != "event"}
    if event["event"] == "answer":
        said["answer"] = {name: value for name, value in said["answer"].items() if name not in SHOWN}
    own = EVENTS.get(event["event"], TURN_JSON)
    return bool(own.dump_python(own.validate_python(said), mode="json") == said)


MORE = [pytest.param(f"ollama:{name}:1b", marks=pytest.mark.soak) for name in ("good", "asks-back")]


@pytest.mark.parametrize("llm", ["none", "ollama:dies:1b", *MORE])
def test_what_is_printed_fits(clew: Run, examples_path: Path, ollama: OllamaDouble, llm: str) -> None:
    ask = ("ask", "--json=full", "--library", examples_path, "--llm", llm, "--thread", "t")
    printed = clew(*ask, "Who directed the film Metropolis?").stdout + clew(*ask, "and where was he born?").stdout
    events = [json.loads(line) for line in printed.splitlines()]
    assert all(map(fits, events))
    assert {*SHOWN} <= events[-1]["answer"].keys()
    kinds = {event["event"] for event in events}
    assert kinds >= {"step", "answer"} and ("doing" in kinds) == (llm != "none")
    assert ("piece" in kinds) == (llm in ("ollama:good:1b", "ollama:dies:1b"))

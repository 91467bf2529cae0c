"""docs/ask-json.md names what `clew ask --json` prints: held against the program's own schema and its real output."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from clew.agent.state import Doing, Piece, Step, Turn
from tests.ollama.server import OllamaDouble
from tests.ui.conftest import ROOT, Run

Schema = Mapping[str, Any]

TURN: Schema = TypeAdapter(Turn).json_schema()
EVENTS = {"step": Step, "doing": Doing, "piece": Piece}
SHOWN = {"text": {"type": "string"}, "refused": {"type": "boolean"}}
"""What an answer has beside what is stored: `clew.ui.transcript.turn_object`."""


KINDS: Mapping[str, Any] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}


def fields(name: str) -> dict[str, Any]:
    """Of an object of the documentation, with their schemas."""
    if name in EVENTS:
        return {"event": {"const": name}, **TypeAdapter(EVENTS[name]).json_schema()["properties"]}
    if name == "answer":
        return {"event": {"const": "answer"}}
    found = dict((TURN if name == "Turn" else TURN["$defs"][name])["properties"])
    return found | (SHOWN if name == "Answer" else {})


def documented() -> dict[str, list[str]]:
    """Heading -> the fields of the table below it."""
    text = (ROOT / "docs" / "ask-json.md").read_text("utf-8")
    sections = re.findall(r"^##+ (\w+)\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL)
    rows = {name: re.findall(r"^\| (`.*?`) \|", body, re.MULTILINE) for name, body in sections}
    return {name: re.findall(r"`(\w+)`", " ".join(cells)) for name, cells in rows.items() if cells}


def test_every_object_and_every_field_is_documented() -> None:
    known = documented()
    assert set(known) == {*EVENTS, "answer", "Turn", *TURN["$defs"]}
    for name, listed in known.items():
        assert listed == list(fields(name)), name


def wrong(value: Any, schema: Schema, place: str = "$") -> list[str]:
    """Where a value does not fit; an object has all of its fields, and no others."""
    if "$ref" in schema:
        return wrong(value, {"of": schema["$ref"].rpartition("/")[2]}, place)
    if "anyOf" in schema:
        tried = [wrong(value, one, place) for one in schema["anyOf"]]
        return min(tried, key=len)
    if "of" in schema:
        known = fields(schema["of"])
        if not isinstance(value, dict) or value.keys() != known.keys():
            return [f"{place}: {schema['of']} has {sorted(value) if isinstance(value, dict) else value}"]
        return [fault for name, part in known.items() for fault in wrong(value[name], part, f"{place}.{name}")]
    if "const" in schema or "enum" in schema:
        allowed = schema.get("enum") or [schema["const"]]
        return [] if value in allowed else [f"{place}: {value!r} is none of {allowed}"]
    if not isinstance(value, KINDS[schema["type"]]):
        return [f"{place}: {value!r} is no {schema['type']}"]
    inner = schema.get("items") if isinstance(value, list) else schema.get("additionalProperties")
    parts = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    return [fault for key, part in parts if inner for fault in wrong(part, inner, f"{place}[{key}]")]


def faults(event: Mapping[str, Any]) -> list[str]:
    if event["event"] != "answer":
        return wrong(event, {"of": event["event"]})
    return wrong({name: value for name, value in event.items() if name != "event"}, {"of": "Turn"})


@pytest.mark.parametrize("llm", ["none", "ollama:good:1b", "ollama:dies:1b", "ollama:asks-back:1b"])
def test_what_is_printed_fits(clew: Run, examples_path: Path, ollama: OllamaDouble, llm: str) -> None:
    ask = ("ask", "--json", "--library", examples_path, "--llm", llm, "--thread", "t")
    printed = clew(*ask, "Who directed the film Metropolis?").stdout + clew(*ask, "and where was he born?").stdout
    events = [json.loads(line) for line in printed.splitlines()]
    assert [fault for event in events for fault in faults(event)] == []
    kinds = {event["event"] for event in events}
    assert kinds >= {"step", "answer"} and ("doing" in kinds) == (llm != "none")
    assert ("piece" in kinds) == (llm in ("ollama:good:1b", "ollama:dies:1b"))


def test_what_does_not_fit_is_found() -> None:
    """The check itself can fail."""
    step = {"event": "step", "node": "act", "summary": "", "details": [], "ms": 1.5, "tools": [], "signals": {}}
    assert faults(step) == []
    for changed in ({"ms": "1"}, {"details": [3]}, {"more": 1}, {"event": "piece"}):
        assert faults(step | changed)

"""What every writer keeps (`clew.memory.ports.Writer`). A real one is added to the parameters of `writer`."""

import json
import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from clew.agent.llm.ollama_writer import OllamaServer, named_model
from clew.agent.llm.openai_writer import OpenAIWriter
from clew.memory.errors import Cancelled
from clew.memory.ports import Message, Output, Usage, Waiting, WriteOptions, Writer
from tests.memory.scripted_writer import ScriptedWriter
from tests.ollama.compatible import compatible
from tests.ollama.playing import words
from tests.ollama.server import Asked, Model, Said, serving

QUESTION = Message("user", "What is the capital of France?")
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "sure": {"type": "boolean"}},
    "required": ["city", "sure"],
}


def paris(messages: Sequence[Message], schema: Mapping[str, Any] | None) -> str:
    return json.dumps({"city": "Paris", "sure": True}) if schema else "The capital of France is Paris."


@pytest.fixture(params=["scripted", "ollama", "openai"])
def writer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Writer]:
    """Each of the writers. Against a real server: `CLEW_TEST_OLLAMA=llama3.2:3b` (docs/models.md)."""
    if request.param == "scripted":
        yield ScriptedWriter(paris)
        return
    if request.param == "openai":
        with compatible(parisian) as address:
            monkeypatch.setenv("OPENAI_BASE_URL", address)
            monkeypatch.setenv("OPENAI_API_KEY", "none")
            yield OpenAIWriter("parisian")
        return
    if real := os.environ.get("CLEW_TEST_OLLAMA"):
        yield named_model(OllamaServer(), real)
        return
    with serving({"parisian:1b": Model(parisian)}) as double:
        yield named_model(OllamaServer(double.host), "parisian:1b")


def parisian(asked: Asked) -> Said:
    """The script of `paris`, as a model on a server plays it."""
    return words(paris([], SCHEMA if asked.format else None))


def without_waiting(events: Iterable[Output]) -> Iterator[Output]:
    return (event for event in events if not isinstance(event, Waiting))


def said(events: Sequence[Output]) -> str:
    return "".join(event for event in events if isinstance(event, str))


def usages(events: Sequence[Output]) -> list[Usage]:
    return [event for event in events if isinstance(event, Usage)]


def test_text_comes_in_pieces_and_the_usage_once_at_the_end(writer: Writer) -> None:
    events = list(writer.write([QUESTION]))
    assert len([event for event in events if isinstance(event, str)]) > 1
    assert "Paris" in said(events)
    assert usages(events) == [events[-1]]
    (usage,) = usages(events)
    assert usage.read > 0 and usage.written > 0
    assert writer.name and writer.window >= usage.read + usage.written


def test_with_a_schema_the_text_is_json_that_fits(writer: Writer) -> None:
    events = list(writer.write([QUESTION], WriteOptions(SCHEMA)))
    value = json.loads(said(events))
    assert value.keys() == {"city", "sure"} and isinstance(value["city"], str) and isinstance(value["sure"], bool)
    assert usages(events) == [events[-1]]


def test_it_can_be_stopped_before_and_on_the_way(writer: Writer) -> None:
    cancel = threading.Event()
    events = writer.write([QUESTION], WriteOptions(cancel=cancel))
    assert isinstance(next(without_waiting(events)), str)
    cancel.set()
    with pytest.raises(Cancelled):
        list(events)
    with pytest.raises(Cancelled):
        list(writer.write([QUESTION], WriteOptions(cancel=cancel)))


def test_two_threads_write_at_once(writer: Writer) -> None:
    together = threading.Barrier(2, timeout=60)

    def write(schema: Mapping[str, Any] | None) -> str:
        events = without_waiting(writer.write([QUESTION], WriteOptions(schema)))
        first = next(events)  # both are under way now
        together.wait()
        return said([first, *events])

    with ThreadPoolExecutor(2) as pool:
        text, value = pool.map(write, (None, SCHEMA))
    assert "Paris" in text and json.loads(value)["city"]

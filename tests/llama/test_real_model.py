"""A real model on a real server, by the way that any OpenAI-compatible server is used: the road, not the wit."""

import json
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import httpx
import pytest
from pydantic import BaseModel, ConfigDict, Field

from clew.agent.assistant import Assistant
from clew.agent.llm.openai_writer import OpenAIWriter
from clew.agent.search.tool_calls import calls_in, schema
from clew.agent.search.toolbox import OWN
from clew.agent.settings import read_settings
from clew.memory.errors import Cancelled, PromptCut, ServiceUnreachable
from clew.memory.ports import Message, Output, Usage, WriteOptions
from tests.agent.conftest import turn_of
from tests.llama.server import NAME, serving

pytestmark = pytest.mark.usefixtures("llama")  # first: without it nothing else is made

LONG = [Message("user", "Write a long story about a dog who flies to the Moon and all that she sees on her way there.")]


class Film(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    title: str = Field(max_length=40)
    year: int
    kind: Literal["silent", "sound"]


@pytest.fixture
def named(llama: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What `--llm` takes."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"{llama}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    return f"openai:{NAME}"


@pytest.fixture
def writer(named: str) -> OpenAIWriter:
    return OpenAIWriter(NAME)


def text_of(outputs: Sequence[Output]) -> str:
    return "".join(one for one in outputs if isinstance(one, str))


def begun(writer: OpenAIWriter, cancel: threading.Event | None = None) -> Iterator[Output]:
    """The rest of a long text whose first word has come."""
    outputs = writer.write(LONG, WriteOptions(cancel=cancel, tokens=600, temperature=0))
    assert next(outputs)
    return outputs


def test_text_comes_in_pieces_and_is_counted(writer: OpenAIWriter) -> None:
    asked = [Message("user", "Say something about the Moon.")]
    *pieces, usage = writer.write(asked, WriteOptions(tokens=30, temperature=0))
    assert len(pieces) > 1 and text_of(pieces).strip()
    assert isinstance(usage, Usage) and usage.read > 5 and 1 < usage.written <= 30


def test_a_reply_fits_the_schema(writer: OpenAIWriter) -> None:
    asked = [Message("user", "Which film did Fritz Lang make in 1927? Answer in JSON.")]
    outputs = list(writer.write(asked, WriteOptions(Film.model_json_schema(), tokens=200, temperature=0)))
    assert Film.model_validate_json(text_of(outputs)).title


def test_the_server_is_asked_what_it_is_and_counts_tokens(writer: OpenAIWriter) -> None:
    assert writer.window == 8192 and writer.abilities.is_small
    assert 3 < writer.tokens("The Moon is far away.") < 10


@pytest.mark.soak
def test_calls_of_a_plan_are_written_by_their_schema(writer: OpenAIWriter) -> None:
    asked = [Message("user", "Search for the distance of the Moon, in JSON with calls of tools.")]
    said = text_of(list(writer.write(asked, WriteOptions(schema(OWN), tokens=300, temperature=0))))
    names = [spec.name for spec in OWN]
    calls = json.loads(said)["calls"]
    assert all(call["tool"] in names for call in calls) and len(calls_in(said, names)) == len(calls)


def test_a_stop_is_heard_at_once_and_by_the_server(writer: OpenAIWriter, llama: str) -> None:
    wait_until_idle(llama)
    cancel = threading.Event()
    outputs = begun(writer, cancel)
    cancel.set()
    stopped = time.monotonic()
    with pytest.raises(Cancelled):
        list(outputs)
    assert time.monotonic() - stopped < 2
    time.sleep(1)
    assert not busy(llama)


def busy(llama: str) -> bool:
    slots = httpx.get(f"{llama}/slots", timeout=30, trust_env=False).json()
    return any(slot["is_processing"] for slot in slots)


def wait_until_idle(llama: str) -> None:
    """What a test before has stopped may still be written."""
    while busy(llama):
        time.sleep(0.2)


def test_a_prompt_longer_than_the_context_is_cut(writer: OpenAIWriter) -> None:
    with pytest.raises(PromptCut):
        list(writer.write([Message("user", "moon " * 9000)], WriteOptions(tokens=10)))


@pytest.mark.soak
def test_a_server_that_dies_in_the_middle_is_a_line(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as (url, process):
        monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
        outputs = begun(OpenAIWriter(NAME))
        process.kill()
        with pytest.raises(ServiceUnreachable):
            list(outputs)


@pytest.mark.soak
def test_turns_side_by_side_end_each_with_its_answer(
    examples_path: Path, cache: Path, tmp_path: Path, named: str
) -> None:
    settings = read_settings(library=examples_path, home=tmp_path / "data", cache=cache, llm=named)
    asked = {"a": "How far away is the Moon?", "b": "Who directed the film Metropolis?"}
    with Assistant.open(settings) as assistant, ThreadPoolExecutor() as pool:
        turns = list(pool.map(lambda thread: turn_of(assistant, thread, asked[thread]), asked))
    for said, turn in zip(("384,400", "Fritz Lang"), turns, strict=True):
        assert said in turn.answer.text and turn.ledger


def test_a_whole_turn_ends_with_an_answer(examples_path: Path, cache: Path, tmp_path: Path, named: str) -> None:
    settings = read_settings(library=examples_path, home=tmp_path / "data", cache=cache, llm=named)
    with Assistant.open(settings) as assistant:
        turn = turn_of(assistant, "t", "How far away is the Moon?")
    assert turn.answer.claims and not turn.answer.refused
    assert turn.ledger and all(line.model == named for line in turn.ledger)
    assert turn.model == named or turn.degraded, "what it could not do is said"

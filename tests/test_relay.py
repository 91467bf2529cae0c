"""A person plays the model: what is saved in the folder is what the client reads."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.agent.answer.written import write
from clew.agent.llm.ledger import RecordedWriter
from clew.agent.llm.openai_writer import OpenAIWriter
from clew.agent.state import Turn
from clew.memory.datatypes import Passage
from clew.memory.ports import Message, Usage
from tests.relay import Relay


@pytest.fixture
def relay(tmp_path: Path) -> Iterator[Relay]:
    with Relay(tmp_path / "relay") as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server
        server.shutdown()


def replies(folder: Path, name: str, text: str) -> threading.Thread:
    """Somebody who waits for the prompt, and then saves the reply."""

    def play() -> None:
        while not (folder / f"{name}.prompt.txt").exists():
            time.sleep(0.02)
        (folder / f"{name}.reply.txt").write_text(text + "\n", "utf-8")

    thread = threading.Thread(target=play, daemon=True)
    thread.start()
    return thread


def test_what_a_person_saves_is_what_the_model_says(relay: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    url, text = f"http://127.0.0.1:{relay.server_address[1]}", "The Moon is far.\n\nVery  far."
    monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    replies(relay.folder, "0001", text)
    writer = OpenAIWriter("relay")
    assert (writer.window, writer.abilities.parameters, writer.tokens("one two three, four")) == (
        8192,
        8_000_000_000,
        4,
    )
    *pieces, usage = writer.write([Message("user", "How far?")])
    assert len(pieces) > 3 and "".join(map(str, pieces)) == text
    assert usage == Usage(2, 7)
    assert (relay.folder / "0001.prompt.txt").read_text().startswith("--- user ---\nHow")
    assert json.loads((relay.folder / "0001.request.json").read_text())["stream"]


def test_the_prompt_of_a_plain_question_with_eight_full_passages(relay: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{relay.server_address[1]}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    replies(relay.folder, "0001", "NOT FOUND")
    full = [
        Passage(
            f"c{n}", f"d{n}", f"The harbours of the northern coast, part {n}", f"Harbour {n} has a crane. " * 45, 1, ""
        )
        for n in range(8)
    ]
    turn = Turn("t", 1, "How many cranes do they have?", "How many cranes do they have?", passages=tuple(full))
    write(turn, RecordedWriter(OpenAIWriter("relay"), "answer", print), "mark", print, threading.Event())
    prompt = (relay.folder / "0001.prompt.txt").read_text().partition("--- request ---")[0]
    rules = prompt.partition("<passage")[0] + prompt.rpartition("</passage>")[2]
    assert len(full[0].text) > 1000 and 1600 < len(prompt) // 4 <= 1900 and len(rules) // 4 < 190

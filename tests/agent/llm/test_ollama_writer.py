"""The writer against the double of the server on a real socket."""

import threading
import time
from typing import Any

import pytest

from clew.agent.llm.ollama_writer import OllamaServer, OllamaWriter, named_model
from clew.memory.errors import Cancelled, ModelFailed, PromptCut
from clew.memory.ports import Message, Usage, Waiting, WriteOptions
from tests.ollama.playing import MODELS, good, slow
from tests.ollama.server import Asked, Failure, Model, OllamaDouble, Said, serving

PASSAGE = '<passage id="1" title="Moon">\nThe Moon is 384,400 km away. It is grey.\n</passage>\n\n'
HOW_FAR = Message("user", f"{PASSAGE}Question: How far away is the Moon?")


def writer_of(double: OllamaDouble, name: str) -> OllamaWriter:
    return named_model(OllamaServer(double.host), name)


def text(pieces: list[Any]) -> str:
    return "".join(piece for piece in pieces if isinstance(piece, str))


def test_an_answer_streams_and_is_counted(ollama: OllamaDouble) -> None:
    pieces = list(writer_of(ollama, "good:1b").write([HOW_FAR], WriteOptions(temperature=0.1, tokens=50)))
    assert text(pieces) == "The Moon is 384,400 km away [1]."
    assert pieces[0] == Waiting("loading good:1b")
    assert isinstance(pieces[-1], Usage) and pieces[-1].read > 20 and pieces[-1].written == 7
    (sent,) = ollama.requests
    assert sent["options"] == {"num_ctx": 4096, "temperature": 0.1, "num_predict": 50}
    assert sent["keep_alive"] and sent["stream"] is True
    assert (sent["truncate"], sent["shift"]) == (False, False)
    assert "tools" not in sent and "think" not in sent and "format" not in sent


def test_the_context_grows_with_the_prompt_and_never_shrinks(ollama: OllamaDouble) -> None:
    writer = writer_of(ollama, "good:1b")
    long = Message("user", "The Moon is grey and far away from here. " * 260 + HOW_FAR.text)
    for message in (HOW_FAR, long, HOW_FAR):
        list(writer.write([message]))
    assert [sent["options"]["num_ctx"] for sent in ollama.requests] == [4096, 8192, 8192]


def test_a_small_model_is_asked_for_no_more_than_it_has() -> None:
    with serving({"small:1b": Model(good, window=2048)}) as double:
        writer = writer_of(double, "small:1b")
        assert writer.window == 2048
        list(writer.write([HOW_FAR]))
        assert double.requests[0]["options"]["num_ctx"] == 2048


def test_what_cannot_fit_is_not_sent(ollama: OllamaDouble) -> None:
    with pytest.raises(PromptCut, match="tokens, and the window of"):
        list(writer_of(ollama, "good:1b").write([Message("user", "word " * 20_000)]))
    assert not ollama.requests


LONG = Message("user", "The Moon is grey and far away from here. " * 200 + HOW_FAR.text)


def test_a_prompt_that_is_too_long_for_the_server_is_an_error(ollama: OllamaDouble) -> None:
    with pytest.raises(PromptCut, match=r"cuts:1b: request \(\d+ tokens\) exceeds the available context size"):
        list(writer_of(ollama, "cuts:1b").write([LONG]))


def test_a_thinking_model_is_asked_not_to_and_its_thoughts_are_left_out(ollama: OllamaDouble) -> None:
    pieces = list(writer_of(ollama, "thinks:1b").write([HOW_FAR]))
    assert text(pieces) == "The Moon is 384,400 km away [1]."
    assert ollama.requests[0]["think"] is False


def test_a_form_is_not_held_by_a_server_that_waits_for_thoughts_to_end() -> None:
    """What is written so is JSON all the same, or is read as what it is (`tool_calls`)."""
    formats: list[object] = []

    def plays(asked: Asked) -> Said:
        formats.append(asked.format)
        return good(asked)

    able = ("completion", "thinking")
    with serving(
        {f"{name}:1b": Model(plays, able, parsed=name == "parsed") for name in ("parsed", "native")}
    ) as double:
        for name in ("parsed:1b", "native:1b"):
            list(writer_of(double, name).write([HOW_FAR], WriteOptions({"type": "object", "properties": {}})))
    assert [*map(bool, formats)] == [False, True]


def fails(asked: Asked) -> Said:
    """In the middle of a stream."""
    yield "The Moon"
    raise Failure(500, "an error was encountered while running the model: unexpected EOF")


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("crashes:1b", "llama runner process has terminated"),
        ("lacks-memory:1b", "requires more system memory"),
        ("dies:1b", "broke off"),
        ("fails:1b", "unexpected EOF"),
    ],
)
def test_a_model_that_fails(ollama: OllamaDouble, model: str, said: str) -> None:
    ollama.models["fails:1b"] = Model(fails)
    with pytest.raises(ModelFailed, match=said) as caught:
        list(writer_of(ollama, model).write([HOW_FAR]))
    assert caught.value.hint


@pytest.mark.parametrize("model", ["endless:1b", "big:1b"])
def test_a_stop_ends_the_call_at_once_and_the_server_is_told(model: str) -> None:
    """While words come, and while the model is still being loaded."""
    with serving({**MODELS, "big:1b": Model(slow, loads=4.0)}) as double:
        writer, cancel = writer_of(double, model), threading.Event()
        stopped: list[float] = []

        def stop() -> None:
            while not double.requests:
                time.sleep(0.01)
            time.sleep(0.2)
            stopped.append(time.monotonic())
            cancel.set()

        threading.Thread(target=stop, daemon=True).start()
        with pytest.raises(Cancelled):
            list(writer.write([HOW_FAR], WriteOptions(cancel=cancel)))
        assert time.monotonic() - stopped[0] < 2
        assert double.hung_up.wait(10), "the server goes on writing for nobody"


def test_a_silent_model_is_given_up() -> None:
    with serving({"big:1b": Model(good, loads=1.0)}) as double:
        writer = named_model(OllamaServer(double.host, patience=0.3), "big:1b")
        with pytest.raises(ModelFailed, match="ReadTimeout"):
            list(writer.write([HOW_FAR]))


@pytest.mark.parametrize(
    ("named", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        (":8000", "http://127.0.0.1:8000"),
        ("models.example.org", "http://models.example.org:11434"),
        ("https://models.example.org/ollama/", "https://models.example.org/ollama"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_the_server_that_is_named(named: str, url: str) -> None:
    assert OllamaServer(named).url == url


def test_a_proxy_of_the_environment_is_not_asked(ollama: OllamaDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert OllamaServer(ollama.host).pulled()


def test_a_model_that_thinks_has_room_for_it_and_one_that_always_does_is_told_so() -> None:
    models = {"thinks:1b": Model(good, capabilities=("completion", "thinking"), architecture="gptoss")}
    with serving(models) as double:
        list(writer_of(double, "thinks:1b").write([HOW_FAR], WriteOptions(tokens=200)))
        assert double.requests[0]["think"] == "low"
        assert double.requests[0]["options"]["num_predict"] == 900

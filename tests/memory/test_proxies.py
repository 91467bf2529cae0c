"""A SOCKS proxy in the environment stops nothing that stays on this machine, and is named where it stops anything."""

import os
import subprocess
import sys

import pytest

from clew.agent.llm.server import Server
from clew.memory.errors import NotSetUp

SOCKS = {"ALL_PROXY": "socks5://127.0.0.1:9"}


@pytest.mark.parametrize("module", ["clew.agent.doctor", "clew.agent.llm.ollama_writer"])
def test_what_makes_clients_is_imported(module: str) -> None:
    code = f"import os, {module}; print(os.environ['ALL_PROXY'])"
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **SOCKS}, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (f"{SOCKS['ALL_PROXY']}\n", "")


def test_only_a_server_elsewhere_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", SOCKS["ALL_PROXY"])
    Server("http://127.0.0.1:8080/v1").client().close()
    with pytest.raises(NotSetUp, match="SOCKS"):
        Server("http://models.example.org/v1").client()

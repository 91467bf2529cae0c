"""An Ollama server: what it has, what it runs, what it pulls, and the cards of its models: window, size and abilities.
Its errors become Clew's here, and nowhere else."""

import json
import os
import re
import shutil
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx
from pydantic import ValidationError

from clew.agent.llm.streams import LOCAL, QUICK, Patience, Wire, client_options
from clew.memory.datatypes import Progress
from clew.memory.errors import (
    ClewError,
    ModelFailed,
    NoModel,
    PromptCut,
    ServiceUnreachable,
    naming_proxy,
    without_proxies,
)
from clew.memory.ports import Abilities

with without_proxies():
    import ollama
    from ollama._client import _parse_host

DEFAULT_WINDOW = 4096
"""Of a model that does not say how long it is."""


@dataclass(frozen=True, slots=True)
class Card:
    """`window` in tokens; `chats`: it writes text, and is no encoder; `levels`: it thinks more or less, and always."""

    window: int = DEFAULT_WINDOW
    chats: bool = True
    levels: bool = False
    abilities: Abilities = field(default_factory=Abilities)


def card_of(shown: Mapping[str, Any], version: str) -> Card:
    """From a reply to `/api/show` and the server's version. Servers before 0.6.4 list no capabilities; before 0.5 there
    were no schemas."""
    info: Mapping[str, Any] = shown.get("model_info") or {}
    architecture = str(info.get("general.architecture", ""))
    window, listed = info.get(f"{architecture}.context_length"), shown.get("capabilities")
    able = listed if listed is not None else () if architecture.endswith("bert") else ("completion",)
    return Card(
        window=int(window) if isinstance(window, int | float) and window > 0 else DEFAULT_WINDOW,
        chats="completion" in able,
        levels=architecture.replace("-", "") == "gptoss",
        abilities=Abilities(
            schema=_numbers(version) >= (0, 5),
            thinks="thinking" in able,
            parameters=int(info.get("general.parameter_count") or _parameters(shown)),
        ),
    )


def _parameters(shown: Mapping[str, Any]) -> float:
    """From '3.2B' or '134.52M'."""
    size = re.fullmatch(r"([\d.]+)([MB])", str((shown.get("details") or {}).get("parameter_size") or "").upper())
    return float(size[1]) * {"M": 1e6, "B": 1e9}[size[2]] if size else 0


def _numbers(version: str) -> tuple[int, ...]:
    """'0.12.3-rc1' -> (0, 12, 3); a server that is built from source says 0.0.0 and is taken for new."""
    numbers = tuple(int(part) for part in re.findall(r"\d+", version.split("-")[0]))
    return (9,) if not any(numbers) else numbers


@dataclass(frozen=True, slots=True)
class Pulled:
    """A model on the server; `size` in bytes."""

    name: str
    size: int


class OllamaServer:
    """The server that `OLLAMA_HOST` names, by default on this machine (`address`: `http://127.0.0.1:11434`). Nothing is
    connected before it is asked."""

    def __init__(self, host: str = "", patience: Patience | None = None) -> None:
        named = host or os.environ.get("OLLAMA_HOST", "")
        # A server that is told to listen everywhere is reached on this machine.
        here = named.replace("0.0.0.0", "127.0.0.1")  # noqa: S104 nothing is bound here
        self.address = str(httpx.URL(_parse_host(here))).rstrip("/")  # the client's reading of the host
        self.patience = patience or Patience()

    def start(self, model: str = "") -> str:
        """What has it answer, where nothing does, and have this model where it has none yet."""
        if urlsplit(self.address).hostname not in LOCAL:
            return "start Ollama on that machine, or set OLLAMA_HOST to its address"
        pull = f", then: ollama pull {model}" if model else ""
        return "ollama serve" if shutil.which("ollama") else f"install it from https://ollama.com/download{pull}"

    def client(self, wire: Wire | None = None, read: float | None = QUICK) -> ollama.Client:
        """A client with a connection of its own."""
        with naming_proxy():
            return ollama.Client(self.address, **client_options(self.address, read, wire))

    def answers(self) -> bool:
        """Whether anything listens there: a fraction of a second where nothing does."""
        url = urlsplit(self.address)
        try:
            with socket.create_connection((url.hostname or "", url.port or 80), 0.5):
                return True
        except OSError:
            return False

    def version(self) -> str:
        """Raises `ServiceUnreachable`."""
        with self.translated(), self.client() as client:
            reply = client._client.get("/api/version")  # the client has no verb for it
            reply.raise_for_status()
            return str(reply.json().get("version", ""))

    def pulled(self) -> list[Pulled]:
        """The models that are there. Raises `ServiceUnreachable`."""
        with self.translated(), self.client() as client:
            return [Pulled(m.model or "", int(m.size or 0)) for m in client.list().models]

    def running(self) -> list[str]:
        """The models that are loaded. Raises `ServiceUnreachable`."""
        with self.translated(), self.client() as client:
            return [model.model or "" for model in client.ps().models]

    def card(self, name: str) -> Card:
        """Raises `NoModel` where it is not pulled, `ServiceUnreachable`."""
        version = self.version()
        with self.translated(name), self.client() as client:
            return card_of(client.show(name).model_dump(by_alias=True), version)

    def pull(self, name: str) -> Iterator[Progress]:
        """Download a model, in bytes. Raises `NoModel` where there is none of that name, `ServiceUnreachable`."""
        with self.translated(name), self.client(read=self.patience.first) as client:
            for report in client.pull(name, stream=True):
                if report.total:
                    yield Progress(f"pulling {name}", report.completed or 0, report.total)

    @contextmanager
    def translated(self, model: str = "") -> Iterator[None]:
        """The one seam at which errors of the client, of HTTP and of JSON become `ClewError`s."""
        try:
            yield
        except ollama.ResponseError as error:
            if error.status_code == 404 and not model:
                raise self._no_ollama() from error
            raise _refused(error, model) from error
        except (ConnectionError, httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise ServiceUnreachable(f"Ollama at {self.address} does not answer", self.start(model)) from error
        except httpx.HTTPError as error:
            broken = f"the connection to Ollama at {self.address} broke off"
            raise ModelFailed(f"{broken} ({type(error).__name__})", "ask again; see the server's log") from error
        except (json.JSONDecodeError, ValidationError, KeyError, AttributeError) as error:
            raise self._no_ollama() from error

    def _no_ollama(self) -> ModelFailed:
        return ModelFailed(f"{self.address} does not answer as Ollama does", "set OLLAMA_HOST to its address")


def _refused(error: ollama.ResponseError, model: str) -> ClewError:
    """What the server says is wrong, in its own words where they are the best."""
    reason = " ".join(str(error.error).split())[:300]
    low = reason.lower()
    if error.status_code == 404 or "not found" in low or "file does not exist" in low:
        return NoModel(f"the model {model} is not pulled", f"ollama pull {model}", model)
    if re.search(r"context (?:length|size|window)|prompt (?:is )?too long|input length", low):
        return PromptCut(f"{model}: {reason}", "a model with a longer context")
    if "memory" in low:
        return ModelFailed(f"there is not enough memory for {model}: {reason}", "a smaller model, or --llm none")
    if error.status_code == 503 or "busy" in low:
        return ModelFailed(f"Ollama is busy: {reason}", "ask again in a moment")
    return ModelFailed(f"{model or 'Ollama'} failed: {reason}", "ask again; see the server's log, or --llm none")

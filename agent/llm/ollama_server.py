"""An Ollama server: what it has, what it runs, and the cards of its models: window and abilities."""

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx

from clew.agent.llm.server import PATIENCE, QUICK, Server, is_remote
from clew.memory.errors import ModelFailed, NoModel, ServiceUnreachable, naming_proxy, without_proxies
from clew.memory.ports import Abilities

with without_proxies():  # it makes a client where it is imported
    import ollama

Reply = TypeVar("Reply")

DEFAULT_WINDOW = 4096
"""Of a model that does not say how long it is."""

PORT = 11434


@dataclass(frozen=True, slots=True)
class Card:
    """`window` in tokens; `chats`: it writes text, and is no encoder; `thinks`: it can be told not to; `levels`: it
    thinks more or less, and always."""

    window: int = DEFAULT_WINDOW
    chats: bool = True
    thinks: bool = False
    levels: bool = False
    abilities: Abilities = field(default_factory=Abilities)


def card_of(shown: Mapping[str, Any]) -> Card:
    """From a reply to `/api/show`."""
    info: Mapping[str, Any] = shown.get("model_info") or {}
    architecture, able = str(info.get("general.architecture", "")), shown.get("capabilities") or ()
    return Card(
        window=int(info.get(f"{architecture}.context_length") or DEFAULT_WINDOW),
        chats="completion" in able,
        thinks="thinking" in able,
        levels=architecture.replace("-", "") == "gptoss",
        abilities=Abilities(int(info.get("general.parameter_count") or 0)),
    )


@dataclass(frozen=True, slots=True)
class Pulled:
    """A model on the server; `size` in bytes."""

    name: str
    size: int


class OllamaServer:
    """The server that `OLLAMA_HOST` names, by default on this machine. Nothing is connected before it is asked."""

    def __init__(self, host: str = "", patience: float = PATIENCE) -> None:
        self.url = _url(host or os.environ.get("OLLAMA_HOST", ""))
        start = "ollama serve" if shutil.which("ollama") else "install it from https://ollama.com/download"
        if is_remote(self.url):
            start = "start Ollama on that machine, or set OLLAMA_HOST to its address"
        self.server = Server(self.url, start, patience=patience)

    def version(self) -> str:
        """Raises `ServiceUnreachable`."""
        return str(self.server.asked("/api/version").get("version", ""))

    def pulled(self) -> list[Pulled]:
        """The models that are there. Raises `ServiceUnreachable`."""
        listed = self._asked(lambda client: client.list()).models
        return [Pulled(str(one.model), int(one.size or 0)) for one in listed]

    def running(self) -> list[str]:
        """The models that are loaded. Raises `ServiceUnreachable`."""
        return [str(one.model) for one in self._asked(lambda client: client.ps()).models]

    def card(self, name: str) -> Card:
        """Raises `NoModel` where it is not pulled, `ServiceUnreachable`."""
        return card_of(self._asked(lambda client: client.show(name), name).model_dump(by_alias=True))

    def _asked(self, ask: Callable[[ollama.Client], Reply], name: str = "") -> Reply:
        """By Ollama's own client; `name` is the model that it is asked about. Raises `ServiceUnreachable`, as
        `ModelFailed` where something else answers, and `NoModel`."""
        try:
            with naming_proxy(), ollama.Client(self.url, timeout=QUICK, trust_env=is_remote(self.url)) as client:
                return ask(client)
        except (ConnectionError, httpx.TransportError) as error:
            raise ServiceUnreachable(f"the server at {self.url} does not answer", self.server.start) from error
        except (ollama.ResponseError, ValueError) as error:
            if name and isinstance(error, ollama.ResponseError) and error.status_code == HTTPStatus.NOT_FOUND:
                raise NoModel(f"the model {name} is not pulled", f"ollama pull {name}", name) from error
            raise ModelFailed(f"{self.url} does not answer as Ollama does", "set OLLAMA_HOST to its address") from error


def _url(host: str) -> str:
    """As Ollama's own client reads it: `HOST`, `HOST:PORT`, `:PORT` or an address. A server that is told to listen
    everywhere is reached on this machine."""
    url = urlsplit(host if "://" in host else f"http://{host}")
    name = "127.0.0.1" if url.hostname in (None, "0.0.0.0") else str(url.hostname)  # noqa: S104 nothing is bound here
    port = url.port or (None if "://" in host else PORT)
    shown = f"[{name}]" if ":" in name else name
    return f"{url.scheme}://{shown}{f':{port}' if port else ''}{url.path.rstrip('/')}"

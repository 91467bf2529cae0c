"""A model of an Ollama server as a `Writer`: the one that was named, or the best suited of those that are there; and
what such a server says of itself and of its models."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx

from clew.agent.llm.endings import without_thoughts
from clew.agent.llm.ledger import MESSAGE, TokenCounts
from clew.agent.llm.server import PATIENCE, QUICK, Server, is_remote
from clew.memory.errors import ModelFailed, NoModel, PromptCut, ServiceUnreachable, naming_proxy, without_proxies
from clew.memory.files import machine_memory
from clew.memory.ports import PLAIN, Abilities, Message, Output, Usage, Waiting, WriteOptions

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


WINDOW = 32768
"""Tokens at most: the memory for more of them would be larger than many a model."""

SMALLEST = 4096
"""The least that is asked for. The next is twice as much: another number makes the server load the model anew."""

ANSWER = 1024
"""Tokens kept free for the answer where nobody says how long it may be."""

THOUGHTS = 700
"""Tokens that a model which thinks may think before an answer of limited length: it may do so though asked not to."""

LEAST_THINKING = "low"
"""How much models think that cannot be asked not to (gpt-oss)."""

KEEP_ALIVE = "15m"
"""How long the server keeps the model in memory after a call: as long as a person reads and thinks."""


class OllamaWriter:
    """Always says how large the context has to be (`num_ctx`): the server's default is too small for a prompt."""

    def __init__(self, server: OllamaServer, name: str, card: Card) -> None:
        self.name, self.window, self.abilities = name, min(card.window, WINDOW), card.abilities
        self._server, self._running = server.server, server.running
        self._thinks, self._levels = card.thinks, card.levels
        self._counts = TokenCounts()
        self._context = min(SMALLEST, card.window)
        self.tokens = self._counts.estimate

    def write(self, messages: Sequence[Message], options: WriteOptions = PLAIN) -> Iterator[Output]:
        """See `Writer.write`. A prompt that cannot fit raises `PromptCut` before it is sent."""
        with suppress(ServiceUnreachable):  # then the call itself says what is wrong
            if self.name not in self._running():
                yield Waiting(f"loading {self.name}")
        request, ended = self._request(messages, options), dict[str, Any]()

        def text() -> Iterator[str]:
            for part in self._server.streamed("/api/chat", request, self.name, options.cancel):
                yield part["message"].get("content") or ""
                ended.update(part if part["done"] else {})

        yield from without_thoughts(text())
        if not ended:
            raise ModelFailed(f"the answer of {self.name} broke off", "ask again; see the server's log")
        read = ended.get("prompt_eval_count", 0)
        self._counts.learn("".join(message.text for message in messages), read)
        yield Usage(read, ended.get("eval_count", 0), whole=ended.get("done_reason") != "length")

    def _request(self, messages: Sequence[Message], options: WriteOptions) -> dict[str, Any]:
        """Ollama's own body of `/api/chat`: a prompt that is too long is an error there, and never half of it."""
        most = options.tokens and options.tokens + (THOUGHTS if self._thinks else 0)
        self._make_room(sum(self.tokens(message.text) + MESSAGE for message in messages) + (most or ANSWER))
        of_server = {"num_ctx": self._context, "temperature": options.temperature, "num_predict": most}
        request: dict[str, Any] = {
            "model": self.name,
            "messages": [{"role": message.role, "content": message.text} for message in messages],
            "options": {name: value for name, value in of_server.items() if value is not None},
            "keep_alive": KEEP_ALIVE,
            "stream": True,
            "truncate": False,
            "shift": False,
        }
        if options.schema is not None:
            request["format"] = dict(options.schema)
        if self._thinks:
            request["think"] = LEAST_THINKING if self._levels else False
        return request

    def _make_room(self, needed: int) -> None:
        if needed > self.window:
            raise PromptCut(
                f"the prompt and its answer need {needed} tokens, and the window of {self.name} has {self.window}",
                "a model with a longer context",
            )
        while self._context < needed:
            self._context = min(2 * self._context, self.window)


SMALLEST_MODEL = 1_000_000
"""Bytes: of a model that runs at a provider's, to which documents would be sent, hardly a file is here."""

MEMORY_SHARE = 0.6
"""Of this machine's memory: a larger model would leave no room for its context and for everything else."""


def named_model(server: OllamaServer, name: str) -> OllamaWriter:
    """Raises `NoModel` where it is not pulled (with the command that does) or no chat model, `ServiceUnreachable`."""
    there, whole = [model.name for model in server.pulled()], name if ":" in name else f"{name}:latest"
    if whole not in there:
        names = ", ".join(there[:5]) or "none"
        raise NoModel(f"the model {name} is not pulled (there: {names})", f"ollama pull {name}", name)
    card = server.card(whole)
    if not card.chats:
        raise NoModel(f"{name} is an embedding model and cannot write", "--llm ollama:llama3.2:3b, for example")
    return OllamaWriter(server, whole, card)


def best(server: OllamaServer) -> OllamaWriter | None:
    """None where no server listens, or has no chat model, or is no Ollama: then Clew works without. A model that runs
    elsewhere has to be named."""
    with suppress(ServiceUnreachable):
        for model in by_fit(server.pulled(), machine_memory()):
            with suppress(NoModel):
                return named_model(server, model.name)
    return None


def by_fit(models: Sequence[Pulled], memory: float) -> list[Pulled]:
    """The models that run on this machine: first those that fit into `memory` bytes, the largest first; then the
    others, the smallest first."""
    here = [one for one in models if one.size >= SMALLEST_MODEL and not one.name.endswith(("-cloud", ":cloud"))]
    room = MEMORY_SHARE * memory
    return sorted(here, key=lambda one: (one.size > room, -one.size if one.size <= room else one.size, one.name))

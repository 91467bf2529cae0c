"""A server of language models: what it answers, how a call to it is ended, and how its errors are told."""

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import httpx

from clew.memory.errors import Cancelled, ModelFailed, PromptCut, RequestRefused, ServiceUnreachable, naming_proxy

QUICK = 10.0
"""Seconds that a server may take to say what it has."""

PATIENCE = 300.0
"""Seconds to wait for the next word: before the first one a model is loaded from the disk and reads the prompt."""

REFUSED = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY)
"""The statuses of a request that a server cannot take as it is made."""

POLL = 0.05
"""Seconds between two looks at whether a call is to end."""

_TOO_LONG = re.compile(r"context.?(?:length|size|window)|prompt (?:is )?too long|input length|too many tokens", re.I)


@dataclass(frozen=True, slots=True)
class Server:
    """The server at `url`; `start` is what has it answer. Nothing is connected before it is asked."""

    url: str
    start: str = "start it, or --llm none"
    key: str = field(default="", repr=False)
    patience: float = PATIENCE

    def client(self, read: float = QUICK) -> httpx.Client:
        """One for a call; `read`: seconds to wait for each part of a reply."""
        with naming_proxy():
            return httpx.Client(
                timeout=httpx.Timeout(connect=5.0, read=read, write=30.0, pool=5.0),
                trust_env=is_remote(self.url),
                headers={"Authorization": f"Bearer {self.key}"} if self.key else {},
            )

    def asked(self, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The JSON object that it answers; empty where it has none there. Raises `ServiceUnreachable`, as `ModelFailed`
        where it does not take the key."""
        try:
            with self.client() as client:
                reply = client.request("POST" if body else "GET", self.url + path, json=body)
                if reply.status_code == HTTPStatus.UNAUTHORIZED:
                    raise ModelFailed(
                        f"the server at {self.url} does not take the key", "set OPENAI_API_KEY to its key"
                    )
                said = reply.json() if reply.is_success else {}
        except httpx.TransportError as error:
            raise ServiceUnreachable(f"the server at {self.url} does not answer", self.start) from error
        except ValueError:
            return {}
        return said if isinstance(said, dict) else {}

    def streamed(
        self, path: str, body: Mapping[str, Any], model: str, cancel: threading.Event | None
    ) -> Iterator[dict[str, Any]]:
        """The objects that it streams for a model, a line each, as events or not. The connection ends, and the server
        stops writing, when `cancel` is set, also while a reply is waited for, and when nobody reads on.

        Raises `Cancelled`, and `ServiceUnreachable`, as `ModelFailed` where the server says what is wrong, or the
        connection ends."""
        cancel = cancel or threading.Event()
        try:
            with (
                _hung_up(cancel) as trace,
                self.client(self.patience) as client,
                client.stream("POST", self.url + path, json=body, extensions={"trace": trace}) as reply,
            ):
                for part in _objects(reply, model):
                    if cancel.is_set():
                        break
                    yield part
        except httpx.ConnectError as error:
            raise ServiceUnreachable(f"the server at {self.url} does not answer", self.start) from error
        except (httpx.HTTPError, ValueError) as error:
            if not cancel.is_set():
                broken = f"the connection to the server at {self.url} broke off ({type(error).__name__})"
                raise ModelFailed(broken, "ask again; see the server's log") from error
        if cancel.is_set():
            raise Cancelled("stopped")


@contextmanager
def _hung_up(cancel: threading.Event) -> Iterator[Callable[[str, Mapping[str, Any]], None]]:
    """Ends the connections of a request when `cancel` is set within the block: a thread that waits for the reply then
    waits no more. What it yields is the request's `trace`, which httpcore tells of its connections."""
    sockets, over = list[socket.socket](), threading.Event()

    def trace(event: str, info: Mapping[str, Any]) -> None:
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            sockets.append(info["return_value"].get_extra_info("socket"))

    def watch() -> None:
        while not over.wait(POLL):
            for each in sockets if cancel.is_set() else ():
                with suppress(OSError):  # it is closed already
                    each.shutdown(socket.SHUT_RDWR)

    threading.Thread(target=watch, name="watching for a stop", daemon=True).start()
    try:
        yield trace
    finally:
        over.set()


def _objects(reply: httpx.Response, model: str) -> Iterator[dict[str, Any]]:
    """The JSON objects of a stream. Raises `ModelFailed` for an error, and `ValueError` for what is cut."""
    if reply.is_error:
        said = reply.read().decode("utf-8", "replace")
        raise _failed(model, said, reply)
    for line in reply.iter_lines():
        data = line.removeprefix("data:").strip()
        if data.startswith("{"):
            part = json.loads(data)
            if "error" in part:
                raise _failed(model, data, reply)
            yield part


def _failed(model: str, told: str, reply: httpx.Response) -> ModelFailed:
    """What is wrong, in the server's words: `{"error": WORDS}` or `{"error": {"message": WORDS}}`; of what is no JSON
    its status alone."""
    reason: Any = f"{reply.status_code} {reply.reason_phrase}"
    with suppress(ValueError, LookupError, TypeError):
        while error := json.loads(told)["error"]:  # Ollama's words are the whole reply of its llama-server at times
            reason = told = error["message"] if isinstance(error, dict) else error
    said = " ".join(str(reason).split())[:300]
    if _TOO_LONG.search(said):
        return PromptCut(f"{model}: {said}", "a model with a longer context")
    error = RequestRefused if reply.status_code in REFUSED else ModelFailed
    return error(f"{model} failed: {said}", "ask again; see the server's log, or --llm none")


def is_remote(url: str) -> bool:
    """Whether it may be reached by a proxy of the environment: no address of this machine is."""
    return urlsplit(url).hostname not in ("127.0.0.1", "localhost", "::1")

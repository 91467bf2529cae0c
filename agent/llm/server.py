"""A server of language models: what it answers, how a call to it is ended, and how its errors are told."""

import json
import re
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import httpx

from clew.memory.errors import Cancelled, ModelFailed, PromptCut, ServiceUnreachable, naming_proxy

QUICK = 10.0
"""Seconds that a server may take to say what it has."""

PATIENCE = 300.0
"""Seconds to wait for the next word: before the first one a model is loaded from the disk and reads the prompt."""

POLL = 0.05
"""Seconds between two looks at whether a call is to end."""

_TOO_LONG = re.compile(r"context.?(?:length|size|window)|prompt (?:is )?too long|input length|too many tokens", re.I)


class Wire:
    """The connections of one HTTP client, so that they can be ended while another thread waits on them."""

    def __init__(self) -> None:
        self._sockets: list[socket.socket] = []
        self._ended = threading.Event()

    def hang_up(self) -> None:
        """A read that waits ends at once; the server sees that nobody listens, and stops writing. A connection that is
        made later ends when it is made."""
        self._ended.set()
        for each in self._sockets:
            with suppress(OSError):  # it is closed already
                each.shutdown(socket.SHUT_RDWR)

    def listen(self, request: Any) -> None:
        """A hook of the client before each request: httpcore reports a new connection to its `trace` extension."""
        request.extensions["trace"] = self._trace

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._sockets.append(info["return_value"].get_extra_info("socket"))
            if self._ended.is_set():
                self.hang_up()


@dataclass(frozen=True, slots=True)
class Server:
    """The server at `url`; `start` is what has it answer. Nothing is connected before it is asked."""

    url: str
    start: str = "start it, or --llm none"
    key: str = field(default="", repr=False)
    patience: float = PATIENCE

    def client(self, wire: Wire | None = None, read: float = QUICK) -> httpx.Client:
        """One for a call, that can be ended by its wire; `read`: seconds to wait for each part of a reply."""
        with naming_proxy():
            return httpx.Client(
                timeout=httpx.Timeout(connect=5.0, read=read, write=30.0, pool=5.0),
                event_hooks={"request": [wire.listen]} if wire else {},
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

    def lines(self, path: str, body: Mapping[str, Any], wire: Wire, model: str) -> Iterator[dict[str, Any]]:
        """The objects that it streams for a model, a line each, as events or not. Raises `ServiceUnreachable`, as
        `ModelFailed` where the server says what is wrong, or the connection ends."""
        try:
            with self.client(wire, self.patience) as client, client.stream("POST", self.url + path, json=body) as reply:
                if reply.is_error:
                    said = reply.read().decode("utf-8", "replace")
                    raise failed(model, said, f"{reply.status_code} {reply.reason_phrase}")
                for line in reply.iter_lines():
                    data = line.removeprefix("data:").strip()
                    if data.startswith("{"):
                        part = json.loads(data)
                        if "error" in part:
                            raise failed(model, data)
                        yield part
        except httpx.ConnectError as error:
            raise ServiceUnreachable(f"the server at {self.url} does not answer", self.start) from error
        except (httpx.HTTPError, ValueError) as error:
            broken = f"the connection to the server at {self.url} broke off"
            raise ModelFailed(f"{broken} ({type(error).__name__})", "ask again; see the server's log") from error


def is_remote(url: str) -> bool:
    """Whether it may be reached by a proxy of the environment: no address of this machine is."""
    return urlsplit(url).hostname not in ("127.0.0.1", "localhost", "::1")


def failed(model: str, reply: str, status: str = "") -> ModelFailed:
    """What is wrong, in the server's words: `{"error": WORDS}` or `{"error": {"message": WORDS}}`; of what is no JSON
    its status alone."""
    reason: Any = status
    with suppress(ValueError, LookupError, TypeError):
        reason, read = reply, json.loads(reply)
        reason = read["error"]
        reason = reason["message"]
    said = " ".join(str(reason).split())[:300]
    if _TOO_LONG.search(said):
        return PromptCut(f"{model}: {said}", "a model with a longer context")
    return ModelFailed(f"{model} failed: {said}", "ask again; see the server's log, or --llm none")


def stoppable(pieces: Iterator[str], wire: Wire, cancel: threading.Event) -> Iterator[str]:
    """The pieces as they come over the wire. Raises `Cancelled` when `cancel` is set, also while the server is waited
    for; at the end, whichever it is, the connection is ended."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(POLL):
            if cancel.is_set():
                return wire.hang_up()

    threading.Thread(target=watch, name="watching for a stop", daemon=True).start()
    try:
        for piece in pieces:
            if cancel.is_set():
                break
            yield piece
    except ModelFailed:
        if not cancel.is_set():
            raise
    finally:
        over.set()
        wire.hang_up()
    if cancel.is_set():
        raise Cancelled("stopped")

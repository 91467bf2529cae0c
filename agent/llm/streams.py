"""What a language model's server sends, as it comes: given up where it is too slow or the person stops it, and without
the thoughts of models that think aloud."""

import queue
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx

from clew.memory.errors import Cancelled, ModelFailed
from clew.memory.ports import Void

_Item = TypeVar("_Item")

LOCAL = ("127.0.0.1", "localhost", "::1")
"""Hosts that a proxy of the environment cannot reach."""

QUICK = 10.0
"""Seconds that a server may take to say what it has."""

POLL = 0.05
"""Seconds between two looks at the clock and at `cancel`."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds to wait: for the first word, before which a model is loaded from the disk and reads the prompt; between
    two words."""

    first: float = 300.0
    gap: float = 60.0


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


def client_options(url: str, read: float | None, wire: Wire | None = None) -> dict[str, Any]:
    """Of an HTTP client of the server at `url`, that waits for each part of a reply so many seconds. A proxy of the
    environment cannot reach this machine."""
    return {
        "timeout": httpx.Timeout(connect=5.0, read=read, write=30.0, pool=5.0),
        "event_hooks": {"request": [wire.listen]} if wire else {},
        "trust_env": urlsplit(url).hostname not in LOCAL,
    }


def watched(
    items: Callable[[], Iterator[_Item]], wire: Wire, patience: Patience, cancel: threading.Event | None
) -> Iterator[_Item]:
    """The items as they come, read on a thread of their own. What reading raises is raised here.

    Raises `Cancelled`, or `ModelFailed` where the next item takes too long; either way the connection is ended.
    """
    arrived: queue.Queue[_Item | Exception | None] = queue.Queue()

    def read() -> None:
        try:
            for item in items():
                arrived.put(item)
            arrived.put(None)
        except Exception as error:  # noqa: BLE001 whatever it is, it is raised on the thread that asked
            arrived.put(error)

    threading.Thread(target=read, name="reading a model's answer", daemon=True).start()
    limit = patience.first
    try:
        while (item := _next(arrived, limit, cancel)) is not None:
            if isinstance(item, Exception):
                raise item
            yield item
            limit = patience.gap
    finally:
        wire.hang_up()


def _next(arrived: "queue.Queue[_Item]", limit: float, cancel: threading.Event | None) -> _Item:
    ends = time.monotonic() + limit
    while time.monotonic() <= ends:
        if cancel is not None and cancel.is_set():
            raise Cancelled("stopped")
        with suppress(queue.Empty):
            return arrived.get(timeout=POLL)
    raise ModelFailed(f"the model said nothing for {limit:.0f} seconds", "ask again, or a smaller model")


OPENING, CLOSING = ("<think>", "<thinking>"), ("</think>", "</thinking>")
"""The marks around thoughts."""


def without_thoughts(pieces: Iterator[str]) -> Iterator[str | Void]:
    """The pieces as they come, without what stands between the marks, which may be cut anywhere.

    A thought whose end is missing swallows the rest. An end without a beginning makes what came before void: some
    templates have written the beginning themselves. Blank space before the first word goes too.
    """
    thinking = started = False
    for part, mark in parted(pieces, OPENING + CLOSING):
        text = part if started else part.lstrip()
        if text and not thinking:
            started = True
            yield text
        if mark in CLOSING and not thinking:
            started = False
            yield Void()
        elif mark:
            thinking = mark in OPENING


def parted(pieces: Iterator[str], marks: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The text as it comes, with the mark behind it where one of these stands there, in small letters; where the pieces
    are cut makes no difference. Held is what may be the beginning of a mark."""
    pattern, longest, held = re.compile("|".join(map(re.escape, marks)), re.IGNORECASE), max(map(len, marks)), ""
    for piece in pieces:
        held += piece
        while found := pattern.search(held):
            yield held[: found.start()], found[0].lower()
            held = held[found.end() :]
        tails = range(max(0, len(held) - longest), len(held))
        sure = next((n for n in tails if any(mark.startswith(held[n:].lower()) for mark in marks)), len(held))
        yield held[:sure], ""
        held = held[sure:]
    yield held, ""

"""What a language model's server sends, as it comes: given up where it is too slow or the person stops it, and without
the thoughts of models that think aloud."""

import queue
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

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
    """The connections of one HTTP client, so that they can be ended while another thread waits on them.

    `hooks` is for `httpx.Client(event_hooks=...)`.
    """

    def __init__(self) -> None:
        self._sockets: list[socket.socket] = []
        self._ended = threading.Event()

    @property
    def hooks(self) -> Mapping[str, list[Callable[..., Any]]]:
        return {"request": [self._listen]}

    def hang_up(self) -> None:
        """A read that waits ends at once; the server sees that nobody listens, and stops writing. A connection that is
        made later ends when it is made."""
        self._ended.set()
        for each in self._sockets:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # it is closed already

    def _listen(self, request: Any) -> None:
        """httpcore reports a new connection to its `trace` extension."""
        request.extensions["trace"] = self._trace

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._sockets.append(info["return_value"].get_extra_info("socket"))
            if self._ended.is_set():
                self.hang_up()


def watched(
    items: Callable[[], Iterator[_Item]], wire: Wire, patience: Patience, cancel: threading.Event | None
) -> Iterator[_Item]:
    """The items as they come, read on a thread of their own. What reading raises is raised here.

    Raises `Cancelled`, or `ModelFailed` where the next item takes too long; either way the connection is ended.
    """
    arrived: queue.Queue[tuple[_Item | None, Exception | None]] = queue.Queue()
    threading.Thread(target=_read, args=(items, arrived), name="reading a model's answer", daemon=True).start()
    limit = patience.first
    try:
        while True:
            item, error = _next(arrived, limit, cancel)
            if error is not None:
                raise error
            if item is None:
                return
            yield item
            limit = patience.gap
    finally:
        wire.hang_up()


def _read(items: Callable[[], Iterator[_Item]], arrived: "queue.Queue[tuple[_Item | None, Exception | None]]") -> None:
    try:
        for item in items():
            arrived.put((item, None))
        arrived.put((None, None))
    except Exception as error:  # noqa: BLE001 whatever it is, it is raised on the thread that asked
        arrived.put((None, error))


def _next(
    arrived: "queue.Queue[tuple[_Item | None, Exception | None]]", limit: float, cancel: threading.Event | None
) -> tuple[_Item | None, Exception | None]:
    ends = time.monotonic() + limit
    while True:
        if cancel is not None and cancel.is_set():
            raise Cancelled("stopped")
        try:
            return arrived.get(timeout=POLL)
        except queue.Empty:
            if time.monotonic() > ends:
                raise ModelFailed(
                    f"the model said nothing for {limit:.0f} seconds", "ask again, or a smaller model"
                ) from None


_MARKS = ("<think>", "<thinking>", "</think>", "</thinking>")
_EITHER = re.compile("|".join(_MARKS), re.IGNORECASE)
_CLOSING = re.compile("|".join(_MARKS[2:]), re.IGNORECASE)


def without_thoughts(pieces: Iterator[str]) -> Iterator[str | Void]:
    """The pieces as they come, without what stands between the marks, which may be cut anywhere.

    A thought whose end is missing swallows the rest. An end without a beginning makes what came before void: some
    templates have written the beginning themselves. Blank space before the first word goes too.
    """
    held, thinking, started = "", False, False

    def shown(text: str) -> list[str]:
        nonlocal started
        text = "" if thinking else text if started else text.lstrip()
        started = started or bool(text)
        return [text] if text else []

    for piece in pieces:
        held += piece
        while mark := (_CLOSING if thinking else _EITHER).search(held):
            before, held = held[: mark.start()], held[mark.end() :]
            if not thinking and _CLOSING.fullmatch(mark[0]):
                started = False
                yield Void()
                continue
            yield from shown(before)
            thinking = not thinking
        cut = begun_mark(held, _MARKS)
        yield from shown(held[:cut])
        held = held[cut:]
    yield from shown(held)


def begun_mark(text: str, marks: Sequence[str]) -> int:
    """Where one of these, in small letters, may begin at the end of the text; its length where none has."""
    tails = range(max(0, len(text) - max(map(len, marks))), len(text))
    return next((n for n in tails if any(mark.startswith(text[n:].lower()) for mark in marks)), len(text))

"""A stream from a server that may hang, watched: given up when it is too slow or when the person stops it."""

import queue
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from clew.memory.errors import Cancelled, ModelFailed

Item = TypeVar("Item")

POLL = 0.05
"""Seconds between two looks at the clock and at `cancel`."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds to wait: for a connection; for the first word, before which a model is loaded from the disk and reads the
    prompt; between two words."""

    connect: float = 5.0
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
        """httpcore tells of a new connection by its `trace` extension."""
        request.extensions["trace"] = self._trace

    def _trace(self, event: str, told: Mapping[str, Any]) -> None:
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._sockets.append(told["return_value"].get_extra_info("socket"))
            if self._ended.is_set():
                self.hang_up()


def watched(
    items: Callable[[], Iterator[Item]], wire: Wire, patience: Patience, cancel: threading.Event | None
) -> Iterator[Item]:
    """The items as they come, read on a thread of their own. What reading raises is raised here.

    Raises `Cancelled`, or `ModelFailed` where the next item takes too long; either way the connection is ended.
    """
    arrived: queue.Queue[tuple[Item | None, Exception | None]] = queue.Queue()
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


def _read(items: Callable[[], Iterator[Item]], arrived: "queue.Queue[tuple[Item | None, Exception | None]]") -> None:
    try:
        for item in items():
            arrived.put((item, None))
        arrived.put((None, None))
    except Exception as error:  # noqa: BLE001 it is raised on the thread that asked
        arrived.put((None, error))


def _next(
    arrived: "queue.Queue[tuple[Item | None, Exception | None]]", limit: float, cancel: threading.Event | None
) -> tuple[Item | None, Exception | None]:
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

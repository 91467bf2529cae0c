import threading
import time
from collections.abc import Iterator

import pytest

from clew.agent.language.streaming import Patience, Wire, watched
from clew.memory.errors import Cancelled, ModelFailed

HASTY = Patience(connect=0.5, first=0.3, gap=0.2)


def test_items_come_in_order_and_what_reading_raises_is_raised_here() -> None:
    def items() -> Iterator[int]:
        yield 1
        yield 2
        raise KeyError("x")

    seen = []
    with pytest.raises(KeyError):
        for item in watched(items, Wire(), Patience(), None):
            seen.append(item)  # noqa: PERF402 the items that came before the error
    assert seen == [1, 2]


def test_a_stream_that_never_begins_is_given_up() -> None:
    def items() -> Iterator[int]:
        time.sleep(5)
        yield 1

    started = time.monotonic()
    with pytest.raises(ModelFailed, match="said nothing for"):
        list(watched(items, Wire(), HASTY, None))
    assert time.monotonic() - started < 3


def test_the_first_item_may_take_longer_than_the_next_ones() -> None:
    def items() -> Iterator[int]:
        time.sleep(0.25)
        yield 1
        time.sleep(0.5)
        yield 2

    seen: list[int] = []
    with pytest.raises(ModelFailed):
        for item in watched(items, Wire(), HASTY, None):
            seen.append(item)  # noqa: PERF402
    assert seen == [1]


def test_a_stop_is_seen_while_it_waits() -> None:
    cancel = threading.Event()
    threading.Timer(0.1, cancel.set).start()

    def items() -> Iterator[int]:
        time.sleep(5)
        yield 1

    started = time.monotonic()
    with pytest.raises(Cancelled):
        list(watched(items, Wire(), Patience(), cancel))
    assert time.monotonic() - started < 3

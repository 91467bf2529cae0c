"""Progress where there is no terminal, and results that stay apart from the bars where there is one."""

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from itertools import count

import pytest

from clew.memory.datatypes import Progress
from clew.ui.console import _with_lines, counted, shown
from clew.ui.rendering import milliseconds


def test_a_line_every_few_seconds_with_the_time_left(capsys: pytest.CaptureFixture[str]) -> None:
    events = [Progress("reading", 1, 0), *(Progress("embedding", done, 40) for done in range(0, 41, 10)), "the report"]
    seconds = count(0.0, 3.0)  # every look at the clock is three seconds later
    assert list(_with_lines(events, lambda: next(seconds))) == ["the report"]
    assert capsys.readouterr().err.splitlines() == [
        "embedding: 0 of 40",
        "embedding: 20 of 40, about 6 s left",
        "embedding: 40 of 40",
    ]


def test_a_short_run_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(shown([Progress("reading", 0, 1), "a", Progress("reading", 1, 1), "b"], quiet=False)) == ["a", "b"]
    assert list(counted("turns", ["a", "b", "the summary"], 2, quiet=True)) == ["a", "b", "the summary"]
    assert capsys.readouterr() == ("", "")


def test_for_whom_it_is_waited_is_said_once_where_progress_is_not_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    waiting = [Progress("waiting for clew chat to end; seconds", seconds, 0, waits=True) for seconds in range(3)]
    assert list(shown([Progress("reading", 0, 1), *waiting, "the report"], quiet=True)) == ["the report"]
    assert capsys.readouterr() == ("", "waiting for clew chat to end\n")


def test_stopping_closes_the_work() -> None:
    closed = []

    def work() -> Iterator[str]:
        try:
            yield "a"
            yield "b"
        finally:
            closed.append(True)

    results = shown(work(), quiet=True)
    assert next(results) == "a"
    results.close()
    assert closed


def test_results_go_into_the_pipe_though_bars_are_drawn_on_the_terminal(home: object) -> None:
    code = (
        "from clew.memory.datatypes import Progress\nfrom clew.ui.console import shown\n"
        "from clew.ui.console import print_json\n"
        "for event in shown([Progress('turns', 0, 2), 1, Progress('turns', 1, 2), 2], False): print_json({'n': event})"
    )
    terminal, other = pty.openpty()
    run = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=other, text=True, check=True)
    os.close(other)
    assert run.stdout == '{"n": 1}\n{"n": 2}\n'
    assert b"turns" in os.read(terminal, 65536)
    os.close(terminal)


@pytest.mark.parametrize(("ms", "shown"), [(0.2, "<1 ms"), (3.4, "3 ms"), (999.0, "999 ms"), (1234.0, "1.2 s")])
def test_milliseconds(ms: float, shown: str) -> None:
    assert milliseconds(ms) == shown

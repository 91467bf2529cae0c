"""The turns in progress. Each runs in a thread of its own: it goes on where its tab was closed, and every tab that
shows its conversation can follow it from its first step."""

import logging
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor

from clew.agent.assistant import Assistant
from clew.agent.state import TurnEvent
from clew.memory.errors import BadInput, Cancelled, ClewError
from clew.ui.models import Loading
from clew.ui.options import day

TICK = 0.2
"""Seconds after which a follower looks up although nothing happened."""

AT_ONCE = max(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, 2)
"""Turns that are taken at the same time, as many as there are cores: more would only take each other's time, and
that of the connections which their words go through. Further ones wait in their order."""


class BackgroundTurn:
    """A turn in progress, or two where one that was cut off (`interrupted`) has to be finished before. `anew`: the
    last turn of the thread, that was stopped, is answered anew."""

    def __init__(self, questions: tuple[str, ...], interrupted: bool, anew: bool = False) -> None:
        self.questions = questions
        self.anew = anew
        self.interrupted = interrupted
        self.cancel = threading.Event()
        self._events: list[TurnEvent] = []
        self._ended = False
        self._error: ClewError | None = None
        self._changed = threading.Condition()

    def follow(self) -> Iterator[tuple[TurnEvent, ...]]:
        """Its events from the first to the last, as many at once as there are by then, and none for each `TICK` without
        one. Raises what ended the run."""
        seen, ended = 0, False
        while not ended:
            with self._changed:
                if not self._ended and len(self._events) == seen:
                    self._changed.wait(TICK)
                fresh, ended = tuple(self._events[seen:]), self._ended
            seen += len(fresh)
            yield fresh
        if self._error:
            raise self._error

    def add(self, event: TurnEvent) -> None:
        with self._changed:
            self._events.append(event)
            self._changed.notify_all()

    def end(self, error: ClewError | None) -> None:
        with self._changed:
            self._error, self._ended = error, True
            self._changed.notify_all()


class Runs:
    """At most one run for each thread. Safe from several threads."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant
        self._loading: Loading | None = None
        self._runs: dict[str, BackgroundTurn] = {}
        self._waiting: list[BackgroundTurn] = []
        self._works: dict[str, Future[None]] = {}
        self._lock = threading.RLock()  # a turn that is over at once ends while it is begun
        self._workers = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="turn")

    def warm_up(self) -> None:
        """Begin to load the encoder; the runs wait for it."""
        self._loading = Loading(self._assistant)
        self._loading.begin(lambda: None)

    @property
    def loading(self) -> bool:
        return self._loading is not None and not self._loading.ended

    def ask(self, thread: str, question: str) -> BackgroundTurn:
        """Raises `BadInput` where this thread is being answered already."""
        ask, today = self._assistant.ask, day(None)
        with self._lock:
            if thread in self._runs:
                raise BadInput("this conversation is being answered in another tab", "wait for that answer")
            return self._begin(thread, question, lambda cancel: ask(thread, question, today=today, cancel=cancel))

    def resume(self, thread: str) -> BackgroundTurn | None:
        """Begin to answer the last turn anew, if that was stopped and nothing is in progress."""
        with self._lock:
            if thread in self._runs or not (stopped := self._assistant.stopped(thread)):
                return None
            resume = self._assistant.resume
            return self._begin(thread, stopped.question, lambda cancel: resume(thread, cancel), anew=True)

    def open(self, thread: str) -> BackgroundTurn | None:
        """The run of this thread: the one in progress, or one that finishes the turn that was cut off."""
        with self._lock:
            if thread in self._runs:
                return self._runs[thread]
            if not self._assistant.interrupted(thread):
                return None
            return self._begin(thread, "", lambda cancel: self._assistant.resume(thread, cancel))

    def before(self, run: BackgroundTurn) -> int | None:
        """How many turns wait in front of this one; None where it waits no more."""
        with self._lock:
            return self._waiting.index(run) if run in self._waiting else None

    def stop(self, thread: str) -> None:
        with self._lock:
            if run := self._runs.get(thread):
                run.cancel.set()
                self._works[thread].cancel()  # where it waits

    def close(self) -> None:
        """Stop all of them, and wait until they have."""
        with self._lock:
            for run in self._runs.values():
                run.cancel.set()
        self._workers.shutdown(cancel_futures=True)

    def _begin(
        self, thread: str, question: str, events: Callable[[threading.Event], Iterator[TurnEvent]], anew: bool = False
    ) -> BackgroundTurn:
        """With the lock held."""
        interrupted = self._assistant.interrupted(thread)
        run = BackgroundTurn(tuple(filter(None, (interrupted, question))), bool(interrupted), anew)
        self._runs[thread] = run
        self._waiting.append(run)
        work = self._works[thread] = self._workers.submit(self._work, run, events)
        work.add_done_callback(lambda done: self._end(thread, run, done))
        return run

    def _work(self, run: BackgroundTurn, events: Callable[[threading.Event], Iterator[TurnEvent]]) -> None:
        with self._lock:
            self._waiting.remove(run)
        if self._loading:
            self._loading.wait(run.cancel)
        for event in events(run.cancel):
            run.add(event)

    def _end(self, thread: str, run: BackgroundTurn, done: Future[None]) -> None:
        with self._lock:
            del self._runs[thread], self._works[thread]
            if run in self._waiting:
                self._waiting.remove(run)
        run.end(_for_a_person(CancelledError() if done.cancelled() else done.exception()))


def _for_a_person(error: BaseException | None) -> ClewError | None:
    """What is no `ClewError` is a bug; the page says so in a line, as the command line does."""
    if isinstance(error, CancelledError):
        return Cancelled("the turn was stopped before it began")
    if error is None or isinstance(error, ClewError):
        return error
    logging.getLogger(__name__).info("a turn failed", exc_info=error)
    return ClewError(f"internal error: {type(error).__name__}: {error}", "clew --verbose ui, for the traceback")

"""The turns in progress, and what the page shows of a conversation, moment by moment.

Each turn runs in a thread of its own: it goes on where its tab was closed, and every tab that shows its conversation
can follow it from its first step. Views are plain values: `markup` turns them into HTML.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from io import StringIO
from itertools import chain
from pathlib import Path

from rich.console import Console

from clew.agent.assistant import Assistant, Loading
from clew.agent.state import Answer, Claim, Doing, Piece, Step, Turn, TurnEvent
from clew.memory.dialogue.threads import ONCE, TurnTree
from clew.memory.errors import BadInput, Cancelled, ClewError
from clew.ui.slash import Asking, Session, is_command, run_command

TICK = 1.0
"""Seconds after which a follower looks up although nothing happened: where fifty wait, each look takes the interpreter
from who is answering."""

WIDTH = 88
"""Characters of a line that a command prints."""

AT_ONCE = max(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, 2)
"""Turns that are taken at the same time, as many as there are cores: more would only take each other's time, and
that of the connections which their words go through. Further ones wait in their order."""


Events = Callable[[threading.Event], Iterator[TurnEvent]]
"""Of a turn, which the event ends."""


class BackgroundTurn:
    """A turn in progress, or two if an `interrupted` one has to be finished first.

    `place` is the number of the turn that is answered anew or replaced; 0: it follows the last. `work` is what its
    thread does, once it has `begun`; `next` is the run of the question that waits for it.
    """

    work: Future[None]

    def __init__(self, questions: tuple[str, ...], interrupted: bool, place: int = 0) -> None:
        self.questions = questions
        self.place = place
        self.interrupted = interrupted
        self.cancel = threading.Event()
        self.begun = False
        self.next: BackgroundTurn | None = None
        self._events: list[TurnEvent] = []
        self._ended = False
        self._error: ClewError | None = None
        self._changed = threading.Condition()

    def follow(self, rest: Callable[[], float] = lambda: 0.0) -> Iterator[tuple[TurnEvent, ...]]:
        """Yield its events from the first to the last: all that there are by then, at most once in `rest()` seconds,
        and an empty tuple for each `TICK` without events. The last ones come at once. Raises the error that ended the
        run."""
        seen, ended, told = 0, False, 0.0
        while not ended:
            with self._changed:
                if not self._ended and len(self._events) == seen:
                    self._changed.wait(TICK)
                self._changed.wait_for(lambda: self._ended, told + rest() - time.monotonic())
                fresh, ended = tuple(self._events[seen:]), self._ended
            seen, told = seen + len(fresh), time.monotonic() if fresh else told
            yield fresh
        if self._error:
            raise self._error

    def add(self, event: TurnEvent) -> None:
        """Note an event, and wake those that follow."""
        with self._changed:
            self._events.append(event)
            self._changed.notify_all()

    def end(self, error: ClewError | None) -> None:
        """Note that the run is over, with the error that ended it, and wake those that follow."""
        with self._changed:
            self._error, self._ended = error, True
            self._changed.notify_all()


Begin = Callable[[str], BackgroundTurn | None]
"""Of a thread the run that is to be followed."""


class Runs:
    """The turns in progress, at most one for each thread. Safe from several threads."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant
        self._loading: Loading | None = None
        self._runs: dict[str, BackgroundTurn] = {}
        self._queues: dict[str, list[Asking]] = {}
        self._lock = threading.RLock()  # a turn that is over at once ends while it is begun
        self._closed = False
        self._workers = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="turn")

    def warm_up(self) -> None:
        """Begin to load the encoder; runs wait for it."""
        self._loading = Loading(self._assistant)

    @property
    def loading(self) -> bool:
        return self._loading is not None and not self._loading.ended

    def ask(self, thread: str, asking: Asking) -> BackgroundTurn:
        """Begin a run for this question and return it. If the thread is being answered already the question waits, and
        that run is returned."""
        with self._lock:
            if (run := self._runs.get(thread)) is None:
                return self._ask(thread, asking)
            last = (*run.questions, *self.queued(thread))[-1]
            if asking.parent is not None or asking.question != last:  # Enter was pressed twice
                self._queues.setdefault(thread, []).append(asking)
            return run

    def queued(self, thread: str) -> tuple[str, ...]:
        """Return the questions that wait on this thread."""
        with self._lock:
            return tuple(asking.question for asking in self._queues.get(thread, ()))

    def _ask(self, thread: str, asking: Asking) -> BackgroundTurn:
        tree = self._assistant.threads.tree(thread)
        place = 0 if asking.parent is None else len(tree.path(asking.parent)) + 1
        return self._begin(thread, asking.question, partial(asking.events, self._assistant, thread), place)

    def running(self, thread: str) -> bool:
        with self._lock:
            return thread in self._runs

    def resume(self, thread: str, tool: str = "") -> BackgroundTurn | None:
        """Begin to answer the last turn anew if it was stopped. If it was not, or a run is in progress, do as `open`
        does."""
        with self._lock:
            if thread in self._runs or not (stopped := self._assistant.stopped(thread)):
                return self.open(thread)
            events = partial(self._assistant.resume, thread, tool=tool)
            return self._begin(thread, stopped.question, events, stopped.turn)

    def open(self, thread: str) -> BackgroundTurn | None:
        """Return the run in progress on this thread, or begin one that finishes a turn that was cut off; None if there
        is neither."""
        with self._lock:
            if thread in self._runs:
                return self._runs[thread]
            if not self._assistant.interrupted(thread):
                return None
            return self._begin(thread, "", partial(self._assistant.resume, thread))

    def before(self, run: BackgroundTurn) -> int | None:
        """Return how many turns wait before this run; None if it has begun."""
        with self._lock:
            waiting = [one for one in self._runs.values() if not one.begun]
            return waiting.index(run) if run in waiting else None

    def stop(self, thread: str) -> None:
        """Stop the run of this thread; questions that wait are asked then."""
        with self._lock:
            if run := self._runs.get(thread):
                run.cancel.set()
                run.work.cancel()  # where it waits

    def drop(self, thread: str) -> None:
        """Stop the run of this thread and drop the questions that wait."""
        with self._lock:
            self._queues.pop(thread, None)
            self.stop(thread)

    def close(self) -> None:
        """Stop all runs and wait until they have ended."""
        with self._lock:
            self._closed = True
            for run in self._runs.values():
                run.cancel.set()
        self._workers.shutdown(cancel_futures=True)

    def _begin(self, thread: str, question: str, events: Events, place: int = 0) -> BackgroundTurn:
        """Start a run. The caller holds the lock."""
        interrupted = self._assistant.interrupted(thread)
        run = BackgroundTurn(tuple(filter(None, (interrupted, question))), bool(interrupted), place)
        self._runs[thread] = run
        run.work = self._workers.submit(self._work, run, events)
        run.work.add_done_callback(lambda done: self._end(thread, run, done))
        return run

    def _work(self, run: BackgroundTurn, events: Events) -> None:
        run.begun = True
        if self._loading:
            self._loading.wait(run.cancel)
        for event in events(run.cancel):
            run.add(event)

    def _end(self, thread: str, run: BackgroundTurn, done: Future[None]) -> None:
        with self._lock:
            del self._runs[thread]
            error = _for_a_person(CancelledError() if done.cancelled() else done.exception())
            if (queue := self._queues.get(thread)) and not self._closed:
                asking = queue.pop(0)
                try:
                    run.next = self._ask(thread, asking)
                except Exception as failed:  # noqa: BLE001 who follows is told
                    error = error or _for_a_person(failed)
                    queue.insert(0, asking)  # it waits for the next one
        run.end(error)


def _for_a_person(error: BaseException | None) -> ClewError | None:
    """Return the error to show; an exception that is no `ClewError` is a bug and becomes one line, as on the command
    line."""
    if isinstance(error, CancelledError):
        return Cancelled("the turn was stopped before it began")
    if error is None or isinstance(error, ClewError):
        return error
    logging.getLogger(__name__).info("a turn failed", exc_info=error)
    return ClewError(f"internal error: {type(error).__name__}: {error}", "clew --verbose ui, for the traceback")


FRAME = 0.04
FRAMES = 20
"""Seconds between two pictures of a turn, and at most how many there are of its answer; where several people look on,
they share them."""

CUT_OFF = "This question was cut off last time. Finishing it now."
LOADING = "Loading the encoder, a few seconds…"
ELSEWHERE = "This conversation was over another library; what is asked on is answered from the one that is open here."
WAITING = "Waiting: number "
NOT_THERE = "There is no such conversation."


@dataclass(frozen=True, slots=True)
class Now:
    """The turn in progress as it is shown: `note` stands before its steps, `status` after them while it works. `draft`
    is what a language model has written so far, `answer` the visible part of the finished answer, `error` what ended
    the turn."""

    question: str = ""
    steps: tuple[Step, ...] = ()
    note: str = ""
    status: str = ""
    draft: str = ""
    answer: Answer | None = None
    error: str = ""
    stopped: bool = False


NO_TURNS = TurnTree({})


@dataclass(frozen=True, slots=True)
class View:
    """A conversation as it is shown: its finished turns (the visible branch of `tree`), the one in progress, whether
    something can be stopped, and the questions that wait. `note` stands before the turns; a command's output is shown
    after them."""

    thread: str = ""
    turns: tuple[Turn, ...] = ()
    now: Now | None = None
    busy: bool = False
    note: str = ""
    tree: TurnTree = NO_TURNS
    queued: tuple[str, ...] = ()
    said: "PageSession | None" = None


class PageSession(Session):
    """The session of a command that was typed on the page; its output is shown there. `begin_run` starts the run that
    it asked for, in the background, and `asked` is that run's question. `file` (name and text) is one to download,
    `error` what went wrong."""

    def __init__(self, assistant: Assistant, runs: Runs, thread: str, owner: str, tool: str) -> None:
        self._printed = StringIO()
        output = Console(file=self._printed, width=WIDTH, color_system=None, force_terminal=False, highlight=False)
        super().__init__(assistant, thread, output, owner, tool)
        self._runs = runs
        self.file = ("", "")
        self.begin_run: Begin = runs.open
        self.asked = ""
        self.error = ""

    def say(self, line: str) -> None:
        self.output.print(f"  {line}", soft_wrap=True, markup=False)  # the browser breaks it

    def take_turn(self, asking: Asking) -> None:
        self.begin_run, self.asked = partial(self._runs.ask, asking=asking), asking.question

    def resume(self) -> None:
        self.begin_run, self.asked = partial(self._runs.resume, tool=self.tool), self.last_turn().question

    def hand_out(self, name: str, text: str) -> None:
        self.file = Path(name).name, text

    def moved(self, said: str, turns: Sequence[Turn]) -> None:
        """Do nothing: the page shows it."""

    def take_out(self, thread: str) -> None:
        self._runs.drop(thread)
        super().take_out(thread)

    @property
    def text(self) -> str:
        """What the command has printed."""
        return "\n".join(line.removeprefix("  ").rstrip() for line in self._printed.getvalue().splitlines())


class Conversations:
    """Conversations as pages show them. Only its owner ('' is the person of this machine) opens or continues one."""

    def __init__(self, assistant: Assistant) -> None:
        self.assistant = assistant
        self.runs = Runs(assistant)
        self._followers = 0

    def open(self, thread: str, owner: str = "") -> Iterator[View]:
        """Yield the view of a thread; then, if a turn is in progress or was cut off, views of how it goes on."""
        return self._shown(thread, owner, self.runs.open)

    def say(self, thread: str, text: str, owner: str = "", tool: str = "") -> Iterator[View]:
        """Ask a question or run a command, as in the terminal, and yield views. `tool` is the method that was chosen.
        If `thread` is empty a new conversation begins."""
        if not is_command(text):
            return self._shown(thread, owner, partial(self.runs.ask, asking=Asking(text, tool)), text)
        return self._commanded(thread, text, owner, tool)

    def _commanded(self, thread: str, line: str, owner: str, tool: str) -> Iterator[View]:
        if thread and not self._is_of(thread, owner):
            yield View(now=Now(error=NOT_THERE))
            return
        session = PageSession(self.assistant, self.runs, thread, owner, tool)
        try:
            run_command(session, line)
        except ClewError as error:
            session.error = str(error)
        said = None if session.asked else session
        for view in self._shown(session.thread, owner, session.begin_run, session.asked):
            yield replace(view, said=said)

    def _shown(self, thread: str, owner: str, begin: Begin, question: str = "") -> Iterator[View]:
        """Yield views of the thread and of the run that `begin` returns. If a `question` is asked and the thread has no
        name, it is a new conversation."""
        try:
            if thread and not self._is_of(thread, owner):
                raise BadInput(NOT_THERE)
            if question:
                thread = thread or self.assistant.threads.new_id(owner)
                if not owner:
                    self.assistant.threads.list_from_now_on(thread)
            run, view = begin(thread) if thread else None, self._view(thread)
        except ClewError as error:
            yield View(now=Now(question, error=str(error)))
            return
        yield from self._followed(view, run) if run else [view]

    def at(self, thread: str, owner: str = "") -> str:
        """Return a value that changes whenever the conversation does, also during a turn; empty if there is none."""
        if not thread or not self._is_of(thread, owner):
            return ""
        return "running" if self.runs.running(thread) else self.assistant.threads.tree(thread).mark

    def turn(self, thread: str, turn: int, owner: str = "") -> Turn:
        """Return a finished turn. Raises `BadInput` if this owner has none of that number."""
        if (one := next((one for one in self.turns(thread, owner) if one.turn == turn), None)) is None:
            raise BadInput(NOT_THERE)
        return one

    def turns(self, thread: str, owner: str = "") -> tuple[Turn, ...]:
        """Return the finished turns; none if the thread is not this owner's."""
        return self._turns(thread) if self._is_of(thread, owner) else ()

    def stop(self, thread: str, owner: str = "") -> None:
        if self._is_of(thread, owner):
            self.runs.stop(thread)

    def _is_of(self, thread: str, owner: str) -> bool:
        """Return whether the thread belongs to this owner. The person of this machine may also begin one, and continue
        one of `clew ask`."""
        known = self.assistant.threads.owner(thread) or ""
        return known == owner or (known == ONCE and not owner)

    def _view(self, thread: str) -> View:
        threads = self.assistant.threads
        known, tree = threads.get(thread), threads.tree(thread) if thread else NO_TURNS
        elsewhere = known and threads.library and known.library not in ("", threads.library)
        return View(thread, self._turns(thread), note=ELSEWHERE if elsewhere else "", tree=tree)

    def _turns(self, thread: str) -> tuple[Turn, ...]:
        return tuple(self.assistant.turns(thread)) if thread else ()

    def _followed(self, view: View, run: BackgroundTurn) -> Iterator[View]:
        """Yield views while a run goes on, at its events and at each tick without one; then those of the questions that
        waited. While a turn is answered anew, it and the turns after it are hidden; they come back if that fails."""
        self._followers += 1
        try:
            following: BackgroundTurn | None = run
            while following:
                for one in self._views(view, following):
                    yield (view := replace(one, queued=self.runs.queued(view.thread)))
                following = following.next
        finally:
            self._followers -= 1

    def _views(self, view: View, run: BackgroundTurn) -> Iterator[View]:
        questions, anew = chain(run.questions, [""]), view.turns[run.place - 1 :] if run.place else ()
        view = replace(view, turns=view.turns[: len(view.turns) - len(anew)])
        now = Now(next(questions), note=CUT_OFF if run.interrupted else "", status=self._status(run))
        yield (view := replace(view, now=now, busy=True))
        try:
            for events in run.follow(lambda: min(FRAME * self._followers, TICK)):
                for event in events or (None,):
                    if isinstance(event, Turn):
                        view = _without(view, event)
                        if not now.draft and (frames := FRAMES // self._followers) > 1:
                            yield from _revealing(view, now, event, frames)
                        now = Now(next(questions), status=self._status(run))
                        view = replace(view, turns=(*view.turns, event))
                    else:
                        now = _moved_on(now, event, self._status(run))
                if now.question:
                    yield (view := replace(view, now=now))
        except Cancelled:
            now = replace(now, status="", stopped=True)
            yield replace(view, turns=(*view.turns, *anew), now=None if anew else now, busy=False)
        except ClewError as error:
            now = replace(now, question="" if anew else now.question, status="", error=str(error))
            yield replace(view, turns=(*view.turns, *anew), now=now, busy=False)
        else:
            yield replace(view, now=None, busy=False, tree=self.assistant.threads.tree(view.thread))

    def _status(self, run: BackgroundTurn) -> str:
        if self.runs.loading:
            return LOADING
        if (before := self.runs.before(run)) is not None:
            return f"{WAITING}{before + 1} in the queue…"
        return "Working…"


def _moved_on(now: Now, event: Step | Doing | Piece | None, status: str) -> Now:
    match event:
        case Step():
            return replace(now, steps=(*now.steps, event), status=status)
        case Doing(text):
            return replace(now, status=f"{text}…")
        case Piece(text, restart):
            return replace(now, draft=text if restart else now.draft + text, status=status)
        case None:
            return replace(now, status=status) if now.status.startswith((LOADING, WAITING)) else now


def _without(view: View, turn: Turn) -> View:
    """Return the view without this turn, so that one that was stored before the page followed it is not shown twice."""
    return replace(view, turns=tuple(known for known in view.turns if known.turn < turn.turn))


def _revealing(view: View, now: Now, turn: Turn, frames: int) -> Iterator[View]:
    """Yield views in which the answer grows by some words each, in so many `frames`."""
    words = sum(len(claim.text.split()) for claim in turn.answer.claims)
    stride = max(-(-words // frames), 1)
    for shown in range(stride, words + stride, stride):
        answer = replace(turn.answer, claims=revealed(turn.answer.claims, shown))
        yield replace(view, now=replace(now, steps=turn.steps or now.steps, status="", answer=answer))
        time.sleep(FRAME)


def revealed(claims: tuple[Claim, ...], words: int) -> tuple[Claim, ...]:
    """Return the first `words` words of the claims; a claim that is cut has no citations yet."""
    for place, claim in enumerate(claims):
        own = claim.text.split()
        if len(own) > words:
            return (*claims[:place], Claim(" ".join(own[:words]))) if words else claims[:place]
        words -= len(own)
    return claims

"""What the page shows of a conversation, moment by moment. Plain values: `markup` turns them into HTML."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from clew.agent.assistant import Assistant
from clew.agent.state import Answer, Claim, Doing, Piece, Step, Turn
from clew.memory.errors import Cancelled, ClewError
from clew.ui.web.runs import BackgroundTurn, Runs

FRAME = 0.04
FRAMES = 20
"""Seconds between two pictures of an answer that is being written, and at most how many there are; where several people
look on, they share them."""

AGAIN = 1.0
"""Seconds between two looks at how the queue moves: where fifty wait, each turn that ends is news for all of them."""

CUT_OFF = "This question was cut off last time. Finishing it now."
FINISHED = "The last turn had been cut off. It is finished now."
LOADING = "Loading the encoder, a few seconds…"
ELSEWHERE = "This conversation was over another library; what is asked on is answered from the one that is open here."
WAITING = "Waiting: number "
NOT_THERE = "There is no such conversation."


@dataclass(frozen=True, slots=True)
class Now:
    """The turn in progress: `note` is said before its steps, `status` behind them while it works; `draft` is what a
    language model has written so far, `answer` as much as is shown of what is written already; `error` is what ended
    it."""

    question: str = ""
    steps: tuple[Step, ...] = ()
    note: str = ""
    status: str = ""
    draft: str = ""
    answer: Answer | None = None
    error: str = ""
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """A conversation: its finished turns, the one in progress, and whether there is anything to stop. `note` is said
    before its turns."""

    thread: str = ""
    turns: tuple[Turn, ...] = ()
    now: Now | None = None
    busy: bool = False
    note: str = ""


class Conversations:
    """Conversations as pages show them: opened, or asked on, by their owner alone ('': of this machine)."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant
        self.runs = Runs(assistant)
        self._followers = 0

    def open(self, thread: str, owner: str = "") -> Iterator[View]:
        """All that was said on it; then, where a turn is in progress or was cut off, how that goes on."""
        try:
            if thread and not self._is_of(thread, owner):
                yield View(now=Now(error=NOT_THERE))
                return
            run = self.runs.open(thread) if thread else None
            view = View(thread, self._turns(thread), note=self._from_elsewhere(thread))
        except ClewError as error:
            yield View(now=Now(error=str(error)))
            return
        if run is None:
            yield view
        else:
            yield from self._followed(view, run)

    def resume(self, thread: str, owner: str = "") -> Iterator[View]:
        """The last turn, which was stopped, answered anew; as `open` where it was not."""
        try:
            run = self.runs.resume(thread) if thread and self._is_of(thread, owner) else None
            view = View(thread, self._turns(thread), note=self._from_elsewhere(thread)) if run else View()
        except ClewError as error:
            yield View(thread, self._turns(thread), Now(error=str(error)))
            return
        # Followed from its beginning: one that is over already is told as well.
        yield from self._followed(view, run) if run else self.open(thread, owner)

    def ask(self, thread: str, question: str, owner: str = "") -> Iterator[View]:
        """A new conversation is begun where `thread` is empty."""
        view = View()
        try:
            if thread and not self._is_of(thread, owner):
                yield View(now=Now(question, error=NOT_THERE))
                return
            thread = thread or self._assistant.threads.new_id(owner)
            view = View(thread, self._turns(thread))
            run = self.runs.ask(thread, question)
        except ClewError as error:
            yield replace(view, now=Now(question, error=str(error)))
            return
        yield from self._followed(view, run)

    def stop(self, thread: str, owner: str = "") -> None:
        if self._is_of(thread, owner):
            self.runs.stop(thread)

    def _is_of(self, thread: str, owner: str) -> bool:
        """One that nobody knows is no user's: the person of this machine may begin it."""
        return (self._assistant.threads.owner(thread) or "") == owner

    def _from_elsewhere(self, thread: str) -> str:
        known, library = self._assistant.threads.get(thread), self._assistant.threads.library
        return ELSEWHERE if known and library and known.library not in ("", library) else ""

    def _turns(self, thread: str) -> tuple[Turn, ...]:
        return tuple(self._assistant.turns(thread)) if thread else ()

    def _followed(self, view: View, run: BackgroundTurn) -> Iterator[View]:
        """A view for each event, but no more often than can be seen or is asked for, and one for each tick without one.
        A turn that is answered anew is not shown meanwhile, and comes back where that fails."""
        self._followers += 1
        try:
            yield from self._views(view, run)
        finally:
            self._followers -= 1

    def _views(self, view: View, run: BackgroundTurn) -> Iterator[View]:
        questions, anew = chain(run.questions, [""]), view.turns[-1:] if run.anew else ()
        view = replace(view, turns=view.turns[: len(view.turns) - len(anew)])
        now = Now(next(questions), note=CUT_OFF if run.interrupted else "", status=self._status(run))
        drawn, looked = 0.0, time.monotonic()
        yield (view := replace(view, now=now, busy=True))
        try:
            for events in run.follow():
                for place, event in enumerate(events or (None,), 1):
                    if isinstance(event, Turn):
                        view = _without(view, event)
                        if not now.draft:
                            yield from _revealing(view, now, event, max(FRAMES // self._followers, 1))
                        now = Now(next(questions), status=self._status(run))
                        view = replace(view, turns=(*view.turns, event))
                    elif event or time.monotonic() - looked >= AGAIN:
                        now, looked = _moved_on(now, event, self._status(run)), time.monotonic()
                    more = isinstance(event, Piece) or place < len(events)
                    if now.question and not (more and time.monotonic() - drawn < FRAME):
                        yield (view := replace(view, now=now))
                        drawn = time.monotonic()
        except Cancelled:
            now = replace(now, status="", stopped=True)
            yield replace(view, turns=(*view.turns, *anew), now=None if anew else now, busy=False)
        except ClewError as error:
            now = replace(now, question="" if anew else now.question, status="", error=str(error))
            yield replace(view, turns=(*view.turns, *anew), now=now, busy=False)
        else:
            finished = Now(note=FINISHED) if run.interrupted and len(run.questions) == 1 else None
            yield replace(view, now=finished, busy=False)

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
    """A turn that was stored before this page began to follow it is not shown twice."""
    return replace(view, turns=tuple(known for known in view.turns if known.turn < turn.turn))


def _revealing(view: View, now: Now, turn: Turn, frames: int) -> Iterator[View]:
    """The answer, growing by some words a picture."""
    words = sum(len(claim.text.split()) for claim in turn.answer.claims)
    stride = max(-(-words // frames), 1)
    for shown in range(stride, words + stride, stride):
        answer = replace(turn.answer, claims=revealed(turn.answer.claims, shown))
        yield replace(view, now=replace(now, steps=turn.steps or now.steps, status="", answer=answer))
        time.sleep(FRAME)


def revealed(claims: tuple[Claim, ...], words: int) -> tuple[Claim, ...]:
    """The first words of the claims; one that is cut has no citations yet."""
    shown: list[Claim] = []
    for claim in claims:
        own = claim.text.split()
        if len(own) > words:
            cut = Claim(" ".join(own[:words]))
            return (*shown, cut) if words else tuple(shown)
        shown.append(claim)
        words -= len(own)
    return tuple(shown)

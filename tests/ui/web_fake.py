"""An assistant for the page, without a library or a model: what a question holds says what happens.

`slow` takes its time and looks at `cancel`, `fails` and `bug` raise, `Neptune` is not answered, `weak` and `wrong` are
not carried by their sources, `markup` brings HTML of a document along. Each step takes `pause` seconds.
"""

import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from clew.agent.models import Writers
from clew.agent.state import Answer, Claim, Step, Turn, TurnEvent
from clew.memory.datatypes import Edge, Passage, Subgraph
from clew.memory.errors import Cancelled, ClewError
from clew.memory.ports import Writer
from tests.ui.fakes import StoringAssistant
from tests.ui.writing_fake import MODEL

ATTACK = (
    '<script>window.attacked = 1</script><img src=x onerror="window.attacked = 1"> {{ 7 * 7 }} ${window.attacked = 1}'
)

ATTACKING_WALK = Subgraph(
    nodes=("bad", ATTACK),
    edges=(Edge("bad", ATTACK, ATTACK),),
    titles=(ATTACK, f'<b>&"{ATTACK}'),
    scores=(0.9, 0.1),
    partitions=(ATTACK, ATTACK),
    landings=1,
)

CUT_OFF = "Was the Moon ever closer?"


LOADED = "loaded"
"""A file among the threads: where it is, the encoder has loaded, however long it was to take."""


class PageAssistant(StoringAssistant):
    """`interrupted` is the thread on which a turn, about `CUT_OFF`, was cut off."""

    def __init__(
        self, data: Path, pause: float = 0.0, loading: float = 0.0, interrupted: str = "", model: bool = False
    ) -> None:
        super().__init__(data, pause)
        self._seconds, self._loaded = loading, data / LOADED
        self._interrupted = {interrupted} if interrupted else set()
        titles = ["Tides", ATTACK, "Laika", "Metropolis", "Hugo"]
        store = SimpleNamespace(titles=lambda limit: titles[:limit])
        library = SimpleNamespace(manifest=SimpleNamespace(documents=5, fingerprint="f00d"), store=store)
        writers = Writers(answer=cast(Writer, SimpleNamespace(name=MODEL)) if model else None)
        self._fake_services = SimpleNamespace(library=library, writers=writers)

    def warm_up(self) -> None:
        ends = time.monotonic() + self._seconds
        while time.monotonic() < ends and not self._loaded.exists():
            time.sleep(0.05)

    def ask(
        self,
        thread: str,
        question: str,
        *,
        tool: str = "",
        scope: tuple[str, ...] = (),
        today: str = "",
        cancel: threading.Event | None = None,
    ) -> Iterator[TurnEvent]:
        if self.interrupted(thread):
            yield from self.resume(thread, cancel)
        yield from self._turn(thread, question, cancel or threading.Event())

    def interrupted(self, thread: str) -> str:
        return CUT_OFF if thread in self._interrupted else ""

    def resume(self, thread: str, cancel: threading.Event | None = None) -> Iterator[TurnEvent]:
        if thread in self._interrupted:
            yield from self._turn(thread, CUT_OFF, cancel or threading.Event())
            self._interrupted.discard(thread)
        elif stopped := self.stopped(thread):
            yield from self._answered(thread, stopped.question, cancel or threading.Event(), stopped.turn)

    def _turn(self, thread: str, question: str, cancel: threading.Event) -> Iterator[TurnEvent]:
        for name in ("recall", "rewrite", "act"):
            time.sleep(self._pause)
            yield Step(name, f"{name}: {question}", ("a detail", ATTACK), 1.5)
        if "fails" in question:
            raise ClewError("the disk is full", "make room")
        if "bug" in question:
            raise ZeroDivisionError("a bug")
        if "slow" in question and cancel.wait(20):
            raise Cancelled("the turn was cancelled")
        yield from self._answered(thread, question, cancel)

    def _made(self, thread: str, number: int, question: str, resumed: bool) -> Turn:
        turn = super()._made(thread, number, question, resumed)
        return replace(turn, answer=attacking_answer(), walk=ATTACKING_WALK) if "markup" in question else turn


def attacking_answer() -> Answer:
    """Every text of a document holds HTML."""
    passage = Passage(
        id="bad",
        document="bad",
        title=ATTACK,
        text=f"Before. {ATTACK} After.",
        score=0.5,
        tool="hybrid",
        why=ATTACK,
        heading=ATTACK,
        source=f'docs/"><b>{ATTACK}',
    )
    return Answer("answered", (Claim(f"Before. {ATTACK}", (1,), "supported"),), (passage,))


def main(data: str, port: str, pause: str, loading: str, interrupted: str, model: str) -> None:
    """The page with this assistant, until Ctrl-C."""
    from clew.ui.web.serving import serve_page

    with PageAssistant(Path(data), float(pause), float(loading), interrupted, bool(model)) as assistant:
        serve_page(assistant, int(port), Path(data))


if __name__ == "__main__":
    main(*sys.argv[1:])

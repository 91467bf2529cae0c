"""An assistant without a library or a model, for the terminal and the page: what a question holds says what happens.

`slow` takes its time and looks at `cancel`; `Neptune` is not answered; `weak` and `wrong` are not carried by their
sources; `walk` walks; `escape` brings control characters along, `markup` HTML of a document; `fails` and `bug` raise.
As a model would write: `writes` streams, `restarts` begins anew, `changed` loses a sentence in checking, `unfinished`
is written until it is stopped (and whole when it is resumed), `degraded` was done without the model in part.

    python -m tests.ui.fakes [--pause S] [--loading S] [--interrupted THREAD] COMMAND ...    `clew COMMAND ...` with it
"""

import sys
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import click
import numpy as np

from clew.agent.assistant import Assistant
from clew.agent.models import Writers
from clew.agent.services import Services
from clew.agent.settings import Settings
from clew.agent.state import (
    TURN_JSON,
    Answer,
    Claim,
    Doing,
    Fallback,
    Piece,
    Prompted,
    PromptPart,
    Quote,
    Step,
    Turn,
    TurnEvent,
    Verdict,
)
from clew.memory.datatypes import Document, Edge, Passage, Sentence, Subgraph
from clew.memory.dialogue.threads import Threads
from clew.memory.errors import ClewError
from clew.memory.ports import Writer

MOON = Passage(
    id="moon-1",
    document="moon",
    title="The distance of the Moon",
    text="The Moon is 384,400 km away.\nIts light takes 1.3 seconds to reach us.",
    score=0.71,
    tool="hybrid",
    why="keywords: moon",
    page="2",
    heading="Average distance",
    source="documents/space/moon-distance.md",
)
APES = Passage(
    "apes-1", "apes", "Monkeys in space", "Monkeys are small.", 0.6, "hybrid", source="documents/animals/monkeys.md"
)
WALK = Subgraph(
    nodes=("moon-1", "laika-1", "tides-1", "apes-1"),
    edges=(Edge("moon-1", "tides-1", "title link"), Edge("apes-1", "moon-1", "orbit")),
    titles=("The distance of the Moon", "Laika", "Tides", "Monkeys in space"),
    scores=(0.6, 0.02, 0.28, 0.1),
    partitions=("moon, far", "dog, space", "moon, far", "ape, space"),
    landings=2,
)
PATHS = ("The distance of the Moon -> Tides", "The distance of the Moon -> Monkeys in space")

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
"""The question of a turn that was cut off."""

LOADED = "loaded"
"""A file among the threads: where it is, the encoder has loaded, however long it was to take."""

MODEL = "llama3.1:8b"
WORDS = ("The Moon is ", "384,4", "00 km away", " [1]. Monkeys", " are small", " [2].")
LEDGER = (
    Prompted(
        "answer",
        MODEL,
        8192,
        1500,
        1204,
        58,
        (PromptPart("passage 1", 300), PromptPart("passage 7", 400, "left out"), PromptPart("path", 90, "summarised")),
    ),
)
DEGRADED = (Fallback("rewrite", "it is empty"), Fallback("answer", f"{MODEL} failed: <b>out of memory</b>"))


def _titled(ids: list[str]) -> list[Document]:
    """Those of the library alone; an answer is from others."""
    if "moon" in ids or "bad" in ids:
        raise KeyError(ids)
    return [Document(one, one, "") for one in ids]


class FakeAssistant(Assistant):
    """Turns are kept as an assistant keeps them. Each step takes `pause` seconds and the encoder `loading`;
    `interrupted` is the thread on which a turn, about `CUT_OFF`, was cut off."""

    def __init__(
        self, data: Path, pause: float = 0.0, loading: float = 0.0, interrupted: str = "", model: bool = False
    ) -> None:
        self.threads = Threads(data / "threads.sqlite")
        self._pause, self._loading, self._loaded = pause, loading, data / LOADED
        self._interrupted = {interrupted} if interrupted else set()
        tool = SimpleNamespace(name="hybrid", description="Searches by words and by meaning.")
        titles = ["Tides", "Laika", "Metropolis", "Hugo", ATTACK]
        library = SimpleNamespace(
            manifest=SimpleNamespace(documents=5, chunks=5, fingerprint="f00d", encoder=SimpleNamespace(name="fake")),
            store=SimpleNamespace(
                whole=False,
                sample=lambda _: [SimpleNamespace(document=one, text=one) for one in titles],
                documents=_titled,
            ),
        )
        writers = Writers(answer=cast(Writer, SimpleNamespace(name=MODEL)) if model else None)
        made = SimpleNamespace(
            tools={"hybrid": tool, "dense": tool}, default_tool="hybrid", library=library, writers=writers, evidence=10
        )
        self.services = cast(Services, made)
        self.settings = Settings.model_construct(llm="none")

    @contextmanager
    def library_now(self) -> Iterator[Services]:
        yield self.services

    def change(self, passages: int = 0, llm: str = "", language: str = "") -> None:
        cast(Any, self.services).evidence = passages or self.services.evidence

    def warm_up(self) -> None:
        ends = time.monotonic() + self._loading
        while time.monotonic() < ends and not self._loaded.exists():
            time.sleep(0.05)

    def take_out(self, thread: str) -> None:
        self.threads.take_out(thread)

    def interrupted(self, thread: str) -> str:
        return CUT_OFF if thread in self._interrupted else ""

    def close(self) -> None:
        self.threads.close()

    def ask(
        self,
        thread: str,
        question: str,
        *,
        tool: str = "",
        cancel: threading.Event | None = None,
        parent: int | None = None,
        understood: str = "",
        **_: object,
    ) -> Generator[TurnEvent, None, None]:
        if self.interrupted(thread):
            yield from self.resume(thread, cancel)
        begun = replace(self._begun(thread, question, parent), rewritten=understood)
        yield from self._turn(begun, cancel or threading.Event(), tool)

    def _begun(self, thread: str, question: str, parent: int | None = None) -> Turn:
        path = self.threads.tree(thread).path(parent)
        number = self.threads.last_turn(thread) + 1
        return Turn(thread, len(path) + 1, question, id=number, parent=path[-1] if path else 0)

    def resume(
        self, thread: str, cancel: threading.Event | None = None, tool: str = ""
    ) -> Generator[TurnEvent, None, None]:
        if thread in self._interrupted:
            yield from self._turn(self._begun(thread, CUT_OFF), cancel or threading.Event())
            self._interrupted.discard(thread)
        elif stopped := self.stopped(thread):
            yield from self._answered(stopped, cancel or threading.Event(), resumed=True)

    def _turn(self, begun: Turn, cancel: threading.Event, tool: str = "") -> Iterator[TurnEvent]:
        question = begun.question
        found = f"{tool or 'hybrid'}: 2 passages in 12 ms"
        for name, summary in (("recall", f"recall: {question}"), ("rewrite", question), ("act", found)):
            time.sleep(self._pause)
            yield Step(name, summary, ("question x 1.00", ATTACK), 0.3)
        if "fails" in question:
            raise ClewError("the disk is full", "make room")
        if "bug" in question:
            raise ZeroDivisionError("a bug")
        if "slow" in question and cancel.wait(20):
            yield self._saved(replace(begun, answer=Answer("stopped", ())))
            return
        yield from self._answered(begun, cancel)

    def _answered(self, begun: Turn, cancel: threading.Event, resumed: bool = False) -> Iterator[TurnEvent]:
        """`resumed`: it is answered anew."""
        question = begun.question
        if is_written(question):
            yield from pieces(question, cancel, resumed, self._pause)
            yield Step("verify", "checked: 2", (), 5)
        turn = written(make_turn(begun.thread, begun.turn, question), question, resumed)
        turn = replace(turn, id=begun.id, parent=begun.parent, rewritten=begun.rewritten or question)
        yield self._saved(turn)

    def _saved(self, turn: Turn) -> Turn:
        record, said = TURN_JSON.dump_json(turn).decode(), [Sentence(turn.question, "user", turn.turn)]
        vectors = np.ones((1, 1), np.float32)
        self.threads.save(turn.thread, turn.id, turn.question, record, said, vectors, "none", turn.parent)
        return turn


def is_written(question: str) -> bool:
    return any(word in question for word in ("writes", "restarts", "changed", "unfinished"))


def pieces(question: str, cancel: threading.Event, resumed: bool, pause: float) -> Iterator[Piece | Doing]:
    """What a model says, word by word."""
    cut = "unfinished" in question and not resumed
    yield Doing(f"loading {MODEL}")
    time.sleep(20 * pause)
    if "restarts" in question:
        yield Piece("Something else altogether ")
        yield Piece("", restart=True)
    for word in WORDS[:2] if cut else WORDS:
        yield Piece(word)
        time.sleep(pause)
    if cut:
        assert cancel.wait(20), "nobody stopped it"
    if "changed" in question:
        yield Piece(" Nero paid for it [9].")


def written(turn: Turn, question: str, resumed: bool) -> Turn:
    """The turn with what becomes of the pieces."""
    if is_written(question):
        turn = replace(turn, model=MODEL, ledger=LEDGER)
    if "unfinished" in question and not resumed:
        return replace(turn, answer=Answer("stopped", (Claim("The Moon is 384,4"),), turn.answer.sources))
    return replace(turn, degraded=DEGRADED) if "degraded" in question else turn


def make_turn(thread: str, number: int, question: str) -> Turn:
    steps = (
        Step("rewrite", question, ("question x 1.00",), 0.3),
        Step("act", "hybrid: 2 passages", ("0.71 moon",), 12.4),
    )
    about: dict[str, Any] = {"steps": steps, "library": "f00d", "created": "2026-01-01"}
    if "markup" in question:
        about["walk"] = ATTACKING_WALK
    elif "walk" in question:
        about |= {"walk": WALK, "paths": PATHS}
    return Turn(thread, number, question, question, make_answer(question), **about)


def make_answer(question: str) -> Answer:
    if "Neptune" in question:
        said = "I found nothing in the documents that answers this. The nearest are: Tides."
        return Answer("nothing-found", (Claim(said),), nearest=("Tides",))
    if "markup" in question:
        return attacking_answer()
    verdict: Verdict = "weak" if "weak" in question else "unsupported" if "wrong" in question else "supported"
    text = "The Moon \x1b[31mis\x1b[0m 384,400 km away.\x07" if "escape" in question else "The Moon is 384,400 km away."
    own = () if is_written(question) else (Quote("apes", 0, 18, "Monkeys are small."),)
    quote = own and (Quote("moon", 0, 28, "The Moon is 384,400 km away."),)
    claims = (Claim(text, (1,), verdict, quotes=quote), Claim("Monkeys are small.", (2,), "supported", quotes=own))
    return Answer("answered", claims, (MOON, APES))


def attacking_answer() -> Answer:
    """Every text of a document holds HTML."""
    source, text = f'docs/"><b>{ATTACK}', f"Before. {ATTACK} After."
    passage = Passage("bad", "bad", ATTACK, text, 0.5, "hybrid", why=ATTACK, heading=ATTACK, source=source)
    return Answer("answered", (Claim(f"Before. {ATTACK}", (1,), "supported"),), (passage,))


def fill_threads(data: Path, count: int, question: str = "How far is the Moon?") -> None:
    """As many threads of one turn each."""
    with Threads(data / "threads.sqlite") as threads:
        for number in range(count):
            record = TURN_JSON.dump_json(make_turn(f"thread-{number}", 1, question)).decode()
            threads.save(f"thread-{number}", 1, question, record, [], np.empty((0, 1), np.float32), "none")


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--pause", default=0.01)
@click.option("--loading", default=0.0)
@click.option("--interrupted", default="")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def main(pause: float, loading: float, interrupted: str, arguments: tuple[str, ...]) -> None:
    from clew.ui.cli import main as clew

    def opened(settings: Settings) -> Assistant:
        made = FakeAssistant(settings.home, pause, loading, interrupted, settings.llm != "none")
        made.settings = settings
        return made

    Assistant.open = opened  # type: ignore[method-assign]
    clew(arguments, prog_name="clew")


if __name__ == "__main__":
    main(sys.argv[1:])

"""An assistant that follows the contract without a library or a model, and a chat with it for a terminal of its own.

What a question holds says what happens: `walk` walks, `slow` takes its time and looks at `cancel`, `Neptune` is not
answered, `weak` and `wrong` are not carried by their sources, `escape` brings control characters along, `fails` and
`bug` raise; see also writing_fake.py.
"""

import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
from pydantic import TypeAdapter

from clew.agent.assistant import Assistant
from clew.agent.models import Writers
from clew.agent.services import Services
from clew.agent.settings import Settings, read_settings
from clew.agent.state import Answer, Claim, Step, Turn, TurnEvent, Verdict
from clew.memory.datatypes import Edge, Passage, Sentence, Subgraph
from clew.memory.dialogue.threads import Threads
from clew.memory.errors import Cancelled, ClewError
from clew.memory.ports import Writer
from tests.ui.writing_fake import MODEL, is_written, pieces, written

RECORD = TypeAdapter(Turn)

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


class StoringAssistant(Assistant):
    """Its turns are kept as an assistant keeps them; what it is asked, and what it needs for that, is another's."""

    _fake_services: SimpleNamespace

    def __init__(self, data: Path, pause: float = 0.0) -> None:
        self._own_threads = Threads(data / "threads.sqlite")
        self._pause = pause

    @property
    def threads(self) -> Threads:
        return self._own_threads

    @property
    def services(self) -> Services:
        return cast(Services, self._fake_services)

    def stopped(self, thread: str) -> Turn | None:
        turns = self.turns(thread)
        return turns[-1] if turns and turns[-1].answer.outcome == "stopped" else None

    def turns(self, thread: str) -> list[Turn]:
        return [RECORD.validate_json(record) for record in self.threads.records(thread)]

    def close(self) -> None:
        self.threads.close()

    def _answered(self, thread: str, question: str, cancel: threading.Event, resumed: int = 0) -> Iterator[TurnEvent]:
        if is_written(question):
            yield from pieces(question, cancel, bool(resumed), self._pause)
            yield Step("verify", "2 supported", (), 5)
        yield self._stored(thread, question, resumed)

    def _stored(self, thread: str, question: str, resumed: int = 0) -> Turn:
        number = resumed or len(self.threads.records(thread)) + 1
        turn = self._made(thread, number, question, bool(resumed))
        record = RECORD.dump_json(turn).decode()
        said = [Sentence(question, "user", number)]
        self.threads.save(thread, number, question, record, said, np.ones((1, 1), np.float32), "none")
        return turn

    def _made(self, thread: str, number: int, question: str, resumed: bool) -> Turn:
        return written(make_turn(thread, number, question), question, resumed)


class FakeAssistant(StoringAssistant):
    def __init__(self, settings: Settings, interrupted: str = "", loading: float = 0.0) -> None:
        super().__init__(settings.home)
        self._interrupted = interrupted
        self._loading = loading
        tool = SimpleNamespace(name="hybrid", description="Searches by words and by meaning.")
        library = SimpleNamespace(manifest=SimpleNamespace(documents=30, fingerprint="f00d"))
        writers = Writers(answer=cast(Writer, SimpleNamespace(name=MODEL)) if settings.llm != "none" else None)
        self._fake_services = SimpleNamespace(tools={"hybrid": tool, "dense": tool}, library=library, writers=writers)

    def warm_up(self) -> None:
        time.sleep(self._loading)

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
        if self._interrupted:
            yield from self.resume(thread)
        yield Step("rewrite", question, ("question x 1.00",), 0.3)
        if "fails" in question:
            raise ClewError("the turn failed", "ask again")
        if "bug" in question:
            raise ZeroDivisionError("a bug")
        if "slow" in question:
            _dawdle(cancel)
        yield Step("act", f"{tool or 'hybrid'}: 2 passages in 12 ms", (), 12.4)
        yield from self._answered(thread, question, cancel or threading.Event())

    def interrupted(self, thread: str) -> str:
        return self._interrupted

    def resume(self, thread: str, cancel: threading.Event | None = None) -> Iterator[TurnEvent]:
        if self._interrupted:
            question, self._interrupted = self._interrupted, ""
            yield Step("answer", "the rest of the turn", (), 5)
            yield self._stored(thread, question)
        elif stopped := self.stopped(thread):
            yield from self._answered(thread, stopped.question, cancel or threading.Event(), stopped.turn)


def make_turn(thread: str, number: int, question: str) -> Turn:
    steps = (
        Step("rewrite", question, ("question x 1.00",), 0.3),
        Step("act", "hybrid: 2 passages", ("0.71 moon",), 12.4),
    )
    turn = Turn(
        thread, number, question, question, make_answer(question), steps=steps, library="f00d", created="2026-01-01"
    )
    return replace(turn, walk=WALK, paths=PATHS) if "walk" in question else turn


def make_answer(question: str) -> Answer:
    if "Neptune" in question:
        said = "I found nothing in the documents that answers this. The nearest are: Tides."
        return Answer("nothing-found", (Claim(said),), nearest=("Tides",))
    verdict: Verdict = "weak" if "weak" in question else "unsupported" if "wrong" in question else "supported"
    text = "The Moon \x1b[31mis\x1b[0m 384,400 km away.\x07" if "escape" in question else "The Moon is 384,400 km away."
    claims = (Claim(text, (1,), verdict), Claim("Monkeys are small.", (2,), "supported"))
    return Answer("answered", claims, (MOON, APES))


def fill_threads(data: Path, count: int, question: str = "How far is the Moon?") -> None:
    """As many threads of one turn each."""
    with Threads(data / "threads.sqlite") as threads:
        for number in range(count):
            record = RECORD.dump_json(make_turn(f"thread-{number}", 1, question)).decode()
            threads.save(f"thread-{number}", 1, question, record, [], np.empty((0, 1), np.float32), "none")


def _dawdle(cancel: threading.Event | None) -> None:
    for _ in range(400):
        time.sleep(0.05)
        if cancel is not None and cancel.is_set():
            raise Cancelled("the turn was cancelled")


def main(arguments: list[str]) -> None:
    """`fakes.py DATA [--thread ID] [--interrupted QUESTION] [--loading SECONDS] [--llm NAME]`: the chat."""
    import click

    from clew.ui.cli import Clew
    from clew.ui.terminal.loop import run_chat

    @click.group(cls=Clew)
    @click.option("--verbose", is_flag=True)
    def group(verbose: bool) -> None: ...

    @group.command()
    @click.argument("data", type=click.Path(path_type=Path))
    @click.option("--thread")
    @click.option("--continue", "go_on", is_flag=True)
    @click.option("--interrupted", default="")
    @click.option("--loading", default=0.0)
    @click.option("--llm", default="none")
    def chat(data: Path, thread: str | None, go_on: bool, interrupted: str, loading: float, llm: str) -> None:
        settings = read_settings(home=data, llm=llm)
        run_chat(settings, thread, go_on, lambda settings: FakeAssistant(settings, interrupted, loading))

    group(["chat", *arguments], prog_name="clew")


if __name__ == "__main__":
    main(sys.argv[1:])

"""An assistant that answers from a dict, over a real database of threads: for replays without a library."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np

from clew.agent.services import Services
from clew.agent.state import Answer, Call, Claim, Step, Turn, TurnEvent
from clew.memory.datatypes import Passage, Recalled, Sentence, Wording
from clew.memory.dialogue.threads import Threads

ANSWERS: Mapping[str, tuple[str, str]] = {
    "Who wrote Metropolis?": ("Thea von Harbou wrote it", "people/thea-von-harbou.md"),
    "who directed it?": ("Fritz Lang directed Metropolis", "films/metropolis.md"),
    "How far is the Moon?": ("It is 384,400 km away", "space/moon-distance.md"),
}
"""Question -> the answer's sentence and the document that it cites; any other question is refused."""


class FakeAssistant:
    """Its rewritten question names the question before it, so that what a thread remembers can be seen."""

    def __init__(self, data: Path, library: str = "f00d") -> None:
        self.threads = Threads(data / "threads.sqlite")
        self.asked: list[str] = []
        self.library = library

    @property
    def services(self) -> Services:
        library = SimpleNamespace(manifest=SimpleNamespace(fingerprint=self.library))
        return cast(Services, SimpleNamespace(library=library))

    def ask(self, thread: str, question: str, *, today: str = "") -> Iterator[TurnEvent]:
        self.asked.append(question)
        yield Step("rewrite", "the question stands alone", ms=1.5)
        yield self._remembered(thread, question)

    def turns(self, thread: str) -> list[Turn]:
        records = [json.loads(record) for record in self.threads.records(thread)]
        questions = [record["question"] for record in records]
        return [
            answered(thread, questions[:number], record["library"]) for number, record in enumerate(records, start=1)
        ]

    def close(self) -> None:
        self.threads.close()

    def _remembered(self, thread: str, question: str) -> Turn:
        turn = answered(thread, [*(done.question for done in self.turns(thread)), question], self.library)
        record = json.dumps({"question": question, "library": self.library})
        said = [Sentence(question, "user", turn.turn)]
        self.threads.save(thread, turn.turn, question, record, said, np.ones((1, 1), np.float32), "none")
        return turn


def answered(thread: str, questions: list[str], library: str) -> Turn:
    """The turn of the last question."""
    question = questions[-1]
    rewritten = " | ".join(questions[-2:])
    said = tuple(Sentence(earlier, "user", number, 0) for number, earlier in enumerate(questions[:-1], 1))
    recalled = Recalled(said, (len(said),) if said else (), said, said[-1:])
    answer = Answer("nothing-found", (Claim("I found nothing about that."),))
    passages: tuple[Passage, ...] = ()
    if question in ANSWERS:
        text, document = ANSWERS[question]
        title = Path(document).stem.replace("-", " ").title()
        passages = (
            Passage(
                f"{document}#0", document, title, text, 0.9, "hybrid", start=10, end=40, source=f"/docs/{document}"
            ),
        )
        answer = Answer("answered", (Claim(text, (1,), "supported"), Claim("So it is.", (), "uncited")), passages)
    wordings, calls = (Wording("question", question, 1.0),), (Call("hybrid", (), len(passages), 2.0),)
    steps, number = (Step("rewrite", "the question stands alone", ms=1.5),), len(questions)
    about = library, "2025-01-01T00:00:00+00:00"
    return Turn(thread, number, question, rewritten, answer, recalled, wordings, calls, passages, steps, *about)

"""Turns in other languages than English, searched with `clew[multilingual]`, that its reader and its judge learn from.

`foreign_turns.jsonl.gz` has eighteen collections that were written for it in German, French, Spanish, Italian, Dutch
and Portuguese: a line each, of its documents and conversations; nothing answers a fifth to a third of the questions.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from clew.agent.answer.evidence import Evidence
from clew.agent.answer.quoted import evidence_for
from clew.agent.assistant import Assistant
from clew.agent.evaluation.evaluate import searched
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.agent.state import Turn
from clew.memory.datatypes import Utterance
from clew.memory.encoding import MULTILINGUAL
from clew.memory.knowledge.index.run import index
from tests.training.records import Record, lines_of

OWN = Path(__file__).with_name("foreign_turns.jsonl.gz")


class ForeignTurn(NamedTuple):
    """Before its answer; `right` says which candidates answer, `answerable` whether a document does."""

    language: str
    turn: Turn
    evidence: Evidence
    right: list[bool]
    answerable: bool


def foreign_turns() -> Iterator[ForeignTurn]:
    for record in lines_of(OWN):
        yield from _searched(record["lang"], record["documents"], record["questions"])


def _searched(language: str, documents: Mapping[str, str], asked: Iterable[Record]) -> Iterator[ForeignTurn]:
    """Each after its conversation so far, as it would have been answered rightly."""
    with TemporaryDirectory() as folder:
        for name, text in documents.items():
            (path := Path(folder, "documents", name)).parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
        settings = read_settings(library=Path(folder, "library"), encoder=MULTILINGUAL, llm="none")
        for _ in index([Path(folder, "documents")], Path(folder, "library"), encoder_for(settings)):
            pass
        with Assistant.open(settings) as assistant:
            for _, conversation in groupby(asked, key=lambda one: str(one["conversation"])):
                history: list[Utterance] = []
                for one in conversation:
                    question, answers = one["question"], one["answers"]
                    turn = searched(assistant.services, question, history)
                    history += [Utterance("user", question), *(Utterance("agent", said) for said in answers[:1])]
                    if (evidence := evidence_for(turn, assistant.services)).candidates:
                        right = [any(_same(answer, text) for answer in answers) for text in evidence.texts]
                        yield ForeignTurn(language, turn, evidence, right, bool(answers))


def _same(answer: str, text: str) -> bool:
    """Whether one of both is the other, or most of it."""
    short, long = sorted((" ".join(answer.split()), " ".join(text.split())), key=len)
    return short in long and len(short) > len(long) / 2

"""The project's own conversations (`conversations/`), played: what a turn has found before it is answered."""

import json
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from clew.agent.answer import answers
from clew.agent.answer.evidence import Evidence
from clew.agent.assistant import Assistant
from clew.agent.evaluation.evaluate import answered
from clew.agent.models import encoder_for
from clew.agent.nodes import leaned_on
from clew.agent.settings import read_settings
from clew.agent.state import Turn
from clew.memory.datatypes import Utterance
from clew.memory.knowledge.index.run import index

FOLDER = Path(__file__).with_name("conversations")
QUESTIONS, *WIDE = (FOLDER / f"{name}.jsonl" for name in ("questions", "varied", "more", "plenty", "further"))
"""The first conversations, and those of more writers over more collections."""

UNPAIRED = (
    *("theatre", "sailboat", "git", "weechat", "pool", "zoo", "wayfarer"),
    *("nas", "click", "scales", "goats", "statpapers", "brindle"),
    *("vault", "clustered", "counts", "fishshell", "satchel", "lease", "gannet", "ebike"),
    *("alpine", "inkwell", "karsu", "httplib", "termkit", "sallow", "toolhire", "plashet", "suppliers", "rind"),
)
"""Collections of `WIDE` that reader and pairs are not fitted on (`tests.training.pairs`): what is fitted on how those
read these learns of nothing that they know."""


@dataclass(frozen=True, slots=True, eq=False)
class AskedTurn:
    """`case` is its line."""

    case: dict[str, Any]
    turn: Turn
    evidence: Evidence


def asked_turns(questions: Path = QUESTIONS, only: Container[str] | None = None) -> Iterator[AskedTurn]:
    """Each after its conversation so far, as Clew answers it; small talk, which finds nothing, is left out. `only` are
    collections, all of them for None."""
    cases = [json.loads(line) for line in questions.read_text("utf-8").splitlines()]
    cases = [case for case in cases if only is None or case["collection"] in only]
    with TemporaryDirectory() as folder:
        for collection, its in groupby(cases, key=lambda case: str(case["collection"])):
            library = Path(folder) / collection
            for _ in index([FOLDER / "documents" / collection], library, encoder_for(read_settings())):
                pass
            with Assistant.open(read_settings(library=library)) as assistant:
                for _, conversation in groupby(its, key=lambda case: str(case["conversation"])):
                    yield from _played(assistant, list(conversation))


def _played(assistant: Assistant, cases: list[dict[str, Any]]) -> Iterator[AskedTurn]:
    history: list[Utterance] = []
    for case in cases:
        turn = answered(assistant.services, case["question"], history)
        history += leaned_on(turn)
        if turn.passages:
            evidence = answers.evidence_for(turn, assistant.services)
            yield AskedTurn(case, replace(turn, answer=Turn("", 0, "").answer), evidence)

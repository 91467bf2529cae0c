"""The conversations of `CLEW_DATA/conversations`, played: what a turn has found before it is answered."""

import json
import os
from collections.abc import Callable, Container, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, groupby
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from clew.agent.answer.evidence import Evidence
from clew.agent.answer.quoted import evidence_for
from clew.agent.assistant import Assistant
from clew.agent.evaluation.evaluate import answered
from clew.agent.models import encoder_for
from clew.agent.nodes import leaned_on
from clew.agent.settings import read_settings
from clew.agent.state import Turn
from clew.memory.datatypes import Utterance
from clew.memory.knowledge.index.run import index

DATA = Path(os.environ.get("CLEW_DATA", Path(__file__).parents[3] / "shared" / "data"))
FOLDER = DATA / "conversations"
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


T = TypeVar("T")


def of_turns(made: Callable[[AskedTurn], T | None], files: Sequence[Path], but: Container[str] = ()) -> Iterator[T]:
    """What is made of each turn, where it is something: of files of conversations, a collection at a time on each
    processor, but for some collections. In the order of the files; `made` is a function of a module."""
    every = dict.fromkeys((file, case["collection"]) for file in files for case in cases_of(file))
    named = [one for one in every if one[1] not in but]
    with ProcessPoolExecutor(mp_context=get_context("spawn"), initializer=threadpool_limits, initargs=(1,)) as pool:
        yield from chain.from_iterable(pool.map(partial(_of_collection, made), named))


def _of_collection(made: Callable[[AskedTurn], T | None], named: tuple[Path, str]) -> list[T]:
    file, collection = named
    return [found for one in asked_turns(file, {collection}) if (found := made(one)) is not None]


def cases_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def asked_turns(questions: Path = QUESTIONS, only: Container[str] | None = None) -> Iterator[AskedTurn]:
    """Each after its conversation so far, as Clew answers it; small talk, which finds nothing, is left out. `only` are
    collections, all of them for None."""
    cases = [case for case in cases_of(questions) if only is None or case["collection"] in only]
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
            evidence = evidence_for(turn, assistant.services)
            yield AskedTurn(case, replace(turn, answer=Turn("", 0, "").answer), evidence)

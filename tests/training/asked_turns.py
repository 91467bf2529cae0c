"""The conversations of `CLEW_DATA/conversations`, played: what a turn has found before it is answered."""

import os
import re
import unicodedata
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, groupby
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeVar

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from clew.agent.answer.evidence import Evidence
from clew.agent.answer.quoted import evidence_for
from clew.agent.assistant import Assistant
from clew.agent.evaluation.evaluate import answered
from clew.agent.models import encoder_for
from clew.agent.nodes import leaned_on
from clew.agent.services import Services
from clew.agent.settings import read_settings
from clew.agent.state import Turn
from clew.memory.datatypes import Utterance
from clew.memory.knowledge.index.run import index
from tests.training.records import Record, lines_of

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


class PlayedTurn(NamedTuple):
    """`case` is its line, `services` those of the assistant that was asked."""

    case: Record
    turn: Turn
    services: Services


@dataclass(frozen=True, slots=True, eq=False)
class AskedTurn:
    """`case` is its line."""

    case: Record
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


def cases_of(file: Path) -> list[Record]:
    return list(lines_of(file))


def asked_turns(questions: Path, only: Container[str]) -> Iterator[AskedTurn]:
    """The turns of these collections before they are answered; small talk, which finds nothing, is left out."""
    for case, turn, services in played([case for case in cases_of(questions) if case["collection"] in only]):
        if turn.passages:
            yield AskedTurn(case, replace(turn, answer=Turn("", 0, "").answer), evidence_for(turn, services))


def played(cases: Sequence[Record], documents: Path = FOLDER / "documents") -> Iterator[PlayedTurn]:
    """Each question after its conversation so far, as Clew answers it over a library that is made of the folder of its
    collection in `documents`. The cases of a collection stand together, and so do those of a conversation."""
    with TemporaryDirectory() as folder:
        for collection, its in groupby(cases, key=lambda case: str(case["collection"])):
            library = Path(folder) / collection
            for _ in index([documents / collection], library, encoder_for(read_settings())):
                pass
            with Assistant.open(read_settings(library=library)) as assistant:
                for _, conversation in groupby(its, key=lambda case: str(case["conversation"])):
                    history: list[Utterance] = []
                    for case in conversation:
                        turn = answered(assistant.services, case["question"], history)
                        history += leaned_on(turn)
                        yield PlayedTurn(case, turn, assistant.services)


def plain(text: str) -> str:
    """As `must` and `must_not` of a case are written: one apostrophe, no code marks, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).replace("\u2019", "'").replace("`", "").split())


def answers(case: Mapping[str, Any], text: str) -> bool:
    """Whether a text holds one of each group of what the case's answer must hold, and nothing that it must not."""

    said = plain(text)

    def held(patterns: Sequence[str]) -> bool:
        return any(re.search(pattern, said, re.IGNORECASE | re.DOTALL) for pattern in patterns)

    return all(map(held, case["must"])) and not held(case["must_not"])

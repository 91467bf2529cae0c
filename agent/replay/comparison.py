"""Two replays of a script side by side: which turns are answered otherwise, and why."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clew.agent.replay.replay import Files
from clew.agent.replay.script import SEPARATOR
from clew.memory.errors import BadInput

TurnRow = Mapping[str, Any]
"""A line of `intermediate`."""


@dataclass(frozen=True, slots=True)
class ChangedTurn:
    """A turn whose answer, outcome or sources are others than `before`."""

    conversation: str
    turn: int
    question: str
    why: str
    before: str
    now: str


def earlier_rows(folder: Path, script: str) -> dict[str, TurnRow]:
    """By id the turns of an earlier replay. Raises `BadInput` where there is none."""
    rows: dict[str, TurnRow] = {row["_id"]: row for _, row in Files.of(folder, script).rows()}
    if not rows:
        raise BadInput(f"{folder} has no turns of {script}", f"clew replay SCRIPT --out {folder}")
    return rows


def changed_turns(before: Mapping[str, TurnRow], now: Sequence[TurnRow]) -> Iterator[ChangedTurn]:
    """In the order of the script. A turn that was not asked before is none of them."""
    for row in now:
        old = before.get(row["_id"])
        if old and _answered(old) != _answered(row):
            conversation, _, turn = row["_id"].rpartition(SEPARATOR)
            said = old["agent_response"], row["agent_response"]
            yield ChangedTurn(conversation, int(turn), row["original_query"], _why(old, row), *said)


def _answered(row: TurnRow) -> tuple[object, ...]:
    return row["agent_response"], row["outcome"], [one["document"] for one in row["citations"]]


def _why(old: TurnRow, new: TurnRow) -> str:
    """The first thing on the way to an answer that is another one."""
    for what, of in LOOKED_AT:
        was, has = of(old), of(new)
        if was != has:
            return f"{what} {has or 'nothing'}; before: {was or 'nothing'}"
    found, lost = (sorted({*_titles(one)} - {*_titles(other)}) for one, other in ((new, old), (old, new)))
    if found or lost:
        parts = [f"found now: {', '.join(found)}"] if found else []
        return "; ".join([*parts, *([f"no longer found: {', '.join(lost)}"] if lost else [])])
    if _titles(old) != _titles(new):
        return "the same documents were found in another order"
    return "the same was found, and answered otherwise"


def _titles(row: TurnRow) -> list[str]:
    return [one["title"] for one in row["contexts"]]


LOOKED_AT: Sequence[tuple[str, Callable[[TurnRow], str]]] = (
    ("asked was", lambda row: row["original_query"]),
    ("the library is", lambda row: row.get("library", "")[:8]),
    ("the day is", lambda row: row.get("today", "")),
    ("understood as", lambda row: row["rewritten_query"]),
    ("searched with", lambda row: " ".join(one["tool"] for one in row.get("calls", ()))),
    ("written by", lambda row: row.get("model", "")),
)
"""In the order of a turn: what differs first explains what comes behind it."""

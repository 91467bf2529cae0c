"""Replay: conversations asked anew, each turn on top of the answers that it gave itself (seed 003), and held against
an earlier replay.

    DIR/datasets/<script>.jsonl     a line for every turn, as seed 003 has it
    DIR/intermediate/<script>.jsonl
    DIR/threads/<script>/           its conversations, apart from the user's own
"""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from clew.agent.replay.script import Played, Script, Summary, checked, summarize
from clew.agent.settings import Settings
from clew.agent.state import TURN_JSON, Answer, Turn
from clew.memory.datatypes import Passage
from clew.memory.errors import BadInput
from clew.memory.files import private_folder
from clew.memory.json_lines import append_object, read_objects, replace_file

if TYPE_CHECKING:
    from clew.agent.assistant import Assistant

TurnRow = Mapping[str, Any]
"""A line of `intermediate`."""


def dataset_row(name: str, turn: Turn) -> dict[str, Any]:
    """`agent_response` is the answer as it was shown, citations and all."""
    return {"_id": name, "text": f"|user|: {turn.rewritten}", "agent_response": turn.answer.text}


def intermediate_row(name: str, turn: Turn) -> dict[str, Any]:
    """Seed 003's fields in its order, then what was cited, and what else a turn has (docs/ask-json.md)."""
    recalled = turn.recalled
    row: dict[str, Any] = {
        "_id": name,
        "original_query": turn.question,
        "rewritten_query": turn.rewritten,
        "num_extracted_sentences": len(recalled.extracted),
        "extracted_sentences": [sentence.text for sentence in recalled.extracted],
        "num_clusters": len(recalled.cluster_sizes),
        "cluster_sizes": list(recalled.cluster_sizes),
        "representative_sentences": [sentence.text for sentence in recalled.representatives],
        "selected_sentences": [
            {"sentence": one.text, "speaker": one.speaker, "turn": one.turn, "cluster_id": one.cluster_id}
            for one in recalled.selected
        ],
        "contexts": [_context(passage) for passage in turn.passages],
        "agent_response": turn.answer.text,
        "outcome": turn.answer.outcome,
        "refused": turn.answer.refused,
        "citations": _citations(turn.answer),
    }
    row.update(TURN_JSON.dump_python(turn, mode="json", warnings=False))
    return row


def answer_row(name: str, turn: Turn) -> dict[str, Any]:
    """`cites` are the documents cited, each once, in the answer's order."""
    citations = _citations(turn.answer)
    return {
        "_id": name,
        "answer": turn.answer.text,
        "outcome": turn.answer.outcome,
        "refused": turn.answer.refused,
        "cites": list(dict.fromkeys(citation["document"] for citation in citations)),
        "citations": citations,
        "rewritten": turn.rewritten,
        "library": turn.library,
    }


def _context(passage: Passage) -> dict[str, Any]:
    return {
        "title": passage.title,
        "text": passage.text,
        "score": float(passage.score),
        "url": passage.source,
        "document": passage.document,
        "tool": passage.tool,
    }


def _citations(answer: Answer) -> list[dict[str, Any]]:
    """A row for each source that each claim cites, in the order of the answer."""
    return [
        {
            "n": number,
            "document": source.document,
            "title": source.title,
            "source": source.source,
            "page": source.page,
            "start": source.start,
            "end": source.end,
            "claim": position,
            "verdict": claim.verdict,
        }
        for position, claim in enumerate(answer.claims)
        for number in claim.cites
        for source in [answer.sources[number - 1]]
    ]


def replay_script(script: Script, out: Path, settings: Settings, today: str = "") -> Iterator[Played | Summary]:
    """Replay a script with the assistant that the settings describe."""
    from clew.agent.assistant import Assistant  # LangGraph takes its time

    yield from replay(script, out, lambda home: Assistant.open(settings.model_copy(update={"home": home})), today)


def replay(
    script: Script, out: Path, open_assistant: Callable[[Path], "Assistant"], today: str = ""
) -> Iterator[Played | Summary]:
    """Ask every turn of the script and yield it when it is written; the summary, over all turns, comes last.

    `open_assistant` is given the folder of its threads; `today` is the day, ISO 8601, of turns that name none. Raises
    `BadInput` where `out` cannot be written, and what opening and asking raise.
    """
    data = out / "threads" / script.name
    _empty(data)
    files = [out / folder / f"{script.name}.jsonl" for folder in ("intermediate", "datasets")]
    for file in files:
        replace_file(file, "")
    results = list[Played]()
    with closing(open_assistant(data)) as assistant:
        for conversation in script.conversations:
            for number, scripted in enumerate(conversation.turns, 1):
                day = scripted.today or conversation.today or today
                events = assistant.ask(conversation.conversation_id, scripted.question, today=day)
                turn = [event for event in events if isinstance(event, Turn)][-1]
                checks = tuple(checked(scripted.expect, turn))
                result = Played(conversation.conversation_id, number, turn, checks)
                kept = intermediate_row(result.id, turn) | {"expectations": [asdict(check) for check in checks]}
                for file, row in zip(files, (kept, dataset_row(result.id, turn)), strict=True):
                    append_object(file, row)
                results.append(result)
                yield result
    yield summarize(results)


def _empty(folder: Path) -> None:
    """Remove the threads of an earlier run."""
    try:
        if folder.exists():
            shutil.rmtree(folder)
        private_folder(folder)
    except OSError as error:
        raise BadInput(f"{folder} cannot be written: {error.strerror}") from error


# Two replays side by side ---------------------------------------------------------------------------------------------


class ChangedTurn(NamedTuple):
    """The lines of a turn whose answer or outcome is another than `before`, and why it is."""

    before: TurnRow
    now: TurnRow
    why: str


def rows_of(out: Path, script: str) -> list[TurnRow]:
    """The turns of a replay. Raises `BadInput` where there is none."""
    path = out / "intermediate" / f"{script}.jsonl"
    rows: list[TurnRow] = [row for _, row in read_objects(path)] if path.exists() else []
    if not rows:
        raise BadInput(f"{out} has no turns of {script}", f"clew replay SCRIPT --out {out}")
    return rows


def changed_turns(before: Sequence[TurnRow], now: Sequence[TurnRow]) -> Iterator[ChangedTurn]:
    """In the order of the script. A turn that was not asked before is none of them."""
    known = {row["_id"]: row for row in before}
    for row in now:
        old = known.get(row["_id"], row)
        if _answered(old) != _answered(row):
            yield ChangedTurn(old, row, _why(old, row))


def _answered(row: TurnRow) -> tuple[object, ...]:
    return row["agent_response"], row["outcome"]


def _why(old: TurnRow, new: TurnRow) -> str:
    """A line for each thing on the way to the answer that is another one."""
    both = ((what, of(old), of(new)) for what, of in LOOKED_AT)
    others = [f"{what} {has or 'nothing'}; before: {was or 'nothing'}" for what, was, has in both if was != has]
    return "\n".join(others) or "the same was found, and answered otherwise"


LOOKED_AT: Sequence[tuple[str, Callable[[TurnRow], str]]] = (
    ("asked was", lambda row: row["original_query"]),
    ("the library is", lambda row: row.get("library", "")[:8]),
    ("the day is", lambda row: row.get("today", "")),
    ("understood as", lambda row: row["rewritten_query"]),
    ("searched with", lambda row: " ".join(one["tool"] for one in row.get("calls", ()))),
    ("written by", lambda row: row.get("model", "")),
    ("found was", lambda row: ", ".join(one["title"] for one in row["contexts"])),
)
"""In the order of a turn: what differs explains what comes behind it."""

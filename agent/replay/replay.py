"""Replay: conversations asked anew, each turn on top of the answers that it gave itself (seed 003).

    DIR/datasets/<script>.jsonl     a line for every turn, as seed 003 has it
    DIR/intermediate/<script>.jsonl
    DIR/threads/<script>/           its conversations, apart from the user's own; made anew by a run without `resume`

A turn is stored in its thread, then written to `intermediate`, then to `datasets`; what a crash left between two of
these is mended by the next run with `resume`.
"""

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.agent.replay.script import (
    FIELDS,
    Conversation,
    Played,
    Script,
    ScriptTurn,
    Summary,
    on_day,
    played,
    read_script,
    summarize,
)
from clew.agent.settings import Settings
from clew.agent.state import Answer, Turn
from clew.memory.datatypes import Passage, Sentence
from clew.memory.errors import BadInput
from clew.memory.files import private_folder
from clew.memory.json_lines import append_object, as_line, replace_file, whole_objects

if TYPE_CHECKING:
    from clew.agent.assistant import Assistant


def dataset_row(name: str, turn: Turn) -> dict[str, Any]:
    """`agent_response` is the answer as it was shown, citations and all."""
    return {"_id": name, "text": f"|user|: {turn.rewritten}", "agent_response": turn.answer.text}


def intermediate_row(name: str, turn: Turn) -> dict[str, Any]:
    """Seed 003's fields in its order, then what Clew adds."""
    recalled = turn.recalled
    return {
        "_id": name,
        "original_query": turn.question,
        "rewritten_query": turn.rewritten,
        "num_extracted_sentences": len(recalled.extracted),
        "extracted_sentences": _texts(recalled.extracted),
        "num_clusters": len(recalled.cluster_sizes),
        "cluster_sizes": list(recalled.cluster_sizes),
        "representative_sentences": _texts(recalled.representatives),
        "selected_sentences": [
            {"sentence": one.text, "speaker": one.speaker, "turn": one.turn, "cluster_id": one.cluster_id}
            for one in recalled.selected
        ],
        "contexts": [_context(passage) for passage in turn.passages],
        "agent_response": turn.answer.text,
        "outcome": turn.answer.outcome,
        "refused": turn.answer.refused,
        "claims": [
            {"text": claim.text, "cites": list(claim.cites), "verdict": claim.verdict, "start": claim.start}
            for claim in turn.answer.claims
        ],
        "citations": _citations(turn.answer),
        "missing": list(turn.answer.missing),
        "wordings": [asdict(one) for one in turn.wordings],
        "calls": [{"tool": call.tool, "found": call.found, "ms": round(call.ms, 3)} for call in turn.calls],
        "steps": [{"node": step.node, "summary": step.summary, "ms": round(step.ms, 3)} for step in turn.steps],
        "model": turn.model,
        "degraded": [asdict(one) for one in turn.degraded],
        "walk": asdict(turn.walk) if turn.walk else None,
        "paths": list(turn.paths),
        "thread": turn.thread,
        "library": turn.library,
        "created": turn.created,
        "today": turn.today,
    }


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


def _texts(sentences: Sequence[Sentence]) -> list[str]:
    return [sentence.text for sentence in sentences]


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


@dataclass(frozen=True, slots=True)
class Files:
    """The two files of a script, a line each for the same turns."""

    datasets: Path
    intermediate: Path

    @classmethod
    def of(cls, out: Path, name: str) -> "Files":
        return cls(out / "datasets" / f"{name}.jsonl", out / "intermediate" / f"{name}.jsonl")

    def rows(self) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """The rows of the first turns that both files have."""
        both = zip(whole_objects(self.datasets), whole_objects(self.intermediate), strict=False)
        return list(takewhile(lambda pair: pair[0].get("_id") == pair[1].get("_id"), both))

    def replace(self, rows: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> None:
        kept = list(rows)
        replace_file(self.intermediate, "".join(as_line(row) for _, row in kept))
        replace_file(self.datasets, "".join(as_line(row) for row, _ in kept))

    def append(self, dataset: Mapping[str, Any], intermediate: Mapping[str, Any]) -> None:
        append_object(self.intermediate, intermediate)
        append_object(self.datasets, dataset)


def replay_script(
    path: Path, out: Path, settings: Settings, *, limit: int | None = None, resume: bool = False, today: str = ""
) -> Iterator[Played | Summary]:
    """Replay the first `limit` conversations of a script with the assistant that the settings describe. `today` is the
    day, ISO 8601, of the turns that name none."""
    from clew.agent.assistant import Assistant  # LangGraph takes its time

    script = on_day(read_script(path, limit), today)
    yield from replay(
        script, out, lambda home: Assistant.open(settings.model_copy(update={"home": home})), resume=resume
    )


def replay(
    script: Script, out: Path, open_assistant: Callable[[Path], "Assistant"], *, resume: bool = False
) -> Iterator[Played | Summary]:
    """Ask every turn of the script and yield it when it is written; the summary, over all turns, comes last.

    `open_assistant` is given the folder of its threads. With `resume`, the turns that both files have are not asked
    again, so far as they were answered from the same library. Raises `BadInput` where `out` cannot be written, and what
    opening and asking raise.
    """
    data, files = out / "threads" / script.name, Files.of(out, script.name)
    if not resume:
        _empty(data)
    with closing(open_assistant(data)) as assistant:
        kept = _kept(assistant, script, files.rows()) if resume else []
        files.replace(kept)
        results = []
        for turn in _play(assistant, script, files, [row for _, row in kept]):
            results.append(turn)
            yield turn
        yield summarize(results)


def _play(assistant: "Assistant", script: Script, files: Files, kept: Sequence[Mapping[str, Any]]) -> Iterator[Played]:
    rows = iter(kept)
    for conversation in script.conversations:
        done = [played(scripted, row, resumed=True) for scripted, row in zip(conversation.turns, rows, strict=False)]
        yield from done
        if len(done) < len(conversation.turns):
            yield from _go_on(assistant, script.thread(conversation), conversation, files, len(done))


def _go_on(
    assistant: "Assistant", thread: str, conversation: Conversation, files: Files, done: int
) -> Iterator[Played]:
    turns = _turns(assistant, thread, conversation)
    for number, (scripted, turn) in enumerate(zip(conversation.turns, turns, strict=True)):
        if number < done:
            continue
        row = intermediate_row(scripted.id, turn)
        result = played(scripted, row)
        row["expectations"] = [asdict(check) for check in result.checks]
        files.append(dataset_row(scripted.id, turn), row)
        yield result


def _turns(assistant: "Assistant", thread: str, conversation: Conversation) -> Iterator[Turn]:
    """Yield the turns that are stored in the thread, then ask the others."""
    stored = assistant.turns(thread)
    if not _fits(stored, conversation.turns, _library(assistant)):
        assistant.forget(thread)
        stored = []
    yield from stored
    for scripted in conversation.turns[len(stored) :]:
        yield _ask(assistant, thread, scripted)


def _ask(assistant: "Assistant", thread: str, scripted: ScriptTurn) -> Turn:
    """A turn that a crash cut off is finished, not asked a second time."""
    if _same(assistant.interrupted(thread), scripted.question):
        events = assistant.resume(thread)
    else:
        events = assistant.ask(thread, scripted.question, today=scripted.today)
    return [event for event in events if isinstance(event, Turn)][-1]


def _kept(
    assistant: "Assistant", script: Script, rows: Sequence[tuple[dict[str, Any], dict[str, Any]]]
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The rows that stand: those of the script's first turns, from the library that is open; of a conversation that
    is not over only if its thread still holds them, because its next turn needs what was said."""
    library = _library(assistant)
    asked = [scripted for conversation in script.conversations for scripted in conversation.turns]
    same = 0
    for scripted, (_, row) in zip(asked, rows, strict=False):
        if not row.keys() >= FIELDS or row["_id"] != scripted.id or row.get("library") != library:
            break
        if not _same(row["original_query"], scripted.question):
            break
        same += 1
    start = 0
    for conversation in script.conversations:
        end = start + len(conversation.turns)
        if end > same:
            stored = assistant.turns(script.thread(conversation)) if same > start else []
            whole = len(stored) >= same - start and _fits(stored, conversation.turns, library)
            return list(rows[: same if whole else start])
        start = end
    return list(rows[:same])


def _empty(folder: Path) -> None:
    """Remove the threads of an earlier run, and what it left of turns that were cut off."""
    try:
        if folder.exists():
            shutil.rmtree(folder)
        private_folder(folder)
    except OSError as error:
        raise BadInput(f"{folder} cannot be written: {error.strerror}") from error


def _library(assistant: "Assistant") -> str:
    return assistant.services.library.manifest.fingerprint


def _fits(stored: Sequence[Turn], scripted_turns: Sequence[ScriptTurn], library: str) -> bool:
    """Whether the stored turns are the first ones of the conversation, answered from this library."""
    return len(stored) <= len(scripted_turns) and all(
        turn.library == library and _same(turn.question, scripted.question)
        for turn, scripted in zip(stored, scripted_turns, strict=False)
    )


def _same(one: str, other: str) -> bool:
    """Whether two questions are the same but for their spacing."""
    return one.split() == other.split()

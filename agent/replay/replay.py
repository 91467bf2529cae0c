"""Replay: conversations asked anew, each turn on top of the answers that it gave itself (seed 003).

    DIR/datasets/<script>.jsonl     a line for every turn, as seed 003 has it
    DIR/intermediate/<script>.jsonl
    DIR/threads/<script>/           its conversations, apart from the user's own

A turn is written to `intermediate`, then to `datasets`. A run with `resume` keeps the first conversations that both
have whole.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import repeat, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.agent.replay.script import (
    FIELDS,
    Conversation,
    Played,
    Script,
    ScriptTurn,
    Summary,
    played,
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


BothRows = tuple[dict[str, Any], dict[str, Any]]
"""What `datasets` and `intermediate` have of a turn."""


@dataclass(frozen=True, slots=True)
class Files:
    """The two files of a script, a line each for the same turns."""

    datasets: Path
    intermediate: Path

    @classmethod
    def of(cls, out: Path, name: str) -> "Files":
        return cls(out / "datasets" / f"{name}.jsonl", out / "intermediate" / f"{name}.jsonl")

    def rows(self) -> list[BothRows]:
        """The rows of the first turns that both files have."""
        both = zip(whole_objects(self.datasets), whole_objects(self.intermediate), strict=False)
        return list(takewhile(lambda pair: pair[0].get("_id") == pair[1].get("_id"), both))

    def replace(self, rows: Sequence[BothRows]) -> None:
        replace_file(self.intermediate, "".join(as_line(row) for _, row in rows))
        replace_file(self.datasets, "".join(as_line(row) for row, _ in rows))

    def append(self, dataset: Mapping[str, Any], intermediate: Mapping[str, Any]) -> None:
        append_object(self.intermediate, intermediate)
        append_object(self.datasets, dataset)


def replay_script(script: Script, out: Path, settings: Settings, *, resume: bool = False) -> Iterator[Played | Summary]:
    """Replay a script with the assistant that the settings describe."""
    from clew.agent.assistant import Assistant  # LangGraph takes its time

    yield from replay(
        script, out, lambda home: Assistant.open(settings.model_copy(update={"home": home})), resume=resume
    )


def replay(
    script: Script, out: Path, open_assistant: Callable[[Path], "Assistant"], *, resume: bool = False
) -> Iterator[Played | Summary]:
    """Ask every turn of the script and yield it when it is written; the summary, over all turns, comes last.

    `open_assistant` is given the folder of its threads. With `resume`, the first conversations that are there whole,
    answered from the same library, are not asked again. Raises `BadInput` where `out` cannot be written, and what
    opening and asking raise.
    """
    data, files = out / "threads" / script.name, Files.of(out, script.name)
    _empty(data)
    with closing(open_assistant(data)) as assistant:
        library = assistant.services.library.manifest.fingerprint
        kept = _kept(script, files.rows(), library) if resume else []
        files.replace(kept)
        rows, results = [row for _, row in kept], list[Played]()
        for conversation in script.conversations:
            its, rows = rows[: len(conversation.turns)], rows[len(conversation.turns) :]
            done = (played(scripted, row, resumed=True) for scripted, row in zip(conversation.turns, its, strict=True))
            for turn in done if its else _asked(assistant, conversation, files):
                results.append(turn)
                yield turn
        yield summarize(results)


def _asked(assistant: "Assistant", conversation: Conversation, files: Files) -> Iterator[Played]:
    for scripted in conversation.turns:
        events = assistant.ask(conversation.id, scripted.question, today=scripted.today)
        turn = [event for event in events if isinstance(event, Turn)][-1]
        row = intermediate_row(scripted.id, turn)
        result = played(scripted, row)
        row["expectations"] = [asdict(check) for check in result.checks]
        files.append(dataset_row(scripted.id, turn), row)
        yield result


def _kept(script: Script, rows: Sequence[BothRows], library: str) -> list[BothRows]:
    """The rows of the script's first conversations, of each all that it has now."""
    kept = list[BothRows]()
    for conversation in script.conversations:
        its = rows[len(kept) : len(kept) + len(conversation.turns)]
        if len(its) < len(conversation.turns) or not all(map(_is_of, its, conversation.turns, repeat(library))):
            break
        kept += its
    return kept


def _is_of(both: BothRows, scripted: ScriptTurn, library: str) -> bool:
    row = both[1]
    same = row.keys() >= FIELDS and row["_id"] == scripted.id and row.get("library") == library
    return same and row["original_query"].split() == scripted.question.split()


def _empty(folder: Path) -> None:
    """Remove the threads of an earlier run."""
    try:
        if folder.exists():
            shutil.rmtree(folder)
        private_folder(folder)
    except OSError as error:
        raise BadInput(f"{folder} cannot be written: {error.strerror}") from error

"""A data set of questions with judgements: a BEIR folder, or a graph folder with the same queries and qrels.

Of a query only `_id`, `text`, `turns` and, where it is asked for, `context` are read: a `Question` holds nothing else.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clew.memory.datatypes import Speaker, Utterance
from clew.memory.errors import BadInput
from clew.memory.json_lines import read_lines, read_objects
from clew.memory.text import storable

SPEAKERS: Mapping[str, Speaker] = {"user": "user", "agent": "agent", "assistant": "agent"}


@dataclass(frozen=True, slots=True)
class Question:
    """`history` is what was said before it; `context` the only documents to rank, None where all are."""

    id: str
    text: str
    history: tuple[Utterance, ...] = ()
    context: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Dataset:
    """`questions` are those with qrels, `everything` all of them; `golds[question][document]` is a grade above 0."""

    name: str
    questions: tuple[Question, ...]
    golds: Mapping[str, Mapping[str, int]]
    everything: tuple[Question, ...]
    notes: tuple[str, ...] = ()


def read_dataset(folder: Path, *, within_context: bool = False) -> Dataset:
    """Raises `BadInput` where the folder, queries or qrels are missing, and with file and line for a broken line."""
    questions = read_questions(folder, within_context=within_context)
    golds = read_qrels(_qrels_of(folder))
    known = {question.id for question in questions}
    judged = tuple(question for question in questions if question.id in golds)
    if not judged:
        raise BadInput(f"no query of {folder} has a relevant document in its qrels")
    unknown = len(golds.keys() - known)
    notes = [f"the qrels of {unknown} queries that are not in queries.jsonl were left out"] if unknown else []
    if within_context and (bare := [question.id for question in judged if question.context is None]):
        raise BadInput(f"{len(bare)} queries of {folder} have no list 'context', the first of them {bare[0]}")
    kept = {question.id: golds[question.id] for question in judged}
    return Dataset(folder.resolve().name, judged, kept, tuple(questions), tuple(notes))


def read_questions(folder: Path, *, within_context: bool = False) -> list[Question]:
    """All queries, with qrels or without. Raises `BadInput`."""
    path = folder / "queries.jsonl"
    if not folder.is_dir():
        raise BadInput(f"there is no folder {folder}")
    if not path.is_file():
        raise BadInput(f"{folder} is not a data set: it has no queries.jsonl")
    questions: dict[str, Question] = {}
    for number, row in read_objects(path):
        question = _question(row, f"{path}:{number}", within_context)
        if question.id in questions:
            raise BadInput(f"{path}:{number} has the _id of an earlier line: {question.id}")
        questions[question.id] = question
    return list(questions.values())


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Three columns parted by tabs, ids as they are; a first line whose score is no number is the header. Whole grades
    as they are; a fraction above 0 counts as 1."""
    golds: dict[str, dict[str, int]] = {}
    for number, line in read_lines(path):
        *ids, score = line.split("\t")
        try:
            grade = float(score)
        except ValueError:
            grade = 0.0 if number == 1 else math.nan
        if len(ids) != 2 or not math.isfinite(grade):
            raise BadInput(f"{path}:{number} is not 'query<tab>document<tab>score'")
        if grade > 0:
            golds.setdefault(ids[0], {})[ids[1]] = max(1, int(grade))
    return golds


def _qrels_of(folder: Path) -> Path:
    for path in (folder / "qrels.tsv", folder / "qrels" / "test.tsv"):
        if path.is_file():
            return path
    raise BadInput(f"{folder} has no qrels: neither qrels.tsv nor qrels/test.tsv")


def _question(row: Mapping[str, Any], place: str, within_context: bool) -> Question:
    name, text = row.get("_id"), row.get("text")
    if not isinstance(name, str | int) or not isinstance(text, str):
        raise BadInput(f"{place} has no '_id' and 'text'")
    listed = row.get("turns") or []
    if not isinstance(listed, list):
        raise BadInput(f"{place} has 'turns' that are not a list")
    turns = tuple(_utterance(turn, place) for turn in listed)
    # `turns` go up to and with the question: what was said before it is the history.
    history = turns[:-1] if turns and turns[-1].speaker == "user" else turns
    context = row.get("context") if within_context else None
    scope = frozenset(map(str, context)) if isinstance(context, list) and context else None
    return Question(storable(str(name)), storable(text), history, scope)


def _utterance(turn: Any, place: str) -> Utterance:
    speaker = SPEAKERS.get(str(turn.get("speaker"))) if isinstance(turn, dict) else None
    if speaker is None or not isinstance(turn.get("text"), str):
        raise BadInput(f"{place} has a turn that is not {{speaker: user or agent, text}}")
    return Utterance(speaker, storable(turn["text"]))

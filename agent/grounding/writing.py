"""`answer` by a language model: from the passages alone, with citations, streamed, checked sentence by sentence."""

import re
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

from clew.agent.grounding.drafting import attributed, claims_of, numbered
from clew.agent.grounding.fitting import Material, fit
from clew.agent.grounding.listening import NOT_FOUND, UNCLEAR, Said, Tell, listen, most_tokens, refuses
from clew.agent.language.recording import RecordedWriter
from clew.agent.picking import has_earlier_turns
from clew.agent.state import Answer, Claim, Piece, PromptPart
from clew.agent.verifying import verdict
from clew.memory.datatypes import Passage, Sentence
from clew.memory.errors import Cancelled, ModelFailed, PromptCut, ServiceUnreachable
from clew.memory.instructions import neutralised
from clew.memory.ports import Message
from clew.memory.words import content_words, words
from clew.prompts import render

MARGIN = 100
"""Tokens for what the estimates do not count."""

TRIES = 3
"""A prompt that was cut is sent again with half as much material."""

PATHS = 3

FOREIGN = 0.5
"""An answer with less than so much of the passages' share of English function words is in another language."""

_AT_END = re.compile(rf"\s*\b{NOT_FOUND}\b[.!]?\s*$")

Unsupported = Literal["mark", "rewrite", "remove"]


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be answered: the question as it was asked and as it stands alone, the passages in the order in which
    they are read, the walked paths as lines, and what was said before."""

    question: str
    standing: str
    passages: tuple[Passage, ...]
    paths: tuple[str, ...] = ()
    context: tuple[Sentence, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """What a model made of a task. `answer` is None where it says that the passages do not answer. `removed[i]` counts
    the instructions that were left out of passage i, `unknown` the citations of passages that there are not; `broke`
    says why it ends in the middle."""

    answer: Answer | None
    removed: tuple[int, ...] = ()
    unknown: int = 0
    broke: str = ""


class Unusable(ModelFailed):
    """A model wrote what no passage supports."""


def write(task: Task, writer: RecordedWriter, unsupported: Unsupported, tell: Tell, cancel: threading.Event) -> Draft:
    """The model's answer, its words told as they come. What it wrote before a stop or a failure is kept.

    `unsupported` sentences are marked (by `verify`), or the answer is written once more, or they are removed. A prompt
    that was cut is sent again with half of the material. Raises `ServiceUnreachable` where nothing usable was said,
    `Unusable` among them, and `Cancelled` where nothing was said at all.
    """
    messages, material = _prompt(task, writer, 10**9)
    for _ in range(TRIES - 1):
        try:
            return _answered(task, messages, material, writer, unsupported, tell, cancel)
        except PromptCut:
            tell(Piece("", restart=True))
            messages, material = _prompt(task, writer, material.tokens // 2)
    return _answered(task, messages, material, writer, unsupported, tell, cancel)


def _prompt(task: Task, writer: RecordedWriter, room: int) -> tuple[list[Message], Material]:
    """With as much of the passages as the window has room for, at most `room` tokens."""
    rules = render("answer-rules")
    path = (
        render("answer-path", path="\n".join(neutralised(line).text for line in task.paths[:PATHS]))
        if task.paths
        else ""
    )
    said = "\n".join(f"{sentence.speaker}: {neutralised(sentence.text).text}" for sentence in task.context)
    context = render("answer-context", context=said) if said else ""
    question = task.question if said and has_earlier_turns(task.question, task.standing) else task.standing
    around = render("answer", passages="", path=path, context=context, question=question)
    spare = writer.window - most_tokens(writer) - MARGIN - writer.tokens(rules) - writer.tokens(around)
    material = fit(task.standing, task.passages, max(min(room, spare), 0), writer.tokens)
    around_it = (("the rules", rules), ("the path", path), ("the context", context))
    writer.parts = (*(PromptPart(name, writer.tokens(text)) for name, text in around_it if text), *material.parts)
    text = render("answer", passages=material.text, path=path, context=context, question=question)
    return [Message("system", rules), Message("user", re.sub(r"\n{3,}", "\n\n", text))], material


def _answered(
    task: Task,
    messages: Sequence[Message],
    material: Material,
    writer: RecordedWriter,
    unsupported: Unsupported,
    tell: Tell,
    cancel: threading.Event,
) -> Draft:
    said = listen(writer, messages, len(task.passages), tell, cancel)
    draft = _draft(said, task, material)
    if unsupported == "mark" or draft.answer is None or draft.answer.outcome != "answered":
        return draft
    if not _supported(draft.answer.claims, draft.answer.sources):
        return draft  # in another language than the passages: nothing in it could be checked
    wrong = [claim.text for claim in draft.answer.claims if _wrong(claim, draft.answer.sources)]
    if wrong and unsupported == "rewrite" and not draft.broke:
        tell(Piece("", restart=True))
        again = [Message("assistant", said.raw), Message("user", render("answer-again", sentences="\n".join(wrong)))]
        with suppress(ServiceUnreachable, Cancelled):  # then the first draft stands, without what is not supported
            draft = _draft(listen(writer, [*messages, *again], len(task.passages), tell, cancel), task, material)
    return replace(draft, answer=_without_wrong(draft.answer)) if draft.answer else draft


def _draft(said: Said, task: Task, material: Material) -> Draft:
    """Raises `Unusable` where nothing that it says is in the passages."""
    draft = Draft(None, material.removed, said.unknown, said.broke)
    if refuses(said.raw):
        return draft
    if said.start.startswith(UNCLEAR):
        question = " ".join(said.start[len(UNCLEAR) :].split())
        return replace(draft, answer=Answer("unclear", (Claim(question),))) if question else draft
    claims = attributed(_claims(said), task.passages)
    if not said.stopped and not _usable(claims, task.passages):
        raise Unusable("no passage says what it wrote")
    renumbered, sources = numbered(claims, task.passages)
    return replace(draft, answer=Answer("stopped" if said.stopped else "answered", renumbered, sources))


def _claims(said: Said) -> list[Claim]:
    """Citing the passages by their places."""
    return [
        replace(claim, cites=tuple(said.order[number - 1] for number in claim.cites if number <= len(said.order)))
        for claim in claims_of(_AT_END.sub("", said.text))
    ]


def _usable(claims: Sequence[Claim], passages: Sequence[Passage]) -> bool:
    """Whether a sentence that cites is supported at least weakly. An answer in another language than the passages'
    cannot be checked by its words: it counts as usable where it cites."""
    if _supported(claims, passages):
        return True
    citing = [claim for claim in claims if claim.cites]
    said, known = " ".join(claim.text for claim in claims), " ".join(passage.text for passage in passages)
    return bool(citing) and _function_words(said) < FOREIGN * _function_words(known)


def _supported(claims: Sequence[Claim], passages: Sequence[Passage]) -> bool:
    return any(claim.cites and not _wrong(claim, passages) for claim in claims)


def _function_words(text: str) -> float:
    """Their share."""
    return 1 - len(content_words(text)) / max(len(words(text)), 1)


def _wrong(claim: Claim, passages: Sequence[Passage]) -> bool:
    return bool(claim.cites) and verdict(claim, passages) == "unsupported"


def _without_wrong(answer: Answer) -> Answer:
    claims, sources = numbered([claim for claim in answer.claims if not _wrong(claim, answer.sources)], answer.sources)
    return replace(answer, claims=claims, sources=sources)

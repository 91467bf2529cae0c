"""The maker of answers that has a language model: written from the passages alone, with citations, streamed, checked
sentence by sentence."""

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

from clew.agent.answer.citations import Citations, attributed, claims_of, numbered, verdict, whole_sentences
from clew.agent.answer.output_filter import OutputFilter
from clew.agent.llm.ledger import RecordedWriter
from clew.agent.state import Answer, Claim, Kept, Piece, PromptPart, Turn
from clew.memory.datatypes import Passage
from clew.memory.errors import Cancelled, ModelFailed, PromptCut, ServiceUnreachable
from clew.memory.instructions import Topic, neutralised, speaks_to_a_model
from clew.memory.ports import Encoder, Message, Output, Usage, Void
from clew.memory.text import content_words, split, words
from clew.prompts import render

TEMPERATURE = 0.1
NOT_FOUND, UNCLEAR = "NOT FOUND", "UNCLEAR:"
"""What a model writes, and the person never sees, where it cannot answer, or asks back."""

_REFUSAL = re.compile(rf"{NOT_FOUND}\s*(?:[.,:;!(–-]|$)")

Emit = Callable[[Piece], object]
"""Takes each piece of an answer as it is written."""

MARGIN = 100
"""Tokens for what the estimates do not count."""

TRIES = 3
"""A prompt that was cut is sent again with half as much of the passages."""

PATHS = 3

FOREIGN = 0.5
"""An answer with less than so much of the passages' share of English function words is in another language."""

_AT_END = re.compile(rf"\s*\b{NOT_FOUND}\b[.!]?\s*$")

Unsupported = Literal["mark", "rewrite", "remove"]


# The prompt -----------------------------------------------------------------------------------------------------------


def fenced(number: int, title: str, text: str) -> str:
    """`<passage id="2" title="...">`, the text, `</passage>`."""
    shown = re.sub(r'[<>"\s]+', " ", neutralised(title).text).strip()
    return f'<passage id="{number}" title="{shown}">\n{text.strip()}\n</passage>'


def reported(passages: Sequence[Passage], removed: Sequence[int]) -> tuple[str, ...]:
    """A line for the person on each passage that instructions were taken out of."""
    return tuple(
        f"{passage.title or passage.document} has {count} instruction{'' if count == 1 else 's'} to a language model in"
        " its text: not followed, and left out of the prompt"
        for passage, count in zip(passages, removed, strict=True)
        if count
    )


@dataclass(frozen=True, slots=True)
class GivenUnit:
    """What most likely answers: text of passage `number`, and the heading that it stands under."""

    number: int
    heading: str
    text: str


def units_of(answer: Answer, passages: Sequence[Passage]) -> tuple[GivenUnit, ...]:
    """What an answer quotes, claims of one source together, by the places of its sources among the passages."""
    places = {passage.id: number for number, passage in enumerate(passages, 1)}
    found: dict[int, list[str]] = {}
    for claim in answer.claims:
        for source in (answer.sources[number - 1] for number in claim.cites[:1] if claim.quotes):
            if source.id in places:
                found.setdefault(places[source.id], []).append(claim.text)
    headings = {places[source.id]: source.heading for source in answer.sources if source.id in places}
    return tuple(GivenUnit(number, headings[number], "\n".join(texts)) for number, texts in found.items())


def led(units: Sequence[GivenUnit], passages: Sequence[Passage]) -> str:
    """The units as a prompt has them, each fenced with the number of its passage."""
    each = [(unit, passages[unit.number - 1].title) for unit in units]
    return "\n".join(
        fenced(unit.number, f"{title}: {unit.heading}" if unit.heading not in ("", title) else title, clean.text)
        for unit, title in each
        if (clean := neutralised(unit.text)).text.strip()
    )


SENTENCES = 3
"""What a passage that does not fit whole is summarised to."""


@dataclass(frozen=True, slots=True)
class PromptPassages:
    """`text` is what the prompt has of the passages, whose numbers in it count from 1 in their order; `parts` has a
    line for each passage; `removed[i]` counts the instructions that were left out of passage i."""

    text: str
    parts: tuple[PromptPart, ...]
    removed: tuple[int, ...]

    @property
    def tokens(self) -> int:
        return sum(part.tokens for part in self.parts)


def fit(question: str, passages: Sequence[Passage], room: int, count: Callable[[str], int]) -> PromptPassages:
    """The passages in their order, the best first, in at most `room` tokens by `count`.

    Where they do not all fit, the last ones are summarised to the sentences that share most words with the question;
    what still does not fit is left out, the last first. The first is always there.
    """
    clean = [neutralised(passage.text) for passage in passages]
    whole = [fenced(n, p.title, c.text) for n, (p, c) in enumerate(zip(passages, clean, strict=True), 1)]
    short = [
        fenced(n, p.title, best_sentences(question, c.text))
        for n, (p, c) in enumerate(zip(passages, clean, strict=True), 1)
    ]
    shown: list[str | None] = list(whole)
    sizes = [count(text) for text in whole]
    for place in reversed(range(len(passages))):
        if sum(sizes) <= room:
            break
        shown[place], sizes[place] = short[place], min(count(short[place]), sizes[place])
    for place in reversed(range(1, len(passages))):
        if sum(sizes) <= room:
            break
        shown[place], sizes[place] = None, 0
    parts = tuple(
        PromptPart(
            f"passage {n}: {passage.title or passage.document}", sizes[n - 1], _kept_as(shown[n - 1], whole[n - 1])
        )
        for n, passage in enumerate(passages, 1)
    )
    return PromptPassages("\n".join(text for text in shown if text), parts, tuple(one.removed for one in clean))


def best_sentences(question: str, text: str) -> str:
    """In the order of the text; the first ones where none shares a word with the question."""
    asked = set(content_words(question))
    sentences = [text[start:end] for start, end in split(text)]
    ranked = sorted(range(len(sentences)), key=lambda n: (-len(asked & set(content_words(sentences[n]))), n))
    return " ".join(sentences[n] for n in sorted(ranked[:SENTENCES]))


def _kept_as(shown: str | None, whole: str) -> Kept:
    return "left out" if shown is None else "whole" if shown == whole else "summarised"


# Written --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a model wrote for a turn. `answer` is None where it says that the passages do not answer. `removed[i]`
    counts the instructions that were left out of passage i, `unknown` the citations of passages that there are not;
    `broke` is why it breaks off, or empty."""

    answer: Answer | None
    removed: tuple[int, ...] = ()
    unknown: int = 0
    broke: str = ""


class Unusable(ModelFailed):
    """A model wrote what no passage supports."""


@dataclass(frozen=True, slots=True)
class _Reply:
    """`raw` is as the model wrote it; `text` as it was shown, citations numbered in the order of first mention:
    `order[n - 1]` is the passage of citation n, `unknown` counts citations of passages that there are not. `stopped`:
    by the person; `broke` is why it breaks off, or empty."""

    raw: str
    text: str
    order: tuple[int, ...] = ()
    unknown: int = 0
    stopped: bool = False
    broke: str = ""

    @property
    def start(self) -> str:
        return _start(self.raw)


def write(
    turn: Turn,
    writer: RecordedWriter,
    unsupported: Unsupported,
    emit: Emit,
    cancel: threading.Event,
    units: Sequence[GivenUnit] = (),
    encoder: Encoder | None = None,
) -> ModelAnswer:
    """The model's answer from the turn's passages, of which `units` most likely answer, its words emitted as they may
    leave (`OutputFilter`; with an `encoder` nothing that has nothing to do with the question). What it wrote before a
    stop or a failure is kept.

    `unsupported` sentences are marked (by `verify`), or the answer is written once more, or they are removed. A prompt
    that was cut is sent again with half of the passages. Raises `ServiceUnreachable` where nothing usable came,
    `Unusable` among them, and `Cancelled` where nothing came at all.
    """
    asked = " ".join(dict.fromkeys((turn.rewritten, turn.meant, turn.typed)))
    output = OutputFilter(turn.passages, Topic(asked, encoder) if encoder else None)
    messages, given = _prompt(turn, writer, units, 10**9)
    for _ in range(TRIES - 1):
        try:
            return _answered(turn, messages, given, writer, unsupported, output, emit, cancel)
        except PromptCut:
            emit(Piece("", restart=True))
            messages, given = _prompt(turn, writer, units, given.tokens // 2)
    return _answered(turn, messages, given, writer, unsupported, output, emit, cancel)


def _prompt(
    turn: Turn, writer: RecordedWriter, units: Sequence[GivenUnit], room: int
) -> tuple[list[Message], PromptPassages]:
    """With the units, and as much of the passages as the window has room for, at most `room` tokens."""
    first = render("answer-units", units=led(units, turn.passages)) if units else ""
    rules = render("answer-rules")
    path = (
        render("answer-path", path="\n".join(neutralised(line).text for line in turn.paths[:PATHS]))
        if turn.paths
        else ""
    )
    sentences = "\n".join(f"{one.speaker}: {neutralised(one.text).text}" for one in turn.recalled.selected)
    context = render("answer-context", context=sentences) if sentences else ""
    question = turn.meant if context and turn.with_history else turn.rewritten
    around = render("answer", units=first, passages="", path=path, context=context, question=question)
    spare = writer.window - most_tokens(writer) - MARGIN - writer.tokens(rules) - writer.tokens(around)
    given = fit(turn.rewritten, turn.passages, max(min(room, spare), 0), writer.tokens)
    around_it = (("the rules", rules), ("the units", first), ("the path", path), ("the context", context))
    writer.parts = (*(PromptPart(name, writer.tokens(text)) for name, text in around_it if text), *given.parts)
    text = render("answer", units=first, passages=given.text, path=path, context=context, question=question)
    return [Message("system", rules), Message("user", re.sub(r"\n{3,}", "\n\n", text).lstrip())], given


def _answered(
    turn: Turn,
    messages: Sequence[Message],
    given: PromptPassages,
    writer: RecordedWriter,
    unsupported: Unsupported,
    output: OutputFilter,
    emit: Emit,
    cancel: threading.Event,
) -> ModelAnswer:
    reply = _read_reply(writer, messages, len(turn.passages), output, emit, cancel)
    drafted = _model_answer(reply, turn, given, output)
    if unsupported == "mark" or drafted.answer is None or drafted.answer.outcome != "answered":
        return drafted
    if not _supported(drafted.answer.claims, drafted.answer.sources):
        return drafted  # in another language than the passages: nothing in it could be checked
    wrong = [claim.text for claim in drafted.answer.claims if _wrong(claim, drafted.answer.sources)]
    if wrong and unsupported == "rewrite" and not drafted.broke:
        emit(Piece("", restart=True))
        again = [Message("assistant", reply.raw), Message("user", render("answer-again", sentences="\n".join(wrong)))]
        with suppress(ServiceUnreachable, Cancelled):  # then the first one stands, without what is not supported
            reply = _read_reply(writer, [*messages, *again], len(turn.passages), output, emit, cancel)
            drafted = _model_answer(reply, turn, given, output)
    return replace(drafted, answer=_without_wrong(drafted.answer)) if drafted.answer else drafted


def _read_reply(
    writer: RecordedWriter,
    messages: Sequence[Message],
    passages: int,
    output: OutputFilter,
    emit: Emit,
    cancel: threading.Event,
) -> _Reply:
    """The model's reply about so many passages, each piece emitted as it may leave. Raises `Cancelled` and
    `ServiceUnreachable` where nothing came before that can be kept, and `PromptCut`."""
    citations, raw, shown = Citations(passages), list[str](), list[str]()
    stopped, broke = False, ""
    pieces = _Restartable(writer.write(messages, cancel=cancel, temperature=TEMPERATURE, tokens=most_tokens(writer)))
    try:
        while not pieces.over:
            citations, raw, shown = Citations(passages), list[str](), list[str]()
            for piece in output.streamed(_without_marks(citations.streamed(_kept(pieces, raw)))):
                shown.append(piece)
                emit(Piece(piece))
            if pieces.void:
                emit(Piece("", restart=True))
        if pieces.cut:
            shown, broke = [whole_sentences("".join(shown))], "it came to its limit of tokens"
    except Cancelled:
        if not "".join(shown).strip():
            raise
        stopped = True
    except PromptCut:
        raise
    except ServiceUnreachable as error:
        shown = [whole_sentences("".join(shown))]
        if not shown[0]:
            raise
        broke = error.message
    return _Reply("".join(raw), "".join(shown), tuple(citations.order), len(citations.dropped), stopped, broke)


def most_tokens(writer: RecordedWriter) -> int:
    """Of an answer; in a small window a quarter of it."""
    return min(writer.most, writer.window // 4)


class _Restartable:
    """The words of a model up to a `Void`, and in a next iteration those behind it. `over`: there are no more; `cut`: a
    limit of tokens ended them."""

    def __init__(self, output: Iterator[Output]) -> None:
        self._output = output
        self.over = self.void = self.cut = False

    def __iter__(self) -> Iterator[str]:
        self.void = False
        for piece in self._output:
            if isinstance(piece, Void):
                self.void = True
                return
            if isinstance(piece, Usage):
                self.cut = not piece.whole
            elif isinstance(piece, str):
                yield piece
        self.over = True


def _kept(pieces: Iterable[str], raw: list[str]) -> Iterator[str]:
    for piece in pieces:
        raw.append(piece)
        yield piece


def _without_marks(pieces: Iterator[str]) -> Iterator[str]:
    """An answer that is a mark is not shown: its first words wait until they can be none."""
    held = ""
    for piece in pieces:
        held += piece
        start = _start(held)
        if any(start.startswith(mark) or mark.startswith(start) for mark in (NOT_FOUND, UNCLEAR)):
            continue
        yield held
        held = ""
        break
    yield from pieces
    if held and not (refuses(held) or _start(held).startswith(UNCLEAR)):
        yield held


def refuses(text: str) -> bool:
    """Whether it is the mark, alone or with a reason behind it; 'Not found on any other planet, ...' answers."""
    start = _start(text)
    return bool(_REFUSAL.match(start)) or start.strip(" .!*\"'\n").upper() == NOT_FOUND


def _start(text: str) -> str:
    return text.lstrip(" \n*\"'")


def _model_answer(reply: _Reply, turn: Turn, given: PromptPassages, output: OutputFilter) -> ModelAnswer:
    """Raises `Unusable` where no passage supports anything that it says."""
    drafted = ModelAnswer(None, given.removed, reply.unknown, reply.broke)
    if refuses(reply.raw):
        return drafted
    if reply.start.startswith(UNCLEAR):
        question = OutputFilter(()).plain(" ".join(reply.start[len(UNCLEAR) :].split()))
        if speaks_to_a_model(question):
            raise Unusable("it asks what a document orders")
        return replace(drafted, answer=Answer("unclear", (Claim(question),))) if question else drafted
    claims = output.claims(attributed(_claims(reply), turn.passages))
    if not reply.stopped and not _usable(claims, turn.passages):
        raise Unusable("no passage says what it wrote")
    renumbered, sources = numbered(claims, turn.passages)
    return replace(drafted, answer=Answer("stopped" if reply.stopped else "answered", renumbered, sources))


def _claims(reply: _Reply) -> list[Claim]:
    """Citing the passages by their places."""
    return [
        replace(claim, cites=tuple(reply.order[number - 1] for number in claim.cites if number <= len(reply.order)))
        for claim in claims_of(_AT_END.sub("", reply.text))
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

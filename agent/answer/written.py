"""Makes answers with a language model: from the passages alone, with citations, streamed, each sentence checked."""

import re
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from clew.agent.answer.citations import Citations, claims_of, numbered, stands_in, whole_sentences
from clew.agent.answer.evidence import READ, question_for_models, request_of
from clew.agent.answer.judge import refused
from clew.agent.answer.output_filter import OutputFilter
from clew.agent.answer.quoted import evidence_for, in_library, quoted
from clew.agent.answer.reader import with_bold
from clew.agent.answer.verification import all_but_one, attributed, language_beside, verdict, words_asked
from clew.agent.llm.endings import until_its_end
from clew.agent.llm.ledger import RecordedWriter
from clew.agent.llm.prompt_passages import PromptPassages, fit, reported
from clew.agent.services import Services, TurnContext
from clew.agent.state import UNANSWERED, Answer, Claim, Fallback, Made, Piece, PromptPart, Turn
from clew.memory.datatypes import Passage
from clew.memory.errors import Cancelled, ModelFailed, PromptCut, ServiceUnreachable
from clew.memory.instructions import Topic, neutralised, speaks_to_a_model
from clew.memory.language.answer_type import answer_type
from clew.memory.language.telling import language_of
from clew.memory.ports import Encoder, Message, Output, Usage, Void, WriteOptions
from clew.memory.text import NAMES, content_words
from clew.prompts import render

TEMPERATURE = 0.1
NOT_FOUND, UNCLEAR = "NOT FOUND", "UNCLEAR:"
"""What a model writes if it cannot answer, or asks back. The person does not see these words."""

_REFUSAL = re.compile(rf"{NOT_FOUND}\s*(?:[.,:;!(–-]|$)|(?i:{NOT_FOUND})[\s.!*\"']*$")
"""The mark, perhaps with a reason. "Not found on any other planet, ..." is an answer."""

MARGIN = 100
"""Tokens of the window that are left free, as the estimates are not exact."""

ROOM = 1_650
"""Tokens of all passages in a prompt: eight whole ones are more, and models cite the first of them."""

TRIES = 3
"""How often a prompt that the server cut is sent, each time with half of the passages."""

CONNECTIONS = 16
"""Relations that a prompt has."""

_AT_END = re.compile(rf"\s*\b{NOT_FOUND}\b[.!]?\s*$")

_LISTED = re.compile(r"\n[^\n:\[\]]{1,30}:((?:[\s*_•-]*\[\d+\][^\n\[\]]*)+)\s*\Z")
"""A label, and numbers before what they stand for: `Sources: [2] Tenancy`."""

Unsupported = Literal["mark", "remove"]


def written(turn: Turn, run: TurnContext) -> Made:
    """The answer that a language model writes. Where it fails, what it has shown is taken back, and the quoted answer
    stands; one stopped before its first word has no words."""
    model, plain = run.services.writers.answer, None
    assert model
    writer = RecordedWriter(model, "answer", run.emit, run.services.answer.tokens)
    try:
        if not model.abilities.is_small:
            return _from_passages(turn, run, writer)
        plain = quoted(turn, run)
        return _shortened(turn, run, writer, plain)
    except Cancelled:
        return Made(Answer("stopped", ()), ledger=writer.ledger)
    except ServiceUnreachable as error:
        run.emit(Piece("", restart=True))
        failed, details = (Fallback("answer", error.message),), (f"quoted, as {error.message}",)
        return replace(plain or quoted(turn, run), degraded=failed, ledger=writer.ledger, details=details)


def _from_passages(turn: Turn, run: TurnContext, writer: RecordedWriter) -> Made:
    """The answer from the best passages, after what a table answers; the model may also refuse or ask back. Raises what
    `write` raises."""
    services, corpus = run.services, turn.search.corpus
    evidence = {one.id: one for one in (*(corpus.passages if corpus else ()), *turn.passages)}
    if not evidence:
        return Made(_refusal(turn, services), details=(f"{writer.name} was not asked",))
    best = [*evidence.values()][:READ]
    shown = turn.found([*best, *connected(best, services)])
    made = write(shown, writer, services.unsupported, run.emit, run.cancel, services.encoder)
    if made.answer.refused:
        return replace(made, answer=_refusal(turn.documented, services), degraded=())
    form = answer_type(turn.rewritten).form
    return replace(made, answer=in_library(replace(made.answer, form=form), services.library.store))


def _shortened(turn: Turn, run: TurnContext, writer: RecordedWriter, plain: Made) -> Made:
    """What a model of less than a billion parameters makes of the quoted answer. It does not decide whether anything
    answers, and its text is taken only if it stands in the quotations word for word: such models invent ("it is safe",
    of what is not). Raises what `write` raises, and `ModelFailed` for another text."""
    shown = plain.answer
    if shown.refused or shown.outcome == "unclear" or not shown.sources:
        return replace(plain, details=(f"{writer.name} was not asked",))
    units = [
        replace(source, text="\n".join(claim.text for claim in shown.claims if number in claim.cites))
        for number, source in enumerate(shown.sources, 1)
    ]
    made = write(turn.found(units), writer, "mark", run.emit, run.cancel)
    told = " ".join(unit.text for unit in units)
    if made.answer.refused or not all(stands_in(claim.text, told) for claim in made.answer.claims):
        raise ModelFailed(f"what {writer.name} wrote is not what the documents say")
    known = {(one.id, one.heading): one for one in shown.sources}
    sources = tuple(known[one.id, one.heading] for one in made.answer.sources)
    answer = with_bold(replace(made.answer, sources=sources, form=shown.form), turn.rewritten)
    return replace(made, answer=answer, degraded=())


def _refusal(turn: Turn, services: Services) -> Answer:
    """A refusal that names the names and numbers of the question which the library does not have."""
    lacked = evidence_for(turn, services).lacked(turn.rewritten)
    return refused(turn.passages, [word for word in lacked if not word.islower()], turn.rewritten)


def connected(passages: Sequence[Passage], services: Services) -> list[Passage]:
    """A passage of the relations that a graph folder gives between the documents of these passages, as `(Lang)
    -[directed]-> (M)`: their texts need not say them. None if there are none."""
    titles = {one.document: one.title for one in passages}
    edges = (edge for own in services.library.store.neighbours([*titles]) for edge in own if edge.relation)
    within = (edge for edge in edges if {edge.source, edge.target} <= titles.keys())
    told = dict.fromkeys(f"({titles[one.source]}) -[{one.relation}]-> ({titles[one.target]})" for one in within)
    text = "\n".join([*told][:CONNECTIONS])
    return [Passage("connections", "", "How they are connected", text, 0.0, "graph")] if text else []


@dataclass(frozen=True, slots=True)
class _Reply:
    """`raw` is the text as the model wrote it; `text` as it was shown, with citations numbered in the order of first
    mention: `order[n - 1]` is the passage of citation n. `stopped`: by the person; `broke` says why it breaks off, or
    is empty."""

    raw: str
    text: str
    order: Sequence[int]
    stopped: bool
    broke: str


def write(
    turn: Turn,
    writer: RecordedWriter,
    unsupported: Unsupported,
    emit: Callable[[Piece], object],
    cancel: threading.Event,
    encoder: Encoder | None = None,
) -> Made:
    """The model's answer from the turn's passages, its words given to `emit` as they may leave (`OutputFilter`; with an
    `encoder` nothing that has nothing to do with the question); `UNANSWERED` if it says that they do not answer. What
    it wrote before a stop or a failure is kept.

    `unsupported` sentences are marked (by `verify`), or removed. A prompt that was cut is sent again with half of the
    passages. Raises `ServiceUnreachable` where nothing usable came, and `Cancelled` where nothing came at all.
    """
    output = OutputFilter(turn.passages, Topic(words_asked(turn), encoder) if encoder else None, turn.language)
    return replace(_Writing(turn, writer, unsupported, emit, cancel, output).answer(), ledger=writer.ledger)


@dataclass(frozen=True, slots=True)
class _Writing:
    """The arguments of `write`, and the filter of what may be shown."""

    turn: Turn
    writer: RecordedWriter
    unsupported: Unsupported
    emit: Callable[[Piece], object]
    cancel: threading.Event
    output: OutputFilter

    def answer(self, room: int = ROOM, tries: int = TRIES) -> Made:
        """The answer, from as many passages as fit into the window and into `room` tokens."""
        fixed = self.writer.tokens(self._prompt(""))
        spare = self.writer.window - self._most - MARGIN - fixed
        given = fit(self.turn.rewritten, self.turn.passages, max(min(room, spare), 0), self.writer.tokens)
        self.writer.parts = (PromptPart("the rules, the question, what was said", fixed), *given.parts)
        prompt = Message("user", re.sub(r"\n{3,}", "\n\n", self._prompt(given.text)).strip())
        try:
            return self._checked(prompt, given)
        except PromptCut:
            if tries == 1:
                raise
            self.emit(Piece("", restart=True))
            return self.answer(given.tokens // 2, tries - 1)

    @property
    def _most(self) -> int:
        """Tokens of an answer; in a small window a quarter of it."""
        return min(self.writer.most, self.writer.window // 4)

    def _prompt(self, passages: str) -> str:
        """The prompt. It has what was said before only if the question refers to that; where a model has made it stand
        alone, it has the question as typed in place of that. A small model gets the passages and the question."""
        turn, question = self.turn, question_for_models(self.turn)
        if self.writer.abilities.is_small:
            return render("answer-small", passages=passages, question=question)
        wrote, failed = {one.purpose for one in turn.ledger}, {one.part for one in turn.degraded}
        by_model = "rewrite" in wrote - failed
        leans = turn.rewritten != turn.typed or request_of(turn).expanded not in ("", turn.rewritten)
        told = turn.recalled.in_order if leans and not by_model else ()
        spoken = "\n".join(f"{one.speaker}: {neutralised(one.text).text}" for one in told)
        said = render("answer-said", said=spoken) if spoken else ""
        if by_model and turn.typed != question:
            said = render("answer-typed", typed=turn.typed)
        language = NAMES.get(turn.language, "its language")
        return render("answer", passages=passages, said=said, question=question, language=language)

    def _checked(self, prompt: Message, given: PromptPassages) -> Made:
        drafted = self._drafted(self._reply(prompt), given)
        answer = drafted.answer
        if self.unsupported == "mark" or answer.outcome != "answered":
            return drafted
        right = [claim for claim in answer.claims if claim.verdict != "unsupported"]
        if not right and language_of(answer.plain) in ("", "en"):
            raise ModelFailed("no passage says what it wrote")
        if not right:
            return drafted  # in another language than the passages: nothing in it could be checked
        claims, sources = numbered(right, answer.sources)
        return replace(drafted, answer=replace(answer, claims=claims, sources=sources))

    def _reply(self, prompt: Message) -> _Reply:
        """The model's, each piece emitted as it may leave. Raises `Cancelled` and `ServiceUnreachable` where nothing
        came before that can be kept, and `PromptCut`."""
        citations, shown, stopped, broke = Citations(len(self.turn.passages)), list[str](), False, ""
        options = WriteOptions(cancel=self.cancel, temperature=TEMPERATURE, tokens=self._most)
        pieces = _Restartable(self.writer.write([prompt], options))
        try:
            while True:
                citations, shown = Citations(len(self.turn.passages)), list[str]()
                written = citations.streamed(until_its_end(iter(pieces)))
                for piece in self.output.streamed(_without_marks(written)):
                    shown.append(piece)
                    self.emit(Piece(piece))
                if not pieces.void:
                    break
                self.emit(Piece("", restart=True))
            if pieces.cut:
                shown, broke = [whole_sentences("".join(shown))], "it came to its limit of tokens"
        except Cancelled:
            if not "".join(shown).strip():
                raise
            stopped = True
        except ServiceUnreachable as error:
            shown = [whole_sentences("".join(shown))]
            if isinstance(error, PromptCut) or not shown[0]:
                raise
            broke = error.message
        finally:
            pieces.close()
        return _Reply("".join(pieces.raw), "".join(shown), citations.order, stopped, broke)

    def _drafted(self, reply: _Reply, given: PromptPassages) -> Made:
        """Raises `ModelFailed` where no sentence that cites may stand alone."""
        start, passages, order = _start(reply.raw), self.turn.passages, reply.order
        broke = (Fallback("answer", f"it breaks off: {reply.broke}"),) if reply.broke else ()
        drafted = Made(UNANSWERED, self.writer.name, broke, details=reported(passages, given.removed))
        if _REFUSAL.match(start):
            return drafted
        if start.startswith(UNCLEAR):
            question = OutputFilter((), language=self.turn.language).plain(" ".join(start[len(UNCLEAR) :].split()))
            if speaks_to_a_model(question):
                raise ModelFailed("it asks what a document orders")
            return replace(drafted, answer=Answer("unclear", (Claim(question),))) if question else drafted
        text, titles = _AT_END.sub("", reply.text), content_words(" ".join(one.title for one in passages))
        listed = _LISTED.search(text)
        if listed and {*content_words(re.sub(r"\[\d+\]", "", listed[1]))} <= {*titles}:
            text = text[: listed.start()]
        claims = [
            replace(claim, cites=tuple(order[number - 1] for number in claim.cites if number <= len(order)))
            for claim in claims_of(text)
        ]
        kept = self.output.claims(attributed(claims, passages, words_asked(self.turn)))
        if not reply.stopped and not any(one.cites and self._may_stand(one) for one in kept):
            raise ModelFailed("no passage says what it wrote")
        return replace(drafted, answer=Answer("stopped" if reply.stopped else "answered", *numbered(kept, passages)))

    def _may_stand(self, claim: Claim) -> bool:
        """Whether a claim is not unsupported, once the names and numbers of the question, or one that was worked out,
        count as known; true in other languages than English, which cannot be checked."""
        passages = [replace(one, heading=f"{one.heading} {words_asked(self.turn)}") for one in self.turn.passages]
        told = (
            claim.verdict != "unsupported"
            or not _wrong(claim, passages)
            or not _wrong(all_but_one(claim, passages), passages)
        )
        evidence = " ".join(one.text for one in passages)
        return told or language_beside(claim.text, evidence, words_asked(self.turn)) not in ("", "en")


class _Restartable:
    """The words of a model up to a `Void`, and, iterated again, those after it; `raw` are the words of the last
    iteration. `cut`: the limit of tokens ended them."""

    def __init__(self, output: Iterator[Output]) -> None:
        self._output = output
        self.raw, self.void, self.cut = list[str](), False, False

    def close(self) -> None:
        """Ends the model's work, where it still writes."""
        if isinstance(self._output, Generator):
            self._output.close()

    def __iter__(self) -> Iterator[str]:
        self.raw, self.void = [], False
        for piece in self._output:
            if isinstance(piece, Void):
                self.void = True
                return
            if isinstance(piece, Usage):
                self.cut = not piece.whole
            elif isinstance(piece, str):
                self.raw.append(piece)
                yield piece


def _without_marks(pieces: Iterator[str]) -> Iterator[str]:
    """The pieces, without an answer that is only a mark: the first words wait until they can be none."""
    held = ""
    for piece in pieces:
        held += piece
        start = _start(held)
        if not any(start.startswith(mark) or mark.startswith(start) for mark in (NOT_FOUND, UNCLEAR)):
            yield held
            yield from pieces
            return
    if held and not (_REFUSAL.match(_start(held)) or _start(held).startswith(UNCLEAR)):
        yield held


def _start(text: str) -> str:
    return text.lstrip(" \n*\"'")


def _wrong(claim: Claim, passages: Sequence[Passage]) -> bool:
    return (verdict(claim, passages) if claim.cites else claim.verdict) == "unsupported"

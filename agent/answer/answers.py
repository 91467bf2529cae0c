"""`answer`: written by a language model where there is one, else asked back, refused or quoted, as the judge says."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from clew.agent.answer import quotation, refusal
from clew.agent.answer.asked import affirms_what_is_denied, asked
from clew.agent.answer.byline import byline
from clew.agent.answer.derived import derived
from clew.agent.answer.evidence import READ, Evidence, evidence_of
from clew.agent.answer.exit_check import announced
from clew.agent.answer.holdings import Holdings, WholeAnswer
from clew.agent.answer.judge import JudgeVerdict, judge, shipped_judge, signals, told_just_now
from clew.agent.answer.model_answer import ModelAnswer, write
from clew.agent.answer.plain_lines import told_plainly
from clew.agent.answer.prompt_passages import reported, units_of
from clew.agent.answer.spans import bolded
from clew.agent.answer.unknown_words import unknown_to
from clew.agent.answer.wanted import wanted_of
from clew.agent.answer.weighing import AnswerParameters
from clew.agent.answer.whole import whole_answer
from clew.agent.llm.ledger import RecordedWriter
from clew.agent.search import phrases, rounds
from clew.agent.search.lookups import held_language, scope_of, subject_of
from clew.agent.services import Services, TurnContext
from clew.agent.state import TURN_JSON, Answer, Claim, Fallback, Piece, Prompted, Quote, Turn
from clew.memory.datatypes import Passage
from clew.memory.dates import MONTHS
from clew.memory.dialogue.context_dependence import unnamed
from clew.memory.dialogue.utterances import MOST_CHOICES, clarifying_question
from clew.memory.dialogue.variants import offered
from clew.memory.errors import ServiceUnreachable
from clew.memory.instructions import orders
from clew.memory.ports import Writer
from clew.memory.text import ITEM, content_word_sets, content_words, split

LONGEST_LINE = 40
"""Words of a sentence that is quoted behind the answer of a tool that it holds."""

PATH_BEHIND = 3.0
"""How much less likely than the first another triple of a path may be: none of them alone is the answer."""

LONGEST_CHOICE = 80
"""Characters of a choice in a question back."""


@dataclass(frozen=True, slots=True)
class TurnAnswer:
    """An answer, and what wrote it: `model` is empty where it is quoted; then `degraded` says why, if a model should
    have written it. `details` are for the step."""

    answer: Answer
    model: str = ""
    degraded: tuple[Fallback, ...] = ()
    ledger: tuple[Prompted, ...] = ()
    details: tuple[str, ...] = ()


def answer(turn: Turn, run: TurnContext) -> TurnAnswer:
    """Raises `Cancelled` where the person stops it before its first word."""
    made = _answered(turn, run)
    made = replace(made, answer=replace(made.answer, claims=announced(made.answer.claims)))
    if not made.answer.refused:
        return made
    left_out, meant = len(run.services.library.store.unread), offered(turn.rewritten, turn.wordings)
    return replace(made, answer=replace(made.answer, files_left_out=left_out, offered=meant))


def _answered(turn: Turn, run: TurnContext) -> TurnAnswer:
    writer = run.services.writers.answer
    if not run.services.library.manifest.chunks:
        return TurnAnswer(refusal.nothing_indexed())
    whole = whole_of(turn, run)
    if whole and not (writer and whole.answer.outcome == "summary"):
        return TurnAnswer(_placed(whole.answer, run.services), details=whole.details)
    made = _by_model(turn, run, writer) if writer else TurnAnswer(quoted(turn, run))
    said = _phrases_said(_within(made.answer, turn.search.within), turn, run.services)
    return replace(made, answer=_left_out_said(said, turn, run.services))


def whole_of(turn: Turn, run: TurnContext) -> WholeAnswer | None:
    """The answer to a question about documents, where the policy may choose what it is made of; None for others."""
    services = run.services
    if not services.library.manifest.chunks or (turn.search.tool or services.default_tool) != rounds.AUTO:
        return None

    def before() -> Answer | None:
        records = services.threads.records(turn.thread)
        return next((t.answer for t in map(TURN_JSON.validate_json, reversed(records)) if t.answer.sources), None)

    def made() -> WholeAnswer | None:
        scope = scope_of(turn) if not turn.search.within else None
        holdings = Holdings(services.library.store, services.encoder, scope, before, subject_of(services))
        return whole_answer(turn.meant, turn.rewritten, holdings)

    return run.once(("whole", turn.asked), made)


def _phrases_said(answer: Answer, turn: Turn, services: Services) -> Answer:
    """Saying which words in quotation marks no document has as they are."""
    store, scope = services.library.store, scope_of(turn)
    lacking = [phrase for phrase in phrases.longer(turn.meant) if not phrases.holding(phrase, store, scope)]
    if not lacking or answer.outcome == "unclear":
        return answer
    said = " or ".join(f"\u201c{phrase}\u201d" for phrase in lacking)
    return replace(answer, claims=(Claim(f"No document has {said} as it is."), *answer.claims))


def _left_out_said(answer: Answer, turn: Turn, services: Services) -> Answer:
    """Saying what was left out that has most words of the question: text that a document holds and does not show, a
    sentence of what was read that speaks to a language model, and a document that was taken out for one."""
    asked = set(content_words(turn.rewritten))
    if not asked or answer.outcome == "unclear":
        return answer

    def wanted(text: str) -> bool:
        return 2 * len(asked & set(content_words(text))) > len(asked)

    manifest, quoted = services.library.manifest, {claim.text for claim in answer.claims}
    ids = [id_ for id_, text in manifest.hidden_text.items() if wanted(text)]
    found = services.library.store.documents(ids[:MOST_CHOICES])
    held = {document.title or document.id: "text that it holds and does not show" for document in found}
    for passage in (one for one in turn.passages[:READ] if wanted(one.text)):
        if any(order not in quoted for order in orders(passage.text, wanted)):
            held[passage.title or passage.document] = "a sentence that speaks to a language model"
    said = [f"Left out of \u201c{title}\u201d: {what}." for title, what in held.items()]
    away = (path for path, order in manifest.quarantined.items() if wanted(f"{Path(path).stem} {order}"))
    said += [f"\u201c{path}\u201d was taken out whole: it speaks to a language model." for path in away]
    return replace(answer, claims=(*answer.claims, *map(Claim, said[:MOST_CHOICES])))


def _within(answer: Answer, title: str) -> Answer:
    """Saying which document the question limited it to; a refusal says it itself."""
    if not title or answer.refused or answer.outcome == "unclear":
        return answer
    return replace(answer, claims=(Claim(f"In \u201c{title}\u201d:"), *answer.claims))


def evidence_for(turn: Turn, services: Services) -> Evidence:
    """Of what a turn has found."""
    read = turn.passages[:READ]
    store = services.library.store
    documents = store.documents(list(dict.fromkeys(passage.document for passage in read)))
    return evidence_of(read, services.encoder, documents, turn.today, store.vocabulary)


# Quoted -----------------------------------------------------------------------------------------------------------


def quoted(turn: Turn, run: TurnContext) -> Answer:
    """Without a language model. What a tool itself answers, where a passage says it, is not judged."""
    if whole := whole_of(turn, run):
        return _placed(whole.answer, run.services)
    if of_paper := byline(turn.rewritten, turn.passages, run.services.library.store):
        return _placed(of_paper, run.services)
    turn, excluded = _without_exception(_in_any_year(turn))
    evidence, tool_answer = evidence_for(turn, run.services), turn.search.tool_answer
    verdict = judge(signals(turn, evidence), shipped_judge())
    read, of_triples, parameters = turn.passages, run.services.library.store.of_triples, run.services.answer
    if verdict == "ask back" and not (tool_answer or turn.search.within):
        return ask_back(turn.meant, [sentence.text for sentence in turn.recalled.extracted], read)
    if of_triples and any(call.tool == "clues" for call in turn.calls) and not tool_answer:
        verdict = "refuse"
    if of_triples and tool_answer:
        parameters = replace(parameters, behind=PATH_BEHIND, beside=math.inf, unlikely=math.inf)
    if held_language(run.services) == "eo" and unknown_to(run.services.library.store.vocabulary, turn.rewritten):
        verdict = "refuse"
    if verdict == "refuse" and (any(told_plainly(turn.rewritten, evidence)) or told_just_now(turn, evidence)):
        verdict = "answer"
    made = _leaving_out(excluded, _quoted(turn, verdict, read, evidence, parameters), turn)
    return _placed(led_by(made, tool_answer, turn.passages), run.services)


_OF_MONTH = re.compile(rf"\b(?P<month>{'|'.join(MONTHS)}) (?P<year>\d{{4}})\b")


def _in_any_year(turn: Turn) -> Turn:
    """With the months alone that were asked about, where the year that was put behind them is in no passage: `in July`
    of a log of two years ago."""
    told = " ".join(f"{passage.date} {passage.title} {passage.text}" for passage in turn.passages[:READ])
    asked = " ".join((turn.meant, *(sentence.text for sentence in turn.recalled.extracted)))

    def as_typed(match: re.Match[str]) -> str:
        return match[0] if match["year"] in told or match["year"] in asked else match["month"]

    return replace(turn, rewritten=_OF_MONTH.sub(as_typed, turn.rewritten))


def _quoted(
    turn: Turn, verdict: JudgeVerdict, read: Sequence[Passage], evidence: Evidence, parameters: AnswerParameters
) -> Answer:
    """What the judge wants answered."""
    wanted = wanted_of(turn)
    if worked := derived(wanted, evidence, parameters):
        return worked
    made = quotation.quote(wanted, read, evidence, parameters)
    of_author = bool(quotation.only_headed(wanted.rewritten, evidence))
    told = [claim.text for claim in made.claims if claim.cites]
    if affirms_what_is_denied(wanted.rewritten, told):
        return refusal.nothing(turn.rewritten, read)
    if verdict == "refuse" and made.says not in ("yes", "no") and not of_author:
        return refusal.nothing(turn.rewritten, read)
    return made


def led_by(quoted: Answer, tool_answer: str, passages: Sequence[Passage]) -> Answer:
    """With what a tool itself answers (`Lokesh Kanagaraj`) before it, where a passage says that word for word."""
    words = f" {' '.join(content_words(tool_answer))} "
    holder = next((p for p in passages if words.strip() and words in f" {' '.join(content_words(p.text))} "), None)
    if holder is None:
        return quoted
    kept = Answer("answered", ()) if quoted.refused else quoted
    sources = kept.sources if holder in kept.sources else (*kept.sources, holder)
    number = sources.index(holder) + 1
    first = Claim(tool_answer if tool_answer[-1] in ".!?" else f"{tool_answer}.", (number,))
    quoted_there = any(number in claim.cites for claim in kept.claims)
    said = () if quoted_there or not kept.claims else _line_with(words, holder, number)
    return replace(kept, claims=(first, *said, *kept.claims), sources=sources)


def _line_with(words: str, passage: Passage, number: int) -> tuple[Claim, ...]:
    """The first sentence of a passage that has these words, quoted; none where it is long."""
    for start, end in split(passage.text):
        text = passage.text[start:end]
        if words in f" {' '.join(content_words(text))} " and len(text.split()) <= LONGEST_LINE:
            own = Quote(passage.document, passage.start + start, passage.start + end, text)
            return (Claim(" ".join(text.split()), (number,), start=own.start, quotes=(own,)),)
    return ()


_EXCEPTS = re.compile(
    r",?\s(?:except(?: for)?|besides|other than|apart from|aside from|excluding|not counting|außer|sauf|excepto|salvo"
    r"|tranne|eccetto|krom)\s(?:(?:for|on|in|the|those|die|der|les?|la|los|las|il|i|gli) )*"
    r"(?P<what>[^?.!]+)(?=[?.!]*\s*$)",
    re.IGNORECASE,
)
"""'Which fees are there, except for children?'"""


def _without_exception(turn: Turn) -> tuple[Turn, tuple[str, ...]]:
    """The question without what is to be left out, and that."""
    found = _EXCEPTS.search(turn.rewritten)
    if not found:
        return turn, ()
    plain = turn.rewritten[: found.start()] + turn.rewritten[found.end() :]
    return replace(turn, rewritten=plain, meant=plain), tuple(
        one for one in re.split(r",? (?:and|or) |, ", found["what"]) if content_words(one)
    )


def _leaving_out(excluded: Sequence[str], answer: Answer, turn: Turn) -> Answer:
    """Without the items that are to be left out, and what documents say whose titles have a name that is."""

    def left_out(claim: Claim) -> bool:
        held = claim.text if ITEM.match(claim.text) else ""
        titles = " ".join(answer.sources[number - 1].title for number in claim.cites)
        texts = {one: f"{held} {titles}" if one[0].isupper() else held for one in excluded}
        return any(set(content_words(one)) <= set(content_words(text)) for one, text in texts.items())

    claims = tuple(claim for claim in answer.claims if not left_out(claim))
    if answer.refused or len(claims) == len(answer.claims):
        return answer
    if not any(claim.cites and not claim.text.endswith(":") for claim in claims):
        return refusal.nothing(turn.rewritten, turn.passages)
    return replace(answer, claims=claims)


def _placed(answer: Answer, services: Services) -> Answer:
    """Each source with the page and the heading of what is quoted from it."""
    documents = services.library.store.documents([source.document for source in answer.sources])
    return quotation.placed(answer, {document.id: document for document in documents})


# Written by a model -----------------------------------------------------------------------------------------------


def _by_model(turn: Turn, run: TurnContext, model: Writer) -> TurnAnswer:
    """What would be refused or asked back without it is so with it, unasked; the units that would be quoted lead its
    prompt. Where it fails, or finds nothing where a passage plainly answers, they are quoted."""
    services = run.services
    writer = RecordedWriter(model, "answer", run.emit, services.answer.tokens)
    plain = quoted(turn, run)
    if plain.refused or plain.outcome == "unclear":
        return TurnAnswer(plain, details=(f"{writer.name} was not asked",))
    read = turn.passages[:READ]
    try:
        draft = write(
            replace(turn, passages=read),
            writer,
            services.unsupported,
            run.emit,
            run.cancel,
            units_of(plain, read),
            services.encoder,
        )
    except ServiceUnreachable as error:
        return _instead(plain, run, writer, error.message)
    details = _details(draft, read)
    if draft.answer is None:
        if rounds.answers(read, services.observe):
            return _instead(plain, run, writer, f"{writer.name} found no answer in the passages", details)
        nothing = refusal.nothing(turn.rewritten, turn.passages)
        return TurnAnswer(nothing, writer.name, ledger=writer.ledger, details=details)
    degraded = (Fallback("answer", f"it breaks off: {draft.broke}"),) if draft.broke else ()
    made = replace(draft.answer, form=plain.form, says=plain.says)
    if made.outcome != "unclear":
        titles = " ".join(source.title for source in made.sources)
        claims = bolded(made.claims, turn.rewritten, asked(turn.rewritten), titles)
        made = replace(made, claims=tuple(claims))
    return TurnAnswer(_placed(made, services), writer.name, degraded, writer.ledger, details)


def _instead(
    plain: Answer, run: TurnContext, writer: RecordedWriter, why: str, details: Sequence[str] = ()
) -> TurnAnswer:
    """Quoted, in the place of whatever the model may have begun to write."""
    run.emit(Piece("", restart=True))
    return TurnAnswer(plain, "", (Fallback("answer", why),), writer.ledger, (*details, f"quoted, as {why}"))


def _details(draft: ModelAnswer, passages: Sequence[Passage]) -> tuple[str, ...]:
    """Instructions in documents, and citations of passages that there are not."""
    number = draft.unknown
    dropped = f"{number} citation{'' if number == 1 else 's'} of passages that there are not: dropped"
    return (*reported(passages, draft.removed), *((dropped,) if number else ()))


# Asked back -------------------------------------------------------------------------------------------------------


def ask_back(question: str, before: Sequence[str], passages: Sequence[Passage]) -> Answer:
    """Names the noun that nothing says which one of, where the question has one, and offers 2 to 4 of the things that
    the passages are about, best first; `before` is what was said before."""
    noun = next(iter(unnamed(question, before)), "")
    choices = _topics(_with_noun_first(noun, passages))[:MOST_CHOICES]
    return Answer(
        "unclear", (Claim(clarifying_question(noun, choices)),), nearest=tuple(choices) if len(choices) > 1 else ()
    )


def _with_noun_first(noun: str, passages: Sequence[Passage]) -> list[Passage]:
    stems = set(content_words(noun))
    held = content_word_sets([f"{p.title} {p.heading} {p.text}" for p in passages])
    order = sorted(range(len(passages)), key=lambda place: not stems <= held[place])
    return [passages[place] for place in order]


def _topics(passages: Sequence[Passage]) -> list[str]:
    """What they are about, each once: title, heading, or a first line that is no sentence."""
    found: dict[str, str] = {}
    for passage in passages:
        if topic := _topic(passage):
            found.setdefault(topic.casefold(), topic)
    return list(found.values())


def _topic(passage: Passage) -> str:
    first, _, rest = passage.text.strip().partition("\n")
    line = first if rest and not re.search(r"[.!?]$", first.strip()) else ""
    topic = " ".join(re.sub(r"[;:?\u2026]+", " ", passage.title or passage.heading or line).split())
    return topic if len(topic) <= LONGEST_CHOICE else ""

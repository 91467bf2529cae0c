"""The node `answer`: `written` where there is a language model and else `quoted`, and says beside it what the documents
hold and do not show."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from pathlib import Path, PurePath

from clew.agent.answer.answer_type import answer_type
from clew.agent.answer.citations import same_words
from clew.agent.answer.corpus_answers import Corpus, CorpusAnswer, corpus_answer
from clew.agent.answer.evidence import READ
from clew.agent.answer.judge import nothing_indexed, refused
from clew.agent.answer.output_filter import announced
from clew.agent.answer.quoted import evidence_for, placed, quoted
from clew.agent.answer.reader import with_bold
from clew.agent.answer.table_answers import table_answer
from clew.agent.answer.written import write
from clew.agent.llm.ledger import RecordedWriter
from clew.agent.llm.prompt_passages import reported
from clew.agent.search import rounds
from clew.agent.search.lookups import scope_of
from clew.agent.services import Services, TurnContext
from clew.agent.state import TURN_JSON, Answer, Claim, Fallback, Piece, Prompted, Turn
from clew.memory.dialogue.context_dependence import depends_on_context
from clew.memory.dialogue.utterances import MOST_CHOICES
from clew.memory.dialogue.variants import offered
from clew.memory.errors import Cancelled, ServiceUnreachable
from clew.memory.instructions import orders
from clew.memory.ports import Writer
from clew.memory.text import content_words
from clew.tools.table import TableTool


@dataclass(frozen=True, slots=True)
class TurnAnswer:
    """An answer, and what wrote it: `model` is empty where it is quoted; then `degraded` says why, if a model should
    have written it. `details` are for the step."""

    answer: Answer
    model: str = ""
    degraded: tuple[Fallback, ...] = ()
    ledger: tuple[Prompted, ...] = ()
    details: tuple[str, ...] = ()


LEANT_ON = 3
"""Turns before that tables answered and that a question of the same rows may lean on."""

UNREAD = 3
"""Files that could not be read of which the names are said."""


def answer(turn: Turn, run: TurnContext) -> TurnAnswer:
    """Written by a language model where there is one, else quoted."""
    made = _made(turn, run)
    made = replace(made, answer=replace(made.answer, claims=announced(made.answer.claims)))
    if not made.answer.refused:
        return made
    left_out, meant = tuple(run.services.library.manifest.unread), offered(turn.rewritten, turn.wordings)
    names = tuple(PurePath(path).name for path in left_out[:UNREAD])
    return replace(made, answer=replace(made.answer, files_left_out=len(left_out), unread=names, offered=meant))


def _made(turn: Turn, run: TurnContext) -> TurnAnswer:
    """The one place that chooses the maker. A summary of a document is written where there is a model; what is counted
    or listed of documents never is."""
    services = run.services
    if not services.library.manifest.chunks:
        return TurnAnswer(nothing_indexed())
    corpus, model = corpus_answer_of(turn, run), services.writers.answer
    if corpus and not (model and corpus.answer.outcome == "summary"):
        return TurnAnswer(_placed(corpus.answer, services), details=corpus.details)
    made = by_writing(turn, run, model) if model else TurnAnswer(_quoted(turn, run))
    if not made.answer.claims and made.answer.outcome == "stopped":
        return made
    return replace(made, answer=_left_out_said(made.answer, turn, services))


def by_writing(turn: Turn, run: TurnContext, model: Writer) -> TurnAnswer:
    """By a language model, which answers, refuses or asks back. Where it fails, what is quoted without one stands; one
    that is stopped before its first word is kept without words."""
    writer = RecordedWriter(model, "answer", run.emit, run.services.answer.tokens)
    try:
        return _phrased(turn, run, writer) if writer.abilities.is_small else _written(turn, run, writer)
    except Cancelled:
        return TurnAnswer(Answer("stopped", ()), ledger=writer.ledger)


def corpus_answer_of(turn: Turn, run: TurnContext) -> CorpusAnswer | None:
    """The answer to a question about documents, where the policy may choose what it is made of; None for others."""
    services = run.services
    if not services.library.manifest.chunks or (turn.search.tool or services.default_tool) != rounds.AUTO:
        return None

    def earlier() -> Iterator[Turn]:
        """Those that were answered, the last first."""
        records = services.threads.records(turn.thread, turn.parent)
        return (one for one in map(TURN_JSON.validate_json, reversed(records)) if one.answer.sources)

    def made() -> CorpusAnswer | None:
        store, scope = services.library.store, None if turn.search.within else scope_of(turn)
        corpus = Corpus(store, scope, lambda: next((one.answer for one in earlier()), None), turn.search.language)
        question = turn.meant if turn.recalled.selected else turn.typed  # "this collection" is no title's
        found = corpus_answer(question, turn.rewritten, corpus)
        tables, encoder, spoken = store.tables, services.fitted, turn.language
        if not found and tables.all and depends_on_context(turn.typed):
            of_tables = islice(takewhile(lambda one: one.answer.sources[0].tool == TableTool.name, earlier()), LEANT_ON)
            asked = [(one.typed, one.rewritten) for one in of_tables][::-1]
            found = table_answer(turn.typed, tables, encoder, scope_of(turn), asked, spoken) if asked else None
        alone = dict.fromkeys((turn.typed, turn.rewritten))
        each = (table_answer(one, tables, encoder, scope_of(turn), (), spoken) for one in alone)
        return found or next(filter(None, each), None)

    return run.once("corpus", turn.typed, made)


def _left_out_said(answer: Answer, turn: Turn, services: Services) -> Answer:
    """Saying what was left out that has most words of the question: text that a document holds and does not show, a
    sentence of what was read that speaks to a language model, and a document that was taken out for one."""
    asked = set(content_words(turn.rewritten))
    if not asked or answer.outcome == "unclear":
        return answer

    def wanted(text: str) -> bool:
        return 2 * len(asked & set(content_words(text))) > len(asked)

    manifest, quotes = services.library.manifest, {claim.text for claim in answer.claims}
    ids = [id_ for id_, text in manifest.hidden_text.items() if wanted(text)]
    found = services.library.store.documents(ids[:MOST_CHOICES])
    held = {document.title or document.id: "text that it holds and does not show" for document in found}
    for passage in (one for one in turn.passages[:READ] if wanted(one.text)):
        if any(order not in quotes for order in orders(passage.text, wanted)):
            held[passage.title or passage.document] = "a sentence that speaks to a language model"
    said = [f"Left out of \u201c{title}\u201d: {what}." for title, what in held.items()]
    away = (path for path, order in manifest.quarantined.items() if wanted(f"{Path(path).stem} {order}"))
    said += [f"\u201c{path}\u201d was taken out whole: it speaks to a language model." for path in away]
    return replace(answer, claims=(*answer.claims, *map(Claim, said[:MOST_CHOICES])))


def _quoted(turn: Turn, run: TurnContext) -> Answer:
    return with_bold(_placed(quoted(turn.documented, run), run.services), turn.rewritten)


def _placed(answer: Answer, services: Services) -> Answer:
    """Each source with the page and the heading of what is quoted from it, and all paths where its file lies."""
    store = services.library.store
    documents = store.documents([one.document for one in answer.sources if one.document])
    made = placed(answer, {document.id: document for document in documents})
    return replace(made, sources=tuple(replace(one, copies=store.copies(one.source)) for one in made.sources))


def _plain(turn: Turn, run: TurnContext) -> Answer:
    """As it is without a language model."""
    corpus = corpus_answer_of(turn, run)
    return _placed(corpus.answer, run.services) if corpus else _quoted(turn, run)


def _written(turn: Turn, run: TurnContext, writer: RecordedWriter) -> TurnAnswer:
    """From what was found, the best first."""
    services, shown = run.services, turn.found(turn.passages[:READ])
    if not shown.passages:
        return TurnAnswer(_nothing(shown, services), details=(f"{writer.name} was not asked",))
    try:
        draft = write(shown, writer, services.unsupported, run.emit, run.cancel, services.encoder)
    except ServiceUnreachable as error:
        return _instead(_plain(turn, run), run, writer, error.message)
    details = reported(shown.passages, draft.removed)
    if draft.answer is None:
        return TurnAnswer(_nothing(turn.documented, services), writer.name, ledger=writer.ledger, details=details)
    degraded = (Fallback("answer", f"it breaks off: {draft.broke}"),) if draft.broke else ()
    made = replace(draft.answer, form=answer_type(turn.rewritten).form)
    made = with_bold(_placed(made, services), turn.rewritten)
    return TurnAnswer(made, writer.name, degraded, writer.ledger, details)


def _phrased(turn: Turn, run: TurnContext, writer: RecordedWriter) -> TurnAnswer:
    """A model of less than a billion parameters chooses of what would be quoted. Whether anything answers is not asked
    of it, and where it writes words that do not stand there so, the quotation stands: shared words alone let through
    what such a model invents ("it is safe", of what is not)."""
    plain = _plain(turn, run)
    if plain.refused or plain.outcome == "unclear" or not plain.sources:
        return TurnAnswer(plain, details=(f"{writer.name} was not asked",))
    units = [
        replace(source, text="\n".join(claim.text for claim in plain.claims if number in claim.cites))
        for number, source in enumerate(plain.sources, 1)
    ]
    try:
        given = turn.found(units)
        draft = write(given, writer, "mark", run.emit, run.cancel, small=True)
    except ServiceUnreachable as error:
        return _instead(plain, run, writer, error.message)
    told = same_words(" ".join(unit.text for unit in units))
    if draft.answer is None or any(same_words(claim.text) not in told for claim in draft.answer.claims):
        return _instead(plain, run, writer, f"what {writer.name} wrote is not what the documents say")
    known = {(one.id, one.heading): one for one in plain.sources}
    sources = tuple(known[one.id, one.heading] for one in draft.answer.sources)
    made = replace(draft.answer, sources=sources, form=plain.form)
    details = reported(given.passages, draft.removed)
    return TurnAnswer(with_bold(made, turn.rewritten), writer.name, (), writer.ledger, details)


def _nothing(turn: Turn, services: Services) -> Answer:
    """A refusal, with the names and numbers of the question that the library lacks."""
    lacked = evidence_for(turn, services).lacked(turn.rewritten)
    return refused(turn.passages, [word for word in lacked if not word.islower()], turn.rewritten)


def _instead(plain: Answer, run: TurnContext, writer: RecordedWriter, why: str) -> TurnAnswer:
    """Quoted, in the place of whatever the model may have begun to write."""
    run.emit(Piece("", restart=True))
    return TurnAnswer(plain, "", (Fallback("answer", why),), writer.ledger, (f"quoted, as {why}",))

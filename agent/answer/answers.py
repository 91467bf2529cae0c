"""The node `answer`: it has a language model write (`written`), or quotes (`quoted`), and adds what the documents hold
but do not show."""

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
from clew.memory.datatypes import Passage, Subgraph
from clew.memory.dialogue.context_dependence import depends_on_context
from clew.memory.dialogue.utterances import MOST_CHOICES
from clew.memory.dialogue.variants import offered
from clew.memory.errors import Cancelled, ServiceUnreachable
from clew.memory.instructions import orders
from clew.memory.ports import Writer
from clew.memory.text import content_words
from clew.memory.walk_paths import parents, path
from clew.tools.table import TableTool


@dataclass(frozen=True, slots=True)
class TurnAnswer:
    """The answer of a turn. `model` wrote it; empty where it is quoted: then `degraded` says why no model wrote it, if
    one should have. `details` are lines for the step."""

    answer: Answer
    model: str = ""
    degraded: tuple[Fallback, ...] = ()
    ledger: tuple[Prompted, ...] = ()
    details: tuple[str, ...] = ()


LEANT_ON = 3
"""Earlier turns, answered from tables, that a question about the same rows may refer to."""

UNREAD = 3
"""Names of unreadable files that a refusal lists."""


def answer(turn: Turn, run: TurnContext) -> TurnAnswer:
    """The answer, written by a language model where there is one, else quoted. A refusal also says which files could
    not be read, and which question may have been meant."""
    made = _made(turn, run)
    made = replace(made, answer=replace(made.answer, claims=announced(made.answer.claims)))
    if not made.answer.refused:
        return made
    left_out, meant = tuple(run.services.library.manifest.unread), offered(turn.rewritten, turn.wordings)
    names = tuple(PurePath(path).name for path in left_out[:UNREAD])
    return replace(made, answer=replace(made.answer, files_left_out=len(left_out), unread=names, offered=meant))


def _made(turn: Turn, run: TurnContext) -> TurnAnswer:
    """The one place that chooses who makes the answer. A model writes the summary of a document, and from what a table
    says; what is counted or listed of documents it never writes."""
    services = run.services
    if not services.library.manifest.chunks:
        return TurnAnswer(nothing_indexed())
    corpus, model = corpus_answer_of(turn, run), services.writers.answer
    if corpus and not (model and (corpus.answer.outcome == "summary" or table_evidence(turn, run))):
        return TurnAnswer(_placed(corpus.answer, services), details=corpus.details)
    made = by_writing(turn, run, model) if model else TurnAnswer(_quoted(turn, run))
    if not made.answer.claims and made.answer.outcome == "stopped":
        return made
    return replace(made, answer=_left_out_said(made.answer, turn, services))


def table_evidence(turn: Turn, run: TurnContext) -> tuple[Passage, ...]:
    """What a table answers, where a language model that is not small writes from it."""
    corpus, model = corpus_answer_of(turn, run), run.services.writers.answer
    told = corpus.passages if corpus and model and not model.abilities.is_small else ()
    return tuple(one for one in told if one.tool == TableTool.name)


def by_writing(turn: Turn, run: TurnContext, model: Writer) -> TurnAnswer:
    """The answer that a language model writes; it may also refuse or ask back. Where the model fails, the quoted answer
    stands; one stopped before its first word has no words."""
    writer = RecordedWriter(model, "answer", run.emit, run.services.answer.tokens)
    try:
        return _phrased(turn, run, writer) if writer.abilities.is_small else _written(turn, run, writer)
    except Cancelled:
        return TurnAnswer(Answer("stopped", ()), ledger=writer.ledger)


def corpus_answer_of(turn: Turn, run: TurnContext) -> CorpusAnswer | None:
    """The answer to a question about the documents as a whole, or from a table; None for other questions, and where the
    person has chosen a tool."""
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
    """The answer with a note on what was left out that shares most words with the question: text that a document hides,
    a sentence that speaks to a language model, a document in quarantine."""
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
    """The answer with the page and the heading of each source, and all paths of its file."""
    store = services.library.store
    documents = store.documents([one.document for one in answer.sources if one.document])
    made = placed(answer, {document.id: document for document in documents})
    return replace(made, sources=tuple(replace(one, copies=store.copies(one.source)) for one in made.sources))


def _plain(turn: Turn, run: TurnContext) -> Answer:
    """The answer that is given without a language model."""
    corpus = corpus_answer_of(turn, run)
    return _placed(corpus.answer, run.services) if corpus else _quoted(turn, run)


def _written(turn: Turn, run: TurnContext, writer: RecordedWriter) -> TurnAnswer:
    """The answer that a model writes from the best passages, after what a table answers."""
    services, shown = run.services, turn.found((*table_evidence(turn, run), *turn.passages)[:READ])
    shown = replace(shown, paths=connections(turn, services))
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
    made = _placed(replace(draft.answer, form=answer_type(turn.rewritten).form), services)
    return TurnAnswer(made, writer.name, degraded, writer.ledger, details)


def connections(turn: Turn, services: Services) -> tuple[str, ...]:
    """The steps of the walk that have a relation which a graph folder gives: what others are by says nothing."""
    walk, store = turn.walk or Subgraph(), services.library.store
    ids = list({chunk.document: None for chunk in store.chunks(walk.nodes)})
    given, before = {edge.relation for own in store.neighbours(ids) for edge in own if edge.relation}, parents(walk)
    walked = enumerate(walk.edges, walk.landings)
    return tuple(path(walk, before, place)[-1] for place, edge in walked if edge.relation in given)


def _phrased(turn: Turn, run: TurnContext, writer: RecordedWriter) -> TurnAnswer:
    """A model of less than a billion parameters shortens what would be quoted. It does not decide whether anything
    answers, and its text is taken only if it stands in the quotations word for word: such models invent ("it is safe",
    of what is not)."""
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
    """A refusal that names the names and numbers of the question which the library does not have."""
    lacked = evidence_for(turn, services).lacked(turn.rewritten)
    return refused(turn.passages, [word for word in lacked if not word.islower()], turn.rewritten)


def _instead(plain: Answer, run: TurnContext, writer: RecordedWriter, why: str) -> TurnAnswer:
    """The quoted answer, after a model has failed; what the model has already shown is taken back."""
    run.emit(Piece("", restart=True))
    return TurnAnswer(plain, "", (Fallback("answer", why),), writer.ledger, (f"quoted, as {why}",))

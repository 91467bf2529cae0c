"""The node `answer`: chooses who makes the answer, a language model (`written`) or Clew (`quoted`), and adds what the
documents hold but do not show. And the node `corpus`: the answer that needs no search."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import compress, islice, takewhile
from pathlib import Path, PurePath

from clew.agent.answer.corpus_answers import Corpus, corpus_answer
from clew.agent.answer.evidence import READ
from clew.agent.answer.judge import nothing_indexed
from clew.agent.answer.output_filter import announced
from clew.agent.answer.quoted import in_library, quoted
from clew.agent.answer.table_answers import table_answer
from clew.agent.answer.written import written
from clew.agent.search import rounds
from clew.agent.search.lookups import scope_of
from clew.agent.services import Services, TurnContext
from clew.agent.state import TURN_JSON, Answer, Claim, Made, Turn
from clew.agent.talk.lines import line
from clew.memory.dialogue.rewriting import offered
from clew.memory.dialogue.signals import depends_on_context
from clew.memory.dialogue.utterances import MOST_CHOICES
from clew.memory.instructions import orders
from clew.memory.ports import Writer
from clew.memory.text import content_words, which_hold_most
from clew.tools.table import TableTool

LEANT_ON = 3
"""Earlier turns, answered from tables, that a question about the same rows may refer to."""

UNREAD = 3
"""Names of unreadable files that a refusal lists."""


def answer(turn: Turn, run: TurnContext) -> Made:
    """The answer, written by a language model where there is one, else quoted. A refusal also says which files could
    not be read, and which question may have been meant."""
    made = _made(turn, run)
    said = replace(made.answer, claims=announced(made.answer.claims, turn.language))
    if said.refused:
        left_out, meant = tuple(run.services.library.manifest.unread), offered(turn.rewritten, turn.wordings)
        names = tuple(dict.fromkeys(PurePath(path).name for path in left_out))[:UNREAD]
        said = replace(said, files_left_out=len(left_out), unread=names, offered=meant)
    return replace(made, answer=said)


def _made(turn: Turn, run: TurnContext) -> Made:
    """The one place that chooses who makes the answer: `written` where there is a model, else `quoted`. Of what needed
    no search a model writes the summary of a document, and what a table says; what is counted or listed of documents it
    never writes."""
    services, corpus, model = run.services, turn.search.corpus, run.services.writers.answer
    if not services.library.manifest.chunks:
        return Made(nothing_indexed())
    writes = model and (not corpus or corpus.answer.outcome == "summary" or is_evidence(corpus, model))
    made = written(turn, run) if writes else quoted(turn, run)
    return made if made is corpus else replace(made, answer=_left_out_said(made.answer, turn, services))


def is_evidence(corpus: Made, model: Writer | None) -> bool:
    """Whether an answer that needs no search is only evidence, beside what is found: what a table says, where a
    language model that is not small writes from it."""
    return bool(model and not model.abilities.is_small and any(one.tool == TableTool.name for one in corpus.passages))


def without_search(turn: Turn, run: TurnContext) -> Made | None:
    """The answer to a question about the documents as a whole, or from a table; None for other questions, and where the
    person has chosen a tool."""
    services, store = run.services, run.services.library.store
    if not services.library.manifest.chunks or (turn.search.tool or services.default_tool) != rounds.AUTO:
        return None

    def earlier() -> Iterator[Turn]:
        """The turns that were answered, the last one first."""
        records = services.threads.records(turn.thread, turn.parent)
        return (one for one in map(TURN_JSON.validate_json, reversed(records)) if one.answer.sources)

    scope = None if turn.search.within else scope_of(turn)
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
    found = found or next(filter(None, each), None)
    return replace(found, answer=in_library(found.answer, store)) if found else None


def _left_out_said(answer: Answer, turn: Turn, services: Services) -> Answer:
    """The answer with a note on what was left out that shares most words with the question: text that a document hides,
    a sentence that speaks to a language model, a document in quarantine."""
    asked = set(content_words(turn.rewritten))
    if not asked or not answer.claims or answer.outcome == "unclear":
        return answer

    manifest, quotes = services.library.manifest, {claim.text for claim in answer.claims}
    ids = list(compress(manifest.hidden_text, which_hold_most(asked, [*manifest.hidden_text.values()])))
    found = services.library.store.documents(ids[:MOST_CHOICES])
    held = {document.title or document.id: "hidden text" for document in found}
    read = turn.passages[:READ]
    for passage in compress(read, which_hold_most(asked, [one.text for one in read])):
        if any(order not in quotes for order in orders(passage.text, asked)):
            held[passage.title or passage.document] = "order left out"
    said = [line(what, turn.language, title=title) for title, what in held.items()]
    orders_away = [f"{Path(path).stem} {order}" for path, order in manifest.quarantined.items()]
    away = compress(manifest.quarantined, which_hold_most(asked, orders_away))
    said += [line("taken out", turn.language, path=path) for path in away]
    return replace(answer, claims=(*answer.claims, *map(Claim, said[:MOST_CHOICES])))

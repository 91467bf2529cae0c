"""The nodes of a turn: each takes the turn, calls one operation, and returns the turn with the result and a step."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from typing import Literal

from langgraph.runtime import Runtime

from clew.agent.answer import answers, verification
from clew.agent.answer.corpus_answers import made_of
from clew.agent.answer.evidence import question_for_models
from clew.agent.answer.quoted import best_candidates, likely_answered
from clew.agent.llm.ledger import RecordedWriter
from clew.agent.search import ordering, query_weights, rounds, router
from clew.agent.search.lookups import (
    found_by,
    held_language,
    hybrid,
    matches_of,
    query_of_turn,
    scope_of,
    stitched_of,
    thought_of,
    walker_of,
)
from clew.agent.search.rounds import AUTO
from clew.agent.search.tool_calls import ModelPlan, PlanPrompt, planned, search_keys
from clew.agent.search.toolbox import offered
from clew.agent.services import TurnContext
from clew.agent.state import STANDINGS, TURN_JSON, Answer, Call, Fallback, Step, Turn, TurnSearch, TurnState
from clew.agent.talk.lines import in_language
from clew.memory.datatypes import Passage, Subgraph, Utterance, Wording
from clew.memory.dialogue.recall import centroids_of, embedded
from clew.memory.dialogue.recall import recall as recall_sentences
from clew.memory.dialogue.rewriting import Rewritten, with_cognates, with_dates, with_evidence, with_spelling
from clew.memory.dialogue.rewriting import rewrite as rewrite_question
from clew.memory.dialogue.signals import recent
from clew.memory.dialogue.utterances import extract
from clew.memory.instructions import Topic, orders
from clew.memory.knowledge.catalogue import document_meant
from clew.memory.knowledge.question import Matches
from clew.memory.knowledge.walking import walk_paths
from clew.memory.language.telling import language_of
from clew.memory.text import in_brackets, number_of
from clew.tools.hybrid import Hybrid
from clew.tools.walk import Walk, findings

Node = Callable[[Turn, TurnContext], Turn]

GIVEN = "given"
"""The wording of a question that a person has said how to understand."""


# The question ----------------------------------------------------------------------------------------------------


def recall(turn: Turn, run: TurnContext) -> Turn:
    services = run.services
    sentences, stored = services.threads.sentences(turn.thread, services.encoder.hash, turn.parent)
    if not sentences:
        return turn.stepped("recall", "nothing was said before")
    vectors = embedded(sentences, stored, services.encoder)
    question = services.encoder.encode([turn.typed], "sentence")[0]
    start = services.threads.centroids(turn.thread, services.encoder.hash, turn.parent)
    recalled = recall_sentences(question, sentences, vectors, services.recall, start)
    services.threads.keep_centroids(turn.thread, services.encoder.hash, centroids_of(recalled, vectors), turn.id)
    clusters = number_of(len(recalled.cluster_sizes), "cluster")
    summary = f"{len(recalled.selected)} of {number_of(len(recalled.extracted), 'earlier sentence')}"
    said = (f"turn {s.turn}, {s.speaker}, cluster {s.cluster_id}: {s.text}" for s in recalled.selected)
    details = (f"chosen from {clusters}", *said)
    # Each checkpoint and each stored turn would have the whole conversation in it; the thread has it anyway.
    recalled = replace(recalled, extracted=tuple(recent(recalled.extracted, recalled.selected, services.rewrite.back)))
    return replace(turn, recalled=recalled).stepped("recall", summary, details)


def rewrite(turn: Turn, run: TurnContext) -> Turn:
    if given := turn.rewritten or (turn.typed if made_of(turn.typed).heading else ""):
        return turn.reworded(given, [Wording(GIVEN, given, 1.0)]).stepped("rewrite", f"as given: {given}")
    model = run.services.writers.rewrite
    writer = RecordedWriter(model, "rewrite", run.emit) if model and not model.abilities.is_small else None
    made = _rewritten(turn, run, writer)
    details = [f"{form.name}: {form.text}{f' ({form.why})' if form.why else ''}" for form in made.wordings]
    failed = []
    if writer and writer.ledger:
        details.append(f"written by {writer.name}: {made.how}{f': {made.why}' if made.why else ''}")
        failed = [Fallback("rewrite", made.why)] if made.why else []
    by_model = made.text if made.how == "model" else ""
    turn = turn.reworded(made.text, made.wordings).searched(understood=by_model)
    return turn.written(writer.ledger if writer else (), failed).stepped("rewrite", made.text, details)


def _rewritten(turn: Turn, run: TurnContext, writer: RecordedWriter | None) -> Rewritten:
    """The question as it can be understood alone, in wordings: also with spelling corrected and dates as documents may
    write them, and with words of the documents' language."""
    services, words = run.services, run.services.library.store.vocabulary
    by = services.rewrite
    made = rewrite_question(turn.typed, turn.recalled, services.encoder, by, writer, run.cancel)
    made = with_evidence(made, recent(turn.recalled.extracted, turn.recalled.selected, by.back), services.library.store)
    language, held = language_of(turn.typed), held_language(services)
    if language in ("", held) or not held:  # nothing is a slip of another language's word
        made = with_spelling(made, words, services.encoder)
    made = with_dates(made, turn.today)
    return made if services.multilingual else with_cognates(made, language, held, words)


# What is searched -------------------------------------------------------------------------------------------------


def corpus(turn: Turn, run: TurnContext) -> Turn:
    """Answers questions about the documents as a whole, and of tables, which need no search. What a table says is
    evidence beside what is found if a language model writes the answer."""
    made = answers.without_search(turn, run)
    if made is None:
        return turn
    turn = turn.searched(corpus=made)
    if answers.is_evidence(made, run.services.writers.answer):
        return turn.stepped("corpus", f"evidence: {made.why}")
    return turn.searched(round=1).found(made.passages).stepped("corpus", f"no search: {made.why}")


def after_corpus(state: TurnState) -> Literal["think", "answer"]:
    return "answer" if state["turn"].search.round else "think"


def think(turn: Turn, run: TurnContext) -> Turn:
    """Plans the searches of a round: the policy's, and in the second round a language model's too. In the first it
    searches with `hybrid` for all wordings: that gives their weights and the signals by which tools are chosen."""
    tool = turn.search.tool or run.services.default_tool
    if not turn.search.round:
        turn = _looked(_limited(turn, run), run, tool)
    first = not turn.search.round
    calls, summary = rounds.plan(turn, tool, run.services.observe)
    reply = _model_plan(turn, run, calls)
    more = number_of(len(reply.calls), "search", "searches") + " of the model" if reply.calls else ""
    summary = ", and ".join(filter(None, (summary, more))) or "nothing more to look for"
    signals = turn.search.signals if first else {}
    follows = (Walk.name,) if rounds.walks(turn.searched(planned=calls).search) else ()
    step = Step(
        "think",
        summary,
        (*(rounds.by_weight(turn.wordings) if first else ()), *reply.lines),
        tools=turn.search.tools if tool == AUTO and first else (*(call.tool for call in calls), *follows),
        signals=signals,
    )
    failed = [Fallback("think", reply.failure)] if reply.failure else []
    made = turn.searched(round=turn.search.round + 1, planned=(*calls, *reply.calls))
    return replace(made.written(reply.ledger, failed), steps=(*turn.steps, step))


def _limited(turn: Turn, run: TurnContext) -> Turn:
    """The turn limited to the document that the question names, unless the caller limited it."""
    catalogue = run.services.library.store.catalogue
    limit = None if turn.search.scope else document_meant(turn.meant, catalogue)
    if limit is None:
        return turn
    wordings = tuple(replace(one, text=limit.without(one.text)) for one in turn.wordings)
    turn = turn.searched(understood=question_for_models(turn))
    turn = replace(turn, rewritten=limit.without(turn.rewritten), wordings=wordings)
    return turn.searched(scope=(limit.document.id,), within=catalogue.shown[limit.document.id])


def _looked(turn: Turn, run: TurnContext, tool: str) -> Turn:
    """The turn with its wordings weighed by what they find; and, if the policy decides, with its tools."""
    services = run.services
    if not services.library.manifest.chunks:
        return turn
    matches = matches_of(turn, run, turn.wordings)
    turn = query_weights.settled(turn, matches, services.encoder, services.query_weights)
    return _with_tools(turn, run, matches) if tool == AUTO else turn


def _with_tools(turn: Turn, run: TurnContext, matches: Matches) -> Turn:
    """The turn with the tools that the policy chooses, and the signals: of the question as shown, of the first hits,
    and of the library."""
    first = hybrid(run).findings(query_of_turn(turn, run, turn.wordings), matches, router.LOOKED).passages
    shown = next(hits for wording, hits in zip(turn.wordings, matches.hits, strict=True) if wording.won)
    worded = query_weights.apart(turn.wordings, matches)
    by = run.services.router
    found, tools = router.tools_beside(turn.rewritten, first, shown, run.services.library, by, worded)
    return turn.searched(signals=found, tools=(Hybrid.name, *tools))


def after_think(state: TurnState) -> Literal["act", "answer"]:
    """If nothing more is searched, the evidence is what there is."""
    return "act" if state["turn"].search.planned else "answer"


def act(turn: Turn, run: TurnContext) -> Turn:
    search = turn.search
    ran = [rounds.timed(call, lambda call: found_by(turn, run, call)) for call in search.planned]
    answer, graph = search.tool_answer, turn.walk
    for call, found in ran:
        answer = answer or found.answer
        graph = graph or (found.walk if call.tool == Walk.name else None)
    pool, unfounded = rounds.proven(rounds.pooled(turn.passages, ran, further=bool(search.found)), turn)
    calls = tuple(call for call, _ in ran)
    searched = (f"{call.tool}: {number_of(call.found, 'passage')} in {call.ms:.0f} ms" for call in calls)
    details = (
        *map(_found, pool.passages),
        *chain.from_iterable(found.notes for _, found in ran),
        *unfounded,
    )
    return replace(
        turn.searched(
            wanted=(*search.wanted, *pool.wanted),
            found=(*search.found, pool.new),
            beside=(*search.beside, *pool.beside),
            tool_answer=answer,
        ),
        calls=(*turn.calls, *calls),
        passages=pool.passages,
        walk=graph,
        paths=walk_paths.lines(graph) if graph else (),
    ).stepped("act", "; ".join(searched), details)


def after_act(state: TurnState) -> Literal["stitch", "observe"]:
    """Only some questions are followed by a walk."""
    return "stitch" if rounds.walks(state["turn"].search) else "observe"


def stitch(turn: Turn, run: TurnContext) -> Turn:
    """Chooses the partitions for the question, or in a further round for what is missing, and joins them."""
    walker, thought, stitched = walker_of(turn, run), thought_of(turn, run), stitched_of(turn, run)
    details = rounds.scored(walker, thought.partitions, stitched.partitions)
    return turn.stepped("stitch", rounds.size(stitched), details)


def walk(turn: Turn, run: TurnContext) -> Turn:
    """The nodes with the highest scores become evidence, like the findings of a tool; in a further round they are put
    behind what is there."""
    services, search = run.services, turn.search
    walked = walker_of(turn, run).walk(thought_of(turn, run), stitched_of(turn, run))
    found = findings(services.library.store, walked, services.evidence, Walk.name)
    own = found.walk or Subgraph()
    call = Call(Walk.name, search.planned[0].wordings, len(found.passages))
    pool = rounds.pooled(turn.passages, [(call, found)], further=search.round > 1)
    fresh = pool.passages[len(turn.passages) :]
    landed, steps = own.landings, len(own.nodes) - own.landings
    graph = turn.walk or own
    landings = zip(own.titles[:landed], own.partitions, strict=False)
    more = number_of(len(fresh), "new passage") if fresh else "no new passages"
    details = (
        *walk_paths.lines(own),
        *map(_found, fresh),
        *(f"landed on {title}, in {partition}" for title, partition in landings),
    )
    return replace(
        turn.searched(
            found=(*search.found[:-1], search.found[-1] + pool.new),
            beside=(*search.beside, *pool.beside),
        ),
        walk=graph,
        paths=walk_paths.lines(graph),
        passages=pool.passages,
    ).stepped("walk", f"{number_of(landed, 'landing')}, {number_of(steps, 'step')}, {more}", details)


def observe(turn: Turn, run: TurnContext) -> Turn:
    """Orders everything that was found. There is another round if words of the question are missing from the evidence
    and the library has them, or a language model may plan."""
    services, turn, missing = run.services, _ordered(turn, run), tuple[str, ...]()
    if best := rounds.answers(turn.passages, services.observe):
        summary = f"{best.name} answers"
    elif rounds.enough(turn.rewritten, turn.passages, services.observe):
        summary = "the evidence is enough"
    else:
        lacked = rounds.missing(turn.rewritten, turn.passages)
        hits = services.library.store.keyword_search(lacked, 1, scope=scope_of(turn))
        missing = tuple(word for word, found in zip(lacked, hits, strict=True) if found)
        summary = f"missing: {', '.join(lacked)}" if lacked else "nothing more to look for"
    model, unplanned = services.writers.think, _unplanned(turn, run)
    details = (f"no plan by {model.name}: {unplanned}",) if model and unplanned and turn.search.round == 1 else ()
    return turn.searched(missing=missing, plans=not unplanned).stepped("observe", summary, details)


def _ordered(turn: Turn, run: TurnContext) -> Turn:
    """The turn with its passages in order: those found for the whole question by their mass, the others behind the
    best."""
    beside = set(turn.search.beside)
    whole = [passage for passage in turn.passages if passage.id not in beside]
    if turn.search.round == 1 and len(turn.search.tools) > 1:
        matched = hybrid(run).scores(query_of_turn(turn, run, turn.wordings), [passage.id for passage in whole])
        whole = ordering.ordered(whole, matched, turn.search.signals, run.services.order)
    others = [passage for passage in turn.passages if passage.id in beside]
    return turn.found(rounds.assembled(turn.rewritten, whole, others, turn.search.wanted, run.services.observe))


def after_observe(state: TurnState, runtime: Runtime[TurnContext]) -> Literal["think", "answer"]:
    """A language model plans once, and only if no passage found so far is likely to answer alone."""
    search = state["turn"].search
    return "think" if search.plans or rounds.finds_more(search, runtime.context.services.observe) else "answer"


def _unplanned(turn: Turn, run: TurnContext) -> str:
    """Why a language model makes no plan; empty if it may. It makes none for what a passage or a table answers, nor
    where the evidence is enough; but of a question that may have several hops the first holds all words at times, and
    the signals of hops are of English. Nor where an encoder of many languages has searched documents of another one;
    without such an encoder the model is the only one who can say the question in their words."""
    writer, by, search = run.services.writers.think, run.services.observe, turn.search
    if writer is None or writer.abilities.is_small:
        return "it is too small to" if writer else "there is no model"
    if search.round != 1 or search.corpus:
        return "a table answers" if search.corpus else "it is asked once"
    language, held = language_of(turn.rewritten), held_language(run.services)
    if language and held and language != held and run.services.multilingual:
        return "the documents are in another language"
    hops = Walk.name in search.tools or any(search.signals.get(one) for one in ("relative", "possessive"))
    if not hops and language in ("", "en") and rounds.enough(turn.rewritten, turn.passages, by):
        return "the words of the question were found, and it has one step"
    likely = rounds.answers(turn.passages, by) or likely_answered(turn, run.services)
    return "a sentence found is likely to answer" if likely else ""


# What is answered -------------------------------------------------------------------------------------------------


def answer(turn: Turn, run: TurnContext) -> Turn:
    """What had been quoted when the person stopped the turn was not shown, and is dropped; what a model wrote is
    kept."""
    made = answers.answer(turn, run)
    if run.cancel.is_set():
        made = replace(made, answer=replace(made.answer, outcome="stopped") if made.model else Answer("stopped", ()))
    held = "" if run.services.multilingual or (made.model and not made.answer.refused) else held_language(run.services)
    made = replace(made, answer=in_language(made.answer, turn, held))
    sentences, sources = number_of(len(made.answer.claims), "sentence"), number_of(len(made.answer.sources), "source")
    by = f", by {made.model}" if made.model else ""
    turn = replace(turn, answer=made.answer, model=made.model).written(made.ledger, made.degraded)
    return turn.stepped("answer", f"{made.answer.outcome}: {sentences} from {sources}{by}", made.details)


def verify(turn: Turn, run: TurnContext) -> Turn:  # noqa: ARG001 every node has both
    checked = verification.verified(turn.answer, verification.words_asked(turn))
    details = (f"{STANDINGS[one.standing][0]}: {one.text}" for one in checked.claims if one.standing in STANDINGS)
    return replace(turn, answer=checked).stepped("verify", checked.checked or "nothing to check", details)


def remember(turn: Turn, run: TurnContext) -> Turn:
    """Stores the turn. Its own step is emitted, but is not part of the stored turn."""
    services, started = run.services, time.perf_counter()
    over = replace(
        turn,
        library=services.library.manifest.fingerprint,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        search=TurnSearch(),
    )
    # A checkpoint gives tuples back as lists; what is handed out is what is stored, with tuples again.
    record = TURN_JSON.dump_json(over, warnings=False).decode()
    finished = replace(TURN_JSON.validate_json(record), id=turn.id or turn.turn, parent=turn.parent)
    sentences = extract(leaned_on(turn), first_turn=finished.turn)
    vectors = services.encoder.encode([sentence.text for sentence in sentences], "sentence")
    services.threads.save(
        finished.thread,
        finished.id,
        finished.question,
        record,
        sentences,
        vectors,
        services.encoder.hash,
        finished.parent,
    )
    ms = round((time.perf_counter() - started) * 1000, 1)
    run.emit(Step("remember", f"turn {finished.turn}: {number_of(len(sentences), 'sentence')}", ms=ms))
    return finished


# The policy ------------------------------------------------------------------------------------------------------


def _model_plan(turn: Turn, run: TurnContext, policy: Sequence[Call]) -> ModelPlan:
    """The further searches that a language model wants, given what was found."""
    services, writer = run.services, run.services.writers.think
    if writer is None or not turn.search.plans:
        return ModelPlan()
    topic = Topic(verification.words_asked(turn), services.encoder)
    made, units = search_keys([*turn.calls, *policy]), best_candidates(turn, services)
    question = question_for_models(turn)
    prompt = PlanPrompt(question, turn.passages, made, topic, units)
    specs = offered(services, writer.abilities, question)
    plan = planned(RecordedWriter(writer, "think", run.emit), specs, prompt, run.cancel)
    return replace(plan, calls=plan.calls[: turn.search.calls_left])


# In words ---------------------------------------------------------------------------------------------------------


def leaned_on(turn: Turn) -> list[Utterance]:
    """What a later question may refer to: no small talk, refusals, words of Clew around quotations, or orders to a
    model."""
    answer, typed = turn.answer, Utterance("user", turn.typed)
    if answer.outcome == "small-talk":
        return []
    quoted = any(claim.quotes for claim in answer.claims)
    kept = [claim for claim in answer.claims if (claim.cites or not quoted) and not orders(claim.text)]
    said = "".join((claim.lead if turn.model else " ") + claim.text for claim in kept).strip()
    return [typed, Utterance("agent", said)] if said and not answer.refused else [typed]


def _found(passage: Passage) -> str:
    return f"{passage.name}{in_brackets(passage.score)}: {passage.why}"

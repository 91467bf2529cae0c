"""`clew evaluate`: a row of figures for each tool and each form of a data set's questions."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from time import perf_counter
from typing import Any

from clew.agent.evaluation.answer_metrics import AnswerFigures, figures, read_labels, share
from clew.agent.evaluation.dataset import Dataset, Question, read_dataset
from clew.agent.evaluation.ranking import (
    DEPTH,
    FORMS,
    FormName,
    Ranking,
    distinct,
    encoding_seconds,
    measure,
    percentiles,
    query_of,
    trec_run,
)
from clew.agent.graph import TurnGraph, evidence_graph, turn_graph
from clew.agent.models import encoder_for
from clew.agent.replay.replay import answer_row
from clew.agent.search.rounds import AUTO
from clew.agent.services import Services, TurnContext, check_offered, check_tool, services_for
from clew.agent.settings import Settings
from clew.agent.state import TURN_JSON, UNANSWERED, Answer, Claim, Turn, TurnSearch, TurnState
from clew.memory.datatypes import Passage, Progress, Query, Utterance
from clew.memory.dialogue.threads import Threads
from clew.memory.dialogue.utterances import extract
from clew.memory.errors import BadInput, library_flag, required
from clew.memory.json_lines import append_object, replace_file
from clew.memory.knowledge.library import Library, open_library
from clew.tools import registry
from clew.tools.hybrid import Hybrid

THREAD = "given"


def searched(
    services: Services, question: str, history: Sequence[Utterance], scope: Sequence[str] = (), today: str = ""
) -> Turn:
    """Run a turn up to its evidence, after `history`. `scope` are the only documents to search; empty: all."""
    return _run(evidence_graph(), services, question, history, scope, today)


def answered(
    services: Services, question: str, history: Sequence[Utterance], scope: Sequence[str] = (), today: str = ""
) -> Turn:
    """Run a whole turn, with its answer, after `history`. `scope` are the only documents to search; empty: all."""
    return _run(_whole_graph(), services, question, history, scope, today)


@cache
def _whole_graph() -> TurnGraph:
    return turn_graph(None)


def _run(
    graph: TurnGraph, services: Services, question: str, history: Sequence[Utterance], scope: Sequence[str], today: str
) -> Turn:
    """Run the graph once in a new thread that holds the history, stored as `remember` stores turns."""
    turns = _turns(history)
    with Threads(None) as threads:
        for number, said in enumerate(turns, 1):
            sentences = extract(said, first_turn=number)
            vectors = services.encoder.encode([sentence.text for sentence in sentences], "sentence")
            record = TURN_JSON.dump_json(_stored(number, said)).decode()
            threads.save(THREAD, number, said[0].text, record, sentences, vectors, services.encoder.hash)
        search = TurnSearch(scope=tuple(scope))
        begun: TurnState = {"turn": Turn(THREAD, len(turns) + 1, question, today=today, search=search)}
        context = TurnContext(replace(services, threads=threads))
        turn: Turn = graph.invoke(begun, {"configurable": {"thread_id": THREAD}}, context=context)["turn"]
        return turn


def _stored(number: int, said: Sequence[Utterance]) -> Turn:
    claims = tuple(Claim(one.text) for one in said if one.speaker == "agent")
    return Turn(THREAD, number, said[0].text, answer=Answer("answered", claims) if claims else UNANSWERED)


def _turns(history: Sequence[Utterance]) -> list[list[Utterance]]:
    """A user's utterance begins a turn; what the agent says before any belongs to the first."""
    turns: list[list[Utterance]] = []
    for said in history:
        if said.speaker == "user" or not turns:
            turns.append([])
        turns[-1].append(said)
    return turns


AGENT = ("agent", AUTO)
"""Names of the agent's policy."""

ALL = "all"


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """What to evaluate. `query` empty: each tool's own default; `k`: documents of each question in the run file;
    `today`: the day, ISO 8601, that the agent's questions count from."""

    dataset: Path
    tool: str
    query: str = ""
    k: int = 10
    within_context: bool = False
    run: Path | None = None
    answers: Path | None = None
    today: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One tool with one form of the questions; `latency_ms` in milliseconds, `notes` for the person who reads it.
    `tools_run` is the agent's: the share of the questions searched with `hybrid` alone, and with each other tool."""

    dataset: str
    tool: str
    query: str
    queries: int
    metrics: Mapping[str, float]
    latency_ms: Mapping[str, Mapping[str, float]]
    library: str
    tools_run: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The names that `clew evaluate --json` promises."""
        said = {name: value for name, value in asdict(self).items() if name != "notes"}
        return said if self.tools_run else {name: value for name, value in said.items() if name != "tools_run"}


def evaluate(plan: EvaluationPlan, settings: Settings) -> Iterator[Progress | Row | AnswerFigures]:
    """A row for each tool and form asked for, each after the progress of its making; then what the answers are worth,
    where they are asked for.

    Raises `BadInput` before any work for what cannot be evaluated, and what opening the library raises.
    """
    pairs = [(tool, form) for tool in _tools(plan.tool) for form in _forms(tool, plan.query)]
    _check(plan, settings)
    dataset = read_dataset(plan.dataset, within_context=plan.within_context)
    encoder = encoder_for(settings)
    library = open_library(settings.library, encoder)
    with closing(encoder), closing(library.store), Threads(None) as threads:
        notes = (*dataset.notes, *_missing(dataset, library, plan))
        services = replace(services_for(settings, library, encoder, threads), default_tool=AUTO)
        for tool, form in pairs:
            name = f"{tool}.{form}"
            found = yield from searched_by(tool, form, dataset.questions, services, max(plan.k, DEPTH), plan.today)
            if plan.run:
                path = plan.run if len(pairs) == 1 else plan.run.with_name(f"{plan.run.stem}.{name}{plan.run.suffix}")
                replace_file(path, trec_run(found.rankings, plan.k, name))
            yield Row(
                dataset=dataset.name,
                tool=tool,
                query=form,
                queries=len(dataset.questions),
                metrics=measure(dataset.golds, found.rankings),
                latency_ms=found.latency_ms,
                library=library.manifest.fingerprint,
                tools_run=tools_run(found.turns),
                notes=notes,
            )
        if plan.answers:
            answers = yield from _answer_all(dataset, services, plan.answers, plan.today)
            worth = figures(answers, read_labels(plan.dataset))
            yield AnswerFigures(dataset.name, len(answers), worth, library.manifest.fingerprint)


@dataclass(frozen=True, slots=True)
class SearchedSet:
    """The documents of each question, the times, and the agent's turns."""

    rankings: Mapping[str, Ranking]
    latency_ms: Mapping[str, Mapping[str, float]]
    turns: Sequence[Turn]


def searched_by(
    tool: str, form: FormName, questions: Sequence[Question], services: Services, k: int = DEPTH, today: str = ""
) -> Generator[Progress, None, SearchedSet]:
    """Rank the first k documents for each question, by a tool or by the agent. Only the search is timed: its vectors
    are there before. A tool is asked for more than k at once, as a document may have several passages; the agent, whose
    decisions rest on what it finds, for what it gathers in a turn."""
    turns, queries, seconds = list[Turn](), list[Query](), list[float]()
    rankings: dict[str, Ranking] = {}
    if tool not in AGENT:
        check_offered(tool, services)
    first = services.evidence if tool in AGENT else 3 * k

    def find(question: Question, wanted: int) -> Sequence[Passage]:
        if tool not in AGENT:
            return services.tools[tool].search(queries[-1], wanted).passages
        # The agent rewrites by itself; in another form the question is given to it as one that stands alone.
        text, history = (question.text, question.history) if form == "rewrite" else (queries[-1].forms[0].text, ())
        turn = searched(replace(services, evidence=wanted), text, history, sorted(question.context or ()), today)
        if wanted == first:  # not where more documents are asked for
            turns.append(turn)
        return turn.passages

    for done, question in enumerate(questions):
        yield Progress(f"{tool}.{form}", done, len(questions))
        queries.append(query_of(question, form, services.encoder, services.recall, services.rewrite))
        started = perf_counter()
        rankings[question.id] = distinct(partial(find, question), k, first)
        seconds.append(perf_counter() - started)
    yield Progress(f"{tool}.{form}", len(questions), len(questions))
    encode = percentiles(encoding_seconds(queries, services.encoder), 50)
    return SearchedSet(rankings, {"search": percentiles(seconds, 50, 95), "encode": encode, **turn_times(turns)}, turns)


SEARCHING = ("think", "act", "stitch", "walk", "observe")


def tools_run(turns: Sequence[Turn]) -> dict[str, float]:
    """The share of the turns that searched with `hybrid` alone, and with each other tool; nothing of no turns."""
    chosen = [{name for step in turn.steps for name in step.tools} for turn in turns]
    names = sorted(set().union(*chosen) - {Hybrid.name})
    shares = {"hybrid alone": share(tools <= {Hybrid.name} for tools in chosen)}
    shares |= {name: share(name in tools for tools in chosen) for name in names}
    return {name: round(value, 4) for name, value in shares.items()} if turns else {}


def turn_times(turns: Sequence[Turn]) -> dict[str, dict[str, float]]:
    """Percentiles of milliseconds: of whole turns up to their evidence, and from `think` to `observe` alone; nothing of
    no turns."""
    if not turns:
        return {}
    whole = [sum(step.ms for step in turn.steps) / 1000 for turn in turns]
    searching = [sum(step.ms for step in turn.steps if step.node in SEARCHING) / 1000 for turn in turns]
    return {"search": percentiles(searching, 50, 95), "turn": percentiles(whole, 50, 95)}


def _answer_all(
    dataset: Dataset, services: Services, path: Path, today: str
) -> Generator[Progress, None, dict[str, Turn]]:
    """Every question, also those without qrels: whether they can be answered is not known to who answers. Returns the
    turns by the question's id."""

    turns: dict[str, Turn] = {}
    replace_file(path, "")
    for done, question in enumerate(dataset.everything):
        yield Progress("answers", done, len(dataset.everything))
        turn = answered(services, question.text, question.history, sorted(question.context or ()), today)
        append_object(path, answer_row(question.id, turn))
        turns[question.id] = turn
    yield Progress("answers", len(dataset.everything), len(dataset.everything))
    return turns


def _tools(name: str) -> list[str]:
    known = [*registry.TOOLS, AGENT[0]]
    if name == ALL:
        return known
    known += [AUTO, *registry.ON_A_CLUSTER]
    if name not in known:
        raise BadInput(f"there is no tool '{name}'", f"--tool {'|'.join([*known, ALL])}")
    return [name]


def _forms(tool: str, form: str) -> Sequence[FormName]:
    if form == ALL:
        return FORMS
    default: FormName = "rewrite" if tool in AGENT else "last-turn"
    named = [one for one in FORMS if one == (form or default)]
    if not named:
        raise BadInput(f"there is no form of the query '{form}'", f"--query {'|'.join([*FORMS, ALL])}")
    return named


def _check(plan: EvaluationPlan, settings: Settings) -> None:
    for module in ("ir_measures", "rouge_score.rouge_scorer") if plan.answers else ("ir_measures",):
        required(module, "an evaluation", "evaluation")
    check_tool(settings.tool)
    if plan.answers and plan.tool not in AGENT:
        raise BadInput("only the agent answers", "--tool agent --answers FILE")
    for path in (plan.run, plan.answers):
        if path and (path.is_dir() or not path.absolute().parent.is_dir()):
            raise BadInput(
                f"{path} cannot be written: {'it' if path.is_dir() else 'its folder'} is no place for a file"
            )


def _missing(dataset: Dataset, library: Library, plan: EvaluationPlan) -> list[str]:
    """A note on relevant documents that are not in the library. Raises `BadInput` where none of them is."""
    golds = {document for gold in dataset.golds.values() for document in gold}
    missing = len(golds.difference(one.id for one in library.store.catalogue.documents))
    if missing == len(golds):
        raise BadInput(
            f"the library {library.path} holds no document that is relevant in {plan.dataset}",
            f"clew index {plan.dataset} {library_flag(library.path)}",
        )
    return [f"{missing} of {len(golds)} relevant documents are not in the library"] if missing else []

"""`clew evaluate`: rankings of documents for a data set's questions, by tool and by form of the question."""

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agent.dataset import Dataset, Question, read_dataset
from agent.forms import FORMS, REMEMBERING, FormName, query_of
from agent.lines import replace_file
from agent.metrics import DEPTH, Ranking, falling, measure, trec_run
from agent.settings import Settings
from memory.datatypes import Passage, Query
from memory.dialogue.extraction import extract
from memory.encoding import CachedEncoder, load_encoder
from memory.errors import BadInput
from memory.knowledge.library import Library, open_library
from memory.ports import Store
from memory.progress import Progress
from tools import registry

AGENT = "agent"
ALL = "all"
TIMED = 100
"""Questions whose encoding is timed."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to evaluate. `query` empty: each tool's own default; `k`: documents of each question in the run file."""

    dataset: Path
    tool: str
    query: str = ""
    k: int = 10
    within_context: bool = False
    run: Path | None = None
    answers: Path | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One tool with one form of the questions; `latency_ms` in milliseconds, `notes` for the person who reads it."""

    dataset: str
    tool: str
    query: str
    queries: int
    metrics: Mapping[str, float]
    latency_ms: Mapping[str, Mapping[str, float]]
    library: str
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The names that `clew evaluate --json` promises."""
        return {
            "dataset": self.dataset,
            "tool": self.tool,
            "query": self.query,
            "queries": self.queries,
            "metrics": dict(self.metrics),
            "latency_ms": {part: dict(times) for part, times in self.latency_ms.items()},
            "library": self.library,
        }


@dataclass(frozen=True, slots=True)
class Bench:
    """What all rows of an evaluation share."""

    dataset: Dataset
    encoder: CachedEncoder
    library: Library
    k: int


Search = Callable[[Question, Query, int], Sequence[Passage]]
"""At most so many passages for a question, best first, by a tool or by the agent."""


def evaluate(plan: Plan, settings: Settings) -> Iterator[Progress | Row]:
    """A row for each tool and form asked for, each after the progress of its making.

    Raises `BadInput` before any work for what cannot be evaluated, and what opening the library raises.
    """
    rows = [(tool, form) for tool in _tools(plan.tool) for form in _forms(tool, plan.query)]
    _check_outputs(plan)
    dataset = read_dataset(plan.dataset, within_context=plan.within_context)
    encoder = load_encoder(settings.encoder, settings.cache)
    library = open_library(settings.library, encoder)
    notes = [*dataset.notes, *_missing(dataset, library.store, plan, settings)]
    bench = Bench(dataset, encoder, library, max(plan.k, DEPTH))
    if any(form in REMEMBERING for _, form in rows):
        yield from _remember(dataset.questions, encoder)
    for tool, form in rows:
        rankings, latency = yield from _rank_all(bench, tool, form)
        if plan.run:
            path = plan.run if len(rows) == 1 else _beside(plan.run, f"{tool}.{form}")
            replace_file(path, trec_run(rankings, plan.k, f"{tool}.{form}"))
        metrics = measure(dataset.golds, rankings)
        fingerprint = library.manifest.fingerprint
        yield Row(dataset.name, tool, form, len(rankings), metrics, latency, fingerprint, tuple(notes))


def distinct(search: Callable[[int], Sequence[Passage]], k: int) -> list[tuple[str, float]]:
    """The first k documents of what is found, each by its first passage: a document can have several.

    Asks for more passages until there are k documents or no more passages.
    """
    asked = 3 * k
    while True:
        passages = search(asked)
        documents: dict[str, float] = {}
        for passage in passages:
            documents.setdefault(passage.document, passage.score)
        if len(documents) >= k or len(passages) < asked:
            return list(documents.items())[:k]
        asked *= 4


def _rank_all(
    bench: Bench, tool: str, form: FormName
) -> Generator[Progress, None, tuple[dict[str, Ranking], dict[str, dict[str, float]]]]:
    """The ranking of each question, and what searching and encoding took."""
    search = _search(bench, tool, form)
    stage, total = f"{tool} {form}", len(bench.dataset.questions)
    rankings: dict[str, Ranking] = {}
    queries, times = [], []
    for done, question in enumerate(bench.dataset.questions):
        yield Progress(stage, done, total)
        query = query_of(question, form, bench.encoder)
        started = time.perf_counter()
        found = distinct(lambda asked, question=question, query=query: search(question, query, asked), bench.k)  # type: ignore[misc]
        times.append(time.perf_counter() - started)
        rankings[question.id] = _with_falling_scores(found)
        queries.append(query)
    yield Progress(stage, total, total)
    p50, p95 = np.percentile(times, (50, 95)) * 1000
    searching = {"p50": round(float(p50), 3), "p95": round(float(p95), 3)}
    return rankings, {"search": searching, "encode": {"p50": _encoding_ms(queries, bench.encoder)}}


def _encoding_ms(queries: Sequence[Query], encoder: CachedEncoder) -> float:
    """Median time in which the bare encoder, without its cache, encodes one question's forms."""
    bare = encoder.uncached
    bare.encode([queries[0].text], "query")  # the model loads with its first text
    times = []
    for query in queries[:TIMED]:
        started = time.perf_counter()
        bare.encode([form.text for form in query.forms], "query")
        times.append(time.perf_counter() - started)
    return round(float(np.percentile(times, 50)) * 1000, 3)


def _search(bench: Bench, tool: str, form: FormName) -> Search:
    if tool == AGENT:
        return _agent_search(bench, form)
    made = registry.make(tool, bench.library.store)
    return lambda _, query, k: made.search(query, k).passages


def _remember(questions: Sequence[Question], encoder: CachedEncoder, batch: int = 256) -> Iterator[Progress]:
    """Encode what was said in all histories, into the cache: many texts at once are faster than a few at a time."""
    texts = list(dict.fromkeys(s.text for question in questions for s in extract(question.history)))
    for start in range(0, len(texts), batch):
        yield Progress("histories", start, len(texts))
        encoder.encode(texts[start : start + batch], "sentence")
    yield Progress("histories", len(texts), len(texts))


def _with_falling_scores(found: Sequence[tuple[str, float]]) -> Ranking:
    return list(zip([document for document, _ in found], falling([score for _, score in found]), strict=True))


def _tools(name: str) -> list[str]:
    known = [*registry.NAMES, AGENT]
    if name == ALL:
        return known
    if name not in known:
        raise BadInput(f"there is no tool '{name}'", f"--tool {'|'.join([*known, ALL])}")
    return [name]


def _forms(tool: str, form: str) -> Sequence[FormName]:
    if form == ALL:
        return FORMS
    default: FormName = "rewrite" if tool == AGENT else "last-turn"
    named = [one for one in FORMS if one == (form or default)]
    if not named:
        raise BadInput(f"there is no form of the query '{form}'", f"--query {'|'.join([*FORMS, ALL])}")
    return named


def _check_outputs(plan: Plan) -> None:
    if plan.k < 1:
        raise BadInput("-k has to be at least 1")
    if plan.answers and plan.tool != AGENT:
        raise BadInput("only the agent answers", "--tool agent --answers FILE")
    for path in (plan.run, plan.answers):
        if path and (path.is_dir() or not path.absolute().parent.is_dir()):
            raise BadInput(f"{path} cannot be written: {'it' if path.is_dir() else 'its folder'} is no place for a file")


def _missing(dataset: Dataset, store: Store, plan: Plan, settings: Settings) -> list[str]:
    """A note on relevant documents that are not in the library. Raises `BadInput` where none of them is."""
    golds = sorted({document for gold in dataset.golds.values() for document in gold})
    missing = sum(not _holds(store, document) for document in golds)
    if missing == len(golds):
        raise BadInput(
            f"the library {settings.library} holds no document that is relevant in {plan.dataset}",
            f"clew index {plan.dataset} --library {settings.library}",
        )
    return [f"{missing} of {len(golds)} relevant documents are not in the library"] if missing else []


def _holds(store: Store, document: str) -> bool:
    try:
        store.documents([document])
    except KeyError:
        return False
    return True


def _beside(path: Path, tag: str) -> Path:
    """`runs/hotpotqa.run` -> `runs/hotpotqa.hybrid.last-turn.run`."""
    return path.with_name(f"{path.stem}.{tag}{path.suffix}")

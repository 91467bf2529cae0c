"""What the agent is worth on questions that nothing it has learned has seen.

    python -m tests.training.crossval DATA LIBRARIES

DATA and LIBRARIES are those of `tests.training.search`. Prints rows as those of `clew evaluate --json`, each with its
`fold` and what was `left_out`: questions of single turns by three folds of each set; conversations by domain, over all
sets that have it; and every set left out of every fit. The turns are the agent's own, with models (the rewriting's, the
scorer of `graph` and `walk`, router and order) that are fitted on the other questions alone, of whole conversations.
`intervals` are 95% by bootstrap over the questions. A row of a set left out has a row of each tool beside it, by the
same scorer: that of conversations searches for what the agent makes of the question.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import click

from clew.agent.evaluation.evaluate import Row, SearchedSet, searched_by, tools_run, turn_times
from clew.agent.evaluation.ranking import FormName, Ranking, measure
from clew.agent.models import encoder_for
from clew.agent.search.rounds import AUTO
from clew.agent.services import Services, services_for
from clew.agent.settings import read_settings
from clew.memory.dialogue.threads import Threads
from clew.memory.knowledge.walking.features import NodeScorer
from clew.tools.base import Tool
from clew.tools.graph import GraphSearch
from clew.tools.walk import Walk
from tests.training.records import part_of
from tests.training.rewriter import Conversations, Rewriter
from tests.training.search import SETS, SPANS, Asked, Bench, Policy, fewer, policy
from tests.training.trainer import TrainingCommand, interval

FOLDS = 3
CONVERSATIONS = ("mtrag", "mtrag-un")
MOST_LEFT_OUT, MOST_KNOWN = 400, 600
"""Questions of a set that is left out of every fit; of each other set that is fitted on beside it or a domain."""

ALONE = ("hybrid", "graph", "walk")
"""Tools that the agent is held against on a set left out."""

WITH_INTERVALS = ("recall@5", "recall@10", "ndcg@5", "all@8")


class Placed(Protocol):
    """A question of the policy's trainer, or of the rewriter's."""

    @property
    def set(self) -> str: ...
    @property
    def domain(self) -> str: ...
    @property
    def conversation(self) -> str: ...


class Run(NamedTuple):
    """What is measured: questions of one fold, of one domain, or of one set that nothing was fitted on."""

    part: str
    name: str

    def holds_out(self, one: Placed) -> bool:
        if self.part == "folds":
            return part_of(one.conversation, FOLDS, "fold") == int(self.name)
        return (one.domain if self.part == "domains" else one.set) == self.name

    def measures(self, asked: Asked) -> bool:
        if self.part == "folds":
            return asked.set not in (*CONVERSATIONS, SPANS)
        return asked.set in CONVERSATIONS if self.part == "domains" else True


@click.command(cls=TrainingCommand, help=__doc__)
def main(data: Path, libraries: Path) -> None:
    encoder = encoder_for(read_settings())
    bench, conversations = Bench.open(data, libraries, encoder), Conversations.open(data, libraries, encoder)
    whole: dict[tuple[str, str], list[Measured]] = {}
    for run in runs(bench):
        for found in measured(bench, conversations, run):
            click.echo(json.dumps(found.row(run)))
            whole.setdefault((run.part, found.set), []).append(found)
        click.echo(f"{run.part} {run.name}: done", err=True)
    for (name, _), its in whole.items():
        if name != "sets" and len(its) > 1:
            click.echo(json.dumps(merged(its).row(Run(name, "all"))))


def runs(bench: Bench) -> list[Run]:
    domains = sorted({one.domain for one in bench.asked if one.set in CONVERSATIONS})
    made = [Run("folds", str(fold)) for fold in range(FOLDS)] + [Run("domains", domain) for domain in domains]
    return made + [Run("sets", name) for name in SETS if name != SPANS]


@dataclass(frozen=True, slots=True)
class Measured:
    """What was found for the questions of a set that were held out, by the agent or by one tool."""

    set: str
    tool: str
    golds: Mapping[str, Mapping[str, int]]
    found: SearchedSet
    library: str

    def row(self, run: Run) -> dict[str, Any]:
        rankings, latency_ms = self.found.rankings, self.found.latency_ms or turn_times(self.found.turns)
        each = [measure({key: gold}, {key: rankings[key]}) for key, gold in self.golds.items()]
        figures = {name: round(value, 4) for name, value in measure(self.golds, rankings).items()}
        ran = tools_run(self.found.turns) if self.tool == "agent" else {}
        row = Row(self.set, self.tool, _form(self.set), len(each), figures, latency_ms, self.library, ran)
        place = {"fold": run.name, "left_out": ""} if run.part == "folds" else {"fold": "", "left_out": run.name}
        intervals = {of: interval([one[of] for one in each]) for of in WITH_INTERVALS}
        return row.to_json() | place | {"intervals": intervals}


def merged(parts: Sequence[Measured]) -> Measured:
    """The parts of one set as one, without the times of encoding."""
    golds = {key: gold for one in parts for key, gold in one.golds.items()}
    rankings: dict[str, Ranking] = {key: its for one in parts for key, its in one.found.rankings.items()}
    turns = [turn for one in parts for turn in one.found.turns]
    return replace(parts[0], golds=golds, found=SearchedSet(rankings, {}, turns))


class Fitted(NamedTuple):
    """All that the agent has learned from some questions."""

    scorer: NodeScorer
    rewriter: Rewriter
    policy: Policy

    def services(self, bench: Bench, name: str, threads: Threads) -> Services:
        library = bench.libraries[name]
        made, store = services_for(read_settings(), library, bench.encoder, threads), library.store
        graph, walk = GraphSearch(store, scorer=self.scorer), Walk(store, scorer=self.scorer)
        tools: dict[str, Tool] = {**made.tools, graph.name: graph, walk.name: walk}
        return replace(
            made,
            tools=tools,
            default_tool=AUTO,
            rewrite=self.rewriter.parameters,
            query_weights=self.rewriter.forms,
            router=self.policy.router,
            order=self.policy.order,
        )


def measured(bench: Bench, conversations: Conversations, run: Run) -> Iterator[Measured]:
    known = [one for one in bench.asked if not run.holds_out(one)]
    held_out = [one for one in bench.asked if run.holds_out(one) and run.measures(one)]
    if run.part != "folds":
        known = fewer(known, MOST_KNOWN)
    if run.part == "sets":
        held_out = fewer(held_out, MOST_LEFT_OUT)
    asks_on = any(one.question.history for one in held_out)  # else no conversation tells of what is measured
    rewriter = conversations.fitted(run.holds_out if asks_on else lambda _: False)
    fitted = Fitted(bench.scorer(known), rewriter, policy(bench, known, rewriter))
    for name in dict.fromkeys(one.set for one in held_out):
        with Threads(None) as threads:
            services = fitted.services(bench, name, threads)
            its = [one for one in held_out if one.set == name]
            yield _searched("agent", its, services)
            for tool in ALONE if run.part == "sets" else ():
                yield _searched(tool, its, services)


def _searched(tool: str, asked: Sequence[Asked], services: Services) -> Measured:
    """A tool alone searches for what the agent makes of a question of a conversation, and for any other as it is."""
    name, questions = asked[0].set, [one.question for one in asked]
    by = "agent" if name in CONVERSATIONS else tool
    if by != tool:
        services = replace(services, default_tool=tool)
    progress = searched_by(by, _form(name), questions, services)
    while True:
        try:
            next(progress)
        except StopIteration as done:
            golds = {one.question.id: one.golds for one in asked}
            return Measured(name, tool, golds, done.value, services.library.manifest.fingerprint)


def _form(name: str) -> FormName:
    return "rewrite" if name in CONVERSATIONS else "last-turn"


if __name__ == "__main__":
    main()

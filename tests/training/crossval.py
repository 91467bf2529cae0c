"""What the agent's policy is worth on questions that nothing below it has seen.

    python -m tests.training.crossval DATA LIBRARIES [--part folds|domains|sets]

DATA and LIBRARIES are those of `tests.training.search`. Prints rows as those of `clew evaluate --json`, each with its
`fold` and what was `left_out`: questions of single turns by three folds of each set; conversations by domain, over all
sets that have it; and every set left out of every fit. All that is fitted (the scorer, the policy, the rewriting) is
fitted on the other questions alone. `intervals` are 95% by bootstrap over the questions. A row of a set left out has a
row of each tool beside it, so that the agent can be held against the best of them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from clew.agent.evaluation.ranking import measure
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.errors import ClewError
from tests.training.rewriting import rewriting_without
from tests.training.search import SETS, SPANS, Asked, Bench, Gathered, Policy, fewer, gather, policy

FOLDS = 3
CONVERSATIONS = ("mtrag", "mtrag-un")
MOST_LEFT_OUT, MOST_KNOWN = 400, 600
"""Questions of a set that is left out of every fit, and of each other set that is fitted on beside it or a domain."""

RESAMPLED = 2_000
WITH_INTERVALS = ("recall@5", "recall@10", "ndcg@5", "all@8")


class Run(NamedTuple):
    """What is measured: questions of one fold, of one domain, or of one set that nothing was fitted on."""

    part: str
    name: str

    def holds_out(self, asked: Asked) -> bool:
        if self.part == "folds":
            return asked.part(FOLDS, "fold") == int(self.name)
        return (asked.domain if self.part == "domains" else asked.key.set) == self.name

    def measures(self, asked: Asked) -> bool:
        of_set = asked.key.set
        if self.part == "folds":
            return of_set not in (*CONVERSATIONS, SPANS)
        return of_set in CONVERSATIONS if self.part == "domains" else True


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("libraries", type=click.Path(file_okay=False, path_type=Path))
@click.option("--part", type=click.Choice(["folds", "domains", "sets"]), help="Only these rows.")
def main(data: Path, libraries: Path, part: str | None) -> None:
    try:
        bench = Bench.open(data, libraries, encoder_for(read_settings()))
        for row in rows(bench, part):
            click.echo(json.dumps(row))
    except ClewError as error:
        raise click.ClickException(str(error)) from error


def rows(bench: Bench, part: str | None = None) -> Iterator[dict[str, Any]]:
    domains = sorted({one.domain for one in bench.asked if one.key.set in CONVERSATIONS})
    runs = [Run("folds", str(fold)) for fold in range(FOLDS)]
    runs += [Run("domains", domain) for domain in domains]
    runs += [Run("sets", name) for name in SETS if name != SPANS]
    whole: dict[str, list[Measured]] = {}
    for run in (run for run in runs if part in (None, run.part)):
        found = list(measured(bench, run))
        for name in dict.fromkeys(one.gathered.asked.key.set for one in found):
            its = [one for one in found if one.gathered.asked.key.set == name]
            yield from _rows(its, run)
            whole.setdefault(f"{run.part} {name}", []).extend(its)
        click.echo(f"{run.part} {run.name}: done", err=True)
    for key, its in whole.items():
        if not key.startswith("sets"):
            yield from _rows(its, Run(key.split()[0], "all"))


class Measured(NamedTuple):
    """A question that was held out, and the policy that was fitted without it."""

    gathered: Gathered
    policy: Policy


def measured(bench: Bench, run: Run) -> Iterator[Measured]:
    known = [one for one in bench.asked if not run.holds_out(one)]
    held_out = [one for one in bench.asked if run.holds_out(one) and run.measures(one)]
    if run.part != "folds":
        known = fewer(known, MOST_KNOWN)
    if run.part == "sets":
        held_out = fewer(held_out, MOST_LEFT_OUT)
    query = rewriting_without(bench, held_out)
    fitted = policy(bench, known, query)
    below = bench.below({one.key for one in known}, query)
    for gathered in gather(bench, held_out, below):
        yield Measured(gathered, fitted)


def _rows(found: Sequence[Measured], run: Run) -> Iterator[dict[str, Any]]:
    """Of one set: the agent's, and of a set left out each tool's."""
    alone = ("hybrid", "graph", "walk") if run.part == "sets" else ()
    yield _row(found, "agent", [one.policy.ranked(one.gathered) for one in found], run)
    for tool in alone:
        yield _row(found, tool, [_by(one.gathered, tool) for one in found], run)


def _by(gathered: Gathered, tool: str) -> list[str]:
    known = {passage.id: passage.document for passage in gathered.passages}
    return list(dict.fromkeys(known[id_] for id_ in gathered.found[tool]))


def _row(found: Sequence[Measured], tool: str, documents: Sequence[Sequence[str]], run: Run) -> dict[str, Any]:
    name = found[0].gathered.asked.key.set
    golds = [one.gathered.asked.golds for one in found]
    each = [_figures(gold, its) for gold, its in zip(golds, documents, strict=True)]
    row = {
        "dataset": name,
        "tool": tool,
        "query": "rewrite" if name in CONVERSATIONS else "last-turn",
        "queries": len(found),
        "fold": run.name if run.part != "sets" else "",
        "left_out": run.name if run.part == "sets" else "",
        "metrics": {measure: round(float(np.mean([one[measure] for one in each])), 4) for measure in each[0]},
        "intervals": {measure: _interval([one[measure] for one in each]) for measure in WITH_INTERVALS},
    }
    if tool == "agent":
        tools = [one.policy.tools(one.gathered) for one in found]
        shares = {"hybrid alone": np.mean([len(its) == 1 for its in tools])}
        shares |= {name: np.mean([name in its for its in tools]) for name in ("graph", "walk")}
        row["tools_run"] = {name: round(float(share), 4) for name, share in shares.items()}
    return row


def _figures(golds: Mapping[str, int], documents: Sequence[str]) -> dict[str, float]:
    return measure({"q": golds}, {"q": [(document, -float(rank)) for rank, document in enumerate(documents)]})


def _interval(values: Sequence[float]) -> list[float]:
    drawn = np.random.default_rng(0).choice(np.array(values), (RESAMPLED, len(values))).mean(axis=1)
    return [round(float(end), 3) for end in np.percentile(drawn, [2.5, 97.5])]


if __name__ == "__main__":
    main()

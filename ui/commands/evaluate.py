"""`clew evaluate`: how well the tools find what a data set says is relevant."""

from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clew.agent.models import named_alone
from clew.agent.settings import read_settings
from clew.memory.knowledge.cluster.connection import Place
from clew.ui import options
from clew.ui.console import output, print_json, print_table, shown
from clew.ui.plain import one_line

if TYPE_CHECKING:
    from clew.agent.evaluation.answer_metrics import AnswerFigures
    from clew.agent.evaluation.evaluate import Row

FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("dataset", type=click.Path(exists=True, file_okay=False, path_type=Path))
@options.library
@click.option(
    "--tool", metavar="NAME|auto|all", help="What is evaluated; agent is another name of auto.  [default: auto]"
)
@click.option("--query", metavar="FORM|all", default="", help="How the question is worded: see below.")
@click.option(
    "-k", "k", type=click.IntRange(1, 1000), default=10, show_default=True, help="Documents of a question in FILE."
)
@click.option("--within", type=click.Choice(["context"]), help="Rank only the documents of each question's context.")
@click.option("--run", metavar="FILE", type=FILE, help="Write the rankings as a TREC run.")
@click.option("--answers", metavar="FILE", type=FILE, help="Write the agent's answers.")
@options.named_llm
@options.given
@options.num_sentences
@options.today
@options.as_json("Print each row as a JSON object, a line each.")
@options.quiet
def evaluate(
    library: Place | None,
    tool: str | None,
    within: str | None,
    llm: str | None,
    given: tuple[str, ...],
    num_sentences: int | None,
    today: str | None,
    as_json: bool,
    quiet: bool,
    **plan: Any,
) -> None:
    """Measure retrieval on DATASET, a folder with queries.jsonl and qrels.

    FORM is last-turn (the question alone, a tool's default), last-two, user-turns, last-answer, mmr, or rewrite (the
    agent's default). With --answers, what the answers are worth is printed as well: docs/figures.md says how that is
    measured. With --json that is one more line. Without --today no day is taken, as the questions may be of any day.
    """
    from clew.agent.evaluation.answer_metrics import AnswerFigures
    from clew.agent.evaluation.evaluate import EvaluationPlan, Row
    from clew.agent.evaluation.evaluate import evaluate as run_evaluation

    settings = named_alone(read_settings(library=library, llm=llm, given=given, num_sentences=num_sentences))
    wanted = EvaluationPlan(tool=tool or settings.tool, within_context=bool(within), today=today or "", **plan)
    results: Generator[Row | AnswerFigures] = shown(run_evaluation(wanted, settings), quiet)
    made = list[Row | AnswerFigures]()
    with closing(results) as events:
        for one in events:
            made.append(one)
            if as_json:
                print_json(one.to_json())
    rows = [one for one in made if isinstance(one, Row)]
    for note in dict.fromkeys(note for row in rows for note in row.notes):
        click.echo(f"note: {one_line(note)}", err=True)
    if not as_json:
        _print_rows(rows)
        for answers in (one for one in made if isinstance(one, AnswerFigures)):
            _print_answers(answers)


def _print_rows(rows: "Sequence[Row]") -> None:
    names = ("recall@5", "recall@10", "ndcg@5", "ndcg@10", "mrr@10", "all@5")
    output().print(f"{rows[0].dataset}, library {rows[0].library[:12]}")
    lines = (
        (
            row.tool,
            row.query,
            str(row.queries),
            *(f"{row.metrics[name]:.3f}" for name in names),
            *(f"{row.latency_ms['search'][part]:.1f}" for part in ("p50", "p95")),
        )
        for row in rows
    )
    print_table(lines, "tool", "query", "queries", *names, "search ms p50", "p95", words=2)


def _print_answers(worth: "AnswerFigures") -> None:
    rows = []
    for group, figures in worth.figures.items():
        for place, (name, value) in enumerate(figures.items()):
            shown = f"{value:.0f}" if name in ("sentences", "swapped") else f"{value:.3f}"
            rows.append(("" if place else group.replace("_", " "), name.replace("_", " "), shown))
    output().print(f"answers to {worth.questions} questions of {worth.dataset}")
    print_table(rows, "answers", "measure", "value", words=2)

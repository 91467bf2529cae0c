"""What the rewriter is worth: fitted on all domains but one and reported on that one, for each.

    python -m tests.training.rewriter_crossval DATA LIBRARIES           a table of every form of the question
    python -m tests.training.rewriter_crossval DATA LIBRARIES --ablate  the rewriter without each of its signals in turn

DATA and LIBRARIES are those of `tests.training.rewriter`. Figures are nDCG@5. Domains of one name are one, also across
sets.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import click
import numpy as np

from clew.agent.evaluation.ranking import DEPTH, FormName, Ranking, distinct, measure, query_of
from clew.agent.evaluation.ranking import FORMS as QUERY_FORMS
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Query
from clew.memory.errors import BadInput
from clew.tools.hybrid import Hybrid
from tests.training.forms import SIGNALS, ndcg
from tests.training.rewriter import WORD_SIGNALS, Conversations, RewriteExample
from tests.training.trainer import TrainingCommand

SIMPLE: list[FormName] = [form for form in QUERY_FORMS if form != "rewrite"]


@click.command(cls=TrainingCommand, help=__doc__)
@click.option("--ablate", is_flag=True, help="Without each signal in turn.")
def main(data: Path, libraries: Path, ablate: bool) -> None:
    conversations = Conversations.open(data, libraries, encoder_for(read_settings()))
    for line in ablation(conversations) if ablate else table(conversations):
        click.echo(line)


def table(conversations: Conversations) -> Iterator[str]:
    """By set, domain, and first and later turns of it."""
    rewritten = out_of_domain(conversations)
    forms = {form: as_form(conversations, form) for form in SIMPLE} | {"rewrite": rewritten}
    yield f"{'':34}{'questions':>10}" + "".join(f"{name:>12}" for name in forms)
    for name in conversations.tools:
        of_set = [one for one in conversations.examples if one.set == name]
        groups = {name: of_set}
        for domain in _domains(of_set):
            own = [one for one in of_set if one.domain == domain]
            groups[f"{name}, {domain}"] = own
            groups[f"{name}, {domain}, first turns"] = [one for one in own if not one.turn]
            groups[f"{name}, {domain}, later turns"] = [one for one in own if one.turn]
        for label, group in groups.items():
            if group:
                yield f"{label:34}{len(group):>10}" + "".join(_mean(group, figures) for figures in forms.values())


def ablation(conversations: Conversations) -> Iterator[str]:
    """By set."""
    for without in ("", *(f"words.{name}" for name in WORD_SIGNALS), *SIGNALS):
        figures = out_of_domain(conversations, frozenset([without]))
        sets = ([one for one in conversations.examples if one.set == name] for name in conversations.tools)
        yield f"{without or 'with all':28}" + "".join(_mean(of_set, figures) for of_set in sets)


def out_of_domain(conversations: Conversations, without: frozenset[str] = frozenset()) -> dict[str, float]:
    """Of each question by what was fitted on the other domains of all sets."""
    domains = _domains(conversations.examples)
    if len(domains) < 2:
        raise BadInput(f"all questions are of one domain, {', '.join(domains)}", "use data of two domains")
    figures: dict[str, float] = {}
    for domain in domains:
        fitted = conversations.fitted(partial(_is_of, domain), without)
        found = conversations.found(fitted.words)
        own = (one.key for one in conversations.examples if one.domain == domain)
        figures |= {key: ndcg(found[key], fitted.forms) for key in own}
    return figures


def as_form(conversations: Conversations, form: FormName) -> dict[str, float]:
    """Of each question by a form that needs no training."""
    figures: dict[str, float] = {}
    for one in conversations.examples:
        ranking = _ranked(conversations.tools[one.set], query_of(one.question, form, conversations.encoder))
        figures[one.key] = measure({"q": one.golds}, {"q": ranking})["ndcg@5"]
    return figures


def _ranked(tool: Hybrid, query: Query) -> Ranking:
    return distinct(lambda k: tool.search(query, k).passages, DEPTH, 3 * DEPTH)


def _is_of(domain: str, one: RewriteExample) -> bool:
    return one.domain == domain


def _mean(examples: Sequence[RewriteExample], figures: Mapping[str, float]) -> str:
    return f"{np.mean([figures[one.key] for one in examples]):12.3f}"


def _domains(examples: Sequence[RewriteExample]) -> list[str]:
    return sorted({example.domain for example in examples})


if __name__ == "__main__":
    main()

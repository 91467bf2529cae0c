"""The judge, fitted on questions of which a data set says whether they can be answered.

    python -m agent.judge_training DATA LIBRARIES             writes agent/judge.json, fitted on all of them
    python -m agent.judge_training DATA LIBRARIES --crossval  fitted on one domain, reported on the other, and back

DATA holds `mtrag-un`, `hotpotqa` and `musique`, LIBRARIES a library of each by the same name. What a set says
(`answerability`) is what is learned and measured, and never a signal. The questions of `hotpotqa` and `musique` are
asked of their own library, where they can be answered, and of that of `mtrag-un`, where they cannot.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from agent.answer_metrics import UNANSWERABLE, UNDERSPECIFIED, decided, read_labels
from agent.assistant import Assistant
from agent.dataset import read_questions
from agent.evidence import asked
from agent.judging import SHIPPED, Decision, Judge, judge
from agent.lines import read_objects
from agent.settings import read_settings
from agent.turn_signals import signals
from memory.dialogue.learned import Linear
from memory.errors import BadInput, ClewError

CONVERSATIONS = "mtrag-un"
SINGLE = ("hotpotqa", "musique")
FOREIGN = "foreign"

REFUSING: tuple[str, ...] = ()
ASKING_BACK: tuple[str, ...] = ()

C = 0.1
"""Inverse of the strength of the L2 penalty."""

FOLDS = 5
COST = 0.05
"""The share of the answerable questions that a decision may be taken for."""

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """A question as it was asked of a library: `set` says which of both, `label` whether it could be answered."""

    set: str
    domain: str
    conversation: str
    label: str
    signals: dict[str, float]


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("libraries", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--crossval", is_flag=True, help="Report, and write nothing.")
def main(data: Path, libraries: Path, crossval: bool) -> None:
    try:
        examples = list(read_examples(data, libraries))
        for line in report(examples) if crossval else ():
            click.echo(line)
        if not crossval:
            SHIPPED.write_text(fit(examples).to_json(), "utf-8")
            click.echo(f"fitted on {len(examples)} questions: {SHIPPED}")
    except ClewError as error:
        raise click.ClickException(str(error)) from error


def read_examples(data: Path, libraries: Path) -> Iterator[Example]:
    """Every question is gathered for as in a turn. Raises what opening a library does."""
    yield from _asked(data / CONVERSATIONS, libraries / CONVERSATIONS, "")
    for name in SINGLE:
        yield from _asked(data / name, libraries / name, "ANSWERABLE")
        yield from _asked(data / name, libraries / CONVERSATIONS, UNANSWERABLE)


def _asked(dataset: Path, library: Path, label: str) -> Iterator[Example]:
    """All questions of a set; `label` where it says none itself."""
    labels = read_labels(dataset)
    domains = {str(row["_id"]): str(row.get("domain") or "") for _, row in read_objects(dataset / "queries.jsonl")}
    name = dataset.name if dataset.name == library.name else f"{dataset.name} {FOREIGN}"
    with Assistant.open(read_settings(library=library)) as assistant:
        services = assistant.services
        click.echo(f"gathering for the questions of {name}", err=True)
        for question in read_questions(dataset):
            found = signals(asked(services, question.text, question.history), services.encoder)
            conversation = question.id.split("<::>")[0]
            known = label or labels[question.id].answerability
            yield Example(name, domains[question.id], conversation, known, found)


def fit(examples: Sequence[Example]) -> Judge:
    return Judge(fit_decision(examples, UNANSWERABLE, REFUSING), fit_decision(examples, UNDERSPECIFIED, ASKING_BACK))


def fit_decision(examples: Sequence[Example], wanted: str, names: Sequence[str]) -> Decision:
    """Logistic regression: is the label `wanted`? `least` is where F1 is best at a cost of at most `COST`, by the log
    odds of conversations that the model had not seen."""
    from sklearn.model_selection import GroupKFold

    own = [place for place, example in enumerate(examples) if example.set == CONVERSATIONS]
    odds = np.zeros(len(examples))
    groups = [example.conversation for example in examples]
    for known, held_out in GroupKFold(FOLDS).split(examples, groups=groups):
        model = _fit([examples[place] for place in known], wanted, names)
        odds[held_out] = [model.of(examples[place].signals) for place in held_out]
    least = threshold([examples[place] for place in own], odds[own], wanted)
    return Decision(_fit(examples, wanted, names), round(least, 4))


def threshold(examples: Sequence[Example], odds: Vector, wanted: str) -> float:
    """Infinite where every one costs too much."""
    known = {str(place): example.label for place, example in enumerate(examples)}
    best, least = 0.0, np.inf
    for candidate in np.unique(odds):
        found = decided({str(place) for place in np.flatnonzero(odds >= candidate)}, known, wanted)
        if found["cost"] <= COST and found["f1"] > best:
            best, least = found["f1"], float(candidate)
    return least


def _fit(examples: Sequence[Example], wanted: str, names: Sequence[str]) -> Linear:
    from sklearn.linear_model import LogisticRegression

    values = np.array([[example.signals[name] for name in names] for example in examples])
    mean, deviation = values.mean(axis=0), values.std(axis=0) + 1e-6
    model = LogisticRegression(C=C, max_iter=1000)
    model.fit((values - mean) / deviation, [example.label == wanted for example in examples])
    raw = model.coef_[0] / deviation
    intercept = float(model.intercept_[0] - raw @ mean)
    return Linear(round(intercept, 4), {name: round(float(w), 4) for name, w in zip(names, raw, strict=True)})


def report(examples: Sequence[Example]) -> Iterator[str]:
    """Each domain judged by what was fitted without it, and so is each set of single questions."""
    domains = sorted({example.domain for example in examples if example.set == CONVERSATIONS})
    if len(domains) < 2:
        raise BadInput(f"all questions are of one domain, {', '.join(domains)}", "use data of two domains")
    verdicts: dict[str, str] = {}
    known: dict[str, str] = {}
    for domain in domains:
        of_domain = [e for e in examples if e.domain == domain]
        made = fit([e for e in examples if e.domain != domain])
        found: dict[str, str] = {f"{domain} {place}": judge(e.signals, made) for place, e in enumerate(of_domain)}
        labels = {f"{domain} {place}": e.label for place, e in enumerate(of_domain)}
        yield from _lines(f"fitted elsewhere, reported on {domain}", found, labels)
        verdicts |= found
        known |= labels
    yield from _lines("pooled", verdicts, known)
    for name in SINGLE:
        made = fit([e for e in examples if not e.set.startswith(name)])
        for where in (name, f"{name} {FOREIGN}"):
            own = [judge(e.signals, made) for e in examples if e.set == where]
            shares = (f"{verdict} {own.count(verdict) / len(own):.3f}" for verdict in ("refuse", "ask back"))
            yield f"{where:24}" + "   ".join(shares)


def _lines(title: str, verdicts: Mapping[str, str], known: Mapping[str, str]) -> Iterator[str]:
    yield f"{title}: {len(known)} questions"
    for verdict, wanted in (("refuse", UNANSWERABLE), ("ask back", UNDERSPECIFIED)):
        found = decided({name for name, one in verdicts.items() if one == verdict}, known, wanted)
        yield f"  {verdict:10}" + "   ".join(f"{name} {value:.3f}" for name, value in found.items())


if __name__ == "__main__":
    main()

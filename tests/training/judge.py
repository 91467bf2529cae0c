"""The judge, fitted on questions of which a data set says whether they can be answered.

    python -m tests.training.judge DATA LIBRARIES             writes agent/answer/judge.json, fitted on all of them
    python -m tests.training.judge DATA LIBRARIES --crossval  fitted on one domain, reported on the other, and back

DATA holds `mtrag-un`, `hotpotqa` and `musique`, LIBRARIES a library of each by the same name. What a set says
(`answerability`) is what is learned and measured, and never a signal. The questions of `hotpotqa` and `musique` are
asked of their own library, where they can be answered, and of that of `mtrag-un`, where they are foreign.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from clew.agent.answer.judge import SHIPPED, Decision, Judge, JudgeVerdict, judge, may_be_unclear, signals
from clew.agent.answer.quoted import evidence_for
from clew.agent.assistant import Assistant
from clew.agent.evaluation.answer_metrics import ANSWERABLE, UNANSWERABLE, UNDERSPECIFIED, decided, read_labels
from clew.agent.evaluation.dataset import read_questions
from clew.agent.evaluation.evaluate import searched
from clew.agent.settings import read_settings
from clew.memory.datatypes import Floats
from clew.memory.dialogue.signals import Linear
from clew.memory.errors import BadInput
from tests.training.asked_turns import QUESTIONS, UNPAIRED, WIDE, AskedTurn, cases_of, of_turns
from tests.training.records import lines_of
from tests.training.trainer import as_json, logistic, trainer

CONVERSATIONS = "mtrag-un"
SINGLE = ("hotpotqa", "musique")
FOREIGN = "foreign"
OWN = "own"

FOREIGN_SIGNALS = (
    "answered",
    *("match", "names_unheld", "sentence", "keyword", "held", "cosine", "sentence_held", "own_sentence", "in_title"),
)
"""What is looked at to see whether the documents are about something else; for the other decisions, all signals."""

C, FOREIGN_C = 0.01, 0.1
"""Inverse of the strength of the L2 penalty."""

FEW = 0.5
"""What all questions of `CONVERSATIONS` count beside all of the project's own, of which there are ten times as many."""

FOLDS = 5
COST, REFUSAL_COST, FOREIGN_COST = 0.03, 0.06, 0.03
"""The share of the answerable questions of conversations that may be asked back, that may be refused, and that may be
taken for foreign."""


@dataclass(frozen=True, slots=True)
class JudgeExample:
    """A question as it was asked of a library: `set` says which of both, `label` whether it could be answered."""

    set: str
    domain: str
    conversation: str
    label: str
    signals: dict[str, float]


def made(data: Path, libraries: Path) -> dict[Path, str]:
    return {SHIPPED: as_json(fit(list(read_examples(data, libraries))))}


def read_examples(data: Path, libraries: Path) -> Iterator[JudgeExample]:
    """Every question is gathered for as in a turn. Raises what opening a library does."""
    yield from _asked(data / CONVERSATIONS, libraries / CONVERSATIONS, "")
    for name in SINGLE:
        yield from _asked(data / name, libraries / name, "ANSWERABLE")
        yield from _asked(data / name, libraries / CONVERSATIONS, FOREIGN)
    yield from _own()


def _own() -> Iterator[JudgeExample]:
    """The project's own conversations, of collections that the pairs were not fitted on."""
    paired = {case["collection"] for file in WIDE for case in cases_of(file)} - {*UNPAIRED}
    yield from of_turns(_judged_turn, (QUESTIONS, *WIDE), paired)


def _judged_turn(one: AskedTurn) -> JudgeExample | None:
    labels = {"refused": UNANSWERABLE, "asked-back": UNDERSPECIFIED, "answered": "ANSWERABLE"}
    label = labels.get(one.case["outcome"])
    if label is None:
        return None
    found = signals(one.turn, one.evidence)
    return JudgeExample(OWN, one.case["collection"], f"own {one.case['conversation']}", label, found)


def _asked(dataset: Path, library: Path, label: str) -> Iterator[JudgeExample]:
    """All questions of a set; `label` where it says none itself."""
    labels = read_labels(dataset)
    domains = {str(row["_id"]): str(row.get("domain") or "") for row in lines_of(dataset / "queries.jsonl")}
    name = dataset.name if dataset.name == library.name else f"{dataset.name} {FOREIGN}"
    with Assistant.open(read_settings(library=library)) as assistant:
        services = assistant.services
        click.echo(f"gathering for the questions of {name}", err=True)
        for question in read_questions(dataset):
            turn = searched(services, question.text, question.history)
            found = signals(turn, evidence_for(turn, services))
            conversation = question.id.split("<::>")[0]
            known = label or labels[question.id].answerability
            yield JudgeExample(name, domains[question.id], conversation, known, found)


def fit(examples: Sequence[JudgeExample]) -> Judge:
    """Each threshold is where its decision is worth most at its cost, by the log odds of conversations that the model
    had not seen: where F1 is best for refusing, after what is asked back and what is foreign; where most are found for
    asking back."""
    conversations = [example for example in examples if example.set in (CONVERSATIONS, OWN)]
    answerable = [example for example in examples if example.label in (*ANSWERABLE, FOREIGN)]
    names = sorted(examples[0].signals)
    about = _fit(answerable, FOREIGN, FOREIGN_SIGNALS, FOREIGN_C)
    own = np.array([about.of(e.signals) for e in conversations if e.label in ANSWERABLE])
    foreign = Decision(about, round(float(np.quantile(own, 1 - FOREIGN_COST)), 4))
    unclear = unseen(conversations, UNDERSPECIFIED, names)
    unclear[[not may_be_unclear(e.signals) for e in conversations]] = -np.inf
    least = threshold(conversations, unclear, UNDERSPECIFIED, "recall", COST)
    odds = unseen(conversations, UNANSWERABLE, names)
    odds[[foreign.margin(e.signals) >= 0 for e in conversations]] = np.inf
    odds[unclear >= least] = -np.inf
    return Judge(
        Decision(
            _fit(conversations, UNANSWERABLE, names), threshold(conversations, odds, UNANSWERABLE, "f1", REFUSAL_COST)
        ),
        foreign,
        Decision(_fit(conversations, UNDERSPECIFIED, names), least),
    )


def unseen(examples: Sequence[JudgeExample], wanted: str, names: Sequence[str]) -> Floats:
    """The log odds of each example by a model of other conversations."""
    from sklearn.model_selection import GroupKFold

    odds = np.zeros(len(examples))
    groups = [example.conversation for example in examples]
    for known, held_out in GroupKFold(FOLDS).split(examples, groups=groups):
        model = _fit([examples[place] for place in known], wanted, names)
        odds[held_out] = [model.of(examples[place].signals) for place in held_out]
    return odds


def threshold(examples: Sequence[JudgeExample], odds: Floats, wanted: str, best_by: str, cost: float) -> float:
    """Infinite where every one costs too much."""
    known = {str(place): example.label for place, example in enumerate(examples)}
    best, least = 0.0, np.inf
    for candidate in np.unique(odds[np.isfinite(odds)]):
        found = decided({str(place) for place in np.flatnonzero(odds >= candidate)}, known, wanted)
        if found["cost"] <= cost and found[best_by] > best:
            best, least = found[best_by], float(candidate)
    return round(least, 4)


def _fit(examples: Sequence[JudgeExample], wanted: str, names: Sequence[str], c: float = C) -> Linear:
    """Logistic regression: is the label `wanted`?"""
    sizes = Counter((example.set, example.label == wanted) for example in examples)
    each = {one: len(examples) / len(sizes) / count for one, count in sizes.items()}
    worth = np.array([each[e.set, e.label == wanted] * (FEW if e.set == CONVERSATIONS else 1) for e in examples])
    values = np.array([[example.signals[name] for name in names] for example in examples])
    return logistic(names, values, [example.label == wanted for example in examples], c, worth)


def report(data: Path, libraries: Path) -> Iterator[str]:
    return crossed(list(read_examples(data, libraries)))


def crossed(examples: Sequence[JudgeExample]) -> Iterator[str]:
    """Five folds of the conversations of the set, and of the project's own collections; the domains of the set, and the
    sets of single questions, each by what was fitted without it."""
    of_set, own = ([e for e in examples if e.set == name] for name in (CONVERSATIONS, OWN))
    domains = sorted({example.domain for example in of_set})
    if len(domains) < 2:
        raise BadInput(f"all questions are of one domain, {', '.join(domains)}", "use data of two domains")
    yield from _lines(f"{CONVERSATIONS}, five folds", examples, _folds(of_set, [e.conversation for e in of_set]))
    yield from _lines(f"{OWN}, five folds", examples, _folds(own, [e.domain for e in own]))
    yield from _lines("domains left out", examples, [[e for e in of_set if e.domain == domain] for domain in domains])
    for name in SINGLE:
        yield from _lines(f"{name} left out", examples, [[e for e in examples if e.set.startswith(name)]])


def _folds(examples: Sequence[JudgeExample], groups: Sequence[str]) -> list[list[JudgeExample]]:
    from sklearn.model_selection import GroupKFold

    folds = GroupKFold(FOLDS).split(examples, groups=groups) if examples else ()
    return [[examples[place] for place in held_out] for _, held_out in folds]


def _lines(title: str, examples: Sequence[JudgeExample], parts: Sequence[Sequence[JudgeExample]]) -> Iterator[str]:
    """What is refused and asked back of the parts, each by what was fitted without it: what is foreign is to be
    refused."""
    found: list[tuple[JudgeExample, JudgeVerdict]] = []
    for part in parts:
        held_out = set(map(id, part))
        left = fit([example for example in examples if id(example) not in held_out])
        found += ((example, judge(example.signals, left)) for example in part)
    labels = (UNANSWERABLE if example.label == FOREIGN else example.label for example, _ in found)
    known = {str(place): label for place, label in enumerate(labels)}
    yield f"{title}: {len(known)} questions"
    for verdict, wanted in (("refuse", UNANSWERABLE), ("ask back", UNDERSPECIFIED)):
        figures = decided({str(place) for place, (_, one) in enumerate(found) if one == verdict}, known, wanted)
        yield f"  {verdict:10}" + "   ".join(f"{name} {value:.3f}" for name, value in figures.items())


main = trainer(__doc__, made, report)

if __name__ == "__main__":
    main()

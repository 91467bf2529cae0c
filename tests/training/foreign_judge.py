"""The judge of questions in another language than English, in which the documents are too, with `clew[multilingual]`.

    python -m tests.training.foreign_judge DATA              writes agent/answer/foreign_judge.json
    python -m tests.training.foreign_judge DATA --crossval   each language by what was fitted on the others

It learns of `tests.training.foreign_turns` as the shipped reader of other languages reads them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from clew.agent.answer.judge import FOREIGN, Decision, signals
from tests.training.foreign_turns import foreign_turns
from tests.training.trainer import as_json, logistic, trainer

C, COST = 0.003, 0.15
"""The inverse of the L2 penalty; the share of the answerable questions that may be refused."""

MEANING = 0.25
"""What the meaning of a question counts, of what it does here: writers ask for what is not there in plainer words than
for what is, which other people do not."""


class JudgedForeign(NamedTuple):
    """Whether a document answers, and what the turn found."""

    language: str
    answerable: bool
    signals: dict[str, float]


def examples() -> list[JudgedForeign]:
    turns = foreign_turns()
    return [JudgedForeign(one.language, one.answerable, signals(one.turn, one.evidence)) for one in turns]


def fit(found: Sequence[JudgedForeign]) -> Decision:
    names = sorted(found[0].signals)
    values = np.array([[one.signals[name] for name in names] for one in found])
    model = logistic(names, values, [not one.answerable for one in found], C)
    counts = {name: weight * (MEANING if name.startswith("meaning") else 1) for name, weight in model.weights.items()}
    model = replace(model, weights=counts)
    answerable = [model.of(one.signals) for one in found if one.answerable]
    return Decision(model, round(float(np.quantile(answerable, 1 - COST)), 4))


def made(_: Path, __: Path) -> dict[Path, str]:
    return {FOREIGN: as_json(fit(examples()))}


def report(_: Path, __: Path) -> Iterator[str]:
    found = examples()
    for language in sorted({one.language for one in found}):
        judge = fit([one for one in found if one.language != language])
        own = [one for one in found if one.language == language]
        caught, cost = (
            np.mean([judge.margin(one.signals) >= 0 for one in own if one.answerable == answerable])
            for answerable in (False, True)
        )
        yield f"{language}: {len(own)} questions, {caught:.3f} refused rightly, {cost:.3f} wrongly"


main = trainer(__doc__, made, report)

if __name__ == "__main__":
    main()

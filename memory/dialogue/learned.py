"""What the rewriter learned from people's conversations: two linear models in `learned.json`, made by `make train`.

`terms` gives the odds that a word of the conversation is one that the question needs to stand alone; `forms` what each
wording of the question is worth. Both read the signals of `signals.py`; a weight is of the signal as it is.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

SHIPPED = Path(__file__).with_name("learned.json")


@dataclass(frozen=True, slots=True)
class Linear:
    """Signals by name to a number: their weighted sum and the intercept."""

    intercept: float
    weights: Mapping[str, float]

    def of(self, signals: Mapping[str, float]) -> float:
        """Raises `KeyError` for a signal that is not there."""
        return self.intercept + sum(weight * signals[name] for name, weight in self.weights.items())


@dataclass(frozen=True, slots=True)
class Learned:
    terms: Linear
    forms: Mapping[str, Linear]

    def probability(self, signals: Mapping[str, float]) -> float:
        """That the word with these signals is needed."""
        return 1 / (1 + math.exp(-self.terms.of(signals)))

    def shares(self, signals: Mapping[str, float]) -> dict[str, float]:
        """What each wording is worth to this turn; they sum to 1."""
        odds = {name: math.exp(model.of(signals)) for name, model in self.forms.items()}
        return {name: value / sum(odds.values()) for name, value in odds.items()}

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=2, default=dict) + "\n"


@cache
def shipped() -> Learned:
    """The models that come with Clew."""
    values = json.loads(SHIPPED.read_text("utf-8"))
    return Learned(Linear(**values["terms"]), {name: Linear(**model) for name, model in values["forms"].items()})

"""Whether a turn is answered, refused or asked back: two linear models over its signals, in `judge.json`.

Made by `python -m agent.judge_training`, which says how they are fitted and measured. A language model's answers and
quoted ones are judged alike.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from memory.dialogue.learned import Linear

SHIPPED = Path(__file__).with_name("judge.json")

Verdict = Literal["answer", "refuse", "ask back"]


@dataclass(frozen=True, slots=True)
class Decision:
    """Taken where the model's log odds are at least `least`."""

    model: Linear
    least: float

    def margin(self, signals: Mapping[str, float]) -> float:
        """Above 0 where it is taken."""
        return self.model.of(signals) - self.least


@dataclass(frozen=True, slots=True)
class Judge:
    refuse: Decision
    ask_back: Decision

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=2, default=dict) + "\n"


def judge(signals: Mapping[str, float], judge: Judge) -> Verdict:
    """`signals` are those of `agent.turn_signals`. Nobody is asked back twice running; a question that is unclear and
    cannot be answered is asked back. Raises `KeyError` for a signal that is not there."""
    if judge.ask_back.margin(signals) >= 0 and not signals["asked_back"]:
        return "ask back"
    return "refuse" if judge.refuse.margin(signals) >= 0 else "answer"


@cache
def shipped() -> Judge:
    """The one that comes with Clew."""
    values = json.loads(SHIPPED.read_text("utf-8"))
    return Judge(*(Decision(Linear(**values[name]["model"]), values[name]["least"]) for name in ("refuse", "ask_back")))

"""Whether a turn is answered, refused or asked back: three linear models over its signals, in `judge.json`.

Made by `python -m clew.agent.judge_training`, which says how they are fitted and measured. A language model's answers
and quoted ones are judged alike.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from clew.memory.dialogue.signals import Linear

SHIPPED = Path(__file__).with_name("judge.json")

SHORT = 8
"""Different content words of a question that leans; a longer one says itself what it is about."""

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
    """`refuse`: the documents are about it and do not say it. `foreign`: they are about something else. `ask_back`: it
    is unclear what is asked."""

    refuse: Decision
    foreign: Decision
    ask_back: Decision

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=2, default=dict) + "\n"


def judge(signals: Mapping[str, float], judge: Judge) -> Verdict:
    """`signals` are those of `turn_signals`. A question that is unclear and cannot be answered is asked back.
    Raises `KeyError` for a signal that is not there."""
    if may_be_unclear(signals) and judge.ask_back.margin(signals) >= 0:
        return "ask back"
    return "refuse" if max(judge.refuse.margin(signals), judge.foreign.margin(signals)) >= 0 else "answer"


def may_be_unclear(signals: Mapping[str, float]) -> bool:
    """Nobody is asked back twice running. A first question is unclear only where its words say so: it is short and
    leans on what nobody said, or speaks of 'this animal' and names nothing. Most first questions of the conversations
    that were learned from are unclear, most of other people's are not."""
    if signals["history"]:
        return not signals["asked_back"]
    leans = signals["leans"] and signals["content"] <= math.log1p(SHORT)
    return bool(leans or (signals["points"] and not signals["own_names"]))


@cache
def shipped() -> Judge:
    """The one that comes with Clew."""
    values = json.loads(SHIPPED.read_text("utf-8"))
    return Judge(**{name: Decision(Linear(**made["model"]), made["least"]) for name, made in values.items()})

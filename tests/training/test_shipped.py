"""What is shipped is what its trainer makes of the data, where they are there."""

import json
from pathlib import Path

import pytest

from clew.agent.talk.intents import SHIPPED
from tests.training.talk import train

pytestmark = pytest.mark.soak

ALIKE = 0.15
"""How far a weight may be off: other versions of scikit-learn stop elsewhere."""


def test_the_classifier_of_talk(data: Path) -> None:
    shipped, made = json.loads(SHIPPED.read_text("utf-8")), json.loads(json.dumps(train(data)))
    assert shipped["classes"] == made["classes"] and shipped["words"] == made["words"]
    both = shipped["weights"].keys() & made["weights"].keys()
    assert len(both) >= 0.99 * len(shipped["weights"].keys() | made["weights"].keys())
    off = [abs(w - made["weights"][f].get(n, w)) for f in both for n, w in shipped["weights"][f].items()]
    assert sum(one > ALIKE for one in off) <= 0.01 * len(off)

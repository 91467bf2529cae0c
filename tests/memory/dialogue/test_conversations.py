"""What follow-ups of whole conversations stand for, in everyday and technical documents."""

import pytest

from clew.memory.dialogue.tagger import stand_alone
from clew.memory.dialogue.utterances import extract
from tests.memory.dialogue.conversations import FILE, FollowUp, follow_ups, same

RIGHT, ALONE = 0.2, 0.65
"""The shares that are said as a person has, and left alone, at least (docs/figures.md)."""


def right(case: FollowUp) -> bool:
    made = stand_alone(case.question, extract(case.before)).text
    return any(same(made, expected) for expected in case.expected)


@pytest.mark.soak
@pytest.mark.parametrize("name", ["follow_ups.txt", "unseen_follow_ups.txt"])
def test_follow_ups_that_nothing_was_fitted_on(name: str) -> None:
    cases = list(follow_ups(FILE.with_name(name).read_text("utf-8")))
    leaning, alone = ([case for case in cases if case.alone is alone] for alone in (False, True))
    assert len(leaning) > 100 and len(alone) > 30
    assert sum(map(right, leaning)) >= RIGHT * len(leaning)
    assert sum(map(right, alone)) >= ALONE * len(alone)

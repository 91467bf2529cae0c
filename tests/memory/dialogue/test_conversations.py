"""What follow-ups of whole conversations stand for, in everyday and technical documents."""

from clew.memory.dialogue.follow_ups import standing
from clew.memory.dialogue.utterances import extract
from tests.memory.dialogue.conversations import FILE, FollowUp, follow_ups, same

CASES = list(follow_ups(FILE.read_text("utf-8")))
RIGHT = 0.75
"""The share that is said as a person has, at least."""


def right(case: FollowUp) -> bool:
    made = standing(case.question, extract(case.before)).text
    return any(same(made, expected) for expected in case.expected)


def test_what_stands_alone_is_left_alone() -> None:
    alone = [case for case in CASES if case.alone and len(case.expected) == 1]
    assert len(alone) >= 15
    assert [case.question for case in alone if not right(case)] == []


def test_most_follow_ups_are_said_as_a_person_says_them() -> None:
    leaning = [case for case in CASES if not case.alone]
    assert len(leaning) >= 60
    assert sum(map(right, leaning)) >= RIGHT * len(leaning)

"""What follow-ups of whole conversations stand for, in everyday and technical documents."""

from clew.memory.dialogue.tagger import stand_alone
from clew.memory.dialogue.utterances import extract
from tests.memory.dialogue.conversations import FILE, FollowUp, follow_ups, same

CASES = list(follow_ups(FILE.read_text("utf-8")))
RIGHT = 0.75
"""The share that is said as a person has, at least."""


def right(case: FollowUp) -> bool:
    made = stand_alone(case.question, extract(case.before)).text
    return any(same(made, expected) for expected in case.expected)


def test_what_stands_alone_is_left_alone() -> None:
    alone = [case for case in CASES if case.alone and len(case.expected) == 1]
    assert len(alone) >= 15
    assert [case.question for case in alone if not right(case)] == []


def test_most_follow_ups_are_said_as_a_person_says_them() -> None:
    leaning = [case for case in CASES if not case.alone]
    assert len(leaning) >= 60
    assert sum(map(right, leaning)) >= RIGHT * len(leaning)


def test_follow_ups_that_no_rule_was_written_for() -> None:
    """Most of what is missing in the others stands in answers (docs/figures.md)."""
    unseen = list(follow_ups(FILE.with_name("unseen_follow_ups.txt").read_text("utf-8")))
    leaning, alone = ([case for case in unseen if case.alone is alone] for alone in (False, True))
    assert sum(map(right, leaning)) >= 0.3 * len(leaning)
    assert sum(map(right, alone)) >= 0.85 * len(alone)

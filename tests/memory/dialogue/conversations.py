"""Conversations whose follow-ups a person has written out: `follow_ups.txt`, its first lines say how."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from clew.memory.datatypes import Utterance

FILE = Path(__file__).with_name("follow_ups.txt")


@dataclass(slots=True)
class FollowUp:
    """A question with what was said before it, and every way of saying what it stands for."""

    conversation: str
    question: str
    before: list[Utterance]
    expected: list[str] = field(default_factory=list)
    alone: bool = False
    """Nothing is missing in it; another way of saying it may be expected all the same."""


def follow_ups(text: str) -> Iterator[FollowUp]:
    said: list[Utterance] = []
    name, made = "", None
    for line in [*text.splitlines(), "? "]:
        mark, rest = line[:1], line[2:].strip()
        if mark in "?[" and made is not None and made.expected:
            yield made
            made = None
        if mark == "[":
            name, said = line.strip("[]"), []
        elif mark == "?" and rest:
            made = FollowUp(name, rest, list(said))
            said.append(Utterance("user", rest))
        elif mark == "!" and rest:
            said.append(Utterance("agent", rest))
        elif mark == "=" and made is not None:
            made.expected.append(made.question if rest == "." else rest)
            made.alone |= rest == "."


def same(one: str, other: str) -> bool:
    """But for capitals and marks."""
    return _words(one) == _words(other)


def _words(text: str) -> list[str]:
    return re.findall(r"[\w'.%=]+", text.casefold().replace("’", "'").rstrip("?.! "))

"""What was done, as a thing that is spoken of: for 'do it', 'that', and the 'it' of 'how long does it take?'."""

import re
from collections.abc import Iterator, Sequence

from clew.memory.dialogue.binding import TAKES
from clew.memory.dialogue.phrases import Parts
from clew.memory.dialogue.referents import Said
from clew.memory.dialogue.word_classes import PARTICIPLES, base, ing

Replacement = tuple[int, int, str, str]
"""A piece of a question to replace: where it begins and ends, what goes there, and why."""


def happening(found: Parts, before: Said) -> str:
    """What happened, for 'how long did that take?': 'two monkeys flew on a rocket' after 'which two monkeys flew on a
    rocket?'"""
    asked, said = before.parts.wanted, before.parts.verb
    takes = found.does.casefold() in ("take", "last", "happen")
    if not (takes and asked and said) or before.parts.aux:
        return ""
    return f"{asked.text} {before.parts.text[said[0] : before.parts.end]}"


_MEASURES = {
    "far": "distance", "long": "length", "big": "size", "large": "size", "high": "height", "tall": "height",
    "old": "age", "fast": "speed", "heavy": "weight", "deep": "depth", "wide": "width", "hot": "temperature",
    "cold": "temperature",
}  # fmt: skip
"""What 'how far' asks for."""


def measure(before: Said) -> str:
    """The measure that was asked for: 'the distance of the Moon' after 'how far away is the Moon?'"""
    found = before.parts
    asked = found.asks.casefold().split()
    if len(asked) < 2 or asked[0] != "how" or found.subject is None or found.subject.pronoun:
        return ""
    measure = next((_MEASURES[word] for word in asked[1:] if word in _MEASURES), "")
    return f"the {measure} of {found.subject.text}" if measure and found.helper in ("is", "was", "are", "were") else ""


_DO_IT = re.compile(r"\bdo it\b(?! \w+ing\b)", re.IGNORECASE)


def deeds(question: str, turns: Sequence[Said]) -> Iterator[Replacement]:
    """What 'do it' stands for: 'found the club' in 'why did she do it?' after 'who founded the club?'"""
    for match in _DO_IT.finditer(question):
        if deed := next(filter(None, map(done, turns[:3])), ""):
            yield *match.span(), deed, f"'{match.group()}' is {deed}"


def done(turn: Said) -> str:
    """What was done, for 'do that': 'read several files at once' after 'can I read several files at once?'"""
    found = turn.parts
    if found.verb and not (found.aux or found.subject) and found.asks.casefold() in ("who", "which"):
        return f"{base(found.does)[0]}{found.text[found.verb[1] : found.end]}"
    if not (found.aux and found.verb and found.subject) or (found.asked and found.wanted):
        return ""
    if found.helper in ("is", "are", "was", "were") and not found.does.endswith("ing"):
        return f"{base(found.does)[0]} {found.subject.text}"
    return found.text[found.verb[0] : found.end] if found.asks.casefold() in ("", "how", "when", "where", "why") else ""


def takes_long(found: Parts, turns: Sequence[Said]) -> str:
    """What 'it' is in 'how long does it take?': what is done, where the last question is about that."""
    return event(turns[0]) if turns and TAKES.fullmatch(found.body.rstrip(" ?.!")) else ""


NOT_DONE = frozenset("need have want be know get must like mean".split())
"""Verbs of what lasts: no 'that' is having a key."""


_ALLOWED = re.compile(
    r"(?:am|is|are|was|were) \w+(?: \w+)? (?:allowed|permitted|supposed|able) to (?P<does>[a-z]+)(?P<rest> [^?.]+)",
    re.I,
)
"""'Are we allowed to keep hens?'"""

_BESIDE = re.compile(r"(?:,? (?:too|also|as well|then|again))+$", re.IGNORECASE)


_IS_SO = re.compile(r"why (?:is|was) (\w+ing \w.+?) (?:so |too |always |still )+\w+\W*", re.IGNORECASE)
"""'Why is opening big folders so slow?'"""


def event(turn: Said) -> str:
    """What was done, as a thing: 'shrinking the database file' after 'how do I shrink the database file?'"""
    found = turn.parts
    subject, verb = found.subject, found.verb
    if state := _IS_SO.match(found.body):
        return state[1]
    if allowed := _ALLOWED.fullmatch(found.body):
        return f"{ing(allowed['does'])}{allowed['rest']}"
    if not (subject and verb) or found.helper not in ("do", "does", "did", "can", "could", "should"):
        return ""
    if found.asked and subject.text.casefold() not in ("i", "you", "we", "one"):
        why = found.asks.casefold() == "why" and not subject.pronoun
        return f"{subject.text} {ing(found.does)} {found.text[verb[1] : found.end].strip()}".strip() if why else ""
    if found.asks.casefold() not in ("", "how", "when", "why") or found.does.casefold() in NOT_DONE:
        return ""
    end = found.clause if found.clause > verb[1] else found.end
    later = next(
        (one.whole for one in found.phrases if one.whole > verb[1] and one.preposition in ("after", "before")), end
    )
    rest = _BESIDE.sub("", found.text[verb[1] : min(end, later)].strip(" ,?"))
    objects = [one for one in found.phrases if one.role == "object" and verb[1] < one.start < end]
    if not objects or any(one.pronoun for one in objects):
        return ""
    return f"{ing(found.does)} {rest}".strip()


def undergone(turn: Said) -> str:
    """What was done to what a question is about, as a thing: 'servicing the boiler'."""
    found = turn.parts
    if not (found.verb and found.subject) or found.subject.pronoun or found.helper not in ("was", "were"):
        return ""
    if not (found.does.endswith("ed") or found.does in PARTICIPLES):
        return ""
    return f"{ing(base(found.does)[0])} {found.subject.text}"

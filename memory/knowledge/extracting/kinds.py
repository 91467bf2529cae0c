"""What kind of thing a name names, where its own words or those beside it say so."""

import re
from collections.abc import Sequence
from itertools import pairwise

from clew.memory.knowledge.extracting.datatypes import Kind
from clew.memory.knowledge.extracting.lexicon import HONORIFICS, ORGANISATIONS, PLACES, ROLES
from clew.memory.knowledge.extracting.tokens import Token

_BORN = re.compile(r"\s?(?:\((?:[^()\n]{0,40}[;,] )?(?:born|b\.|née?|died)\b| (?:was|is) born\b)")
_LIFE = re.compile(r"\s?\([^()\n]{0,40}\b1\d{3}\s?[–-]\s?[^()\n]{0,24}\b(?:1\d|20)\d{2}\)")
_PLACED = re.compile(
    r"(?:\b(?:located|situated|born|based|died|lived|lives|raised|headquartered) (?:in|at|near)"
    r"|\b(?:city|town|village|state|island|province|county|capital|district|municipality|suburb) of) (?:the )?$"
)
_IS_A = re.compile(r" ?(?:\([^()\n]{0,80}\) )?(?:is|was) (?:an?|the) ((?:[^\W\d_]+[ -]?){1,5})")
_LAST_WORD = re.compile(r"([^\W\d_]+) $")
_ENDS_A_NOUN = frozenset("of for by in from with on at to that who which and".split())
_NOT_PERSONS = frozenset({"general", "chief", "justice", "king", "queen", "saint", "st", "count", "major", "cardinal"})


def kind_of(text: str, run: Sequence[Token]) -> Kind:
    """The kind that the evidence is for; `name` without evidence."""
    last = next((token.low for token in reversed(run) if token.capital), "")
    head = _head(run) or last
    if head in ORGANISATIONS and len(run) > 1:
        return "organisation"
    if head in PLACES and len(run) > 1:
        return "place"
    if _is_person(text, run):
        return "person"
    return "place" if _PLACED.search(text, max(0, run[0].start - 40), run[0].start) else "name"


def _head(run: Sequence[Token]) -> str:
    """The word before `of` or `for`, which says what it is: a University of Texas."""
    for token, after in pairwise(run):
        if after.low in ("of", "for", "on") and not after.capital:
            return token.low
    return ""


def _is_person(text: str, run: Sequence[Token]) -> bool:
    if any(token.low in ("of", "for", "and") and not token.capital for token in run):
        return False
    end = run[-1].end
    if run[0].low in HONORIFICS and len(run) > 1 and (run[0].low not in _NOT_PERSONS or len(run) > 2):
        return True
    if len(run) > 1 and any(token.initial and len(token.low) < 3 for token in run[:-1]):
        return True
    if _BORN.match(text, end) or (len(run) > 1 and (_LIFE.match(text, end) or _has_role(text, end))):
        return True
    before = _LAST_WORD.search(text, max(0, run[0].start - 20), run[0].start)
    return before is not None and before.group(1) in ROLES


def _has_role(text: str, end: int) -> bool:
    """Whether it goes on: `was an American film director`."""
    said = _IS_A.match(text, end)
    for word in said.group(1).split() if said else ():
        if word in _ENDS_A_NOUN:
            return False
        if word in ROLES and word != "model":  # a car is one
            return True
    return False

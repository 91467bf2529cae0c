"""In the place of which phrase of the question before a new one stands: by preposition, type, noun, number and role."""

import re
from collections.abc import Sequence

from clew.memory.dialogue.phrases import Parts, Phrase
from clew.memory.dialogue.word_classes import FIRST_NAMES, LISTS, singular
from clew.memory.dialogue.written_types import TIMES, written_type
from clew.memory.ports import Vocabulary

ENOUGH = 1.0
"""What a phrase and the one in whose place it is put have in common, at least."""

NEWEST = 0.8
"""How much likelier that is replaced again which was new in the question before."""


def counterpart(
    new: Phrase, free: Sequence[Phrase], types: dict[str, str], before: Parts, *, newest: str, corrects: bool
) -> Phrase | None:
    """The phrase in whose place the new one fits best; None where it fits in none well enough."""
    again = (4.0 if corrects else NEWEST) if newest else 0.0
    scores = [_likeness(new, one, types, before) for one in free]
    scores = [
        score + again * (score > 0 and one.text in newest and (not corrects or one.plural == new.plural))
        for score, one in zip(scores, free, strict=True)
    ]
    return free[scores.index(max(scores))] if scores and max(scores) >= ENOUGH else None


def of_the_same(new: Phrase, old: Phrase) -> str:
    """An attribute with what it is of: after 'the rent of the flat', 'the deposit' becomes 'the deposit of the flat'
    and 'the shed' becomes 'the rent of the shed'. Empty where `old` is none."""
    head, of, whose = old.text.partition(" of ")
    attribute = singular(old.noun) in LISTS["attributes"] or old.noun in LISTS["attributes"]
    if new.preposition not in ("", "of", "for") or " of " in new.text or not whose or set(new.words) & set(old.words):
        return ""
    if new.preposition and not attribute:
        return ""
    bare = all(text.split()[0].casefold() not in LISTS["determiners"] for text in (new.text, whose))
    if not attribute and bare and new.plural == (whose.endswith("s") and new.noun.endswith("s")) and head[:4] == "the ":
        return f"{head}{of}{new.text}"  # 'the tests of pluggy' after 'the tests of attrs'
    if not attribute:
        return ""
    own = singular(new.noun) in LISTS["attributes"] or new.noun in LISTS["attributes"]
    return f"{new.text}{of}{whose}" if own and new.first in ("the", "its", "a") else f"{head}{of}{new.text}"


def _likeness(new: Phrase, old: Phrase, types: dict[str, str], before: Parts) -> float:
    """How well the new phrase fits in the place of the old one, from `ENOUGH` on well enough: by preposition, type,
    noun, number and role."""
    kinds = types[new.text], types[old.text]
    timely = all(kind in TIMES for kind in kinds)
    if kinds[0] in TIMES and not timely:
        return 0.0
    whom = {new.noun, singular(new.noun)} & {*LISTS["people"], "children"}
    if whom and new.preposition == old.preposition == "for" and kinds[1] == "noun" and old.definite and not old.plural:
        return 0.0  # 'and for pupils?' after 'how much are tickets for the concert?'
    score = 0.0
    if new.preposition:
        if new.preposition == old.preposition or _other_side(new, old, kinds):
            score += 3.0 if kinds[0] == kinds[1] or timely else 1.0
        elif (
            not old.preposition
            and kinds[0] == kinds[1]
            and (kinds[0] in PLACED or (kinds[0] == "name" and _is(before)))
        ):
            score += 1.0  # 'and in Leeds?' after 'how dear is York?'
        elif new.definite and of_the_same(new, old):
            score += 1.0  # 'and for the shed?' after 'what is the rent of the flat?'
        elif not (timely and old.preposition):
            return 0.0
    elif old.preposition and kinds[0] != kinds[1]:
        score -= 0.6
    if kinds[0] == kinds[1]:
        score += 1.0 if kinds[0] in ("noun", "name") else 3.0
    elif timely:
        score += 2.5
    elif "noun" in kinds or "name" in kinds:
        pair = set(kinds)
        if pair & {*TIMES, "money", "number"}:
            return 0.0
        score += 0.8 if pair == {"noun", "name"} else 0.4
    if new.noun == old.noun:
        score += 4.0
    elif set(new.words) & set(old.words):
        score += 2.5
    score += 0.4 * (new.named == old.named) + 0.2 * (new.definite == old.definite)
    score += AS_MUCH * (kinds == ("noun", "noun") and old.role == "asked" and _is_stuff(new) and _is_stuff(old))
    bare = new.plural and not new.definite and new.first not in OWN_WORDS
    score += 0.8 * (bare and old.plural and old.first not in OWN_WORDS)
    score += {"subject": 0.5, "object": 0.6, "other": 0.3, "asked": -0.8}[old.role]
    if old.first in ("my", "your", "our") and new.first not in ("my", "your", "our"):
        score -= 0.3
    return score


AS_MUCH = 1.6
"""How much likelier stuff takes the place of stuff that is asked for: 'and butter?' after 'how much sugar ...?'"""


def _is_stuff(one: Phrase) -> bool:
    return not (one.preposition or one.named or one.definite or one.first in OWN_WORDS)


def how_much(new: Phrase, before: Parts) -> list[tuple[int, int, str]]:
    """What becomes of 'how many' where it asks for the new thing: 'how much milk' after 'how many eggs'."""
    asks = before.asks.casefold().split()[:2]
    if not before.asked or asks not in (["how", "many"], ["how", "much"]) or new.plural == (asks[1] == "many"):
        return []
    start = before.asked[0] + len("how ")
    return [(start, start + len(asks[1]), "many" if new.plural else "much")]


def _other_side(new: Phrase, old: Phrase, kinds: tuple[str, str]) -> bool:
    """'under 50' for 'above 100 euros', 'after 9' for 'before 8 o'clock'"""
    measured = all(kind in (*TIMES, "money", "number") for kind in kinds)
    return measured and any({new.preposition, old.preposition} <= side for side in _SIDES)


_SIDES = (frozenset(("above", "over", "under", "below")), frozenset(("before", "after", "until", "since")))
PLACED = ("place", "organisation", "work")
OWN_WORDS = ("the", "a", "an", "my", "your", "our", "his", "her", "its", "their")


def _is(before: Parts) -> bool:
    """Whether the question only asks what something is or costs."""
    return before.does.casefold() in ("", "cost", "be")


def types_of(phrases: Sequence[Phrase], vocabulary: Vocabulary | None) -> dict[str, str]:
    """What each names: day, month, date, year, period, money, number; person, place, organisation, work; else `name` or
    `noun`."""
    texts = list(dict.fromkeys(one.text for one in phrases))
    kinds = dict(zip(texts, vocabulary.kinds(texts), strict=True)) if vocabulary else {}
    named, nouns = {one.text: one.named for one in phrases}, {one.text: one.noun for one in phrases}
    made = {}
    for text in texts:
        known = kinds.get(text, "")
        known = known or ("person" if text in FIRST_NAMES or nouns[text] in LISTS["people"] else "")
        known = known or ("work" if re.fullmatch(r"[A-Z].* (?:the|a|an) [A-Z].*", text) else "")
        made[text] = written_type(text) or (
            known if known in ("person", "place", "organisation", "work") else "name" if named[text] else "noun"
        )
    return made

"""Answers that are worked out: both dates or amounts quoted, and behind them what follows."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product, zip_longest

from clew.agent.answer import worked_out
from clew.agent.answer.asked import asked
from clew.agent.answer.evidence import NAMED, Evidence
from clew.agent.answer.quotation import composed_of
from clew.agent.answer.selection import AnswerParameters, Picked, Wanted, pick
from clew.agent.answer.values import values_of
from clew.agent.answer.worked_out import Working
from clew.agent.state import Answer, Claim, Says
from clew.memory.dates import asked_times
from clew.memory.text import content_words

WORKED, WORKED_FROM, LONGEST_LOOKED_AT, WORDS_OF_SIDE = 6.0, 8, 400, 0.5
"""Units that may hold one of two dates or amounts: how much less likely than the best, as a logarithm, how many are
looked at, with how many words, and the share of the words of what is asked for that they hold."""

NEVER = float("inf")
ALIKE = 0.5
"""The share of the words of the shorter one of two sentences, from which their amounts are of the same thing."""


def derived(wanted: Wanted, evidence: Evidence, parameters: AnswerParameters) -> Answer | None:
    """None where nothing is asked that is worked out, or no units hold what is needed, with the words of what it is
    asked of."""
    work = worked_out.working(wanted.rewritten) if not wanted.with_history else None
    if work is None:
        return None
    # Two prices read alike, and to be sure of one says nothing of the other.
    wide = replace(parameters, behind=WORKED, words=LONGEST_LOOKED_AT, redundant=2.0, sure=NEVER, needed=NEVER)
    likely: list[list[Picked]] = []
    for part, side in zip_longest(work.parts, work.sides, fillvalue=""):
        found = pick(Wanted(part, part), evidence, wide, WORKED_FROM)
        fits = [one for one in found if work.holds(_said(one)) and _is_of(part, one, evidence)]
        fits = [one for one in fits if work.is_said_of(side, _said(one))]
        likely.append(fits if work.kind == "difference" else fits[:1])
    for chosen in sorted(product(*likely), key=lambda pair: -_alike(work, pair)):
        if work.kind == "difference" and _alike(work, chosen) < ALIKE:
            return None
        if said := worked_out.result(work, [_said(one) for one in chosen]):
            once = list({(one.unit.core.passage, one.unit.core.position): one for one in chosen}.values())
            plain = [one if one.aside in _said(one) else replace(one, aside="", older=None) for one in once]
            sides = [f"{side[0].upper()}{side[1:]}" for side in work.sides]
            labels = {id(one): side for one, side in zip(plain, sides, strict=False)} if len(plain) > 1 else {}
            made = composed_of(plain, evidence, labels=labels)
            claims = (*made.claims, Claim(said, new_line=True))
            made = replace(made, claims=claims, form=asked(wanted.rewritten).form)
            return replace(made, says=_says(work, [_said(one) for one in chosen])) if work.claimed else made
    return None


def _says(work: Working, texts: Sequence[str]) -> Says | None:
    found = worked_out.compared(work, texts)
    return None if found is None else "yes" if found[1] else "no"


def _said(picked: Picked) -> str:
    """With the date of its entry, where it has none itself."""
    text = " ".join(picked.unit.texts)
    return f"{text} {picked.aside}" if picked.aside and picked.older is None and not asked_times(text) else text


def _alike(work: Working, chosen: Sequence[Picked]) -> float:
    """The share of the words of the shorter unit that both have; of other sums than a difference the likeliest units
    are the first."""
    if work.kind != "difference":
        return 0.0
    one, other = ({*content_words(values_of(_said(each)).without(_said(each)))} for each in chosen)
    return len(one & other) / max(1, min(len(one), len(other)))


def _is_of(question: str, picked: Picked, evidence: Evidence) -> bool:
    """Whether a unit, with what stands above it, has most of the words of what it is asked of, and all its names."""
    core = picked.unit.core
    passage = evidence.passages[core.passage]
    said = " ".join((core.head, core.lead, passage.heading, passage.title, *picked.unit.texts))
    held, wanted = set(content_words(said)), set(content_words(question))
    names = {stem for name in NAMED.findall(question) for stem in content_words(name)}
    return len(wanted & held) >= WORDS_OF_SIDE * len(wanted) and names <= held

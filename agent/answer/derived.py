"""Answers that are worked out: both dates or amounts quoted, and behind them what follows."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, product, zip_longest

from clew.agent.answer import worked_out
from clew.agent.answer.amounts import Amount
from clew.agent.answer.asked import asked
from clew.agent.answer.cores import Core
from clew.agent.answer.evidence import NAMED, Evidence
from clew.agent.answer.open_items import open_items
from clew.agent.answer.quotation import composed_of
from clew.agent.answer.selection import Picked, pick
from clew.agent.answer.sides import WHICH, name_of
from clew.agent.answer.tables import of_a_table
from clew.agent.answer.units import unit_of
from clew.agent.answer.values import values_of
from clew.agent.answer.wanted import Wanted
from clew.agent.answer.weighing import AnswerParameters
from clew.agent.answer.workings import Working, tells, working
from clew.agent.state import Answer, Claim, Says
from clew.memory.dates import asked_times
from clew.memory.text import content_words

WORKED, WORKED_FROM, LONGEST_LOOKED_AT, WORDS_OF_SIDE = 6.0, 8, 400, 0.5
"""Units that may hold one of two dates or amounts: how much less likely than the best, as a logarithm, how many are
looked at, with how many words, and the share of the words of what is asked for that they hold."""

NEVER = float("inf")
_SUBJECT = re.compile(r"\W*(?:the|an?|our|my|your|this|each) ([a-z-]+(?: of (?:the )?[a-z-]+)?)", re.IGNORECASE)

ALIKE = 0.5
"""The share of the words of the shorter one of two sentences, from which their amounts are of the same thing."""


_LEAST = {"cheap": "price", "fast": "time", "quick": "time", "soon": "time", "short": "time"}
_MOST = {"dear": "price", "expensive": "price", "slow": "time", "long": "time"}
_HOW = re.compile(
    rf"\b(?:(?:the )?(?:more|most) )?(?P<how>{'|'.join([*_LEAST, *_MOST])})(?:er|r|est|st)?\b(?!.*\b(?:than|or)\b)"
)
"""How documents of which one is asked for are told apart, by the least or the most of a price or a time."""


def derived(wanted: Wanted, evidence: Evidence, parameters: AnswerParameters) -> Answer | None:
    """None where nothing is asked that is worked out, or no units hold what is needed, with the words of what it is
    asked of."""
    if told := of_a_table(wanted, evidence, parameters) or _of_documents(wanted.rewritten, evidence):
        return told
    work = working(wanted.rewritten) if not wanted.with_history else None
    if work is None:
        return None
    # Two prices read alike, and to be sure of one says nothing of the other.
    wide = replace(parameters, behind=WORKED, beside=NEVER, words=LONGEST_LOOKED_AT, redundant=2.0, needed=NEVER)
    likely: list[list[Picked]] = []
    for part, side in zip_longest(work.parts, work.sides, fillvalue=""):
        found = pick(Wanted(part, part), evidence, wide, WORKED_FROM)
        fits = [one for one in found if work.holds(_said(one)) and _is_of(part, one, evidence)]
        fits = [one for one in fits if work.is_said_of(side, _said(one)) and tells(part, _said(one))]
        likely.append(fits if work.kind == "difference" else fits[:1])
    for chosen in sorted(product(*likely), key=lambda pair: -_alike(work, pair)):
        if work.kind == "difference" and _alike(work, chosen) < ALIKE:
            return None
        core = chosen[0].unit.core
        if said := worked_out.result(work, [_said(one) for one in chosen], core.region.of(core.block)):
            once = list({(one.unit.core.passage, one.unit.core.position): one for one in chosen}.values())
            plain = [one if one.aside in _said(one) else replace(one, aside="", older=None) for one in once]
            sides = [f"{side[0].upper()}{side[1:]}" for side in work.sides]
            labels = {id(one): side for one, side in zip(plain, sides, strict=False)} if len(plain) > 1 else {}
            made = composed_of(plain, evidence, labels=labels)
            claims = (*made.claims, Claim(said, new_line=True))
            made = replace(made, claims=claims, form=asked(wanted.rewritten).form)
            return replace(made, says=_says(work, [_said(one) for one in chosen])) if work.claimed else made
    return None


def _of_documents(question: str, evidence: Evidence) -> Answer | None:
    return _by_document(question, evidence) or open_items(question, evidence)


def _by_document(question: str, evidence: Evidence) -> Answer | None:
    """'Which vendor is cheaper?': what each document says of the price, where these tell of the same thing."""
    asks, how = WHICH.search(question), _HOW.search(question.casefold())
    if not (asks and how):
        return None
    kind = (_LEAST | _MOST)[how["how"]]
    measured = ((core, _measure(text, kind)) for core, text in zip(evidence.cores, evidence.texts, strict=True))
    held = {core: amount for core, amount in measured if amount}
    pairs = [
        (_shared(" ".join(unit_of(one).texts), " ".join(unit_of(other).texts)), one, other)
        for one, other in combinations(held, 2)
        if _document(one, evidence) != _document(other, evidence) and held[one].unit == held[other].unit
    ]
    likeness, first, _ = max(pairs, key=lambda pair: pair[0], default=(0.0, None, None))
    if first is None or likeness < ALIKE:
        return None
    found = {_document(first, evidence): first}
    for alike, *pair in sorted(pairs, key=lambda pair: -pair[0]):
        if alike >= ALIKE and first in pair:
            other = pair[pair[0] is first]
            found.setdefault(_document(other, evidence), other)
    sign = 1 if how["how"] in _LEAST else -1
    cores = sorted(found.values(), key=lambda core: sign * held[core].value)
    chosen = [Picked(unit_of(core)) for core in cores]
    labels = {id(one): name_of(one, evidence) for one in chosen}
    made = composed_of(chosen, evidence, labels=labels)
    said = f"{how[0].capitalize()}: {labels[id(chosen[0])]}."
    if held[cores[0]].value == held[cores[1]].value:
        said = "They say the same."
    return replace(made, claims=(*made.claims, Claim(said, new_line=True)), form="several-documents")


def _measure(text: str, kind: str) -> Amount | None:
    """The only price or time of a text; None where it has none, or several."""
    of_time = ("second", "month")
    found = [one for one in values_of(text).amounts if (one.unit in of_time if kind == "time" else one.unit in "€$£")]
    return found[0] if len(found) == 1 else None


def _document(core: Core, evidence: Evidence) -> str:
    return evidence.passages[core.passage].document


def _shared(one: str, other: str) -> float:
    """The share of the words of the shorter text that both have, values left out."""
    words, others = ({*content_words(values_of(text).without(text))} for text in (one, other))
    return len(words & others) / max(1, min(len(words), len(others)))


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
    return _shared(*map(_said, chosen))


def _is_of(question: str, picked: Picked, evidence: Evidence) -> bool:
    """Whether a unit, with what stands above it, has most of the words of what it is asked of, and all its names. What
    it says of a thing of its own is not said of what its document is about: `The trial began ...` below `Course`."""
    core = picked.unit.core
    passage = evidence.passages[core.passage]
    wanted = set(content_words(question))
    subject = _SUBJECT.match(picked.unit.texts[0])
    own = subject and not wanted & {*content_words(subject[1])}
    above = () if own else (core.head, passage.heading, passage.title)
    held = set(content_words(" ".join((*above, core.lead, *picked.unit.texts))))
    names = {stem for name in NAMED.findall(question) for stem in content_words(name)}
    return len(wanted & held) >= WORDS_OF_SIDE * len(wanted) and names <= held

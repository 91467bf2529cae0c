"""`verify`: each cited sentence against the passages that it cites."""

import re
from collections.abc import Sequence
from dataclasses import replace

from clew.agent.answer.cores import cores_of
from clew.agent.answer.units import unit_of
from clew.agent.search.rounds import said_by
from clew.agent.state import Answer, Claim, Quote, Verdict
from clew.memory.datatypes import Passage
from clew.memory.instructions import LEFT_OUT, neutralised, speaks_to_a_model
from clew.memory.text import content_words

SUPPORTED = 0.8
"""Share of a sentence's content words that its passages hold, from which it counts as supported."""

WEAK = 0.5

UNITS = 3
"""Units of a passage that a sentence may be drawn from."""
BESIDE = 400
"""Characters before and behind a passage in which its document is quoted with it: the rest of a list, of a sentence."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][\w'-]+")


def verified(answer: Answer) -> Answer:
    claims = tuple(replace(claim, verdict=verdict(claim, answer.sources)) for claim in answer.claims)
    return replace(answer, claims=claims)


def verdict(claim: Claim, sources: Sequence[Passage]) -> Verdict:
    """Supported: said in a passage in these words, or most content words with every number and name are in the
    few units of each passage that have most of them; weak where they are spread over more of it.

    A number or a name that no cited passage holds makes a sentence unsupported, whatever else is there: that is
    what a wrong citation looks like. What a passage orders a model to do or to say supports nothing.
    """
    if not claim.cites:
        return "uncited"
    cited = [sources[number - 1] for number in claim.cites]
    evidence = " ".join(f"{passage.title} {passage.heading} {passage.text} {said_by(passage)}" for passage in cited)
    if not speaks_to_a_model(claim.text):  # which is quoted as what it is
        evidence = neutralised(evidence).text.replace(LEFT_OUT, "")
    if same_words(claim.text) in same_words(evidence):
        return "supported"
    if claim.quotes and all(any(_beside(quote, passage) for passage in cited) for quote in claim.quotes):
        return "supported"
    words = content_words(claim.text)
    held = _share(words, evidence)
    if not _exact(claim.text) <= _all_words(evidence):
        return "unsupported"
    if held >= SUPPORTED:
        near = " ".join(_nearest(words, passage) for passage in cited)
        together = _share(words, near) >= SUPPORTED and _exact(claim.text) <= _all_words(near)
        return "supported" if together else "weak"
    return "weak" if held >= WEAK else "unsupported"


def _nearest(words: Sequence[str], passage: Passage) -> str:
    """What stands above a passage, and its units that hold most of these words."""
    wanted = set(words)
    units = [" ".join((core.head, *unit_of(core).texts)) for core in cores_of([passage], {})]
    best = sorted(units, key=lambda text: -len(wanted.intersection(content_words(text))))[:UNITS]
    return said_by(replace(passage, text=" ".join(best))) + " ".join(best)


def _share(words: Sequence[str], text: str) -> float:
    known = set(content_words(text))
    return sum(word in known for word in words) / len(words) if words else 0.0


def _all_words(text: str) -> set[str]:
    return _exact(text) | {word.casefold() for word in re.findall(r"\w[\w'-]*", text)}


def _beside(quote: Quote, passage: Passage) -> bool:
    near = passage.start - BESIDE <= quote.start and quote.end <= passage.end + BESIDE
    return quote.document == passage.document and near


def _exact(text: str) -> set[str]:
    """Numbers and names: what has to be there to the letter. A word that only begins a sentence is no name."""
    return {number.rstrip(".,") for number in _NUMBER.findall(text)} | {name.casefold() for name in _NAME.findall(text)}


def same_words(text: str) -> str:
    """The same for texts that differ only in case, spacing and punctuation."""
    return " ".join(re.findall(r"\w+", text.casefold()))

"""The part of an answer that is most of it, shown in bold: a name for `who`, a date for `when`.

A linear head over what the last two layers of the pair scorer (`reader.py`) make of the word pieces of a quotation that
is read together with the question: how likely each is part of the answer. Made by `python -m tests.training.spans`,
which says what it is fitted on.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from clew.agent.answer.answer_type import answer_type
from clew.agent.answer.reader import headed, shipped_pairs
from clew.agent.state import Answer, BoldSpan
from clew.memory.datatypes import Floats
from clew.memory.language.telling import may_be_english
from clew.memory.text import Span

SHIPPED = Path(__file__).with_suffix(".json")

SURE, BESIDE = 0.5, -0.5
"""The log odds that the word pieces of a part have on average at least, and those of each beside the likeliest one."""

FEW = 3
"""Quotations that are looked at."""


def with_bold(answer: Answer, question: str) -> Answer:
    """With the likeliest part of one of its sentences in bold: of the quotations, or where there is none, of what a
    model wrote with a citation. Without where no known kind of thing is asked for, or no part is likely enough."""
    cited = [place for place, claim in enumerate(answer.claims) if claim.cites]
    places = [place for place in cited if answer.claims[place].quotes] or cited
    claims = [answer.claims[place] for place in places[:FEW]]
    titles = [answer.sources[claim.cites[0] - 1].title for claim in claims]
    found = likeliest(question, titles, [claim.text for claim in claims])
    if found is None:
        return answer
    place, span = places[found[0]], BoldSpan(*found[1])
    made = (replace(claim, span=span) if n == place else claim for n, claim in enumerate(answer.claims))
    return replace(answer, claims=tuple(made))


def likeliest(question: str, titles: Sequence[str], texts: Sequence[str]) -> tuple[int, Span] | None:
    """The text by its place, and the part of it; None where none is likely enough. `titles` are of the texts'
    documents."""
    asked, pairs = answer_type(question), shipped_pairs()
    if not asked.expected or asked.form == "comparison" or not may_be_english(question):
        return None
    weights, bias = _shipped()
    found: list[tuple[float, int, Span]] = []
    for place, (title, text) in enumerate(zip(titles, texts, strict=True)):
        states, offsets = pairs.states(question, headed(title, text))
        before = len(headed(title, text)) - len(text)
        own = [n for n, (start, _) in enumerate(offsets) if start >= before]
        if not own:
            continue
        pieces = [(offsets[n][0] - before, offsets[n][1] - before) for n in own]
        odds, (start, end) = part([float(one) for one in states[own] @ weights + bias], pieces, text)
        within = " ".join((*text[:start].split()[-2:], text[start:end]))  # 'in Vienna' is a place
        if odds >= SURE and text[start:end].casefold() not in question.casefold() and asked.holds(within):
            found.append((odds, place, (start, end)))
    best = max(found, default=None)
    return (best[1], best[2]) if best else None


_IN_NUMBER = re.compile(r"\d[.,:]\d.?|.?\d[.,:]\d")
"""Around a place within 179.90, on either side of its mark."""


def part(odds: Sequence[float], pieces: Sequence[Span], text: str) -> tuple[float, Span]:
    """The likeliest word piece with those beside it, whole words: how likely these are on average, and from where to
    where they stand in the text."""

    def joined(place: int) -> bool:
        """Whether it is of one word, or of one number, with the piece before."""
        (_, end), (start, _) = pieces[place - 1 : place + 1]
        in_number = bool(_IN_NUMBER.fullmatch(text[max(end - 2, 0) : start + 2]))
        return end == start and (in_number or (text[end - 1].isalnum() and text[start].isalnum()))

    first = last = int(np.argmax(odds))
    while first and (odds[first - 1] > BESIDE or joined(first)):
        first -= 1
    while last + 1 < len(odds) and (odds[last + 1] > BESIDE or joined(last + 1)):
        last += 1
    return float(np.mean(odds[first : last + 1])), (pieces[first][0], pieces[last][1])


@cache
def _shipped() -> tuple[Floats, float]:
    kept = json.loads(SHIPPED.read_text("utf-8"))
    return np.array(kept["weights"]), kept["bias"]

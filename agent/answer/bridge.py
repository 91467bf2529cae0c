"""What a question inside a question is answered by: the name that is put in the place of what describes it."""

import re
from collections.abc import Sequence

from clew.agent.answer.answer_type import answer_type
from clew.agent.answer.bold_spans import NATION, scored
from clew.agent.search.nested import Nested
from clew.agent.search.rounds import said_by
from clew.agent.state import Answer, Claim
from clew.memory.text import Span, content_words, unaccented

_BESIDE = re.compile(r", ?(?:and )?| \(")
"""What stands between the names of one place: `Kirkwood, Missouri`."""

_WITHIN = re.compile(
    r".*\b(?:region|province|county|state|republic|part|coast|north|south|east|west) of (?:the )?", re.I
)
_WIDE_COUNTRY = re.compile(r"(?:the )?(?:United States|U\.?S\.?A?\.?|United Kingdom|U\.?K\.?)")
_INMOST = ("birthplace", "hometown", "city", "town", "village", "municipality")
_OUTMOST = ("country", "state", "province", "continent")
_MARRIED = ("husband", "wife", "spouse")
_PLACED = re.compile(r"\b(?:in|at|near|for|(?:moved|went|goes|back|came) to) (?:the )?$")
"""What a place, or a firm, stands behind, and no person."""

_BY = re.compile(r"\bby (?:(?:[a-z-]+|[A-Z][a-z]+(?:an|ch|ese|ish)) ){0,4}$")
"""'directed by', 'an album by the Canadian musician'."""

_STEM = 6
"""Letters that a noun shares with its verb."""


def told(inside: Nested, answer: Answer) -> list[tuple[int, str]]:
    """The names that it tells, each with its claim by its place, likeliest first: of claims those that say what is
    meant; none where nothing is told of what the question is about."""
    if answer.refused or answer.outcome == "unclear":
        return []
    about, found = _folded(inside.name), dict[str, int]()
    for place in sorted(range(len(answer.claims)), key=lambda place: not _says(inside, answer.claims[place].text)):
        claim = answer.claims[place]
        titles = " ".join(answer.sources[number - 1].title for number in claim.cites)
        if claim.cites and about <= _folded(f"{_of_same(claim, answer)} {titles}"):
            spans = [one for one in _ranked(inside, claim, titles) if not _is_it(about, claim.text[slice(*one)])]
            for span in spans:
                found.setdefault(_name(inside, claim.text, span, spans), place)
    return [(place, name) for name, place in found.items()]


def _is_it(about: set[str], name: str) -> bool:
    """Whether it is the name that is asked about itself, or longer."""
    own = _folded(name)
    return own <= about or about <= own


def _says(inside: Nested, text: str) -> bool:
    """Whether it has the noun or a word made like it: `directed`, of a director."""
    words = (*_MARRIED, "married") if inside.noun in _MARRIED else (inside.noun[:_STEM],)
    return any(word in text.casefold() for word in words)


def _of_same(claim: Claim, answer: Answer) -> str:
    """All that is quoted from what it cites."""
    return " ".join(one.text for one in answer.claims if set(one.cites) & set(claim.cites))


def held(words: str, answer: Answer) -> float:
    """The share of these words that what is quoted, or the titles that it is of, have."""
    if answer.refused:
        return 0.0
    quoted = [claim for claim in answer.claims if claim.cites]
    titles = (answer.sources[number - 1].title for claim in quoted for number in claim.cites)
    wanted, there = _folded(words), _folded(" ".join((*(claim.text for claim in quoted), *titles)))
    return len(wanted & there) / max(1, len(wanted))


def is_about(name: str, answer: Answer) -> bool:
    """Whether a passage that it cites has a word of the name, be it beside what is quoted."""
    return any(_folded(name) & _folded(said_by(source)) for source in answer.sources)


def _folded(text: str) -> set[str]:
    return {unaccented(stem) for stem in content_words(text)}


def _ranked(inside: Nested, claim: Claim, titles: str) -> list[Span]:
    """The names in a text that may be meant, likeliest first."""
    found = scored(inside.kind, inside.question, answer_type(inside.question), [claim.text], titles)
    order, text = [span for _, _, span in sorted(found, key=lambda one: -one[0])], claim.text
    order = [span for span in order if text[span[0]].isupper() or text[span[0]].isdigit()]
    if inside.noun != "country":
        order = [span for span in order if not NATION.match(text[slice(*span)])]
    if inside.event and (happened := _HAPPENED[inside.event].search(text)):
        return sorted(span for span in order if span[0] > happened.start()) or order
    if inside.kind == "place":
        rows = {span: len(_chain(text, span, sorted(order))) > 1 for span in order}
        order.sort(key=lambda span: not rows[span])
        return _called_so(inside, text, order)
    by = sorted(span for span in order if _BY.search(text[: span[0]]))
    if not inside.by_clause and not _says(inside, text):
        return by
    if inside.kind == "person":
        return [*by, *(span for span in order if not _PLACED.search(text[: span[0]]))]
    return _called_so(inside, text, order)


_HAPPENED = {"birth": re.compile(r"\bborn\b"), "death": re.compile(r"\b(?:died|death)\b")}


def _called_so(inside: Nested, text: str, order: Sequence[Span]) -> list[Span]:
    return [*(span for span in order if _is_called(inside, text[slice(*span)])), *order]


def _is_called(inside: Nested, name: str) -> bool:
    """Whether it says itself what it is: `McDowell County`."""
    return inside.noun in name.casefold().split()


def _name(inside: Nested, text: str, first: Span, spans: Sequence[Span]) -> str:
    """What it says; of a place that is told with those that it lies in the one that is asked for."""
    if inside.kind != "place" or _is_called(inside, text[slice(*first)]):
        return text[slice(*first)]
    names = [text[slice(*span)] for span in _chain(text, first, sorted(spans))]
    if inside.noun in _OUTMOST:
        states = [name for name in names if not _WIDE_COUNTRY.fullmatch(name)]
        outer = states if states and inside.noun in ("state", "province") else names
        return _WITHIN.sub("", outer[-1])
    return names[0] if inside.noun in _INMOST or inside.event else text[slice(*first)]


def _chain(text: str, first: Span, spans: Sequence[Span]) -> list[Span]:
    """It with those that stand in a row with it, from `spans` in their order."""
    chain = [first]
    for span in spans:
        if span[0] > chain[-1][1] and _BESIDE.fullmatch(text, chain[-1][1], span[0]):
            chain.append(span)
    for span in reversed(spans):
        if span[1] < chain[0][0] and _BESIDE.fullmatch(text, span[1], chain[0][0]):
            chain.insert(0, span)
    return chain

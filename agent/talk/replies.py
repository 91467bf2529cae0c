"""What is said to talk: a line that fits, or, to talk about the last answer, its passages again, quoted and cited."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from clew.agent.answer.candidates import Candidate, candidates_of
from clew.agent.answer.citations import same_words, verdict
from clew.agent.answer.excerpts import excerpt_of
from clew.agent.answer.quoted import excerpt_claims
from clew.agent.answer.reader import PRONOUN
from clew.agent.state import LIBRARY, Answer, Claim, Quote, Turn
from clew.agent.talk.intents import ABOUT_ANSWER, Intent, heard
from clew.agent.talk.lines import line, refused_in
from clew.memory.datatypes import Floats, Passage
from clew.memory.ports import Encoder
from clew.memory.text import Span, split

READ = 8
"""Passages of the last answer that more is looked for in."""

SHORTEST, LONGEST = 4, 60
"""Words of a sentence that is quoted."""

MORE = 3
"""Sentences that are said more at once."""

AS_NEAR = 0.6
"""How near to the question more has to be, as a share of how near the nearest said sentence is."""

ALIKE = 0.75
"""The cosine from which two sentences say the same."""

_STATES = re.compile(r"[.!;\u2026\u3002][\"'\u201d\u2019)\]]*$")
"""The end of what is no heading, question or lead-in."""

LONG = 25
"""Words of a quotation that can be made shorter by choosing a sentence of it."""

LABEL = 3
"""Words of a sentence that may be a label of what stands behind it: '8. Waiver.'"""

Examples = Callable[[], Sequence[str]]
"""Questions that the library answers: asked for only where they are said."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """What talk is answered from: what was said, its language, the turns before, oldest first, questions to offer."""

    intent: Intent
    text: str
    language: str
    before: Sequence[Turn]
    examples: Examples
    encoder: Encoder

    def line(self, key: str, **values: str) -> str:
        return line(key, self.language, **values)


@dataclass(frozen=True, slots=True)
class Reply:
    """`about` is the turn whose answer was spoken of, where one was."""

    answer: Answer
    about: Turn | None = None


def reply(spoken: Spoken) -> Reply | None:
    """None where it is to be searched after all: as a reply to a question back."""
    last = next((turn for turn in reversed(spoken.before) if turn.answer.outcome != "small-talk"), None)
    waits = last is spoken.before[-1] and last.answer.outcome == "unclear" if last else False
    if waits and spoken.intent in ("ack", "more", "sure", "wrong", "first", "last", "all"):
        return None
    if spoken.intent not in ABOUT_ANSWER:
        return Reply(_small_talk(spoken))
    if last is None:
        return Reply(_said(spoken.line("no answer")))
    if spoken.intent == "wrong":
        return Reply(_said(spoken.line("wrong")))
    cited = [claim for claim in last.answer.claims if claim.cites]
    if spoken.intent == "repeat" or (not cited and spoken.intent in ("shorter", "reword")):
        return Reply(refused_in(last.answer, spoken.language), last)
    if not cited:
        return Reply(_said(spoken.line("no source")), last)
    return Reply(_ABOUT[spoken.intent](spoken, last, cited), last)


def _said(*lines: str) -> Answer:
    """Small talk; each line but the first is an item."""
    return Answer("small-talk", tuple(Claim(text, new_line=n > 0) for n, text in enumerate(lines)))


def _small_talk(spoken: Spoken) -> Answer:
    asked = [heard(turn.question).question for turn in spoken.before if is_question(turn)]
    if spoken.intent in ("first", "last", "all"):
        if not asked:
            return _said(spoken.line("nothing asked"))
        number = ordinal(spoken.text)
        if spoken.intent == "all" or number > len(asked):
            return _said(spoken.line("all"), *(f"- {question}" for question in asked))
        if number > 1:
            return _said(spoken.line("nth", number=str(number), question=asked[number - 1]))
        return _said(spoken.line(spoken.intent, question=asked[0 if spoken.intent == "first" else -1]))
    examples = spoken.examples() if spoken.intent in ("greeting", "help", "identity") else ()
    offered = (spoken.line("examples"), *(f"- {question}" for question in examples)) if examples else ()
    return _said(spoken.line(spoken.intent), *offered)


_ORDINALS = tuple(
    re.compile(rf"\b(?:{one})\b", re.IGNORECASE)
    for one in (
        r"second(?! (?:ago|last|to last)\b)|2nd|zweite[ns]?|deuxième|segund[ao]|second[ao]|dua[n]?",
        r"third|3rd|dritte[ns]?|troisième|tercer[ao]?|terz[ao]|tria[n]?",
        r"fourth|4th|vierte[ns]?|quatrième|cuart[ao]|quart[ao]|kvara[n]?",
        r"fifth|5th|fünfte[ns]?|cinquième|quint[ao]|kvina[n]?",
    )
)


def ordinal(text: str) -> int:
    """Which of several it names: 2 for 'the second'; 1 where it names none."""
    return next((place for place, words in enumerate(_ORDINALS, 2) if words.search(text)), 1)


def is_question(turn: Turn) -> bool:
    """Whether the documents were asked, and not only something said."""
    first = next((step.node for step in turn.steps if step.node != LIBRARY), "")
    return first != "talk" or bool(turn.calls)


# About the last answer --------------------------------------------------------------------------------------------


def _shorter(spoken: Spoken, last: Turn, cited: Sequence[Claim]) -> Answer:
    """The quotation that holds the answer, where it has several; of a long one the sentence that does. A list is as
    short as it can be."""
    if last.answer.form in ("list", "steps"):
        return _quoted(last, [Claim(spoken.line("is short")), *(replace(one, new_line=True) for one in cited)])
    near = _cosines(last.rewritten, [claim.text for claim in cited], spoken.encoder)
    first = next((claim for claim in cited if claim.span), cited[int(np.argmax(near))])
    parts = [_part(quote, span) for quote in first.quotes for span in split(quote.text)]
    sentences = [" ".join(part.text.split()) for part in parts] or [first.text[a:b] for a, b in split(first.text)]
    if len(first.text.split()) > LONG and len(sentences) > 1:
        bold = first.text[first.span.start : first.span.end] if first.span else ""
        holding = [place for place, sentence in enumerate(sentences) if bold and bold in sentence]
        near = _cosines(last.rewritten, sentences, spoken.encoder)
        whole = [place for place, sentence in enumerate(sentences) if len(sentence.split()) > LABEL]
        nearest = (holding or [max(whole or range(len(sentences)), key=near.__getitem__)])[0]
        quotes = tuple(parts[nearest : nearest + 1])
        start = quotes[0].start if quotes else None
        short = replace(first, text=sentences[nearest], start=start, new_line=False, quotes=quotes, span=None)
        return _quoted(last, [short])
    if len(last.answer.claims) > 1:
        likeliest = cited[int(np.argmax(near))]
        told = _said_of_named(cited) if likeliest is first else likeliest
        both = [told] if told and PRONOUN.match(told.text) else []
        return _quoted(last, [replace(first, new_line=False), *both])
    return _quoted(last, [Claim(spoken.line("is short")), replace(first, new_line=True)])


def _said_of_named(cited: Sequence[Claim]) -> Claim | None:
    """'She built the hut.' behind 'Anna Lie was a teacher.', which only says who that is."""
    follows = len(cited) > 1 and cited[0].cites == cited[1].cites and PRONOUN.match(cited[1].text)
    return cited[1] if follows else None


def _more(spoken: Spoken, last: Turn, cited: Sequence[Claim]) -> Answer:
    """What the passages say beside what was said, nearest to the question first found, in their order."""
    said = [claim.text for turn in spoken.before if turn.rewritten == last.rewritten for claim in turn.answer.claims]
    found = _unsaid(last.passages[:READ], said)
    if not found:
        return _said(spoken.line("no more"))
    near = _cosines(last.rewritten, [one.text for one in found], spoken.encoder)
    enough = AS_NEAR * _cosines(last.rewritten, [claim.text for claim in cited], spoken.encoder).max()
    best = [int(place) for place in np.argsort(-near, kind="stable")[:MORE] if near[place] >= enough]
    if not best:
        return _said(spoken.line("no more"))
    order = list(dict.fromkeys(found[place].passage.id for place in best))
    best.sort(key=lambda place: (order.index(found[place].passage.id), found[place].claims[0].start))
    return _cited([(claim, found[place].passage) for place in best for claim in found[place].claims])


def _reworded(spoken: Spoken, last: Turn, cited: Sequence[Claim]) -> Answer:
    """What another passage says that is the same; where there is none, what stands around it in its paragraph, or the
    whole list that it is of."""
    first = cited[0]
    source = last.answer.sources[first.cites[0] - 1]
    others = _unsaid(last.passages[:READ], [claim.text for claim in cited])
    near = _cosines(first.text, [one.text for one in others], spoken.encoder)
    if len(others) and near.max() >= ALIKE:
        other = others[int(near.argmax())]
        return _led("another", spoken, [(claim, other.passage) for claim in other.claims])
    candidates = candidates_of([source], {})
    at = first.start if first.start is not None else source.start + max(0, source.text.find(first.text))
    place = next((n for n, candidate in enumerate(candidates) if candidate.position + len(candidate.text) > at), 0)
    beside = [
        candidate
        for candidate in candidates[max(0, place - 1) : place + 2]
        if candidate.place == candidates[place].place
    ]
    around = [claim for candidate in beside for claim in _quotable(candidate, source).claims] if candidates else [first]
    whole = {claim.quotes: claim for claim in around}
    return _led("only quotes", spoken, [(claim, source) for claim in whole.values()])


def _led(key: str, spoken: Spoken, claims: Sequence[tuple[Claim, Passage]]) -> Answer:
    """What is quoted behind a line that says what it is."""
    answer = _cited([(replace(claim, new_line=claim.new_line or not n), p) for n, (claim, p) in enumerate(claims)])
    return replace(answer, claims=(Claim(spoken.line(key)), *answer.claims))


def _sure(spoken: Spoken, last: Turn, cited: Sequence[Claim]) -> Answer:
    """How many documents say it, with the quotation and where each stands."""
    near = _cosines(last.rewritten, [claim.text for claim in cited], spoken.encoder)
    nearest = cited[int(np.argmax(near))]
    first = nearest if PRONOUN.match(nearest.text) else _said_of_named(cited) or cited[0]
    read = [*last.answer.sources, *last.passages[:READ]]
    holding: dict[str, Passage] = {}
    for passage in read:
        if verdict(replace(first, cites=(1,)), [passage]) == "supported":
            holding.setdefault(passage.document, passage)
    if not holding:
        return _quoted(last, [Claim(spoken.line("not supported")), replace(first, new_line=True)])
    sources = tuple(holding.values())
    says = spoken.line("several say", number=str(len(sources))) if len(sources) > 1 else spoken.line("one says")
    claim = replace(first, cites=tuple(range(1, len(sources) + 1)), new_line=True)
    places = Claim(spoken.line("place", place="; ".join(_place(source, spoken) for source in sources)), new_line=True)
    return Answer("answered", (Claim(says), claim, places), sources)


def _where(spoken: Spoken, last: Turn, cited: Sequence[Claim]) -> Answer:
    """Each quotation with its document, heading and page."""
    answer = _quoted(last, [replace(claim, new_line=n > 0) for n, claim in enumerate(cited)])
    claims: list[Claim] = []
    for claim, following in zip(answer.claims, (*answer.claims[1:], None), strict=True):
        claims.append(claim)
        if following is None or following.cites != claim.cites:
            places = "; ".join(_place(answer.sources[number - 1], spoken) for number in claim.cites)
            claims.append(Claim(spoken.line("place", place=places), new_line=True))
    return replace(answer, claims=tuple(claims))


_ABOUT: dict[Intent, Callable[[Spoken, Turn, Sequence[Claim]], Answer]] = {
    "shorter": _shorter,
    "more": _more,
    "reword": _reworded,
    "sure": _sure,
    "where": _where,
}


def _place(source: Passage, spoken: Spoken) -> str:
    """`"The lease", "Rent", page 3`."""
    page = spoken.line("page", page=source.page) if source.page else ""
    heading = f'"{source.heading.rstrip(".:")}"' if source.heading not in ("", source.title) else ""
    return ", ".join(filter(None, (f'"{source.title or source.source or source.document}"', heading, page)))


class _Quotable(NamedTuple):
    """What is quoted together: a sentence with what it leans on, a whole list."""

    claims: tuple[Claim, ...]
    passage: Passage

    @property
    def text(self) -> str:
        return " ".join(claim.text for claim in self.claims)


def _quotable(candidate: Candidate, passage: Passage) -> _Quotable:
    return _Quotable(tuple(excerpt_claims(excerpt_of(candidate, whole_list=True), passage.document, 1, set())), passage)


def _unsaid(passages: Sequence[Passage], said: Sequence[str]) -> list[_Quotable]:
    """What is worth quoting and was not, each once."""
    found: dict[str, _Quotable] = {}
    for candidate in candidates_of(passages, {}):
        one = _quotable(candidate, passages[candidate.passage])
        prose = candidate.block.kind == "prose"
        worth = SHORTEST <= len(candidate.text.split()) <= LONGEST and _STATES.search(candidate.text) if prose else True
        if worth and not _holds(said, candidate.text) and not all(_holds(said, claim.text) for claim in one.claims):
            found.setdefault(one.text, one)
    return list(found.values())


def _part(quote: Quote, span: Span) -> Quote:
    return Quote(quote.document, quote.start + span[0], quote.start + span[1], quote.text[slice(*span)])


def _holds(said: Sequence[str], text: str) -> bool:
    """Whether it was said, as a part of something or with more around it."""
    words = same_words(text)
    return any(words in known or known in words for known in map(same_words, said) if known)


def _cosines(text: str, others: Sequence[str], encoder: Encoder) -> Floats:
    if not others:
        return np.zeros(0)
    return np.asarray(encoder.encode(others, "passage") @ encoder.encode([text], "query")[0])


def _quoted(last: Turn, claims: Sequence[Claim]) -> Answer:
    """Claims of the last answer, with those of its sources that they cite."""
    order = list(dict.fromkeys(number for claim in claims for number in claim.cites))
    numbered = (replace(claim, cites=tuple(order.index(n) + 1 for n in claim.cites)) for claim in claims)
    return Answer("answered", tuple(numbered), tuple(last.answer.sources[n - 1] for n in order))


def _cited(claims: Sequence[tuple[Claim, Passage]]) -> Answer:
    """Each claim with its passage."""
    sources = list({passage.id: passage for _, passage in claims}.values())
    ids = [source.id for source in sources]
    return Answer(
        "answered", tuple(replace(claim, cites=(ids.index(p.id) + 1,)) for claim, p in claims), tuple(sources)
    )

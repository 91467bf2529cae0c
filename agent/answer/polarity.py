"""Whether what is quoted says yes or no to a question: by cues of that polarity in the clause that tells of what is
asked, and by days, dates and amounts that agree with those that are asked about, or do not. Where no cue is sure,
nothing is said.

A clause tells of what is asked where it has the subject and then what is said of it, in the question's order and with
nothing between, or where it has hardly another word than the question's; where it has no other at all, the rest may
stand above it, in what is nearest to it and denies nothing. What is free, open or allowed is so under the conditions
that stand beside it, so a clause with one says nothing of it as a whole.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from clew.agent.answer import cues
from clew.agent.answer.structure import LABEL_OF_ANSWER
from clew.agent.answer.values import CLOCK, Values, compared, values_of
from clew.agent.state import Says
from clew.memory.dialogue.question_parser import parts
from clew.memory.dialogue.word_classes import base
from clew.memory.language.telling import language_of
from clew.memory.text import FUNCTION_WORDS, written_words

HELD, BELOW, OWN = 0.99, 0.6, 0.5
"""The shares of the question's words that a clause holds in whatever order with what stands above it, and without, and
of its own that are the question's."""

SUBJECT = 0.5
"""The share of the subject's words that is enough."""

NEAR = 4
"""Words from a negation to what it denies."""

_WEAK = frozenset("any ever also too still just both each".split())
"""What a denial does not have to repeat."""

_ALIKE = {"in": ("within", "inside"), "on": ("upon",), "of": ("in", "from"), "from": ("of",), "with": ("and",)}
"""Prepositions that say the same."""

LONGEST = 2
"""Other content words between the subject and what is said of it."""

LABELLED = re.compile(r"\W*(?P<what>[^:.]{1,40}): (?P<said>yes|no|ja|nein|oui|non|sí|sì|si|jes|ne)\W*", re.IGNORECASE)
"""`Nuts: no`, a line of a form or of a label."""

_TELLS_NOT_TO = re.compile(r"\W*(?:do not|don['\u2019]t|never)\b", re.IGNORECASE)
_ASKS_FOR_ONE = re.compile(r"\b(?:I|we|you|one|people|anyone|visitors|guests)\b", re.IGNORECASE)
"""`--no-compress: Do not compress old files.` says of no program that it cannot."""

PolarKind = Literal["plain", "may", "must", "there"]


@dataclass(frozen=True, slots=True)
class Polar:
    """A question of yes or no: the stems of its subject and of what is said of it, days, dates and amounts left out."""

    text: str
    language: str
    kind: PolarKind
    subject: frozenset[str]
    told: tuple[str, ...]
    values: Values
    strict: frozenset[str]
    reversed: bool
    preposition: str


@dataclass(frozen=True, slots=True)
class Above:
    """What stands above a unit: the title of its document, its heading, which may be a question that it answers, and
    what announces it."""

    title: str = ""
    head: str = ""
    lead: str = ""

    def __str__(self) -> str:
        return f"{self.title} {self.head} {self.lead}"


NOTHING_ABOVE = Above()


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a clause tells of what is asked: from the subject, and the first word of what is told, to the last word, in
    characters; `flips`: it has an opposite instead."""

    start: int
    first: int
    end: int
    flips: bool = False


def asks_yes_or_no(question: str) -> bool:
    """Whether a question in another language than English is one of yes or no."""
    language = language_of(question)
    return language not in ("", "en") and bool(cues.matches(language, "asks", question.strip()))


def says(question: str, texts: Sequence[str], above: Above = NOTHING_ABOVE) -> Says | None:
    """What a unit says, by its first part that says it: 'Yes' at its beginning where its heading asks the same."""
    question, *texts = (_written(text) for text in (question, *texts))
    polar = _polar(question)
    if polar is None:
        return None
    if found := _in_a_word(polar, texts, above.head):
        return found
    if not polar.told or polar.reversed:
        return None
    before = str(above)
    for text in texts:
        for whole in _clauses(text, polar.language):
            if whole.rstrip("\"'\u201d\u2019)* ").endswith("?"):
                continue  # a question tells nothing
            for clause in (whole, *(re.split(r",\s", whole) if ", " in whole else ())):
                if found := _of_clause(polar, clause, whole, above, frozenset(cues.stems(before, polar.language))):
                    return found
            before = f"{before} {whole}"
        heads = text.endswith(":") or cues.matches(polar.language, "to do", text)
        above = replace(above, lead=text) if heads else above
        if cues.matches(polar.language, "unknown", text) and {*polar.told} <= {*cues.stems(text, polar.language)}:
            return "not-said"
    return None


def _written(text: str) -> str:
    """Without the `A:` of an answer, and with one name for the United States, of which `us` is a pronoun."""
    text = LABEL_OF_ANSWER.sub("", text)
    for match in reversed([one for one in cues.found("en", "united states", text) if one[0] != "us"]):
        text = f"{text[: match.start()]}{'the USA' if match[0] == 'the us' else 'USA'}{text[match.end() :]}"
    return text


def _polar(question: str) -> Polar | None:
    """None where it is no question that yes or no answers, or one that they answer in two ways."""
    language = language_of(question) or "en"
    asked = question.strip().rstrip("?! ")
    if re.search(r"\b(?:or|oder|ou|aŭ)\b", asked) or cues.matches(language, "embedded", asked):
        return None
    kinds: tuple[PolarKind, ...] = ("must", "there", "may")
    kind: PolarKind = next((one for one in kinds if cues.matches(language, f"asks {one}", asked)), "plain")
    values = values_of(asked, counted=kind == "plain")
    rest = values.without(asked)
    light = cues.light(language) | (cues.light(language, "may") if kind != "plain" else frozenset())
    named = parts(question).subject if language == "en" else None
    subject = frozenset(cues.stems(values.without(named.text), language) if named else ()) - light
    every = tuple(dict.fromkeys(cues.stems(rest, language)))
    told = tuple(stem for stem in every if stem not in subject and stem not in light)
    if not told and (kind == "there" or values):
        told, subject = tuple(stem for stem in every if stem in subject), frozenset()
    elif not told and kind == "may" and subject:  # 'Are dogs allowed?'
        told = tuple(stem for stem in every if stem not in subject)[-1:]
    strict = frozenset(match[0].casefold() for match in cues.found(language, "all", asked))
    turned = bool(cues.matches(language, "reversed", asked))
    return Polar(question, language, kind, subject, told, values, strict, turned, _preposition(asked, told, language))


def _preposition(question: str, told: Sequence[str], language: str) -> str:
    """What stands before the first word of what is told: `in` of 'Is the strip in the city?'."""
    phrases = parts(question).phrases if language == "en" and told else ()
    return next((one.preposition for one in phrases if one.preposition and told[0] in cues.stems(one.text, "en")), "")


def _in_a_word(polar: Polar, texts: Sequence[str], asking: str) -> Says | None:
    """'No, ...' below or behind a question that asks the same, and 'Nuts: no' of what is told."""
    for text in texts:
        label = LABELLED.fullmatch(text)
        if label and not polar.reversed and {*cues.stems(label["what"], polar.language)} & {*polar.told}:
            said = f"{label['said']}."
            return "yes" if cues.matches(polar.language, "yes", said) else "no"
    for before, text in pairwise((asking, *texts)):
        same = before.rstrip("\"'”’)* ").endswith("?") and _polar(before)
        if same and (same.values, same.reversed) == (polar.values, polar.reversed):
            ours = {*polar.subject, *polar.told}
            theirs = {*same.subject, *same.told}
            if len(ours & theirs) >= SUBJECT * max(1, len(ours | theirs)):
                if cues.matches(polar.language, "yes", text):
                    return "yes"
                if cues.matches(polar.language, "no", text):
                    return "no"
    return None


def _of_clause(polar: Polar, clause: str, whole: str, above: Above, before: frozenset[str]) -> Says | None:
    """What a clause says, or a part of it between commas; a doubt anywhere in the `whole` is one. `before` has the
    stems of all that stands before it."""
    language = polar.language
    plain = clause
    for match in cues.found(language, "idle", clause):
        plain = plain.replace(match[0], "~" * len(match[0]))
    place = _told_in_order(polar, plain, before) or _told_in_few_words(polar, plain, above)
    if place is None or (not polar.values and _on_condition(polar, plain, above)):
        return None
    denying = frozenset().union(*(cues.opposites(one) for one in polar.told)) if place.flips else frozenset()
    negations = [
        match.start()
        for match in cues.found(language, "negation", plain)
        if cues.stem(match[0].casefold(), language) not in denying
    ]
    if _TELLS_NOT_TO.match(plain) and not _ASKS_FOR_ONE.search(polar.text):
        return None
    own = {*written_words(polar.text.casefold())}
    hedges = {match[0].casefold() for match in cues.found(language, "hedges", whole)} - own
    lacks = polar.strict - {match[0].casefold() for match in cues.found(language, "all", clause)}
    might = polar.kind in ("plain", "there") and bool(cues.matches(language, "might", plain))
    sure = not (hedges or lacks or might) and plain == clause
    if polar.values:
        return _by_values(polar, clause, whole, place) if not (negations or lacks) else None
    if polar.kind == "plain" and cues.matches("en", "open item", whole):
        return "no"
    if _is_told_to_do(polar, plain):
        return "no" if any(cues.matches(language, "to do", one) for one in (above.lead, above.head)) else None
    due = cues.matches(language, "requires", plain) and not cues.matches(language, "requires", polar.text)
    if polar.kind == "plain" and due:
        return None  # what has to be done is not done
    if polar.kind == "must":
        return _required(polar, plain, place, sure and not negations)
    permitted = {*polar.told} <= cues.light(language)  # 'Are dogs allowed?'
    if place.flips and permitted and sure and not negations:
        return "no"
    if sure and not any(cues.found(language, "negation", whole)):
        if place.flips:
            return "no" if polar.kind == "plain" else None
        return "yes" if polar.kind != "may" or cues.matches(language, "permits", plain) else None
    denied = len(negations) == 1 and place.start <= negations[0] <= place.end and plain == clause
    rest = {*cues.stems(clause, language)} - {*polar.told, *polar.subject} - cues.light(language)
    behind = len(negations) == 1 and negations[0] > place.end and plain == clause
    if polar.kind == "may" and behind and not (rest or hedges):
        return "no"  # 'Bonfires are not allowed.' for 'can I make a bonfire?'
    near = denied and len(plain[negations[0] : place.first].split()) <= NEAR
    excepted = {match[0].casefold() for match in cues.found(language, "excepts", clause)} - own
    if near and not (place.flips or excepted or lacks - _WEAK):
        return "no"
    return None


def _is_told_to_do(polar: Polar, clause: str) -> bool:
    """Whether it is asked whether something was done, and the clause begins with the verb as one says what to do:
    `renew the certificate`, for 'Has the certificate been renewed?'"""
    first = re.match(r"(?!\W*\[x\])[\W\d]*([a-z]+)", clause, re.IGNORECASE)
    if (
        polar.language != "en"
        or polar.kind != "plain"
        or first is None
        or not cues.matches("en", "asks done", polar.text)
    ):
        return False
    verb = first[1].casefold()
    return cues.stem(verb, "en") in polar.told and base(verb) == (verb, "do")


def _by_values(polar: Polar, clause: str, whole: str, place: _Place) -> Says | None:
    """`closed on Sundays` says no where `open on Sundays?` is asked, and nothing of Mondays. What differs says no only
    where nothing beside it agrees."""
    agreed = compared(polar.values, polar.kind, clause)
    if place.flips:
        return "no" if agreed and polar.values.days else None
    if agreed or agreed is None:
        return "yes" if agreed else None
    held = values_of(clause)
    row = not re.search(r"\w", clause[: min(start for start, _ in held.spans)])  # of several: 'Friday: closed'
    return None if row or values_of(whole) != held else "no"


def _required(polar: Polar, clause: str, place: _Place, sure: bool) -> Says | None:
    if cues.matches(polar.language, "spares", clause):
        return "no"
    needed = cues.matches(polar.language, "requires", clause[: place.end])
    return "yes" if needed and sure and not place.flips else None


def _on_condition(polar: Polar, clause: str, above: Above) -> bool:
    """Whether it is asked whether something is allowed, free or open, and this says so of a part: for children, at
    night, below the heading of another thing."""
    known = {*polar.subject, *polar.told}
    if not {*polar.told} <= cues.light(polar.language) | cues.light(polar.language, "conditional"):
        return False
    said = known.union(*(cues.light(polar.language, kind) for kind in ("", "conditional", "beside")))
    if {*cues.stems(clause, polar.language)} - said - frozenset().union(*map(cues.opposites, known)):
        return True
    nearest = next((own for text in (above.lead, above.head) if (own := _own_stems(text, polar.language))), known)
    return not nearest & known


def _own_stems(heading: str, language: str) -> set[str]:
    """Of what a heading is about: without numbers, days and words that any may have."""
    stems = cues.stems(values_of(heading).without(heading), language)
    return {stem for stem in stems if stem.isalpha()} - cues.light(language, "heading")


def _told_above(above: Above, language: str) -> str:
    """What a line may leave to what stands above it: the nearest of that which is about something, and what is nearer
    still; nothing where that denies or limits."""
    texts: list[str] = []
    for text in (above.lead, above.head, above.title):
        texts.append(text)
        if _own_stems(text, language):
            break
    told = " ".join(texts)
    limits = any(cues.matches(language, name, told) for name in ("negation", "forbids", "hedges", "ended"))
    return "" if limits else told


def _told_in_order(polar: Polar, clause: str, before: frozenset[str]) -> _Place | None:
    """The subject at its beginning, then the shortest run that holds what is told, in the question's order."""
    if polar.language != "en":
        return None
    tokens = [(match[0], match.start()) for match in re.finditer(r"[\w'\u2019-]+|~+", clause)]
    stems = [cues.stem(word.casefold(), "en") for word, _ in tokens]
    content = [word.casefold() not in FUNCTION_WORDS and "~" not in word for word, _ in tokens]
    run = _shortest_run(polar.told, stems)
    if run is None:
        return None
    first, last, flips = run
    begin = 0
    if polar.subject:
        places = [n for n, stem in enumerate(stems[:first]) if stem in polar.subject]
        if len({stems[n] for n in places}) >= SUBJECT * len(polar.subject):
            behind = clause[tokens[places[-1]][1] : tokens[first][1]]
            if any(content[: places[0]]) or re.search(r"\b(?:which|who|that)\b", behind):
                return None
            begin, between = places[0], sum(content[places[-1] + 1 : first])
        elif cues.matches("en", "pronoun", clause) and len(polar.subject & before) >= SUBJECT * len(polar.subject):
            between = sum(content[:first])
        else:
            return None
        if between > LONGEST or (flips and (between > 1 or len(polar.told) > 1)):
            return None
    ahead = {word.casefold() for word, _ in tokens[max(0, first - NEAR) : first]}
    if polar.preposition and not ahead & {polar.preposition.casefold(), *_ALIKE.get(polar.preposition.casefold(), ())}:
        return None
    word, at = tokens[last]
    start = tokens[begin if polar.subject else max(0, first - NEAR)][1]
    return _Place(start, tokens[first][1], at + len(word), flips)


def _shortest_run(told: Sequence[str], stems: Sequence[str]) -> tuple[int, int, bool] | None:
    """Its first and last place, and whether one of them is an opposite."""
    best: tuple[int, int, bool] | None = None
    for start in range(len(stems)):
        at, flips = start, 0
        for number, one in enumerate(told):
            wanted = {one, *cues.opposites(one)}
            ahead = range(at, len(stems)) if number else range(at, at + 1)
            place = next((n for n in ahead if stems[n] in wanted), -1)
            if place < 0:
                break
            flips += stems[place] != one
            at = place + 1
        else:
            if flips < 2 and (best is None or at - 1 - start < best[1] - best[0]):
                best = (start, at - 1, flips == 1)
    return best


def _told_in_few_words(polar: Polar, clause: str, above: Above) -> _Place | None:
    """All words of the question, those of its subject perhaps above it, and not many others."""
    if cues.matches(polar.language, "relative", clause):
        return None
    wanted = {*polar.told, *polar.subject}
    clear = CLOCK.sub(" ", polar.values.without(clause)) if polar.values.days else clause
    stems = {*cues.stems(clear, polar.language)} - (cues.light(polar.language) - wanted)
    flipped = {one for one in polar.told if one not in stems and cues.opposites(one) & stems}
    own = wanted & stems | {other for one in flipped for other in cues.opposites(one) & stems}
    held = len(wanted & stems) + len(flipped)
    higher = {*cues.stems(_told_above(above, polar.language), polar.language)}
    if held + len((wanted - stems - flipped) & higher) < HELD * len(wanted) or len(flipped) > 1:
        return None
    told = {*polar.told} & (stems | flipped)
    if stems == own:  # 'Friday: closed', 'Dogs are not allowed.' below what they are about
        enough = bool(told or (polar.kind == "may" and stems) or (not stems and CLOCK.search(clause)))
    else:
        says = bool(told - cues.light(polar.language))
        enough = says and held >= BELOW * len(wanted) and len(own) >= OWN * len(stems)
    if not enough:
        return None
    words = re.finditer(r"[\w'\u2019-]+", clause)
    first = min((one.start() for one in words if cues.stem(one[0].casefold(), polar.language) in own), default=0)
    return _Place(0, first, len(clause), len(flipped) == 1)


def _clauses(text: str, language: str) -> list[str]:
    found = [match.start() for match in cues.found(language, "clause", text)]
    cuts = [0, *(at for at in found if text[at] != ":" or not _only_values(text[:at])), len(text)]
    return [text[start:end].strip(" ,;:") for start, end in pairwise(cuts) if re.search(r"\w", text[start:end])]


def _only_values(label: str) -> bool:
    """`- Monday to Friday`"""
    return not re.search(r"\w", values_of(label).without(label))

"""Whether what is quoted says yes or no to a question: by cues of that polarity in the clause that tells of what is
asked, and by days, dates and amounts that agree with those that are asked about, or do not. Where no cue is sure,
nothing is said. The words are in `polarity.txt`, a section for each language.

A clause tells of what is asked where it has the subject and then what is said of it, in the question's order and with
nothing between, or where it has hardly another word than the question's; where it has no other at all, the rest may
stand above it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Literal

import Stemmer

from clew.agent.answer.values import Values, compared, values_of
from clew.agent.state import Says
from clew.memory.dialogue.question_parser import parts
from clew.memory.dialogue.word_classes import base, past
from clew.memory.language.telling import language_of
from clew.memory.text import FUNCTION_WORDS, common_words, unaccented, written_words

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

_CLOCK = re.compile(r"\b\d{1,2}(?::\d\d| ?[ap]\.?m)\b")

_LABEL_OF_ANSWER = re.compile(r"\s*(?:A|Answer|Antwort)\s?[:.]\s+(?=\S)")

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
    return language not in ("", "en") and bool(_matches(language, "asks", question.strip()))


def says(question: str, texts: Sequence[str], above: str = "", asking: str = "") -> Says | None:
    """What a unit says, by its first part that says it; `above` is its heading and title, `asking` a question that it
    answers: 'Yes' at its beginning then counts."""
    question, *texts = (_written(text) for text in (question, *texts))
    polar = _polar(question)
    if polar is None:
        return None
    if found := _in_a_word(polar, texts, asking):
        return found
    if not polar.told or polar.reversed:
        return None
    before = above
    for text in texts:
        for whole in _clauses(text, polar.language):
            if whole.rstrip("\"'\u201d\u2019)* ").endswith("?"):
                continue  # a question tells nothing
            for clause in (whole, *(re.split(r",\s", whole) if ", " in whole else ())):
                if found := _of_clause(polar, clause, whole, frozenset(_stems(before, polar.language))):
                    return found
            before = f"{before} {whole}"
        if _matches(polar.language, "unknown", text) and {*polar.told} <= {*_stems(text, polar.language)}:
            return "not-said"
    return None


def _written(text: str) -> str:
    """Without the `A:` of an answer, and with one name for the United States, of which `us` is a pronoun."""
    text = _LABEL_OF_ANSWER.sub("", text)
    pattern = _pattern("en", "united states")
    return pattern.sub(lambda match: "the USA" if match[0] == "the us" else "USA", text) if pattern else text


def _polar(question: str) -> Polar | None:
    """None where it is no question that yes or no answers, or one that they answer in two ways."""
    language = language_of(question) or "en"
    asked = question.strip().rstrip("?! ")
    if re.search(r"\b(?:or|oder|ou|aŭ)\b", asked) or _matches(language, "embedded", asked):
        return None
    kinds: tuple[PolarKind, ...] = ("must", "there", "may")
    kind: PolarKind = next((one for one in kinds if _matches(language, f"asks {one}", asked)), "plain")
    values = values_of(asked, counted=kind == "plain")
    rest = values.without(asked)
    light = _light(language) | (_light(language, "may") if kind != "plain" else frozenset())
    named = parts(question).subject if language == "en" else None
    subject = frozenset(_stems(values.without(named.text), language) if named else ()) - light
    every = tuple(dict.fromkeys(_stems(rest, language)))
    told = tuple(stem for stem in every if stem not in subject and stem not in light)
    if not told and (kind == "there" or values):
        told, subject = tuple(stem for stem in every if stem in subject), frozenset()
    elif not told and kind == "may" and subject:  # 'Are dogs allowed?'
        told = tuple(stem for stem in every if stem not in subject)[-1:]
    strict = frozenset(match[0].casefold() for match in _found(language, "all", asked))
    turned = bool(_matches(language, "reversed", asked))
    return Polar(question, language, kind, subject, told, values, strict, turned, _preposition(asked, told, language))


def _preposition(question: str, told: Sequence[str], language: str) -> str:
    """What stands before the first word of what is told: `in` of 'Is the strip in the city?'."""
    phrases = parts(question).phrases if language == "en" and told else ()
    return next((one.preposition for one in phrases if one.preposition and told[0] in _stems(one.text, "en")), "")


def _in_a_word(polar: Polar, texts: Sequence[str], asking: str) -> Says | None:
    """'No, ...' below or behind a question that asks the same, and 'Nuts: no' of what is told."""
    for text in texts:
        label = LABELLED.fullmatch(text)
        if label and not polar.reversed and {*_stems(label["what"], polar.language)} & {*polar.told}:
            said = f"{label['said']}."
            return "yes" if _matches(polar.language, "yes", said) else "no"
    for before, text in pairwise((asking, *texts)):
        same = before.rstrip("\"'”’)* ").endswith("?") and _polar(before)
        if same and (same.values, same.reversed) == (polar.values, polar.reversed):
            ours = {*polar.subject, *polar.told}
            theirs = {*same.subject, *same.told}
            if len(ours & theirs) >= SUBJECT * max(1, len(ours | theirs)):
                if _matches(polar.language, "yes", text):
                    return "yes"
                if _matches(polar.language, "no", text):
                    return "no"
    return None


def _of_clause(polar: Polar, clause: str, whole: str, above: frozenset[str]) -> Says | None:
    """What a clause says, or a part of it between commas; a doubt anywhere in the `whole` is one."""
    language = polar.language
    plain = clause
    for match in _found(language, "idle", clause):
        plain = plain.replace(match[0], "~" * len(match[0]))
    place = _told_in_order(polar, plain, above) or _told_in_few_words(polar, plain, above)
    if place is None:
        return None
    denying = frozenset().union(*(_opposites(one) for one in polar.told)) if place.flips else frozenset()
    negations = [
        match.start()
        for match in _found(language, "negation", plain)
        if _stem(match[0].casefold(), language) not in denying
    ]
    own = {*written_words(polar.text.casefold())}
    hedges = {match[0].casefold() for match in _found(language, "hedges", whole)} - own
    lacks = polar.strict - {match[0].casefold() for match in _found(language, "all", clause)}
    might = polar.kind in ("plain", "there") and bool(_matches(language, "might", plain))
    sure = not (hedges or lacks or might) and plain == clause
    if polar.values:
        return _by_values(polar, clause, whole, place) if not (negations or lacks) else None
    if polar.kind == "must":
        return _required(polar, plain, place, sure and not negations)
    permitted = {*polar.told} <= _light(language)  # 'Are dogs allowed?'
    if place.flips and permitted and sure and not negations:
        return "no"
    if sure and not any(_found(language, "negation", whole)):
        if place.flips:
            return "no" if polar.kind == "plain" else None
        return "yes" if polar.kind != "may" or _matches(language, "permits", plain) else None
    denied = len(negations) == 1 and place.start <= negations[0] <= place.end and plain == clause
    near = denied and len(plain[negations[0] : place.first].split()) <= NEAR
    excepted = {match[0].casefold() for match in _found(language, "excepts", clause)} - own
    if near and not (place.flips or excepted or lacks - _WEAK):
        return "no"
    return None


def _by_values(polar: Polar, clause: str, whole: str, place: _Place) -> Says | None:
    """`closed on Sundays` says no where `open on Sundays?` is asked, and nothing of Mondays. What differs says no only
    where nothing beside it agrees."""
    agreed = compared(polar.values, polar.kind, clause)
    if place.flips:
        return "no" if agreed and polar.values.days else None
    if agreed or agreed is None:
        return "yes" if agreed else None
    row = ":" in clause and _only_values(clause.partition(":")[0])  # of several: 'Friday: closed'
    return None if row or values_of(whole) != values_of(clause) else "no"


def _required(polar: Polar, clause: str, place: _Place, sure: bool) -> Says | None:
    if _matches(polar.language, "spares", clause):
        return "no"
    needed = _matches(polar.language, "requires", clause[: place.end])
    return "yes" if needed and sure and not place.flips else None


def _told_in_order(polar: Polar, clause: str, above: frozenset[str]) -> _Place | None:
    """The subject at its beginning, then the shortest run that holds what is told, in the question's order."""
    if polar.language != "en":
        return None
    tokens = [(match[0], match.start()) for match in re.finditer(r"[\w'\u2019-]+|~+", clause)]
    stems = [_stem(word.casefold(), "en") for word, _ in tokens]
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
        elif _matches("en", "pronoun", clause) and len(polar.subject & above) >= SUBJECT * len(polar.subject):
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
            wanted = {one, *_opposites(one)}
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


def says_opposite(question: str, text: str) -> bool:
    """Whether an English text has the opposite of a word of the question, and not the word: the first keeper for the
    last."""
    held = {*_stems(text, "en")}
    return any(stem not in held and _opposites(stem) & held for stem in _stems(question, "en"))


def _told_in_few_words(polar: Polar, clause: str, above: frozenset[str]) -> _Place | None:
    """All words of the question, those of its subject perhaps above it, and not many others."""
    if _matches(polar.language, "relative", clause):
        return None
    wanted = {*polar.told, *polar.subject}
    clear = _CLOCK.sub(" ", polar.values.without(clause)) if polar.values.days else clause
    stems = {*_stems(clear, polar.language)} - (_light(polar.language) - wanted)
    flipped = {one for one in polar.told if one not in stems and _opposites(one) & stems}
    own = wanted & stems | {other for one in flipped for other in _opposites(one) & stems}
    held = len(wanted & stems) + len(flipped)
    if held + len((wanted - stems - flipped) & above) < HELD * len(wanted) or len(flipped) > 1:
        return None
    told = {*polar.told} & (stems | flipped)
    if stems == own:  # 'Friday: closed', 'Dogs are not allowed.' below what they are about
        enough = bool(told or (polar.kind == "may" and stems) or (not stems and _CLOCK.search(clause)))
    else:
        enough = bool(told - _light(polar.language)) and held >= BELOW * len(wanted) and len(own) >= OWN * len(stems)
    if not enough:
        return None
    words = re.finditer(r"[\w'\u2019-]+", clause)
    first = min((one.start() for one in words if _stem(one[0].casefold(), polar.language) in own), default=0)
    return _Place(0, first, len(clause), len(flipped) == 1)


def _clauses(text: str, language: str) -> list[str]:
    found = [match.start() for match in _found(language, "clause", text)]
    cuts = [0, *(at for at in found if text[at] != ":" or not _only_values(text[:at])), len(text)]
    return [text[start:end].strip(" ,;:") for start, end in pairwise(cuts) if re.search(r"\w", text[start:end])]


def _only_values(label: str) -> bool:
    """`- Monday to Friday`"""
    return not re.search(r"\w", values_of(label).without(label))


# Words ------------------------------------------------------------------------------------------------------------

_SNOWBALL = {"en": "english", "de": "german", "fr": "french", "es": "spanish", "it": "italian"}
_ENDINGS = re.compile(r"(?:[oae]j?n?|as|is|os|us|u|i)$")


def _stems(text: str, language: str) -> list[str]:
    """Of its content words, in the order of the text."""
    kept = [word.casefold().replace("’", "'").removesuffix("'s") for word in written_words(text)]
    if language == "en":
        return [_stem(word, language) for word in kept if word not in FUNCTION_WORDS]
    return [_stem(word, language) for word in kept if language not in common_words().get(unaccented(word), ())]


@cache
def _stem(word: str, language: str) -> str:
    if language == "eo":
        return _ENDINGS.sub("", word) if len(word) > 3 else word
    if language == "en" and len(word) > 2 and not word.endswith("ed") and past(base(word)[0]) == word:
        word = base(word)[0]  # paid, sold
    stem: str = Stemmer.Stemmer(_SNOWBALL[language]).stemWord(word)
    return stem


@cache
def _light(language: str, kind: str = "") -> frozenset[str]:
    words = _sections()[language].get(f"light {kind}".strip(), "").split()
    return frozenset(_stem(word, language) for word in words)


@cache
def _opposites(stem: str) -> frozenset[str]:
    made = {f"{prefix}{stem}" for prefix in ("un", "in", "im", "il", "ir", "dis", "non", "non-")}
    made |= {stem.removeprefix(prefix) for prefix in ("un", "in", "im", "dis", "non") if len(stem) > len(prefix) + 3}
    pairs = [[_stem(word, "en") for word in pair.split()] for pair in _sections()["en"]["opposites"].split("|")]
    made.update(other for pair in pairs if stem in pair for other in pair)
    return frozenset(made - {stem})


def _matches(language: str, name: str, text: str) -> re.Match[str] | None:
    pattern = _pattern(language, name)
    return pattern.search(text) if pattern and not name.startswith("pronoun") else pattern and pattern.match(text)


def _found(language: str, name: str, text: str) -> Iterable[re.Match[str]]:
    pattern = _pattern(language, name)
    return pattern.finditer(text) if pattern else ()


@cache
def _pattern(language: str, name: str) -> re.Pattern[str] | None:
    """The clauses of other languages are cut as English ones."""
    words = _sections()[language].get(name) or (_sections()["en"][name] if name == "clause" else "")
    return re.compile(words, re.IGNORECASE) if words else None


@cache
def _sections() -> dict[str, dict[str, str]]:
    """Language -> name -> words."""
    made: dict[str, dict[str, str]] = {}
    language = ""
    for line in Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            language = line.strip("[]")
            made[language] = {}
        elif line and not line.startswith("#"):
            name, _, words = line.partition(" = ")
            for known in ("start", "may", "must", "there"):
                words = words.replace(f"{{{known}}}", made[language].get(known, ""))
            made[language][name] = words
    return made

"""Whether the sentences of an answer are supported by the passages that they cite: quoted, worked out, or held to be
said there by a cross-encoder that has learned it (`verification.safetensors`, made by `python -m
tests.training.verification`, which says of what and how well)."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path

from clew.agent.answer.citations import LIST_MARK, same_words
from clew.agent.answer.reader import PairScorer
from clew.agent.search.rounds import said_by
from clew.agent.state import Answer, Claim, Quote, Verdict
from clew.memory.datatypes import Passage
from clew.memory.encoding import packaged_minilm
from clew.memory.errors import BadInput
from clew.memory.instructions import LEFT_OUT, neutralised, speaks_to_a_model
from clew.memory.language.telling import language_of, may_be_english
from clew.memory.text import NUMBER_WORDS, content_words, split
from clew.tools.calculate import COUNTS, calculate, in_text
from clew.tools.calculate import number as value_of

SAID, WEAKLY_SAID = -1.9, -2.8
"""The log odds that a passage says a sentence, from which it counts as supported, and as weak: so many of a hundred
sentences that a passage says, of collections that were not learned from, lie below: 10 and 5."""

LEAST_SHARED = 0.2
"""The share of a sentence's content words that its passages have at least: of a passage about something else the
cross-encoder says one time in ten that it says the sentence, with this one in twenty."""

SUPPORTED, WEAK = 0.8, 0.5
"""In a language that nothing was learned of, and of a short sentence: the share of its words that its passages have."""

LONGEST_SENTENCE, LONGEST_PASSAGE = 96, 150
"""Word pieces that are read together; what comes after is cut."""

NEAR = 80
"""Words of a passage that are read: of its sentences that share most words with the one that cites it."""

LEAST_SAID = 3
"""Content words of a sentence that says something: "I hope so." does not, and is not marked without a citation."""

FEWEST_DIGITS = 2
"""Of a result that is said again and rounded: nearly any is 1 or 0 so."""

BESIDE = 400
"""Characters before and behind a passage in which its document is quoted with it: the rest of a list, of a sentence."""

SHIPPED = Path(__file__).with_suffix(".safetensors")

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][\w'-]+")


@cache
def shipped() -> PairScorer:
    """The one that comes with Clew. Raises `NoModel` where the packaged encoder is not the published one."""
    return PairScorer(packaged_minilm(), SHIPPED, LONGEST_SENTENCE, LONGEST_PASSAGE)


def verified(answer: Answer) -> Answer:
    """With the verdict of each sentence that cites and has none yet; what Clew itself made of quotations has one."""
    claims = (
        replace(one, verdict=verdict(one, answer.sources)) if one.cites and one.verdict == "uncited" else one
        for one in answer.claims
    )
    return replace(answer, claims=tuple(claims))


def attributed(claims: Sequence[Claim], passages: Sequence[Passage]) -> tuple[Claim, ...]:
    """With a citation of the passage that supports it best where a claim has none, or one that does not. What has none
    even so is weak or unsupported, if it says something."""
    return tuple(_attributed(claim, passages) for claim in claims)


def _attributed(claim: Claim, passages: Sequence[Passage]) -> Claim:
    if claim.text[-1] in ":?" or (claim.cites and verdict(claim, passages) != "unsupported"):
        return claim
    moved = [replace(claim, cites=(number,)) for number in range(1, len(passages) + 1)]
    found = {one: verdict(one, passages) for one in moved}
    if supported := [one for one in moved if found[one] == "supported"]:
        return max(supported, key=lambda one: _likelihood(_ungrouped(_plain(one)), [passages[one.cites[0] - 1]])[0])
    if claim.cites or len(content_words(claim.text)) < LEAST_SAID:
        return claim
    return replace(claim, verdict="weak" if "weak" in found.values() else "unsupported")


def verdict(claim: Claim, sources: Sequence[Passage]) -> Verdict:
    """Supported: it stands in a passage in these words, or its numbers and names do and a passage is likely enough to
    say it; weak where that is less likely.

    A number or a name that no cited passage holds makes a sentence unsupported, whatever else is there: that is
    what a wrong citation looks like. What a passage orders a model to do or to say supports nothing. A sentence in
    another language than its passages cannot be checked but for its numbers: uncited, where a word is in both.
    """
    if not claim.cites:
        return "uncited"
    cited = [sources[number - 1] for number in claim.cites]
    text, cleaned = _plain(claim), str if speaks_to_a_model(claim.text) else _harmless  # it is quoted as what it is
    cited = [replace(one, text=cleaned(one.text)) for one in cited]
    evidence = cleaned(" ".join(f"{one.title} {one.heading} {one.text} {said_by(one)}" for one in cited))
    if same_words(text) in same_words(evidence):
        return "supported"
    if claim.quotes and all(any(_beside(quote, passage) for passage in cited) for quote in claim.quotes):
        return "supported"
    evidence, said = _ungrouped(evidence), _ungrouped(text)
    results = worked_out(said, cited)
    language = language_of(text)
    if language not in ("", "en") and {"", language}.isdisjoint(language_of(one.text) for one in cited):
        numbers = {number.rstrip(".,") for number in _NUMBER.findall(said)} - results
        alike = not set(content_words(said)).isdisjoint(content_words(evidence))
        return "unsupported" if not numbers <= _all_words(evidence) else "uncited" if alike else "weak"
    if not _exact(said) - results <= _all_words(evidence):
        return "unsupported"
    if results:
        return "supported"
    likely, enough, least = _likelihood(said, cited)
    return "supported" if likely >= enough else "weak" if likely >= least else "unsupported"


def all_but_one(claim: Claim, sources: Sequence[Passage]) -> Claim:
    """Without the one name or number that no source has, where the rest of it says something; else as it is."""
    said = _ungrouped(claim.text)
    lacking = _exact(said) - _all_words(_ungrouped(" ".join(map(said_by, sources))))
    rest = re.sub(rf"\b{re.escape(min(lacking))}\b", "", said, flags=re.IGNORECASE) if len(lacking) == 1 else ""
    return replace(claim, text=rest) if len(content_words(rest)) >= LEAST_SAID else claim


def _likelihood(said: str, cited: Sequence[Passage]) -> tuple[float, float, float]:
    """How likely one of these passages says it, or all together, and from where on that is supported, and weak."""
    read = [replace(one, text=_ungrouped(one.text)) for one in cited]
    held = _share(content_words(said), " ".join(map(said_by, read)))
    if held < LEAST_SHARED or len(content_words(said)) < LEAST_SAID or not may_be_english(said):
        return held, SUPPORTED, WEAK
    read += [replace(read[0], text="\n".join(one.text for one in read))] if len(read) > 1 else []
    return float(shipped().scores(said, [near(said, one) for one in read]).max()), SAID, WEAKLY_SAID


def _harmless(text: str) -> str:
    return neutralised(text).text.replace(LEFT_OUT, "")


def _plain(claim: Claim) -> str:
    return LIST_MARK.sub("", claim.text)


def near(text: str, passage: Passage) -> str:
    """The title and those sentences of a passage that share most words with this text, or stand beside such, in their
    order."""
    units, wanted = [passage.text[start:end].strip() for start, end in split(passage.text)], set(content_words(text))
    shared = [0, *(len(wanted.intersection(content_words(unit))) for unit in units), 0]
    fit = [
        own + 0.4 * before + 0.3 * behind for before, own, behind in zip(shared, shared[1:], shared[2:], strict=False)
    ]
    kept, room = list[int](), NEAR
    for place in sorted(range(len(units)), key=lambda place: -fit[place]):
        if not kept or len(units[place].split()) <= room:
            kept.append(place)
            room -= len(units[place].split())
    return " ".join([f"{passage.title}.", *(units[place] for place in sorted(kept))])


def _share(words: Sequence[str], text: str) -> float:
    known = set(content_words(text))
    return sum(word in known for word in words) / len(words) if words else 0.0


def _all_words(text: str) -> set[str]:
    words = {word.casefold().removesuffix("'s") for word in re.findall(r"\w[\w'-]*", text)}
    return _exact(text) | words | {str(number) for number, word in enumerate(NUMBER_WORDS) if word in words}


def _beside(quote: Quote, passage: Passage) -> bool:
    near = passage.start - BESIDE <= quote.start and quote.end <= passage.end + BESIDE
    return quote.document == passage.document and near


def _exact(text: str) -> set[str]:
    """Numbers and names: what has to be there to the letter. A word that only begins a sentence is no name."""
    names = {name.casefold().removesuffix("'s") for name in _NAME.findall(text)}
    return names | {number.rstrip(".,") for number in _NUMBER.findall(text)}


def _ungrouped(text: str) -> str:
    """With 384400 for 384,400."""
    return re.sub(r"(?<=\d)(?<!\b0)[.,](?=\d{3}(?!\d))", "", text)


_EQUALS = re.compile(rf"([^=≈\n]*)[=≈]\s*[€$£]?({_NUMBER.pattern})([^=≈\n]*)")
_FACTOR = re.compile(rf"{_NUMBER.pattern}(?=\s*[*×])|(?:(?<=[*/×÷])|(?<=[*/×÷] )){_NUMBER.pattern}")
_STEP = re.compile(r"[-+−–]\s*(1)\b")


def worked_out(text: str, cited: Sequence[Passage] = ()) -> set[str]:
    """The results of sums that are written out in it (`1200 - 950 = 250`) and right as far as they are written, and
    those that a tool has worked out and it cites, also where they are said again and rounded; of other sums none. What
    they are made of has to be in a passage still, but for counts that they multiply or divide by, and one year."""
    numbers, results, values = set(_NUMBER.findall(text)), set[str](), list[Decimal]()
    for one in cited:
        values += [] if one.document else map(value_of, _NUMBER.findall(_ungrouped(one.text))[-1:])
    for before, result, behind in _EQUALS.findall(re.sub(r"(?<=[\s\d])x(?=[\s\d])", "×", text)):
        value = _sum_at_end(before)
        if isinstance(value, date) and value in in_text(f"{result}{behind}")[:1]:
            results |= {result, str(value.year), *_STEP.findall(before)}
        in_hundredths = [value * 100] if isinstance(value, Decimal) and _FACTOR.search(before) else []
        right = [one for one in (value, *in_hundredths) if isinstance(one, Decimal) and _rounds(one, result)]
        if right:
            values += [value, *in_hundredths]  # type: ignore[list-item]
            results |= {result, *(one for one in _FACTOR.findall(before) if value_of(one) in COUNTS)}
    return results | {one for one in numbers if any(_rounds(value, one, FEWEST_DIGITS) for value in values)}


def _rounds(value: Decimal, number: str, digits: int = 1) -> bool:
    """Whether it is this number as far as that is written, in so many digits at least if it is not the same."""
    near = abs(value - value_of(number)) <= Decimal(5).scaleb(-len(re.sub(r"^\d+[.,]?", "", number)) - 1)
    return near and (value == value_of(number) or sum(map(str.isdigit, number)) >= digits)


def _sum_at_end(before: str) -> Decimal | date | None:
    """The value of the longest sum that a text ends with, whatever its units; days are read as they are written."""
    bare = re.sub(r"[^\W\d_]+|[€$£%°:,;.](?!\d)", " ", before)
    for text in (before, bare):
        for match in re.finditer(r"(?<![\d.,])[(\d]", text):
            with suppress(BadInput):
                return in_text(calculate(text[match.start() :]).rpartition("=")[2])[0]
    return None

"""Whether the cited passages support the sentences of an answer: a sentence is quoted, is a correct calculation, or is
supported by a learned cross-encoder (`verification.safetensors`, made by `python -m tests.training.verification`, which
says on what it was trained and how good it is)."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path

from clew.agent.answer.citations import LIST_MARK, same_words
from clew.agent.search.rounds import said_by
from clew.agent.state import Answer, Claim, Quote, Verdict
from clew.memory.datatypes import Passage
from clew.memory.encoding import packaged_minilm
from clew.memory.errors import BadInput
from clew.memory.instructions import LEFT_OUT, neutralised, speaks_to_a_model
from clew.memory.language.telling import language_of, may_be_english
from clew.memory.pairs import PairScorer
from clew.memory.text import NUMBER_WORDS, content_words, split
from clew.tools.calculate import COUNTS, calculate, in_text
from clew.tools.calculate import number as value_of

SAID, WEAKLY_SAID = -1.9, -2.8
"""The log odds from which a sentence counts as supported, and as weak. Of true sentences, in collections that were not
trained on, 10 and 5 in a hundred score lower."""

LEAST_SHARED = 0.2
"""The least share of its content words that a sentence must have in common with its passages. It halves the
cross-encoder's errors on unrelated passages, from one in ten to one in twenty."""

SUPPORTED, WEAK = 0.8, 0.5
"""For short sentences, and languages without training data: the share of its words that the passages need to have."""

LONGEST_SENTENCE, LONGEST_PASSAGE = 96, 150
"""Word pieces that are read together; what comes after is cut."""

NEAR = 80
"""Words of a passage that are read: those sentences that share most words with the claim."""

LEAST_SAID = 3
"""Content words from which a sentence claims something: "I hope so." does not, and needs no citation."""

FEWEST_DIGITS = 2
"""Of a result that is said again and rounded: nearly any is 1 or 0 so."""

BESIDE = 400
"""Characters around a passage that may be quoted with it: the rest of a list or a sentence."""

SHIPPED = Path(__file__).with_suffix(".safetensors")

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][\w'-]+")


@cache
def shipped() -> PairScorer:
    """The one that comes with Clew. Raises `NoModel` where the packaged encoder is not the published one."""
    return PairScorer(packaged_minilm(), SHIPPED, LONGEST_SENTENCE, LONGEST_PASSAGE)


def verified(answer: Answer) -> Answer:
    """The answer with a verdict for each sentence that cites and has none yet."""
    claims = (
        replace(one, verdict=verdict(one, answer.sources)) if one.cites and one.verdict == "uncited" else one
        for one in answer.claims
    )
    return replace(answer, claims=tuple(claims))


def attributed(claim: Claim, passages: Sequence[Passage]) -> Claim:
    """The claim, which without a citation, or with an unsupported one, cites the passage that supports it best. If none
    does, it is marked weak or unsupported, provided that it claims something."""
    if claim.text[-1] in ":?" or (claim.cites and verdict(claim, passages) != "unsupported"):
        return claim
    moved = [replace(claim, cites=(number,)) for number in range(1, len(passages) + 1)]
    found = {one: verdict(one, passages) for one in moved}
    if supported := [one for one in moved if found[one] == "supported"]:
        said = _ungrouped(LIST_MARK.sub("", claim.text))
        return max(supported, key=lambda one: _likelihood(said, [passages[one.cites[0] - 1]])[0])
    if claim.cites or len(content_words(claim.text)) < LEAST_SAID:
        return claim
    return replace(claim, verdict="weak" if "weak" in found.values() else "unsupported")


def verdict(claim: Claim, sources: Sequence[Passage]) -> Verdict:
    """Supported: the sentence stands in a passage word for word; or a passage has its numbers and names, and probably
    says it. Weak: that is less likely.

    A number or a name that no cited passage has makes a sentence unsupported in any case: wrong citations look like
    that. Orders to a model support nothing. A sentence in another language than its passages can only be checked for
    its numbers: uncited, if they share a word."""
    if not claim.cites:
        return "uncited"
    cited = [sources[number - 1] for number in claim.cites]
    text = LIST_MARK.sub("", claim.text)
    cleaned = str if speaks_to_a_model(claim.text) else _harmless  # it is quoted as what it is
    cited = [replace(one, text=cleaned(one.text)) for one in cited]
    evidence = cleaned(" ".join(f"{one.title} {one.heading} {one.text} {said_by(one)}" for one in cited))
    if same_words(text) in same_words(evidence):
        return "supported"
    if claim.quotes and all(any(_beside(quote, passage) for passage in cited) for quote in claim.quotes):
        return "supported"
    evidence, said = _ungrouped(evidence), _ungrouped(text)
    results = arithmetic(said, cited)
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
    """How likely one of the passages, or all together, says it; and from which values on that is supported, and
    weak."""
    read, words = [replace(one, text=_ungrouped(one.text)) for one in cited], content_words(said)
    known = set(content_words(" ".join(map(said_by, read))))
    held = sum(word in known for word in words) / max(1, len(words))
    if held < LEAST_SHARED or len(words) < LEAST_SAID or not may_be_english(said):
        return held, SUPPORTED, WEAK
    read += [replace(read[0], text="\n".join(one.text for one in read))] if len(read) > 1 else []
    return float(shipped().scores(said, [near(said, one) for one in read]).max()), SAID, WEAKLY_SAID


def _harmless(text: str) -> str:
    return neutralised(text).text.replace(LEFT_OUT, "")


def near(text: str, passage: Passage) -> str:
    """The title and the sentences of a passage that share most words with this text (and their neighbours), in
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


def _all_words(text: str) -> set[str]:
    words = {word.casefold().removesuffix("'s") for word in re.findall(r"\w[\w'-]*", text)}
    return _exact(text) | words | {str(number) for number, word in enumerate(NUMBER_WORDS) if word in words}


def _beside(quote: Quote, passage: Passage) -> bool:
    near = passage.start - BESIDE <= quote.start and quote.end <= passage.end + BESIDE
    return quote.document == passage.document and near


def _exact(text: str) -> set[str]:
    """Numbers and names, which have to match exactly. A word that only begins a sentence is not a name."""
    names = {name.casefold().removesuffix("'s") for name in _NAME.findall(text)}
    return names | {number.rstrip(".,") for number in _NUMBER.findall(text)}


def _ungrouped(text: str) -> str:
    """The text with numbers as 384400 in place of 384,400."""
    return re.sub(r"(?<=\d)(?<!\b0)[.,](?=\d{3}(?!\d))", "", text)


_EQUALS = re.compile(rf"([^=≈\n]*)[=≈]\s*[€$£]?({_NUMBER.pattern})([^=≈\n]*)")
_FACTOR = re.compile(rf"{_NUMBER.pattern}(?=\s*[*×])|(?:(?<=[*/×÷])|(?<=[*/×÷] )){_NUMBER.pattern}")
_STEP = re.compile(r"[-+−–]\s*(1)\b")


def arithmetic(text: str, cited: Sequence[Passage] = ()) -> set[str]:
    """The results of correct calculations in a text (`1200 - 950 = 250`, as far as they are written out), and results
    of a tool that it cites, rounded or not. The operands still have to be in a passage, but for counts that they are
    multiplied or divided by, and one year."""
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

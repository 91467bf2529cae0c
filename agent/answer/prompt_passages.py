"""The passages of a prompt: numbered, fenced, without instructions that a document hides, and whole, by their best
sentences or not at all, as the prompt has room."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clew.agent.state import Answer, Kept, PromptPart
from clew.memory.datatypes import Passage
from clew.memory.instructions import neutralised
from clew.memory.text import content_words, split


def fenced(number: int, title: str, text: str) -> str:
    """`<passage id="2" title="...">`, the text, `</passage>`."""
    shown = re.sub(r'[<>"\s]+', " ", neutralised(title).text).strip()
    return f'<passage id="{number}" title="{shown}">\n{text.strip()}\n</passage>'


def reported(passages: Sequence[Passage], removed: Sequence[int]) -> tuple[str, ...]:
    """A line for the person on each passage that instructions were taken out of."""
    return tuple(
        f"{passage.title or passage.document} has {count} instruction{'' if count == 1 else 's'} to a language model in"
        " its text: not followed, and left out of the prompt"
        for passage, count in zip(passages, removed, strict=True)
        if count
    )


@dataclass(frozen=True, slots=True)
class GivenUnit:
    """What most likely answers: text of passage `number`, and the heading that it stands under."""

    number: int
    heading: str
    text: str


def units_of(answer: Answer, passages: Sequence[Passage]) -> tuple[GivenUnit, ...]:
    """What an answer quotes, claims of one source together, by the places of its sources among the passages."""
    places = {passage.id: number for number, passage in enumerate(passages, 1)}
    found: dict[int, list[str]] = {}
    for claim in answer.claims:
        for source in (answer.sources[number - 1] for number in claim.cites[:1] if claim.quotes):
            if source.id in places:
                found.setdefault(places[source.id], []).append(claim.text)
    headings = {places[source.id]: source.heading for source in answer.sources if source.id in places}
    return tuple(GivenUnit(number, headings[number], "\n".join(texts)) for number, texts in found.items())


def led(units: Sequence[GivenUnit], passages: Sequence[Passage]) -> str:
    """The units as a prompt has them, each fenced with the number of its passage."""
    each = [(unit, passages[unit.number - 1].title) for unit in units]
    return "\n".join(
        fenced(unit.number, f"{title}: {unit.heading}" if unit.heading not in ("", title) else title, clean.text)
        for unit, title in each
        if (clean := neutralised(unit.text)).text.strip()
    )


SENTENCES = 3
"""What a passage that does not fit whole is summarised to."""


@dataclass(frozen=True, slots=True)
class PromptPassages:
    """`text` is what the prompt has of the passages, whose numbers in it count from 1 in their order; `parts` has a
    line for each passage; `removed[i]` counts the instructions that were left out of passage i."""

    text: str
    parts: tuple[PromptPart, ...]
    removed: tuple[int, ...]

    @property
    def tokens(self) -> int:
        return sum(part.tokens for part in self.parts)


def fit(question: str, passages: Sequence[Passage], room: int, count: Callable[[str], int]) -> PromptPassages:
    """The passages in their order, the best first, in at most `room` tokens by `count`.

    Where they do not all fit, the last ones are summarised to the sentences that share most words with the question;
    what still does not fit is left out, the last first. The first is always there.
    """
    clean = [neutralised(passage.text) for passage in passages]
    whole = [fenced(n, p.title, c.text) for n, (p, c) in enumerate(zip(passages, clean, strict=True), 1)]
    short = [
        fenced(n, p.title, best_sentences(question, c.text))
        for n, (p, c) in enumerate(zip(passages, clean, strict=True), 1)
    ]
    shown: list[str | None] = list(whole)
    sizes = [count(text) for text in whole]
    for place in reversed(range(len(passages))):
        if sum(sizes) <= room:
            break
        shown[place], sizes[place] = short[place], min(count(short[place]), sizes[place])
    for place in reversed(range(1, len(passages))):
        if sum(sizes) <= room:
            break
        shown[place], sizes[place] = None, 0
    parts = tuple(
        PromptPart(f"passage {n}: {passage.title or passage.document}", sizes[n - 1], _kept(shown[n - 1], whole[n - 1]))
        for n, passage in enumerate(passages, 1)
    )
    return PromptPassages("\n".join(text for text in shown if text), parts, tuple(one.removed for one in clean))


def best_sentences(question: str, text: str) -> str:
    """In the order of the text; the first ones where none shares a word with the question."""
    asked = set(content_words(question))
    sentences = [text[start:end] for start, end in split(text)]
    ranked = sorted(range(len(sentences)), key=lambda n: (-len(asked & set(content_words(sentences[n]))), n))
    return " ".join(sentences[n] for n in sorted(ranked[:SENTENCES]))


def _kept(shown: str | None, whole: str) -> Kept:
    return "left out" if shown is None else "whole" if shown == whole else "summarised"

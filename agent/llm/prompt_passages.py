"""The passages of a prompt: fenced, cleaned of orders to a model, as many of them as the window has room for."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from clew.agent.state import Kept, PromptPart
from clew.memory.datatypes import Passage
from clew.memory.instructions import neutralised
from clew.memory.text import content_words, number_of, split


def fenced(number: int, title: str, text: str) -> str:
    """`<passage id="2" title="...">`, the text, `</passage>`."""
    shown = re.sub(r'[<>"\s]+', " ", neutralised(title).text).strip()
    return f'<passage id="{number}" title="{shown}">\n{untitled(title, text)}\n</passage>'


def untitled(title: str, text: str) -> str:
    """A text without the title that it begins with or has as a field (`Subject: ...`), and without empty lines."""
    told, lines = title.strip(), [line for line in text.strip().splitlines() if line.strip()]
    kept = [line for line in lines if not told or line.partition(": ")[2].strip() != told]
    return "\n".join(kept[1:] if len(kept) > 1 and kept[0].strip("#* ") == told else kept)


def once(passages: Sequence[Passage]) -> Iterator[str]:
    """The text of each passage without what one before it has too: neighbours in a document share a sentence."""
    for place, one in enumerate(passages):
        start, end = one.start, one.end
        for other in passages[:place]:
            if other.document == one.document:
                start = other.end if other.start <= start < other.end else start
                end = other.start if other.start < end <= other.end else end
        apart = start < end and one.end - one.start == len(one.text)
        yield one.text[start - one.start : end - one.start] if apart else one.text


def reported(passages: Sequence[Passage], removed: Sequence[int]) -> tuple[str, ...]:
    """A line for the person on each passage that instructions were taken out of."""
    return tuple(
        f"{passage.name} has {number_of(count, 'instruction')} to a language model in its text: not followed, and left"
        " out of the prompt"
        for passage, count in zip(passages, removed, strict=True)
        if count
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
    clean = [*map(neutralised, once(passages))]
    shown = [fenced(n, p.title, c.text) for n, (p, c) in enumerate(zip(passages, clean, strict=True), 1)]
    sizes, kept = list(map(count, shown)), cast(list[Kept], ["whole"] * len(passages))
    for place in reversed(range(len(passages))):
        if sum(sizes) > room:
            short = fenced(place + 1, passages[place].title, best_sentences(question, clean[place].text))
            kept[place] = "whole" if short == shown[place] else "summarised"
            shown[place], sizes[place] = short, min(count(short), sizes[place])
    for place in reversed(range(1, len(passages))):
        if sum(sizes) > room:
            shown[place], sizes[place], kept[place] = "", 0, "left out"
    names = [f"passage {n}: {passage.name}" for n, passage in enumerate(passages, 1)]
    parts = tuple(map(PromptPart, names, sizes, kept))
    return PromptPassages("\n".join(filter(None, shown)), parts, tuple(one.removed for one in clean))


def best_sentences(question: str, text: str) -> str:
    """In the order of the text; the first ones where none shares a word with the question."""
    asked = set(content_words(question))
    sentences = [text[start:end] for start, end in split(text)]
    ranked = sorted(range(len(sentences)), key=lambda n: (-len(asked & set(content_words(sentences[n]))), n))
    return " ".join(sentences[n] for n in sorted(ranked[:SENTENCES]))

"""`observe`: whether what was found is enough, and what is missing."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from clew.agent.state import Turn
from clew.memory.datatypes import Passage
from clew.memory.text import content_words, surface_of

_INITIAL = re.compile("[A-Za-z]")


@dataclass(frozen=True, slots=True)
class ObserveParameters:
    """`answers` is the seed's stop (a node's similarity above 0.9, seed 004 section 4), calibrated for MiniLM, whose
    cosines of a question with its answer are rarely above 0.8. `covered` is the share of the question's words that
    the passages that are read have to hold together. What a further round finds is read behind the `best`."""

    answers: float = 0.8
    covered: float = 0.75
    rounds: int = 3
    passages: int = 8
    best: int = 5


def missing(question: str, passages: Sequence[Passage]) -> tuple[str, ...]:
    """The content words of the question that no passage holds, as the question has them; initials are none."""
    return unheld(question, content_words(" ".join(f"{p.title} {p.heading} {p.text}" for p in passages)))


def unheld(question: str, words: Collection[str]) -> tuple[str, ...]:
    """The content words of the question, as it has them, whose stems are not among these; initials are none."""
    held = set(words)
    return tuple(
        word for stem, word in surface_of(question).items() if stem not in held and not _INITIAL.fullmatch(word)
    )


def to_read(turn: Turn, parameters: ObserveParameters) -> tuple[Passage, ...]:
    """The passages in the order in which the answer reads them: the best of what the first round found, what further
    rounds found, what the walk reached, the rest of the first."""
    first = turn.search.found[0]
    best = min(parameters.best, first)
    passages = turn.passages
    return (*passages[:best], *passages[first:], *turn.search.walked, *passages[best:first])


def ranked(turn: Turn, parameters: ObserveParameters) -> list[Passage]:
    """The passages as they were found, those that the walk reached behind the `best` documents."""
    documents = list(dict.fromkeys(passage.document for passage in turn.passages))
    leading = set(documents[: parameters.best])
    ends = next((n for n, passage in enumerate(turn.passages) if passage.document not in leading), len(turn.passages))
    return [*turn.passages[:ends], *turn.search.walked, *turn.passages[ends:]]


def answers(passages: Sequence[Passage], parameters: ObserveParameters) -> Passage | None:
    """The first of those that are read which is so similar to the question that it answers it."""
    read = passages[: parameters.passages]
    return next((passage for passage in read if passage.scores.get("cosine", 0.0) >= parameters.answers), None)


def enough(question: str, passages: Sequence[Passage], parameters: ObserveParameters) -> bool:
    """Whether one of the passages answers, or they hold enough of the question's words; in the order of `to_read`."""
    if answers(passages, parameters):
        return True
    asked = set(content_words(question))
    unheld = missing(question, passages[: parameters.passages])
    return not asked or len(unheld) <= (1 - parameters.covered) * len(asked)

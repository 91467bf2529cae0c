"""The wordings of a question that are searched beside each other, and the one that a person reads."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.datatypes import Sentence, Wording
from memory.dialogue.extraction import is_filler
from memory.dialogue.leaning import leans
from memory.dialogue.referents import resolved
from memory.sentences import split

_QUESTION_START = re.compile(
    r"(?:(?:and|but|so|then|or|also|well|ok|okay|yes|no|please)\b,?\s+)*"
    r"(?:(?:in|on|at|from|to|for|with|by|of|about|under|since|until)\s+)?"
    r"(?:who|whom|whose|what|which|when|where|why|how|is|are|am|was|were|do|does|did|can|could|will|would|shall|should"
    r"|may|might|must|has|have|had|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|can't|couldn't|won't|wouldn't"
    r"|shouldn't|hasn't|haven't|hadn't)(?:['\u2019](?:s|re|d|ll|ve))?(?![\w-])",
    re.IGNORECASE,
)
_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f\u061f][\"'\u201d\u2019)\]]*$")
"""A sentence's last mark, also of Chinese and Arabic, perhaps inside a quotation or brackets."""

_INITIALS = re.compile(r"(?:\b\w\.){2,}(?=[?!\u2026\s]*$)")


@dataclass(frozen=True, slots=True)
class RewriteParameters:
    """Weights of the wordings (docs/figures.md), `named` being the part of the question's that its wording with names
    gets; how many earlier turns a question may lean on, and how many words of each are read."""

    question: float = 0.5
    previous: float = 0.2
    context: float = 0.3
    named: float = 0.5
    turns: int = 3
    words: int = 60


def wordings(
    question: str, said: Sequence[Sentence], selected: Sequence[Sentence], parameters: RewriteParameters
) -> tuple[Wording, ...]:
    """The question alone; with names for its pronouns, where the conversation has them; behind the user's turns that it
    leans on (else the turn before); with the selected context.

    `said` are the sentences of the conversation. Weights sum to 1; of equal texts one is left, with the weight of both.
    The context stands behind the question, so that an encoder's window cuts the context and not the question.
    """
    asked, history = " ".join(question.split()), _user_turns(said)
    named = _named(asked, said)
    before = _leaned_on(question, history, parameters) or _last_that_says_something(history, parameters)
    part = parameters.named if named != asked else 0.0
    weighted = [("question", asked, parameters.question * (1 - part)), ("named", named, parameters.question * part)]
    if before:
        weighted.append(("previous", " ".join([*before, asked]), parameters.previous))
    if selected:
        texts = [_shortened(sentence.text, parameters.words) for sentence in selected]
        weighted.append(("context", " ".join([asked, *texts]), parameters.context))
    return _merged(weighted)


def rewritten(question: str, said: Sequence[Sentence], parameters: RewriteParameters) -> str:
    """The question as it can be understood alone: with names for its pronouns, else behind the user's earlier turns
    that it leans on; as it is where it leans on nothing."""
    asked = " ".join(question.split())
    if (named := _named(asked, said)) != asked:
        return tidy(named)
    return " ".join(tidy(text) for text in [*_leaned_on(question, _user_turns(said), parameters), question])


def _named(question: str, said: Sequence[Sentence]) -> str:
    return resolved(question, said) if leans(question) else question


def _user_turns(said: Sequence[Sentence]) -> list[str]:
    return [sentence.text for sentence in said if sentence.speaker == "user"]


def tidy(text: str) -> str:
    """One space between words, a capital first, and at the end `?` for a question, else `.` (seed 003, step 5)."""
    line = " ".join(text.split()).rstrip(",;:- ")
    if not line:
        return ""
    if line.split()[0].islower():  # not iPhone
        line = line[0].upper() + line[1:]
    if _asks(line):
        return _with_question_mark(line)
    return re.sub(r"\?[?\s]*$", "?", line) if _END.search(line) else f"{line}."


def _asks(line: str) -> bool:
    """Whether its last sentence begins as a question does."""
    start, end = split(line)[-1]
    return _QUESTION_START.match(line[start:end].strip()) is not None


def _with_question_mark(line: str) -> str:
    if _END.search(line) and not line.endswith((".", "?", "!", "\u2026")):  # Who said "to be"?
        return line
    asked = re.sub(r"[?!.\u2026\s]+$", "", line)
    return asked + ("." if _INITIALS.search(line) else "") + "?"


def _leaned_on(question: str, history: Sequence[str], parameters: RewriteParameters) -> list[str]:
    """Back from the question to the nearest turn that stands alone, oldest first; small talk is passed over."""
    earlier = [turn for turn in history if not is_filler(turn)]
    leaned: list[str] = []
    asked = question
    while earlier and len(leaned) < parameters.turns and leans(asked):
        asked = earlier.pop()
        if not _same(asked, question) and not any(_same(asked, turn) for turn in leaned):
            leaned.insert(0, asked)
    return [_shortened(turn, parameters.words) for turn in leaned]


def _last_that_says_something(history: Sequence[str], parameters: RewriteParameters) -> list[str]:
    said = (turn for turn in reversed(history) if not is_filler(turn))
    return [_shortened(turn, parameters.words) for turn, _ in zip(said, range(1), strict=False)]


def _shortened(text: str, words: int) -> str:
    """The last words: in a turn with a pasted text, the question comes at the end."""
    return " ".join(text.split()[-words:])


def _same(one: str, other: str) -> bool:
    return one.casefold().split() == other.casefold().split()


def _merged(weighted: Sequence[tuple[str, str, float]]) -> tuple[Wording, ...]:
    """Names in order, without weightless wordings; the first is left where all are weightless."""
    total = sum(weight for _, _, weight in weighted)
    merged: dict[str, tuple[str, str, float]] = {}
    for name, text, weight in weighted if total else [(*weighted[0][:2], 1.0)]:
        first, kept, sum_ = merged.get(text.casefold(), (name, text, 0.0))
        merged[text.casefold()] = (first, kept, sum_ + weight / (total or 1.0))
    return tuple(Wording(name, text, weight) for name, text, weight in merged.values() if weight)

"""The wordings of a question that are searched beside each other, and the one that a person reads."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from memory.datatypes import Recalled, Sentence, Wording
from memory.dialogue.extraction import is_filler
from memory.dialogue.leaning import leans
from memory.dialogue.learned import Learned, shipped
from memory.dialogue.referents import resolved
from memory.dialogue.signals import turn_signals, words
from memory.dialogue.tidying import tidy
from memory.dialogue.writing import How, Written, write
from memory.ports import Encoder, Writer


@dataclass(frozen=True, slots=True)
class RewriteParameters:
    """`probable` is the probability from which a word of the conversation is searched with the question, at most
    `most` of them; `context` how much of the selected context's mean is added to the vector of that wording. `turns`
    are how many earlier turns a question may lean on, `words` how many words of each are read, `back` how many turns
    are looked through for them."""

    learned: Learned = field(default_factory=shipped)
    probable: float = 0.04
    most: int = 10
    context: float = 0.3
    turns: int = 3
    words: int = 60
    back: int = 12


@dataclass(frozen=True, slots=True)
class Rewritten:
    """`text` is what a person reads; `wordings` are searched, with weights that sum to 1; `words` are those of the
    conversation that were added to the last of them, likeliest first, with their probabilities; `how` the text came to
    be, and `why` not as a language model first wrote it."""

    text: str
    wordings: tuple[Wording, ...]
    words: tuple[tuple[str, float], ...] = ()
    how: How = "learned"
    why: str = ""


def rewrite(
    question: str,
    recalled: Recalled,
    encoder: Encoder,
    parameters: RewriteParameters,
    writer: Writer | None = None,
    cancel: threading.Event | None = None,
) -> Rewritten:
    """The question as it can be understood alone: by the learned models, or by a language model where there is one.

    Searched are the question; the question with a name for its pronoun, or behind the turn that it clarifies; and that
    with the words of the conversation that it needs, its vector moved towards the selected context. What each is worth
    is decided for each turn (`learned.py`). Without a conversation, the question is left alone. What a language model
    writes, where it can be used (`writing.py`), takes the place of the second. Raises `Cancelled`.
    """
    asked, said = " ".join(question.split()), recent(recalled.extracted, parameters)
    if not said:
        return Rewritten(tidy(asked), (Wording("question", asked, 1.0),))
    turn = turn_signals(asked, said, recalled.selected, encoder)
    standing = stand_alone(asked, said, turn, parameters)
    needed = _needed(standing, said, recalled.selected, turn, parameters)
    shown = _shown(asked, said, turn, parameters)
    written = write(asked, recalled.selected, shown, writer, cancel) if writer else Written(shown, "learned")
    if written.how != "learned":
        standing = written.text
        needed = _needed(standing, said, recalled.selected, turn, parameters)
    made = wordings(asked, standing, [word for word, _ in needed], parameters.learned.shares(turn), parameters)
    return Rewritten(written.text, _merged(made), needed, written.how, written.why)


def wordings(
    asked: str, standing: str, added: Sequence[str], shares: Mapping[str, float], parameters: RewriteParameters
) -> tuple[Wording, Wording, Wording]:
    """The three that are searched, with their shares."""
    return (
        Wording("question", asked, shares["question"]),
        Wording("standing", standing, shares["standing"]),
        Wording("expanded", " ".join([standing, *added]), shares["expanded"], parameters.context),
    )


def stand_alone(asked: str, said: Sequence[Sentence], turn: Mapping[str, float], parameters: RewriteParameters) -> str:
    """With a name for its pronoun; else behind the question that it clarifies, or behind the turns that it leans on;
    else as it is. `turn`: `turn_signals`."""
    return " ".join([*_before(asked, said, turn, parameters), _named(asked, said, turn)])


def _named(asked: str, said: Sequence[Sentence], turn: Mapping[str, float]) -> str:
    return resolved(asked, said) if turn["leans"] else asked


def _before(
    asked: str, said: Sequence[Sentence], turn: Mapping[str, float], parameters: RewriteParameters
) -> list[str]:
    if _named(asked, said, turn) != asked:
        return []
    if turn["clarifies"]:
        return _last_that_says_something(_user_turns(said), parameters)
    return _leaned_on(asked, _user_turns(said), parameters)


def recent(said: Sequence[Sentence], parameters: RewriteParameters) -> list[Sentence]:
    """Of the first turn and the last ones: a turn costs the same however long the conversation is."""
    last = max((sentence.turn for sentence in said), default=0)
    return [sentence for sentence in said if sentence.turn > last - parameters.back or sentence.turn == 1]


def _needed(
    standing: str,
    said: Sequence[Sentence],
    selected: Sequence[Sentence],
    turn: Mapping[str, float],
    parameters: RewriteParameters,
) -> tuple[tuple[str, float], ...]:
    probable = [
        (word.text, round(parameters.learned.probability(word.signals), 4))
        for word in words(standing, said, selected, turn)
    ]
    probable.sort(key=lambda pair: -pair[1])
    return tuple(pair for pair in probable[: parameters.most] if pair[1] >= parameters.probable)


def _shown(asked: str, said: Sequence[Sentence], turn: Mapping[str, float], parameters: RewriteParameters) -> str:
    """As it is searched, each part as a sentence."""
    return " ".join(tidy(text) for text in [*_before(asked, said, turn, parameters), _named(asked, said, turn)])


def _user_turns(said: Sequence[Sentence]) -> list[str]:
    return [sentence.text for sentence in said if sentence.speaker == "user"]


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


def _merged(made: Sequence[Wording]) -> tuple[Wording, ...]:
    """Of wordings that are the same one is left, with the weight of both."""
    merged: dict[tuple[str, float], Wording] = {}
    for wording in made:
        key = wording.text.casefold(), wording.context
        first = merged.get(key)
        merged[key] = replace(first, weight=first.weight + wording.weight) if first else wording
    return tuple(merged.values())

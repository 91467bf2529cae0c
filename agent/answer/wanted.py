"""What units are looked for: the question in its wordings, with its words and vectors."""

from dataclasses import dataclass

import numpy as np

from clew.agent.answer.asked import asked
from clew.agent.answer.evidence import Evidence
from clew.agent.answer.features import Sought, plain
from clew.agent.state import Turn
from clew.memory.datatypes import Vectors
from clew.memory.text import content_words

EARLIER = 0.5
"""What a word of an earlier turn is worth beside one of the question."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What units are picked for: the question as it was meant and as it stands alone, with the earlier turns in front
    of it where it `with_history`; `expanded` has the words of the conversation that it needs as well. `said` is what
    the assistant has just said."""

    question: str
    rewritten: str
    with_history: bool = False
    expanded: str = ""
    said: tuple[str, ...] = ()


def wanted_of(turn: Turn) -> Wanted:
    said = turn.recalled.extracted
    last = max((sentence.turn for sentence in said), default=0)
    told = tuple(sentence.text for sentence in said if sentence.speaker == "agent" and sentence.turn == last)
    return Wanted(turn.meant, turn.rewritten, turn.with_history, turn.expanded, told)


def sought_of(wanted: Wanted, evidence: Evidence) -> Sought:
    weights, vector = evidence.word_weights(words_of(wanted)), vector_of(wanted, evidence)
    own = evidence.encoder.encode([wanted.question], "query")[0]
    asks_on = len(wanted.question.split()) == 1  # "why?" is asked of what was just said
    said = frozenset(plain(text) for text in wanted.said if not asks_on)
    return Sought(asked(wanted.rewritten).among(evidence.words), wanted.rewritten, own, vector, weights, said)


def vector_of(wanted: Wanted, evidence: Evidence) -> Vectors:
    """Of the rewritten question, with the question's own where the rewritten one has earlier turns before it, and that
    of the question with the words that it needs, as far as what was said earlier counts."""
    texts = [wanted.question, wanted.rewritten, wanted.expanded or wanted.rewritten]
    own, whole, context = evidence.encoder.encode(texts, "query")
    both = own + whole if wanted.with_history else whole + EARLIER * context
    return np.asarray(both / np.linalg.norm(both))


def words_of(wanted: Wanted) -> dict[str, float]:
    """Stem -> weight: the question's own words count twice as much as those of earlier turns."""
    earlier = EARLIER if wanted.with_history else 1.0
    return {
        **dict.fromkeys(content_words(wanted.expanded), EARLIER),
        **dict.fromkeys(content_words(wanted.rewritten), earlier),
        **dict.fromkeys(content_words(wanted.question), 1.0),
    }

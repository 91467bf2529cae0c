"""What a quoted sentence names, and a passage that was found is about: the second step of a question of two steps.

'Toad Hall is a residential hall in Australian National University' answers in which city Toad Hall lies only with the
sentence of the passage 'Australian National University' that says where that is.
"""

from collections.abc import Sequence

from clew.memory.datatypes import Passage
from clew.memory.titles import names_of
from clew.memory.words import words

SHORTEST = 4
"""Letters of a title of one word that is looked for."""


def named_in(text: str, question: str, passages: Sequence[Passage]) -> list[int]:
    """The places of the passages whose title the text names and the question does not, in their order."""
    said, asked = _padded(text), _padded(question)
    return [
        place
        for place, passage in enumerate(passages)
        if any(name in said and name not in asked for name in _names(passage.title))
    ]


def _names(title: str) -> list[str]:
    padded = [_padded(name) for name in names_of(title)] if title.strip() else []
    return [name for name in padded if len(name.strip()) >= SHORTEST]


def _padded(text: str) -> str:
    return f" {' '.join(words(text))} "

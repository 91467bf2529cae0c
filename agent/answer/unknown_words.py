"""What a question in Esperanto is about and the documents lack, in every form of its roots. The judge was fitted on
English, and takes what is nearest for an answer there."""

from functools import cache

from clew.memory.errors import BadInput
from clew.memory.language.esperanto import Esperanto
from clew.memory.language.esperanto_words import roots_in
from clew.memory.language.telling import language_of
from clew.memory.ports import Vocabulary

TOLD = ("NOUN", "PROPN", "VERB", "ADJ", "ADV", "X")
NAMES = ("NOUN", "PROPN", "X")
"""For what a verb or an adjective says others may stand in the documents; a thing has a name."""

LACKED = 0.5
"""Of the words of a question: where the library lacks so many, it is not told of. Over 60 questions by hand about the
Krestomatio none lacks more than a third (docs/journal.md)."""


def unknown_to(vocabulary: Vocabulary, question: str) -> tuple[str, ...]:
    """The words of a question in Esperanto whose roots no document has, where these are as many as say that no document
    tells of it; none for other languages."""
    if language_of(question) != "eo":
        return ()
    try:
        tree = _reader().read(question)
    except BadInput:
        return ()
    told = [one for one in tree.words if one.upos in TOLD and (one.upos == "PROPN" or roots_in(one.form.lower()))]
    counts = vocabulary.counts([one.form for one in told])
    lacked = [one for one, count in zip(told, counts, strict=True) if not count]
    about = any(one.upos in NAMES for one in lacked)
    return tuple(one.form for one in lacked) if about and len(lacked) >= LACKED * len(told) else ()


@cache
def _reader() -> Esperanto:
    return Esperanto()

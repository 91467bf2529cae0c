"""What is said where nothing answers: a refusal with what is near, or a question back with what may be meant."""

import re
from collections.abc import Sequence
from functools import cache

from clew.agent.answer.evidence import NAMED
from clew.agent.search.rounds import said_by
from clew.agent.state import Answer, Claim
from clew.memory.datatypes import Passage
from clew.memory.dialogue.context_dependence import unnamed
from clew.memory.dialogue.utterances import MOST_CHOICES, clarifying_question
from clew.memory.errors import BadInput
from clew.memory.language.esperanto import Esperanto
from clew.memory.language.esperanto_words import roots_in
from clew.memory.language.telling import language_of
from clew.memory.ports import Vocabulary
from clew.memory.text import content_word_sets, content_words, held_word_sets, words

NEAR = 0.22
"""The cosine of a passage that is worth looking at: three in four questions that have nothing to do with a library find
none, nineteen in twenty of the others do."""

MOST_MISSING = 2
"""Words that a refusal names."""

LONGEST_CHOICE = 80
"""Characters of a choice in a question back."""


def nothing_indexed() -> Answer:
    return Answer("nothing-indexed", (Claim("There are no documents in this library yet, so I cannot answer."),))


def nothing(question: str, passages: Sequence[Passage]) -> Answer:
    """A refusal: which names and numbers of the question no passage holds, and the nearest titles."""
    held = frozenset().union(*held_word_sets([said_by(passage) for passage in passages]))
    names = [name for name in NAMED.finditer(question) if content_words(name.group())]
    return refused(passages, joined([one for one in names if not set(content_words(one.group())) <= held], question))


def refused(passages: Sequence[Passage], missing: Sequence[str]) -> Answer:
    """`missing` are words that the documents do not have."""
    shown = tuple(missing[:MOST_MISSING])
    near = [passage.title for passage in passages if passage.scores.get("cosine", 1.0) >= NEAR]
    nearest = tuple(dict.fromkeys(filter(None, near)))[:3]
    text = "I found nothing in the documents that answers this."
    if shown:
        text = f"The documents that I found say nothing about {' or '.join(shown)}."
    if nearest:
        text += f" The nearest are: {'; '.join(nearest)}."
    return Answer("nothing-found", (Claim(text),), missing=shown, nearest=nearest)


def joined(names: Sequence[re.Match[str]], question: str) -> list[str]:
    """As the question has them: a first name and a surname side by side are one."""
    spans: list[tuple[int, int]] = []
    for name in names:
        if spans and question[spans[-1][1] : name.start()] == " ":
            spans[-1] = (spans[-1][0], name.end())
        else:
            spans.append(name.span())
    return [question[start:end] for start, end in spans]


# Asked back -------------------------------------------------------------------------------------------------------


def ask_back(question: str, before: Sequence[str], passages: Sequence[Passage]) -> Answer | None:
    """Names the noun that nothing says which one of, where the question has one, and offers 2 to 4 of the things that
    the passages are about, best first; `before` is what was said before. None where one document alone is called so:
    the van is "The van"."""
    noun = next(iter(unnamed(question, before)), "")
    if noun and len({one.document for one in passages if noun.casefold() in words(one.title)}) == 1:
        return None
    choices = _topics(_with_noun_first(noun, passages))[:MOST_CHOICES]
    shown = tuple(choices) if len(choices) > 1 else ()
    return Answer("unclear", (Claim(clarifying_question(noun, choices)),), nearest=shown)


def _with_noun_first(noun: str, passages: Sequence[Passage]) -> list[Passage]:
    stems = set(content_words(noun))
    held = content_word_sets([f"{p.title} {p.heading} {p.text}" for p in passages])
    order = sorted(range(len(passages)), key=lambda place: not stems <= held[place])
    return [passages[place] for place in order]


def _topics(passages: Sequence[Passage]) -> list[str]:
    """What they are about, each once: title, heading, or a first line that is no sentence."""
    found: dict[str, str] = {}
    for passage in passages:
        if topic := _topic(passage):
            found.setdefault(topic.casefold(), topic)
    return list(found.values())


def _topic(passage: Passage) -> str:
    first, _, rest = passage.text.strip().partition("\n")
    line = first if rest and not re.search(r"[.!?]$", first.strip()) else ""
    topic = " ".join(re.sub(r"[;:?\u2026]+", " ", passage.title or passage.heading or line).split())
    return topic if len(topic) <= LONGEST_CHOICE else ""


# In Esperanto -----------------------------------------------------------------------------------------------------

TOLD = ("NOUN", "PROPN", "VERB", "ADJ", "ADV", "X")
NAMES = ("NOUN", "PROPN", "X")
"""For what a verb or an adjective says others may stand in the documents; a thing has a name."""

LACKED = 0.5
"""Of the words of a question: where the library lacks so many, it is not told of. Over 60 questions by hand about the
Krestomatio none lacks more than a third (docs/journal.md)."""


def unknown_in_esperanto(vocabulary: Vocabulary, question: str) -> tuple[str, ...]:
    """The words of a question in Esperanto whose roots no document has, where these are as many as say that no document
    tells of it; none for other languages. The judge was fitted on English, and takes what is nearest for an answer."""
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

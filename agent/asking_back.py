"""The question back: what is unclear, and what of the things that were found may have been meant."""

import re
from collections.abc import Sequence

from clew.agent.state import Answer, Claim
from clew.memory.datatypes import Passage
from clew.memory.dialogue.clarification import MOST, clarifying_question
from clew.memory.dialogue.context_dependence import unnamed
from clew.memory.words import content_words

LONGEST = 80
"""Characters of a choice."""


def ask_back(question: str, said: Sequence[str], passages: Sequence[Passage]) -> Answer:
    """Names the noun that nothing says which one of, where the question has one, and offers 2 to 4 of the things that
    the passages are about, best first; `said` is what was said before."""
    noun = next(iter(unnamed(question, said)), "")
    choices = _topics(_speaking_of(noun, passages))[:MOST]
    return Answer(
        "unclear", (Claim(clarifying_question(noun, choices)),), nearest=tuple(choices) if len(choices) > 1 else ()
    )


def _speaking_of(noun: str, passages: Sequence[Passage]) -> list[Passage]:
    """Those that have the noun first."""
    stems = set(content_words(noun))
    return sorted(passages, key=lambda p: not stems <= set(content_words(f"{p.title} {p.heading} {p.text}")))


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
    return topic if len(topic) <= LONGEST else ""

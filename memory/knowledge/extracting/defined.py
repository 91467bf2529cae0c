"""Whether a sentence is about the word it begins with: then the word is a name, though its capital says nothing."""

import re
from collections.abc import Sequence

from clew.memory.knowledge.extracting.lexicon import EMPTY
from clew.memory.knowledge.extracting.tokens import Token
from clew.memory.knowledge.extracting.verbs import AUXILIARIES, is_participle, looks_like_a_verb

_APPOSITION = re.compile(
    r", (?:(?P<article>an?)|the|his|her|its|their) [^,.;:()!?\n]{2,80}"
    r"(?: \([^()\n]{1,80}\))?, (?P<next>[^\W\d_]+)\b"
)
_WHO = re.compile(r", (?:who|which) [^\W\d_]+\b[^;:()!?\n]{2,120}, [^\W\d_]+\b")


def is_defined(text: str, word: Token, following: Sequence[Token]) -> bool:
    """Whether the sentence goes on `is a`, `was born`, `directed Metropolis` or `, an Indian actor, played`."""
    if len(following) < 2:
        return False
    verb, after = following[:2]
    if text[word.end : verb.start].startswith(","):
        return _has_apposition(text, word)
    if verb.low in ("is", "was", "are", "were"):
        return after.low in ("a", "an", "the", "one") or is_participle(after.low)
    return not verb.capital and after.capital and looks_like_a_verb(verb.low)


def _has_apposition(text: str, word: Token) -> bool:
    """Whether it is told between commas what or who it is, and then what it does. An adverb is told nothing of."""
    if word.low.endswith("ing"):
        return False
    if _WHO.match(text, word.end):
        return True
    found = _APPOSITION.match(text, word.end)
    if found is None or (word.low.endswith("ly") and found["article"] is None):
        return False
    follows = found["next"]
    return follows.islower() and (follows not in EMPTY or follows in AUXILIARIES or follows in ("who", "which"))

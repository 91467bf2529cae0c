"""What an answer may not say, whoever wrote it: checked where it leaves, after all that kept orders out of prompts.

What a document orders is no evidence: a sentence that only an order holds goes, and so does an address that no passage
has. A quoted sentence that speaks to a language model is announced as what it is.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from clew.agent.answer.verification import verdict
from clew.agent.state import Claim
from clew.memory.datatypes import Passage
from clew.memory.instructions import neutralised, orders, speaks_to_a_model
from clew.memory.text import content_words

ANNOUNCED = "The next sentence speaks to a language model; it is quoted, and not followed:"
LEFT_OUT = "[address left out]"

_PICTURE = re.compile(r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])?|<[a-zA-Z/!][^<>]*>")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_ADDRESS = re.compile(
    r"(?:https?|ftp|javascript|data|file):[^\s<>\"'）」]+|\bwww\.[^\s<>\"']+|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?<![\w@./-])(?:[\w-]+\.)+(?:com|net|org|io|info|biz|example|test|xyz|ru|cn|top|site|online|app|dev)\b(?:/[^\s<>\"']*)?",
    re.IGNORECASE,
)
SHARE = 0.5
"""Of a sentence's words that an order has, from which it says what was ordered."""


def checked(claims: Sequence[Claim], passages: Sequence[Passage]) -> tuple[Claim, ...]:
    """Of what a model wrote from these passages: without pictures, links, foreign addresses, and what was ordered."""
    evidence = " ".join(neutralised(f"{passage.title} {passage.text}").text for passage in passages).casefold()
    ordered = [set(content_words(one)) for passage in passages for one in orders(passage.text)]
    kept = (replace(claim, text=plain_of(claim.text, evidence)) for claim in claims)
    return tuple(claim for claim in kept if re.search(r"\w", claim.text) and not _is_ordered(claim, passages, ordered))


def plain_of(text: str, evidence: str) -> str:
    """`evidence` in lower case."""
    text = _LINK.sub(r"\1", _PICTURE.sub("", text))
    return _ADDRESS.sub(lambda found: found[0] if found[0].casefold().rstrip(".,;)") in evidence else LEFT_OUT, text)


def announced(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """With a sentence of Clew's own before each that is quoted and speaks to a language model."""
    parts = ((Claim(ANNOUNCED, new_line=one.new_line), one) if _is_order(one) else (one,) for one in claims)
    return tuple(claim for part in parts for claim in part)


def _is_order(claim: Claim) -> bool:
    return bool(claim.cites) and bool(orders(claim.text))


def _is_ordered(claim: Claim, passages: Sequence[Passage], ordered: Sequence[set[str]]) -> bool:
    if speaks_to_a_model(claim.text):
        return True
    said = set(content_words(claim.text))
    if not any(said and len(said & words) >= SHARE * len(said) for words in ordered):
        return False
    return verdict(claim, passages) != "supported"

"""Instructions to a language model that a document hides: left out of every prompt that quotes it.

What a document says is data. A sentence of it that speaks to the model ("ignore the instructions above") goes, and so
do the marks of chat templates, characters that nobody sees, and what would close the fence around a passage.
"""

import re
from dataclasses import dataclass

from memory.sentences import split

LEFT_OUT = "[left out: a sentence that speaks to the model]"

_TURN = (
    r"(?:previous|prior|above|earlier|preceding|former|all|any|every|these|those|your|the|system|original|initial"
    r"|vorherigen?|bisherigen?|obigen?|alle[ns]?|pr[ée]c[ée]dentes?|anteriores|antérieures?|toutes?|todas?)"
)
_RULES = (
    r"(?:instructions?|rules?|prompts?|directions?|guidelines?|directives?|constraints?|safety"
    r"|anweisungen|regeln|vorgaben|consignes|règles|instrucciones|reglas|istruzioni)"
)
_SPEAKS_TO_A_MODEL = re.compile(
    rf"\b(?:ignore[zn]?|disregard|forget|override|bypass|ignoriere[nt]?|vergiss|oublie[zr]?|ignora|olvida)\b"
    rf"[^.!?\n]{{0,40}}\b{_TURN}\b[^.!?\n]{{0,40}}\b{_RULES}\b"
    r"|\b(?:ignore|disregard|forget) (?:everything|anything|all|what) (?:above|before|you|said|that)\b"
    r"|\byou are (?:now|no longer) (?:an?|the|in|my)\b"
    r"|\bfrom now on,? you (?:are|will|must|should)\b"
    r"|\b(?:new|updated|real|actual|hidden) (?:system )?(?:instructions?|prompts?)\b\s*(?::|are|is)"
    r"|\b(?:reveal|print|repeat|output|show|leak)\b[^.!?\n]{0,30}\b(?:system|hidden|your|the initial) prompt\b"
    r"|\b(?:developer|dan|jailbreak|god) mode\b"
    r"|\bas an ai (?:language )?model,? you (?:must|should|will)\b"
    r"|\b(?:attention|note to|message (?:to|for)|instructions? (?:to|for)) (?:all |any |the )?"
    r"(?:ai|llms?|language models?|assistants?|chatbots?)\b"
    r"|\b(?:ai|llms?|language models?|assistants?|chatbots?)(?: systems?)?(?: that)? (?:read|process|summari[sz]e)\w*"
    r" this\b[^.!?\n]{0,60}\b(?:must|should|have to)\b"
    r"|\b(?:respond|reply|answer) (?:only )?with (?:exactly|only|nothing but|the (?:word|phrase|following))\b"
    r"|^\s*(?:system|assistant)\s*:\s*\S",
    re.IGNORECASE | re.MULTILINE,
)
_TEMPLATE = re.compile(
    r"<\|[^|>\n]{1,40}\|>|\[/?INST\]|<</?SYS>>|</?(?:s|start_of_turn|end_of_turn|system|assistant)>"
    r"|^#{2,3} (?:instruction|system|response|assistant)s?\s*:?\s*$",
    re.IGNORECASE | re.MULTILINE,
)
_UNSEEN = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\U000e0000-\U000e007f]")
_JOINERS = re.compile("[\u200c\u200d]")
"""Unseen too, but some scripts are written with them."""

_FENCE = re.compile(r"<(?=/?\s*passage\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Neutralised:
    """A text as it may be shown to a model, and how many sentences and marks were left out of it."""

    text: str
    removed: int = 0


def neutralised(text: str) -> Neutralised:
    """Without what speaks to a model; nothing in it closes the fence."""
    seen = _UNSEEN.sub("", text)
    seen, marks = _TEMPLATE.subn(" ", seen)
    removed = marks
    parts: list[str] = []
    end = 0
    for start, stop in split(seen):
        parts.append(seen[end:start])
        sentence = seen[start:stop]
        if _SPEAKS_TO_A_MODEL.search(_JOINERS.sub("", sentence)):
            removed += 1
            sentence = LEFT_OUT
        parts.append(sentence)
        end = stop
    parts.append(seen[end:])
    return Neutralised(_FENCE.sub("‹", "".join(parts)), removed)

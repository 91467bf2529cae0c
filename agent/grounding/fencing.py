"""Passages as a language model is given them: numbered, fenced, and without instructions that a document hides.

What a document says is data. A sentence of it that speaks to the model ("ignore the instructions above") is left out of
the prompt, and the person is told; so are the marks of chat templates and characters that nobody sees.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.datatypes import Passage
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
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\U000e0000-\U000e007f]")
_FENCE = re.compile(r"<(?=/?\s*passage\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fenced:
    """A passage's text as it may be shown to a model, and how many sentences and marks were left out of it."""

    text: str
    removed: int = 0


def neutralised(text: str) -> Fenced:
    """Without what speaks to a model; nothing in it closes the fence."""
    seen = _UNSEEN.sub("", text)
    seen, marks = _TEMPLATE.subn(" ", seen)
    removed = marks
    parts: list[str] = []
    end = 0
    for start, stop in split(seen):
        parts.append(seen[end:start])
        sentence = seen[start:stop]
        if _SPEAKS_TO_A_MODEL.search(sentence):
            removed += 1
            sentence = LEFT_OUT
        parts.append(sentence)
        end = stop
    parts.append(seen[end:])
    return Fenced(_FENCE.sub("‹", "".join(parts)), removed)


def fenced(number: int, title: str, text: str) -> str:
    """`<passage id="2" title="...">`, the text, `</passage>`."""
    shown = re.sub(r'[<>"\s]+', " ", title).strip()
    return f'<passage id="{number}" title="{shown}">\n{text.strip()}\n</passage>'


def reported(passages: Sequence[Passage], removed: Sequence[int]) -> tuple[str, ...]:
    """A line for the person on each passage that instructions were taken out of."""
    return tuple(
        f"{passage.title or passage.document} has {count} instruction{'' if count == 1 else 's'} to a language model in"
        " its text: not followed, and left out of the prompt"
        for passage, count in zip(passages, removed, strict=True)
        if count
    )

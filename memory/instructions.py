"""Instructions to a language model that a document hides: left out of every prompt that quotes it.

What a document says is data. A sentence of it that speaks to the model ("ignore the instructions above") goes, and so
do the marks of chat templates, characters that nobody sees, and what would close the fence around a passage.
"""

import re
from dataclasses import dataclass

from clew.memory.sentences import split

LEFT_OUT = "[left out: a sentence that speaks to the model]"

_EARLIER = (
    r"(?:previous|prior|above|earlier|preceding|former|your|system|original|initial"
    r"|vorherigen?|bisherigen?|obigen?|pr[ée]c[ée]dentes?|anteriores|antérieures?)"
)
_ANY = r"(?:all|any|every|these|those|the|alle[ns]?|toutes?|todas?)"
_RULES = (
    r"(?:instructions?|rules?|prompts?|directions?|guidelines?|directives?|constraints?|safety"
    r"|anweisungen|regeln|vorgaben|consignes|règles|instrucciones|reglas|istruzioni)"
)
_MATERIAL = r"(?:passages?|documents?|context|sources?|texts?|messages?)"
_SHUN = r"\b(?:ignore[zn]?|disregard|forget|override|bypass|ignoriere[nt]?|vergiss|oublie[zr]?|ignora|olvida)\b"
_NEAR = r"[^.!?]{0,40}\b"

_TOLD = (
    r"(?:^|[^\w\s'’]\s*|\b(?:please|now|then|instead|just|simply|bitte"
    r"|(?:you|model|assistant|ai) (?:must|should|will|may|can|have to|need to|are to))\s+|\b(?=(?-i:[A-Z][a-z])))"
)
"""Before a verb that tells somebody to do it: "the referee may disregard" tells nobody."""

_ROLE = r"(?:dan|ai|llm|bot|chatbot|language model|model|assistant|unrestricted|jailbroken)"
_SAYS = r"(?:answers?|responds?|repl(?:y|ies)|speaks?|says?|talks?|obeys?|pretends?|ignores?|outputs?)"

_SPEAKS_TO_A_MODEL = re.compile(
    rf"{_TOLD}{_SHUN}{_NEAR}(?:{_EARLIER}|{_ANY})\b{_NEAR}{_RULES}\b"
    rf"|{_TOLD}{_SHUN}{_NEAR}(?:{_EARLIER}\b{_NEAR}{_MATERIAL}|{_MATERIAL}\b{_NEAR}(?:above|before this))\b"
    r"|(?<!\bmay )(?<!\bmight )(?<!\bcan )(?<!\bcould )(?<!\bwould )(?<!\bnot )\b(?:ignore|disregard|forget) "
    rf"(?:(?:all|any|of|the|these|those|your) ){{0,4}}(?:previous|prior|above|earlier|preceding) (?:system )?{_RULES}\b"
    rf"|{_TOLD}(?:ignore|disregard|forget) (?:everything|anything|all|what) (?:above|before|you|said|that)\b"
    rf"|\byou(?: are|['’]re) (?:now|no longer) (?:(?:an?|the|in|my) )?{_ROLE}\b"
    r"|\byou(?: are|['’]re) (?:now|no longer) (?:an?|my)\b[^.!?]{0,80}?(?:\b(?:and|who|that)|[,;:])\s"
    rf"(?:(?:only|always|must|will|should) )*{_SAYS}\b"
    r"|\bfrom now on,? you (?:are|will|must|should)\b"
    r"|\b(?:new|updated|real|actual|hidden) (?:system )?(?:instructions?|prompts?)\s*:"
    r"|\byour (?:new|updated|real|actual|hidden) (?:system )?(?:instructions?|prompts?) (?:are|is)\b"
    r"|\b(?:reveal|print|repeat|output|show|leak)\b[^.!?]{0,30}\b(?:system|hidden|your|the initial) prompt\b"
    r"|\byou(?: are|['’]re) (?:now )?in (?:developer|dan|jailbreak|god) mode\b"
    r"|\bas an ai (?:language )?model,? you (?:must|should|will)\b"
    r"|\b(?:attention|note to|message (?:to|for)|instructions? (?:to|for)) (?:all |any |the )?"
    r"(?:ai|llms?|language models?|assistants?|chatbots?)\b"
    r"|\b(?:ai|llms?|language models?|assistants?|chatbots?)(?: systems?)?(?: that)? (?:read|process|summari[sz]e)\w*"
    r" this\b[^.!?]{0,60}\b(?:must|should|have to)\b"
    r"|\b(?:respond|reply|answer) (?:only )?with (?:exactly|only|nothing but|the (?:word|phrase|following))\b"
    r"|(?:^|[^\w\s]\s*)system ?: (?:you (?:are|have|must|will|should)|ignore|obey|respond|reply|say)\b",
    re.IGNORECASE,
)
"""Of a sentence on one line."""

_TEMPLATE = re.compile(
    r"<[|｜][^|｜>\n]{1,40}[|｜]>|\[/?(?:INST|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|SYSTEM_PROMPT)\]|<</?SYS>>"
    r"|</?(?:start_of_turn|end_of_turn|system|assistant|think|tool_calls?|tool_response)>",
    re.IGNORECASE,
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
        if _SPEAKS_TO_A_MODEL.search(" ".join(_JOINERS.sub("", sentence).split())):
            removed += 1
            sentence = LEFT_OUT
        parts.append(sentence)
        end = stop
    parts.append(seen[end:])
    return Neutralised(_FENCE.sub("‹", "".join(parts)), removed)

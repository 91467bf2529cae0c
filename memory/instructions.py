"""Instructions to a language model that a document hides: left out of every prompt that quotes it.

What a document says is data. A sentence of it that speaks to the model ("ignore the instructions above") goes, and so
do the marks of chat templates, characters that nobody sees, and what would close the fence around a passage.
"""

import base64
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from clew.memory.text import read_pattern, split

LEFT_OUT = "[left out: a sentence that speaks to the model]"

_SPEAKS_TO_A_MODEL = re.compile(read_pattern(Path(__file__).with_name("instructions.txt")), re.IGNORECASE)
"""A sentence on one line. `addressed` stands before a verb that tells somebody to do it: "the referee may disregard"
tells nobody."""

_TEMPLATE = re.compile(
    r"<[|｜][^|｜>\n]{1,40}[|｜]>|\[/?(?:INST|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|SYSTEM_PROMPT)\]|<</?SYS>>"
    r"|</?(?:start_of_turn|end_of_turn|system|assistant|think|tool_calls?|tool_response)>",
    re.IGNORECASE,
)
_UNSEEN = re.compile(
    "[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0e\ufeff\U000e0000-\U000e01ef]"
)
_JOINERS = re.compile("[\u200c\u200d]")
"""Unseen too, but some scripts are written with them."""

_INST = re.compile(r"\[INST\][^\[\]]{0,2000}\[/INST\]", re.IGNORECASE)
_FENCE = re.compile(r"<(?=/?\s*(?:passage|document|said|found|path)\b)", re.IGNORECASE)
_CALL = re.compile(
    r'\{\s*"(?:tool|name|function|action|calls|tool_calls)"\s*:[^{}]{0,300}(?:\{[^{}]{0,500}\}[^{}]{0,100})?\}?\s*\]?\s*\}?'
)
_ROLE = re.compile(
    r"^[ \t>]*(?:#{2,6}[ \t]*(?:instructions?|system|assistant|response|user|human|input)[ \t]*:[^\n.!?]*[.!?]?"
    r"|\[(?:system|assistant|user)\])",
    re.IGNORECASE | re.MULTILINE,
)
_SPACED = re.compile(r"(?<!\w)(?:\w[ ._\-*]{1,3}){7,}\w(?!\w)")
_RUN_TOGETHER = re.compile(
    r"(?:ignore|disregard|forget|override)(?:all|any|every|the|your|of|my|these|those)*(?:previous|prior|above|earlier|"
    r"preceding|system|original)*(?:instructions?|rules?|prompts?|directions?|guidelines?)",
)
_ENCODED = re.compile(r"(?<![\w+/=])[A-Za-z0-9+/]{24,}={0,2}(?![\w+/=])")
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕһԁԛԝвкмнтАВЕКМНОРСТУХІЈЅαεικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijshdqwbkmhtABEKMHOPCTYXIJSaeiknoptuxABEZHIKMNOPTYX",
)
_LATIN, _LOOKALIKE = re.compile("[A-Za-z]"), re.compile("[\u0370-\u03ff\u0400-\u052f]")


@dataclass(frozen=True, slots=True)
class Neutralised:
    """A text as it may be shown to a model, and how many sentences and marks were left out of it."""

    text: str
    removed: int = 0


def neutralised(text: str) -> Neutralised:
    """Without what speaks to a model; nothing in it closes the fence."""
    seen = _UNSEEN.sub("", text)
    seen, between = _INST.subn(" ", seen)
    removed = 2 * between
    for pattern, instead in ((_TEMPLATE, " "), (_CALL, LEFT_OUT), (_ROLE, " ")):
        seen, count = pattern.subn(instead, seen)
        removed += count
    parts: list[str] = []
    end = 0
    for start, stop in split(seen):
        parts.append(seen[end:start])
        sentence = seen[start:stop]
        if speaks_to_a_model(sentence):
            removed += 1
            sentence = LEFT_OUT
        parts.append(sentence)
        end = stop
    parts.append(seen[end:])
    return Neutralised(_FENCE.sub("‹", "".join(parts)), removed)


def orders(text: str) -> list[str]:
    """The sentences of a text that speak to a model, on one line each."""
    sentences = (" ".join(text[start:end].split()) for start, end in split(text))
    return [sentence for sentence in sentences if speaks_to_a_model(sentence)]


def speaks_to_a_model(sentence: str) -> bool:
    """Also in letters of another alphabet that look alike, with spaces between the letters, or in base64."""
    plain = " ".join(_JOINERS.sub("", _UNSEEN.sub("", unicodedata.normalize("NFKC", sentence))).split())
    if _LATIN.search(plain) and _LOOKALIKE.search(plain):
        plain = " ".join(_folded(word) for word in plain.split(" "))
    if _SPEAKS_TO_A_MODEL.search(plain):
        return True
    if any(_RUN_TOGETHER.search(re.sub(r"\W|_", "", run[0]).casefold()) for run in _SPACED.finditer(plain)):
        return True
    return any(_SPEAKS_TO_A_MODEL.search(_decoded(run[0])) for run in _ENCODED.finditer(plain))


def _folded(word: str) -> str:
    return word.translate(_LOOKALIKES) if _LATIN.search(word) and _LOOKALIKE.search(word) else word


def _decoded(run: str) -> str:
    """Base64 as text; empty where it is none."""
    try:
        return " ".join(base64.b64decode(run + "=" * (-len(run) % 4), validate=True).decode().split())
    except ValueError:
        return ""

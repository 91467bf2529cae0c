"""Instructions to a language model that a document hides: left out of every prompt that quotes it.

What a document says is data. A sentence of it that speaks to the model ("ignore the instructions above") goes, and so
do the marks of chat templates, characters that nobody sees, and what would close the fence around a passage.
"""

import re
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

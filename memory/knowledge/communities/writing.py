"""A community's report by a language model (seed 001, equation 3: LLM_summarize; temperature 0.1, 200 tokens).

It is written from the extract, checked, and where the model fails, the extract stands and it is said why.
"""

import re
import threading
from collections.abc import Collection
from typing import NamedTuple

from clew.memory.errors import ServiceUnreachable
from clew.memory.instructions import neutralised
from clew.memory.knowledge.communities.reporting import Extract
from clew.memory.ports import Message, Writer, text_of
from clew.memory.sentences import split
from clew.memory.words import content_words
from clew.prompts import render

TEMPERATURE, TOKENS = 0.1, 200

MOST_SENTENCES = 3

_CHATTER = re.compile(
    r"^(?:sure|certainly|of course|okay|here(?:'s| is)|as an ai|i (?:am|can|cannot))\b[^.]*[:,.]\s*|^[{\[<`]", re.I
)
_THOUGHT = re.compile(r"<think>.*?(?:</think>|$)", re.DOTALL)


class Written(NamedTuple):
    """`report` is empty where the model failed, and `why` says how; `gone`: it is no use to ask it for another."""

    report: str
    why: str = ""
    gone: bool = False


def write(extract: Extract, writer: Writer, taken: Collection[str], cancel: threading.Event | None = None) -> Written:
    """Two or three sentences, none of `taken`, the reports of others. Raises `Cancelled`."""
    prompt = render(
        "community",
        entities=", ".join(neutralised(name).text for name in extract.names),
        relations="\n".join(neutralised(line).text for line in extract.relations) or "none",
        sentences="\n".join(neutralised(sentence).text for sentence in extract.sentences),
    )
    try:
        reply = text_of(writer.write([Message("user", prompt)], cancel=cancel, temperature=TEMPERATURE, tokens=TOKENS))
    except ServiceUnreachable as error:
        return Written("", error.message, gone=True)
    reply = " ".join(_THOUGHT.sub("", reply).split())
    if _CHATTER.match(reply):
        return Written("", "it is no report")
    report = _shortened(reply)
    why = fault(report, extract, taken)
    return Written("" if why else report, why)


def fault(report: str, extract: Extract, taken: Collection[str]) -> str:
    """What is wrong with a report, in words; empty where nothing is."""
    if not report:
        return "it is empty"
    if report in taken:
        return "it is the report of another community"
    said = set(content_words(report))
    if not any(said.intersection(content_words(name)) for name in extract.names):
        return "it names nothing of what it is about"
    return ""


def _shortened(text: str) -> str:
    """The first sentences; one that the limit of tokens cut off is left out."""
    spans = split(text)[:MOST_SENTENCES]
    whole = [span for span in spans if text[span[1] - 1] in '.!?…"”']
    return text[: whole[-1][1]] if whole else ""

"""The question rewritten by a language model over the selected context (seed 003, step 5), and what it has to keep to.

A model answers instead of asking, forgets names, wraps its line in JSON or talks around it: each is seen, told to it
once, and then the rewriting without a model is taken. What comes back says which it was.
"""

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from clew.memory.datatypes import Sentence
from clew.memory.dialogue.leaning import leans
from clew.memory.dialogue.tidying import asks, tidy
from clew.memory.errors import ServiceUnreachable
from clew.memory.instructions import neutralised
from clew.memory.ports import Message, Writer, text_of
from clew.memory.words import content_words
from clew.prompts import render

How = Literal["model", "repaired", "learned"]

TEMPERATURE, TOKENS = 0.1, 200

MORE_WORDS = 25
"""What a rewritten question may have more words than twice the question's."""

_NAME = re.compile(r"(?<=[^\s.?!] )(?!I['’])[A-Z][\w'’-]+|\d[\d.,:]*\d|\d")
_CHATTER = re.compile(
    r"^(?:sure|certainly|of course|okay|here(?:'s| is)|the (?:rewritten|standalone|answer)|rewritten|standalone|answer"
    r"|question|unclear|not found|i (?:am|can|cannot|don't|do not)|as an ai)\b[^?]*[:,.]|^(?:[{\[<`]|\*\*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Written:
    """`how`: as the model first wrote it, after it was told what was wrong, or not by the model, because `why`."""

    text: str
    how: How
    why: str = ""


def write(
    question: str,
    selected: Sequence[Sentence],
    learned: str,
    writer: Writer,
    cancel: threading.Event | None = None,
) -> Written:
    """`learned` is the question as it was rewritten without a model. Raises `Cancelled`."""
    if not selected:
        return Written(learned, "learned", "there is no context")
    context = "\n".join(f"{sentence.speaker}: {neutralised(sentence.text).text}" for sentence in selected)
    messages = [Message("user", render("rewrite", context=context, question=question))]
    try:
        first = _said(writer, messages, cancel)
        wrong = fault(first, question, selected)
        if not wrong:
            return Written(tidy(_line(first)), "model")
        again = Message("user", render("rewrite-again", reason=wrong))
        second = _said(writer, [*messages, Message("assistant", first), again], cancel)
        still = fault(second, question, selected)
    except ServiceUnreachable as error:
        return Written(learned, "learned", error.message)
    return Written(learned, "learned", still) if still else Written(tidy(_line(second)), "repaired", wrong)


def fault(reply: str, question: str, selected: Sequence[Sentence]) -> str:
    """What is wrong with a model's reply, in words for it; empty where nothing is."""
    line = _line(reply)
    if not line:
        return "it is empty"
    if "\n" in line or (_CHATTER.match(line) and not _CHATTER.match(question)):
        return "it is more than the question"
    if asks(tidy(question)) and not tidy(line).endswith(("?", "\uff1f", "\u061f")):
        return "it is not a question"
    if len(line.split()) > 2 * len(question.split()) + MORE_WORDS:
        return "it is too long"
    kept = set(content_words(line))
    if leans(question) and kept <= set(content_words(question)):
        return "it cannot be understood alone yet"
    if lost := [name for name in _NAME.findall(question) if not set(content_words(name)) <= kept]:
        return f"it has lost {', '.join(dict.fromkeys(lost))}"
    known = set(content_words(" ".join([question, *(sentence.text for sentence in selected)])))
    if new := [name for name in _NAME.findall(line) if not set(content_words(name)) <= known]:
        return f"nobody spoke of {', '.join(dict.fromkeys(new))}"
    return ""


def _line(reply: str) -> str:
    """Without quotation marks around it, and without a label that says what it is."""
    line = re.sub(r"^\|?(?:user|question)\|?\s*:\s*", "", reply.strip(), flags=re.IGNORECASE)
    return re.sub(r"^[\"“'](.*)[\"”']$", r"\1", line, flags=re.DOTALL).strip()


def _said(writer: Writer, messages: Sequence[Message], cancel: threading.Event | None) -> str:
    return text_of(writer.write(messages, cancel=cancel, temperature=TEMPERATURE, tokens=TOKENS))

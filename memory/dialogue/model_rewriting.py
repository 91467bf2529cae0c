"""The question rewritten by a language model over the selected context (seed 003, step 5), and checks of its reply.

A model may answer instead of asking, lose names, wrap its line in JSON or write around it. A reply with such a fault is
sent back once with the fault; after a second one the rewriting without a model is taken.
"""

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from clew.memory.datatypes import Sentence
from clew.memory.dialogue.context_dependence import depends_on_context
from clew.memory.dialogue.punctuation import asks, tidy
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
class ModelRewrite:
    """`how`: by the model at once (`model`) or after a fault (`repaired`), or without it (`learned`); `why` is the
    fault or the failure."""

    text: str
    how: How
    why: str = ""


def rewrite_by_model(
    question: str,
    selected: Sequence[Sentence],
    without_model: str,
    writer: Writer,
    cancel: threading.Event | None = None,
) -> ModelRewrite:
    """`without_model` is the question as it was rewritten without one. Raises `Cancelled`."""
    if not selected:
        return ModelRewrite(without_model, "learned", "there is no context")
    context = "\n".join(f"{sentence.speaker}: {neutralised(sentence.text).text}" for sentence in selected)
    messages = [Message("user", render("rewrite", context=context, question=question))]
    try:
        first = _reply(writer, messages, cancel)
        wrong = fault(first, question, selected)
        if not wrong:
            return ModelRewrite(tidy(_line(first)), "model")
        again = Message("user", render("rewrite-again", reason=wrong))
        second = _reply(writer, [*messages, Message("assistant", first), again], cancel)
        still = fault(second, question, selected)
    except ServiceUnreachable as error:
        return ModelRewrite(without_model, "learned", error.message)
    return (
        ModelRewrite(without_model, "learned", still) if still else ModelRewrite(tidy(_line(second)), "repaired", wrong)
    )


def fault(reply: str, question: str, selected: Sequence[Sentence]) -> str:
    """What is wrong with a model's reply, in words for the model; empty where nothing is."""
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
    if depends_on_context(question) and kept <= set(content_words(question)):
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


def _reply(writer: Writer, messages: Sequence[Message], cancel: threading.Event | None) -> str:
    return text_of(writer.write(messages, cancel=cancel, temperature=TEMPERATURE, tokens=TOKENS))

"""The rewritten question: the wordings that are searched together, and the one that is shown."""

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from clew.memory.datatypes import Recalled, Sentence, Wording
from clew.memory.dialogue.context_dependence import depends_on_context
from clew.memory.dialogue.signals import RewriteModel, recent, shipped, turn_signals, words
from clew.memory.dialogue.tagger import PREVIOUS, WHY, StandingQuestion, stand_alone
from clew.memory.dialogue.utterances import asks, chosen, is_filler, tidy
from clew.memory.errors import ServiceUnreachable
from clew.memory.instructions import neutralised
from clew.memory.language.telling import language_of, may_be_english
from clew.memory.parameters import Few, Share, Weight
from clew.memory.ports import Encoder, Message, WriteOptions, Writer, text_of
from clew.memory.text import NAMED, compiled_patterns, content_words
from clew.prompts import render

How = Literal["model", "learned"]
"""Who rewrote a question: a language model, or the learned models."""


@dataclass(frozen=True, slots=True)
class RewriteParameters:
    """How the words of the conversation are added to a question."""

    learned: RewriteModel = field(default_factory=shipped)  # the odds of each word, and the shares of the wordings
    probable: Share = 0.04  # how likely a word of the conversation has to be needed to be searched with the question
    most: Few = 10  # how many such words are searched at most
    context: Weight = 0.3  # how much the recalled sentences move the question's meaning
    back: Few = 12  # how many turns back the conversation is looked through


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A question that stands alone.

    `text` is what a person reads. `wordings` are searched, with weights that sum to 1; the first is the question as it
    was typed, or what a reply to a question back stands for. `how` says what made the text, `why` what was wrong with a
    language model's.
    """

    text: str
    wordings: tuple[Wording, ...]
    how: How = "learned"
    why: str = ""


def rewrite(
    question: str,
    recalled: Recalled,
    encoder: Encoder,
    parameters: RewriteParameters,
    writer: Writer | None = None,
    cancel: threading.Event | None = None,
) -> Rewritten:
    """The question as it can be understood alone: by the learned models, or by a language model where there is one.

    Searched are the question; the question made to stand alone (`tagger.py`), which a person reads; where it leans on
    the conversation, the question before with it; and the second with the words of the conversation that
    it needs, its vector moved towards the selected context. Their weights are those of before anything is found.
    Without a conversation the question is left alone, and so is a thank-you.
    A reply that chooses of what the assistant asked back is the question before with that in it.
    What a language model writes, where it can be used (`rewrite_by_model`), takes the place of the second; it is not
    asked where nothing says that an English question leans. Raises `Cancelled`.
    """
    question, history = " ".join(question.split()), recent(recalled.extracted, recalled.selected, parameters.back)
    alone = question if is_filler(question) or not history else chosen(question, history) or None
    if alone is not None:
        return Rewritten(tidy(alone), (Wording("question", alone, 1.0),))
    leans, turn = depends_on_context(question), turn_signals(question, history, recalled.selected, encoder)
    made = clarified(question, history, turn)
    if not content_words(made.text):
        made = StandingQuestion(question)
    model = ModelRewrite(tidy(made.text), "learned")
    if writer and (made.why or leans or not may_be_english(question)):
        model = rewrite_by_model(question, recalled.in_order, model.text, writer, cancel)
    if model.how != "learned":
        made = StandingQuestion(model.text)
    needed = _needed(made.text, history, recalled.selected, turn, parameters)
    before = "".join(_questions(history)[-1:] if leans else [])
    return Rewritten(model.text, _wordings(question, made, before, needed, parameters), model.how, model.why)


def _wordings(
    question: str,
    made: StandingQuestion,
    before: str,
    needed: Sequence[tuple[str, float]],
    parameters: RewriteParameters,
) -> tuple[Wording, ...]:
    """All wordings with their shares; equal ones are merged, and their weights added."""
    there = set(content_words(made.text))
    added = [word for word, _ in needed if there.isdisjoint(content_words(word))]
    why, shares = f"with {', '.join(added)} of the conversation" if added else made.why, parameters.learned.forms
    merged: dict[tuple[str, float], Wording] = {}
    for one in (
        Wording("question", question, shares["question"]),
        Wording("standing", made.text, shares["standing"], why=made.why),
        Wording("before", f"{before} {question}".strip(), shares["before"], why="behind the question before"),
        Wording("expanded", " ".join([made.text, *added]), shares["expanded"], parameters.context, why),
    ):
        key = one.text.casefold(), one.context
        first = merged.get(key)
        merged[key] = replace(first, weight=first.weight + one.weight) if first else one
    return tuple(merged.values())


def clarified(question: str, history: Sequence[Sentence], turn: Mapping[str, float]) -> StandingQuestion:
    """The question made to stand alone; a detail that the assistant asked for is appended to the question that it
    clarifies. `turn`: `turn_signals`."""
    made = stand_alone(question, history)
    earlier = _questions(history)
    if not turn["clarifies"] or not earlier:
        return made
    if made.why == WHY[PREVIOUS] and set(content_words(earlier[-1])) <= set(content_words(made.text)):
        return made
    return StandingQuestion(f"{earlier[-1]} {question}", "it clarifies the question before")


LONGEST = 60
"""Words at the end of an earlier turn that are used."""


def _questions(history: Sequence[Sentence]) -> list[str]:
    """The last words of what the user said before, in order: in a turn with a pasted text, the question is at the
    end."""
    said = (one.text for one in history if one.speaker == "user" and not is_filler(one.text))
    return [" ".join(text.split()[-LONGEST:]) for text in said]


def _needed(
    standing: str,
    history: Sequence[Sentence],
    selected: Sequence[Sentence],
    turn: Mapping[str, float],
    parameters: RewriteParameters,
) -> tuple[tuple[str, float], ...]:
    probable = [
        (word.text, round(parameters.learned.probability(word.signals), 4))
        for word in words(standing, history, selected, turn)
    ]
    probable.sort(key=lambda pair: -pair[1])
    return tuple(pair for pair in probable[: parameters.most] if pair[1] >= parameters.probable)


TEMPERATURE, TOKENS = 0.1, 200
"""Options for the language model that rewrites (seed 003, step 5)."""

MORE_WORDS = 25
"""Words that a rewritten question may have beyond twice the original."""

_CHATTER = compiled_patterns(Path(__file__).with_name("phrases.txt"))["chatter"]


@dataclass(frozen=True, slots=True)
class ModelRewrite:
    """`why` is the fault or the failure of the model, where its text was not taken."""

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
    """The question rewritten by a language model, given the selected context (seed 003, step 5). `without_model` is the
    question rewritten without one.

    Models may answer the question, lose names, or write around it: `without_model` replaces a reply with such a fault.
    A reply that is the same has none, and neither has the question itself, by which a model calls it complete: it
    stands only if it can be understood alone. Raises `Cancelled`."""
    if not selected:
        return ModelRewrite(without_model, "learned", "there is no context")
    context = "\n".join(f"{sentence.speaker}: {neutralised(sentence.text).text}" for sentence in selected)
    messages = [Message("user", render("rewrite", said=context, question=question))]
    try:
        reply = text_of(writer.write(messages, WriteOptions(cancel=cancel, temperature=TEMPERATURE, tokens=TOKENS)))
    except ServiceUnreachable as error:
        return ModelRewrite(without_model, "learned", error.message)
    line = tidy(_line(reply))
    wrong = "" if line == without_model else fault(reply, question, selected)
    if not wrong:
        return ModelRewrite(line, "model")
    return ModelRewrite(without_model, "learned", "" if line == tidy(question) else wrong)


def fault(reply: str, question: str, selected: Sequence[Sentence]) -> str:
    """What is wrong with a model's reply; empty if nothing is."""
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
    if lost := [name for name in NAMED.findall(question) if not set(content_words(name)) <= kept]:
        return f"it has lost {', '.join(dict.fromkeys(lost))}"
    said = " ".join([question, *(sentence.text for sentence in selected)])
    known, parts = set(content_words(said)), set(re.findall(r"\w+", said))  # 052 of 2025-052
    new = [name for name in NAMED.findall(line) if name not in parts and not set(content_words(name)) <= known]
    if new and language_of(line) != "de":  # which has capitals on all nouns
        return f"nobody spoke of {', '.join(dict.fromkeys(new))}"
    return ""


def _line(reply: str) -> str:
    """The reply without quotation marks around it and without a label in front."""
    line = re.sub(r"^\|?(?:user|question)\|?\s*:\s*", "", reply.strip(), flags=re.IGNORECASE)
    return re.sub(r"^[\"“'](.*)[\"”']$", r"\1", line, flags=re.DOTALL).strip()

"""The searches that a language model still wants, asked once: what was found is in the prompt, the reply is JSON, and
the calls are made by code."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from clew.agent.llm.ledger import MESSAGE, RecordedWriter
from clew.agent.llm.prompt_passages import best_sentences, untitled
from clew.agent.search import tool_calls
from clew.agent.search.tool_calls import Refused, SearchKeys, ToolSpec
from clew.agent.state import Call, Prompted, PromptPart
from clew.memory.datatypes import Passage
from clew.memory.errors import ServiceUnreachable
from clew.memory.instructions import Topic, neutralised, orders
from clew.memory.ports import Message, WriteOptions, text_of
from clew.memory.text import content_words, storable
from clew.prompts import render

SHOWN = 5
"""Passages that a search of the model brings: it answers for all of them."""

READ = 6
"""Passages that the model plans by, the best first: of each its best sentences."""

WRITTEN = 300
"""Tokens that a plan may have. Of a small window at most a quarter."""


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """`calls` are searches that the model wants beside the policy's; `lines` say so to a person; `failure` is why the
    policy goes on alone, or empty."""

    calls: tuple[Call, ...] = ()
    lines: tuple[str, ...] = ()
    failure: str = ""
    ledger: tuple[Prompted, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanPrompt:
    """`passages` that were found for the question as it stands alone, the best first; `made` are the searches that
    were made, and that the policy makes now; `topic` is the question's."""

    question: str
    passages: Sequence[Passage]
    made: SearchKeys
    topic: Topic

    def strays(self, query: str) -> bool:
        """Whether what was found chose it: it has nothing to do with the question, nor has what has its words there."""
        if self.topic.has(query):
            return False
        words = set(content_words(query))
        lines = [line for passage in self.passages for line in (passage.title, *passage.text.splitlines())]
        return self.topic.foreign([line for line in lines if words.intersection(content_words(line))])

    @property
    def ordered(self) -> set[str]:
        """Words that only an order to a model has, in what was found."""
        said = (one for passage in self.passages for one in orders(f"{passage.title}\n\n{passage.text}"))
        return {word for one in said for word in content_words(one)} - set(content_words(self.question))


def planned(
    writer: RecordedWriter, specs: Sequence[ToolSpec], prompt: PlanPrompt, cancel: threading.Event
) -> ModelPlan:
    """What the model wants searched: of its reply what can be used. Raises `Cancelled` alone."""
    most = min(WRITTEN, writer.window // 4)
    names = [spec.name for spec in specs]
    message = asked(prompt, specs, writer.window - most, writer)
    try:
        said = text_of(writer.write([message], WriteOptions(tool_calls.schema(specs), cancel, 0.0, most)))
    except ServiceUnreachable as error:
        return ModelPlan(failure=error.message, ledger=writer.ledger)
    try:
        written = tool_calls.calls_in(storable(said), names)
        calls, refused = tool_calls.check(written, names, prompt.made, prompt.ordered, prompt.strays)
    except ValueError as error:
        calls, refused = [], [Refused("what it wrote", str(error))]
    lines = [f"{writer.name} wants {call.tool}: {call.wordings[0].text}" for call in calls]
    lines += [f"refused {one.written[:120]}: {one.why}" for one in refused]
    failure = refused[0].why if refused and not calls else ""
    return ModelPlan(tuple(calls), tuple(lines) or (f"{writer.name} wants no more",), failure, writer.ledger)


def asked(prompt: PlanPrompt, specs: Sequence[ToolSpec], room: int, writer: RecordedWriter) -> Message:
    """With the best sentences of as many passages as so many tokens have room for."""
    tools = "\n".join(f"- {spec.shown}" for spec in specs)
    question, most = " ".join(prompt.question.split()), str(tool_calls.MOST)
    shown = [_shown(prompt.question, passage) for passage in prompt.passages[:READ]]
    while True:
        found = "\n".join(shown) or "Nothing."
        text = render("plan", question=question, tools=tools, found=found, most=most)
        if not shown or writer.tokens(text) + MESSAGE <= room:
            break
        shown.pop()
    writer.parts = (PromptPart("what was found", writer.tokens(found)),)
    return Message("user", text)


def _shown(question: str, passage: Passage) -> str:
    """A title, and the sentences of the passage that have most of the question's words."""
    clean = " ".join(best_sentences(question, untitled(passage.title, neutralised(passage.text).text)).split())
    return f"- {neutralised(passage.name).text}: {clean}"

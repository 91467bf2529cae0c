"""The searches that a language model wants: the messages that it gets, within its window, and one more try.

It is asked in every round, with its earlier searches and what they found, from the state of the turn. A model that can
call tools calls them; one that can keep to a schema writes JSON; others are not asked.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from clew.agent.llm.ledger import MESSAGE, RecordedWriter
from clew.agent.search import tool_calls
from clew.agent.search.tool_calls import Checked, Refused, SearchKeys
from clew.agent.state import Call, Kept, Prompted, PromptPart
from clew.memory.datatypes import Passage
from clew.memory.errors import ServiceUnreachable
from clew.memory.instructions import Topic, neutralised, orders
from clew.memory.ports import Abilities, Message, ToolCall, ToolSpec
from clew.memory.text import content_words, split, storable
from clew.prompts import render

SHOWN = 5
"""New passages of a search that the model sees. A search that it wanted brings no more: it answers for all of them."""

BEGINNING = 200
"""Characters of each of these passages."""

WRITTEN = 512
"""Tokens that a reply may have: four calls. Of a small window at most a quarter."""

LEFT_OUT = "Something was found; there is no room for it here."

Strategy = Literal["tools", "schema"]


@dataclass(frozen=True, slots=True)
class PastSearch:
    """A search of this turn as a prompt has it: title and beginning of each passage that it was the first to find.
    `ordered` are the words of the orders to a model that were left out of these."""

    tool: str
    query: str
    passages: tuple[tuple[str, str], ...] = ()
    kept: Kept = "whole"
    ordered: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        if not self.passages:
            return "Nothing new was found."
        if self.kept == "left out":
            return LEFT_OUT
        whole = self.kept == "whole"
        return "\n".join(f"- {title}: {text}" if whole and text else f"- {title}" for title, text in self.passages)


@dataclass(frozen=True, slots=True)
class SearchPrompt:
    """What the model is asked: the question as it stands alone; the searches that this turn has made (`past` with their
    results, `before` their keys) and those that the policy makes in this round (`planned`). `topic` (None: not judged)
    is the question's."""

    question: str
    past: tuple[PastSearch, ...] = ()
    before: SearchKeys = frozenset()
    planned: SearchKeys = frozenset()
    topic: Topic | None = None

    def strays(self, query: str) -> bool:
        """Whether what was found chose it: it has nothing to do with the question, nor has what has its words there."""
        if self.topic is None or self.topic.has(query):
            return False
        shown = (text for one in self.past for passage in one.passages for text in passage)
        words = set(content_words(query))
        found = [text[start:end] for text in shown for start, end in split(text)]
        holding = [one for one in found if words.intersection(content_words(one))]
        return self.topic.foreign(holding)


@dataclass(frozen=True, slots=True)
class ModelSearches:
    """`calls` are searches that the model wants beside the policy's; `wanted` counts those of the policy that it wanted
    as well. `lines` say so to a person; `failure` is why the policy goes on alone, or empty."""

    calls: tuple[Call, ...] = ()
    wanted: int = 0
    lines: tuple[str, ...] = ()
    failure: str = ""
    ledger: tuple[Prompted, ...] = ()


def strategy(abilities: Abilities) -> Strategy | None:
    """The safest way to have a model call tools; None: there is none."""
    if abilities.tools:
        return "tools"
    return "schema" if abilities.schema else None


def past_searches(
    calls: Sequence[Call], brought: Sequence[Sequence[str]], passages: Sequence[Passage], question: str
) -> tuple[PastSearch, ...]:
    """From what a turn's state keeps: its calls, the ids that each was the first to find, and all passages."""
    known = {passage.id: passage for passage in passages}
    past = []
    for call, ids in zip(calls, brought, strict=False):
        texts = [wording.text for wording in call.wordings]
        shown = tuple(_shown(known[id_]) for id_ in ids[:SHOWN])
        said = (one for id_ in ids[:SHOWN] for one in orders(f"{known[id_].title}\n\n{known[id_].text}"))
        ordered = frozenset(word for one in said for word in content_words(one))
        past.append(PastSearch(call.tool, question if question in texts else texts[0], shown, ordered=ordered))
    return tuple(past)


def wanted_searches(
    writer: RecordedWriter, specs: Sequence[ToolSpec], prompt: SearchPrompt, cancel: threading.Event
) -> ModelSearches:
    """What the model wants searched. Of a reply with something that can be used, the rest is left; one with nothing but
    faults is sent back once. Raises `Cancelled` alone."""
    way = strategy(writer.abilities)
    if way is None:
        return ModelSearches(lines=(f"{writer.name} can call no tools",))
    exchange = _Exchange(writer, specs, prompt, way, cancel)
    try:
        text, calls, checked = exchange.reply(())
        if checked.useless:
            _, _, checked = exchange.reply(_sent_back(text, calls, checked.refused))
    except ServiceUnreachable as error:
        return ModelSearches(lines=exchange.lines, failure=error.message, ledger=writer.ledger)
    return ModelSearches(
        calls=tuple(tool_calls.as_call(call) for call in checked.calls),
        wanted=len(checked.covered),
        lines=exchange.lines,
        failure=checked.refused[0].why if checked.useless and not prompt.before else "",
        ledger=writer.ledger,
    )


@dataclass
class _Exchange:
    """The model's replies to one question, at most two."""

    writer: RecordedWriter
    specs: Sequence[ToolSpec]
    prompt: SearchPrompt
    way: Strategy
    cancel: threading.Event
    lines: tuple[str, ...] = ()

    def reply(self, more: Sequence[Message]) -> tuple[str, list[ToolCall], Checked]:
        """Its text, the calls in it as it made them, and those that can be used."""
        tools = self.specs if self.way == "tools" else ()
        most = min(WRITTEN, self.writer.window // 4)
        shown = fitted(self.prompt.past, lambda past: self._cost(past, more) + most <= self.writer.window)
        parts = tuple(PromptPart(f"found by {one.tool}", self.writer.tokens(one.text), one.kept) for one in shown)
        self.writer.parts, self.writer.estimated = parts, self._cost(shown, more)
        text, calls = "", list[ToolCall]()
        form = None if tools else tool_calls.schema(spec.name for spec in self.specs)
        sent = [*messages(self.prompt.question, shown, self.specs, self.way), *more]
        for event in self.writer.write(
            sent, schema=form, tools=tools, cancel=self.cancel, temperature=0.0, tokens=most
        ):
            if isinstance(event, str):
                text += event
            elif isinstance(event, ToolCall):
                calls.append(tool_calls.tidied(event))
        text = storable(text)
        checked = self._checked(text, calls)
        self.lines += _lines(self.writer.name, checked)
        return text, calls, checked

    def _checked(self, text: str, calls: Sequence[ToolCall]) -> Checked:
        """Small models write a call as text where they should make it; other text than JSON calls nothing."""
        if not calls and (self.way == "schema" or "{" in text):
            try:
                calls = tool_calls.calls_in(text)
            except ValueError as error:
                return Checked(refused=(Refused(None, str(error)),))
        names = [spec.name for spec in self.specs]
        ordered = {word for one in self.prompt.past for word in one.ordered} - set(content_words(self.prompt.question))
        return tool_calls.check(calls, names, self.prompt.before, self.prompt.planned, ordered, self.prompt.strays)

    def _cost(self, shown: Sequence[PastSearch], more: Sequence[Message]) -> int:
        """Tokens of what is sent."""
        sent = [*messages(self.prompt.question, shown, self.specs, self.way), *more]
        texts = [message.text + "".join(f"{c.name}{dict(c.arguments)}" for c in message.calls) for message in sent]
        texts += [str(spec) for spec in self.specs] if self.way == "tools" else []
        return sum(map(self.writer.tokens, texts)) + MESSAGE * len(texts)


def messages(question: str, shown: Sequence[PastSearch], specs: Sequence[ToolSpec], way: Strategy) -> list[Message]:
    """The question, and what was searched and found so far, as the model's own calls."""
    rules = Message("system", render("think-rules", most=str(tool_calls.MOST)))
    question = " ".join(question.split())
    if way == "tools":
        calls = tuple(ToolCall(f"search-{n}", one.tool, {"query": one.query}) for n, one in enumerate(shown, 1))
        answers = [Message("tool", one.text, call_id=call.id) for one, call in zip(shown, calls, strict=True)]
        asking = Message("user", render("think", question=question))
        more = [Message("assistant", "", calls), *answers, _MORE] if shown else []
        return [rules, asking, *more]
    listed = "\n".join(f"- {spec.name}: {spec.description}" for spec in specs)
    asking = Message("user", render("think-json", question=question, tools=listed, example=specs[0].name))
    if not shown:
        return [rules, asking]
    wanted = json.dumps({"calls": [{"tool": one.tool, "query": one.query} for one in shown]}, ensure_ascii=False)
    found = "\n\n".join(f"{one.tool}, {one.query}:\n{one.text}" for one in shown)
    return [rules, asking, Message("assistant", wanted), Message("user", render("think-found", found=found))]


_MORE = Message("user", render("think-more"))
"""Behind the tools' results: some models' templates show the tools only where a person spoke last."""


def fitted(whole: Sequence[PastSearch], fits: Callable[[Sequence[PastSearch]], bool]) -> Sequence[PastSearch]:
    """What was found, shortened until it fits: the oldest to its titles first, then the oldest left out."""
    shorter = whole
    for shorter in _shorter(whole):
        if fits(shorter):
            break
    return shorter


def _shorter(whole: Sequence[PastSearch]) -> Iterator[Sequence[PastSearch]]:
    yield whole
    now = list(whole)
    kept: Kept
    for kept in ("summarised", "left out"):
        for place, one in enumerate(now):
            now[place] = replace(one, kept=kept)
            yield tuple(now)


def _sent_back(text: str, calls: Sequence[ToolCall], refused: Sequence[Refused]) -> list[Message]:
    """The reply, and for each call in it what is wrong with it; where it was text, as the person's message."""
    whys = {one.call.id: one.why for one in refused if one.call}
    if calls:
        answers = [Message("tool", f"Error: {whys[call.id]}.", call_id=call.id) for call in calls if call.id in whys]
        return [Message("assistant", text, tuple(calls)), *answers, _MORE]
    reason = "; ".join(dict.fromkeys(one.why for one in refused))
    return [Message("assistant", text), Message("user", render("think-again", reason=reason))]


def _lines(name: str, checked: Checked) -> tuple[str, ...]:
    wanted = [f"{name} wants {call.name}: {call.arguments['query']}" for call in checked.calls]
    wanted += [f"{name} wants {call.name} as well: {call.arguments['query']}" for call in checked.covered]
    wanted += [f"refused {_written_call(one.call)}: {one.why}" for one in checked.refused]
    return tuple(wanted) or (f"{name} calls nothing",)


def _written_call(call: ToolCall | None) -> str:
    if call is None:
        return "what it wrote"
    arguments: Mapping[str, Any] = call.arguments
    return f"{call.name}({', '.join(f'{key}={value}' for key, value in arguments.items())})"[:120]


def _shown(passage: Passage) -> tuple[str, str]:
    text = " ".join(neutralised(passage.text).text.split())
    cut = text if len(text) <= BEGINNING else text[:BEGINNING].rpartition(" ")[0] + " ..."
    return neutralised(passage.name).text, cut

"""The searches that a language model wants beside the policy's. It is asked once: the prompt has what was found, the
reply is JSON, and code makes the calls.

Small models name tools that do not exist, give wrong arguments, repeat calls, or write calls as text: what can be read
is read, and every other call is refused with the reason, in words for the model."""

import ast
import json
import re
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import BaseModel

from clew.agent.llm.ledger import MESSAGE, RecordedWriter
from clew.agent.state import Call, Prompted, PromptPart
from clew.memory.datatypes import Passage, Wording
from clew.memory.errors import ServiceUnreachable
from clew.memory.instructions import Topic, neutralised, orders, speaks_to_a_model
from clew.memory.json_lines import outermost, read_json
from clew.memory.language.telling import language_of
from clew.memory.ports import Message, WriteOptions, text_of
from clew.memory.text import content_words, storable
from clew.prompts import render

MOST = 3
"""Calls of a plan."""

SHOWN = 5
"""Passages that a search of the model adds, over all of its wordings."""

READ = 6
"""Passages that the model plans by, the best first: of each its best units."""

WRITTEN = 300
"""Tokens that a plan may have; in a small window at most a quarter of it."""

UNSEARCHED = ("calculate", "list_documents", "table")
"""Tools whose first argument is not a text to search for."""

LONGEST = 300
"""Characters of a query; longer text is an answer, or a model that does not stop."""

WORDING = "model"
"""The name of a wording that a language model chose."""

LIMITS = ("within", "from_date", "to_date", "page")
OF_TABLES = ("columns", "where", "group_by", "aggregate", "order_by", "descending", "limit")
"""Arguments that a tool may have beside its query."""

SearchKeys = frozenset[tuple[str, str]]
"""Searches by their tool and the words that they look for."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as it is described to a model, LangChain and MCP. Of its `arguments` the first is required of a model; in
    a parsed call it is named `query`."""

    name: str
    description: str
    arguments: type[BaseModel]

    @property
    def shown(self) -> str:
        """`search(query, within?): passages`"""
        first, *others = self.arguments.model_fields
        return f"{self.name}({', '.join([first, *(f'{one}?' for one in others)])}): {self.description}"


class ToolCall(NamedTuple):
    """A tool that the model wants called, by its name as it is written, its arguments parsed."""

    name: str
    arguments: Mapping[str, Any]

    def __str__(self) -> str:
        """`graph(query=the Moon, page=2)`"""
        return f"{self.name}({', '.join(f'{key}={value}' for key, value in self.arguments.items())})"


class Refused(NamedTuple):
    """What a model wrote that cannot be called, and why not, in words for the model."""

    written: str
    why: str


def schema(specs: Sequence[ToolSpec]) -> Mapping[str, Any]:
    """The JSON schema of a plan: a form for each tool."""
    each = {spec.name: spec.arguments.model_json_schema() for spec in specs}
    forms = [
        {
            "type": "object",
            "properties": {"tool": {"enum": [name]}, **{key: _short(part) for key, part in its["properties"].items()}},
            "required": ["tool", next(iter(its["properties"]))],
        }
        for name, its in each.items()
    ]
    calls = {"type": "array", "items": {"anyOf": forms}, "maxItems": MOST}
    parts = {name: part for its in each.values() for name, part in its.get("$defs", {}).items()}
    return {"type": "object", "properties": {"calls": calls}, "required": ["calls"], "$defs": parts}


def _short(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """A text with its longest length: small models do not end one by themselves, and a plan that breaks off is none."""
    return {**part, "maxLength": LONGEST // MOST} if part.get("type") == "string" else part


def search_keys(calls: Iterable[Call]) -> SearchKeys:
    """Each wording of a call counts as a search."""
    return frozenset((call.tool, _words(wording.text)) for call in calls for wording in call.wordings)


def check(
    calls: Sequence[ToolCall],
    names: Sequence[str],
    before: SearchKeys,
    strays: Callable[[str], bool] = lambda _: False,
) -> tuple[list[Call], list[Refused]]:
    """The usable calls of a reply, and the refused ones. `before` are searches that this turn has made or is about to
    make. Calls get the tool's own name and separate `query` from other arguments. A query that `strays` from the
    question is refused (`PlanPrompt.strays`)."""
    good, refused, known = list[Call](), list[Refused](), set(before)
    for call in calls:
        name, given = _tool_name(call.name, names), call.arguments.get("query")
        query = " ".join(storable(given).split()) if isinstance(given, str) else ""
        searches = name not in UNSEARCHED
        limits = {key: _as_text(call.arguments[key]) for key in (*LIMITS, *OF_TABLES) if call.arguments.get(key)}
        search = (name, _words(" ".join((query, *limits.values()))))
        wrong = {
            f"there is no tool '{call.name[:40]}', only {', '.join(names)}": name not in names,
            f'{name} takes one argument, a text: {{"query": "what to look for"}}': searches and not _words(query),
            f"the query has {len(query)} characters, and may have {LONGEST}": len(query) > LONGEST,
            "the query is not about the question": searches and (speaks_to_a_model(query) or strays(query)),
            "this search was made already, with the same words": search in known,
            f"more than {MOST} calls at once": len(good) == MOST,
        }
        if why := next((why for why, holds in wrong.items() if holds), ""):
            refused.append(Refused(storable(str(call)), storable(why)))
        else:
            known.add(search)
            good.append(Call(name, (Wording(WORDING, query, 1.0),), by_model=True, given=limits))
    return good, refused


def _tool_name(name: str, names: Sequence[str]) -> str:
    """`functions.Hybrid` is hybrid."""
    bare = name.strip().rpartition(".")[2].lower()
    return bare if bare in names else name


def _as_text(value: Any) -> str:
    """An argument as it is stored and sent: a list or an object as JSON."""
    return storable(value if isinstance(value, str) else json.dumps(value, default=str, skipkeys=True))


def _words(text: str) -> str:
    """What must differ between two different searches."""
    return " ".join(re.findall(r"\w+|[-+*/]", text.casefold()))


# Asked for -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """`calls` are the searches that the model wants; `lines` describe them for the person; `failure` says why there is
    no plan, or is empty."""

    calls: tuple[Call, ...] = ()
    lines: tuple[str, ...] = ()
    failure: str = ""
    ledger: tuple[Prompted, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanPrompt:
    """What a plan is made from: the question as understood, the `passages` found so far, best first, and the searches
    `made` so far; `topic` is the question's; `units` are the best sentences of passages, by their ids."""

    question: str
    passages: Sequence[Passage]
    made: SearchKeys
    topic: Topic
    units: Mapping[str, str] = field(default_factory=dict)

    def strays(self, query: str) -> bool:
        """Whether a query was put in by a document: it has only words of an order, or it has nothing to do with the
        question, nor do the lines that contain its words; of a query in another language than the question, all of
        them."""
        words = set(content_words(query))
        if words and words <= self._ordered():
            return True
        if self.topic.has(query):
            return False
        told = [(line, words.intersection(content_words(line))) for line in self._lines()]
        translated = len({language_of(self.question), language_of(query)} - {""}) > 1  # never near to the question
        return self.topic.foreign([line for line, held in told if (held == words if translated else held)])

    def _lines(self) -> Iterator[str]:
        for passage in self.passages:
            yield from (passage.title, *passage.text.splitlines())

    def _ordered(self) -> set[str]:
        """Words of the passages that only an order to a model contains."""
        said = (one for passage in self.passages for one in orders(f"{passage.title}\n\n{passage.text}"))
        return {word for one in said for word in content_words(one)} - set(content_words(self.question))


def planned(
    writer: RecordedWriter, specs: Sequence[ToolSpec], prompt: PlanPrompt, cancel: threading.Event
) -> ModelPlan:
    """Asks the model; the plan has what can be used of its reply. Raises only `Cancelled`."""
    most = min(WRITTEN, writer.window // 4)
    names = [spec.name for spec in specs]
    message = asked(prompt, specs, writer.window - most, writer)
    try:
        said = text_of(writer.write([message], WriteOptions(schema(specs), cancel, 0.0, most)))
    except ServiceUnreachable as error:
        return ModelPlan(failure=error.message, ledger=writer.ledger)
    try:
        written = calls_in(storable(said), names)
        calls, refused = check(written, names, prompt.made, prompt.strays)
    except (ValueError, RecursionError) as error:
        calls, refused = [], [Refused("what it wrote", str(error))]
    lines = [f"{writer.name} wants {call.tool}: {call.wordings[0].text}" for call in calls]
    lines += [f"refused {one.written[:120]}: {one.why}" for one in refused]
    failure = refused[0].why if refused and not calls else ""
    return ModelPlan(tuple(calls), tuple(lines) or (f"{writer.name} wants no more",), failure, writer.ledger)


def asked(prompt: PlanPrompt, specs: Sequence[ToolSpec], room: int, writer: RecordedWriter) -> Message:
    """The prompt, with the best units of as many passages as fit into `room` tokens."""
    tools = "\n".join(f"- {spec.shown}" for spec in specs)
    question, most = " ".join(prompt.question.split()), str(MOST)
    units = ((one.name, prompt.units.get(one.id, "")) for one in prompt.passages[:READ])
    shown = [f"- {neutralised(name).text}: {' '.join(neutralised(unit).text.split())}" for name, unit in units]
    for count in range(len(shown), -1, -1):
        found = "\n".join(shown[:count]) or "Nothing."
        text = render("plan", question=question, tools=tools, found=found, most=most)
        if writer.tokens(text) + MESSAGE <= room:
            break
    writer.parts = (PromptPart("what was found", writer.tokens(found)),)
    return Message("user", text)


# Calls that are written as text --------------------------------------------------------------------------------------

_OBJECT = ("{", '"{')
"""What text begins with that stands for an object, as JSON or as text of JSON."""

_QUERIES = ("query", "search_query", "q", "question", "input", "text", "title", "about", "expression", "table")
_NAMES = ("tool", "name", "function", "tool_name", "action", "recipient_name")
_ARGUMENTS = ("arguments", "parameters", "args", "action_input", "tool_input", "input", "properties")

_QUOTE = re.compile(r'<\|"\|>|<escape>')  # Gemma 4, FunctionGemma
_NAMED_BEFORE = re.compile(
    r"([\w.]+)(?::\d+)?"  # hybrid, functions.hybrid:0
    # Marks of templates before its arguments
    r"(?:<[^<>]*>|\[\w+\]\w*|✿ARGS✿|json|commentary|Action[ _]Input|[^\w{}<\[])*\Z"
)
_TAGGED = re.compile(r'<(?:function=|tool name="|(?:\w+:)?invoke name="|tool_call>\s*(?=[\w.]+\s*<arg_key>))([\w.]+)')
_PARAMETER = re.compile(
    r'<(?:arg_key>|parameter=|(?:\w+:)?parameter name="|(?=\w+>))(\w+)(?:"[^>]*>|>|</arg_key>\s*<arg_value>)'
    r"\s*(.*?)\s*(?=</|\Z)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""(\w+)=(["'])(.*?)\2""", re.DOTALL)
_AROUND_CODE = re.compile(r"<\|[^<>]*\|>|```\w*|`|^\s*(?:[-*>]|\d+[.)]|Action:)\s*", re.MULTILINE)
_REACT = re.compile(
    r"^\W*Action(?: \d+)?:\W*([\w.]+)(?:\[(.+)\]\s*|\W*\n\W*Action[ _]Input(?: \d+)?:\W*(.+))$", re.MULTILINE
)
_WITHIN_CALL = re.compile(r"(?<=\()\s*\n\s*|(?<=,)\s*\n\s*(?=\w+\s*=)|\s*\n\s*(?=\))")

BETWEEN = 80
"""Characters between the name of a tool and its arguments, at most."""


def calls_in(text: str, names: Sequence[str]) -> list[ToolCall]:
    """The calls in a reply, in any form that models use: JSON with or behind a tool's name, tags, Python, ReAct. The
    first form that gives a call is used; unknown names are ignored.

    Raises `ValueError`, in words for the model, if nothing can be read."""
    text = _QUOTE.sub('"', text)
    found = _in_json(text, names) or _in_tags(text) or _in_python(text, names)
    found = found or [
        ToolCall(name, {"query": (said or below).strip("\"'`* ")})
        for name, said, below in _REACT.findall(text)
        if _tool_name(name, names) in names
    ]
    if not found:
        read_json(text)  # says what is wrong with it
    return [ToolCall(name, _with_query(given)) for name, given in found]


def _in_json(text: str, names: Sequence[str]) -> list[ToolCall]:
    """`{"name": "graph", "arguments": {...}}`, `graph {...}`, with marks of any template around them."""
    found = list[ToolCall]()
    with suppress(ValueError):  # the last one breaks off
        for start, end in outermost(text):
            value = _value(text[start:end])
            before = _NAMED_BEFORE.search(text, max(0, start - BETWEEN), start)
            if calls := _named(value, names):
                found += calls
            elif before and _tool_name(before[1], names) in names and isinstance(value, dict):
                found.append(ToolCall(before[1], _arguments(value)))
    return found


def _value(text: str) -> Any:
    """The value of JSON, also with unquoted keys, or of a Python literal; None for anything else."""
    for form in (text, re.sub(r"([{,]\s*)(\w+)\s*:", r'\1"\2":', text)):
        with suppress(ValueError):
            return read_json(form)
    with suppress(ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return json.loads(json.dumps(ast.literal_eval(text)))
    return None


def _named(value: Any, names: Sequence[str]) -> list[ToolCall]:
    """The calls in a value: `{"tool": "graph", "query": ...}`, `{"graph": "the Moon"}`, or lists of these."""
    if not isinstance(value, dict):
        return [call for each in value for call in _named(each, names)] if isinstance(value, list) else []
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), "")
    flat = {key: each for key, each in value.items() if key not in (*_NAMES, "type", "id")}
    arguments = next((value[key] for key in _ARGUMENTS if key in value), None)
    if name and (arguments is not None or "query" in flat or _tool_name(name, names) in names):
        return [ToolCall(name, _arguments(flat if arguments is None else arguments))]
    if all(_tool_name(key, names) in names for key in value):
        return [ToolCall(key, _arguments(each)) for key, each in value.items()]
    return [call for each in value.values() for call in _named(each, names)]


def _arguments(value: Any) -> Mapping[str, Any]:
    """The arguments in an object, in a nested one, or in text; text that is no object is the query."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    while isinstance(value, str):  # text in text, at times
        value = _value(value) if value.strip().startswith(_OBJECT) else {"query": value}
    if not isinstance(value, dict) or "query" in value:
        return value if isinstance(value, dict) else {}
    inner = next((value[key] for key in _ARGUMENTS if key in value), None)
    return value if inner is None else _arguments(inner)


def _in_tags(text: str) -> list[ToolCall]:
    """`<function=graph><parameter=query>the Moon</parameter></function>`, `<tool name="graph"><query>the Moon</query>`,
    `<function=graph>query="the Moon"</function>`."""
    _, *parts = _TAGGED.split(text)
    calls = [
        ToolCall(name, dict(_PARAMETER.findall(said)) or {key: value for key, _, value in _ATTRIBUTE.findall(said)})
        for name, said in zip(parts[::2], parts[1::2], strict=True)
    ]
    return [one for one in calls if one.arguments]


def _in_python(text: str, names: Sequence[str]) -> list[ToolCall]:
    """`graph("the Moon")`, where a line is code."""
    found = list[ToolCall]()
    for line in _AROUND_CODE.sub("", _WITHIN_CALL.sub("", text)).splitlines():
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of backslashes in its texts
            made = [node for node in ast.walk(ast.parse(line.strip(" \t."))) if isinstance(node, ast.Call)]
            calls = [(ast.unparse(node.func).removesuffix(".call"), node) for node in made]
            found += [ToolCall(name, _given(node)) for name, node in calls if _tool_name(name, names) in names]
    return found


def _given(call: ast.Call) -> Mapping[str, Any]:
    """The arguments of a call; the first without a name is the query. Raises `ValueError` for what is no literal."""
    given = [("query", one) for one in call.args[:1]] + [(one.arg, one.value) for one in call.keywords if one.arg]
    return {name: ast.literal_eval(value) for name, value in given}


def _with_query(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments with the query under its own name, whatever the model called it; a single text is the query. One
    that is again an object, or a list of one text, is what stands in it."""
    texts = {
        key: text
        for key, value in arguments.items()
        if (key in _QUERIES or isinstance(value, str)) and (text := _text_in(value))
    }
    named = [texts[key] for key in _QUERIES if key in texts] or (list(texts.values()) if len(texts) == 1 else [])
    return {**arguments, "query": named[0]} if named else arguments


def _text_in(value: Any) -> str:
    """`the Moon` of itself, of `["the Moon"]` and of `{"type": "string", "value": "the Moon"}`; else empty."""
    if isinstance(value, str):
        inner = _value(value) if value.strip().startswith(_OBJECT) else None
        return value if inner is None else _text_in(inner)
    if isinstance(value, dict):
        value = [value[key] for key in (*_QUERIES, "value") if key in value][:1]
    return _text_in(value[0]) if isinstance(value, list) and len(value) == 1 else ""

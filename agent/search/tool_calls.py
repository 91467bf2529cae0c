"""The searches that a language model still wants, asked once: what was found is in the prompt, the reply is JSON, and
the calls are made by code.

Small models call tools that there are not, with arguments that do not fit, the same one for ever, or write the call as
text: what can be read is read, and each other call is refused with the reason, in words for the model.
"""

import json
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from clew.agent.llm.ledger import MESSAGE, RecordedWriter
from clew.agent.llm.prompt_passages import best_sentences, untitled
from clew.agent.state import Call, Prompted, PromptPart
from clew.memory.datatypes import Passage, Wording
from clew.memory.errors import ServiceUnreachable
from clew.memory.instructions import Topic, neutralised, orders, speaks_to_a_model
from clew.memory.json_lines import read_json
from clew.memory.ports import Message, WriteOptions, text_of
from clew.memory.text import content_words, storable
from clew.prompts import render

MOST = 3
"""Calls of a plan."""

SHOWN = 5
"""Passages that a search of the model brings: it answers for all of them."""

READ = 6
"""Passages that the model plans by, the best first: of each its best sentences."""

WRITTEN = 300
"""Tokens that a plan may have. Of a small window at most a quarter."""

UNSEARCHED = ("calculate", "list_documents", "table")
"""Tools whose first argument is no words to search."""

LONGEST = 300
"""Characters of a query: a question or key words. What is longer is an answer, or a model that does not stop."""

WORDING = "model"
"""The name of a wording that a language model chose."""

LIMITS = ("within", "from_date", "to_date", "page")
OF_TABLES = ("columns", "where", "group_by", "aggregate", "order_by", "descending", "limit")
"""Arguments that a tool may have beside its query."""

SearchKeys = frozenset[tuple[str, str]]
"""Searches by their tool and the words that they look for."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model is told of it. The first of its arguments is needed; as a call is read, it is the `query`.
    `schema` is the JSON schema of arguments that are no plain texts."""

    name: str
    description: str
    arguments: tuple[str, ...] = ("query",)
    schema: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        """`search(query, within?): passages`"""
        first, *others = self.arguments
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


def schema(specs: Iterable[ToolSpec]) -> Mapping[str, Any]:
    """The JSON schema of a plan: tools of the same arguments share a form."""
    alike = dict[tuple[str, ...], list[ToolSpec]]()
    for spec in specs:
        alike.setdefault(spec.arguments, []).append(spec)
    forms = [
        {
            "type": "object",
            "properties": {
                "tool": {"enum": [spec.name for spec in of_form]},
                **{name: of_form[0].schema.get("properties", {}).get(name, {"type": "string"}) for name in arguments},
            },
            "required": ["tool", arguments[0]],
        }
        for arguments, of_form in alike.items()
    ]
    calls = {"type": "array", "items": forms[0] if len(forms) == 1 else {"anyOf": forms}, "maxItems": MOST}
    parts = {name: part for of_form in alike.values() for name, part in of_form[0].schema.get("$defs", {}).items()}
    return {"type": "object", "properties": {"calls": calls}, "required": ["calls"], "$defs": parts}


def search_keys(calls: Iterable[Call]) -> SearchKeys:
    """Each wording of a call counts as a search."""
    return frozenset((call.tool, _words(wording.text)) for call in calls for wording in call.wordings)


def tidied(call: ToolCall) -> ToolCall:
    """With nothing that could not be stored or sent again: lists and objects as JSON."""
    arguments = {
        storable(key): value
        if isinstance(value, int | float | bool)
        else storable(value if isinstance(value, str) else json.dumps(value, sort_keys=True))
        for key, value in call.arguments.items()
        if value is not None
    }
    return ToolCall(storable(call.name), arguments)


def check(
    calls: Sequence[ToolCall],
    names: Sequence[str],
    before: SearchKeys,
    strays: Callable[[str], bool] = lambda _: False,
) -> tuple[list[Call], list[Refused]]:
    """What of a reply can be used, and what cannot. `before` are the searches that this turn has made, and those that
    the policy makes in this round. The calls come out with their tool's own name, the query, and what else a tool
    takes. A query that `strays` from the question is none (`PlanPrompt.strays`)."""
    good, refused, known = list[Call](), list[Refused](), set(before)
    for call in calls:
        name, given = _tool_name(call.name, names), call.arguments.get("query")
        query, searches = " ".join(given.split()) if isinstance(given, str) else "", name not in UNSEARCHED
        limits = {key: str(call.arguments[key]) for key in (*LIMITS, *OF_TABLES) if call.arguments.get(key)}
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
            refused.append(Refused(str(call), why))
        else:
            known.add(search)
            good.append(Call(name, (Wording(WORDING, query, 1.0),), by_model=True, given=limits))
    return good, refused


def _tool_name(name: str, names: Sequence[str]) -> str:
    """`functions.Hybrid` is hybrid."""
    bare = name.strip().rpartition(".")[2].lower()
    return bare if bare in names else name


def _words(text: str) -> str:
    """What has to differ for a search to be another one."""
    return " ".join(re.findall(r"\w+|[-+*/]", text.casefold()))


# Asked for -----------------------------------------------------------------------------------------------------------


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
        """Whether what was found chose it: it has only words of an order in it, or has nothing to do with the question,
        nor has what has its words there."""
        words = set(content_words(query))
        if words and words <= self._ordered():
            return True
        if self.topic.has(query):
            return False
        lines = [line for passage in self.passages for line in (passage.title, *passage.text.splitlines())]
        return self.topic.foreign([line for line in lines if words.intersection(content_words(line))])

    def _ordered(self) -> set[str]:
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
        said = text_of(writer.write([message], WriteOptions(schema(specs), cancel, 0.0, most)))
    except ServiceUnreachable as error:
        return ModelPlan(failure=error.message, ledger=writer.ledger)
    try:
        written = calls_in(storable(said), names)
        calls, refused = check(written, names, prompt.made, prompt.strays)
    except ValueError as error:
        calls, refused = [], [Refused("what it wrote", str(error))]
    lines = [f"{writer.name} wants {call.tool}: {call.wordings[0].text}" for call in calls]
    lines += [f"refused {one.written[:120]}: {one.why}" for one in refused]
    failure = refused[0].why if refused and not calls else ""
    return ModelPlan(tuple(calls), tuple(lines) or (f"{writer.name} wants no more",), failure, writer.ledger)


def asked(prompt: PlanPrompt, specs: Sequence[ToolSpec], room: int, writer: RecordedWriter) -> Message:
    """With the best sentences of as many passages as so many tokens have room for."""
    tools = "\n".join(f"- {spec.shown}" for spec in specs)
    question, most = " ".join(prompt.question.split()), str(MOST)
    shown = [_shown(prompt.question, passage) for passage in prompt.passages[:READ]]
    for count in range(len(shown), -1, -1):
        found = "\n".join(shown[:count]) or "Nothing."
        text = render("plan", question=question, tools=tools, found=found, most=most)
        if writer.tokens(text) + MESSAGE <= room:
            break
    writer.parts = (PromptPart("what was found", writer.tokens(found)),)
    return Message("user", text)


def _shown(question: str, passage: Passage) -> str:
    """A title, and the sentences of the passage that have most of the question's words."""
    clean = " ".join(best_sentences(question, untitled(passage.title, neutralised(passage.text).text)).split())
    return f"- {neutralised(passage.name).text}: {clean}"


# Calls that are written as text --------------------------------------------------------------------------------------

_QUERIES = ("query", "search_query", "q", "question", "input", "text", "title", "about", "expression", "table")
_NAMES = ("tool", "name", "function", "tool_name", "action")
_ARGUMENTS = ("arguments", "parameters", "args", "action_input", "tool_input", "input", "properties")
_INNER = ("function", "function_call", "tool_call", "action")

_TEXT = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.|'(?=\w))*')"""
_KEY = r"""["']?\w+["']?\s*[=:]\s*"""
_PAIR = rf"(?:(?:{_KEY})?{_TEXT}|{_KEY}(?:-?\d[\d.]*|[Tt]rue|[Ff]alse|[Nn]one|null)\b)"
_PAIRS = rf"\s*{_PAIR}(?:\s*,\s*{_PAIR})*\s*,?\s*"
_EACH_PAIR = re.compile(rf"""(?:["']?(?P<key>\w+)["']?\s*[=:]\s*)?(?P<value>{_TEXT}|[\w.-]+)""", re.DOTALL)
_XML = re.compile(
    r'<(?:arg_key>|parameter=|(?:\w+:)?parameter name=")?(\w+)(?:"[^>]*>|>|</arg_key>\s*<arg_value>)'
    r"\s*(.*?)\s*(?:</(?:arg_value|(?:\w+:)?parameter|\1)>|\Z)",
    re.DOTALL,
)
_WITHIN = rf"(?:{_PAIRS}|\s*\{{[^{{}}]*\}}\s*)"
_PYTHON = re.compile(rf"(?:\w+\.)*?(?P<name>\w+)(?:\.call)? ?\((?P<arguments>{_WITHIN})\)", re.DOTALL)
_CALL = rf"(?:print\()?[\w.]+ ?\({_WITHIN}\)"

_NAME, _GIVEN = r"(?P<name>[\w.-]+)", r"\s*(?P<arguments>.*?)"
_MARK = r"<\|?(?i:tool_?calls?)\|?>|\[TOOL_CALLS\]|<\|python_tag\|>|<\|START_ACTION\|>|<function_call>|functools(?=\[)"
_END = rf"(?={_MARK})|</(?i:tool_?calls?|function_call|s)>|<\|\w*/?\w+\|>|\Z"


_MARKED = (
    rf"<function={_NAME}>{_GIVEN}(?:</function>|\Z)",  # Llama 3, Qwen3-Coder
    r"to=functions\.(?P<name>\w+)[^{]{0,80}(?P<arguments>\{.*?)(?=<\||\Z)",  # gpt-oss
    rf"\[TOOL_CALLS\]\s*{_NAME}(?:\[\w+\]\w*)*\s*(?P<arguments>\{{.*?)(?=\[TOOL_CALLS\]|</s>|\Z)",  # Mistral
    rf"<tool_call>\s*{_NAME}\s*(?P<arguments><arg_key>.*?)(?:</tool_call>|\Z)",  # GLM
    rf"<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?{_NAME}(?:<｜tool▁sep｜>)?{_GIVEN}(?:<｜|\Z)",  # DeepSeek
    rf"{_NAME}(?::\d+)?\s*<\|tool_call_argument_begin\|>{_GIVEN}(?:<\|tool_call_end\|>|\Z)",  # Kimi
    rf'<(?:\w+:)?invoke name="{_NAME}">{_GIVEN}(?:</(?:\w+:)?invoke>|\Z)',  # MiniMax
    rf"call:{_NAME}\{{{_GIVEN}\}}(?:<tool_call\|>|<end_function_call>|\Z)",  # Gemma 4, FunctionGemma
    rf"(?:{_MARK})\s*(?P<calls>[^<\s].*?)(?:{_END})",  # Hermes, Qwen, Granite, Phi, Nemotron, Llama 3
    r"Action:\s*```(?:json)?(?P<calls>.*?)(?:```|\Z)",  # Command-R
)
_LOOSE = (
    rf"^\W*Action:\s*{_NAME}\s*\n\s*Action[ _]Input:{_GIVEN}"
    r"(?=\n\s*(?:Observation|Thought|Action|Final Answer)\b|\Z)",  # ReAct
    rf"(?:^|>>>){_NAME}\s*(?P<arguments>\{{.*?\}})(?=\s*(?:>>>|<\||\n|\Z))",  # Functionary, GLM-4
    r"^[ \t>`*\[-]*(?:tool_code|python)?[ \t]*(?:\d+[.)]|Action:|\w+[ \t]*=|await\b)?[ \t]*"
    rf"(?P<calls>{_CALL}(?:\)?\s*[,;]\s*{_CALL})*)[)\]`; \t.]*$",  # Gemma, Llama 3.2 and 4
    r"(?P<calls>(?<=\})\s*;?\s*\{.+?\}(?=\s*;?\s*(?:\{|(?:```\s*)?\Z))|\{.+?\}(?=\s*;?\s*\{))",  # several objects
)
_FORMS = [(re.compile(one, re.DOTALL | re.MULTILINE), one in _LOOSE) for one in (*_MARKED, *_LOOSE)]
"""How the models of each family write calls as text: a tool's name and its arguments, or `calls` in JSON or Python. The
first form that finds a call reads the reply. A loose one is one by its tool's name alone: with another name it is
prose."""


def calls_in(text: str, names: Sequence[str]) -> list[ToolCall]:
    """The calls that a reply has as text: JSON, or a form that models write. Objects that name no tool are none, and so
    are loose forms with other names than the tools'.

    Raises `ValueError`, in words for the model, where nothing can be read.
    """
    read = (calls for pattern, loose in _FORMS if (calls := _in_form(pattern, loose, text, names)))
    found = next(read, None) or _in_json(text, names)
    return [tidied(ToolCall(name, _with_query(given))) for name, given in found]


def _in_form(pattern: re.Pattern[str], loose: bool, text: str, names: Sequence[str]) -> list[ToolCall]:
    found = list[ToolCall]()
    for parts in (match.groupdict() for match in pattern.finditer(text)):
        if "name" in parts:
            found.append(ToolCall(parts["name"], _arguments(parts["arguments"])))
        elif not re.match(r"\W*\{", parts["calls"]) and (python := _in_python(parts["calls"], names)):
            found += python
        else:
            with suppress(*([ValueError] if loose else [])):
                found += _in_json(parts["calls"], names)
    return [one for one in found if not loose or _tool_name(one.name, names) in names]


def _in_python(text: str, names: Sequence[str]) -> list[ToolCall]:
    calls = [ToolCall(match["name"], _arguments(match["arguments"])) for match in _PYTHON.finditer(text)]
    return [one for one in calls if _tool_name(one.name, names) in names]


def _in_json(text: str, names: Sequence[str]) -> list[ToolCall]:
    """Of an object, of a list or of an object's list of calls."""
    value = read_json(text)
    if isinstance(value, dict):
        value = next((value[key] for key in ("calls", "tool_calls") if isinstance(value.get(key), list)), [value])
    return [named for each in value if isinstance(each, dict) for named in _named(each, names)]


def _named(value: Mapping[str, Any], names: Sequence[str]) -> Iterator[ToolCall]:
    """The tool's name and its arguments, where an object is a call: `{"name": "graph", "arguments": {...}}`,
    `{"graph": {...}}`, `{"graph": "the Moon"}`."""
    value = next((value[key] for key in _INNER if isinstance(value.get(key), dict)), value)
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), "")
    arguments = next((value[key] for key in _ARGUMENTS if key in value), None)
    if not name and all(_tool_name(key, names) in names for key in value):
        yield from (ToolCall(key, _arguments(each)) for key, each in value.items())
    elif name and arguments is not None:
        yield ToolCall(name, _arguments(arguments))
    elif name and ("query" in value or _tool_name(name, names) in names):
        yield ToolCall(name, {key: each for key, each in value.items() if key not in (*_NAMES, "type", "id")})


def _arguments(value: Any) -> Mapping[str, Any]:
    """Of an object, within others or as text; none where it cannot be read."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, str):
        return _in_text(re.sub(r'<\|"\|>|<escape>', '"', value.strip()))
    if not isinstance(value, dict) or "query" in value:
        return value if isinstance(value, dict) else {}
    inner = next((value[key] for key in _ARGUMENTS if key in value), None)
    return value if inner is None else _arguments(inner)


def _in_text(text: str) -> Mapping[str, Any]:
    """JSON, XML, `query="the Moon"`, or nothing but the query."""
    text = re.sub(r"^```\w*\s*|\s*```$", "", text)
    if text.startswith("{"):
        with suppress(ValueError):
            return _arguments(read_json(text))
    if text.startswith("<") and (found := _XML.findall(text)):
        return dict(found)
    if re.fullmatch(_PAIRS, text.strip("{}"), re.DOTALL):  # of values without a name the first is the query
        pairs = [(match["key"] or "query", match["value"]) for match in _EACH_PAIR.finditer(text)]
        return {key: re.sub(r"\\(.)", r"\1", v[1:-1]) if v[0] in "\"'" else v for key, v in reversed(pairs)}
    return {} if not text or text.startswith("{") else {"query": text}


def _with_query(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Under its own name, whatever the model called it; a text that is alone is it."""
    texts = {key: value for key, value in arguments.items() if isinstance(value, str)}
    named = [texts[key] for key in _QUERIES if key in texts] or (list(texts.values()) if len(texts) == 1 else [])
    return {**arguments, "query": named[0]} if named else arguments

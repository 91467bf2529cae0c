"""Tool calls of a language model: the tools' specifications, and the reading and checking of what it writes.

Small models call tools that there are not, with arguments that do not fit, or the same one for ever: what can be used
is used, and each other call is refused with the reason, in words for the model.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clew.agent.state import Call
from clew.memory.datatypes import Wording
from clew.memory.instructions import speaks_to_a_model
from clew.memory.json_lines import read_json
from clew.memory.text import content_words, storable
from clew.tools.base import Tool

MOST = 3
"""Searches at once."""

LONGEST = 300
"""Characters of a query: a question or key words. What is longer is an answer, or a model that does not stop."""

WORDING = "model"
"""The name of a wording that a language model chose."""

SHOWN_NAME = 40
"""Characters of a wrong name that an error repeats."""

SearchKeys = frozenset[tuple[str, str]]
"""Searches by their tool and the words that they look for."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model is told of it."""

    name: str
    description: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model wants called, its arguments parsed."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Refused:
    """A call that cannot be made, and why, in words for the model. No call: its text cannot be read as one."""

    call: ToolCall | None
    why: str


@dataclass(frozen=True, slots=True)
class Checked:
    """`calls` are to be made; `refused` cannot be."""

    calls: tuple[ToolCall, ...] = ()
    refused: tuple[Refused, ...] = ()

    @property
    def useless(self) -> bool:
        """Nothing but faults. To call nothing is none."""
        return bool(self.refused) and not self.calls


def specs(tools: Mapping[str, Tool]) -> tuple[ToolSpec, ...]:
    return tuple(ToolSpec(tool.name, tool.description) for tool in tools.values())


def schema(names: Iterable[str]) -> Mapping[str, Any]:
    """The JSON schema of a plan."""
    call = {
        "type": "object",
        "properties": {"tool": {"type": "string", "enum": list(names)}, "query": {"type": "string"}},
        "required": ["tool", "query"],
    }
    calls = {"type": "array", "items": call, "maxItems": MOST}
    return {"type": "object", "properties": {"calls": calls}, "required": ["calls"]}


def as_call(wanted: ToolCall) -> Call:
    return Call(wanted.name, (Wording(WORDING, wanted.arguments["query"], 1.0),), by_model=True)


def search_keys(calls: Iterable[Call]) -> SearchKeys:
    """Each wording of a call counts as a search."""
    return frozenset((call.tool, _words(wording.text)) for call in calls for wording in call.wordings)


def tidied(call: ToolCall) -> ToolCall:
    """With nothing that could not be stored or sent again; arguments that no tool could take go."""
    arguments = {
        storable(key): storable(value) if isinstance(value, str) else value
        for key, value in call.arguments.items()
        if isinstance(value, str | int | float | bool)
    }
    return ToolCall(storable(call.name), arguments)


def check(
    calls: Sequence[ToolCall],
    names: Sequence[str],
    before: SearchKeys,
    ordered: Collection[str] = (),
    strays: Callable[[str], bool] = lambda _: False,
) -> Checked:
    """What of a reply can be used. `before` are the searches that this turn has made, and those that the policy makes
    in this round. The calls come out with their tool's own name, and the query alone.
    `ordered` are words that only an order in what was found has: a query of nothing else was chosen by that, and so
    was one that `strays` from the question."""
    good, refused = list[ToolCall](), list[Refused]()
    known = set(before)
    for call in calls:
        name = _tool_name(call.name, names)
        why = _fault(call, name, names)
        query = "" if why else " ".join(str(call.arguments["query"]).split())
        if not why and (_is_ordered(query, ordered) or strays(query)):
            why = "the query is not about the question"
        search = (name, _words(query))
        if not why and search in known:
            why = "this search was made already, with the same words"
        if not why and len(good) == MOST:
            why = f"more than {MOST} calls at once"
        if why:
            refused.append(Refused(call, why))
            continue
        known.add(search)
        good.append(ToolCall(name, {"query": query}))
    return Checked(tuple(good), tuple(refused))


def _is_ordered(query: str, ordered: Collection[str]) -> bool:
    words = set(content_words(query))
    return speaks_to_a_model(query) or (bool(words) and words <= set(ordered))


def _fault(call: ToolCall, name: str, names: Sequence[str]) -> str:
    if name not in names:
        return f"there is no tool '{call.name[:SHOWN_NAME]}', only {', '.join(names)}"
    query = call.arguments.get("query")
    if not isinstance(query, str):
        return f'{name} takes one argument, a text: {{"query": "what to look for"}}'
    if not _words(query):
        return "the query is empty"
    if len(query) > LONGEST:
        return f"the query has {len(query)} characters, and may have {LONGEST}"
    return ""


def _tool_name(name: str, names: Sequence[str]) -> str:
    """`functions.Hybrid` is hybrid."""
    bare = name.strip().rpartition(".")[2].lower()
    return bare if bare in names else name


def _words(text: str) -> str:
    """What has to differ for a search to be another one."""
    return " ".join(re.findall(r"\w+", text.casefold()))


# Calls as a model writes them ----------------------------------------------------------------------------------------

_QUERIES = ("query", "search_query", "q", "question", "input", "text")


def calls_in(text: str, names: Sequence[str]) -> list[ToolCall]:
    """The calls of a reply, as the schema has them or as `{"name": ..., "arguments": {...}}`. Objects that name no tool
    and no query are none.

    Raises `ValueError`, in words for the model, where there is no JSON.
    """
    value, found = read_json(text), list[ToolCall]()
    if isinstance(value, dict):
        value = next((value[key] for key in ("calls", "tool_calls") if isinstance(value.get(key), list)), [value])
    for one in value if isinstance(value, list) else []:
        name = one.get("tool", one.get("name")) if isinstance(one, dict) else None
        if not isinstance(name, str):
            continue
        given = one.get("arguments", one)
        if isinstance(given, dict) and ("query" in given or _tool_name(name, names) in names):
            arguments = {key: each for key, each in given.items() if key not in ("tool", "name")}
            found.append(tidied(ToolCall(name, _with_query(arguments))))
    return found


def _with_query(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Under its own name, whatever the model called it; a text that is alone is it."""
    texts = {key: value for key, value in arguments.items() if isinstance(value, str)}
    named = [texts[key] for key in _QUERIES if key in texts] or (list(texts.values()) if len(texts) == 1 else [])
    return {**arguments, "query": named[0]} if named else arguments

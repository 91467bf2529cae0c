"""Tool calls of a language model: the tools' specifications, and the reading and checking of what it writes.

Small models call tools that there are not, with arguments that do not fit, the same one for ever, or write the call as
text: what can be read is read, and each other call is refused with the reason, in words for the model.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clew.agent.state import Call
from clew.memory.datatypes import Wording
from clew.memory.instructions import speaks_to_a_model
from clew.memory.json_lines import read_json
from clew.memory.ports import ToolCall, ToolSpec
from clew.memory.text import content_words, storable
from clew.tools.base import Tool

MOST = 4
"""Searches at once."""

LONGEST = 300
"""Characters of a query: a question or key words. What is longer is an answer, or a model that does not stop."""

WORDING = "model"
"""The name of a wording that a language model chose."""

SHOWN_NAME = 40
"""Characters of a wrong name that an error repeats."""

_TAGGED = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)

SearchKeys = frozenset[tuple[str, str]]
"""Searches by their tool and the words that they look for."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A call that cannot be made, and why, in words for the model. No call: its text cannot be read as one."""

    call: ToolCall | None
    why: str


@dataclass(frozen=True, slots=True)
class Checked:
    """`calls` are to be made; `covered` are made in this round without the model; `refused` cannot be."""

    calls: tuple[ToolCall, ...] = ()
    covered: tuple[ToolCall, ...] = ()
    refused: tuple[Refused, ...] = ()

    @property
    def useless(self) -> bool:
        """Nothing but faults. To call nothing is none."""
        return bool(self.refused) and not self.calls and not self.covered


def specs(tools: Mapping[str, Tool]) -> tuple[ToolSpec, ...]:
    """The tools as a model sees them, with one argument: it could only get wrong what else there is to set."""
    about = "What to look for: a short question or a few key words that can be understood alone, with names."
    parameters = {
        "type": "object",
        "properties": {"query": {"type": "string", "description": about}},
        "required": ["query"],
    }
    return tuple(ToolSpec(tool.name, tool.description, parameters) for tool in tools.values())


def schema(names: Iterable[str]) -> Mapping[str, Any]:
    """The JSON schema of the calls of a model that has no tool calling."""
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
    return ToolCall(storable(call.id), storable(call.name), arguments)


def calls_in(text: str) -> list[ToolCall]:
    """The calls that a reply has as JSON text, in any form that models write: `{"calls": [...]}`, a list, `{"tool":
    ..., "query": ...}`, `{"name": ..., "arguments": {...}}`, between `<tool_call>` marks.

    Raises `ValueError`, in words for the model, where no JSON can be read.
    """
    parts = _TAGGED.findall(text) or [text]
    values = [value for part in parts for value in _flat(read_json(part))]
    found = [(name, arguments) for value in values for name, arguments in _named(value)]
    return [tidied(ToolCall(f"text-{n}", name, arguments)) for n, (name, arguments) in enumerate(found, 1)]


def check(
    calls: Sequence[ToolCall],
    names: Sequence[str],
    before: SearchKeys,
    planned: SearchKeys,
    ordered: Collection[str] = (),
    strays: Callable[[str], bool] = lambda _: False,
) -> Checked:
    """What of a reply can be used. `before` are the searches that this turn has made, `planned` those that
    the policy makes in this round. The calls come out with their tool's own name, and the query alone.
    `ordered` are words that only an order in what was found has: a query of nothing else was chosen by that, and so
    was one that `strays` from the question."""
    good, covered, refused = list[ToolCall](), list[ToolCall](), list[Refused]()
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
        if not why and search not in planned and len(good) == MOST:
            why = f"more than {MOST} calls at once"
        if why:
            refused.append(Refused(call, why))
            continue
        known.add(search)
        (covered if search in planned else good).append(ToolCall(call.id, name, {"query": query}))
    return Checked(tuple(good), tuple(covered), tuple(refused))


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


def _flat(value: Any) -> Iterator[Mapping[str, Any]]:
    """The objects of a list, or of an object's list of calls."""
    if isinstance(value, dict):
        listed = next((value[key] for key in ("calls", "tool_calls") if isinstance(value.get(key), list)), None)
        if listed is None:
            yield value
            return
        value = listed
    yield from (each for each in value if isinstance(each, dict))


def _named(value: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The tool's name and its arguments, where an object is a call."""
    inner = value.get("function")
    value = inner if isinstance(inner, dict) else value
    name = next((value[key] for key in ("tool", "name", "function") if isinstance(value.get(key), str)), None)
    if name is None:
        return
    arguments = next((value[key] for key in ("arguments", "parameters", "args") if key in value), value)
    if isinstance(arguments, str):
        try:
            arguments = read_json(arguments)
        except ValueError:
            arguments = {}
    yield name, arguments if isinstance(arguments, dict) else {}

"""The tools by name. To add one: its file, with `make`, and a line here."""

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any, cast, get_type_hints

from clew.memory.errors import BadInput
from clew.memory.knowledge.library_ports import Search
from clew.tools.base import DEFAULTS, Make, OverParts, Tool, ToolSettings

NAMES = ("hybrid", "walk", "graph", "clues", "local", "communities")
"""A tool has the name of its module."""

ON_A_CLUSTER = ("elastic",)
"""Those that search no library in a folder."""

MODULES = {name: import_module(f"clew.tools.{name}") for name in (*NAMES, *ON_A_CLUSTER)}


def _made(store: Search, settings: ToolSettings, module: ModuleType) -> Tool:
    """One that needs the graph over the part of it that a question reaches, where the store has no whole one."""
    parameters: Any = getattr(module, "PARAMETERS", None)
    by_parts = hasattr(parameters, "part") and settings.of(parameters).part is None and settings.aligner is None
    if store.whole or not by_parts:
        return cast(Tool, module.make(store, settings))
    kind = get_type_hints(module.make)["return"]
    return OverParts(kind.name, kind.description, partial(module.make, settings=settings), store)


MADE: Mapping[str, Make] = {name: partial(_made, module=module) for name, module in MODULES.items()}
TOOLS: Mapping[str, Make] = {name: MADE[name] for name in NAMES}
"""Of any library."""
PARAMETERS: Mapping[str, type] = {
    name: module.PARAMETERS for name, module in MODULES.items() if hasattr(module, "PARAMETERS")
}
"""The dataclass of a tool's parameters, where it has any: settings name them `tools.NAME`."""


def check(text: str) -> None:
    """Checks the name of one tool, or of several, as `local+communities`. Raises `BadInput` for an unknown one."""
    for name in text.split("+"):
        if name not in {**MADE, **TOOLS}:
            known = ", ".join(TOOLS)
            raise BadInput(f"there is no tool '{name}'", f"auto, or one of {known}; or several, as local+communities")


def make(name: str, store: Search, settings: ToolSettings = DEFAULTS) -> Tool:
    """The tool of that name over a library. Raises `BadInput` for an unknown name, `NotSetUp` for one that is only for
    libraries on a cluster, where this is none."""
    check(name)
    return {**MADE, **TOOLS}[name](store, settings)

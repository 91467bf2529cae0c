"""The tools by name. To add one: its file, with `make`, and a line here."""

from collections.abc import Mapping
from importlib import import_module

from clew.memory.errors import BadInput
from clew.memory.ports import Search
from clew.tools.base import DEFAULTS, Make, Tool, ToolSettings

NAMES = (
    "hybrid",
    "walk",
    "graph",
    "clues",
    "local",
    "communities",
)
"""A tool has the name of its module."""

MODULES = {name: import_module(f"clew.tools.{name}") for name in NAMES}
TOOLS: Mapping[str, Make] = {name: module.make for name, module in MODULES.items()}
PARAMETERS: Mapping[str, type] = {
    name: module.PARAMETERS for name, module in MODULES.items() if hasattr(module, "PARAMETERS")
}
"""The dataclass of a tool's parameters, where it has any: settings name them `tools.NAME`."""


def check(text: str) -> None:
    """Of one tool, or of several, as `local+communities`. Raises `BadInput` for an unknown name."""
    for name in text.split("+"):
        if name not in TOOLS:
            raise BadInput(f"there is no tool '{name}'", f"one of {', '.join(TOOLS)}; or several, as local+communities")


def make(name: str, store: Search, settings: ToolSettings = DEFAULTS) -> Tool:
    """The tool of that name over a library. Raises `BadInput` for an unknown name."""
    check(name)
    return TOOLS[name](store, settings)

"""The tools by name. To add one: its file, and a line here."""

from collections.abc import Mapping

from memory.ports import Store
from tools.base import Tool
from tools.hybrid import Hybrid

TOOLS: Mapping[str, type[Hybrid]] = {Hybrid.name: Hybrid}
NAMES = tuple(TOOLS)


def make(name: str, store: Store) -> Tool:
    """The tool of that name over a store, with its default parameters. Raises `KeyError` for an unknown name."""
    return TOOLS[name](store)

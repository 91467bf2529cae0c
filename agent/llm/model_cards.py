"""The cards of models: window, size and abilities, asked of the server once and kept by the model's digest."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from clew.memory.errors import BadInput
from clew.memory.json_lines import replace_file
from clew.memory.ports import Abilities

DEFAULT_WINDOW = 4096
"""Of a model that does not say how long it is."""


@dataclass(frozen=True, slots=True)
class Card:
    """`window` in tokens; `chats`: it writes text, and is no encoder; `levels`: it thinks more or less, and always."""

    window: int = DEFAULT_WINDOW
    chats: bool = True
    tools: bool = False
    schema: bool = False
    thinks: bool = False
    levels: bool = False

    @property
    def abilities(self) -> Abilities:
        return Abilities(self.tools, self.schema, self.thinks)


def card_of(shown: Mapping[str, Any], version: str) -> Card:
    """From a reply to `/api/show` and the server's version. Servers before 0.6.4 list no capabilities: then the
    template shows whether there are tools. Before 0.5 there were no schemas."""
    info: Mapping[str, Any] = shown.get("model_info") or {}
    template = str(shown.get("template") or "")
    listed = shown.get("capabilities")
    able = set(listed) if listed is not None else _by_template(template, info)
    return Card(
        window=_window(info),
        chats="completion" in able,
        tools="tools" in able,
        schema=_numbers(version) >= (0, 5),
        thinks="thinking" in able,
        levels=str(info.get("general.architecture", "")).replace("-", "") == "gptoss",
    )


def _by_template(template: str, info: Mapping[str, Any]) -> set[str]:
    able = {"tools"} if ".Tools" in template else set()
    encodes = str(info.get("general.architecture", "")).endswith("bert")
    return able if encodes else able | {"completion"}


def _window(info: Mapping[str, Any]) -> int:
    architecture = info.get("general.architecture", "")
    length = info.get(f"{architecture}.context_length")
    return int(length) if isinstance(length, int | float) and length > 0 else DEFAULT_WINDOW


def _numbers(version: str) -> tuple[int, ...]:
    """'0.12.3-rc1' -> (0, 12, 3); a server that is built from source says 0.0.0 and is taken for new."""
    numbers = tuple(int(part) for part in re.findall(r"\d+", version.split("-")[0]))
    return (9,) if not any(numbers) else numbers


class Cards:
    """The cards in a file, by model and digest: a model that was pulled anew is asked anew."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def of(self, model: str, digest: str, ask: Callable[[], Card]) -> Card:
        key, known = f"{model}@{digest}", self._read()
        if digest and isinstance(known.get(key), dict):
            try:
                return Card(**known[key])
            except TypeError:
                pass  # of another version of Clew
        card = ask()
        try:
            replace_file(self._path, json.dumps({**known, key: asdict(card)}, indent=1))
        except BadInput:
            return card  # a full disk: it is asked again next time
        return card

    def _read(self) -> dict[str, Any]:
        try:
            known = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return known if isinstance(known, dict) else {}

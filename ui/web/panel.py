"""Settings that a person changes on the page, for all further turns; and the comparison of the methods on a
question."""

import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.agent import nodes
from clew.agent.assistant import Assistant
from clew.agent.models import ROLES, Writers, models_there, roles_named
from clew.agent.search.rounds import AUTO, POLICY
from clew.agent.services import Services, TurnContext
from clew.agent.settings import Settings
from clew.agent.state import UNANSWERED, Answer, Turn
from clew.agent.talk.lines import languages
from clew.memory.datatypes import Passage
from clew.memory.errors import BadInput, ClewError
from clew.memory.knowledge.catalogue import scoped
from clew.memory.knowledge.cluster.connection import place
from clew.memory.knowledge.disk import POINTER
from clew.tools.base import encode_query, for_question

if TYPE_CHECKING:  # the page is there sooner without
    from clew.agent.doctor import Check

MOST = 50
"""Passages that a turn may gather."""

PARTS = {"rewrite": "Understanding the question", "think": "Choosing what to search", "answer": "Writing the answer"}
"""Of a turn, by the role of the language model that may do it."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """What a method found, best first, and how long it took; the `answer` that quotes it; or the `error` for which it
    found nothing."""

    tool: str
    ms: float
    passages: tuple[Passage, ...] = ()
    answer: Answer = UNANSWERED
    error: str = ""


def panel(assistant: Assistant) -> dict[str, Any]:
    """Return the settings as they are, and the alternatives: the libraries beside this one, the models of servers."""
    services, now = assistant.services, assistant.settings
    named = roles_named(now.llm)
    return {
        "library": str(now.library),
        "libraries": sorted(str(one.parent) for one in Path(str(now.library)).parent.glob(f"*/{POINTER}")),
        "models": models_there(),
        "encoder": services.library.manifest.encoder.name,
        "tools": {AUTO: POLICY} | {name: one.description.partition(". ")[0] for name, one in services.tools.items()},
        "tool": services.default_tool,
        "passages": services.evidence,
        "llm": {part: named[part] for part in PARTS},
        "languages": languages(),
        "language": now.language,
    }


def other_library(assistant: Assistant, library: str) -> Settings:
    """Return the current settings with another library. Raises what opening it raises."""
    there = place(os.path.expanduser(library))  # noqa: PTH111 an address stays as it is
    chosen = assistant.settings.model_copy(update={"library": there})
    Assistant.open(chosen).close()
    return chosen


def change(assistant: Assistant, passages: int, llm: dict[str, str], language: str) -> None:
    """Change the settings. Raises `BadInput` for a number outside 1 to `MOST`, and what `Assistant.change` raises."""
    if not 0 < passages <= MOST:
        raise BadInput(f"an answer rests on 1 to {MOST} passages", "10")
    asked = _written(assistant, llm)
    assistant.change(passages, asked if asked != _written(assistant, {}) else "", language)


def tested(assistant: Assistant, llm: dict[str, str]) -> "tuple[Check, ...]":
    """Return what `clew doctor` finds for these language models."""
    from clew.agent.doctor import models

    return tuple(models(assistant.settings.model_copy(update={"llm": _written(assistant, llm)})))


def _written(assistant: Assistant, llm: dict[str, str]) -> str:
    named = {**roles_named(assistant.settings.llm), **{part: name for part, name in llm.items() if name}}
    return ",".join(f"{role}={named[role]}" for role in ROLES)


def compared(services: Services, turn: Turn) -> list[Lookup]:
    """Search for a turn's question by each method, and answer it from what each finds, without a language model."""
    scope = scoped(turn.question, services.library.store.catalogue).documents
    query = encode_query(turn.rewritten or turn.question, [], services.encoder, frozenset(scope) or None)
    quoting, bare = replace(services, writers=Writers()), replace(turn, answer=UNANSWERED, calls=(), walk=None)
    found = list[Lookup]()
    for name, tool in services.tools.items():
        begun = time.perf_counter()
        try:
            looked = for_question(tool, query).search(query, services.evidence)
        except ClewError as wrong:
            found.append(Lookup(name, 1000 * (time.perf_counter() - begun), error=str(wrong)))
            continue
        ms, own = 1000 * (time.perf_counter() - begun), replace(bare, passages=looked.passages)
        own = own.searched(scope=scope, round=1, tools=(name,), tool_answer=looked.answer)
        found.append(Lookup(name, ms, looked.passages, nodes.answer(own, TurnContext(quoting)).answer))
    return found

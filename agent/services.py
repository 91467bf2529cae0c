"""What the nodes of a turn are given: services, opened once and shared by all turns, and the scratch of one run."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Any, Literal, TypeVar

from clew.agent.answer.selection import AnswerParameters
from clew.agent.models import Writers
from clew.agent.search import forms, gate, ordering
from clew.agent.search.forms import FormModel
from clew.agent.search.gate import Gate
from clew.agent.search.ordering import Ordering
from clew.agent.search.rounds import ObserveParameters
from clew.agent.state import Doing, Piece, Step
from clew.memory.dialogue.recall import RecallParameters
from clew.memory.dialogue.rewriting import RewriteParameters
from clew.memory.dialogue.threads import Threads
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.library import Library
from clew.memory.knowledge.walking.walker import Walker
from clew.tools.base import Tool
from clew.tools.walk import Walk

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Services:
    """`default_tool` is called where the person names none for a turn: one of `tools`, several with a `+`, or `auto`,
    the policy. `evidence` is how many passages a turn gathers; `writers` are the language
    models by what they are for, where there are any; `unsupported` is what becomes of their sentences that the passages
    do not support. `forms`, `gate` and `order` are the policy's learned models. `examples`: questions that a
    library answers, `languages`: what it is written in, `subjects`: what all of it is about, by its fingerprint,
    once they were needed."""

    encoder: CachedEncoder
    library: Library
    threads: Threads
    tools: Mapping[str, Tool]
    default_tool: str
    evidence: int = 10
    writers: Writers = field(default_factory=Writers)
    unsupported: Literal["mark", "rewrite", "remove"] = "mark"
    recall: RecallParameters = field(default_factory=RecallParameters)
    rewrite: RewriteParameters = field(default_factory=RewriteParameters)
    observe: ObserveParameters = field(default_factory=ObserveParameters)
    answer: AnswerParameters = field(default_factory=AnswerParameters)
    forms: FormModel = field(default_factory=forms.shipped)
    gate: Gate = field(default_factory=gate.shipped)
    order: Ordering = field(default_factory=ordering.shipped)
    examples: dict[str, tuple[str, ...]] = field(default_factory=dict)
    languages: dict[str, str] = field(default_factory=dict)
    subjects: dict[str, str] = field(default_factory=dict)

    @property
    def walker(self) -> Walker:
        """The tool `walk`'s: a library's graph is read once, by whoever walks first."""
        tool = self.tools[Walk.name]
        assert isinstance(tool, Walk)
        return tool.walker


def _ignored(_: Step | Piece | Doing) -> None:
    """For runs that nobody watches."""


@dataclass(frozen=True, slots=True)
class TurnContext:
    """One run of the graph: its services, the person's stop, and a scratch of what the nodes have computed for it.

    What a crash takes of the scratch is computed again. `emit` hands out what a node says while it runs."""

    services: Services
    cancel: Event = field(default_factory=Event)
    emit: Callable[[Step | Piece | Doing], None] = _ignored
    scratch: dict[Hashable, Any] = field(default_factory=dict)

    def once(self, key: Hashable, make: Callable[[], _Value]) -> _Value:
        """What `make` gives, computed at most once for this key."""
        if key not in self.scratch:
            self.scratch[key] = make()
        made: _Value = self.scratch[key]
        return made

"""What the nodes of a turn are given: opened once, shared by all turns, changed by none."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Literal

from clew.agent.models import Writers
from clew.agent.observing import ObserveParameters
from clew.agent.picking import AnswerParameters
from clew.agent.walking import WalkingParameters
from clew.memory.dialogue.recall import RecallParameters
from clew.memory.dialogue.rewriting import RewriteParameters
from clew.memory.dialogue.threads import Threads
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.library import Library
from clew.memory.knowledge.walking.walker import Walker
from clew.tools.base import Tool
from clew.tools.walk import Walk


@dataclass(frozen=True, slots=True)
class Services:
    """`default_tool` is called where the person names none for a turn; `names_tool`: whether their settings named that
    one, so that no policy takes another. `evidence` is how many passages a turn gathers; `writers` are the language
    models by what they are for, where there are any; `unsupported` is what becomes of their sentences that the passages
    do not support."""

    encoder: CachedEncoder
    library: Library
    threads: Threads
    tools: Mapping[str, Tool]
    default_tool: str
    names_tool: bool = False
    evidence: int = 10
    writers: Writers = field(default_factory=Writers)
    unsupported: Literal["mark", "rewrite", "remove"] = "mark"
    recall: RecallParameters = field(default_factory=RecallParameters)
    rewrite: RewriteParameters = field(default_factory=RewriteParameters)
    observe: ObserveParameters = field(default_factory=ObserveParameters)
    walking: WalkingParameters = field(default_factory=WalkingParameters)
    answer: AnswerParameters = field(default_factory=AnswerParameters)
    cancel: Event = field(default_factory=Event)

    @property
    def walker(self) -> Walker:
        """The tool `walk`'s: a library's graph is read once, by whoever walks first."""
        tool = self.tools[Walk.name]
        assert isinstance(tool, Walk)
        return tool.walker()

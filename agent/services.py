"""What the nodes of a turn need: services, shared by all turns, and the context of one run of the graph."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, Literal, TypeVar

from clew.agent.answer.selection import AnswerParameters
from clew.agent.models import Writers, writers_for
from clew.agent.parameters import check_indexed, made, of_tools
from clew.agent.search import ordering, query_weights, router
from clew.agent.search.ordering import Ordering
from clew.agent.search.query_weights import WeightModel
from clew.agent.search.rounds import AUTO, ObserveParameters
from clew.agent.search.router import Router
from clew.agent.settings import Settings
from clew.agent.state import Doing, Piece, Step
from clew.memory.datatypes import Query
from clew.memory.dialogue.recall import RecallParameters
from clew.memory.dialogue.rewriting import RewriteParameters
from clew.memory.dialogue.threads import Threads
from clew.memory.encoding import MINILM, MULTILINGUAL, CachedEncoder, load_encoder
from clew.memory.errors import NotSetUp
from clew.memory.knowledge.aligners.scoring import VOTES, Aligner, aligner_for
from clew.memory.knowledge.cluster.publishing import on_this_machine
from clew.memory.knowledge.library import Library, open_library
from clew.memory.knowledge.structure import Structure, open_structure
from clew.memory.knowledge.walking.walker import LateInteraction, LateParameters, Walker
from clew.tools import registry
from clew.tools.base import Tool, ToolSettings, for_question
from clew.tools.walk import Walk

_Value = TypeVar("_Value")

Kept = Literal["query", "question", "walker", "matches", "thought", "stitched"]
"""What a run of the graph computes once."""


@dataclass(frozen=True, slots=True)
class Services:
    """Shared by all turns, and opened once with the settings. `told` is filled on demand, for each state of the
    library."""

    encoder: CachedEncoder  # of questions and passages
    library: Library  # as it is now
    threads: Threads  # the conversations
    tools: Mapping[str, Tool]  # the search methods by name
    fitted: CachedEncoder  # MiniLM, whose vectors the models learned for English read; often the same as `encoder`
    default_tool: str  # where the person names none: one of `tools`, several joined by +, or `auto`, the policy
    evidence: int = 10  # passages that a turn gathers
    writers: Writers = field(default_factory=Writers)  # language models by what they are for
    unsupported: Literal["mark", "remove"] = "mark"  # sentences of theirs that no passage supports
    recall: RecallParameters = field(default_factory=RecallParameters)  # how sentences are recalled
    rewrite: RewriteParameters = field(default_factory=RewriteParameters)  # how a question is rewritten
    observe: ObserveParameters = field(default_factory=ObserveParameters)  # when it is searched again
    answer: AnswerParameters = field(default_factory=AnswerParameters)  # how excerpts are chosen
    query_weights: WeightModel = field(default_factory=query_weights.shipped)  # what wordings weigh
    router: Router = field(default_factory=router.shipped)  # which tools a question needs
    order: Ordering = field(default_factory=ordering.shipped)  # how the evidence is ordered
    told: dict[tuple[Any, str], Any] = field(default_factory=dict)  # of the states of the library (`once_a_library`)

    @property
    def multilingual(self) -> bool:
        """Whether the encoder was trained on many languages, so that the reader for these is used."""
        return self.encoder.name == MULTILINGUAL

    def once_a_library(self, tell: Callable[[Library], _Value]) -> _Value:
        """The result of this function for the library, computed once for each state of it."""
        key = tell, self.library.manifest.fingerprint
        if key not in self.told:
            self.told[key] = tell(self.library)
        value: _Value = self.told[key]
        return value

    def walker(self, query: Query | None = None) -> Walker:
        """The walker of the tool `walk`, over the part of the library that a question reaches; without a query over all
        of it, whose graph is read once."""
        tool = self.tools[Walk.name]
        tool = for_question(tool, query) if query else tool
        assert isinstance(tool, Walk)
        return tool.walker


@dataclass(frozen=True, slots=True)
class TurnContext:
    """The context of one run of the graph."""

    services: Services
    cancel: Event = field(default_factory=Event)  # the person's stop
    emit: Callable[[Step | Piece | Doing], None] = lambda _: None  # hands out what a node says while it runs
    deadline: float | None = None  # of its searches, on `time.monotonic()`'s clock
    scratch: dict[tuple[Kept, Hashable], Any] = field(
        default_factory=dict
    )  # vectors and hits; after a crash computed again

    def once(self, what: Kept, of: Hashable, make: Callable[[], _Value]) -> _Value:
        """The result of `make`, computed once for each `what` and `of` in a run."""
        key = what, of
        if key not in self.scratch:
            self.scratch[key] = make()
        value: _Value = self.scratch[key]
        return value


def services_for(settings: Settings, library: Library, encoder: CachedEncoder, threads: Threads) -> Services:
    """Raises what `tools_for` and `writers_for` raise."""
    return Services(
        encoder,
        library,
        threads,
        tools_for(settings, library, encoder),
        fitted=encoder if encoder.name == MINILM else load_encoder(MINILM, settings.cache),
        default_tool=settings.tool,
        writers=writers_for(settings),
        unsupported=settings.unsupported,
        recall=made(RecallParameters, settings.given),
        rewrite=made(RewriteParameters, settings.given),
        observe=made(ObserveParameters, settings.given),
        answer=made(AnswerParameters, settings.given),
    )


def tools_for(settings: Settings, library: Library, encoder: CachedEncoder) -> dict[str, Tool]:
    """The tools by name. Raises `BadInput` for a setting that names something unknown, `NoModel` for a reranker that is
    not available, `LibraryMismatch` for a library made with other parameters than are set."""
    check_tool(settings.tool)
    check_indexed(settings.given, library)
    given = ToolSettings(
        aligner=_aligner(library, settings),
        late=LateInteraction(encoder, made(LateParameters, settings.given)) if settings.late_interaction else None,
        structure=partial(_structure, library),
        parameters=of_tools(settings.given),
    )
    asked = set(settings.tool.split("+"))
    more = [name for name in registry.ON_A_CLUSTER if name in asked or not library.store.whole]
    return {name: registry.make(name, library.store, given) for name in (*registry.TOOLS, *more)}


def _aligner(library: Library, settings: Settings) -> Aligner | None:
    """The aligner; for a library on a cluster it is read from a copy on this machine."""
    if settings.aligner == VOTES or isinstance(library.path, Path):
        return aligner_for(library, settings.aligner)
    with open_library(on_this_machine(library.path, settings.cache), None) as copy:
        return aligner_for(copy, settings.aligner)


def _structure(library: Library) -> Structure:
    """Raises what `open_structure` raises, and `NotSetUp` for a library on a cluster, which has none."""
    if not isinstance(library.path, Path):
        raise NotSetUp("a library on a cluster has no trees of its sentences", "--library FOLDER")
    return open_structure(library.path)


def check_tool(name: str) -> None:
    """Raises `BadInput` for a name that is neither `auto` nor a tool."""
    if name != AUTO:
        registry.check(name)


def check_offered(name: str, services: Services) -> None:
    """Raises `BadInput` for an unknown tool, `NotSetUp` for one that this library does not support."""
    for one in name.split("+") if name not in ("", AUTO) else ():
        if one not in services.tools:
            registry.make(one, services.library.store)

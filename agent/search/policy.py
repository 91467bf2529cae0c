"""What a round of a turn searches, before any language model is asked."""

from collections.abc import Sequence
from dataclasses import dataclass

from clew.agent.search.observation import ObserveParameters
from clew.agent.services import Services
from clew.agent.state import Call, Turn, TurnSearch
from clew.memory.datatypes import Wording
from clew.memory.knowledge.communities.overview import asks_for_the_whole
from clew.tools import registry
from clew.tools.communities import CommunitySearch
from clew.tools.walk import Walk


@dataclass(frozen=True, slots=True)
class Plan:
    """The searches of a round, and in words why; none where the policy looks for nothing more."""

    calls: tuple[Call, ...] = ()
    summary: str = ""


def plan(turn: Turn, services: Services) -> Plan:
    """At first the tools that the person named, for a question about the whole library its communities, else the
    default tool, with all wordings of the question; in a further round the same tools for the words that are missing.
    """
    tool, wordings = turn.search.tool or _tool(turn.question, services), turn.wordings
    summary = f"search with {tool}"
    if turn.search.round:
        if not finds_more(turn.search, services.observe):
            return Plan()
        missing = " ".join(turn.search.missing)
        wordings, summary = (Wording("missing", missing, 1.0),), f"{summary} for what is missing: {missing}"
    return Plan(tuple(Call(name, wordings) for name in registry.names_in(tool)), summary)


def finds_more(search: TurnSearch, parameters: ObserveParameters) -> bool:
    """Whether another round may find what is missing: a further round that found nothing new is the last."""
    progress = search.round == 1 or search.found[-1] > 0
    return bool(search.missing) and search.round < parameters.rounds and progress


def walks(calls: Sequence[Call], services: Services) -> bool:
    """Whether these searches are followed by a walk: where a tool has walked there is no second one, nor is there one
    for what only a language model looks for."""
    tools = [call.tool for call in calls if not call.by_model]
    return bool(tools) and Walk.name not in tools and services.library.manifest.chunks > 0


def _tool(question: str, services: Services) -> str:
    whole = asks_for_the_whole(question) and not services.names_tool and services.library.store.part().communities.items
    return CommunitySearch.name if whole else services.default_tool

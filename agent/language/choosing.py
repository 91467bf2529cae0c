"""Which of a server's models writes: the one that was named, or the best suited of those that are there."""

import os
from collections.abc import Sequence

from clew.agent.language.capabilities import Card
from clew.agent.language.ollama_server import OllamaServer, Pulled
from clew.agent.language.ollama_writer import OllamaWriter
from clew.memory.errors import NoModel, ServiceUnreachable

LEAST = 1_000_000
"""Bytes of the smallest model."""

SHARE = 0.6
"""Of this machine's memory: a larger model would leave no room for its context and for everything else."""


def named_model(server: OllamaServer, name: str) -> OllamaWriter:
    """Raises `NoModel` where it is not pulled or is no chat model, `ServiceUnreachable`."""
    model = server.find(name)
    card = server.card(model)
    if not card.chats:
        raise NoModel(f"{name} is an encoder and writes nothing", "--llm ollama:llama3.2:3b, for example")
    return OllamaWriter(server, model.name, card)


def best(server: OllamaServer) -> OllamaWriter | None:
    """None where no server listens, or has no chat model, or is no Ollama: then Clew works without. A model that runs
    elsewhere has to be named."""
    if not server.answers():
        return None
    try:
        pulled = server.pulled()
    except ServiceUnreachable:
        return None
    there = [(model, card) for model in pulled if not is_elsewhere(model) and (card := _card(server, model))]
    chosen = best_suited(there, _memory())
    return OllamaWriter(server, chosen[0].name, chosen[1]) if chosen else None


def is_elsewhere(model: Pulled) -> bool:
    """Whether it runs at a provider's, and documents would leave this machine: what is here of it is no model."""
    return model.name.endswith(("-cloud", ":cloud")) or model.size < LEAST


def _card(server: OllamaServer, model: Pulled) -> Card | None:
    try:
        return server.card(model)
    except (ServiceUnreachable, NoModel):
        return None


def best_suited(there: Sequence[tuple[Pulled, Card]], memory: float) -> tuple[Pulled, Card] | None:
    """Of the chat models that fit into so many bytes, those that call tools before others, then the largest; where none
    fits, the smallest."""
    chats = [(model, card) for model, card in there if card.chats]
    if not chats:
        return None
    fitting = [(model, card) for model, card in chats if model.size <= SHARE * memory]
    if not fitting:
        return min(chats, key=lambda pair: pair[0].size)
    return max(fitting, key=lambda pair: (pair[1].tools, pair[0].size, pair[0].name))


def _memory() -> float:
    """Bytes; without end where the system does not say."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return float("inf")

"""What `clew doctor` looks at beyond this process: language models, and Elasticsearch."""

from collections.abc import Iterator, Mapping

import httpx

from clew.agent.doctor import Check
from clew.agent.llm.model_cards import Card
from clew.agent.llm.ollama_server import OllamaServer, Pulled
from clew.agent.llm.ollama_writer import best
from clew.agent.models import AUTO, NONE, OLLAMA, ollama_for, roles_named
from clew.agent.settings import Settings
from clew.memory.errors import ClewError

SMALL = "llama3.2:3b"
"""A chat model that calls tools and runs on a laptop."""

ADDRESS = ("CLEW_ELASTICSEARCH", "ELASTICSEARCH_URL")
QUICK = 2.0
"""Seconds that a server may take to say what it is."""


def ollama(settings: Settings) -> Iterator[Check]:
    """The server, then a line for each model that it has or should have. Without one Clew quotes its documents."""
    try:
        wanted = set(roles_named(settings.llm).values())
    except ClewError as error:
        yield Check("language model", "problem", error.message, error.hint)
        return
    others = sorted(name for name in wanted if name not in (AUTO, NONE) and not name.startswith(f"{OLLAMA}:"))
    if others:
        yield Check("language model", "ok", f"{', '.join(others)}: its provider is not asked here")
    named = sorted(name.partition(":")[2] for name in wanted if name.startswith(f"{OLLAMA}:"))
    if not named and AUTO not in wanted:
        yield Check("Ollama", "ok", f"not used: the setting llm is {settings.llm}")
        return
    server = ollama_for(settings)
    if not server.answers():
        told = f"nothing answers at {server.address}"
        without = "" if named else "; answers are quoted from the documents without it"
        yield Check("Ollama", "problem" if named else "warning", told + without, "ollama serve")
        return
    try:
        yield from _of_server(server, named)
    except ClewError as error:
        yield Check("Ollama", "problem", error.message, error.hint)


def elasticsearch(environment: Mapping[str, str], installed: bool) -> Check:
    """Looked at only where it could be used."""
    name = next((name for name in ADDRESS if environment.get(name)), "")
    if not installed or not name:
        return Check("Elasticsearch", "ok", "not used")
    address = environment[name]
    try:
        reply = httpx.get(address, timeout=QUICK)
        reply.raise_for_status()
        return Check("Elasticsearch", "ok", f"version {reply.json()['version']['number']} at {address}")
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError) as error:
        told = f"{address} does not answer as Elasticsearch does ({type(error).__name__})"
        return Check("Elasticsearch", "problem", told, f"start it, or: unset {name}")


def _of_server(server: OllamaServer, named: list[str]) -> Iterator[Check]:
    models = [(model, server.card(model)) for model in server.pulled()]
    count = f"{len(models)} model{'' if len(models) == 1 else 's'}"
    told = f"version {server.version()} at {server.address}, {count}"
    chosen = best(server)
    if chosen is None:
        yield Check("Ollama", "warning", f"{told}, none of which chats", f"ollama pull {SMALL}")
    else:
        yield Check("Ollama", "ok", f"{told}; auto chooses {chosen.name}")
    for model, card in models:
        yield _of_model(model, card)
    there = {model.name for model, _ in models}
    for name in named:
        if (name if ":" in name else f"{name}:latest") not in there:
            yield Check(f"model {name}", "problem", "it is named and not pulled", f"ollama pull {name}")


def _of_model(model: Pulled, card: Card) -> Check:
    if not card.chats:
        return Check(f"model {model.name}", "ok", "an encoder: it writes nothing")
    parts = [f"context {card.window:,} tokens", f"tools {'yes' if card.tools else 'no'}", f"{model.size / 1e9:.1f} GB"]
    return Check(f"model {model.name}", "ok", ", ".join(parts))

"""Turns the names of models in settings into models: the only place that knows providers."""

import shlex
from contextlib import suppress
from dataclasses import dataclass

from clew.agent.settings import Settings
from clew.memory.encoding import MINILM, CachedEncoder, is_trusted, load_encoder
from clew.memory.errors import BadInput, ClewError, NoModel
from clew.memory.knowledge.library import recorded_at
from clew.memory.ports import Writer

ROLES = ("rewrite", "think", "answer", "summarise", "extract")
AUTO, NONE, OLLAMA, OPENAI = "auto", "none", "ollama", "openai"
LLM_HELP = "--llm auto, none, ollama:NAME, openai:NAME; for one part: --llm ollama:SMALL,answer=ollama:LARGE"


@dataclass(frozen=True, slots=True)
class Writers:
    """The language model for each purpose (seed 004, section 8.1: a small one thinks, a large one writes)."""

    rewrite: Writer | None = None
    think: Writer | None = None
    answer: Writer | None = None
    summarise: Writer | None = None
    extract: Writer | None = None


def roles_named(llm: str) -> dict[str, str]:
    """Role -> name, from `ollama:llama3.2:3b` or `ollama:llama3.2:3b,answer=ollama:llama3.1:8b`. Raises `BadInput`."""
    named: dict[str, str] = {}
    everywhere = AUTO
    for part in filter(None, (part.strip() for part in llm.split(","))):
        role, equals, name = part.partition("=")
        if not equals:
            everywhere = part
        elif role.strip() in ROLES and name.strip():
            named[role.strip()] = name.strip()
        else:
            raise BadInput(f"'{part}' does not name a model for {', '.join(ROLES)}", LLM_HELP)
    return {role: named.get(role, everywhere) for role in ROLES}


def named_alone(settings: Settings, *roles: str) -> Settings:
    """Settings with only the models that the user named, and none that `auto` would find: measurements and indexes use
    no others. Limited to these roles, if any are given. Raises `BadInput`."""
    named = roles_named(settings.llm) if "llm" in settings.model_fields_set else {}
    chosen = [f"{role}={name}" for role, name in named.items() if name != AUTO and (not roles or role in roles)]
    return settings.model_copy(update={"llm": ",".join([NONE, *chosen])})


def writers_for(settings: Settings) -> Writers:
    """The language models that the settings name; `auto` is the best of a local Ollama, or none.

    Raises `BadInput` for a name that says no provider, `NoModel` for a model that is not there, `ServiceUnreachable`
    where the server of a model that was named does not answer.
    """
    named = roles_named(settings.llm)
    made: dict[str, Writer | None] = {name: writer_named(name) for name in dict.fromkeys(named.values())}
    return Writers(**{role: made[name] for role, name in named.items()})


def writer_named(name: str) -> Writer | None:
    """The model of this name, or None. Raises what `writers_for` raises."""
    if name == NONE:
        return None
    provider, _, model = name.partition(":")
    if name != AUTO and not (model and provider in (OLLAMA, OPENAI)):
        raise BadInput(f"'{name}' is not the name of a language model", LLM_HELP)
    if provider == OPENAI:
        from clew.agent.llm.openai_writer import OpenAIWriter

        return OpenAIWriter(model)
    from clew.agent.llm.ollama_writer import OllamaServer, best, named_model

    server = OllamaServer()
    return best(server) if name == AUTO else named_model(server, model)


def models_there() -> list[str]:
    """The models of the servers here, by the names that settings use; none of a server that does not answer."""
    from clew.agent.llm.ollama_writer import OllamaServer
    from clew.agent.llm.openai_writer import OpenAIServer

    found = list[str]()
    with suppress(ClewError):
        found += [f"{OLLAMA}:{one.name}" for one in OllamaServer().pulled()]
    with suppress(ClewError):
        found += [f"{OPENAI}:{one['id']}" for one in OpenAIServer.named().listed()]
    return found


def to_choose_from(writers: Writers) -> list[str]:
    """The models that a question can be asked again with, and `none`; empty if no models are used."""
    return [] if writers == Writers() else [*models_there(), NONE]


def encoder_for(settings: Settings) -> CachedEncoder:
    """The encoder that the settings name, downloaded if necessary; else the library's own, but only from the local
    model cache, as a library may come from anybody; else the default.

    Raises `NoModel` if it is not available."""
    own = recorded_at(settings.library).encoder.name
    if settings.encoder or is_trusted(own):
        return load_encoder(settings.encoder or own or MINILM, settings.cache)
    raise NoModel(*not_here(own, settings.library))


def not_here(encoder: str, library: object) -> tuple[str, str]:
    """The error and the hint for a library whose encoder is not in the local model cache."""
    wrong = f"the library at {library} was made with the encoder {encoder}, which is not on this machine by that name"
    return wrong, f"CLEW_ENCODER={shlex.quote(encoder)} before the command, if you trust it: it may be downloaded"

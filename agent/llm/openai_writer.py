"""A model of an OpenAI-compatible server (llama.cpp, vLLM, OpenAI's own) as a `Writer`, and what such a server says of
itself: llama.cpp's `/props` and `/v1/models`, vLLM's `max_model_len`, and `/tokenize` where it has it."""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from clew.agent.llm.endings import without_thoughts
from clew.agent.llm.ledger import TokenCounts
from clew.agent.llm.server import Server
from clew.memory.errors import BadInput, ModelFailed, NoModel, RequestRefused, ServiceUnreachable
from clew.memory.ports import PLAIN, Abilities, Message, Output, Usage, WriteOptions

OWN = "https://api.openai.com/v1"
"""Of OpenAI, which says nothing of its models but their names."""

WINDOW, LONGEST = 8192, 32768
"""Tokens, where a server does not say how many its model takes; and at most."""


@dataclass(frozen=True, slots=True)
class ServedModel:
    """`window` in tokens, 0 where the server does not say; `counts`: it has `/tokenize`, of llama.cpp or of vLLM."""

    window: int = 0
    parameters: int = 0
    counts: str = ""


@dataclass(frozen=True, slots=True)
class OpenAIServer:
    """`root` is its address without `/v1`, which `prefix` is where it has that."""

    root: Server
    prefix: str

    @classmethod
    def named(cls) -> "OpenAIServer":
        """The server that `OPENAI_BASE_URL` names, else OpenAI's own. Raises `BadInput` where that has no key."""
        url, key = os.environ.get("OPENAI_BASE_URL", "").rstrip("/") or OWN, os.environ.get("OPENAI_API_KEY", "")
        if url == OWN and not key:
            raise BadInput("OpenAI's models need a key", "export OPENAI_API_KEY=..., or OPENAI_BASE_URL=http://...")
        root = url.removesuffix("/v1")
        return cls(Server(root, key=key), url[len(root) :])

    @property
    def is_own(self) -> bool:
        return self.root.url + self.prefix == OWN

    @property
    def says_what_it_is(self) -> bool:
        """Whether it answers with JSON where such servers do, but for OpenAI's own. Raises `ServiceUnreachable`."""
        return self.is_own or any(self.root.asked(path) for path in (f"{self.prefix}/models", "/props"))

    def listed(self) -> list[dict[str, Any]]:
        """The models that it says it has, but for OpenAI's own. Raises `ServiceUnreachable`."""
        return [] if self.is_own else self.root.asked(f"{self.prefix}/models").get("data") or []

    def served(self, model: str) -> ServedModel:
        """Raises `ServiceUnreachable` where nothing answers, `NoModel` where it has other models than this one."""
        if self.is_own:
            return ServedModel()
        listed, props = self.listed(), dict[str, Any]()
        with suppress(ModelFailed):  # of llama.cpp alone: another server may have something else there
            props = self.root.asked("/props")
        own = next((one for one in listed if one.get("id") == model), None)
        if own is None and listed and not props:  # llama.cpp answers to any name
            names = ", ".join(str(one.get("id")) for one in listed[:5])
            raise NoModel(f"{self.root.url} has no model {model} (there: {names})", f"--llm openai:{listed[0]['id']}")
        own = own or (listed[0] if listed else {})
        meta = own.get("meta") or {}
        window = (props.get("default_generation_settings") or {}).get("n_ctx") or own.get("max_model_len")
        window = window or own.get("context_length") or meta.get("n_ctx") or meta.get("n_ctx_train") or 0
        counts = "llama.cpp" if props else "vllm" if own.get("max_model_len") else ""
        return ServedModel(int(window), int(meta.get("n_params") or 0), counts)


@lru_cache(maxsize=4096)  # texts of a prompt are counted more than once
def counted(server: Server, text: str, model: str, counts: str) -> int | None:
    """The tokens of a text as the server counts them; None where it does not."""
    body = {"content": text} if counts == "llama.cpp" else {"model": model, "prompt": text}
    try:
        said = server.asked("/tokenize", body) if counts else {}
    except ServiceUnreachable:
        return None
    return len(said["tokens"]) if "tokens" in said else said.get("count")


class OpenAIWriter:
    """Raises what `OpenAIServer.named` and `OpenAIServer.served` raise."""

    def __init__(self, model: str) -> None:
        self._server, self._model, self._tokens = OpenAIServer.named(), model, TokenCounts()
        served = self._server.served(model)
        self._counts = served.counts
        self.name, self.window = f"openai:{model}", min(served.window or WINDOW, LONGEST)
        self.abilities = Abilities(served.parameters)
        self._takes_schemas = True  # until it refuses one

    def tokens(self, text: str) -> int:
        found = counted(self._server.root, text, self._model, self._counts)
        return self._tokens.estimate(text) if found is None else found

    def write(self, messages: Sequence[Message], options: WriteOptions = PLAIN) -> Iterator[Output]:
        """See `Writer.write`. A server that refuses a schema is asked again without, and from then on."""
        schema = options.schema if self._takes_schemas else None
        try:
            yield from self._written(messages, replace(options, schema=schema))
        except RequestRefused:
            if schema is None:
                raise
            self._takes_schemas = False
            yield from self._written(messages, replace(options, schema=None))

    def _written(self, messages: Sequence[Message], options: WriteOptions) -> Iterator[Output]:
        request: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": message.role, "content": message.text} for message in messages],
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if options.temperature is not None and not self._server.is_own:  # some models there refuse it
            request["temperature"] = options.temperature
        if options.tokens is not None:
            request["max_completion_tokens"] = options.tokens
        if options.schema is not None:
            schema = {"name": "reply", "schema": dict(options.schema)}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        counts, ended = dict[str, int](), list[str]()

        def text() -> Iterator[str]:
            path = f"{self._server.prefix}/chat/completions"
            for part in self._server.root.streamed(path, request, self.name, options.cancel):
                counts.update(part.get("usage") or {})
                for choice in part.get("choices", ()):
                    ended.extend(filter(None, [choice.get("finish_reason")]))
                    yield choice["delta"].get("content") or ""

        yield from without_thoughts(text())
        if not ended:
            raise ModelFailed(f"the answer of {self.name} broke off", "ask again; see the server's log")
        if counts:
            self._tokens.learn("".join(message.text for message in messages), counts["prompt_tokens"])
            yield Usage(counts["prompt_tokens"], counts["completion_tokens"], whole=ended[-1] != "length")

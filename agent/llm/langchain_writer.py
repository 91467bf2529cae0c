"""Any other chat model that LangChain knows by name, as a `Writer`: OpenAI-compatible servers (vLLM, llama.cpp) among
them."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import httpx

from clew.agent.llm.ledger import TokenCounts
from clew.agent.llm.openai_server import OpenAIServer, ServedModel, counted, server_of_environment
from clew.agent.llm.streams import Patience, Wire, watched, without_thoughts
from clew.memory.errors import BadInput, ModelFailed, NotSetUp, PromptCut, install_command, required
from clew.memory.ports import PLAIN, Abilities, Message, Output, Usage, WriteOptions

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessageChunk

EXTRA = "models"

WINDOW, LONGEST = 8192, 32768
"""Tokens, where a server does not say how many its model takes; and at most."""

OPENAI = "openai"
"""The provider whose servers take a JSON schema, and say what they counted where they are asked to: vLLM, llama.cpp,
LM Studio among them."""


def load_chat_model(name: str) -> "LangChainWriter":
    """`openai:NAME`, as `langchain.chat_models.init_chat_model` takes it; the server's address and key are where the
    provider's own package looks for them (`OPENAI_BASE_URL`, `OPENAI_API_KEY`).

    Raises `NotSetUp` without the extra, `BadInput` for a name or a setting that the provider refuses, and what
    `OpenAIServer.served` raises.
    """
    provider, _, model = name.partition(":")
    server = server_of_environment() if provider == OPENAI else None
    served = server.served(model) if server else ServedModel(Abilities(schema=provider == OPENAI))
    writer = LangChainWriter(name, server, served)
    try:
        writer.chat_model(None)
    except ImportError as error:
        raise NotSetUp(f"the model {name} needs its provider's package: {error}", install_command(EXTRA)) from error
    except errors_of(provider) as error:
        raise BadInput(f"the model {name} cannot be used: {_line(error)}", "see docs/models.md") from error
    return writer


class LangChainWriter:
    """What fails there is `ModelFailed`, in the server's words. `server` is None where nothing but LangChain reaches
    it."""

    def __init__(self, name: str, server: OpenAIServer | None, served: ServedModel) -> None:
        self.name, self.window, self.abilities = name, min(served.window or WINDOW, LONGEST), served.abilities
        self._provider, _, self._model = name.partition(":")
        self._server, self._served = server, served
        self._counts = TokenCounts()

    def tokens(self, text: str) -> int:
        found = counted(self._server, text, self._model, self._served.counts) if self._server else None
        return self._counts.estimate(text) if found is None else found

    def chat_model(self, client: httpx.Client | None) -> "BaseChatModel":
        """LangChain's model, over this connection where it is OpenAI's."""
        init_chat_model = required("langchain.chat_models", f"the model {self.name}", EXTRA).init_chat_model
        options: dict[str, Any] = {"max_retries": 0}
        if self._provider == OPENAI:
            options |= {"stream_usage": True, "http_client": client, "use_responses_api": False}
        made: BaseChatModel = init_chat_model(self.name, **options)
        return made

    def write(self, messages: Sequence[Message], options: WriteOptions = PLAIN) -> Iterator[Output]:
        """See `Writer.write`."""
        of_server = {"temperature": options.temperature, "max_tokens": options.tokens}
        given = {name: value for name, value in of_server.items() if value is not None}
        wire = Wire()
        client = (self._server or OpenAIServer("")).client(wire, None) if self._provider == OPENAI else None
        model: Any = self.chat_model(client)
        if options.schema is not None and self.abilities.schema:
            reply = {"type": "json_schema", "json_schema": {"name": "reply", "schema": dict(options.schema)}}
            model = model.bind(extra_body={"response_format": reply})  # as it is: LangChain's own way loses the counts
        sent = [(message.role, message.text) for message in messages]
        chunks = watched(lambda: self._chunks(model, sent, given), wire, Patience(), options.cancel)
        size = sum(len(message.text.encode("utf-8", "replace")) for message in messages)
        try:
            yield from self._read(chunks, size)
        finally:
            if client:
                client.close()

    def _chunks(
        self, model: Any, sent: Sequence[tuple[str, str]], options: Mapping[str, Any]
    ) -> "Iterator[AIMessageChunk]":
        """The one seam at which errors of the provider's package become `ClewError`s."""
        try:
            yield from model.stream(sent, **options)
        except errors_of(self._provider) as error:
            if re.search(r"context.?(?:length|size|window)|too many tokens", str(error), re.IGNORECASE):
                raise PromptCut(f"{self.name}: {_line(error)}", "a model with a longer context") from error
            raise ModelFailed(f"{self.name} failed: {_line(error)}", "see docs/models.md, or --llm none") from error

    def _read(self, chunks: "Iterator[AIMessageChunk]", size: int) -> Iterator[Output]:
        whole: list[AIMessageChunk] = []

        def text() -> Iterator[str]:
            for chunk in chunks:
                whole[:] = [whole[0] + chunk] if whole else [chunk]
                if piece := str(chunk.text):
                    yield piece

        yield from without_thoughts(text())
        if not whole:
            raise ModelFailed(f"{self.name} answered nothing", "ask again")
        counted = whole[0].usage_metadata
        if counted:
            self._counts.learn(size, counted["input_tokens"])
            ended = whole[0].response_metadata.get("finish_reason") != "length"
            yield Usage(counted["input_tokens"], counted["output_tokens"], whole=ended)


def errors_of(provider: str) -> tuple[type[Exception], ...]:
    """What using a provider's package may raise: the errors that it defines, and those of HTTP, of the connection and
    of values that it did not expect."""
    packages = (provider, f"langchain_{provider}", f"langchain_{provider}.chat_models")
    defined = [one for name in packages if name in sys.modules for one in list(vars(sys.modules[name]).values())]
    own = {one for one in defined if isinstance(one, type) and issubclass(one, Exception)}
    return (*own, httpx.HTTPError, OSError, ValueError, TypeError, LookupError, RuntimeError)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__

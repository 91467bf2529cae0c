"""Any other chat model that LangChain knows by name, as a `Writer`: OpenAI-compatible servers (vLLM, llama.cpp) among
them."""

from collections.abc import Iterator, Mapping, Sequence
from threading import Event
from typing import TYPE_CHECKING, Any

import httpx

from clew.agent.llm.endings import without_thoughts
from clew.agent.llm.ledger import TokenCounts
from clew.agent.llm.openai_server import OpenAIServer, ServedModel, counted, server_of_environment
from clew.agent.llm.server import PATIENCE, Server, Wire, failed, stoppable
from clew.memory.errors import BadInput, ModelFailed, NotSetUp, install_command, required
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
    except Exception as error:  # whatever the provider's package raises
        why = " ".join(str(error).split())
        raise BadInput(f"the model {name} cannot be used: {why}", "see docs/models.md") from error
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
            of_openai = {"stream_usage": True, "http_client": client, "use_responses_api": False, "timeout": PATIENCE}
            options |= of_openai
        made: BaseChatModel = init_chat_model(self.name, **options)
        return made

    def write(self, messages: Sequence[Message], options: WriteOptions = PLAIN) -> Iterator[Output]:
        """See `Writer.write`."""
        of_server = {"temperature": options.temperature, "max_tokens": options.tokens}
        given = {name: value for name, value in of_server.items() if value is not None}
        wire, whole = Wire(), list[Any]()
        client = (self._server.root if self._server else Server("")).client(wire, PATIENCE)
        model: Any = self.chat_model(client)
        if options.schema is not None and self.abilities.schema:
            reply = {"type": "json_schema", "json_schema": {"name": "reply", "schema": dict(options.schema)}}
            model = model.bind(extra_body={"response_format": reply})  # as it is: LangChain's own way loses the counts

        def text() -> Iterator[str]:
            for chunk in self._chunks(model, messages, given):
                whole[:] = [whole[0] + chunk] if whole else [chunk]
                yield str(chunk.text)

        with client:
            yield from without_thoughts(stoppable(text(), wire, options.cancel or Event()))
        if not whole:
            raise ModelFailed(f"{self.name} answered nothing", "ask again")
        if counts := whole[0].usage_metadata:
            self._counts.learn("".join(message.text for message in messages), counts["input_tokens"])
            ended = whole[0].response_metadata.get("finish_reason") != "length"
            yield Usage(counts["input_tokens"], counts["output_tokens"], whole=ended)

    def _chunks(
        self, model: Any, messages: Sequence[Message], options: Mapping[str, Any]
    ) -> "Iterator[AIMessageChunk]":
        """The one seam at which errors of the provider's package, whatever they are, become `ClewError`s."""
        try:
            yield from model.stream([(message.role, message.text) for message in messages], **options)
        except Exception as error:
            raise failed(self.name, error) from error

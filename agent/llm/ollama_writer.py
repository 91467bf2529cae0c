"""A model of an Ollama server as a `Writer`: the one that was named, or the best suited of those that are there."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from clew.agent.llm.ledger import MESSAGE, TokenCounts
from clew.agent.llm.ollama_server import Card, OllamaServer, Pulled
from clew.agent.llm.streams import Wire, watched, without_thoughts
from clew.memory.errors import ModelFailed, NoModel, PromptCut, ServiceUnreachable, without_proxies
from clew.memory.files import machine_memory
from clew.memory.ports import PLAIN, Message, Output, Usage, Waiting, WriteOptions

with without_proxies():
    import ollama

WINDOW = 32768
"""Tokens at most: the memory for more of them would be larger than many a model."""

SMALLEST = 4096
"""The least that is asked for. The next is twice as much: another number makes the server load the model anew."""

MOST_LETTERS = 7
"""More than a token has in prose of any language: a prompt of which the server counts fewer tokens was cut."""

ANSWER = 1024
"""Tokens kept free for the answer where nobody says how long it may be."""

THOUGHTS = 700
"""Tokens that a model which thinks may think before an answer of limited length: it may do so though asked not to."""

LEAST_THINKING = "low"
"""How much models think that cannot be asked not to (gpt-oss)."""

KEEP_ALIVE = "15m"
"""How long the server keeps the model in memory after a call: as long as a person reads and thinks."""


class OllamaWriter:
    """Always says how large the context has to be (`num_ctx`): the server's default cuts prompts without a word."""

    def __init__(self, server: OllamaServer, name: str, card: Card) -> None:
        self.name, self.window, self.abilities = name, min(card.window, WINDOW), card.abilities
        self._server = server
        self._levels = card.levels
        self._counts = TokenCounts()
        self._context = min(SMALLEST, card.window)
        self.tokens = self._counts.estimate

    def write(self, messages: Sequence[Message], options: WriteOptions = PLAIN) -> Iterator[Output]:
        """See `Writer.write`. A prompt that cannot fit raises `PromptCut` before it is sent."""
        estimated = sum(self.tokens(message.text) + MESSAGE for message in messages)
        most = options.tokens and options.tokens + (THOUGHTS if self.abilities.thinks else 0)
        self._make_room(estimated + (most or ANSWER))
        of_server = {"num_ctx": self._context, "temperature": options.temperature, "num_predict": most}
        with suppress(ServiceUnreachable):  # then the call itself says what is wrong
            if self.name not in self._server.running():
                yield Waiting(f"loading {self.name}")
        wire = Wire()
        request: dict[str, Any] = {
            "model": self.name,
            "messages": [{"role": message.role, "content": message.text} for message in messages],
            "options": {name: value for name, value in of_server.items() if value is not None},
            "keep_alive": KEEP_ALIVE,
            "stream": True,
            "truncate": False,  # a prompt that is too long is an error, and never half of it
            "shift": False,
        }
        if options.schema is not None and self.abilities.schema:
            request["format"] = dict(options.schema)
        if self.abilities.thinks:
            request["think"] = LEAST_THINKING if self._levels else False
        with self._server.client(wire, read=None) as client:
            parts = watched(lambda: self._parts(client, request), wire, self._server.patience, options.cancel)
            yield from self._read(parts, "".join(message.text for message in messages))

    def _make_room(self, needed: int) -> None:
        if needed > self.window:
            raise PromptCut(
                f"the prompt and its answer need {needed} tokens, and the window of {self.name} has {self.window}",
                "a model with a longer context",
            )
        while self._context < needed:
            self._context = min(2 * self._context, self.window)

    def _parts(self, client: ollama.Client, request: Mapping[str, Any]) -> Iterator[ollama.ChatResponse]:
        """By a request of our own: the client's `chat` has no `truncate` and no `shift`."""
        try:
            with self._server.translated(self.name), client._client.stream("POST", "/api/chat", json=request) as reply:
                if reply.is_error:
                    raise ollama.ResponseError(reply.read().decode("utf-8", "replace"), reply.status_code)
                for line in filter(None, reply.iter_lines()):
                    part = json.loads(line)
                    if "error" in part:
                        raise ollama.ResponseError(str(part["error"]))
                    yield ollama.ChatResponse(**part)
        except NoModel as error:  # it was there when the conversation began
            raise ModelFailed(error.message, error.hint) from error

    def _read(self, parts: Iterator[ollama.ChatResponse], prompt: str) -> Iterator[Output]:
        """Text without thoughts, and at the end the counts: by them a prompt is seen that an older server has cut."""
        ended: list[ollama.ChatResponse] = []

        def output() -> Iterator[str]:
            for part in parts:
                if part.message.content:
                    yield part.message.content
                if part.done:
                    ended.append(part)

        yield from without_thoughts(output())
        if not ended:
            raise ModelFailed(f"the answer of {self.name} broke off", "ask again; see the server's log")
        read, written = ended[0].prompt_eval_count or 0, ended[0].eval_count or 0
        yield Usage(read, written, whole=ended[0].done_reason != "length")
        if read and (read >= self._context or len(prompt) > MOST_LETTERS * read):
            raise PromptCut(f"{self.name} read {read} tokens of a longer prompt", "a model with a longer context")
        self._counts.learn(len(prompt.encode("utf-8", "replace")), read)


SMALLEST_MODEL = 1_000_000
"""Bytes."""

MEMORY_SHARE = 0.6
"""Of this machine's memory: a larger model would leave no room for its context and for everything else."""


def named_model(server: OllamaServer, name: str) -> OllamaWriter:
    """Raises `NoModel` where it is not pulled (with the command that does) or no chat model, `ServiceUnreachable`."""
    there, whole = [model.name for model in server.pulled()], name if ":" in name else f"{name}:latest"
    if whole not in there:
        names = ", ".join(there[:5]) or "none"
        raise NoModel(f"the model {name} is not pulled (there: {names})", f"ollama pull {name}", name)
    card = server.card(whole)
    if not card.chats:
        raise NoModel(f"{name} is an embedding model and cannot write", "--llm ollama:llama3.2:3b, for example")
    return OllamaWriter(server, whole, card)


def best(server: OllamaServer) -> OllamaWriter | None:
    """None where no server listens, or has no chat model, or is no Ollama: then Clew works without. A model that runs
    elsewhere has to be named."""
    with suppress(ServiceUnreachable):
        there = server.pulled() if server.answers() else []
        for model in by_fit(filter(is_here, there), machine_memory()):
            with suppress(ServiceUnreachable, NoModel):
                return named_model(server, model.name)
    return None


def is_here(model: Pulled) -> bool:
    """Whether it runs on this server. Of one that runs at a provider's, to which documents would be sent, hardly a file
    is here."""
    return not model.name.endswith(("-cloud", ":cloud")) and model.size >= SMALLEST_MODEL


def by_fit(models: Iterable[Pulled], memory: float) -> list[Pulled]:
    """Those that fit into so many bytes first, the largest first; behind them the others, the smallest first."""
    room = MEMORY_SHARE * memory
    by_size = sorted(models, key=lambda model: (model.size, model.name))
    return [one for one in reversed(by_size) if one.size <= room] + [one for one in by_size if one.size > room]

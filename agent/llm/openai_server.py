"""What an OpenAI-compatible server says of itself and of a model: llama.cpp's `/props` and `/v1/models`, vLLM's
`max_model_len`, and the count of a text's tokens where it has `/tokenize`."""

import os
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import httpx

from clew.agent.llm.streams import QUICK, Wire, client_options
from clew.memory.errors import NoModel, ServiceUnreachable, naming_proxy
from clew.memory.ports import Abilities


@dataclass(frozen=True, slots=True)
class ServedModel:
    """`window` in tokens, 0 where the server does not say; `counts`: it has `/tokenize`, of llama.cpp or of vLLM."""

    abilities: Abilities
    window: int = 0
    counts: str = ""


@dataclass(frozen=True, slots=True)
class OpenAIServer:
    """The server at `url`, `http://127.0.0.1:8080/v1`. Nothing is connected before it is asked."""

    url: str
    key: str = field(default="", repr=False)

    def client(self, wire: Wire | None = None, read: float | None = QUICK) -> httpx.Client:
        """One of its own for each call, so that it can be ended."""
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        with naming_proxy():
            return httpx.Client(**client_options(self.url, read, wire), headers=headers)

    def served(self, model: str) -> ServedModel:
        """Raises `ServiceUnreachable` where nothing answers, `NoModel` where it has other models than this one."""
        root = self.url.rstrip("/").removesuffix("/v1")
        listed = self._asked(f"{self.url.rstrip('/')}/models").get("data") or []
        own = next((one for one in listed if one.get("id") == model), None)
        props = self._asked(f"{root}/props")
        if own is None and listed and not props:  # llama.cpp answers to any name
            names = ", ".join(str(one.get("id")) for one in listed[:5])
            raise NoModel(f"{self.url} has no model {model} (there: {names})", f"--llm openai:{listed[0].get('id')}")
        own = own or (listed[0] if listed else {})
        meta = own.get("meta") or {}
        window = (props.get("default_generation_settings") or {}).get("n_ctx") or own.get("max_model_len")
        window = window or own.get("context_length") or meta.get("n_ctx") or meta.get("n_ctx_train") or 0
        counts = "llama.cpp" if props else "vllm" if own.get("max_model_len") else ""
        return ServedModel(Abilities(schema=True, parameters=int(meta.get("n_params") or 0)), int(window), counts)

    def _asked(self, url: str) -> dict[str, Any]:
        """Empty where the server has no such address."""
        try:
            with self.client() as client:
                reply = client.get(url)
                said = reply.json() if reply.is_success else {}
        except httpx.TransportError as error:
            raise ServiceUnreachable(f"the server at {self.url} does not answer", "start it, or --llm none") from error
        except ValueError:
            return {}
        return said if isinstance(said, dict) else {}

    def tokens(self, text: str, model: str, counts: str) -> int | None:
        """As the server counts them; None where it does not."""
        if not counts:
            return None
        body = {"content": text} if counts == "llama.cpp" else {"model": model, "prompt": text}
        try:
            with self.client() as client:
                root = self.url.rstrip("/").removesuffix("/v1")
                reply = client.post(f"{root}/tokenize", json=body)
                said = reply.raise_for_status().json()
                return int(said["count"]) if "count" in said else len(said["tokens"])
        except (httpx.HTTPError, ValueError, LookupError, TypeError):
            return None


def server_of_environment() -> OpenAIServer | None:
    """That `OPENAI_BASE_URL` names; None: OpenAI's own, which says nothing of its models."""
    url = os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE") or ""
    return OpenAIServer(url, os.environ.get("OPENAI_API_KEY", "")) if url else None


counted = lru_cache(maxsize=4096)(OpenAIServer.tokens)
"""Texts of a prompt are counted more than once."""

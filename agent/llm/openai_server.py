"""What an OpenAI-compatible server says of itself and of a model: llama.cpp's `/props` and `/v1/models`, vLLM's
`max_model_len`, and the count of a text's tokens where it has `/tokenize`."""

import os
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from clew.agent.llm.server import Server
from clew.memory.errors import NoModel, ServiceUnreachable
from clew.memory.ports import Abilities


@dataclass(frozen=True, slots=True)
class ServedModel:
    """`window` in tokens, 0 where the server does not say; `counts`: it has `/tokenize`, of llama.cpp or of vLLM."""

    abilities: Abilities
    window: int = 0
    counts: str = ""


@dataclass(frozen=True, slots=True)
class OpenAIServer:
    """`root` is its address without `/v1`, which `prefix` is where it has that."""

    root: Server
    prefix: str = "/v1"

    def listed(self) -> list[dict[str, Any]]:
        """The models that it says it has. Raises `ServiceUnreachable`."""
        return self.root.asked(f"{self.prefix}/models").get("data") or []

    def served(self, model: str) -> ServedModel:
        """Raises `ServiceUnreachable` where nothing answers, `NoModel` where it has other models than this one."""
        listed, props = self.listed(), self.root.asked("/props")
        own = next((one for one in listed if one.get("id") == model), None)
        if own is None and listed and not props:  # llama.cpp answers to any name
            names = ", ".join(str(one.get("id")) for one in listed[:5])
            raise NoModel(f"{self.root.url} has no model {model} (there: {names})", f"--llm openai:{listed[0]['id']}")
        own = own or (listed[0] if listed else {})
        meta = own.get("meta") or {}
        window = (props.get("default_generation_settings") or {}).get("n_ctx") or own.get("max_model_len")
        window = window or own.get("context_length") or meta.get("n_ctx") or meta.get("n_ctx_train") or 0
        counts = "llama.cpp" if props else "vllm" if own.get("max_model_len") else ""
        return ServedModel(Abilities(schema=True, parameters=int(meta.get("n_params") or 0)), int(window), counts)


def server_of_environment() -> OpenAIServer | None:
    """That `OPENAI_BASE_URL` names; None: OpenAI's own, which says nothing of its models."""
    url = os.environ.get("OPENAI_BASE_URL", "").rstrip("/")
    root = url.removesuffix("/v1")
    return OpenAIServer(Server(root, key=os.environ.get("OPENAI_API_KEY", "")), url[len(root) :]) if url else None


@lru_cache(maxsize=4096)  # texts of a prompt are counted more than once
def counted(server: OpenAIServer, text: str, model: str, counts: str) -> int | None:
    """The tokens of a text as the server counts them; None where it does not."""
    body = {"content": text} if counts == "llama.cpp" else {"model": model, "prompt": text}
    try:
        said = server.root.asked("/tokenize", body) if counts else {}
    except ServiceUnreachable:
        return None
    return len(said["tokens"]) if "tokens" in said else said.get("count")

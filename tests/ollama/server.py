"""An Ollama server as those of 0.30 to 0.34 are, which run llama.cpp's llama-server, playing scripted models: a real
HTTP server on a real socket, for the real client.

Read from ollama/ollama: the forms of requests and replies in docs/api.md; what is sent on, cut and refused in
server/routes.go (`ChatHandler`, `handleNativeChat`, `truncateNativeChatMessages`) and server/prompt.go (`chatPrompt`);
errors in llm/llama_server.go. What each says stands at the line that does so.
"""

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DEFAULT_CONTEXT = 4096
"""What the server takes where a request does not say `num_ctx`."""

DOUBLE = "clew-double"
"""What a double says of itself in the header `Server`, and no real server does."""

BYTES_PER_TOKEN, NOW = 4.2, "2026-08-04T19:22:45.499127Z"


@dataclass(frozen=True)
class Failure(Exception):
    """An error as the server sends it: with a status before the first word, else as a line of the stream."""

    status: int
    message: str


class Died(Exception):
    """The process is gone: the connection ends without a word."""


@dataclass(frozen=True)
class Asked:
    """A request as the model gets it: `messages` after the server has cut what does not fit."""

    messages: Sequence[Mapping[str, Any]]
    format: Any = None
    think: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "\n".join(str(message.get("content") or "") for message in self.messages)


Said = Iterator[str | Mapping[str, str] | float]


Play = Callable[[Asked], Said]
"""What a model says: pieces of text, thoughts as `{"thinking": text}`, seconds of silence as a float; `Failure` and
`Died` as exceptions."""


@dataclass(frozen=True)
class Model:
    """`window` is what it was trained for; `real_window` is what the server takes in truth, whatever it is asked for
    (None: what it is asked for). `parsed`: Ollama reads its thoughts itself (Qwen 3, gpt-oss), not llama-server."""

    play: Play
    capabilities: Sequence[str] = ("completion",)
    window: int = 131072
    size: int = 2_019_393_189
    parameters: int = 3_200_000_000
    loads: float = 0.0
    real_window: int | None = None
    architecture: str = "llama"
    parsed: bool = False


class OllamaDouble:
    """`requests` are the bodies of `/api/chat`, in order; `unplug` ends the server and every connection."""

    def __init__(self, models: Mapping[str, Model], version: str = "0.34.1") -> None:
        self.models = dict(models)
        self.version = version
        self.requests: list[dict[str, Any]] = []
        self.loaded: set[str] = set()
        self.hung_up = threading.Event()
        double = self

        class Handler(_Handler):
            server_double = double

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def host(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def unplug(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def digest(self, name: str) -> str:
        return hashlib.sha256(name.encode()).hexdigest()


@contextmanager
def serving(models: Mapping[str, Model], **options: Any) -> Iterator[OllamaDouble]:
    double = OllamaDouble(models, **options)
    try:
        yield double
    finally:
        double.unplug()


class _Handler(BaseHTTPRequestHandler):
    server_double: OllamaDouble
    protocol_version, server_version = "HTTP/1.1", DOUBLE

    def log_message(self, *_: Any) -> None:
        return

    def do_GET(self) -> None:
        double = self.server_double
        replies: dict[str, Any] = {
            "/": "Ollama is running",
            "/api/version": {"version": double.version},
            "/api/tags": {"models": [self._listed(name, model) for name, model in double.models.items()]},
            "/api/ps": {"models": [self._listed(name, double.models[name]) for name in sorted(double.loaded)]},
        }
        if self.path in replies:
            self._send(200, replies[self.path])
        else:
            self._send(404, {"error": "404 page not found"})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
        verbs = {"/api/show": self._show, "/api/chat": self._chat}
        try:
            verbs[self.path](body)
        except Failure as failure:
            self._send(failure.status, {"error": failure.message})
        except (Died, BrokenPipeError, ConnectionResetError):
            self.server_double.hung_up.set()
            self.close_connection = True

    def _model(self, body: Mapping[str, Any]) -> tuple[str, Model]:
        name = str(body.get("model") or "")
        name = name if ":" in name else f"{name}:latest"
        if name not in self.server_double.models:
            raise Failure(404, f"model '{name}' not found")
        return name, self.server_double.models[name]

    def _listed(self, name: str, model: Model) -> dict[str, Any]:
        details = {"format": "gguf", "family": "llama", "families": ["llama"]}
        common = {"name": name, "model": name, "digest": self.server_double.digest(name), "size": model.size}
        return {**common, "modified_at": "2026-05-04T17:37:44.706015396-07:00", "details": details}

    def _show(self, body: Mapping[str, Any]) -> None:
        _, model = self._model(body)
        shown: dict[str, Any] = {
            "modelfile": "",
            "template": "{{ .System }}{{ .Tools }}{{ .Prompt }}",
            "details": {"family": "llama", "quantization_level": "Q4_K_M"},
            "model_info": {
                "general.architecture": model.architecture,
                "general.parameter_count": model.parameters,
                f"{model.architecture}.context_length": model.window,
            },
        }
        self._send(200, {**shown, "capabilities": list(model.capabilities)})

    def _chat(self, body: dict[str, Any]) -> None:
        name, model = self._model(body)
        double = self.server_double
        double.requests.append(body)
        thinks, think = "thinking" in model.capabilities, body.get("think")
        if think and not thinks:  # server/routes.go, ChatHandler; `false` is taken of any model
            raise Failure(400, f'"{body["model"]}" does not support thinking')
        if name not in double.loaded:
            time.sleep(model.loads)
            double.loaded.add(name)
        options = body.get("options") or {}
        window = min(model.real_window or options.get("num_ctx") or DEFAULT_CONTEXT, model.window)
        messages = body["messages"] if body.get("truncate") is False else _fitting(body["messages"], window)
        if (read := _tokens(messages)) > window:  # llm/llama_server.go, Chat: llama-server's whole reply is the text
            too_long = (
                f"request ({read} tokens) exceeds the available context size ({window} tokens), try increasing it"
            )
            told = {"code": 400, "message": too_long, "type": "exceed_context_size_error"}
            raise Failure(400, json.dumps({"error": told}))
        # server/routes.go, ChatHandler: the form is asked for once thoughts have ended (ollama/ollama issue 15260),
        # and a model that may think does so where the request does not say
        form = None if thinks and model.parsed else body.get("format")
        asked = Asked(messages, form, thinks if think is None else think, options)
        # without `shift` a full window ends the answer (llama.cpp, tools/server, process_token)
        most = min(options.get("num_predict") or 10**6, window - read)
        self._stream(name, model.play(asked), read, most)

    def _stream(self, name: str, said: Iterator[Any], read: int, most: int) -> None:
        """The first failure has a status; the headers are sent with the first word."""
        written, reason, begun = 0, "stop", False
        try:
            for piece in said:
                if isinstance(piece, float):
                    time.sleep(piece)
                    continue
                if written >= most:
                    reason = "length"
                    break
                message: dict[str, Any] = {"role": "assistant", "content": piece if isinstance(piece, str) else ""}
                if isinstance(piece, Mapping):
                    message |= piece
                written += 1
                begun = begun or self._begin()
                self._line({"model": name, "created_at": NOW, "message": message, "done": False})
        except Failure as failure:
            if not begun:
                raise
            self._line({"error": failure.message})
            self._end()
            return
        begun = begun or self._begin()
        message = {"role": "assistant", "content": ""}
        counts = {"prompt_eval_count": read, "prompt_eval_duration": 130_079_000, "eval_count": written}
        times = {"total_duration": 4_883_583_458, "load_duration": 1_334_875, "eval_duration": 4_232_710_000}
        done = {"model": name, "created_at": NOW, "message": message, "done": True, "done_reason": reason}
        self._line({**done, **times, **counts})
        self._end()

    def _send(self, status: int, value: Any) -> None:
        body = (value if isinstance(value, str) else json.dumps(value)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _begin(self) -> bool:
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        return True

    def _line(self, value: Mapping[str, Any]) -> None:
        line = json.dumps(value).encode() + b"\n"
        self.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
        self.wfile.flush()

    def _end(self) -> None:
        self.wfile.write(b"0\r\n\r\n")


def _fitting(messages: Sequence[Mapping[str, Any]], window: int) -> Sequence[Mapping[str, Any]]:
    """The messages without the oldest, until the rest fits; the last one and those of the system are kept, and no text
    is cut (server/routes.go, truncateNativeChatMessages). Nothing is said of it; only the count of tokens tells."""
    for start in range(len(messages)):
        kept = [*(one for one in messages[:start] if one["role"] == "system"), *messages[start:]]
        if _tokens(kept) <= window:
            break
    return kept


def _tokens(messages: Sequence[Mapping[str, Any]]) -> int:
    size = sum(len(str(message.get("content") or "").encode()) for message in messages)
    return int(size / BYTES_PER_TOKEN) + 6 * len(messages) + 1

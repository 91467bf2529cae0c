"""The OpenAI-compatible endpoint that Ollama, vLLM and llama.cpp have: `/v1/chat/completions`, streamed as events."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.ollama.server import DOUBLE, Asked, Failure, Play


@contextmanager
def compatible(play: Play) -> Iterator[str]:
    """The address for `OPENAI_BASE_URL`; any model's name is taken."""

    class Handler(_Handler):
        played = staticmethod(play)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    played: Play
    server_version = DOUBLE

    def log_message(self, *_: Any) -> None:
        return

    def do_GET(self) -> None:
        """As a server that says no more of itself than which models it has; the key `wrong` is refused, as by vLLM and
        llama.cpp."""
        refused = self.headers["Authorization"] == "Bearer wrong"
        self._head(401 if refused else 200 if self.path == "/v1/models" else 404, "application/json")
        self.wfile.write(json.dumps({"object": "list", "data": []}).encode())

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        schema = (body.get("response_format") or {}).get("json_schema")
        asked = Asked(body["messages"], schema and schema["schema"])
        try:
            self._stream(body, asked)
        except Failure as failure:
            self._head(failure.status, "application/json")
            self.wfile.write(json.dumps({"error": {"message": failure.message, "code": failure.status}}).encode())
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _stream(self, body: Mapping[str, Any], asked: Asked) -> None:
        begun, written = False, 0
        for piece in self.played(asked):
            if not begun:
                self._head(200, "text/event-stream")
                begun = True
            delta: dict[str, Any] = {"role": "assistant", "content": piece if isinstance(piece, str) else None}
            written += 1
            self._event({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        if (body.get("stream_options") or {}).get("include_usage"):
            read = len(asked.text.split())
            usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
            self._event({"choices": [], "usage": usage})
        self.wfile.write(b"data: [DONE]\n\n")

    def _head(self, status: int, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        self.end_headers()

    def _event(self, value: Mapping[str, Any]) -> None:
        common = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1760000000, "model": "any"}
        self.wfile.write(f"data: {json.dumps({**common, **value})}\n\n".encode())
        self.wfile.flush()

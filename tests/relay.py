"""python -m tests.relay [--port 8080] [--folder relay]

An OpenAI-compatible server whose model is a person. Each chat request is written to the folder, as it came
(NNNN.request.json) and to be read (NNNN.prompt.txt); what somebody then saves as NNNN.reply.txt is sent, in pieces. A
client that has gone away before leaves NNNN.gone. A token is four characters.

    OPENAI_BASE_URL=http://127.0.0.1:8080/v1 OPENAI_API_KEY=none clew chat --llm openai:relay
"""

import argparse
import json
import re
import select
import socket
import time
from collections.abc import Mapping
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any

POLL, PATIENCE = 0.2, 20
"""Seconds between two looks at the folder; and between two empty pieces, as clients give up on a silent server."""

MODEL = {"id": "relay", "object": "model", "meta": {"n_ctx_train": 8192, "n_params": 8_000_000_000}}
PROPS = {"default_generation_settings": {"n_ctx": 8192}}
TOLD: dict[str, Mapping[str, Any]] = {"/v1/models": {"object": "list", "data": [MODEL]}, "/props": PROPS}

_json = partial(json.dumps, indent=1, ensure_ascii=False)


class Relay(ThreadingHTTPServer):
    """Requests are numbered from 1, after those that the folder has already."""

    daemon_threads = True

    def __init__(self, folder: Path, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self._numbers = folder, count(len([*folder.glob("*.request.json")]) + 1)

    def note(self, body: Mapping[str, Any]) -> Path:
        """The request in the folder: `NNNN`, to which endings are added."""
        place = self.folder / f"{next(self._numbers):04}"
        place.with_suffix(".request.json").write_text(_json(body), "utf-8")
        said = [f"--- {one['role']} ---\n{one.get('content') or _json(one)}" for one in body["messages"]]
        rest = {name: value for name, value in body.items() if name != "messages"}  # tools, a schema, options
        place.with_suffix(".prompt.txt").write_text("\n\n".join([*said, f"--- request ---\n{_json(rest)}\n"]), "utf-8")
        print(place.with_suffix(".prompt.txt"), flush=True)
        return place


class _Handler(BaseHTTPRequestHandler):
    server: Relay

    def log_message(self, *_: Any) -> None:
        return

    def do_GET(self) -> None:
        self._send(TOLD.get(self.path))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/chat/completions":
            tokens = [*range(len(str(body.get("content"))) // 4)]
            return self._send({"tokens": tokens} if self.path == "/tokenize" else None)
        place = self.server.note(body)
        try:
            self._chat(place, body, bool(body.get("stream")))
        except ConnectionError:
            place.with_suffix(".gone").touch()

    def _chat(self, place: Path, body: Mapping[str, Any], streamed: bool) -> None:
        if streamed:
            self._head("text/event-stream")
        text = self._reply(place, streamed)
        read = sum(len(str(message.get("content") or "")) for message in body["messages"]) // 4
        usage = {"prompt_tokens": read, "completion_tokens": len(text) // 4, "total_tokens": read + len(text) // 4}
        if not streamed:
            return self._send({**_choice("message", text, "stop"), "usage": usage})
        events = [_choice("delta", piece) for piece in re.findall(r"\s*\S+|\s+$", text)]
        events.append(_choice("delta", "", "stop"))
        if (body.get("stream_options") or {}).get("include_usage"):
            events.append({**_choice("delta", ""), "choices": [], "usage": usage})
        for event in [*map(json.dumps, events), "[DONE]"]:
            self.wfile.write(f"data: {event}\n\n".encode())

    def _reply(self, place: Path, streamed: bool) -> str:
        """Once what is saved has not changed for a moment. Raises `BrokenPipeError` where nobody waits for it."""
        file, before, said = place.with_suffix(".reply.txt"), b"", time.monotonic()
        while not before or before != file.read_bytes():
            before = file.read_bytes() if file.exists() else b""
            if select.select([self.connection], [], [], POLL)[0] and not self.connection.recv(1, socket.MSG_PEEK):
                raise BrokenPipeError
            if streamed and time.monotonic() - said > PATIENCE:
                self.wfile.write(f"data: {json.dumps(_choice('delta', ''))}\n\n".encode())
                said = time.monotonic()
        return before.decode("utf-8", "replace").removesuffix("\n")

    def _send(self, value: Mapping[str, Any] | None) -> None:
        self._head("application/json", 200 if value else 404)
        self.wfile.write(json.dumps(value or {"error": {"message": f"there is no {self.path} here"}}).encode())

    def _head(self, kind: str, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.end_headers()


def _choice(name: str, text: str, ends: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, name: {"role": "assistant", "content": text}, "finish_reason": ends}
    kind = "chat.completion" if name == "message" else "chat.completion.chunk"
    return {"id": MODEL["id"], "object": kind, "created": int(time.time()), "model": MODEL["id"], "choices": [choice]}


if __name__ == "__main__":
    parser = argparse.ArgumentParser("python -m tests.relay", description="A person plays the model: see this file.")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--folder", type=Path, default=Path("relay"))
    given = parser.parse_args()
    with Relay(given.folder, given.port) as relay:
        print(f"http://127.0.0.1:{relay.server_address[1]}/v1, prompts in {given.folder}", flush=True)
        relay.serve_forever()

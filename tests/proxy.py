"""A proxy before a real Elasticsearch, for what that cannot show: answers that are slow or do not come, inference.

Its inference route has the reference's shapes (PUT and POST `_inference/sparse_embedding/ID`), and refuses what the
server refuses: an endpoint that there is not, a text that is none, a licence without machine learning.
"""

import http.client
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

_ROUTE = re.compile(r"/_inference/sparse_embedding/([^/?]+)")
RELATED = {"film": ("movie", "cinema"), "movie": ("film", "cinema"), "animals": ("monkey", "dog"), "sea": ("ocean",)}
"""What the double of ELSER adds to a word."""


class Proxy(ThreadingHTTPServer):
    """`wait` seconds before each answer to a path in which `slow` occurs; `away`: none comes; `instead` of the server's
    answer, by method, path and body, one of status and JSON where it gives one; `lost`: the server does it, and its
    answer is a balancer's 504. `endpoints` are those that there are, `may_create` more of them; `licensed`; `inferred`
    are the texts that tokens were made of."""

    daemon_threads = True

    def __init__(self, url: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.server_url = urlsplit(url)
        self.wait, self.slow, self.away = 0.0, "", False
        self.instead: Callable[[str, str, bytes], tuple[int, dict[str, Any]] | None] = lambda *_: None
        self.lost: Callable[[str, str, bytes], bool] = lambda *_: False
        self.endpoints, self.may_create, self.licensed = set[str](), True, True
        self.inferred: list[str] = []

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_: object) -> None:
        """A client that has gone is no error of the proxy."""

    def inference(self, method: str, id_: str, sent: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if not self.licensed:
            return error_of(403, "security_exception", "current license is non-compliant for [inference]")
        if method == "PUT":
            if not self.may_create:
                action = "cluster:admin/xpack/inference/put"
                return error_of(403, "security_exception", f"action [{action}] is unauthorized for API key")
            self.endpoints.add(id_)
            return 200, {"inference_id": id_, "task_type": "sparse_embedding", **sent}
        if id_ not in self.endpoints:
            return error_of(404, "resource_not_found_exception", f"Inference endpoint not found [{id_}]")
        texts = sent.get("input")
        if not isinstance(texts, list) or not texts or not all(isinstance(one, str) and one for one in texts):
            return error_of(400, "action_request_validation_exception", "Field [input] cannot be an empty array")
        self.inferred += texts
        return 200, {"sparse_embedding": [{"is_truncated": False, "embedding": tokens(one)} for one in texts]}


def tokens(text: str) -> dict[str, float]:
    words = re.findall(r"[a-z]{3,}|[0-9]+(?:\.[0-9]+)?", text.casefold())
    found = dict.fromkeys(words, 1.0)
    return {more: 0.6 for word in words for more in RELATED.get(word, ())} | found


def error_of(status: int, kind: str, reason: str) -> tuple[int, dict[str, Any]]:
    cause = {"type": kind, "reason": reason}
    return status, {"error": {"root_cause": [cause], **cause}, "status": status}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Proxy

    def _answer(self) -> None:
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.server.slow in self.path:
            time.sleep(self.server.wait)
        if self.server.away:
            self.close_connection = True
            return
        made = self.server.instead(self.command, self.path, sent)
        if not made and (route := _ROUTE.match(self.path)):
            made = self.server.inference(self.command, route[1], json.loads(sent or b"{}"))
        if made:
            status, said = made
            self._send(status, json.dumps(said).encode(), "application/vnd.elasticsearch+json;compatible-with=8")
            return
        real = self.server.server_url
        headers = {name: value for name, value in self.headers.items() if name.casefold() not in ("host", "connection")}
        with closing(http.client.HTTPConnection(real.hostname or "", real.port, timeout=300)) as connection:
            connection.request(self.command, self.path, sent or None, headers)
            answer = connection.getresponse()
            body = answer.read()
        if self.server.lost(self.command, self.path, sent):
            self._send(504, b'{"error": "the answer was lost", "status": 504}', "application/json")
            return
        self._send(answer.status, body, answer.headers.get("Content-Type", ""))

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("X-Elastic-Product", "Elasticsearch")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _answer  # noqa: N815 the names are http.server's

    def log_message(self, *_: object) -> None:
        """Nothing on the standard error."""


@contextmanager
def proxy_before(url: str) -> Iterator[Proxy]:
    with Proxy(url) as made:
        serving = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.05})
        serving.start()
        try:
            yield made
        finally:
            made.shutdown()
            serving.join()

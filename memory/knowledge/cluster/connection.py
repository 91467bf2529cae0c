"""A cluster: the address of a library on it, the client, and Elasticsearch's errors as ours. Only here is it named.

    es://HOST:PORT[,HOST:PORT]/NAME     without TLS: to this machine alone, unless `ES_PLAIN=yes`
    ess://HOST:PORT[,HOST:PORT]/NAME    with TLS; `ES_CA` is the file of an authority, or its fingerprint
    es:///NAME                          the servers of `ES_URL`

The key (`ES_API_KEY`, or `ES_USER` and `ES_PASSWORD`) is read when a client is made, and is nowhere kept or said.
"""

import os
import re
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from operator import methodcaller
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from clew.memory.errors import BadInput, ClewError, NoLibrary, NotSetUp, ServiceUnreachable, required

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch

OLDEST = (8, 18)
"""The oldest server that is taken: the first with `rescore_vector` for quantised vectors as it is used here."""

PREFIX = "clew-"
"""Of the names of all our indices."""

NAME = re.compile(r"[a-z0-9][a-z0-9_]{0,62}")
_HOST = re.compile(r"(?P<host>[A-Za-z0-9._-]+|\[[0-9a-fA-F:]+\])(?::(?P<port>[0-9]{1,5}))?")
_SCHEME = re.compile(r"\s*(ess?|https?):(.*?)\s*", re.IGNORECASE | re.DOTALL)
_FINGERPRINT = re.compile(r"(?:[0-9A-Fa-f]{2}:?){32}")
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")

PORT, LAST_PORT = 9200, 65_535
SECONDS, TURN = 30.0, 2
"""That an answer may take, where `ES_TIMEOUT` says nothing else; and how many times that the searches of a turn may."""

BULK_SECONDS = 120.0
ATTEMPTS, PRESENT = 8, 2
"""How often a busy cluster is asked: by who indexes, and by who has somebody waiting."""

PAUSE, LONGEST_PAUSE = 0.25, 15.0
"""Seconds before the first try again, doubled for each other, and the most."""

BUSY = (429, 502, 503, 504)
REJECTED = ("es_rejected_execution_exception", "circuit_breaking_exception")
"""What waiting helps with, by status and by type; no block of an index or of a cluster without a master."""

AT_ONCE = 10_000
"""Of a list of ids or terms in one request; Elasticsearch takes 65,536."""


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """Where a library is on a cluster: its `servers` as `host:port` (none: those of `ES_URL`), and its `name`."""

    name: str
    servers: tuple[str, ...] = ()
    tls: bool = False

    def __str__(self) -> str:
        return f"{'ess' if self.tls else 'es'}://{','.join(self.servers)}/{self.name}"

    @property
    def urls(self) -> list[str]:
        """The addresses of the servers. Raises `NotSetUp` if neither the address nor `ES_URL` names one, and `BadInput`
        for another machine without TLS."""
        if self.servers:
            found = [f"http{'s' if self.tls else ''}://{server}" for server in self.servers]
        else:
            named = os.environ.get("ES_URL", "").split(",")
            found = list(dict.fromkeys(url.strip().rstrip("/") for url in named if url.strip()))
            if not found:
                raise NotSetUp(f"{self} names no server, and ES_URL is not set", "export ES_URL=https://HOST:9200")
        for url in found:
            _check_url(url)
        return found


Place = Path | ClusterAddress
"""Where a library is."""


class NotAllowed(NotSetUp):
    """The cluster knows the key, but the key lacks a right."""


class Busy(ServiceUnreachable):
    """The cluster is overloaded and may answer later."""


def address(text: str) -> ClusterAddress | None:
    """Read the address of a library on a cluster; None if the text is the path of a folder. Raises `BadInput` for an
    address of the wrong form."""
    match = _SCHEME.fullmatch(text)
    if not match:
        return None
    scheme, (servers, _, name) = match[1].casefold(), match[2].removeprefix("//").partition("/")
    hosts = [_HOST.fullmatch(one) for one in servers.split(",")] if servers else []
    ports = all(0 < int(one["port"] or PORT) <= LAST_PORT for one in hosts if one)
    closed = scheme.startswith("es") and match[2].startswith("//") and all(hosts) and ports
    if not closed or not NAME.fullmatch(name):
        raise BadInput(
            f"'{without_secrets(text)}' is not the address of a library on a cluster",
            "es://HOST:9200/NAME, NAME of a-z, 0-9 and _; the key goes into ES_API_KEY",
        )
    named = (f"{one['host'].casefold()}:{int(one['port'] or PORT)}" for one in hosts if one)
    return ClusterAddress(name, tuple(dict.fromkeys(named)), scheme == "ess")


def place(text: object) -> Any:
    """Convert the place of a library as a user writes it to an address on a cluster or the path of a folder."""
    return (address(text) or Path(text)) if isinstance(text, str) else text


def without_secrets(text: str) -> str:
    """Return an address without the user and the password that somebody wrote into it, fit to be shown."""
    return re.sub(r"^(\s*\w+:/*).*@", r"\1...@", text, flags=re.DOTALL)


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if parts.scheme not in ("http", "https") or not host or parts.path or parts.query or "@" in parts.netloc:
        raise BadInput(
            f"ES_URL has '{without_secrets(url)}', which is not https://HOST:PORT", "export ES_URL=https://HOST:9200"
        )
    local = host in _LOOPBACK or host == "::1"
    if parts.scheme == "http" and not local and os.environ.get("ES_PLAIN") != "yes":
        raise BadInput(
            f"{host}:{port or PORT} is another machine, and http:// sends documents and keys in clear",
            "ess://HOST:PORT/NAME with TLS; ES_PLAIN=yes where the network is your own",
        )


def patience() -> float:
    """Return how many seconds an answer may take, at least 1, from `ES_TIMEOUT`. Raises `BadInput` if that is not a
    number."""
    given = os.environ.get("ES_TIMEOUT", "") or f"{SECONDS:g}"
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", given):
        wrong = f"ES_TIMEOUT has '{given[:20]}', which is not a number of seconds"
        raise BadInput(wrong, f"export ES_TIMEOUT={SECONDS:g}")
    return max(1.0, float(given))


def secret_of(variable: str) -> str:
    """Return the value of an environment variable for a header. Raises `NotSetUp`, without the value, if no header can
    hold it."""
    given = os.environ.get(variable, "").strip("\r\n")
    if not given.isprintable() or (variable == "ES_API_KEY" and not given.isascii()):
        raise NotSetUp(f"{variable} has a line break or another character that no key has", f"export {variable}=...")
    return given


class Cluster:
    """The client of the cluster of one library. A busy cluster is asked `tries` times, the second time after `pause`
    seconds. Safe from several threads."""

    def __init__(self, where: ClusterAddress, tries: int = ATTEMPTS, pause: float = PAUSE) -> None:
        self.where, self.tries, self.pause = where, tries, pause
        self.urls = where.urls

    @cached_property
    def client(self) -> "Elasticsearch":
        """The client of Elasticsearch's package. Raises `NotSetUp` if that is not installed."""
        vendor = required("elasticsearch", f"the library {self.where}", "elasticsearch")
        options: dict[str, Any] = {}
        if key := secret_of("ES_API_KEY"):
            options["api_key"] = key
        elif user := secret_of("ES_USER"):
            options["basic_auth"] = b64encode(f"{user}:{secret_of('ES_PASSWORD')}".encode()).decode()
        authority = os.environ.get("ES_CA", "")
        if authority and self.urls[0].startswith("https"):
            if _FINGERPRINT.fullmatch(authority):
                options["ssl_assert_fingerprint"] = authority
            elif Path(authority).is_file():
                options["ca_certs"] = authority
            else:
                raise NotSetUp(f"ES_CA is neither a file nor a fingerprint: {authority}", "export ES_CA=http_ca.crt")
        # A broken connection is tried at the other servers at once; a busy answer is `ask`'s.
        options |= {"max_retries": len(self.urls), "retry_on_timeout": False, "retry_on_status": ()}
        made: Elasticsearch = vendor.Elasticsearch(self.urls, request_timeout=patience(), **options)
        return made

    @cached_property
    def version(self) -> tuple[int, ...]:
        """The version of the server; empty if the key may not see it. Raises `NotSetUp` if the server is too old."""
        try:
            said = self.ask(lambda client: client.info())
        except NotAllowed:
            return ()
        found = tuple(int(part) for part in re.findall(r"\d+", said["version"]["number"])[:3])
        if found < OLDEST:
            oldest = ".".join(map(str, OLDEST))
            raise NotSetUp(
                f"at {self.where} is Elasticsearch {said['version']['number']}; Clew needs {oldest} or later",
                "upgrade the cluster",
            )
        return found

    def ask(self, call: Callable[["Elasticsearch"], Any], seconds: float = 0.0) -> Any:
        """Make a call and return the body of the answer; if the cluster is busy, again after growing pauses. `seconds`
        is how long an answer may take (0: as the client was made). Raises the errors of Elasticsearch's client as
        `ClewError` (`translated`)."""
        for attempt in range(self.tries):
            try:
                with self.translated():
                    answer = call(self.client.options(request_timeout=seconds) if seconds else self.client)
                break
            except Busy:
                if attempt + 1 == self.tries:
                    raise
            time.sleep(min(LONGEST_PAUSE, self.pause * 2**attempt))
        return getattr(answer, "body", answer)

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Translate the errors of Elasticsearch's client, and of its transport, into ours."""
        from elasticsearch import ApiError, ConnectionTimeout, SerializationError, SSLError, UnsupportedProductError
        from elasticsearch import ConnectionError as Broken
        from elasticsearch.helpers import ScanError

        try:
            yield
        except (UnsupportedProductError, SerializationError) as error:
            what = f"what answers at {self.where} is no Elasticsearch"
            raise NotSetUp(what, "look at the host and the port") from error
        except ApiError as error:
            raise self.refused(error.status_code, error.body) from error
        except ScanError as error:
            raise self._partial("some", "its") from error
        except SSLError as error:
            what = f"the certificate of {self.where} is not one that this machine trusts"
            raise NotSetUp(what, "export ES_CA=http_ca.crt, or the fingerprint of its authority") from error
        except ConnectionTimeout as error:
            mend = "try again; ES_TIMEOUT=60 waits longer, and clew doctor looks at it"
            raise ServiceUnreachable(f"{self.where} did not answer in time", mend) from error
        except Broken as error:
            raise ServiceUnreachable(f"{self.where} cannot be reached", "look whether the cluster runs") from error

    def refused(self, status: int, body: object) -> ClewError:
        """Return the error for an answer of this status and body, with a hint at what puts it right."""
        kind, reason = cause_of(body)
        said = f"{kind}: {reason}"[:300] if kind else f"status {status}"
        if status == 401:
            keyed = os.environ.get("ES_API_KEY") or os.environ.get("ES_USER")
            what = "does not take the key" if keyed else "wants a key"
            return NotSetUp(f"{self.where} {what}", "export ES_API_KEY=... (docs/elasticsearch.md)")
        if status == 403 and kind != "cluster_block_exception":
            action = re.search(r"action \[([^\]]+)\]", reason)
            what = f"the key for {self.where} may not do this: {action[1] if action else reason[:200]}"
            return NotAllowed(what, "give it the rights of docs/elasticsearch.md")
        if "master" in kind or "no master" in reason:
            return ServiceUnreachable(
                f"{self.where} has no master: it is read, and takes no writes",
                "bring the node back, then run this again",
            )
        if "block" in kind or "read-only" in reason or "flood" in reason:
            full = "flood" in reason or "read-only-allow-delete" in reason
            what = "its disk is full" if full else "the index is blocked"
            mend = "make room on the cluster" if full else "take the block off"
            return ClewError(f"{self.where} takes no writes: {what} ({reason[:200]})", f"{mend}, then run this again")
        if status == 413:
            return ClewError(f"{self.where} refused a request as too large", "raise its http.max_content_length")
        if status == 404:
            return NoLibrary(f"there is no library at {self.where}", f"clew index YOUR-FOLDER --library {self.where}")
        if "no_shard_available" in kind or "Partial shards" in reason or kind == "search_phase_execution_exception":
            return self._partial("some", "its")
        if status in BUSY or kind in REJECTED:
            return Busy(f"{self.where} cannot answer now ({said})", "try again; clew doctor looks at it")
        return ClewError(f"{self.where} refused a request ({said})", f"clew doctor --library {self.where}")

    # What several ask ----------------------------------------------------------------------------------------------

    def searched(self, index: str, searches: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return the answers of several searches, sent as one request. Raises `ServiceUnreachable` if only some shards
        answered."""
        if not searches:
            return []
        head = {"index": index, "allow_partial_search_results": False, "search_type": "dfs_query_then_fetch"}
        lines = [line for one in searches for line in (head, one)]
        answered = self.ask(lambda client: client.msearch(searches=lines))["responses"]
        for one in answered:
            if "error" in one:
                raise self.refused(one.get("status", 500), one)
            if failed := one["_shards"]["failed"]:
                raise self._partial(failed, one["_shards"]["total"])
        return list(answered)

    def found(
        self, index: str, ids: Sequence[str], source: Sequence[str] | bool = True, excludes: Sequence[str] = ()
    ) -> dict[str, dict[str, Any]]:
        """Return the sources of the rows with these ids that exist, by id."""
        made: dict[str, dict[str, Any]] = {}
        for start in range(0, len(ids), AT_ONCE):
            part = list(ids[start : start + AT_ONCE])
            asked = {"source_excludes": excludes} if excludes else {"source": source}
            answer = self.ask(methodcaller("mget", index=index, ids=part, **asked))
            for one in answer["docs"]:
                if "error" in one:
                    raise self.refused(503, one)
                if one.get("found"):
                    made[one["_id"]] = one["_source"]
        return made

    def scanned(
        self,
        index: str,
        query: Mapping[str, Any],
        source: Sequence[str] | bool = True,
        size: int = 500,
        columns: Sequence[str] = (),
    ) -> Iterator[dict[str, Any]]:
        """Return all hits of a query, in no order, in requests of `size` hits. `columns` are fields that are read
        without the source."""
        from elasticsearch.helpers import scan

        body = {"query": query, "source": source, "docvalue_fields": list(columns)}
        with self.translated():
            yield from scan(self.client, body, index=index, size=size, request_timeout=BULK_SECONDS)

    def _partial(self, failed: int | str, total: int | str) -> ClewError:
        return Busy(
            f"{failed} of {total} shards of {self.where} do not answer, so it is not known what is there",
            "bring the node back, or give the library a replica (docs/elasticsearch.md)",
        )


def cause_of(body: object) -> tuple[str, str]:
    """Return the type and the reason of an error's body: the innermost cause that states both."""
    error = body.get("error") if isinstance(body, Mapping) else None
    if not isinstance(error, Mapping):
        return "", str(error or body or "")[:300]
    causes = [error, *error.get("root_cause", ())]
    while isinstance(inside := causes[-1].get("caused_by"), Mapping):
        causes.append(inside)
    telling = [one for one in causes if one.get("reason")][-1:] or [error]
    return str(telling[0].get("type", "")), str(telling[0].get("reason", ""))

"""Who reaches the page, and what every answer tells the browser.

The person of this machine is let in by the address that is printed, others by a password. No request reaches the page
that another site made, or somebody who was not let in: a route is passed on that the page needs, asked for by a name of
ours, from a page of ours, with a cookie of ours. What the browser is told keeps what is in the page from calling
elsewhere.
"""

import base64
import hashlib
import hmac
import json
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import parse_qs, urlencode

from anyio import to_thread
from bs4 import BeautifulSoup, Tag
from jinja2 import Environment, PackageLoader
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from clew.memory.errors import BadInput
from clew.memory.json_lines import replace_file

USERS = "users.json"
"""In `Settings.home`: each name with its password's hash."""

NAME = re.compile(r"[^\W_][\w .@+-]{0,63}")
SHORTEST, LONGEST = 8, 1024
"""Characters of a password."""

FAILURES, MINUTE = 5, 60.0
"""So many wrong passwords, of one name or from one address, are allowed in so many seconds."""

COST = (1 << 15, 8, 3)
"""n, r and p of scrypt (RFC 7914): 32 MiB and about a third of a second."""


class TooManyFailures(BadInput): ...


def add_user(home: Path, name: str, password: str) -> None:
    """Add a user, or change the password of one. Raises `BadInput` for a name or a password that is not allowed."""
    if not NAME.fullmatch(name):
        raise BadInput(f"'{name}' cannot be the name of a user", "letters, digits and . @ + - are; 64 at most")
    if not SHORTEST <= len(password) <= LONGEST:
        raise BadInput("the password is too short or too long", f"{SHORTEST} characters at least")
    salt = secrets.token_bytes(16)
    kept = "$".join(("scrypt", *map(str, COST), salt.hex(), _hash(password, salt, *COST).hex()))
    replace_file(home / USERS, json.dumps({**users(home), name: kept}, indent=1, ensure_ascii=False) + "\n")


def users(home: Path) -> dict[str, str]:
    """The hash of each user's password. Raises `BadInput` where the file cannot be read."""
    path = home / USERS
    try:
        return dict(json.loads(path.read_text("utf-8"))) if path.exists() else {}
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read", "mend or remove it, then: clew ui add-user NAME") from error


def _hash(password: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(password.encode("utf-8", "replace"), salt=salt, n=n, r=r, p=p, maxmem=1 << 27, dklen=32)


def _is_password(password: str, kept: str) -> bool:
    try:
        kind, n, r, p, salt, known = kept.split("$")
        made = _hash(password, bytes.fromhex(salt), int(n), int(r), int(p))
        return kind == "scrypt" and hmac.compare_digest(made, bytes.fromhex(known))
    except ValueError:  # it was written by hand
        return False


class Access:
    """The cookies that were given out and whose they are; '' is the person of this machine. Safe from several threads.

    `token` opens the page once. `taken` is called when it has been used, by which time there is another token.
    """

    def __init__(self, home: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.token = secrets.token_urlsafe(32)
        self.taken: Callable[[], None] = lambda: None
        self._home, self._clock = home, clock
        self._owners: dict[str, str] = {}
        self._tries: list[tuple[float, str, str]] = []  # that failed within a minute: when, of which name, from where
        self._lock = threading.RLock()

    def has_users(self) -> bool:
        return (self._home / USERS).is_file()

    def owner(self, cookie: str) -> str | None:
        """Return whose cookie it is; None if it is unknown."""
        return self._owners.get(cookie)

    def by_token(self, token: str) -> str:
        """Exchange the token for a cookie of the person of this machine; empty if the token is wrong or used."""
        with self._lock:
            if not hmac.compare_digest(token.encode(), self.token.encode()):
                return ""
            self.token = secrets.token_urlsafe(32)
            cookie = self._cookie("")
        self.taken()
        return cookie

    def by_password(self, name: str, password: str, address: str) -> str:
        """Return a cookie for this user; empty if the password is wrong or the user unknown, which takes equally long.
        Raises `TooManyFailures`."""
        with self._lock:
            now = self._clock()
            self._tries = [one for one in self._tries if one[0] > now - MINUTE]
            for place, what in enumerate((name, address), 1):
                same = [one for one in self._tries if one[place] == what]
                if len(same) >= FAILURES:
                    wait = max(1, round(same[0][0] + MINUTE - now))
                    raise TooManyFailures("too many wrong passwords", f"wait {wait} s")
            tried = now, name, address
            self._tries.append(tried)  # before it is looked at: a hundred at once are no more than five
        nobody = "$".join(("scrypt", *map(str, COST), "00", "00"))
        if not _is_password(password[:LONGEST], users(self._home).get(name, nobody)):
            return ""
        with self._lock:
            self._tries = [one for one in self._tries if one is not tried]
            return self._cookie(name)

    def _cookie(self, owner: str) -> str:
        cookie = secrets.token_urlsafe(32)
        self._owners[cookie] = owner
        return cookie


FOLDER = Path(__file__).parent

BODY = 1 << 20
"""Bytes that a request may have, but for one that brings a file."""

LOOKS = re.compile(r"/(assets|static)/\w[\w.-]*(/\w[\w.-]*)*|/(gradio_api/)?theme\.css|/manifest\.json")
SCRIPTS = ("page.js", "documents.js", "settings.js", "map.js")
OWN = {f"/{name}": name for name in (*SCRIPTS, "cytoscape.min.js", "style.css")} | {
    "/favicon.ico": "templates/icon.svg"
}
"""What is the same for everybody, and needs no cookie: Gradio's files, and ours."""

FILES = "/documents/file"
"""Where files are sent that are added."""

NEEDED = {
    "GET": (
        *("/config", "/gradio_api/info", "/gradio_api/queue/data"),
        *("/conversation", "/comparison", "/settings", "/documents", "/documents/names", "/document", "/map"),
    ),
    "POST": ("/gradio_api/queue/join", "/gradio_api/cancel", "/gradio_api/reset", "/documents", FILES, "/settings"),
}
"""What the page asks for, by method; beside it only these two."""

HEARTBEAT = "/gradio_api/heartbeat/"
LOGIN = "/login"

OWNER = "clew.owner"
"""Of a request's scope: whose cookie it has."""

POLICY = (
    "default-src 'self'; script-src 'self'{scripts}; style-src 'self'{styles}; connect-src 'self'; "
    "img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
)
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
OPEN_IT = "Open the address that clew ui has printed last: each opens the page once, for one browser."


class Guard:
    """Wraps an ASGI application so that only allowed requests reach it. `hosts` are the names that the server may be
    called by, besides the address of its socket."""

    def __init__(self, app: ASGIApp, access: Access, hosts: Iterable[str]) -> None:
        self._app, self._access, self._hosts = app, access, frozenset(hosts)
        self._tabs: dict[str, str] = {}
        templates = Environment(loader=PackageLoader("clew.ui.web"), autoescape=True)
        self._entry = templates.get_template("entry.html")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        brings_file = scope["method"] == "POST" and scope["path"] == FILES  # which is passed on as it comes
        is_long = _is_long(request.headers) and not brings_file
        body = b"" if brings_file or is_long else await request.body()
        answer = PlainTextResponse("That is too much.", 413) if is_long else await self._answer(request, body)
        app = answer or (self._app if brings_file else self._passing_on(body))
        await app(request.scope, receive, _with_headers(send))

    async def _answer(self, request: Request, body: bytes) -> Response | None:
        """Return the answer to a request that must not reach the page; None if it may."""
        path, reads = request.scope["path"], request.method in ("GET", "HEAD")
        if _host_of(request) not in {*self._hosts, request.scope["server"][0]}:
            return PlainTextResponse("No page is served under this name.", 403)
        if reads and path in OWN:
            return FileResponse(FOLDER / OWN[path])
        if reads and LOOKS.fullmatch(path):
            return None
        owner = self._access.owner(request.cookies.get(_cookie_name(request), ""))
        if reads and path == "/":
            request.scope[OWNER] = owner
            return self._opened(request, owner)
        if path == LOGIN and request.method == "POST":
            return await self._logged_in(request, body)
        beats = request.method == "GET" and path.startswith(HEARTBEAT)
        if not beats and path not in NEEDED.get(request.method, ()):
            return PlainTextResponse("There is nothing here.", 404)
        if not _is_same_origin(request):
            return PlainTextResponse("No page of Clew has asked for this.", 403)
        if owner is None:
            return PlainTextResponse(OPEN_IT, 401)
        request.scope[OWNER] = owner
        if beats:  # it would hold one of the six connections that all tabs of a browser share
            return Response(status_code=204)
        return None if self._is_own_tab(request, body, owner) else PlainTextResponse("This is another's tab.", 403)

    def _opened(self, request: Request, owner: str | None) -> Response | None:
        """Answer a request for the page itself, to which any site may link. A token in its address is exchanged for a
        cookie."""
        others = [(name, value) for name, value in request.query_params.multi_items() if name != "token"]
        token = request.query_params.get("token", "")
        if request.headers.get("sec-fetch-dest", "document") not in ("document", "empty") or (
            request.headers.get("sec-fetch-mode", "navigate") != "navigate" and not _is_same_origin(request)
        ):
            return PlainTextResponse("No page of Clew has asked for this.", 403)
        if token and request.method == "GET":
            cookie = self._access.by_token(token)
            if cookie or owner is not None:
                return _let_in(request, cookie, f"/?{urlencode(others)}" if others else "/")
        return None if owner is not None else self._entrance()

    def _entrance(self, said: str = "", status: int = 401) -> Response:
        return HTMLResponse(self._entry.render(open_it=OPEN_IT, has_users=self._access.has_users(), said=said), status)

    async def _logged_in(self, request: Request, body: bytes) -> Response:
        if not _is_same_origin(request):
            return PlainTextResponse("No page of Clew has asked for this.", 403)
        given = parse_qs(body.decode("utf-8", "replace"))
        name, password = (given.get(field, [""])[0] for field in ("name", "password"))
        address = request.client.host if request.client else ""
        try:
            cookie = await to_thread.run_sync(self._access.by_password, name, password, address)
        except BadInput as error:
            return self._entrance(str(error), 429 if isinstance(error, TooManyFailures) else 500)
        return _let_in(request, cookie, "/") if cookie else self._entrance("The name or the password is wrong.", 403)

    def _is_own_tab(self, request: Request, body: bytes, owner: str) -> bool:
        """Return whether the tab that a request names, in its address or its body, belongs to this owner: a tab belongs
        to the owner of its first request."""
        tabs = {request.query_params.get("session_hash", "")}
        if body:
            try:
                tabs.add(str(json.loads(body).get("session_hash") or ""))
            except (ValueError, AttributeError, RecursionError):
                return request.method == "POST"  # the page refuses it
        return all(self._tabs.setdefault(tab, owner) == owner for tab in tabs - {""})

    def _passing_on(self, body: bytes) -> ASGIApp:
        """Return the application for a request whose body was read already. Headers that a proxy adds are removed, as
        none is trusted."""

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            unread = [body]

            async def replayed() -> Message:
                return {"type": "http.request", "body": unread.pop()} if unread else await receive()

            headers = MutableHeaders(raw=[one for one in scope["headers"] if b"forwarded" not in one[0]])
            scope = {**scope, "headers": headers.raw}
            if scope["path"] == "/":
                del headers["accept-encoding"]
                await _page(self._app, scope, replayed, send)
            else:
                await self._app(scope, replayed, send)

        return app


def _is_long(headers: Headers) -> bool:
    """Return whether the body of a request is too long, or its length is not stated."""
    size = headers.get("content-length", "0")
    return "transfer-encoding" in headers or not size.isdecimal() or int(size) > BODY


def _host_of(request: Request) -> str:
    """Return the host name that a request asks for, without a port."""
    host = request.headers.get("host", "").lower()
    name, _, port = host.rpartition(":")
    return (name if port.isdecimal() else host).strip("[]")


def _is_same_origin(request: Request) -> bool:
    """Return whether a request comes from the page itself, by its `Origin`, else by `Sec-Fetch-Site`, else by
    `Referer`. A request with none of them is refused, because a site can make a browser omit them."""
    headers = request.headers
    if "origin" not in headers and "sec-fetch-site" in headers:
        return headers["sec-fetch-site"] == "same-origin"
    page, host = headers.get("origin", headers.get("referer", "")).lower(), headers.get("host", "").lower()
    return f"{page}/".startswith((f"http://{host}/", f"https://{host}/"))


def _cookie_name(request: Request) -> str:
    """Return the name of our cookie. It contains the port, as browsers share cookies among all ports of a machine."""
    return f"clew-{(request.scope.get('server') or ('', 0))[1]}"


def _let_in(request: Request, cookie: str, address: str) -> Response:
    answer = RedirectResponse(address, 303)
    if cookie:
        answer.set_cookie(_cookie_name(request), cookie, httponly=True, samesite="strict")
    return answer


FOREIGN = (
    'base, link[rel=manifest], meta[property^="og:"], meta[name^="og:"], meta[property^="twitter:"], '
    'meta[name^="twitter:"]'
)
"""What of Gradio's page names other sites, as a selector of CSS; `FRAMING` is in its script for pages that frame it."""

FRAMING = "iframeResizer"
OURS = '<link rel="icon" href="/favicon.ico"><link rel="stylesheet" href="/style.css">' + "".join(
    f'<script src="/{name}" defer></script>' for name in SCRIPTS
)


async def _page(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Send Gradio's page with our style and script, without what names other sites or the policy forbids; the policy
    that is sent has the hashes of the page's scripts and styles."""
    messages = list[Message]()

    async def keep(message: Message) -> None:
        messages.append(message)

    await app(scope, receive, keep)
    made = BeautifulSoup(b"".join(one.get("body", b"") for one in messages), "html.parser")
    for tag in [*made.select(FOREIGN), *(one for one in made("script") if FRAMING in one.text)]:
        tag.decompose()
    for tag in made(style=True):
        del tag["style"]
    if made.body:
        made.body.append(BeautifulSoup(OURS, "html.parser"))
    policy = POLICY.format(scripts=_hashes(made("script")), styles=_hashes(made("style")))
    headers = {"cache-control": "no-store", "content-security-policy": policy}
    await HTMLResponse(str(made), messages[0]["status"], headers)(scope, receive, send)


def _hashes(tags: Iterable[Tag]) -> str:
    digests = (hashlib.sha256(one.text.replace("\r\n", "\n").encode()) for one in tags if one.text.strip())
    return "".join(dict.fromkeys(f" 'sha256-{base64.b64encode(one.digest()).decode()}'" for one in digests))


def _with_headers(send: Send) -> Send:
    """Return `send` with our headers added to each answer; inline scripts and styles run only if the answer's own
    policy allows them."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(
                raw=[one for one in message.get("headers", ()) if not one[0].startswith(b"access-control-")]
            )
            headers.update(HEADERS)
            headers.setdefault("content-security-policy", POLICY.format(scripts="", styles=""))
            message = {**message, "headers": headers.raw}
        await send(message)

    return sending

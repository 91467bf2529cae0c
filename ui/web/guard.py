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
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

from anyio import to_thread
from bs4 import BeautifulSoup, Tag
from jinja2 import Environment, PackageLoader
from starlette.datastructures import Headers
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

SESSIONS = 10_000
"""The most cookies that are kept; then the least recently used one is forgotten."""

COST = (1 << 15, 8, 3)
"""n, r and p of scrypt (RFC 7914): 32 MiB and about a third of a second."""


class TooManyFailures(BadInput):
    """`seconds` is how long to wait before the next try."""

    def __init__(self, seconds: int) -> None:
        super().__init__("too many wrong passwords", f"wait {seconds} s")
        self.seconds = seconds


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
        content = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read", "mend or remove it, then: clew ui add-user NAME") from error
    return {str(name): str(kept) for name, kept in content.items()} if isinstance(content, dict) else {}


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
    """Cookies and whose they are: '' is the person of this machine. Safe from several threads.

    `token` opens the page once; `taken` is called where it did, when there is another one.
    """

    def __init__(self, home: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.token = secrets.token_urlsafe(32)
        self.taken: Callable[[], None] = lambda: None
        self._home, self._clock = home, clock
        self._owners: OrderedDict[str, str] = OrderedDict()
        self._tries = deque[tuple[float, str, str]]()  # that failed within a minute: when, of which name, from where
        self._nobody = "$".join(("scrypt", *map(str, COST), "00", "00"))
        self._lock = threading.RLock()

    def has_users(self) -> bool:
        return (self._home / USERS).is_file()

    def owner(self, cookie: str) -> str | None:
        """Whose cookie it is; None where it is unknown."""
        with self._lock:
            if (key := _digest(cookie)) not in self._owners:
                return None
            self._owners.move_to_end(key)
            return self._owners[key]

    def by_token(self, token: str) -> str:
        """Exchange the token for a cookie of the person of this machine; empty where the token is wrong or was used."""
        with self._lock:
            if not hmac.compare_digest(token.encode(), self.token.encode()):
                return ""
            self.token = secrets.token_urlsafe(32)
            cookie = self._cookie("")
        self.taken()
        return cookie

    def by_password(self, name: str, password: str, address: str) -> str:
        """A cookie of this user; empty where the password is wrong, or there is no such user, which takes as long.
        Raises `TooManyFailures`."""
        with self._lock:
            tried = self._clock(), name[:LONGEST], address
            while self._tries and self._tries[0][0] <= tried[0] - MINUTE:
                self._tries.popleft()
            for what in (1, 2):  # the name, the address
                same = [one[0] for one in self._tries if one[what] == tried[what]]
                if len(same) >= FAILURES:
                    raise TooManyFailures(max(1, round(same[0] + MINUTE - tried[0])))
            self._tries.append(tried)  # before it is looked at: a hundred at once are no more than five
        kept = users(self._home).get(name, self._nobody)
        if not _is_password(password[:LONGEST], kept):
            return ""
        with self._lock:
            if tried in self._tries:
                self._tries.remove(tried)
            return self._cookie(name)

    def _cookie(self, owner: str) -> str:
        cookie = secrets.token_urlsafe(32)
        self._owners[_digest(cookie)] = owner
        while len(self._owners) > SESSIONS:
            self._owners.popitem(last=False)
        return cookie


def _digest(cookie: str) -> str:
    """A hash of a cookie: comparing hashes takes no time that tells anything about the cookie."""
    return hashlib.sha256(cookie.encode()).hexdigest()


FOLDER = Path(__file__).parent

BODY = 1 << 20
"""Bytes that a request may have, but for one that brings a file, which is passed on as it comes."""

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

TAB = 64
"""Characters of a tab's name at most."""

TABS = 10_000
"""The most tabs whose owner is kept; then the oldest is forgotten."""

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
    """Wraps an ASGI application. `hosts` are the names that it may be called by, besides the address of the socket."""

    def __init__(self, app: ASGIApp, access: Access, hosts: Iterable[str]) -> None:
        self._app, self._access, self._hosts = app, access, frozenset(hosts)
        self._tabs: OrderedDict[str, str] = OrderedDict()
        templates = Environment(loader=PackageLoader("clew.ui.web"), autoescape=True)
        self._entry = templates.get_template("entry.html")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            request = Request(scope, receive)
            brings_file = request.method == "POST" and request.url.path == FILES
            body = b"" if brings_file else await _body(request)
            answer = await self._answer(request, body)
            if answer is None and brings_file:
                await self._app(request.scope, receive, _with_headers(send))
            elif answer is None:
                await self._pass_on(request, body or b"", send)
            else:
                await answer(scope, receive, _with_headers(send))

    async def _answer(self, request: Request, body: bytes | None) -> Response | None:
        """The answer where the page must not answer itself; None where it may."""
        path, reads = request.url.path, request.method in ("GET", "HEAD")
        if body is None:
            return PlainTextResponse("That is too much.", 413)
        if not self._is_our_host(request):
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

    def _is_our_host(self, request: Request) -> bool:
        given = request.headers.getlist("host")
        name = _host_of(f"//{given[0]}") if len(given) == 1 else None
        return name is not None and (name in self._hosts or name == (request.scope.get("server") or ("",))[0])

    def _opened(self, request: Request, owner: str | None) -> Response | None:
        """The page itself, to which a link may lead from anywhere. A token in its address is exchanged for a cookie."""
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

    def _entrance(self, said: str = "", status: int = 401, **headers: str) -> Response:
        text = self._entry.render(open_it=OPEN_IT, has_users=self._access.has_users(), said=said)
        return HTMLResponse(text, status, headers)

    async def _logged_in(self, request: Request, body: bytes) -> Response:
        if not _is_same_origin(request):
            return PlainTextResponse("No page of Clew has asked for this.", 403)
        given = parse_qs(body.decode("utf-8", "replace"))
        name, password = (given.get(field, [""])[0] for field in ("name", "password"))
        address = request.client.host if request.client else ""
        try:
            cookie = await to_thread.run_sync(self._access.by_password, name, password, address)
        except TooManyFailures as error:
            return self._entrance(str(error), 429, **{"retry-after": str(error.seconds)})
        except BadInput as error:
            return self._entrance(str(error), 500)
        return _let_in(request, cookie, "/") if cookie else self._entrance("The name or the password is wrong.", 403)

    def _is_own_tab(self, request: Request, body: bytes, owner: str) -> bool:
        """A tab is named by what its browser drew, in the address or in what is sent; what the page sends to it is for
        the owner of its first request."""
        tabs = {request.query_params.get("session_hash", "")}
        if body:
            try:
                tabs.add(str(json.loads(body).get("session_hash") or ""))
            except (ValueError, AttributeError, RecursionError):
                return request.method == "POST"  # the page refuses it
        tabs.discard("")
        if not all(len(tab) <= TAB and tab.isascii() and tab.isalnum() for tab in tabs):
            return False
        while len(self._tabs) > TABS:
            self._tabs.popitem(last=False)
        return all(self._tabs.setdefault(tab, owner) == owner for tab in tabs)

    async def _pass_on(self, request: Request, body: bytes, send: Send) -> None:
        """Let the page answer, with the body that was read and without headers of proxies, of which none is trusted."""
        kept = (b"accept-encoding",) if request.url.path == "/" else ()
        scope = {
            **request.scope,
            "headers": [
                (name, value)
                for name, value in request.scope["headers"]
                if name not in kept and not name.startswith(b"x-forwarded-") and name != b"forwarded"
            ],
        }
        sent = False

        async def receive() -> Message:
            nonlocal sent
            if sent:
                return await request.receive()
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        if request.url.path != "/":
            await self._app(scope, receive, _with_headers(send))
            return
        page, status = bytearray(), 200

        async def keep(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            page.extend(message.get("body", b""))

        await self._app(scope, receive, keep)
        text, *hashes = _as_ours(page.decode())
        answer = HTMLResponse(text, status, {"cache-control": "no-store"})
        await answer(scope, receive, _with_headers(send, *hashes))


async def _body(request: Request) -> bytes | None:
    """The body of a request; None where it is too long."""
    size = request.headers.get("content-length", "0")
    if not size.isdecimal() or int(size) > BODY:
        return None
    read = bytearray()
    async for part in request.stream():
        read += part
        if len(read) > BODY:
            return None
    return bytes(read)


def _host_of(address: str) -> str | None:
    """The host name of an address, in lower case; None where there is none, or more than a name and a port."""
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return None
    return parts.hostname if not (parts.username or parts.password or parts.path.strip("/")) else None


def _is_same_origin(request: Request) -> bool:
    """By what the browser says of the page that asks: its origin, else how that is related, else its address. Who says
    nothing is refused, too: a browser can be made not to say it."""
    headers = request.headers
    if (origin := headers.get("origin")) is not None:
        return _is_own(origin, headers)
    if (site := headers.get("sec-fetch-site")) is not None:
        return site == "same-origin"
    return _is_own(headers.get("referer", ""), headers)


def _is_own(address: str, headers: Headers) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == headers.get("host", "").lower()


def _cookie_name(request: Request) -> str:
    """The name of our cookie, which has the port: browsers share cookies among all ports of a machine."""
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


def _as_ours(page: str) -> tuple[str, str, str]:
    """Gradio's page with our style and script, without what names other sites and what the policy forbids; and the
    hashes of its scripts and of its styles, as the policy names them."""
    made = BeautifulSoup(page, "html.parser")
    for tag in [*made.select(FOREIGN), *(one for one in made("script") if FRAMING in one.text)]:
        tag.decompose()
    for tag in made(style=True):
        del tag["style"]
    if made.body:
        made.body.append(BeautifulSoup(OURS, "html.parser"))
    return str(made), _hashes(made("script")), _hashes(made("style"))


def _hashes(tags: Iterable[Tag]) -> str:
    digests = (hashlib.sha256(one.text.replace("\r\n", "\n").encode()) for one in tags if one.text.strip())
    return "".join(dict.fromkeys(f" 'sha256-{base64.b64encode(one.digest()).decode()}'" for one in digests))


def _with_headers(send: Send, scripts: str = "", styles: str = "") -> Send:
    """Add the headers of every answer. Inline scripts and styles of these hashes may run, and no others."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [
                (name, value) for name, value in message.get("headers", ()) if not name.startswith(b"access-control-")
            ]
            ours = {**HEADERS, "content-security-policy": POLICY.format(scripts=scripts, styles=styles)}
            message = {**message, "headers": headers + [(name.encode(), ours[name].encode()) for name in ours]}
        await send(message)

    return sending

"""Who reaches the page: each route, asked for by who must not and by the page itself. And what it answers with."""

import asyncio
import base64
import hashlib
import json
import re
import stat
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from clew.agent.state import TURN_JSON
from clew.memory.dialogue.threads import Threads
from clew.memory.errors import BadInput
from clew.memory.knowledge.disk import POINTER
from clew.ui.web.guard import (
    BODY,
    FAILURES,
    FILES,
    MINUTE,
    OWNER,
    USERS,
    Access,
    Guard,
    TooManyFailures,
    add_user,
    users,
)
from clew.ui.web.serving import names
from tests.ui.browsing import free_port
from tests.ui.conftest import Run
from tests.ui.fakes import make_turn

HERE = "http://127.0.0.1:7860"
EVIL = "http://evil.example:7860"
SAME = {"Sec-Fetch-Site": "same-origin"}
PASSWORD = "correct horse battery"

READ = (
    "/config",
    "/documents",
    "/document?id=a",
    "/gradio_api/info",
    "/gradio_api/queue/data?session_hash=a",
    "/gradio_api/heartbeat/a",
)
CHANGED = ("/gradio_api/queue/join", "/gradio_api/cancel", "/gradio_api/reset", "/documents", FILES)
ROUTES = [("GET", path) for path in READ] + [("POST", path) for path in CHANGED]
CLOSED = """\
POST /gradio_api/upload
POST /gradio_api/component_server
POST /gradio_api/run/ask
GET /gradio_api/file=/etc/passwd
GET /gradio_api/proxy=http://evil.example/
GET /gradio_api/openapi.json
GET /monitoring
GET /assets/../../secret
GET /static/%2e%2e/secret
GET /login
GET /logout
DELETE /gradio_api/queue/join
GET /gradio_api/queue/join
OPTIONS /gradio_api/queue/join""".splitlines()
PAGE = """<!doctype html><html style="margin: 0"><head><base href="./"><link rel="manifest" href="/manifest.json" />
<meta property="og:image" content="https://elsewhere.example/x.jpg" /><style>b { color: red }</style>
<script>window.gradio_config = {"a": 1};</script></head><body style="x: y"><p style="kept: 1">x</p></body></html>"""


async def inner(scope: Any, receive: Any, send: Any) -> None:
    """The page behind the guard: says whose the request is, what it was told of, and how much came."""
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message["body"], message.get("more_body", False)
    told = sorted(name.decode() for name, _ in scope["headers"] if name.startswith(b"x-"))
    said = PAGE if scope["path"] == "/" else f"{scope.get(OWNER)!r} {len(body)} {told}"
    headers = [(b"content-type", b"text/html"), (b"access-control-allow-origin", b"*")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": said.encode()})


class Door:
    """The guard as a browser meets it."""

    def __init__(self, home: Path, hosts: set[str] | None = None) -> None:
        self.clock = 0.0
        self.taken = 0
        self.access = Access(home, lambda: self.clock)
        self.access.taken = self._take
        self._app = Guard(inner, self.access, hosts or names("127.0.0.1"))

    def _take(self) -> None:
        self.taken += 1

    def __call__(
        self, method: str, path: str, *, cookie: str = "", client: str = "1.2.3.4", **more: Any
    ) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self._app, client=(client, 1))
            async with httpx.AsyncClient(transport=transport, base_url=HERE) as browser:
                headers = {**({"Cookie": cookie} if cookie else {}), **more.pop("headers", {})}
                return await browser.request(method, path, headers=headers, **more)

        return asyncio.run(ask())

    def opened(self) -> str:
        """The cookie of the person of this machine."""
        return self("GET", f"/?token={self.access.token}").headers["set-cookie"].partition(";")[0]

    def login(self, name: str, password: str, **more: Any) -> httpx.Response:
        return self("POST", "/login", data={"name": name, "password": password}, headers={"Origin": HERE}, **more)


@pytest.fixture
def door(tmp_path: Path) -> Door:
    return Door(tmp_path)


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.ui.web.guard.COST", (2, 8, 1))


# Whose request it is


@pytest.mark.parametrize("method, path", ROUTES)
def test_a_route_is_for_a_page_of_ours_with_a_cookie_of_ours(door: Door, method: str, path: str) -> None:
    cookie = door.opened()
    good = door(method, path, cookie=cookie, headers=SAME)
    assert good.status_code == (204 if "heartbeat" in path else 200)
    assert door(method, path, headers=SAME).status_code == 401, "without a cookie"
    assert door(method, path, cookie="clew-7860=made-up", headers=SAME).status_code == 401
    assert door(method, path, cookie=cookie).status_code == 403, "which says nothing of who asks"


FOREIGN: list[dict[str, str]] = [
    {"Origin": EVIL},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:9999"},
    {"Origin": "https://127.0.0.1.evil.example"},
    {"Origin": f"{HERE}.evil.example"},
    {"Origin": EVIL, **SAME},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Referer": HERE},
    {"Referer": f"{EVIL}/?{HERE}"},
    {"Referer": "http://127.0.0.1:7860@evil.example/"},
    {"Host": "evil.example:7860", "Origin": EVIL},
    {"Host": "evil.example:7860", **SAME},
    {"Host": "127.0.0.1.evil.example", **SAME},
    {"Host": "127.0.0.1:7860@evil.example", **SAME},
    {"Host": "", **SAME},
]
OURS = [{"Origin": HERE}, SAME, {"Referer": f"{HERE}/?thread=1"}, {"Origin": HERE, "Sec-Fetch-Site": "cross-site"}]


@pytest.mark.parametrize("said", FOREIGN, ids=str)
def test_what_another_site_asks_for_is_refused(door: Door, said: dict[str, str]) -> None:
    cookie = door.opened()
    answers = {(method, path): door(method, path, cookie=cookie, headers=said) for method, path in ROUTES}
    assert {answer.status_code for answer in answers.values()} == {403}
    assert not [route for route, answer in answers.items() if "access-control-allow-origin" in answer.headers]


def test_what_the_page_asks_for_is_answered_and_what_it_does_not_need_is_not_there(door: Door) -> None:
    cookie = door.opened()
    for said in OURS:
        assert door("POST", CHANGED[0], cookie=cookie, headers=said).status_code == 200, said
    for host in ("127.0.0.1:7860", "localhost:7860", "LOCALHOST", "localhost:1", "[::1]:7860"):
        said = {"Host": host, "Origin": f"http://{host}"}
        assert door("GET", "/config", cookie=cookie, headers=said).status_code == 200, host
    for route in CLOSED:
        method, path = route.split()
        assert door(method, path, cookie=cookie, headers=SAME).status_code == 404, route
    for path in ("/", "/assets/index.js", "/page.js", "/login"):
        answer = door("GET", path, cookie=cookie, headers={"Host": "evil.example:7860"})
        assert answer.status_code == 403 and "gradio" not in answer.text, "a name that was bound anew reads nothing"


def test_an_address_that_others_reach_goes_by_itself_and_all_addresses_by_the_machines_name() -> None:
    assert names("192.168.1.5") == {"192.168.1.5"}
    assert {"127.0.0.1", "localhost"} < names("0.0.0.0")
    assert "evil.example" not in names("0.0.0.0") | names("::")


def test_nothing_that_a_proxy_would_say_is_passed_on(door: Door) -> None:
    said = {**SAME, "X-Forwarded-Host": "evil.example", "X-Forwarded-For": "9.9.9.9", "X-Other": "1"}
    assert door("GET", "/config", cookie=door.opened(), headers=said).text == "'' 0 ['x-other']"


def test_a_tab_is_its_owners(door: Door, tmp_path: Path) -> None:
    add_user(tmp_path, "ann", PASSWORD)
    mine, anns = door.opened(), door.login("ann", PASSWORD).headers["set-cookie"].partition(";")[0]
    joined = door("POST", CHANGED[0], cookie=anns, headers=SAME, json={"session_hash": "t", "data": []})
    assert joined.text.startswith("'ann'")
    stream = "/gradio_api/queue/data?session_hash=t"
    assert door("GET", stream, cookie=mine, headers=SAME).status_code == 403
    assert door("POST", CHANGED[1], cookie=mine, headers=SAME, json={"session_hash": "t"}).status_code == 403
    assert door("GET", stream, cookie=anns, headers=SAME).status_code == 200
    named: tuple[object, ...] = ({"session_hash": "u"}, [])
    for other in named:  # a tab of one's own is sent, or none, and the address is another's
        assert door("GET", stream, cookie=mine, headers=SAME, json=other).status_code == 403, other


def test_what_is_no_json_is_the_pages_to_refuse(door: Door) -> None:
    answer = door("POST", CHANGED[0], cookie=door.opened(), headers=SAME, content=b"[" * 100_000)
    assert answer.status_code == 200


# The address that is printed


def test_the_token_is_taken_once_for_a_cookie_and_leaves_the_address(door: Door) -> None:
    token = door.access.token
    answer = door("GET", f"/?thread=abc&token={token}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/?thread=abc")
    cookie, *how = answer.headers["set-cookie"].lower().split("; ")
    assert cookie.startswith("clew-7860=") and {"httponly", "samesite=strict", "path=/"} <= {*how}
    assert token not in answer.headers["location"] + answer.text
    assert door.taken == 1 and door.access.token != token
    again = door("GET", f"/?token={token}")
    assert again.status_code == 401 and "set-cookie" not in again.headers
    known = door("GET", f"/?token={token}", cookie=answer.headers["set-cookie"].partition(";")[0])
    assert known.status_code == 303 and "set-cookie" not in known.headers, "a page that was open before"


def test_without_a_token_the_page_says_where_it_is(door: Door) -> None:
    for path in ("/", "/?token=", "/?token=wrong", "/?thread=abc"):
        answer = door("GET", path)
        assert answer.status_code == 401 and "clew ui" in answer.text and "gradio" not in answer.text
        assert "password" not in answer.text.lower(), "there are no users"


def test_one_of_a_hundred_that_have_the_token_gets_in(door: Door) -> None:
    token = door.access.token
    with ThreadPoolExecutor(8) as many:
        assert len([cookie for cookie in many.map(door.access.by_token, [token] * 100) if cookie]) == 1


def test_the_page_is_no_picture_frame_or_script_of_another(door: Door) -> None:
    cookie = door.opened()
    for said in ({"Sec-Fetch-Dest": "iframe"}, {"Sec-Fetch-Dest": "script"}, {"Sec-Fetch-Mode": "cors"}):
        assert door("GET", "/", cookie=cookie, headers={"Sec-Fetch-Site": "cross-site", **said}).status_code == 403
    said = {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert door("GET", "/", cookie=cookie, headers=said).status_code == 200


# What is answered


def every_answer(door: Door) -> Iterator[httpx.Response]:
    cookie = door.opened()
    others = ("GET /", "GET /page.js", "GET /assets/a.js")
    for method, path in [*ROUTES, *(route.split() for route in (*CLOSED, *others))]:
        for said in (SAME, {"Host": "evil.example"}):
            for known in (cookie, ""):
                yield door(method, path, cookie=known, headers=said)


def test_every_answer_tells_the_browser_what_is_allowed(door: Door) -> None:
    for answer in every_answer(door):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
        assert "unsafe" not in str(policy)
        wanted = {"default-src": "'self'", "connect-src": "'self'", "img-src": "'self' data:", "form-action": "'self'"}
        none = dict.fromkeys(("object-src", "base-uri", "frame-ancestors"), "'none'")
        assert wanted | none == {name: policy[name] for name in (*wanted, *none)}


def test_scripts_and_styles_of_the_page_run_by_their_hash_alone(door: Door) -> None:
    answer = door("GET", "/", cookie=door.opened())
    policy = answer.headers["content-security-policy"]

    def digest(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    script = digest('window.gradio_config = {"a": 1};')
    assert f"script-src 'self' {script};" in policy
    assert f"style-src 'self' {digest('b { color: red }')};" in policy
    assert answer.headers["cache-control"] == "no-store"
    assert not re.search(r"<base|manifest|elsewhere|<(html|body) style", answer.text)
    assert 'src="/page.js"' in answer.text and 'href="/style.css"' in answer.text
    assert int(answer.headers["content-length"]) == len(answer.content)


def test_too_much_is_refused_whether_or_not_it_says_so(door: Door) -> None:
    cookie = door.opened()

    async def parts() -> Any:
        for _ in range(3):
            yield b"x" * (BODY // 2)

    for content in (b"x" * (BODY + 1), parts()):
        assert door("POST", CHANGED[0], cookie=cookie, headers=SAME, content=content).status_code == 413
    whole = door("POST", CHANGED[0], cookie=cookie, headers=SAME, content=b"x" * BODY)
    assert whole.text == f"'' {BODY} []"
    assert door("POST", CHANGED[0], cookie=cookie, headers={**SAME, "Content-Length": "-1"}).status_code == 413
    file = door("POST", FILES, cookie=cookie, headers=SAME, content=b"x" * (BODY + 1))
    assert file.text == f"'' {BODY + 1} []", "a file that is added is passed on as it comes"


# Users


@pytest.fixture
def anns(door: Door, tmp_path: Path) -> Door:
    """With two users."""
    add_user(tmp_path, "ann", PASSWORD)
    add_user(tmp_path, "bob", PASSWORD)
    return door


def test_a_user_gets_in_with_a_password_and_is_told_apart(anns: Door) -> None:
    assert 'name="password"' in anns("GET", "/").text
    answer = anns.login("ann", PASSWORD)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert {"httponly", "samesite=strict"} <= {*answer.headers["set-cookie"].lower().split("; ")}
    cookie = answer.headers["set-cookie"].partition(";")[0]
    assert anns("GET", "/config", cookie=cookie, headers=SAME).text.startswith("'ann'")
    assert anns("GET", "/config", cookie=anns.opened(), headers=SAME).text.startswith("''")
    for name, password in (("ann", "wrong"), ("eve", PASSWORD), ("", ""), ("ann", "")):
        assert anns.login(name, password, client=f"2.2.2.{len(name)}{len(password)}").status_code == 403
    sent = {"name": "ann", "password": PASSWORD}
    for said in ({"Origin": EVIL}, {}, {"Sec-Fetch-Site": "cross-site"}):
        assert anns("POST", "/login", data=sent, headers=said).status_code == 403, "not sent by our page"


def test_five_failures_a_minute_of_one_name(anns: Door) -> None:
    for place in range(FAILURES):
        assert anns.login("ann", "wrong", client=f"1.1.1.{place}").status_code == 403
    late = anns.login("ann", PASSWORD, client="9.9.9.9")
    assert late.status_code == 429 and "wait 60 s" in late.text
    assert anns.login("bob", PASSWORD, client="1.1.1.1").status_code == 303, "another, from there, too"
    for clock, status in ((MINUTE - 1, 429), (MINUTE + 1, 303)):
        anns.clock = clock
        assert anns.login("ann", PASSWORD, client="9.9.9.9").status_code == status


def test_five_failures_a_minute_from_one_address_whatever_the_name(anns: Door) -> None:
    said = [anns.login(f"name{number}", "wrong").status_code for number in range(FAILURES + 1)]
    assert said == [403] * FAILURES + [429]
    assert anns.login("ann", PASSWORD).status_code == 429
    assert anns.login("ann", PASSWORD, client="8.8.8.8").status_code == 303


def test_a_hundred_tries_at_once_are_no_more_than_five(tmp_path: Path) -> None:
    add_user(tmp_path, "ann", PASSWORD)
    access = Access(tmp_path, clock=lambda: 0.0)
    gate = threading.Barrier(20)

    def attempt(number: int) -> bool:
        gate.wait()
        try:
            access.by_password("ann", f"wrong{number}", "1.1.1.1")
        except TooManyFailures:
            return False
        return True

    with ThreadPoolExecutor(20) as many:
        assert sum(many.map(attempt, range(20))) == FAILURES


def test_a_password_is_kept_as_its_hash_for_this_user_alone(tmp_path: Path) -> None:
    add_user(tmp_path, "ann", PASSWORD)
    add_user(tmp_path, "bob", PASSWORD)
    kept = users(tmp_path)
    assert PASSWORD not in (tmp_path / USERS).read_text() and kept["ann"] != kept["bob"]
    assert stat.S_IMODE((tmp_path / USERS).stat().st_mode) == 0o600
    add_user(tmp_path, "ann", "another password")
    assert Access(tmp_path).by_password("ann", PASSWORD, "1") == ""
    assert Access(tmp_path).by_password("ann", "another password", "1")


def test_a_hash_costs_what_it_is_to(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.undo()
    add_user(tmp_path, "ann", PASSWORD)
    kind, n, r, p, salt, _ = users(tmp_path)["ann"].split("$")
    assert kind == "scrypt" and int(n) * int(r) * int(p) * 128 >= 64 << 20 and len(salt) == 32


def test_what_is_no_name_or_password_is_refused(tmp_path: Path) -> None:
    for name, password in (("", PASSWORD), ("a/b", PASSWORD), ("ann", "short"), ("x" * 65, PASSWORD)):
        with pytest.raises(BadInput):
            add_user(tmp_path, name, password)


def test_a_file_of_users_that_was_broken_lets_nobody_in(door: Door, tmp_path: Path) -> None:
    for kept in ("", "scrypt$1", "md5$2$8$1$00$00", "scrypt$2$8$1$zz$00", "scrypt$0$8$1$00$00"):
        (tmp_path / USERS).write_text(json.dumps({"ann": kept}))
        assert door.login("ann", PASSWORD, client=kept).status_code == 403, kept
        door.clock += MINUTE + 1
    (tmp_path / USERS).write_text("{")
    assert door.login("ann", PASSWORD).status_code == 500


# `clew ui`


def test_others_are_served_once_there_is_somebody_with_a_password(clew: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for host in ("0.0.0.0", "192.168.1.5", "::", "example.org"):
        refused = clew("ui", "--host", host)
        assert refused.exit_code == 3 and refused.stderr.splitlines() == [
            f"clew: others can reach {host}, and there is no user with a password",
            "try: clew ui add-user NAME",
        ]
    monkeypatch.setenv("CLEW_PASSWORD", "one of the environment")
    clew("ui", "add-user", "ann")
    Path("broken").mkdir()
    Path("broken", POINTER).write_text("{")
    opened = clew("ui", "--host", "0.0.0.0", "--library", "broken", "--port", free_port())
    assert opened.exit_code == 1 and "broken is damaged" in opened.stderr, "the library is what is looked for next"


def test_a_password_is_asked_for_twice_or_in_the_environment(
    clew: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = clew("ui", "add-user", "ann", input="a long password\na long password\n")
    assert asked.exit_code == 0 and "a long password" not in asked.output
    assert Access(home).by_password("ann", "a long password", "1")
    assert clew("ui", "add-user", "bob", input="a long password\nanother password\n").exit_code != 0
    assert "--password" not in clew("ui", "add-user", "--help").stdout, "other users see what a command was given"
    monkeypatch.setenv("CLEW_PASSWORD", "one of the environment")
    assert clew("ui", "add-user", "bob").exit_code == 0
    assert Access(home).by_password("bob", "one of the environment", "1")
    assert set(users(home)) == {"ann", "bob"}
    monkeypatch.setenv("CLEW_PASSWORD", "short")
    refused = clew("ui", "add-user", "eve")
    assert refused.exit_code == 2 and "too short" in refused.stderr


def test_a_conversation_of_a_user_is_listed_and_not_gone_on_with(clew: Run, home: Path, examples_path: Path) -> None:
    with Threads(home / "threads.sqlite") as threads:
        hers = threads.new_id("ann")
        record = TURN_JSON.dump_json(make_turn(hers, 1, "How far is the Moon?")).decode()
        threads.save(hers, 1, "How far is the Moon?", record, [], np.empty((0, 1), np.float32), "none")
    listed = clew("threads")
    assert "owner" in listed.stdout and "ann" in listed.stdout
    refused = clew("ask", "Why?", "--thread", hers, "--library", examples_path)
    assert refused.exit_code == 2 and f"the conversation {hers} is ann's" in refused.stderr

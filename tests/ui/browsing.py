"""The page in a browser, for tests: its server in a process of its own, Chromium, and what that asked for."""

import os
import re
import shutil
import signal
import socket
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx

from tests.processes import PAGE, Process

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync"
)
PATIENCE = 20_000
"""Milliseconds that the page may take for anything; the machine may be busy."""


@contextmanager
def serving(*command: object, port: int, environment: dict[str, str] | None = None) -> Iterator["Address"]:
    """A page that is let in; Ctrl-C ends its server, without a word of complaint."""
    server = Process(
        command, preload=PAGE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **(environment or {})}
    )
    line = ""
    try:
        assert server.stderr is not None
        line = server.stderr.readline()
        line = server.stderr.readline() if line.startswith("there was no library") else line
        printed = re.fullmatch(rf"Clew is at (http://127.0.0.1:{port}/\?token=\S+) \(Ctrl-C ends it\)\n", line)
        assert printed, line + server.stderr.read()
        yield Address(printed[1])
    finally:
        server.send_signal(signal.SIGINT)
        out, err = server.communicate(timeout=30)
    again = rf"((for another browser:|Clew is at) http://127.0.0.1:{port}/\?token=\S+( \(Ctrl-C ends it\))?\n)*"
    assert (server.returncode, out) == (0, "") and re.fullmatch(again, err.removesuffix("\n")), err


class Address(str):
    """The one that was printed, which lets one browser in: `cookie` is what that got; `page` is without the token."""

    def __init__(self, printed: str) -> None:
        answer = httpx.get(printed)
        assert answer.status_code == 303
        self.cookie = answer.headers["set-cookie"].partition(";")[0]
        self.page = printed.partition("?")[0]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def fake_page(data: Path, *flags: object, model: bool = False) -> Iterator[Address]:
    """`flags` are those of fakes.py."""
    port, llm = free_port(), "auto" if model else "none"
    command = ("-m", "tests.ui.fakes", "--pause", 0.05, *flags, "ui", "--port", port, "--llm", llm)
    own = {"CLEW_HOME": str(data), "CLEW_LIBRARY": str(data / "library")}
    with serving(*command, port=port, environment=own) as address:
        assert stat.S_IMODE((data / "page").stat().st_mode) == 0o700, "for what Gradio may put down"
        yield address
        assert not [*(data / "page").rglob("*")]
    assert not (data / "page").exists()


class Watched:
    """What a context of the browser asked for and complained of."""

    def __init__(self, context: "BrowserContext") -> None:
        self.hosts: set[str | None] = set()
        self.complaints: list[str] = []
        context.on("request", lambda request: self.hosts.add(urlsplit(request.url).hostname))
        context.on("console", lambda said: self._wrong(said.text) if said.type in ("error", "warning") else None)
        context.on("weberror", lambda error: self._wrong(str(error.error)))
        self._gave_up = False

    def _wrong(self, error: str) -> None:
        """A page that is left gives up what it was fetching, and Gradio says so in two messages, which is no fault."""
        self._gave_up = self._gave_up or error.startswith("AbortError")
        if not (self._gave_up and error.startswith(("AbortError", "Unexpected error Connection errored out"))):
            self.complaints.append(error)


def opened(context: "BrowserContext", address: Address, thread: str = "") -> "Page":
    name, _, value = address.cookie.partition("=")
    context.add_cookies([{"name": name, "value": value, "url": address.page, "sameSite": "Strict", "httpOnly": True}])
    page = context.new_page()
    page.goto(f"{address.page}?thread={thread}" if thread else address.page)
    page.wait_for_selector(".welcome, .turn")
    return page


def ask(page: "Page", question: str, wait: bool = True) -> None:
    page.fill("#question textarea", question)
    page.press("#question textarea", "Enter")
    page.wait_for_selector(f".question >> text={question}")
    if wait:
        failed = page.locator("#now .notice.error")
        page.locator("#past .question", has_text=question).or_(failed).first.wait_for()
        assert failed.all_inner_texts() == []
        page.wait_for_selector("#send", state="visible")

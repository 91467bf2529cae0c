"""The server of the page: on one address, behind its guard, and with no connection beyond this machine."""

import inspect
import os
import shlex
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from fastapi import FastAPI

from clew.agent.assistant import Assistant
from clew.agent.models import encoder_for
from clew.agent.settings import Settings, note_used
from clew.memory.errors import ClewError, NoLibrary, NotSetUp, without_proxies
from clew.memory.files import private_folder, remove
from clew.ui.console import messages
from clew.ui.following import following
from clew.ui.web.guard import OWNER, Access, Guard, users
from clew.ui.web.routes import application
from clew.ui.web.shelf import Shelf, make_empty
from clew.ui.web.views import Conversations

if TYPE_CHECKING:
    import gradio as gr

HOST = "127.0.0.1"
THIS_MACHINE = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 what a person may choose
TEMPORARY = "page"
"""A folder of `Settings.home`, for what Gradio may put down; empty, and removed with the page."""

SWITCH = 0.0005
"""Seconds that a turn keeps the interpreter where a connection wants it: with Python's 5 ms each step of an answer on
its way out, of which there are some dozen, waits for as much of every turn in progress."""

LONGEST_START = 60.0
"""Seconds."""

SYSTEM_FONT = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Helvetica Neue", "Liberation Sans", "sans-serif")
SYSTEM_MONO = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "Liberation Mono", "monospace")


def serve(settings: "Settings", host: str = HOST, watch: bool = False) -> None:
    """Serve the page of a library, or of another that is chosen there, until Ctrl-C; with `watch` the library follows
    its folders. Raises `NotSetUp` if other machines could reach it and no user has a password."""
    if host not in THIS_MACHINE and not users(settings.home):
        raise NotSetUp(f"others can reach {host}, and there is no user with a password", "clew ui add-user NAME")
    bound(settings.port, host).close()
    say = partial(messages().print, soft_wrap=True)
    access, passages = Access(settings.home), 0
    chosen: Settings | None = settings
    while chosen:
        note_used(chosen.library)
        with ExitStack() as opened:
            assistant = opened.enter_context(_opened(chosen))
            assistant.change(passages)
            if watch:
                opened.enter_context(following(assistant, chosen, say))
            chosen = serve_page(assistant, chosen, host, access)
            passages = assistant.services.evidence


def _opened(settings: Settings) -> Assistant:
    try:
        return Assistant.open(settings)
    except NoLibrary:
        there = settings.library  # what is in it may be somebody's
        if not isinstance(there, Path) or there.is_file() or (there.is_dir() and any(there.iterdir())):
            raise
    make_empty(settings, encoder_for(settings))
    messages().print(f"there was no library at {settings.library}: add documents on the page", soft_wrap=True)
    return Assistant.open(settings)


def serve_page(assistant: Assistant, settings: Settings, host: str, access: Access) -> Settings | None:
    """Serve until Ctrl-C, which returns None, or until another library is chosen, which returns the settings with it.
    The encoder loads meanwhile."""
    home, port = settings.home, settings.port
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"  # read when Gradio is imported
    remove(home, TEMPORARY)  # of a page that was killed
    os.environ["GRADIO_TEMP_DIR"] = str(private_folder(home / TEMPORARY))
    sys.modules.setdefault("mcp", None)  # type: ignore[arg-type]  # Gradio imports it where it is, for a tenth of the time
    with without_proxies(), without_stub_files():
        from clew.ui.web.page import BrowserPage
    sys.setswitchinterval(SWITCH)
    conversations = Conversations(assistant)
    shelf = Shelf(settings, lambda: assistant.services.encoder)
    page = BrowserPage(conversations, shlex.join(["clew", *sys.argv[1:]]), shelf)
    beside = application(shelf, page.markup, conversations)

    def address() -> str:
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/?token={access.token}"

    access.taken = lambda: messages().print(f"for another browser: {address()}", soft_wrap=True)
    try:
        with served(page.blocks, beside, access, host, port):
            messages().print(f"Clew is at {address()} (Ctrl-C ends it)", soft_wrap=True)
            conversations.runs.warm_up()
            return shelf.others.get()
    except KeyboardInterrupt:
        messages().print()  # ends the line on which the terminal wrote ^C
        return None
    finally:
        shelf.close()
        conversations.runs.close()
        remove(home, TEMPORARY)


@contextmanager
def without_stub_files() -> Iterator[None]:
    """Gradio writes a stub file, for editors, of each of its components whenever it is imported, which is half of the
    time of its import. It leaves out what has no source file, and so has none of it here while the block runs."""
    source_of = inspect.getfile

    def source_unless_gradio(of: Any) -> str:
        if str(getattr(of, "__module__", "")).startswith("gradio."):
            raise OSError("no stub file is wanted")
        return source_of(of)

    inspect.getfile = source_unless_gradio  # type: ignore[assignment]
    try:
        yield
    finally:
        inspect.getfile = source_of


def bound(port: int, host: str, command: str = "clew ui") -> socket.socket:
    """Return a socket that listens on this address. Raises `ClewError` if that is not possible, with a command that
    uses another port."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        opened = socket.socket(family)
    except OSError as error:
        raise ClewError(f"{host} is not an address of this machine", f"{command} --host {HOST}") from error
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((host, port))
    except OSError as error:
        opened.close()
        hint = f"{command} --port {port + 1 if 1024 <= port < 65535 else 7861}"
        raise ClewError(f"port {port} cannot be used: {(error.strerror or '').lower()}", hint) from error
    return opened


@contextmanager
def served(page: "gr.Blocks", beside: FastAPI, access: Access, host: str, port: int) -> Iterator[None]:
    """Serve the page from a thread while the block runs; `beside` are routes that are not Gradio's."""
    import gradio as gr
    import gradio.utils

    # It looks for Matplotlib on the disk before and behind each piece of an answer, to tell it where to draw.
    gradio.utils.MatplotlibBackendMananger = nullcontext  # type: ignore[misc, assignment]
    app = gr.mount_gradio_app(
        beside,
        page,
        "/",
        server_name=host,
        server_port=port,
        auth_dependency=lambda request: request.scope.get(OWNER),
        show_error=False,
        footer_links=[],
        run_history=False,
        enable_monitoring=False,
        ssr_mode=False,
        mcp_server=False,
        pwa=False,
        max_file_size=1,
        theme=theme(),
    )
    config = uvicorn.Config(
        Guard(app, access, names(host)),
        log_level="warning",
        ws="none",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)
    listening = bound(port, host)
    thread = threading.Thread(target=server.run, args=([listening],), name="page", daemon=True)
    thread.start()
    try:
        while not server.started:
            if not thread.is_alive():
                raise ClewError("the page could not be served", "clew --verbose ui, for the traceback")
            thread.join(0.01)
        yield
    finally:
        page.close(verbose=False)
        server.should_exit = True
        thread.join(LONGEST_START)
        listening.close()


def names(host: str) -> set[str]:
    """Return the names by which a browser may call this server: its address, and the machine's name if it listens on
    all addresses. (The address of a request's socket is allowed, too.)"""
    if host in THIS_MACHINE:
        return set(THIS_MACHINE)
    if host in EVERYWHERE:
        return {*THIS_MACHINE, socket.gethostname().lower(), socket.getfqdn().lower()}
    return {host.lower()}


def theme() -> "gr.themes.Base":
    """Return a theme with the system's own fonts, so that none is fetched."""
    import gradio as gr

    fonts, mono = ([gr.themes.Font(name) for name in some] for some in (SYSTEM_FONT, SYSTEM_MONO))
    return gr.themes.Base(font=fonts, font_mono=mono)

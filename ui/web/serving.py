"""The server: on 127.0.0.1 alone, with its own looks, and nothing sent or fetched beyond this machine."""

import os
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from clew.memory.errors import ClewError
from clew.ui.models import with_models

if TYPE_CHECKING:
    import gradio as gr

    from clew.agent.assistant import Assistant
    from clew.agent.settings import Settings

HOST = "127.0.0.1"

SYSTEM_FONT = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Helvetica Neue", "Liberation Sans", "sans-serif")
SYSTEM_MONO = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "Liberation Mono", "monospace")


def serve(settings: "Settings") -> None:
    """Open the library, and serve its page until Ctrl-C."""
    from clew.agent.assistant import Assistant

    check_port(settings.port)
    with with_models(settings, Assistant.open) as assistant:
        serve_page(assistant, settings.port)


def serve_page(assistant: "Assistant", port: int) -> None:
    """Until Ctrl-C. The encoder loads when the page is there."""
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"  # read when Gradio is imported
    from clew.ui.console import messages
    from clew.ui.web.page import BrowserPage
    from clew.ui.web.views import Conversations

    conversations = Conversations(assistant)
    page = BrowserPage(assistant, conversations).blocks
    launch_page(page, port)
    try:
        messages().print(f"Clew is at http://{HOST}:{port} (Ctrl-C ends it)")
        conversations.runs.warm_up()
        threading.Event().wait()
    except KeyboardInterrupt:
        messages().print()  # ends the line on which the terminal wrote ^C
    finally:
        conversations.runs.close()
        page.close(verbose=False)


def check_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            hint = f"clew ui --port {port + 1 if 1024 <= port < 65535 else 7861}"
            raise ClewError(f"port {port} cannot be used: {(error.strerror or '').lower()}", hint) from error


def launch_page(page: "gr.Blocks", port: int) -> None:
    _reach_directly(HOST)
    page.launch(
        server_name=HOST,
        server_port=port,
        share=False,
        quiet=True,
        prevent_thread_lock=True,
        footer_links=[],
        run_history=False,
        enable_monitoring=False,
        ssr_mode=False,
        mcp_server=False,
        pwa=False,
        **looks(),
    )


def looks() -> dict[str, Any]:
    """Theme, style and script: the system's own fonts, so that none is fetched."""
    import gradio as gr

    folder = Path(__file__).parent
    theme = gr.themes.Base(
        font=[gr.themes.Font(name) for name in SYSTEM_FONT], font_mono=[gr.themes.Font(name) for name in SYSTEM_MONO]
    )
    script = (folder / "page.js").read_text("utf-8")
    icon = quote((folder / "templates" / "icon.svg").read_text("utf-8"))
    head = f'<link rel="icon" href="data:image/svg+xml,{icon}">\n<script>{script}</script>'
    return {"theme": theme, "css_paths": [folder / "style.css"], "head": head}


def _reach_directly(host: str) -> None:
    """Gradio asks its own server whether it is up; a proxy of the environment cannot answer that."""
    for name in ("NO_PROXY", "no_proxy"):
        known = [part for part in os.environ.get(name, "").split(",") if part]
        if host not in known:
            os.environ[name] = ",".join([*known, host])

"""`clew mcp`: the library for other programs that speak the Model Context Protocol."""

from typing import Any

import click

from clew.ui import options


@click.command()
@options.library
@click.option("--http", is_flag=True, help="Serve over HTTP instead of standard input and output.")
@click.option("--port", cls=options.KeptFlag, type=click.IntRange(1, 65535), default=8765, show_default=True)
@click.option("--host", cls=options.KeptFlag, metavar="ADDRESS", default="127.0.0.1", show_default=True)
@options.given
def mcp(http: bool, port: int, host: str, **chosen: Any) -> None:
    """Let other programs search and read your documents (MCP).

    For desktop assistants and editors that speak the Model Context Protocol. They can search, read and list documents
    and calculate, and change nothing. With --http they need the token that is printed, or the one in CLEW_MCP_TOKEN.
    """
    from clew.agent.assistant import Assistant
    from clew.agent.settings import note_used, read_settings
    from clew.memory.errors import required

    required("mcp", "clew mcp", "mcp")
    from clew.ui.mcp_server import serve_http, serve_stdio

    settings = read_settings(llm="none", **chosen)
    note_used(settings.library)
    with Assistant.open(settings) as assistant:
        if http:
            serve_http(assistant, host, port)
        else:
            serve_stdio(assistant)

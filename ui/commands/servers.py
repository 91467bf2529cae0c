"""`clew ui`: the page for the browser; `clew mcp`: the library for other programs."""

import os
from typing import Any

import click

from clew.agent.settings import note_used, read_settings
from clew.memory.errors import required
from clew.ui import options


@click.group(invoke_without_command=True)
@options.answering
@click.option("--port", cls=options.KeptFlag, type=click.IntRange(1, 65535), help="[default: 7860]")
@click.option(
    "--host",
    cls=options.KeptFlag,
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="The address to serve it on.",
)
@options.watch
@click.pass_context
def ui(ctx: click.Context, /, host: str, watch: bool, **chosen: Any) -> None:
    """Open Clew as a page in your browser, on this machine only (127.0.0.1).

    The address that it prints works once, for one browser. With another --host, users log in with a password.
    """
    if ctx.invoked_subcommand:
        return
    from clew.ui.web.serving import serve

    serve(read_settings(**chosen), host, watch)


@ui.command(name="add-user")
@click.argument("name", metavar="NAME")
def add(name: str) -> None:
    """Let NAME log in with a password, or change NAME's password.

    The password is asked for, or taken from CLEW_PASSWORD.
    """
    from clew.ui.web.guard import add_user

    asked = os.environ.get("CLEW_PASSWORD") or click.prompt(
        "Password", hide_input=True, confirmation_prompt=True, err=True
    )
    add_user(read_settings().home, name, asked)
    click.echo(f"{name} can open the page that clew ui --host ADDRESS serves", err=True)


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

    required("mcp", "clew mcp", "mcp")
    from clew.ui.mcp_server import serve_http, serve_stdio

    settings = read_settings(llm="none", **chosen)
    note_used(settings.library)
    with Assistant.open(settings) as assistant:
        if http:
            serve_http(assistant, host, port)
        else:
            serve_stdio(assistant)

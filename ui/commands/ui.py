"""`clew ui`: the page for the browser."""

import os
from typing import Any

import click

from clew.ui import options


@click.group(invoke_without_command=True)
@options.library
@click.option("--port", cls=options.KeptFlag, type=click.IntRange(1, 65535), help="[default: 7860]")
@click.option(
    "--host",
    cls=options.KeptFlag,
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="The address to serve it on.",
)
@options.llm
@options.language
@options.given
@options.num_sentences
@options.watch
@click.pass_context
def ui(ctx: click.Context, /, host: str, watch: bool, **chosen: Any) -> None:
    """Open Clew as a page in your browser, on this machine only (127.0.0.1).

    The address that it prints works once, for one browser. With another --host, users log in with a password.
    """
    if ctx.invoked_subcommand:
        return
    from clew.agent.settings import read_settings
    from clew.ui.web.serving import serve

    serve(read_settings(**chosen), host, watch)


@ui.command(name="add-user")
@click.argument("name", metavar="NAME")
def add(name: str) -> None:
    """Let NAME log in with a password, or change NAME's password.

    The password is asked for, or taken from CLEW_PASSWORD.
    """
    from clew.agent.settings import read_settings
    from clew.ui.web.guard import add_user

    asked = os.environ.get("CLEW_PASSWORD") or click.prompt(
        "Password", hide_input=True, confirmation_prompt=True, err=True
    )
    add_user(read_settings().home, name, asked)
    click.echo(f"{name} can open the page that clew ui --host ADDRESS serves", err=True)

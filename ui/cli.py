"""The command line. Results go to standard output, everything else to standard error.

Exit codes: 0 done, 1 the run failed, 2 wrong usage, 3 not set up, 4 a service cannot be reached, 130 stopped by Ctrl-C.
A command is imported when it runs, so that `clew --help` answers at once.
"""

import errno
import os
import shlex
import sys
import traceback
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click

from clew.memory.errors import ClewError
from clew.ui.plain import one_line

STOPPED = 130
"""What a shell expects of a program that Ctrl-C ended: 128 and the signal's number."""

COMMANDS = {
    "index": ("index", "Read files and folders into a library."),
    "chat": ("asking", "Talk with your documents in the terminal."),
    "ask": ("asking", "Ask one question of the library."),
    "ui": ("servers", "Open Clew as a page in your browser, on this machine only (127.0.0.1)."),
    "mcp": ("servers", "Let other programs search and read your documents (MCP)."),
    "search": ("search", "Search the library without asking for an answer."),
    "threads": (
        "conversations",
        "List the conversations, newest first; with WORDS those in which all of them were said.",
    ),
    "export": ("conversations", "Write a conversation with its sources, or the texts of a library."),
    "replay": ("replay", "Ask the questions of SCRIPT again and check the answers."),
    "evaluate": ("evaluate", "Measure retrieval on DATASET, a folder with queries.jsonl and qrels."),
    "partition": ("partitions", "Divide the graph of a library anew, and use these partitions from now on."),
    "align": ("partitions", "Train and measure what chooses partitions for a question."),
    "train-structure": (
        "partitions",
        "Train a Tree-LSTM on the sentences of a library, for searches with --set tools.hybrid.stage2=structure.",
    ),
    "settings": ("settings", "Show the settings: what you have set, and those that matter most."),
    "doctor": ("doctor", "Check that everything works, and say which command helps if it does not."),
    "trust": ("settings", "Take all settings of this folder's clew.toml, as it is now."),
}
"""In the order of their use: the module of `clew.ui.commands` that each is in, and how its help begins."""

IDLE = "4"
"""Ticks, as a power of two, that a thread of OpenBLAS stays awake for more: its own 2^26 are 26 ms of a processor
behind each product of matrices that several threads made."""


@cache
def loaded(name: str) -> click.Command:
    """Import the module of a command and return the command."""
    module, _ = COMMANDS[name]
    found: click.Command = getattr(import_module(f"clew.ui.commands.{module}"), name.replace("-", "_"))
    return found


class CommandByName(click.Command):
    """Stands in the list for a command, which is not imported before it runs."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        return loaded(str(self.name)).make_context(*args, **extra)


class Clew(click.Group):
    """The one place where errors become a line for the person and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        verbose = ctx.params["verbose"]
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except ClewError as error:
            _fail(ctx, verbose, error.message, error.exit_code, _with_flags(error.hint, ctx))
        except KeyboardInterrupt as stop:
            exec("pass")  # noqa: S102 where Ctrl-C hit an exec within an import, CPython would end by the signal itself
            click.echo(err=True)  # ends the line on which the terminal wrote ^C
            _fail(ctx, verbose, str(stop) or "stopped", STOPPED)
        except Exception as error:  # all: whatever a bug raises, a person gets a line, and with --verbose a traceback
            if isinstance(error, OSError) and error.errno == errno.EPIPE:
                raise  # click ends quietly: the reader has read enough
            message, hint = _in_words(error)
            _fail(ctx, verbose, message, 1, hint)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 the signature is click's
        """In the order of their use."""
        return list(self.commands)


def _fail(ctx: click.Context, verbose: bool, message: str, exit_code: int, hint: str = "") -> NoReturn:
    if verbose:
        traceback.print_exc()
    click.echo(f"clew: {one_line(message)}", err=True)
    if hint:
        click.echo(f"try: {one_line(hint)}", err=True)
    ctx.exit(exit_code)


def _with_flags(hint: str, ctx: click.Context) -> str:
    """Where the hint is the same command again, with the flags that it was given."""
    from clew.ui import options

    _, name, part, *_ = [*hint.split(), "", "", ""]
    if name != ctx.invoked_subcommand or part in getattr(loaded(name), "commands", ()):
        return hint
    return " ".join([hint, shlex.join(options.kept_flags(*hint.split()))]).strip()


def _in_words(error: Exception) -> tuple[str, str]:
    """What is wrong and, where the disk is full, what mends it."""
    from clew.memory.files import MAKE_ROOM, no_room

    full = no_room(error)
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        message = f"{error.filename}: {reason}" if error.filename else reason
    else:
        message = full or f"internal error: {type(error).__name__}: {error} (run with --verbose for the traceback)"
    return message, MAKE_ROOM if full else ""


def _set_up_streams(verbose: bool) -> None:
    """What an encoding cannot write becomes a question mark; other libraries' remarks only where they are asked for."""
    import logging
    import warnings

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    level = logging.INFO if verbose else logging.ERROR
    handler = logging.StreamHandler()
    handler.setLevel(level)  # the root's own level would let through what a library's logger has set lower
    logging.basicConfig(level=level, handlers=[handler], format="%(levelname)s %(name)s: %(message)s", force=True)
    if not verbose and not sys.warnoptions:
        warnings.simplefilter("ignore")


@click.group(cls=Clew, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="clew", message="clew %(version)s", help="Show the version.")
@click.option("--verbose", is_flag=True, help="Show what goes on inside, and tracebacks.")
def main(verbose: bool) -> None:
    """A chatbot for your own documents that keeps the thread.

    Begin with: clew index FOLDER, then: clew chat
    """
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", IDLE)  # read where NumPy is imported
    _set_up_streams(verbose)
    if Path("clew.toml").is_file() and click.get_current_context().invoked_subcommand != "trust":
        _ask_for_trust()


def _ask_for_trust() -> None:
    """Where the settings of the working folder are not all taken: a question at a terminal, else a line."""
    from clew.agent.settings import folder_settings, trust

    try:
        _, ignored = folder_settings()
    except ClewError:  # reading the settings says so
        return
    if not ignored:
        return
    names = one_line(", ".join(ignored))
    said = f"clew.toml of this folder sets {names}"
    at_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
    if at_terminal and click.confirm(f"{said}: do you trust it?", default=False, err=True):
        trust()
    else:
        click.echo(f"{said}: ignored, until: clew trust", err=True)


for name, (_, begins) in COMMANDS.items():
    main.add_command(CommandByName(name, help=begins))


if __name__ == "__main__":
    main(prog_name="clew")

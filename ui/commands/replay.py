"""`clew replay`: conversations asked anew and checked, a line for each turn on disk."""

import sys
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clew.memory.errors import ClewError
from clew.ui import options
from clew.ui.plain import cut, one_line

if TYPE_CHECKING:
    from clew.agent.replay.script import Played, Summary

DIR = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.argument("script", type=click.Path(exists=True, path_type=Path))
@options.library
@click.option("--out", required=True, metavar="DIR", type=DIR, help="Where the turns are written.")
@click.option("--resume", is_flag=True, help="Go on where an earlier run ended.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the first N conversations.")
@options.llm
@options.given
@options.num_sentences
@options.today
@options.quiet
def replay(
    script: Path, out: Path, resume: bool, limit: int | None, today: str | None, quiet: bool, **chosen: Any
) -> None:
    """Ask the conversations of SCRIPT anew and check what they expect.

    SCRIPT is a JSONL file of conversations, or a BEIR folder whose queries have turns. The turns are written to
    DIR/datasets and DIR/intermediate. Exit code 1 if an expectation failed.
    """
    from rich.progress import track

    from clew.agent.replay.replay import replay_script
    from clew.agent.replay.script import Summary, read_script
    from clew.agent.settings import read_settings
    from clew.ui.console import messages, shown

    settings = read_settings(**chosen)
    total = sum(len(conversation.turns) for conversation in read_script(script, limit).conversations)
    events = replay_script(script, out, settings, limit=limit, resume=resume, today=options.day(today))
    console = messages()
    without_bar = quiet or not console.is_terminal
    seen: Generator[Played | Summary] = shown(events, quiet=True)
    with closing(seen) as played:
        for event in track(played, "turns", total + 1, console=console, disable=without_bar):
            if isinstance(event, Summary):
                summary = event
            elif not quiet:
                sys.stderr.write(_line(event) + "\n")  # not click.echo, which would write through the bar
    _print_summary(summary)
    if summary.failed:
        raise ClewError(f"{len(summary.failed)} of {summary.passed + len(summary.failed)} expectations failed")


def _line(turn: "Played") -> str:
    failed = sum(not check.passed for check in turn.checks)
    mark = f"{failed} of {len(turn.checks)} expectations failed" if failed else turn.outcome
    return f"{turn.conversation} {turn.turn}  {cut(one_line(turn.question), 70)}  {mark}"


def _print_summary(summary: "Summary") -> None:
    from clew.ui.console import print_table

    print_table(_rows(summary).items())
    if summary.failed:
        rows = (
            (one_line(turn.conversation), str(turn.turn), one_line(check.expected), cut(one_line(check.came), 200))
            for turn, check in summary.failed
        )
        print_table(rows, "conversation", "turn", "expected", "came")


def _rows(summary: "Summary") -> dict[str, str]:
    checks = summary.passed + len(summary.failed)
    return {
        "conversations": str(summary.conversations),
        "turns": str(summary.turns),
        "answered": str(summary.answered),
        "answered in part": str(summary.partial),
        "asked back": str(summary.unclear),
        "refused": str(summary.refused),
        "answers with a citation": f"{summary.cited:.1%}" if summary.answered + summary.partial else "none",
        "sentences": ", ".join(f"{count} {verdict}" for verdict, count in summary.verdicts.items()) or "none",
        "expectations": f"{summary.passed} of {checks} held" if checks else "none",
    }

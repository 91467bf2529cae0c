"""`clew replay`: conversations asked anew, checked, and held against an earlier replay."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from clew.agent.replay.replay import ChangedTurn, changed_turns, replay_script, rows_of
from clew.agent.replay.script import SEPARATOR, Played, Summary, read_script
from clew.agent.settings import read_settings
from clew.memory.errors import ClewError
from clew.ui import options
from clew.ui.console import output, print_table, shown
from clew.ui.plain import cut, one_line

DIR = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.argument("script", type=click.Path(exists=True, path_type=Path))
@options.answering
@click.option("--out", metavar="DIR", type=DIR, help="Where to write the turns.  [default: they are not kept]")
@click.option("--against", metavar="DIR", type=DIR, help="Show which answers changed since that --out, and why.")
@options.today
@options.quiet
def replay(script: Path, out: Path | None, against: Path | None, today: str | None, quiet: bool, **chosen: Any) -> None:
    """Ask the questions of SCRIPT again and check the answers.

    SCRIPT is a JSONL file of conversations with what their answers must and must not say (docs/data.md), or a BEIR
    folder whose queries have turns. The exit code is 1 if an expectation failed.
    """
    settings, read = read_settings(**chosen), read_script(script)
    before = rows_of(against, read.name) if against else []
    total = sum(len(conversation.turns) for conversation in read.conversations)
    with nullcontext(out) if out else TemporaryDirectory(prefix="clew-") as place:
        folder = Path(place)
        events = replay_script(read, folder, settings, options.day(today))
        summary = _played(events, total, quiet)
        changed = list(changed_turns(before, rows_of(folder, read.name)))
    _print_summary(summary)
    if against:
        _print_changed(changed, total)
    if summary.failed:
        raise ClewError(f"{len(summary.failed)} of {summary.passed + len(summary.failed)} expectations failed")


def _played(events: Iterator[Played | Summary], total: int, quiet: bool) -> Summary:
    seen: Generator[Played | Summary] = shown(events, quiet=True)
    with closing(seen) as played:
        for number, event in enumerate(played, 1):
            if isinstance(event, Summary):
                return event
            if not quiet:
                click.echo(f"{number} of {total}  {_line(event)}", err=True)
    raise AssertionError("a replay ends with its summary")


def _line(played: Played) -> str:
    failed = sum(not check.passed for check in played.checks)
    mark = (
        f"{failed} of {len(played.checks)} expectations failed"
        if failed
        else played.turn.answer.outcome.replace("-", " ")
    )
    return f"{played.conversation} {played.number}  {cut(one_line(played.turn.question), 70)}  {mark}"


def _print_summary(summary: Summary) -> None:
    print_table(_rows(summary).items())
    if summary.failed:
        rows = (
            (one_line(turn.conversation), str(turn.number), one_line(check.expected), cut(one_line(check.came), 200))
            for turn, check in summary.failed
        )
        print_table(rows, "conversation", "turn", "expected", "came")


def _print_changed(changed: Sequence[ChangedTurn], total: int) -> None:
    console = output()
    console.print(f"{len(changed)} of {total} answers changed")
    for before, now, why in changed:
        turn, question = now["_id"].replace(SEPARATOR, " "), one_line(now["original_query"])
        console.print(f"\n{turn}  {question}", style="bold")
        reasons = (("why" if not place else "", reason) for place, reason in enumerate(why.split("\n")))
        for name, said in (*reasons, ("before", before["agent_response"]), ("now", now["agent_response"])):
            console.print(f"  {name:7} {cut(one_line(said), 300)}")


def _rows(summary: Summary) -> dict[str, str]:
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

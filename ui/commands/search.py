"""`clew search`: what a retrieval method finds, and why; or what each of them finds, side by side."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from itertools import zip_longest
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from clew.agent.models import encoder_for
from clew.agent.search.rounds import AUTO
from clew.agent.services import check_tool, services_for
from clew.agent.settings import Settings, read_settings
from clew.memory.datatypes import Findings, Passage
from clew.memory.dialogue.threads import Threads
from clew.memory.errors import BadInput
from clew.memory.knowledge.library import open_library
from clew.tools import registry
from clew.tools.base import encode_query
from clew.ui import options
from clew.ui.console import output, print_json, print_table
from clew.ui.plain import cut, one_line, typed
from clew.ui.rendering import BOLD, DIM, append_place, name_of, print_indented

SNIPPET = 240
"""Characters of a passage that a person needs to recognize it."""


@click.command()
@click.argument("query", nargs=-1, required=True, metavar="QUERY...")
@options.library
@options.tool
@options.given
@click.option("-k", "k", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many passages.")
@click.option("--compare", is_flag=True, help="All methods side by side.")
@options.as_json("Print each passage as a JSON object, a line each.")
def search(query: tuple[str, ...], k: int, compare: bool, as_json: bool, **chosen: Any) -> None:
    """Search the library without asking for an answer."""
    if compare and chosen["tool"]:
        raise click.UsageError("--compare shows all methods: leave --tool out")
    settings = read_settings(**chosen)
    names = tuple(registry.TOOLS) if compare else (settings.tool,)
    found = _found(settings, typed(" ".join(query)), names, k)
    for name, findings in found.items():
        for note in findings.notes:
            click.echo(f"{name}: {one_line(note)}", err=True)
    _print_found(found, compare, as_json)


def _found(settings: Settings, text: str, tools: Sequence[str], k: int) -> dict[str, Findings]:
    """The findings of each tool by its name. Raises `BadInput` for an empty question or a tool that there is not."""
    from clew.agent.evaluation.evaluate import searched

    if not text.strip():
        raise BadInput("there is nothing to search for", "clew search 'some words'")
    for name in tools:
        check_tool(name)
    with (
        closing(encoder_for(settings)) as encoder,
        open_library(settings.library, encoder) as library,
        Threads(None) as threads,
    ):
        services = replace(services_for(settings, library, encoder, threads), evidence=k)
        if AUTO in tools:
            turn = searched(services, text, ())
            planned = tuple(step.summary for step in turn.steps if step.node == "think")
            return {AUTO: Findings(turn.passages[:k], planned)}
        query = encode_query(text, [], encoder)
        return {name: services.tools[name].search(query, k) for name in tools}


def _print_found(found: Mapping[str, Findings], compare: bool, as_json: bool) -> None:
    if as_json:
        for findings in found.values():
            for rank, passage in enumerate(findings.passages, 1):
                answer = {"answer": findings.answer} if findings.answer else {}
                print_json({"rank": rank, **asdict(passage), **answer})
        return
    if not any(findings.passages for findings in found.values()):
        click.echo("nothing was found", err=True)
        return
    if compare:
        print_table(_side_by_side(found), "", *found)
        return
    console = output()
    for findings in found.values():
        for rank, passage in enumerate(findings.passages, 1):
            _print_passage(console, rank, passage)
        if findings.answer:
            console.print(f"\nanswer: {one_line(findings.answer)}", markup=False, highlight=False)


def _print_passage(console: Console, rank: int, passage: Passage) -> None:
    """Rank, score, title and place; the beginning of the passage; the path to it; why it was found."""
    if rank > 1:
        console.print()
    head = Text.assemble(f"{rank:>2}  ", (name_of(passage), BOLD), f"  {passage.score:.3f}")
    append_place(head, passage, console.width if console.is_terminal else None)
    console.print(head)
    path = Text(one_line(" | ".join(passage.path)))
    for part in (Text(cut(one_line(passage.text), SNIPPET)), path, Text(one_line(passage.why), DIM)):
        if part:
            print_indented(part, 4, console)


def _side_by_side(found: Mapping[str, Findings]) -> Iterator[tuple[str, ...]]:
    for rank, row in enumerate(zip_longest(*(findings.passages for findings in found.values())), 1):
        yield str(rank), *(name_of(p) if p else "" for p in row)

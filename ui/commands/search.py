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
from clew.memory.datatypes import Findings, Passage, Query
from clew.memory.dialogue.threads import Threads
from clew.memory.errors import BadInput
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.question import MatchParameters, match
from clew.tools import registry
from clew.tools.base import encode_query
from clew.tools.hybrid import Hybrid
from clew.ui import options
from clew.ui.console import output, print_json, print_table
from clew.ui.plain import cut, one_line, typed
from clew.ui.rendering import BOLD, DIM, append_place, name_of, print_indented

Explained = dict[str, Any]
"""`fields`: {field: {score, words}}, `keyword` and `cosine`; where that is of trees, `aligned`: [[asked, held]]."""

SNIPPET = 240
"""Characters of a passage that a person needs to recognize it."""


@click.command()
@click.argument("query", nargs=-1, required=True, metavar="QUERY...")
@options.library
@options.tool
@options.given
@click.option("-k", "k", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many passages.")
@click.option("--compare", is_flag=True, help="All methods side by side.")
@click.option("--explain", is_flag=True, help="Of each passage the words that hit, by field, and its scores.")
@options.as_json("Print each passage as a JSON object, a line each.")
def search(query: tuple[str, ...], k: int, compare: bool, explain: bool, as_json: bool, **chosen: Any) -> None:
    """Search the library without asking for an answer."""
    if compare and chosen["tool"]:
        raise click.UsageError("--compare shows all methods: leave --tool out")
    settings = read_settings(**chosen)
    names = tuple(registry.TOOLS) if compare else (settings.tool,)
    found, why = _found(settings, typed(" ".join(query)), names, k, explain)
    for name, findings in found.items():
        for note in findings.notes:
            click.echo(f"{name}: {one_line(note)}", err=True)
    _print_found(found, why, compare, as_json)


def _found(
    settings: Settings, text: str, tools: Sequence[str], k: int, explain: bool
) -> tuple[dict[str, Findings], dict[str, Explained]]:
    """The findings of each tool by its name, and what explains each passage, by its id. Raises `BadInput` for an empty
    question or a tool that there is not."""
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
        query = encode_query(text, [], encoder)
        if AUTO in tools:
            turn = searched(services, text, ())
            planned = tuple(step.summary for step in turn.steps if step.node == "think")
            found = {AUTO: Findings(turn.passages[:k], planned)}
        else:
            found = {name: services.tools[name].search(query, k) for name in tools}
        ids = list(dict.fromkeys(one.id for findings in found.values() for one in findings.passages)) if explain else []
        hybrid = services.tools[Hybrid.name]
        return found, _explained(hybrid, query, ids) if ids and isinstance(hybrid, Hybrid) else {}


def _explained(hybrid: Hybrid, query: Query, ids: Sequence[str]) -> dict[str, Explained]:
    """Of each of these chunks the share of BM25 and the words that hit, by field, and both scores of `hybrid`; by trees
    also which words of both are aligned."""
    found, trees = match(hybrid.store, query.forms, ids, MatchParameters(), hybrid.structure), hybrid.structure
    texts = [chunk.text for chunk in hybrid.store.chunks(ids)] if trees else []
    asked = query.forms[0].text
    more = [{"aligned": [list(pair) for pair in trees.aligned(asked, text)]} for text in texts] if trees else []
    keyword = {id_: hits[id_].score if id_ in (hits := found.hits[0]) else 0.0 for id_ in ids}
    return {
        id_: {
            "fields": {name: {"score": hit.score, "words": list(hit.terms)} for name, hit in held.items() if hit.terms},
            "keyword": keyword[id_],
            "cosine": float(found.cosines[0][place]),
            **(more[place] if more else {}),
        }
        for place, (id_, by_form) in enumerate(zip(ids, hybrid.fields(query, ids), strict=True))
        for held in by_form.values()
    }


def _print_found(found: Mapping[str, Findings], why: Mapping[str, Explained], compare: bool, as_json: bool) -> None:
    if as_json:
        for findings in found.values():
            for rank, passage in enumerate(findings.passages, 1):
                answer = {"answer": findings.answer} if findings.answer else {}
                more = {"explain": why[passage.id]} if passage.id in why else {}
                print_json({"rank": rank, **asdict(passage), **more, **answer})
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
            _print_passage(console, rank, passage, why.get(passage.id))
        if findings.answer:
            console.print(f"\nanswer: {one_line(findings.answer)}", markup=False, highlight=False)


def _print_passage(console: Console, rank: int, passage: Passage, why: Explained | None) -> None:
    """Rank, score, title and place; the beginning of the passage; the path to it; why it was found."""
    if rank > 1:
        console.print()
    head = Text.assemble(f"{rank:>2}  ", (name_of(passage), BOLD), f"  {passage.score:.3f}")
    append_place(head, passage, console.width if console.is_terminal else None)
    console.print(head)
    path = Text(one_line(" | ".join(passage.path)))
    lines = [Text(one_line(line), DIM) for line in _lines(why)] if why else []
    for part in (Text(cut(one_line(passage.text), SNIPPET)), path, Text(one_line(passage.why), DIM), *lines):
        if part:
            print_indented(part, 4, console)


def _lines(why: Explained) -> Iterator[str]:
    for name, hit in why["fields"].items():
        yield f"{name}: {', '.join(hit['words'])} ({hit['score']:.2f})"
    yield f"words {why['keyword']:.2f}, {'trees' if 'aligned' in why else 'meaning'} {why['cosine']:.2f}"
    if pairs := why.get("aligned"):
        yield f"aligned: {', '.join(f'{asked} = {held}' for asked, held in pairs)}"


def _side_by_side(found: Mapping[str, Findings]) -> Iterator[tuple[str, ...]]:
    for rank, row in enumerate(zip_longest(*(findings.passages for findings in found.values())), 1):
        yield str(rank), *(f"{p.score:.3f} {name_of(p)}" if p else "" for p in row)

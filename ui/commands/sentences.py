"""`clew parse`: how sentences are read; `clew train-structure`: what a search by structure can learn."""

import sys
from contextlib import closing
from pathlib import Path
from typing import IO

import click

from clew.agent.settings import read_settings
from clew.memory.errors import BadInput
from clew.memory.files import naming_full_disk
from clew.memory.knowledge.disk import held
from clew.memory.knowledge.library import open_library
from clew.memory.language.esperanto import Esperanto, check_esperanto
from clew.memory.language.trees import Tree, parsed_conllu
from clew.ui import options
from clew.ui.console import print_json, shown
from clew.ui.plain import plain


@click.command()
@click.argument("file", type=click.File(encoding="utf-8-sig"), default="-", metavar="[FILE]")
@click.option("--language", type=click.Choice(["eo"]), help="Read it, whatever language it seems to be in.")
@click.option(
    "--conllu", is_flag=True, help="Read CoNLL-U and write it: IDs and FORMs are kept, all else is read anew."
)
@click.option("--strict", is_flag=True, help="Refuse words whose root is not known.")
@click.option("--keywords", is_flag=True, help="Print what each sentence would be searched by.")
@options.as_json("Print each sentence as a JSON object, a line each.")
def parse(file: IO[str], language: str | None, conllu: bool, strict: bool, keywords: bool, as_json: bool) -> None:
    """Read sentences of Esperanto, one a line: words, their parts, and what depends on what.

    FILE is - (the default) for what is typed or piped in. Names are those of Universal Dependencies.
    """
    if conllu and (keywords or as_json):
        raise click.UsageError("--conllu is a form of its own: leave --keywords and --json out")
    try:
        lines = file.read().splitlines() if not conllu else file.read().split("\n")
    except UnicodeDecodeError as error:
        raise BadInput(f"{file.name} is not text in UTF-8") from error
    forms = (line.split("\t")[1] for line in lines if line.count("\t") > 1) if conllu else lines
    if not language:
        check_esperanto(" ".join(forms))
    reader = Esperanto(strict)
    if conllu:
        try:
            for line in parsed_conllu(lines, reader.tree):
                sys.stdout.write(plain(line) + "\n")
        except ValueError as error:
            raise BadInput(str(error)) from error
        return
    for number, line in enumerate(lines, 1):
        if text := line.strip():
            try:
                tree = reader.read(text)
            except BadInput as error:
                raise BadInput(f"line {number}: {error.message}") from error
            _print(text, tree, reader, keywords, as_json)


def _print(text: str, tree: Tree, reader: Esperanto, keywords: bool, as_json: bool) -> None:
    words = reader.keywords(tree)
    if as_json:
        found = {"text": text, "language": "eo", "mood": tree.mood, "asks": tree.asks, "keywords": words}
        print_json(
            found if keywords else found | {"words": [_as_object(tree, place) for place in range(len(tree.words))]}
        )
    elif keywords:
        click.echo(plain(", ".join(words)))
    else:
        click.echo(plain(f"# {text}"))
        rows = [
            (str(place), word.form, word.lemma, word.upos, word.feats or "_", str(head), role)
            for place, (word, head, role) in enumerate(zip(tree.words, tree.heads, tree.roles, strict=True), 1)
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            click.echo(plain("  ".join(part.ljust(width) for part, width in zip(row, widths, strict=True)).rstrip()))
        click.echo()


def _as_object(tree: Tree, place: int) -> dict[str, object]:
    word = tree.words[place]
    features = dict(pair.split("=", 1) for pair in word.feats.split("|")) if word.feats else {}
    parts = {"root": word.root, "prefixes": word.prefixes, "suffixes": word.suffixes, "compound": word.compound}
    about = {"id": place + 1, "form": word.form, "lemma": word.lemma, "upos": word.upos, "feats": features}
    return about | {"head": tree.heads[place], "deprel": tree.roles[place]} | parts | {"known": word.known}


@click.command(name="train-structure")
@options.library
@click.option("--language", type=click.Choice(["eo"]), help="Read it, whatever language it seems to be in.")
@click.option("--sentences", type=click.IntRange(2), default=20_000, show_default=True, help="To learn from, at most.")
@click.option("--epochs", type=click.IntRange(1), default=4, show_default=True, help="How often each is learned from.")
@click.option(
    "--seed", type=click.IntRange(0), default=7, show_default=True, help="Of the network and the paraphrases."
)
@options.quiet
def train_structure(
    library: Path | None, language: str | None, sentences: int, epochs: int, seed: int, quiet: bool
) -> None:
    """Train a Tree-LSTM on the sentences of a library, for searches with --set tools.hybrid.stage2=structure.

    The documents have to be in Esperanto. It learns from the library alone, each sentence against paraphrases of it,
    and uses a GPU where there is one.
    """
    from clew.memory.language.structure_training import StructurePlan, train_library

    path = read_settings(library=library).library
    if not isinstance(path, Path):
        raise BadInput("a network is trained on a library in a folder", "--library FOLDER")
    kept = f"the library at {path} stays as it was"
    with naming_full_disk(kept), open_library(path, None) as opened, held(path):
        events = train_library(opened, StructurePlan(epochs=epochs, seed=seed), sentences, told=bool(language))
        with closing(shown(events, quiet)) as seen:
            for written in seen:
                click.echo(str(written))

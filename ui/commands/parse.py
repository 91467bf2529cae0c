"""`clew parse`: how sentences are read, for people, for machines and in CoNLL-U."""

import sys
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

import click

from clew.ui import options
from clew.ui.plain import plain

if TYPE_CHECKING:
    from clew.memory.language.trees import SentenceReader, Tree


@click.command()
@click.argument("file", type=click.File(encoding="utf-8-sig"), default="-", metavar="[FILE]")
@click.option("--language", type=click.Choice(["eo", "en"]), help="Of the text.  [default: as it is detected]")
@click.option(
    "--conllu", is_flag=True, help="Read CoNLL-U and write it: IDs and FORMs are kept, all else is read anew."
)
@click.option("--strict", is_flag=True, help="Refuse words of Esperanto whose root is not known.")
@click.option("--keywords", is_flag=True, help="Print what each sentence would be searched by.")
@options.as_json("Print each sentence as a JSON object, a line each.")
def parse(file: IO[str], language: str | None, conllu: bool, strict: bool, keywords: bool, as_json: bool) -> None:
    """Read sentences of Esperanto or English, one a line: words, their parts, and what depends on what.

    FILE is - (the default) for what is typed or piped in. Names are those of Universal Dependencies.
    """
    from clew.memory.errors import BadInput
    from clew.memory.language.readers import detected, reader_of
    from clew.memory.language.trees import parsed_conllu

    if conllu and (keywords or as_json):
        raise click.UsageError("--conllu is a form of its own: leave --keywords and --json out")
    try:
        lines = file.read().splitlines() if not conllu else file.read().split("\n")
    except UnicodeDecodeError as error:
        raise BadInput(f"{file.name} is not text in UTF-8") from error
    forms = (line.split("\t")[1] for line in lines if line.count("\t") > 1) if conllu else lines
    reader = reader_of(language or detected(" ".join(forms)), strict)
    if conllu:
        try:
            for line in parsed_conllu(lines, reader):
                sys.stdout.write(plain(line) + "\n")
        except ValueError as error:
            raise BadInput(str(error)) from error
        return
    for text, tree in _trees(lines, reader):
        _print(text, tree, reader, keywords, as_json)


def _trees(lines: list[str], reader: "SentenceReader") -> "Iterator[tuple[str, Tree]]":
    from clew.memory.errors import BadInput

    for number, line in enumerate(lines, 1):
        if text := line.strip():
            try:
                yield text, reader.read(text)
            except BadInput as error:
                raise BadInput(f"line {number}: {error.message}") from error


def _print(text: str, tree: "Tree", reader: "SentenceReader", keywords: bool, as_json: bool) -> None:
    from clew.ui.console import print_json

    words = reader.keywords(tree)
    if as_json:
        found = {"text": text, "language": reader.language, "mood": tree.mood, "asks": tree.asks, "keywords": words}
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


def _as_object(tree: "Tree", place: int) -> dict[str, object]:
    word = tree.words[place]
    features = dict(pair.split("=", 1) for pair in word.feats.split("|")) if word.feats else {}
    parts = {"root": word.root, "prefixes": word.prefixes, "suffixes": word.suffixes, "compound": word.compound}
    about = {"id": place + 1, "form": word.form, "lemma": word.lemma, "upos": word.upos, "feats": features}
    return about | {"head": tree.heads[place], "deprel": tree.roles[place]} | parts | {"known": word.known}

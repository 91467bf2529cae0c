"""Markdown, by markdown-it-py, which makes HTML of it: the words as a reader sees them, without markup, link targets
and pictures. Notebooks of Jupyter are read as such."""

import re
from collections.abc import Iterator
from typing import Any

import yaml

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders import html
from clew.memory.knowledge.loaders.layout import TextLayout
from clew.memory.knowledge.loaders.plain_text import decode, json_of, title_of_file, without_marks
from clew.memory.knowledge.loaders.source import Source, in_a_line

ENDINGS = (".md", ".markdown")
FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
DATES = (
    "effective effectivedate effectivefrom validfrom updated update lastupdated lastupdate modified lastmodified mod"
    " lastmod date published created"
).split()
"""Names of the fields of a date, without hyphens, the ones that say from when it holds first."""

AUTHOR = ("author", "authors", "by", "creator")
TAGS = ("tag", "tags", "keyword", "keywords", "category", "categories", "topic", "topics")


def read_markdown(source: Source) -> Iterator[Document]:
    fields, text = _front_matter(decode(source.path.read_bytes()))

    def told(*names: str) -> str:
        """What the first of these fields says that says something."""
        return next(filter(None, (in_a_line(fields.get(name)) for name in names)), "")

    layout, first = laid_out(without_marks(text))
    yield layout.document(
        source,
        told("title") or first or title_of_file(source.path),
        date=told(*DATES),
        author=told(*AUTHOR),
        tags=told(*TAGS),
        status=told("status", "state") or "draft" * (told("draft").casefold() == "true"),
    )


def _front_matter(text: str) -> tuple[dict[str, object], str]:
    """The fields of YAML above a text, all values as they are written, and what stands below."""
    found = FRONT_MATTER.match(text)
    if found is None:
        return {}, text
    try:
        fields = yaml.load(found[1], yaml.BaseLoader)  # noqa: S506 it makes texts, lists and dicts
    except (yaml.YAMLError, RecursionError):  # a colon in a title
        rows = (row.partition(":") for row in found[1].splitlines() if row[:1].isalpha())
        fields = {name: value.strip() for name, _, value in rows}
    if not isinstance(fields, dict):
        return {}, text
    said = {name: value for name, value in fields.items() if value not in ("null", "~")}
    return {re.sub("[_-]", "", str(name)).casefold(): value for name, value in said.items()}, text[found.end() :]


def laid_out(markdown: str) -> tuple[TextLayout, str]:
    """The text, and its heading of the first level if there is only one: of several none is above the others. Its lines
    stay, as notes are written in lines; what was wrapped, `blocks` joins."""
    from markdown_it import MarkdownIt

    def known(_: Any, tokens: Any, place: int, *__: Any) -> str:
        """Of a tag that is spoken of and would swallow what follows, nothing."""
        tag: str = tokens[place].content
        return "" if tag.strip("</>").split()[0].lower() in html.NO_TEXT else tag

    written = MarkdownIt("commonmark", {"breaks": True}).enable(["table", "strikethrough"])
    written.add_render_rule("html_inline", known)
    root = html.parse(written.render(markdown))
    top = root.xpath("//h1")
    return html.laid_out(root), " ".join(top[0].text_content().split()) if len(top) == 1 else ""


def read_notebook(source: Source) -> Iterator[Document]:
    """One document of what is written, the code, and what it printed. Raises `Unreadable` where it is no notebook."""
    try:
        parts = [part for cell in json_of(source)["cells"] for part in _parts(cell)]
    except (TypeError, LookupError, AttributeError) as error:
        raise Unreadable("not a notebook: no cells are in it") from error
    layout, title = laid_out("\n\n".join(parts))
    yield layout.document(source, title)


def _parts(cell: dict[str, Any]) -> Iterator[str]:
    """In Markdown. A text may be a list of its lines."""
    written = "".join(cell["source"])
    yield written if cell["cell_type"] == "markdown" else f"~~~~~\n{written}\n~~~~~"
    for output in cell.get("outputs") or []:
        said = "".join(output.get("text") or (output.get("data") or {}).get("text/plain") or "")
        if said.strip():
            yield f"~~~~~\n{said}\n~~~~~"

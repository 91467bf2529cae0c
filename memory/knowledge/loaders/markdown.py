"""Markdown, by markdown-it-py, which makes HTML of it: the words as a reader sees them, without markup, link targets
and pictures. Notebooks of Jupyter are read as such."""

import re
from collections.abc import Iterator
from typing import Any

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders import html
from clew.memory.knowledge.loaders.layout import TextLayout
from clew.memory.knowledge.loaders.plain_text import decode, json_of, title_of_file
from clew.memory.knowledge.loaders.source import Source, in_a_line

ENDINGS = (".md", ".markdown")
FRONT_MATTER = re.compile(
    r"\A---[ \t]*\n(?=[\w-]+[ \t]*:)(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
FRONT_FIELD = r"^(?:{names}):(.*)$"
DATES = (
    "effective(?:[_-](?:date|from))?|valid[_-]from",
    "(?:last[_-]?)?(?:updated?|modified|mod)",
    "date|published|created",
)
"""Names of the fields of a date, the ones that say from when it holds first."""

AUTHOR, TAGS = "authors?|by|creator", "tags?|keywords?|categor(?:y|ies)|topics?"
FRONT_LIST = r"^(?:{names}):(.*(?:\n[ \t]*-[ \t].*)*)"
NO_VALUE = re.compile(r"(?:null|~|[|>][+-]?\d?)?", re.IGNORECASE)
"""YAML's nothing, and the marks of a value that stands in the lines below."""


def read_markdown(source: Source) -> Iterator[Document]:
    text = decode(source.path.read_bytes())
    front = FRONT_MATTER.match(text)
    fields = front[1] if front else ""
    is_draft = front_field(fields, "draft").casefold() == "true"
    layout, first, hidden_text = laid_out(text[front.end() :] if front else text)
    yield layout.document(
        source,
        front_field(fields, "title") or first or title_of_file(source.path),
        date=next((value for names in DATES if (value := front_field(fields, names))), ""),  # from which it holds first
        hidden_text=hidden_text,
        author=front_list(fields, AUTHOR),
        tags=front_list(fields, TAGS),
        status=front_field(fields, "status|state") or "draft" * is_draft,
    )


def front_field(front: str, names: str) -> str:
    """Of the front matter; empty where it has none of these names."""
    found = re.search(FRONT_FIELD.format(names=names), front, re.MULTILINE | re.IGNORECASE)
    value = found[1].strip() if found else ""
    if NO_VALUE.fullmatch(value):
        return ""
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value


def front_list(front: str, names: str) -> str:
    """As `front_field`, of a list in brackets, in lines or between commas: in a line."""
    found = re.search(FRONT_LIST.format(names=names), front, re.MULTILINE | re.IGNORECASE)
    first, *lines = found[1].strip().split("\n") if found else [""]
    if first.startswith("- "):
        first, lines = "", [first, *lines]
    items = [*first.strip().removeprefix("[").removesuffix("]").split(","), *(line.strip()[1:] for line in lines)]
    named = (item.strip(" {}").removeprefix("name:").strip(" '\"#") for item in items)
    return in_a_line([item for item in named if not NO_VALUE.fullmatch(item)])


def laid_out(markdown: str) -> tuple[TextLayout, str, str]:
    """The text, its first heading of the first level, and what HTML in it does not show. Its lines stay, as notes are
    written in lines; what was wrapped, `blocks` joins."""
    from markdown_it import MarkdownIt

    written = MarkdownIt("commonmark", {"breaks": True}).enable(["table", "strikethrough"])
    written.add_render_rule("html_inline", lambda _, tokens, place, *__: _known(tokens[place].content))
    root = html.parse(written.render(markdown))
    for listed in root.iter("ol"):
        for number, item in enumerate(listed.iterchildren("li"), int(listed.get("start", "1"))):
            item.set(html.MARKER, f"{number}. ")
    first = " ".join(root.xpath("string(//h1)").split())
    layout, hidden = html.laid_out(root)
    return layout, first, hidden


def _known(tag: str) -> str:
    """Of a tag that is spoken of and would swallow what follows, nothing."""
    return "" if tag.strip("</>").split()[0].lower() in html.NO_TEXT else tag


def read_notebook(source: Source) -> Iterator[Document]:
    """One document of what is written, the code, and what it printed. Raises `Unreadable` where it is no notebook."""
    try:
        parts = [part for cell in json_of(source)["cells"] for part in _parts(cell)]
    except (TypeError, LookupError, AttributeError) as error:
        raise Unreadable("not a notebook: no cells are in it") from error
    layout, title, hidden = laid_out("\n\n".join(parts))
    yield layout.document(source, title, hidden_text=hidden)


def _parts(cell: dict[str, Any]) -> Iterator[str]:
    """In Markdown."""
    written = _joined(cell["source"])
    yield written if cell["cell_type"] == "markdown" else f"~~~~~\n{written}\n~~~~~"
    for output in cell.get("outputs") or []:
        said = _joined(output.get("text") or (output.get("data") or {}).get("text/plain") or "")
        if said.strip():
            yield f"~~~~~\n{said}\n~~~~~"


def _joined(lines: object) -> str:
    return "".join(lines) if isinstance(lines, list) else str(lines)

"""Markdown, by markdown-it-py: the words as a reader sees them, without markup, link targets and pictures.
Notebooks of Jupyter are read as such."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders import html
from clew.memory.knowledge.loaders.layout import TextLayout
from clew.memory.knowledge.loaders.plain_text import decode, guessed, json_of, title_of_file
from clew.memory.knowledge.loaders.source import Loader, Source, in_a_line

if TYPE_CHECKING:
    from markdown_it.token import Token

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

TAG = re.compile(r"<(/?)([A-Za-z][\w-]*)")


def read_markdown(source: Source) -> Iterator[Document]:
    text = decode(source.path.read_bytes())
    front = FRONT_MATTER.match(text)
    fields = front[1] if front else ""
    author, tags = (front_list(fields, names) for names in (AUTHOR, TAGS))
    draft = front_field(fields, "draft")
    layout, first, hidden_text = laid_out(text[front.end() :] if front else text)
    yield layout.document(
        source,
        front_field(fields, "title") or first or title_of_file(source.path),
        date=next((value for names in DATES if (value := front_field(fields, names))), ""),  # from which it holds first
        hidden_text=hidden_text,
        author=author,
        tags=tags,
        status=front_field(fields, "status|state") or ("draft" if draft.casefold() == "true" else ""),
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
    """The text, its first heading of the first level, and what HTML in it does not show."""
    from markdown_it import MarkdownIt

    layout, title, hidden_text = TextLayout(), "", list[str]()
    tokens = iter(MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown))
    for token in tokens:
        if token.type == "table_open":
            layout.table(_rows(tokens, hidden_text))
        else:
            _write(layout, token, hidden_text)
        if token.type == "heading_close" and token.tag == "h1" and layout.headings:
            title = title or layout.headings[-1].text
    return layout, title, "\n".join(filter(None, hidden_text))


def _rows(tokens: "Iterator[Token]", hidden_text: list[str]) -> list[list[str]]:
    """Of the table that has begun."""
    rows: list[list[str]] = []
    for token in takewhile(lambda one: one.type != "table_close", tokens):
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            cell = TextLayout()
            _write_inline(cell, token.children or (), hidden_text)
            rows[-1].append(cell.text)
    return rows


def _write(layout: TextLayout, token: "Token", hidden_text: list[str]) -> None:
    match token.type:
        case "heading_open":
            layout.open_heading()
        case "heading_close":
            layout.close_heading(int(token.tag[1]))
        case "bullet_list_open" | "ordered_list_open":
            layout.open_list()
        case "bullet_list_close" | "ordered_list_close":
            layout.close_list()
        case "list_item_open":
            layout.open_item(f"{token.info}{token.markup} " if token.info else "- ")
        case "list_item_close":
            layout.close_item()
        case "inline":
            _write_inline(layout, token.children or (), hidden_text)
        case "fence" | "code_block":
            layout.code(token.content)
        case "html_block":
            if (root := html.parse(token.content)) is not None:
                hidden_text.append(html.without_hidden(root))
                html.write(layout, root)
        case _ if token.hidden:
            layout.line()
        case _:
            layout.paragraph()


def _write_inline(layout: TextLayout, tokens: "Sequence[Token]", hidden_text: list[str]) -> None:
    depth, hidden = 0, ""  # of the elements of that name, while one is open that is not seen
    for token in tokens:
        tag = TAG.match(token.content) if token.type == "html_inline" else None
        if tag and (not depth or tag[2].lower() == hidden):
            if not tag[1] and not depth and html.is_hidden(token.content):
                hidden = tag[2].lower()
            depth += (-1 if tag[1] else 1) if hidden and not token.content.endswith("/>") else 0
            hidden = hidden if depth else ""
        elif depth:
            hidden_text.append(token.content if token.type != "html_inline" else "")
            continue
        match token.type:
            case "text" | "code_inline":
                layout.words(token.content)
            case "softbreak" | "hardbreak":  # notes are written in lines; what was wrapped, `blocks` joins
                layout.line()
            case "html_inline" if tag and tag[2].lower() == "br":
                layout.line()


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


MARKDOWN = Loader("markdown", read_markdown, (".md", ".markdown"), guesses=guessed)
NOTEBOOK = Loader("notebook", read_notebook, (".ipynb",))

"""The pieces of the page as HTML. The templates escape all values; only rendered Markdown is marked as safe, and that
is rendered without HTML, links and pictures."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup as Safe

from clew.agent.state import STANDINGS, Answer, ClaimStanding
from clew.memory.datatypes import Passage
from clew.memory.dialogue.threads import Thread
from clew.memory.knowledge.loaders.plain_text import CODE_ENDINGS
from clew.memory.knowledge.walking.walk_paths import told
from clew.ui.plain import cut, lies_at, one_line, plain, short_path, when
from clew.ui.rendering import (
    MARKS,
    SCOPE,
    copied,
    degraded,
    is_own,
    is_structured,
    ledger_lines,
    markdown_of,
    milliseconds,
    pieces,
    pieces_of,
    place_of,
    reworded,
    standing_of,
)
from clew.ui.web.panel import MOST, PARTS
from clew.ui.web.shelf import Listing, Shelf, ShelfRow
from clew.ui.web.views import View

SHOWN_THREADS, SHOWN_DOCUMENTS = 100, 500

Examples = Sequence[tuple[str, ...]]

ORDERS: dict[str, Callable[[ShelfRow], Any]] = {
    "name": lambda row: (row.state in ("read", "not read"), row.name.casefold(), row.path),
    "folder": lambda row: (row.folder.casefold(), row.name.casefold()),
    "date": lambda row: (-row.modified, row.path),
    "size": lambda row: (-row.size, row.path),
    "state": lambda row: (("not read", "reading", "waiting", "read").index(row.state), not row.why, row.path),
}
"""Of the list of documents."""


@dataclass(frozen=True, slots=True)
class SourceView:
    """A numbered passage as it is shown; `pieces` is its text in pieces, each with whether the answer quotes it."""

    number: int
    passage: Passage
    pieces: list[tuple[str, bool]]
    standing: ClaimStanding


class Markup:
    """Renders the pieces of the page. `examples` are questions that can be asked of the library; `model` is the
    language model that writes, `tools` are those that can be chosen."""

    def __init__(self, documents: int, examples: Examples, model: str = "", tools: Sequence[str] = ()) -> None:
        self._templates = Environment(
            loader=PackageLoader("clew.ui.web"),
            autoescape=True,
            auto_reload=False,  # else the file is looked up for each piece of the page
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            finalize=lambda value: plain(value) if type(value) is str else value,
        )
        self._templates.globals |= {"model": model, "tools": tools, "STANDINGS": STANDINGS}
        self._templates.globals |= {"MOST": MOST, "PARTS": PARTS}
        self._templates.filters |= FILTERS | {"markdown": self._markdown}
        self.know(documents, examples)

    def know(self, documents: int, examples: Examples) -> None:
        """Note how many documents the library has now, and example questions for it."""
        self._templates.globals |= {"documents": documents, "examples": examples}

    def render(self, name: str, **values: Any) -> str:
        """Render the template of this name with these values."""
        return self._templates.get_template(f"{name}.html").render(**values)

    def documents(self, shelf: Shelf, listing: Listing, find: str, by: str, may_change: bool) -> str:
        """Render the list of documents: those whose names have the words `find`, in the order `by` (name, folder, date,
        size or state)."""
        rows = sorted((row for row in shelf.rows() if _has_words(row, find)), key=ORDERS.get(by, ORDERS["name"]))
        shown = rows[:SHOWN_DOCUMENTS]
        folders = groupby(shown, key=lambda row: row.folder) if by == "folder" else [("", shown)]
        return self.render(
            "documents",
            folders=[(folder, list(its)) for folder, its in folders],
            more=len(rows) - len(shown),
            listing=listing,
            work=shelf.current,
            may_change=may_change,
            by=by,
            find=find,
        )

    def past(self, view: View, offered: Sequence[str] = ()) -> str:
        """Render the finished turns, and the questions that are `offered` after the last; a welcome if there are
        none."""
        return self.render("past", view=view, offered=offered)

    def now(self, view: View) -> str:
        """Render the turn in progress, the questions that wait, and the output of a command."""
        return self.render("now", view=view, now=view.now, number=len(view.turns) + 1)

    def sources(self, view: View) -> str:
        """Render the sources of all turns, a section each; the page shows one at a time. Small talk has those of the
        answer before."""
        answered = [(turn.turn, turn.question, turn.answer) for turn in view.turns]
        if view.now and view.now.answer:
            answered.append((len(view.turns) + 1, view.now.question, view.now.answer))
        sections = [(n, asked, sources_of(made)) for n, asked, made in answered if made.outcome != "small-talk"]
        return self.render("sources", sections=sections)

    def threads(self, threads: Sequence[Thread], current: str, others: Sequence[Thread] = (), find: str = "") -> str:
        """Render the list of conversations. `others` belong to other libraries and are folded away; `find` are the
        words that all of them were found by."""
        rows, folded = ([(one, when(one.updated)) for one in some[:SHOWN_THREADS]] for some in (threads, others))
        older = len(threads) - len(rows)
        return self.render("threads", rows=rows, folded=folded, current=current, older=older, find=find)

    def _markdown(self, answer: Answer, number: int) -> Safe:
        """Render an answer's Markdown. The HTML of citations is put in place of marks that were set in the Markdown."""
        behind = self._templates.get_template("turn.html").module.behind  # type: ignore[attr-defined]
        marked = [claim for claim in answer.claims if claim.cites or claim.verdict in MARKS]
        places = {id(claim): f"{_PLACE}{place}{_PLACE}" for place, claim in enumerate(marked)}
        html = str(_as_html(markdown_of(answer, lambda claim: places.get(id(claim), ""))))
        parts = html.split(_PLACE)
        parts[1::2] = [str(behind(number, marked[int(place)])) for place in parts[1::2]]
        return Safe("".join(parts))  # noqa: S704 both have escaped what they were given


_PLACE = "\ue000"
"""Stands in no text that is shown."""

_MARKDOWN = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table")
_MARKDOWN.disable(["link", "image", "autolink", "reference", "html_block", "html_inline"])


def _as_html(text: str) -> Safe:
    html = _MARKDOWN.render(text).replace("<pre>", '<pre tabindex="0">')  # it is scrolled by keys, too
    return Safe(html)  # noqa: S704 no HTML but the renderer's own


def sources_of(answer: Answer) -> list[SourceView]:
    """Return the sources of an answer as they are shown, with the text that its claims quote marked."""
    views = list[SourceView]()
    for number, passage in enumerate(answer.sources, 1):
        citing = [claim.text for claim in answer.claims if number in claim.cites]
        text = plain(passage.text).strip("\n")
        if not passage.source.lower().endswith(CODE_ENDINGS):
            text = re.sub(r"\s*\n\s*", "\n", text.strip()).replace(" | ", " · ")  # the box is narrow
        views.append(SourceView(number, passage, pieces(text, citing), standing_of(number, answer)))
    return views


def named(question: str) -> list[tuple[str, bool]]:
    """Return a question in pieces, each with whether it is an `@` name of what the question is limited to."""
    return [(part, part.startswith("@")) for part in SCOPE.split(question) if part]


def day_of(modified: float) -> str:
    """Return a time (seconds since 1970) as a date in this machine's time zone; empty for 0."""
    then = datetime.fromtimestamp(modified).astimezone()
    return f"{then.day} {then:%b %Y}" if modified else ""


def _has_words(row: ShelfRow, find: str) -> bool:
    name = f"{row.folder}/{row.name} {row.state} {row.why}".casefold()
    return all(word in name for word in find.casefold().split())


FILTERS: dict[str, Any] = (
    {"line": one_line, "plain": plain, "cut": cut, "ms": milliseconds, "day": day_of}
    | {"place": place_of, "short_path": short_path, "lies_at": lies_at, "named": named}
    | {"pieces": pieces_of, "own": is_own, "structured": is_structured, "copied": copied, "reworded": reworded}
    | {"degraded": degraded, "ledger": ledger_lines, "draft": lambda text: _as_html(plain(text))}
    | {"told": told}
)
"""Of the templates, beside those of Jinja."""

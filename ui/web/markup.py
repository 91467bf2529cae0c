"""The page's pieces as HTML. The templates escape all that they are given; nothing here is marked as safe."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from difflib import SequenceMatcher
from itertools import groupby
from operator import itemgetter
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from clew.agent.state import Answer, Verdict
from clew.memory.datatypes import Passage
from clew.memory.dialogue.threads import Thread
from clew.ui.plain import one_line, plain, short_path
from clew.ui.rendering import degraded, is_own, ledger_lines, milliseconds, pieces_of, place_of
from clew.ui.web.drawing import draw
from clew.ui.web.views import View

WORST_FIRST: tuple[Verdict, ...] = ("unsupported", "weak", "supported")
SHOWN_THREADS = 100


@dataclass(frozen=True, slots=True)
class SourceView:
    """A numbered passage as it is shown; `pieces` are its text, each with whether the answer quotes it."""

    number: int
    passage: Passage
    pieces: list[tuple[str, bool]]
    verdict: Verdict


class Markup:
    """`titles` are some of the library's, for examples of what can be asked; `model` is the one that writes."""

    def __init__(self, documents: int, titles: Sequence[str], model: str = "") -> None:
        self._documents = documents
        self._model = model
        self._titles = titles
        self._templates = Environment(
            loader=PackageLoader("clew.ui.web"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            finalize=lambda value: plain(value) if type(value) is str else value,
        )
        self._templates.filters |= {"line": one_line, "plain": plain, "ms": milliseconds, "parted": parted}
        self._templates.filters |= {"place": place_of, "short_path": short_path}
        self._templates.filters |= {"pieces": pieces_of, "own": is_own}
        self._templates.filters |= {"degraded": degraded, "ledger": ledger_lines}

    def header(self) -> str:
        return self._render("header", documents=self._documents, model=self._model)

    def past(self, view: View) -> str:
        """The finished turns; a welcome where there is nothing yet."""
        drawn = {turn.turn: draw(turn.walk, turn.answer) for turn in view.turns if turn.walk and turn.walk.nodes}
        return self._render("past", view=view, documents=self._documents, titles=self._titles, drawn=drawn)

    def now(self, view: View) -> str:
        return self._render("now", now=view.now, number=len(view.turns) + 1, busy=view.busy)

    def sources(self, view: View) -> str:
        """Those of all turns, a section each; the page's script shows one of them."""
        answered = [(turn.turn, turn.question, turn.answer) for turn in view.turns]
        if view.now and view.now.answer:
            answered.append((len(view.turns) + 1, view.now.question, view.now.answer))
        return self._render("sources", sections=[(n, question, sources_of(answer)) for n, question, answer in answered])

    def threads(self, threads: Sequence[Thread], current: str, others: Sequence[Thread] = ()) -> str:
        """`others` are over other libraries: folded away."""
        now = datetime.now(UTC)
        rows, folded = (
            [(thread, when(thread.updated, now)) for thread in some[:SHOWN_THREADS]] for some in (threads, others)
        )
        return self._render("threads", rows=rows, folded=folded, current=current, older=len(threads) - len(rows))

    def _render(self, name: str, **values: Any) -> str:
        return self._templates.get_template(f"{name}.html").render(**values)


def sources_of(answer: Answer) -> list[SourceView]:
    return [_source(number, passage, answer) for number, passage in enumerate(answer.sources, 1)]


def _source(number: int, passage: Passage, answer: Answer) -> SourceView:
    citing = [claim for claim in answer.claims if number in claim.cites]
    verdicts = {claim.verdict for claim in citing}
    worst: Verdict = next((verdict for verdict in WORST_FIRST if verdict in verdicts), "uncited")
    text = re.sub(r"\s*\n\s*", "\n", plain(passage.text).strip())  # no empty lines: the box is narrow
    return SourceView(number, passage, pieces(text, [claim.text for claim in citing]), worst)


def parted(text: str, titles: Sequence[str]) -> list[tuple[str, bool]]:
    """The text in pieces, each with whether it is one of the titles."""
    named = sorted(filter(None, map(one_line, titles)), key=len, reverse=True)
    parts = re.split(f"({'|'.join(map(re.escape, named))})", text) if named else [text]
    return [(part, part in named) for part in parts if part]


def when(updated: str, now: datetime) -> str:
    """A time in ISO 8601 as a person says it, on this machine's clock."""
    then = datetime.fromisoformat(updated).astimezone()
    minutes = int((now - then).total_seconds() // 60)
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{minutes} min ago"
    today = now.astimezone().date()
    if then.date() == today:
        return f"today {then:%H:%M}"
    if then.date() == today - timedelta(days=1):
        return f"yesterday {then:%H:%M}"
    return f"{then.day} {then:%b}" if then.year == today.year else f"{then.day} {then:%b %Y}"


_WORD = re.compile(r"\w+")

QUOTE = 3
"""Words in a row from which it is a quotation, and no chance."""


def pieces(text: str, quotes: Sequence[str]) -> list[tuple[str, bool]]:
    """The text in pieces, in order and whole, each with whether one of the quotes says it in these words."""
    cited = [False] * len(text)
    for quote in quotes:
        for start, end in quoted(text, quote):
            cited[start:end] = [True] * (end - start)
    runs = groupby(zip(text, cited, strict=True), key=itemgetter(1))
    return [("".join(character for character, _ in run), is_cited) for is_cited, run in runs]


def quoted(text: str, quote: str) -> list[tuple[int, int]]:
    """Where runs of the quote's words stand in the text, whatever their case and what is between them."""
    found = list(_WORD.finditer(text))
    words = [match[0].casefold() for match in found]
    wanted = [word.casefold() for word in _WORD.findall(quote)]
    blocks = SequenceMatcher(None, words, wanted, autojunk=False).get_matching_blocks()
    longest = min(QUOTE, max(len(wanted), 1))
    return [(found[a].start(), _with_stop(text, found[a + size - 1].end())) for a, _, size in blocks if size >= longest]


def _with_stop(text: str, end: int) -> int:
    """The full stop belongs to its sentence."""
    return end + 1 if text[end : end + 1] in (".", "!", "?") else end

"""Passages as a language model is given them: numbered, fenced, and without instructions that a document hides."""

import re
from collections.abc import Sequence

from clew.memory.datatypes import Passage
from clew.memory.instructions import neutralised


def fenced(number: int, title: str, text: str) -> str:
    """`<passage id="2" title="...">`, the text, `</passage>`."""
    shown = re.sub(r'[<>"\s]+', " ", neutralised(title).text).strip()
    return f'<passage id="{number}" title="{shown}">\n{text.strip()}\n</passage>'


def reported(passages: Sequence[Passage], removed: Sequence[int]) -> tuple[str, ...]:
    """A line for the person on each passage that instructions were taken out of."""
    return tuple(
        f"{passage.title or passage.document} has {count} instruction{'' if count == 1 else 's'} to a language model in"
        " its text: not followed, and left out of the prompt"
        for passage, count in zip(passages, removed, strict=True)
        if count
    )

"""`/open`: the file of a source in the system's own program; without a display, its passage and what stands around."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from rich.text import Text

from clew.agent.settings import indexed_here
from clew.agent.state import Answer
from clew.memory.datatypes import Passage
from clew.memory.errors import ClewError
from clew.memory.knowledge.cluster.connection import Place
from clew.memory.knowledge.library import file_of, open_library
from clew.memory.opened_file import place_in
from clew.ui.plain import near, plain
from clew.ui.quotations import pieces
from clew.ui.rendering import BOLD, DIM, place_of, source_line

AROUND = 800
"""Characters that are printed before a passage, and as many behind it."""


def opened(place: Place, answer: Answer, number: int) -> Iterator[Text]:
    """Open the file of a source if it is as it was read; yields what is to be printed."""
    passage = answer.sources[number - 1]
    file, before, behind = _found(place, passage)
    if file and _has_display() and click.launch(str(file)) == 0:
        yield Text(" · ".join(filter(None, (f"opened {near(str(file))}", place_of(passage)))), DIM)
        return
    yield source_line(answer, number, None)
    cited = [claim.text for claim in answer.claims if number in claim.cites]
    quoted = (Text(piece, BOLD if is_quoted else "") for piece, is_quoted in pieces(plain(passage.text), cited))
    yield Text.assemble((before, DIM), *quoted, (behind, DIM))


def _found(place: Place, passage: Passage) -> tuple[Path | None, str, str]:
    """The file, and what stands before and behind the passage; nothing of a document that is not there any more."""
    try:
        with open_library(place, None) as library:
            text = library.store.documents([passage.document])[0].text
            file = file_of(library, passage.document, indexed_here(library.manifest.id))
    except (ClewError, LookupError):
        return None, "", ""
    start, end = place_in(text, passage) or (0, 0)
    before, behind = plain(text[max(start - AROUND, 0) : start]), plain(text[end : end + AROUND] if end else "")
    before = before if start <= AROUND else f"…{before.partition(' ')[2]}"
    return file, before, behind if end + AROUND >= len(text) else f"{behind.rpartition(' ')[0]}…"


def _has_display() -> bool:
    return sys.platform != "linux" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))

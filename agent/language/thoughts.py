"""Thinking models think aloud between `<think>` and `</think>`, also where they were asked not to: it is left out."""

import re
from collections.abc import Iterator
from typing import TypeVar

from clew.memory.ports import Void

Other = TypeVar("Other")

OPENING = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
CLOSING = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
EITHER = re.compile(f"{OPENING.pattern}|{CLOSING.pattern}", re.IGNORECASE)
LONGEST = len("</thinking>")


def without_thoughts(pieces: Iterator[str | Other]) -> Iterator[str | Other | Void]:
    """The pieces as they come, without what stands between the marks, which may be cut anywhere; no text: it passes.

    A thought whose end is missing swallows the rest. An end without a beginning makes what was said before void: some
    templates have written the beginning themselves. Blank space before the first word goes too.
    """
    held, thinking, begun = "", False, False
    for piece in pieces:
        if not isinstance(piece, str):
            yield piece
            continue
        held += piece
        while mark := (CLOSING if thinking else EITHER).search(held):
            said, held = held[: mark.start()], held[mark.end() :]
            if not thinking and CLOSING.fullmatch(mark.group()):
                begun = False
                yield Void()
                continue
            said = "" if thinking else said if begun else said.lstrip()
            thinking = not thinking
            if said:
                begun = True
                yield said
        cut = _begun_mark(held)
        said, held = "" if thinking else held[:cut], held[cut:]
        said = said if begun else said.lstrip()
        if said:
            begun = True
            yield said
    rest = "" if thinking else held
    if rest if begun else rest.strip():
        yield rest if begun else rest.lstrip()


def _begun_mark(text: str) -> int:
    """Where a mark may have begun at the end of the text; its length where none has."""
    place = text.rfind("<", max(0, len(text) - LONGEST))
    if place < 0:
        return len(text)
    begun = text[place:].lower()
    return (
        place
        if any(mark.startswith(begun) for mark in ("<think>", "<thinking>", "</think>", "</thinking>"))
        else len(text)
    )

"""Thinking models think aloud between `<think>` and `</think>`, also where they were asked not to: it is left out."""

import re
from collections.abc import Iterator
from typing import TypeVar

Other = TypeVar("Other")

OPENING = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
CLOSING = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
LONGEST = len("</thinking>")


def without_thoughts(pieces: Iterator[str | Other]) -> Iterator[str | Other]:
    """The pieces as they come, without what stands between the marks, which may be cut anywhere; no text: it passes.

    A thought whose end is missing swallows the rest. Blank space before the first word goes too.
    """
    held, thinking, begun = "", False, False
    for piece in pieces:
        if not isinstance(piece, str):
            yield piece
            continue
        held += piece
        said, held, thinking = _sorted(held, thinking)
        said = said if begun else said.lstrip()
        if said:
            begun = True
            yield said
    rest = "" if thinking else held
    if rest if begun else rest.strip():
        yield rest if begun else rest.lstrip()


def _sorted(text: str, thinking: bool) -> tuple[str, str, bool]:
    """What can be said, what has to wait for more, and whether it is a thought."""
    said = ""
    while True:
        mark = (CLOSING if thinking else OPENING).search(text)
        if mark is None:
            break
        said += "" if thinking else text[: mark.start()]
        text, thinking = text[mark.end() :], not thinking
    cut = _begun_mark(text)
    if thinking:
        return said, text[cut:], thinking
    return said + text[:cut], text[cut:], thinking


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

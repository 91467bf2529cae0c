"""JSON as language models write it: behind thoughts, in code fences, amid prose, single quotes, a comma too many."""

import json
import re
from collections.abc import Iterator
from typing import Any

from clew.memory.text import Span

_THOUGHT = re.compile(r"^.*</think(?:ing)?>|<think(?:ing)?>.*$", re.DOTALL | re.IGNORECASE)
_TRAILING = re.compile(r",(?=\s*[}\]])")
_CURLY = re.compile(r"(?<=[{\[,:\s])[“”„‟]|[“”](?=\s*[,:}\]])")
_SINGLE = re.compile(r"(?<=[{\[,:\s])'|'(?=\s*[,:}\]])")
_CLOSING = {"{": "}", "[": "]"}


def read_json(reply: str) -> Any:
    """The longest object or list of a reply that can be read, after what a thinking model thinks.

    Quotes and commas are mended only where it cannot be read as it is. What stands inside something that breaks off is
    not taken for the whole. Raises `ValueError`, in words for the model.
    """
    text = _THOUGHT.sub("", reply)
    spans = sorted(_outermost(text), key=lambda span: span[0] - span[1])
    if not spans:
        raise ValueError("it is empty" if not text.strip() else "there is no JSON in it")
    for start, end in spans:
        for form in _mended(text[start:end]):
            try:
                return json.loads(form, strict=False)
            except (ValueError, RecursionError):
                continue
    raise ValueError("it is no valid JSON")


def _mended(text: str) -> Iterator[str]:
    """As it is, then with one more thing put right each time."""
    yield text
    text = _TRAILING.sub("", text)
    yield text
    text = _CURLY.sub('"', text)
    yield text
    yield _SINGLE.sub('"', text)


def _outermost(text: str) -> Iterator[Span]:
    """Spans of the objects and lists that stand in no other, by their brackets outside of double quotes.

    Raises `ValueError` where the last one has no end.
    """
    open_: list[str] = []
    start, quoted, skip = 0, False, False
    for place, letter in enumerate(text):
        if skip:
            skip = False
        elif quoted:
            skip, quoted = letter == "\\", letter != '"'
        elif letter in _CLOSING:
            start = start if open_ else place
            open_.append(_CLOSING[letter])
        elif open_ and letter == '"':
            quoted = True
        elif open_ and letter == open_[-1]:
            open_.pop()
            if not open_:
                yield start, place + 1
    if open_:
        raise ValueError("it breaks off before its end")

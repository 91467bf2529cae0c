"""Files of lines: read with line numbers, replaced whole, appended a whole line at a time; and JSON as models write it:
behind thoughts, in code fences, amid prose, single quotes, a comma too many."""

import errno
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from clew.memory.errors import BadInput, ClewError
from clew.memory.files import MAKE_ROOM, lasting_folder, no_follow, no_room, private_file, write_durably
from clew.memory.text import Span


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers from 1; only a line feed ends a line.

    Raises `BadInput` where the file cannot be read or is not UTF-8.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8 text: {error.reason}") from error


def read_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON object of each line, with its line's number. Raises `BadInput` with file and line for another thing."""
    for number, line in read_lines(path):
        try:
            value = json.loads(line)
        except ValueError as error:
            raise BadInput(f"{path}:{number} is not JSON: {error}") from error
        if not isinstance(value, dict):
            raise BadInput(f"{path}:{number} is not a JSON object")
        yield number, value


def replace_file(path: Path, text: str, private: bool = True) -> None:
    """Readers see the old file or the new one, never a part; others than its user, where it is `private`, neither.
    Makes the folder. Raises `BadInput`, `ClewError` where the disk is full or fails."""
    try:
        lasting_folder(path.parent)
        write_durably(path, text.encode(), 0o600 if private else 0o666)
    except OSError as error:
        raise unwritten(path, error) from error


def unwritten(path: Path, error: OSError) -> ClewError:
    """A disk that is full or fails is no wrong use."""
    wrong = f"{path} cannot be written: {no_room(error) or error.strerror}"
    return ClewError(wrong, MAKE_ROOM) if no_room(error) or error.errno == errno.EIO else BadInput(wrong)


def append_object(path: Path, value: Mapping[str, Any]) -> None:
    """One line in one write, on the disk when this returns: a kill leaves the whole line or at most a torn last one."""
    try:
        with open(private_file(path), "ab", opener=no_follow) as file:
            file.write(as_line(value).encode())
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise unwritten(path, error) from error


def as_line(value: Mapping[str, Any]) -> str:
    """A lone surrogate, which UTF-8 cannot hold, is escaped with everything else of its line."""
    line = json.dumps(value, ensure_ascii=False)
    try:
        line.encode()
    except UnicodeEncodeError:
        line = json.dumps(value)
    return f"{line}\n"


_TRAILING = re.compile(r",(?=\s*[}\]])")
_CURLY = re.compile(r"(?<=[{\[,:\s])[“”„‟]|[“”](?=\s*[,:}\]])")
_SINGLE = re.compile(r"(?<=[{\[,:\s])'|'(?=\s*[,:}\]])")
_CLOSING = {"{": "}", "[": "]"}
_OPENING = re.compile(r"[{\[]")
_PARTS = re.compile(r'"(?:\\.|[^"\\])*"?|[{}\[\]]', re.DOTALL)
"""Strings, which may have brackets in them, and brackets."""


def read_json(reply: str) -> Any:
    """The longest object or list of a model's reply that can be read.

    Quotes and commas are mended only where it cannot be read as it is. What stands inside something that breaks off is
    not taken for the whole. Raises `ValueError`, in words for the model.
    """
    spans = sorted(outermost(reply), key=lambda span: span[0] - span[1])
    if not spans:
        raise ValueError("it is empty" if not reply.strip() else "there is no JSON in it")
    for start, end in spans:
        part = reply[start:end]
        for form in (part, _SINGLE.sub('"', _CURLY.sub('"', _TRAILING.sub("", part)))):
            try:
                return json.loads(form, strict=False)
            except (ValueError, RecursionError):
                continue
    raise ValueError("it is no valid JSON")


def outermost(text: str) -> Iterator[Span]:
    """Spans of the objects and lists that stand in no other, by their brackets outside of double quotes.

    Raises `ValueError` where the last one has no end.
    """
    end = 0
    while begun := _OPENING.search(text, end):
        expected: list[str] = []
        for part in _PARTS.finditer(text, begun.start()):
            if part[0] in _CLOSING:
                expected.append(_CLOSING[part[0]])
            elif part[0] == expected[-1]:
                expected.pop()
            if not expected:
                break
        else:
            raise ValueError("it breaks off before its end")
        end = part.end()
        yield begun.start(), end

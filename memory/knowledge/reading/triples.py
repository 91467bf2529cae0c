"""A file of triples: JSON, a list of lists of three texts: `[["lokesh kanagaraj", "directed", "film"]]`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memory.errors import Unreadable
from memory.knowledge.reading.plain import decode
from memory.knowledge.reading.source import Failure, clean, shown
from memory.knowledge.triples import Triple


def read_triples(path: Path) -> Iterator[Triple | Failure]:
    """The triples in their order, and at the end, counted, the entries that are none. A number stands for a text.

    Raises `Unreadable` for what is not a list in JSON, and `OSError`.
    """
    bad: list[int] = []
    for number, entry in enumerate(_entries(path), 1):
        parts = [clean(str(part)) for part in entry if _is_text(part)] if isinstance(entry, list) else []
        if len(parts) == 3 == len(entry) and all(part.strip() for part in parts):
            yield Triple(*parts)
        else:
            bad.append(number)
    if bad:
        yield Failure(
            shown(path), f"{len(bad)} of its entries are not three texts, the first is entry {bad[0]}", len(bad)
        )


def _entries(path: Path) -> list[Any]:
    try:
        entries = json.loads(decode(path.read_bytes()))
    except json.JSONDecodeError as error:
        raise Unreadable(f"not JSON: {error.msg} (line {error.lineno}, column {error.colno})") from error
    except (ValueError, RecursionError) as error:
        raise Unreadable("JSON that is too deep or too large to be read") from error
    if not isinstance(entries, list):
        raise Unreadable("not a list of triples")
    return entries


def _is_text(part: object) -> bool:
    return isinstance(part, str | int | float) and not isinstance(part, bool)

"""JSON that is no list of triples: its keys and values in lines, a list of records as a table, an exported chat as its
messages."""

import json
from collections.abc import Iterator
from typing import Any

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders.chats import messages_of, people_beside, write_messages
from clew.memory.knowledge.loaders.layout import TextLayout
from clew.memory.knowledge.loaders.plain_text import decode, title_of_file
from clew.memory.knowledge.loaders.source import Loader, Source
from clew.memory.text import clean

DEEPEST = 20
"""Values in values, below which what is left stands as it is written."""


def read_json(source: Source) -> Iterator[Document]:
    """One document. Raises `Unreadable` for what is no JSON, and where nothing is in it."""
    try:
        data = json.loads(decode(source.path.read_bytes()))
    except json.JSONDecodeError as error:
        raise Unreadable(f"not JSON: {error.msg} (line {error.lineno}, column {error.colno})") from error
    except (ValueError, RecursionError) as error:
        raise Unreadable("JSON that is too deep or too large to be read") from error
    layout, title = TextLayout(), title_of_file(source.path)
    messages = messages_of(data, people_beside(source.path))
    if messages:
        write_messages(layout, messages)
        named = data.get("name") if isinstance(data, dict) else f"#{source.path.parent.name}, {source.path.stem}"
        title = clean(str(named)) if named else title
    else:
        _write(layout, data, 1)
    yield layout.document(source, title, date=messages[-1][0][:10] if messages else "")


def _write(layout: TextLayout, data: Any, level: int) -> None:
    if isinstance(data, dict) and level < DEEPEST:
        for key, value in sorted(data.items(), key=lambda one: isinstance(one[1], dict | list)):  # plain ones first
            if isinstance(value, dict | list):
                layout.heading(clean(str(key)), level)
                _write(layout, value, level + 1)
            else:
                layout.item(f"{clean(str(key))}: {_said(value)}")
    elif isinstance(data, list) and all(isinstance(one, dict) for one in data) and data:
        heads = list(dict.fromkeys(key for one in data for key in one))
        layout.table([list(map(clean, heads)), *([_said(one.get(key, "")) for key in heads] for one in data)], first=0)
    elif isinstance(data, list) and level < DEEPEST:
        for one in data:
            layout.item(_said(one))
    else:
        layout.words(_said(data))


def _said(value: Any) -> str:
    return clean(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


JSON = Loader("json", read_json, (".json",))

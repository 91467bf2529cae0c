"""Exported chats: each message is an item of a list, with its time and who wrote it, so that it is quoted whole.

WhatsApp writes a text file, Signal and other programs one like it, Telegram and Slack write JSON.
"""

import html
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders.layout import TextLayout
from clew.memory.knowledge.loaders.plain_text import decode, guessed, title_of_file
from clew.memory.knowledge.loaders.source import Loader, Source
from clew.memory.text import clean

BEGINNING, LOOKED_AT, LEAST = 1 << 14, 50, 0.5
"""Bytes by which a chat is known, lines of them, and the share of those that begin a message."""

_DATE = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
_TIME = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\.\d+)?(?:[\s\u202f]?[AaPp]\.?[Mm]\.?)?"
_MESSAGE = re.compile(rf"\u200e?\[?({_DATE}),?[ T]({_TIME})\]?(?: -|:)? (?:([^:\n]{{1,60}}): )?(.*)")
"""`[12/03/24, 18:02:11] Maren: who?`, `12.03.24, 18:02 - Maren: who?`, `2024-03-12 18:02 Maren: who?`"""

MARK = "\u200e"
"""Before some lines, which are written from the left."""

_LINK = re.compile(r"<(?:[^<>|]+\|)?([^<>|]+)>")


def is_chat(path: Path) -> bool:
    try:
        lines = [line for line in _beginning(path).splitlines()[:LOOKED_AT] if line.strip()]
    except (OSError, Unreadable):
        return False
    said = [found for line in lines if (found := _MESSAGE.fullmatch(line)) and found[3]]
    return len(said) > 1 and len(said) >= LEAST * len(lines)


def _beginning(path: Path) -> str:
    with path.open("rb") as file:
        data = file.read(BEGINNING)
    return decode(data if len(data) < BEGINNING else data.rpartition(b"\n")[0])


def read_chat(source: Source) -> Iterator[Document]:
    """One document; a line that begins no message goes on in the one before."""
    layout = TextLayout()
    for line in decode(source.path.read_bytes()).splitlines():
        if _MESSAGE.fullmatch(line):
            layout.open_item("- ")
        layout.words(f" {line.lstrip(MARK)} ")
    yield layout.document(source, title_of_file(source.path))


def messages_of(data: Any, people: Mapping[str, str]) -> "list[tuple[str, str, str]]":
    """Time, sender and text of each message of an export of Telegram or Slack; none where it is another file."""
    listed = data.get("messages") if isinstance(data, dict) else data
    if not isinstance(listed, list):
        return []
    found = []
    for one in (one for one in listed if isinstance(one, dict)):
        when, text = one.get("date", one.get("ts")), one.get("text")
        sender = one.get("from") or (one.get("user_profile") or {}).get("real_name") or one.get("user")
        if isinstance(text, list):  # of Telegram: plain words, and records of what is bold or a link
            text = "".join(str(part.get("text", "")) if isinstance(part, dict) else str(part) for part in text)
        if when is None or not isinstance(text, str) or not (text.strip() and sender):
            continue
        with suppress(ValueError, OverflowError):
            seconds = float(when) if "ts" in one and "date" not in one else None
            moment = datetime.fromtimestamp(seconds, UTC) if seconds is not None else datetime.fromisoformat(str(when))
            said = html.unescape(_LINK.sub(r"\1", text)) if seconds is not None else text
            found.append((moment.strftime("%Y-%m-%d %H:%M"), people.get(str(sender), str(sender)), clean(said)))
    return found


def write_messages(layout: TextLayout, messages: "list[tuple[str, str, str]]") -> None:
    for when, who, text in messages:
        layout.item(f"{when} - {who}: {text}")


def people_beside(path: Path) -> dict[str, str]:
    """The names of people by their ids, where Slack's export has them."""
    try:
        listed = json.loads((path.parent.parent / "users.json").read_bytes())
        return {one["id"]: str(one.get("real_name") or one.get("name") or one["id"]) for one in listed}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


CHAT = Loader("chat", read_chat, (".txt",), is_chat, guesses=guessed)

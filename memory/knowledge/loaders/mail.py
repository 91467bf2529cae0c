"""Mail: a message (.eml), or a box of many (.mbox). Each is a document, and each file that is attached another one."""

import mailbox
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import EmailMessage, MIMEPart
from email.utils import parsedate_to_datetime
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders.archive import LARGEST, put
from clew.memory.knowledge.loaders.html import laid_out
from clew.memory.knowledge.loaders.layout import TextLayout
from clew.memory.knowledge.loaders.plain_text import decode
from clew.memory.knowledge.loaders.source import Loader, LoadFailure, Source, Unpacked, in_a_line, shown
from clew.memory.text import clean

NAMED = ("From", "To", "Cc", "Date", "Subject")
"""Fields that stand above the words of a message."""

LONGEST_NAME = 100
"""Characters of the name of what is attached."""


def read_mail(source: Source) -> Iterator[Document | LoadFailure | Unpacked]:
    with source.path.open("rb") as file:
        message = message_from_bytes(file.read(), policy=policy.default)
    yield from _read(source, message, source.name, shown(source.path))


def read_box(source: Source) -> Iterator[Document | LoadFailure | Unpacked]:
    """What cannot be read of a message is named, and the others are read."""
    with closing(mailbox.mbox(source.path, create=False)) as box:
        for number, key in enumerate(box.keys(), 1):
            with box.get_file(key) as file:
                message = message_from_bytes(file.read(), policy=policy.default)
            place = f"{shown(source.path)}: message {number}"
            try:
                yield from _read(source, message, f"{source.name}:{number}", place)
            except Unreadable as error:
                yield LoadFailure(place, error.message)


def _read(source: Source, message: EmailMessage, id_: str, place: str) -> Iterator[Document | LoadFailure | Unpacked]:
    fields = {name: clean(" ".join(str(said).split())) for name in NAMED if (said := _field(message, name))}
    if not fields:
        raise Unreadable("not a mail: it has none of the fields of one")
    layout, hidden = TextLayout(), ""
    for name, said in fields.items():
        layout.line()
        layout.words(f"{name}: {said}")
    layout.paragraph()
    body = message.get_body(("plain", "html"))
    text = _content(body) if body is not None else ""
    if body is not None and body.get_content_type() == "text/html":
        page, hidden = laid_out(text)
        text = page.text
    layout.verbatim(clean(text))
    date = ""
    with suppress(ValueError, TypeError):
        date = parsedate_to_datetime(fields.get("Date", "")).date().isoformat()
    title, author = fields.get("Subject", ""), in_a_line(fields.get("From", ""))
    found = layout.document(source, title, date=date, author=author, hidden_text=hidden)
    yield replace(found, id=id_, source=place)
    yield from _attached(message, Unpacked(Path(), id_, place, found.date, found.author))


def _field(message: EmailMessage, name: str) -> object:
    """None for one that is broken beyond what the parser mends."""
    with suppress(Exception):
        return message[name]
    return None


def _content(part: MIMEPart) -> str:
    try:
        return str(part.get_content())
    except (LookupError, ValueError):  # it names an encoding that there is not
        return decode(cast(bytes, part.get_payload(decode=True)) or b"")


def _attached(message: EmailMessage, held: Unpacked) -> Iterator[Unpacked]:
    """Messages that are forwarded whole are files too."""
    with TemporaryDirectory(prefix="clew-") as folder:
        for number, part in enumerate(message.iter_attachments(), 1):
            inner = part.get_content() if part.get_content_type() == "message/rfc822" else None
            data = inner.as_bytes() if inner is not None else cast(bytes, part.get_payload(decode=True))
            name = (part.get_filename() or "").replace("/", "_").lstrip(".")[-LONGEST_NAME:]
            usual = f"message {number}.eml" if inner is not None else f"attachment {number}"
            put(Path(folder), name or usual, BytesIO(data or b""), LARGEST)
        yield replace(held, folder=Path(folder))


MAIL = Loader("mail", read_mail, (".eml",))
BOX = Loader("mailbox", read_box, (".mbox",))

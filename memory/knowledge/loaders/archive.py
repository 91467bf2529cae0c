"""What holds many documents: archives, whose files are read as if they lay in a folder of that name; mail (.eml,
.mbox), where what is attached is documents of its own."""

import mailbox
import stat
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from email import policy
from email.message import EmailMessage, MIMEPart
from email.parser import BytesParser
from email.utils import parsedate_to_datetime
from io import BytesIO
from itertools import takewhile
from pathlib import Path, PurePosixPath
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import IO, cast

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders.html import laid_out, parse
from clew.memory.knowledge.loaders.layout import TextLayout
from clew.memory.knowledge.loaders.packages import BROKEN
from clew.memory.knowledge.loaders.plain_text import decode
from clew.memory.knowledge.loaders.source import LoadFailure, Source, Unpacked, shown
from clew.memory.text import clean, storable

MOST, LARGEST = 10_000, 256 << 20  # files that an archive may have, and bytes that they may have together
NAMED = ("From", "To", "Cc", "Date", "Sent", "Subject")  # fields that stand above the words of a message
LONGEST_NAME = 100  # characters of the name of what is attached


def read_archive(source: Source) -> Iterator[Unpacked]:
    """Its files. Raises `Unreadable` for what is no archive, or a larger one than may be."""
    count = size = 0
    with TemporaryDirectory(prefix="clew-") as folder:
        try:
            for name, bytes_, held in _held(source.path):
                count, size = count + 1, size + bytes_
                if count > MOST or size > LARGEST:
                    most = f"{MOST:,} files or {LARGEST >> 20} MiB"
                    raise Unreadable(f"an archive of more than {most}: unpack it, and index the folder")
                _put(Path(folder), name, held)
        except (*BROKEN, tarfile.TarError, NotImplementedError) as error:
            raise Unreadable(f"not a whole archive: {error}") from error
        yield Unpacked(Path(folder), source.name, shown(source.path))


def _held(path: Path) -> Iterator[tuple[str, int, IO[bytes]]]:
    """Name, size and content of each file."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as zipped:
            for one in zipped.infolist():
                if one.flag_bits & 1:
                    raise Unreadable("an archive with a password")
                if not one.is_dir() and not stat.S_ISLNK(one.external_attr >> 16):
                    yield one.filename, one.file_size, zipped.open(one)
    else:
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isfile() and (held := archive.extractfile(member)):
                    yield member.name, member.size, held


def _put(folder: Path, name: str, held: IO[bytes]) -> None:
    """Within the folder, whatever the name says. `zipfile` and `tarfile` read no more than a file is said to have."""
    parts = [storable(part) for part in PurePosixPath(name.replace("\\", "/")).parts if part not in ("/", "..")]
    path = folder.joinpath(*parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        copyfileobj(held, file)


_message = BytesParser(policy=policy.default).parse


def read_mail(source: Source) -> Iterator[Document | LoadFailure | Unpacked]:
    with source.path.open("rb") as file:
        yield from _read(source, _message(file), source.name, shown(source.path))


def read_box(source: Source) -> Iterator[Document | LoadFailure | Unpacked]:
    """What cannot be read of a message is named, and the others are read."""
    with closing(mailbox.mbox(source.path, _message, create=False)) as box:  # type: ignore[arg-type] # its own kind
        for number, message in enumerate(cast(Iterable[EmailMessage], box), 1):
            place = f"{shown(source.path)}: message {number}"
            try:
                yield from _read(source, message, f"{source.name}:{number}", place)
            except Unreadable as error:
                yield LoadFailure(place, error.message)


def _read(source: Source, message: EmailMessage, id_: str, place: str) -> Iterator[Document | LoadFailure | Unpacked]:
    fields = {name: clean(" ".join(str(said).split())) for name in NAMED if (said := _field(message, name))}
    if not fields:
        raise Unreadable("not a mail: it has none of the fields of one")
    text, hidden = "", list[str]()
    if (body := message.get_body(("plain", "html"))) is not None:
        text = _content(body)
        if body.get_content_type() == "text/html":
            page = laid_out(parse(text))
            text, hidden = page.text, page.hidden
    found = mail(source, fields, clean(text), hidden)
    yield replace(found, id=id_, source=place)
    with TemporaryDirectory(prefix="clew-") as folder:
        for number, part in enumerate(message.iter_attachments(), 1):
            _put(Path(folder), *_attached(part, number))
        yield Unpacked(Path(folder), id_, place, found.date, found.author)


def mail(source: Source, fields: Mapping[str, str], text: str, hidden: Sequence[str] = ()) -> Document:
    """A message, with its fields above its text."""
    layout, date = TextLayout(), ""
    layout.hidden = list(hidden)
    layout.verbatim("\n".join(f"{name}: {said}" for name, said in fields.items()))
    layout.verbatim(text)
    with suppress(ValueError, TypeError):
        date = parsedate_to_datetime(fields.get("Date", fields.get("Sent", ""))).date().isoformat()
    return layout.document(source, fields.get("Subject", ""), date=date, author=fields.get("From", ""))


def head_of_mail(text: str) -> tuple[dict[str, str], str]:
    """The fields of a message that was copied into a text, and what stands below; none where another text begins."""
    lines = text.lstrip().split("\n")
    head = [line.partition(":") for line in takewhile(lambda line: line.partition(":")[0] in NAMED, lines)]
    fields = {name: said.strip() for name, _, said in head}
    return (fields, "\n".join(lines[len(head) :])) if {"From", "Subject"} <= fields.keys() else ({}, text)


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


def _attached(part: EmailMessage, number: int) -> tuple[str, IO[bytes]]:
    """Name and content. A message that is forwarded whole is a file too."""
    name = (part.get_filename() or "").replace("/", "_").lstrip(".")[-LONGEST_NAME:]
    if part.get_content_type() == "message/rfc822":
        return name or f"message {number}.eml", BytesIO(part.get_content().as_bytes())
    return name or f"attachment {number}", BytesIO(cast(bytes, part.get_payload(decode=True)) or b"")

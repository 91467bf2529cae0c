"""Text files, and the decoding that all text goes through."""

import codecs
import re
from collections.abc import Iterator
from pathlib import Path

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders.source import Loader, Source, shown
from clew.memory.text import clean

BOMS = (  # the longer ones first: that of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MARK = re.compile(r"_|-(?!\d\d(?:-\d\d)?(?!\d))|(?<!\d\d\d\d)(?<!\d\d\d\d-\d\d)-")
"""What parts words in the name of a file, but for the hyphens of a date."""

LOOKED_AT = 1 << 16
"""Bytes of a text that its encoding is told by."""

LONGEST_TITLE = 100
"""Characters of a first line that may be a title."""


def read_text(source: Source) -> Iterator[Document]:
    text = decode(source.path.read_bytes())
    yield Document(source.name, _title(text) or title_of_file(source.path), text, shown(source.path))


def decode(data: bytes) -> str:
    """UTF-8, what a byte order mark says, or as it is detected (`guessed`).

    Raises `Unreadable` where that is nothing, and for a text without words.
    """
    encoding = next((name for mark, name in BOMS if data.startswith(mark)), "") or guessed(data) or "utf-8"
    if encoding.startswith("utf-8") and b"\0" in data:
        raise Unreadable("not a text: it holds NUL bytes")
    try:
        text = clean(data.decode(encoding))
    except UnicodeDecodeError as error:
        name = encoding.removesuffix("-sig").upper()
        raise Unreadable(f"not {name} (byte {error.start}): save it as UTF-8") from error
    return not_empty(text)


def guessed(data: bytes) -> str:
    """The encoding that a text is in by its bytes, Windows-1252 where another is no more likely; empty for UTF-8, for a
    byte order mark, and for what is no text."""
    if b"\0" in data or data.startswith(tuple(mark for mark, _ in BOMS)):
        return ""
    try:
        data.decode()
        return ""
    except UnicodeDecodeError:
        from charset_normalizer import from_bytes

        found = list(from_bytes(data[:LOOKED_AT]))
    likely = [one for one in found if (one.chaos, one.coherence) == (found[0].chaos, found[0].coherence)]
    names = [name for one in likely for name in one.could_be_from_charset]
    return "cp1252" if "cp1252" in names else next((one.encoding for one in likely), "")


def not_empty(text: str) -> str:
    if not text.strip():
        raise Unreadable("empty")
    return text


def title_of_file(path: Path) -> str:
    """`moon-landing_1969.txt`: moon landing 1969; a date stays whole: `log_2024-09-03.txt`: log 2024-09-03."""
    return " ".join(_MARK.sub(" ", shown(path.with_suffix("")).rsplit("/", 1)[-1]).split())


def like_a_title(line: str) -> bool:
    return 0 < len(line) <= LONGEST_TITLE and line[-1] not in ".!?:;,…" and any(map(str.isalpha, line))


def title_of_text(text: str) -> str:
    """The first line, where it is like a title and more follows."""
    first, _, rest = text.lstrip().partition("\n")
    return " ".join(first.split()) if rest.strip() and like_a_title(first.strip()) else ""


def _title(text: str) -> str:
    """The first line, where it is like a title and stands alone: a blank or ruled line follows."""
    first, _, rest = text.lstrip().partition("\n")
    second = rest.partition("\n")[0]
    alone = not second.strip(" \t=-~*#") and rest.strip(" \t\n=-~*#") != ""
    return " ".join(first.split()) if alone and like_a_title(first.strip()) else ""


TEXT = Loader("text", read_text, (".txt", ".text", ".log"), guesses=guessed)

"""Text files, programs among them, and the decoding that all text goes through."""

import codecs
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

from clew.memory.datatypes import Document, Mark
from clew.memory.dates import found_dates
from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders.source import Source, shown
from clew.memory.text import BELOW, clean

_MARK = re.compile(r"_|-(?!\d\d(?:-\d\d)?(?!\d))|(?<!\d\d\d\d)(?<!\d\d\d\d-\d\d)-")
"""What parts words in the name of a file, but for the hyphens of a date."""

_TURN = re.compile(r"(?:\A|\n+)([A-Z]): *(?=\S)")
LONGEST_TITLE = 100  # characters of a first line that may be a title
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
LOOKED_AT = 1 << 16  # bytes of a text that its encoding is told by
BY_A_BYTE = ["cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1257", "iso8859_2", "mac_roman"]
FEW = 0.3  # share of bytes beyond ASCII below which a text is `BY_A_BYTE`, and neither Chinese nor of DOS


def decode(data: bytes) -> str:
    """UTF-8, UTF-16 with a byte order mark, or as it is detected (`guessed`). Raises `Unreadable` where it is none of
    them, and for a text without words."""
    encoding = "utf-16" if data.startswith(UTF_16) else guessed(data) or "utf-8"
    if encoding == "utf-8" and b"\0" in data:
        raise Unreadable("not a text: it holds NUL bytes")
    try:
        return not_empty(clean(data.decode(encoding)))
    except UnicodeDecodeError as error:
        raise Unreadable(f"not {encoding.upper()} (byte {error.start}): save it as UTF-8") from error


def without_marks(text: str) -> str:
    """A text of questions and answers without the letter before each (`Q: `, `A: `), where two letters take turns at
    the beginnings of lines, and most of the first have a question mark: else as it is."""
    found = list(_TURN.finditer(text))
    asked = sum("?" in text[one.end() : two.start()] for one, two in list(pairwise(found))[::2])
    take_turns = len({one[1] for one in found[::2]}) == len({one[1] for one in found[1::2]}) == 1
    if len(found) < 4 or not take_turns or found[0][1] == found[1][1] or asked < len(found) / 4:
        return text
    return _TURN.sub("\n\n", text).lstrip("\n")


def json_of(source: Source) -> Any:
    """What is in a file of JSON; raises `Unreadable` for another."""
    try:
        return json.loads(decode(source.path.read_bytes()))
    except (ValueError, RecursionError) as error:  # RecursionError: lists in lists without end
        raise Unreadable(f"not JSON: {error}") from error


def guessed(data: bytes) -> str:
    """The encoding that a text is in by its bytes, Windows-1252 where another is no more likely; empty for UTF-8, for
    UTF-16 with its mark, and for what is no text."""
    if b"\0" in data or data.startswith(UTF_16):
        return ""
    with suppress(UnicodeDecodeError):
        data.decode()
        return ""
    from charset_normalizer import from_bytes

    begin = data[:LOOKED_AT]
    few = sum(byte > 127 for byte in begin) < FEW * len(begin)
    found = list(from_bytes(begin, cp_isolation=BY_A_BYTE if few else None))
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
    dated = line[:1].islower() and bool(found_dates(line))  # `updated 5 June 2022`
    return not dated and 0 < len(line) <= LONGEST_TITLE and line[-1] not in ".!?:;,…" and any(map(str.isalpha, line))


def title_of_text(text: str, alone: bool = False) -> str:
    """The first line, where it is like a title and more follows; `alone`: behind a blank or ruled line."""
    first, _, rest = text.lstrip().partition("\n")
    if alone and rest.partition("\n")[0].strip(" \t=-~*#"):
        return ""
    more = rest.strip(" \t\n=-~*#" if alone else None)
    return " ".join(first.split()) if more and like_a_title(first.strip()) else ""


PROGRAMS = tuple(
    ".py .pyi .js .mjs .cjs .ts .tsx .jsx .java .kt .kts .scala .groovy .c .h .cc .cpp .cxx .hpp .cs .go .rs .rb .php"
    " .swift .m .mm .lua .pl .pm .r .jl .dart .hs .ml .clj .ex .exs .erl .elm .f90 .sh .bash .zsh .fish .ps1 .bat .cmd"
    " .sql .css .scss .less .vue .svelte .gradle .cmake .mk .tf .proto .graphql".split()
)
_LIKE_CODE = ".yaml .yml .toml .ini .cfg .conf .properties .adoc .asciidoc .srt .vtt .ics .vcf .bib".split()
CODE_ENDINGS = (*PROGRAMS, *_LIKE_CODE)


def read_code(source: Source) -> Iterator[Document]:
    """One document. A line at the margin that an indented one follows begins a function or a class, or a part that is
    like one; within it so does one that defines a name, with its decorators."""
    text, marks, place, margin = decode(source.path.read_bytes()), list[Mark](), 0, ""
    defining, start = _defining(source.path.name, text), -1
    for line, following in pairwise([*text.split("\n"), ""]):
        indent, below = (len(one) - len(one.lstrip()) for one in (line, following))
        start = place + indent if start < 0 else start
        if following.strip() and below > indent and any(map(str.isalpha, line)) and (not indent or place in defining):
            label = " ".join(line.split()).rstrip(" {:(")
            margin = margin if indent else label
            marks.append(Mark(start, f"{margin}{BELOW}{label}" if indent and margin else label))
        place, start = place + len(line) + 1, start if line.lstrip().startswith("@") else -1
    yield Document(source.name, source.path.name, text, shown(source.path), headings=tuple(marks))


def _defining(name: str, text: str) -> set[int]:
    """Where the lines begin that define a function or a class."""
    from pygments.lexers import get_lexer_for_filename
    from pygments.token import Name
    from pygments.util import ClassNotFound

    with suppress(ClassNotFound):
        tokens = get_lexer_for_filename(name).get_tokens_unprocessed(text)
        places = (place for place, kind, _ in tokens if kind in Name.Function or kind in Name.Class)
        return {text.rfind("\n", 0, place) + 1 for place in places}
    return set()

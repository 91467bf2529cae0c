"""Files of word processors and other markup, by what Pandoc makes of them in HTML.

What a word processor's file holds and does not show is taken out before, and kept apart: hidden, white on the page, or
too small to be read. Who wrote it, and about what, is read from it as well.
"""

import io
import math
import re
import resource
import shutil
import struct
import subprocess
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple
from zipfile import BadZipFile, ZipFile

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable, install_command
from clew.memory.knowledge.loaders.html import document_of
from clew.memory.knowledge.loaders.plain_text import decode, read_text, title_of_text
from clew.memory.knowledge.loaders.source import LONGEST_REASON, Loader, Source, in_a_line

if TYPE_CHECKING:
    from lxml.etree import _Element

FILES = {".docx": "docx", ".odt": "odt"}
MARKS = {".rst": "rst", ".org": "org", ".adoc": "asciidoc", ".tex": "latex", ".typ": "typst"}
"""Endings, and what Pandoc calls them. Markup is read as text where it is not at hand."""

SECONDS, SECONDS_PER_MIB = 4.0, 30.0
"""CPU time that Pandoc may take for a file: it takes a tenth of a second for a page."""

_ROLE = re.compile(r'(<code class="interpreted-text"[^>]*>)[~!.]?([^<]*?)(?:\s*&lt;[^<]*&gt;)?(?=</code>)')
"""``:class:`~flask.Flask` `` and ``:doc:`this </that>` ``, which Pandoc leaves to Sphinx."""

SMALLEST = 2.0
"""Points of letters that can be read."""

NARROWEST = 10
"""Of the hundred parts of a letter's width."""

_TEXTS = re.compile(r"word/(?:document|footnotes|endnotes)\d*\.xml|content\.xml")
_TOLD = ("docProps/core.xml", "meta.xml")
_STYLES = ("word/styles.xml", "content.xml", "styles.xml")
_BROKEN = (
    BadZipFile, ArithmeticError, EOFError, LookupError, OSError, RuntimeError, ValueError, struct.error, zlib.error,
)  # fmt: skip
"""What a broken archive ends in."""

_THEME_WHITE = {"background1", "light1"}
_HEXADECIMAL = re.compile(r"[0-9a-f]{6}")
UNKNOWN = "unknown"
"""Of what is below letters: the colour of a theme, or a style of tables."""

_POINTS = re.compile(r"(\d{1,4}(?:\.\d{1,4})?)pt")
_OFF = {"0", "false", "off"}


class _Look(NamedTuple):
    """Of letters: whether they are hidden, their colour, and what is painted below them; empty where it is not said."""

    hidden: bool
    colour: str
    ground: str


@cache
def pandoc() -> str:
    """The program; empty where neither the system nor the package `pypandoc-binary` has it."""
    with suppress(ImportError, OSError):
        return shutil.which("pandoc") or str(import_module("pypandoc").get_pandoc_path())
    return ""


def read_converted(source: Source) -> Iterator[Document]:
    """One document. Pandoc opens no other file and no address (`--sandbox`), within the limits of the process that
    reads. Raises `Unreadable` where it is not at hand, or stops at the file."""
    ending = source.path.suffix.lower()
    if not pandoc() and ending in MARKS:
        yield from read_text(source)
        return
    if not pandoc():
        raise Unreadable(f"it is read by Pandoc, which is not installed: {install_command('documents')}")
    data = source.path.read_bytes()
    data, hidden, *told = _without_hidden(data) if ending in FILES else (decode(data).encode(), "", "", "")
    kind = (FILES | MARKS)[ending]
    command = [pandoc(), "--sandbox", "--standalone", "--wrap=none", "--variable=pagetitle:\u00a0"]
    command += [f"--from={kind}", "--to=html"]
    limit = partial(_limited, math.ceil(SECONDS + SECONDS_PER_MIB * len(data) / 2**20))
    made = subprocess.run(command, input=data, capture_output=True, preexec_fn=limit)  # noqa: S603 no shell, no name of a file
    if made.returncode:
        why = " ".join(made.stderr.decode("utf-8", "replace").split())
        raise Unreadable(f"Pandoc cannot read it: {why[:LONGEST_REASON] or 'it takes too long or too much memory'}")
    document = document_of(source, _ROLE.sub(r"\1\2", made.stdout.decode("utf-8", "replace")))
    title = (title_of_text(document.text) if ending in FILES else "") or document.title
    author, tags = (own or other for own, other in zip(told, (document.author, document.tags), strict=True))
    hidden = "\n".join(filter(None, (hidden, document.hidden_text)))
    yield replace(document, title=title, author=author, tags=tags, hidden_text=hidden)


def _limited(seconds: int) -> None:
    """Of CPU time from now on."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def _without_hidden(data: bytes) -> tuple[bytes, str, str, str]:
    """A .docx or .odt file without the text that is not seen, that text, its author and its keywords. Raises
    `Unreadable` for another file."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    made, hidden, told = io.BytesIO(), list[str](), list["_Element"]()
    try:
        with ZipFile(io.BytesIO(data)) as file, ZipFile(made, "w") as kept:
            styles: dict[str, _Look] = {}
            for name in (one for one in file.namelist() if one in _STYLES):
                styles |= _styles(etree.fromstring(file.read(name), parser))
            for name in file.namelist():
                content = file.read(name)
                if name in _TOLD:
                    told += etree.fromstring(content, parser).iter("{*}creator", "{*}keywords", "{*}keyword")
                if _TEXTS.fullmatch(name):
                    root = etree.fromstring(content, parser)
                    hidden += _emptied(root, styles)
                    content = etree.tostring(root)
                kept.writestr(name, content)
    except (*_BROKEN, etree.XMLSyntaxError) as error:
        raise Unreadable(f"not a file of a word processor: {error}") from error
    wrote, about = ([one.text for one in told if (_name(one) == "creator") is who] for who in (True, False))
    return made.getvalue(), "\n".join(hidden), in_a_line(wrote), in_a_line(about)


def _styles(root: "_Element") -> dict[str, _Look]:
    """What the letters of each style are like, by its name."""
    found = {}
    for style in root.iter("{*}style"):
        if name := _attribute(style, "styleId") or _attribute(style, "name"):
            looks = [_look(one) for one in style]
            colour, ground = (next(filter(None, (look[part] for look in looks)), "") for part in (1, 2))
            ground = ground or (UNKNOWN if _attribute(style, "type") == "table" else "")
            found[name] = _Look(any(look.hidden for look in looks), str(colour), str(ground))
    return found


def _look(properties: "_Element") -> _Look:
    """Of `w:rPr`, `w:pPr` or `w:tcPr`, or of the `style:text-properties` and others of a style."""
    own = {_name(one): one for one in properties}
    halves, width = _told(own, "sz"), _told(own, "w")
    size = float(halves) / 2 if halves.isdigit() else 2 * SMALLEST
    points = _POINTS.fullmatch(_attribute(properties, "font-size"))
    size = float(points[1]) if points else size
    hidden = (
        ("vanish" in own and _told(own, "vanish").casefold() not in _OFF)
        or _attribute(properties, "display") == "none"
        or size < SMALLEST
        or (width.isdigit() and int(width) < NARROWEST)
    )
    said = _told(own, "color") if "color" in own else _attribute(properties, "color")
    if said == "auto" and _told(own, "color", "themeColor") in _THEME_WHITE:
        said = "white"
    return _Look(hidden, "" if said == "auto" else said, _ground(own) or _attribute(properties, "background-color"))


def _ground(own: "Mapping[str, _Element]") -> str:
    """What a highlight or a shading paints below; empty for nothing."""
    if (marked := _told(own, "highlight")) not in ("", "none"):
        return marked
    fill = _told(own, "shd", "fill")
    return fill if fill not in ("", "auto") else UNKNOWN if _told(own, "shd", "themeFill") else ""


def _told(own: "Mapping[str, _Element]", name: str, attribute: str = "val") -> str:
    """What the properties say under a name; empty for nothing."""
    return _attribute(own[name], attribute) if name in own else ""


def _emptied(root: "_Element", styles: Mapping[str, _Look]) -> Iterator[str]:
    """Take the letters of what is not seen out of a text; yields them, a piece at a time."""
    for element in [one for one in root.iter("{*}r", "{*}p", "{*}span", "{*}h") if _is_hidden(one, styles)]:
        letters = [one for one in element.iter() if one.text]
        if said := " ".join("".join(one.text or "" for one in letters).split()):
            yield said
        for one in letters:
            one.text = ""
        for one in element.iterdescendants():
            one.tail = ""


def _is_hidden(element: "_Element", styles: Mapping[str, _Look]) -> bool:
    """By its own look, else by that of what it lies within; of paragraphs that have runs, these are asked."""
    from clew.memory.knowledge.loaders.css import alike, colour

    if _name(element) == "p" and next(element.iterchildren("{*}r", "{*}pPr"), None) is not None:
        return False
    looks = [look for one in (element, *element.iterancestors()) for look in _looks_of(one, styles)]
    letters = next((look.colour for look in looks if look.colour), "")
    below = next((look.ground for look in looks if look.ground not in ("", "transparent")), "white")
    said = (f"#{it}" if _HEXADECIMAL.fullmatch(it) else it for it in (letters.lower(), below.lower()))
    one, other = map(colour, said)
    return any(look.hidden for look in looks) or bool(one and other and alike(one, other))


def _looks_of(element: "_Element", styles: Mapping[str, _Look]) -> Iterator[_Look]:
    """What it says itself, then what the styles say that it names."""
    named = [_attribute(element, "style-name")]
    for properties in element.iterchildren("{*}rPr", "{*}pPr", "{*}tcPr", "{*}tblPr"):
        if _name(properties) != "tblPr":
            yield _look(properties)
        named += [_attribute(one, "val") for one in properties.iterchildren("{*}rStyle", "{*}pStyle", "{*}tblStyle")]
    yield from (styles[name] for name in named if name in styles)


def _name(element: "_Element") -> str:
    return str(element.tag).rpartition("}")[2]


def _attribute(element: "_Element", name: str) -> str:
    return next((str(value) for key, value in element.items() if str(key).rpartition("}")[2] == name), "")


WORD = Loader("word", read_converted, tuple(FILES))
MARKUP = Loader("markup", read_converted, tuple(MARKS))

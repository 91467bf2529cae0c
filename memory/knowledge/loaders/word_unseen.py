"""What the files of word processors hold and do not show: hidden, white on the page, or too small to be read; and who
wrote them, about what."""

import io
import re
import struct
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING
from zipfile import BadZipFile, ZipFile

from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders.source import in_a_line

if TYPE_CHECKING:
    from lxml.etree import _Element

SMALLEST = 2.0
"""Points of letters that can be read."""

_TEXTS = re.compile(r"word/(?:document|footnotes|endnotes)\d*\.xml|content\.xml")
_TOLD = ("docProps/core.xml", "meta.xml")
_STYLES = re.compile(r"word/styles\.xml|content\.xml|styles\.xml")
_BROKEN = (
    BadZipFile,
    ArithmeticError,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,
    ValueError,
    struct.error,
    zlib.error,
)
"""What a broken archive ends in."""

_WHITE = {"ffffff", "#ffffff"}
_POINTS = re.compile(r"(\d{1,4}(?:\.\d{1,4})?)pt")
_OFF = {"0", "false", "off"}


def without_unseen(data: bytes) -> tuple[bytes, str, str, str]:
    """A .docx or .odt file without the text that is not seen, that text, its author and its keywords. Raises
    `Unreadable` for another file."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    made, hidden, told = io.BytesIO(), list[str](), list["_Element"]()
    try:
        with ZipFile(io.BytesIO(data)) as file, ZipFile(made, "w") as kept:
            names = [name for name in file.namelist() if _STYLES.fullmatch(name)]
            styles = set().union(*(_unseen_styles(etree.fromstring(file.read(name), parser)) for name in names))
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


def _unseen_styles(root: "_Element") -> set[str]:
    """Names of the styles whose text is not seen."""
    return {
        name
        for style in root.iter("{*}style")
        for name in [_attribute(style, "styleId") or _attribute(style, "name")]
        if name and any(map(_hides, style))
    }


def _hides(properties: "_Element") -> bool:
    """`w:rPr` of a run or style, or `style:text-properties`."""
    own = {_name(one): one for one in properties}
    halves = _attribute(own["sz"], "val") if "sz" in own else ""
    size = float(halves) / 2 if halves.isdigit() else 2 * SMALLEST
    points = _POINTS.fullmatch(_attribute(properties, "font-size"))
    size = float(points[1]) if points else size
    colour = _attribute(own["color"], "val") if "color" in own else _attribute(properties, "color")
    painted = bool({"shd", "highlight"} & own.keys()) or bool(_attribute(properties, "background-color"))
    return (
        ("vanish" in own and _attribute(own["vanish"], "val").casefold() not in _OFF)
        or _attribute(properties, "display") == "none"
        or (colour.casefold() in _WHITE and not painted)
        or size < SMALLEST
    )


def _emptied(root: "_Element", styles: set[str]) -> Iterator[str]:
    """Take the letters of what is not seen out of a text; yields them, a piece at a time."""
    for element in [one for one in root.iter("{*}r", "{*}p", "{*}span", "{*}h") if _unseen(one, styles)]:
        letters = [one for one in element.iter() if one.text]
        if said := " ".join("".join(one.text or "" for one in letters).split()):
            yield said
        for one in letters:
            one.text = ""
        for one in element.iterdescendants():
            one.tail = ""


def _unseen(element: "_Element", styles: set[str]) -> bool:
    named = {_attribute(element, "style-name")}
    for properties in element.iterchildren("{*}rPr", "{*}pPr"):
        named |= {_attribute(one, "val") for one in properties.iterchildren("{*}rStyle", "{*}pStyle")}
        if _name(properties) == "rPr" and _hides(properties):
            return True
    return bool(named & styles)


def _name(element: "_Element") -> str:
    return str(element.tag).rpartition("}")[2]


def _attribute(element: "_Element", name: str) -> str:
    return next((str(value) for key, value in element.items() if str(key).rpartition("}")[2] == name), "")

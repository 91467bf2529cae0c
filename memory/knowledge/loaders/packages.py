"""Files of zipped XML (.docx, .odt, .xlsx, .pptx): what is in them, and what they say of themselves."""

import io
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from posixpath import join, normpath
from typing import Any
from zipfile import BadZipFile, ZipFile

from lxml import etree
from lxml.etree import _Element

from clew.memory.errors import Unreadable
from clew.memory.text import clean

BROKEN = (
    BadZipFile, ArithmeticError, EOFError, LookupError, OSError, RuntimeError, ValueError, struct.error, zlib.error,
)  # fmt: skip
"""What a broken archive ends in."""

SAFE: dict[str, Any] = {"resolve_entities": False, "no_network": True, "huge_tree": True}
"""How XML of others is parsed."""


class Package(ZipFile):
    """The files of one."""

    def parsed(self, name: str) -> _Element:
        """An element without anything for a file that is not there."""
        held = name in self.namelist()
        return etree.fromstring(self.read(name), etree.XMLParser(**SAFE)) if held else etree.Element("none")

    def links(self, name: str) -> dict[str, str]:
        """The files that a file names, by the ids that it has for them."""
        folder, _, own = name.rpartition("/")
        related = self.parsed(f"{folder}/_rels/{own}.rels")
        return {one.get("Id", ""): normpath(join(f"/{folder}", one.get("Target", "")))[1:] for one in related}

    def told(self) -> tuple[str, str, str]:
        """Title, author and tags of an office program of Microsoft."""
        said = [self.parsed("docProps/core.xml").findtext(f"{{*}}{name}") for name in ("title", "creator", "keywords")]
        return clean(said[0] or ""), said[1] or "", said[2] or ""


@contextmanager
def opened(data: bytes) -> Iterator[Package]:
    """Raises `Unreadable` where anything in it is broken."""
    try:
        with Package(io.BytesIO(data)) as package:
            yield package
    except (*BROKEN, etree.XMLSyntaxError) as error:
        raise Unreadable(f"not a file of an office program: {error}") from error


def name_of(element: _Element | None) -> str:
    return "" if element is None else str(element.tag).rpartition("}")[2]


def attribute(element: _Element, name: str) -> str:
    """Whatever names it is of; empty where it is not there."""
    return next((str(value) for key, value in element.items() if str(key).rpartition("}")[2] == name), "")

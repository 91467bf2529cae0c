"""What files of zipped XML (.docx, .odt, .xlsx, .ods) hold and do not show is taken out of them: letters that are
hidden, white on the page or too small, sheets, rows and columns that are hidden. And what kreuzberg misses is put in:
comments of a text document, behind what they are about, and the cells that a merged one spans."""

import io
import re
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, NamedTuple
from zipfile import BadZipFile, ZipFile

from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders.html_hidden_text import alike, colour

if TYPE_CHECKING:
    from lxml.etree import _Element

SMALLEST = 2.0
"""Points of letters that can be read."""

NARROWEST = 10
"""Of the hundred parts of a letter's width."""

MOST_FILLED = 100_000
"""Cells of OpenDocument that a merged one is put into."""

BREAK, DEEPER = "\u2028", "\u2063"
"""What stands for the end of a line, and before an item of a list for each list that it lies in but one."""

_TEXTS = re.compile(r"word/(?:document|footnotes|endnotes|header\d*|footer\d*)\d*\.xml|content\.xml|styles\.xml")
_STYLES = ("word/styles.xml", "content.xml", "styles.xml")
BROKEN = (
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


@dataclass
class Shown:
    """A file as it is shown, the text that it hides, and what is known of the sheets of a workbook, by their names."""

    data: bytes
    hidden: str = ""
    grids: "Mapping[str, Grid]" = field(default_factory=dict)


@contextmanager
def opened(data: bytes) -> "Iterator[tuple[ZipFile, Callable[[str], _Element]]]":
    """An archive of XML, and what parses a file of it. Raises `Unreadable` where anything in it is broken."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    try:
        with ZipFile(io.BytesIO(data)) as file:
            yield file, lambda name: etree.fromstring(file.read(name), parser)
    except (*BROKEN, etree.XMLSyntaxError) as error:
        raise Unreadable(f"not a file of an office program: {error}") from error


def shown_of(data: bytes) -> Shown:
    """Raises `Unreadable` for what is no such file."""
    from lxml import etree

    made, hidden, styles = io.BytesIO(), list[str](), dict[str, list[_Look]]()
    with opened(data) as (file, parsed), ZipFile(made, "w") as kept:
        names = file.namelist()
        if "xl/workbook.xml" in names:
            book, links = map(parsed, ("xl/workbook.xml", "xl/_rels/workbook.xml.rels"))
            return Shown(data, grids=_grids(file, book, links))
        for name in (one for one in _STYLES if one in names):
            styles |= _styles(parsed(name))
        listed = parsed("word/comments.xml") if "word/comments.xml" in names else ()
        comments = {_attribute(one, "id"): one for one in listed}
        for name in names:
            content = file.read(name)
            if _TEXTS.fullmatch(name):
                root = parsed(name)
                hidden += _emptied(root, styles)
                hidden += _filled(root)
                _put_comments(root, comments)
                _mark(root)
                content = etree.tostring(root, encoding="utf-8")
            kept.writestr(name, content)
    return Shown(made.getvalue(), "\n".join(hidden))


def _styles(root: "_Element") -> dict[str, list[_Look]]:
    """What the letters of each style are like, by its name."""
    found = {}
    for style in root.iter("{*}style"):
        below = [_Look(False, "", UNKNOWN)] if _attribute(style, "type") == "table" else []
        found[_attribute(style, "styleId") or _attribute(style, "name")] = [*map(_look, style), *below]
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


def _emptied(root: "_Element", styles: Mapping[str, list[_Look]]) -> Iterator[str]:
    """Take the letters of what is not seen out of a text; yields them, a piece at a time."""
    for element in [one for one in root.iter("{*}r", "{*}p", "{*}span", "{*}h") if _is_hidden(one, styles)]:
        letters = [one for one in element.iter() if one.text]
        if said := " ".join("".join(one.text or "" for one in letters).split()):
            yield said
        for one in letters:
            one.text = ""
        for one in element.iterdescendants():
            one.tail = ""


def _is_hidden(element: "_Element", styles: Mapping[str, list[_Look]]) -> bool:
    """By its own look, else by that of what it lies within; of paragraphs that have runs, these are asked."""
    if _name(element) == "p" and next(element.iterchildren("{*}r", "{*}pPr"), None) is not None:
        return False
    looks = [look for one in (element, *element.iterancestors()) for look in _looks_of(one, styles)]
    letters = next((look.colour for look in looks if look.colour), "")
    below = next((look.ground for look in looks if look.ground not in ("", "transparent")), "white")
    said = (f"#{it}" if _HEXADECIMAL.fullmatch(it) else it for it in (letters.lower(), below.lower()))
    one, other = map(colour, said)
    return any(look.hidden for look in looks) or bool(one and other and alike(one, other))


def _looks_of(element: "_Element", styles: Mapping[str, list[_Look]]) -> Iterator[_Look]:
    """What it says itself, then what the styles say that it names."""
    named = [_attribute(element, "style-name")]
    for properties in element.iterchildren("{*}rPr", "{*}pPr", "{*}tcPr", "{*}tblPr"):
        if _name(properties) != "tblPr":
            yield _look(properties)
        named += [_attribute(one, "val") for one in properties.iterchildren("{*}rStyle", "{*}pStyle", "{*}tblStyle")]
    for name in filter(None, named):
        yield from styles.get(name, ())


def _name(element: "_Element") -> str:
    return str(element.tag).rpartition("}")[2]


def _attribute(element: "_Element", name: str) -> str:
    return next((str(value) for key, value in element.items() if str(key).rpartition("}")[2] == name), "")


# Text documents ------------------------------------------------------------------------------------------------------


def _mark(root: "_Element") -> None:
    """Put signs for what kreuzberg does not keep: where lines end, and how deep an item of a list lies."""
    from lxml.etree import SubElement

    for line in root.iter("{*}line-break", "{*}br"):
        line.tag, line.text = f"{line.tag.rpartition('}')[0]}}}{'t' if _name(line) == 'br' else 'span'}", BREAK
    for level in root.iter("{*}ilvl"):
        item, depth = next(level.iterancestors("{*}p"), None), min(int(_attribute(level, "val") or 0), 9)
        if item is not None and depth:
            run = SubElement(item, item.tag[:-1] + "r")
            SubElement(run, item.tag[:-1] + "t").text = DEEPER * depth
            item.insert(1, run)


def _put_comments(root: "_Element", comments: "Mapping[str, _Element]") -> None:
    """A paragraph for each, behind the one that it is about."""
    from lxml import etree

    for mark in list(root.iter("{*}commentReference", "{*}annotation")):
        about = next(mark.iterancestors("{*}p", "{*}h"), None)
        own = mark if _name(mark) == "annotation" else comments.get(_attribute(mark, "id"))
        if own is None or about is None or about.getparent() is None:
            continue
        who = _attribute(own, "author") or "".join(own.itertext("{*}creator"))
        said = " ".join("".join(one.itertext()) for one in own.iter("{*}p"))
        space = about.tag.rpartition("}")[0]
        paragraph = text = about.makeelement(f"{space}}}p")
        for name in ("r", "t") if mark is not own else ():
            text = etree.SubElement(text, f"{space}}}{name}")
        text.text = f"Comment by {who}: {said}" if who else f"Comment: {said}"
        about.addnext(paragraph)
        if mark is own:
            mark.clear(keep_tail=True)


def _filled(root: "_Element") -> Iterator[str]:
    """Put the words of a cell of OpenDocument into those that it covers. Yields the words of sheets and rows that are
    not shown, which go."""
    away = {
        _attribute(style, "name")
        for style in root.iter("{*}style")
        for one in style
        if _attribute(one, "display") == "false"
    }
    for table in list(root.iter("{*}table")):
        gone = [table] if _attribute(table, "style-name") in away else []
        gone += [row for row in table.iter("{*}table-row") if _attribute(row, "visibility") in ("collapse", "filter")]
        for one in gone:
            yield " ".join(" ".join(one.itertext()).split())
            one.getparent().remove(one)
        held: dict[tuple[int, int], _Element] = {}
        for number, row in enumerate(table.iter("{*}table-row")):
            place = 0
            for cell in list(row.iterchildren("{*}table-cell", "{*}covered-table-cell")):
                repeated = int(_attribute(cell, "number-columns-repeated") or 1)
                spans = (int(_attribute(cell, f"number-{side}-spanned") or 1) for side in ("rows", "columns"))
                down, right = spans
                if (down, right) != (1, 1) and down * right < MOST_FILLED:
                    held |= {(number + one, place + other): cell for one, other in product(range(down), range(right))}
                elif (number, place) in held and held[number, place] is not cell:
                    for at in range(place, place + min(repeated, MOST_FILLED)):
                        cell.addprevious(_unspanned(held.get((number, at), cell)))
                    row.remove(cell)
                place += repeated
        for cell in {id(one): one for one in held.values()}.values():
            cell.getparent().replace(cell, _unspanned(cell))


def _unspanned(cell: "_Element") -> "_Element":
    made = deepcopy(cell)
    for key in [one for one in made.keys() if str(one).endswith(("-spanned", "-columns-repeated"))]:  # noqa: SIM118
        del made.attrib[key]
    return made


# Workbooks of Excel --------------------------------------------------------------------------------------------------

_ODD = re.compile(rb"\bhidden=.(?:1|true)|<(?:\w+:)?mergeCell\b")
_CELL = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_COLUMNS = 16_384


@dataclass
class Grid:
    """What a sheet says of its cells: whether it is hidden, row and column of the first cell that holds something,
    which rows and columns are hidden, and the first and last cells of those that are merged."""

    hidden: bool = False
    first: tuple[int, int] = (1, 1)
    rows: set[int] = field(default_factory=set)
    columns: set[int] = field(default_factory=set)
    merged: list[tuple[tuple[int, int], tuple[int, int]]] = field(default_factory=list)

    def parted(self, cells: Sequence[list[str]]) -> tuple[list[tuple[int, list[str]]], str]:
        """The rows that are shown, with their numbers and with merged cells in all that they span; and the words of
        what is hidden."""
        top, left = self.first
        away = [
            cell
            for at, row in enumerate(cells, top)
            for place, cell in enumerate(row, left)
            if cell and (self.hidden or at in self.rows or place in self.columns)
        ]
        for (row, column), (bottom, right) in self.merged:
            if row < top or column < left or row - top >= len(cells) or row in self.rows or column in self.columns:
                continue
            span = slice(column - left, right - left + 1)
            for other in cells[row - top : bottom - top + 1]:
                other[span] = cells[row - top][column - left : column - left + 1] * len(other[span])
        shown = [
            (at, [cell for place, cell in enumerate(row, left) if place not in self.columns])
            for at, row in enumerate(cells, top)
            if not self.hidden and at not in self.rows
        ]
        return shown, " ".join(away)


def _grids(file: ZipFile, book: "_Element", links: "_Element") -> dict[str, Grid]:
    """By the names of the sheets."""
    targets = {one.get("Id"): one.get("Target", "").removeprefix("/xl/") for one in links}
    names, found = file.namelist(), dict[str, Grid]()
    for sheet in book.iter("{*}sheet"):
        name = f"xl/{targets.get(_attribute(sheet, 'id'))}"
        grid = _grid(file.read(name)) if name in names else Grid()
        grid.hidden = sheet.get("state") in ("hidden", "veryHidden")
        found[sheet.get("name", "")] = grid
    return found


def _grid(data: bytes) -> Grid:
    """Of a sheet where nothing is hidden or merged, which may be large, only the row of the first cell is looked at."""
    from lxml import etree

    plain, grid, cells = not _ODD.search(data), Grid(), list[tuple[int, int]]()
    tags = [f"{{*}}{name}" for name in ("c", "row", "col", "mergeCell")]
    for _, one in etree.iterparse(io.BytesIO(data), tag=tags, resolve_entities=False, no_network=True, huge_tree=True):
        is_hidden = one.get("hidden") in ("1", "true")
        match _name(one):
            case "c" if len(one) and (at := _place(one.get("r", ""))):
                cells.append(at)
                if plain:
                    break
            case "row" if is_hidden:
                grid.rows.add(int(one.get("r", 0)))
            case "col" if is_hidden:
                grid.columns |= set(range(int(one.get("min", 0)), min(int(one.get("max", 0)), _COLUMNS) + 1))
            case "mergeCell":
                first, last = (_place(end) for end in (one.get("ref") or "").rpartition(":")[::2])
                grid.merged += [(first, last)] if first and last else []
        if _name(one) != "c":
            one.clear()
    if cells:
        grid.first = cells[0][0], 1 if plain else min(column for _, column in cells)
    return grid


def _place(reference: str) -> tuple[int, int] | None:
    """Row and column of `B3`."""
    found = _CELL.fullmatch(reference)
    if found is None:
        return None
    column = 0
    for letter in found[1]:
        column = 26 * column + ord(letter) - 64
    return int(found[2]), column

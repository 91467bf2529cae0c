"""What files of zipped XML (.docx, .odt, .xlsx, .ods) hold and do not show is taken out of them: letters that are
hidden, white on the page or too small, sheets, rows and columns that are hidden. And what kreuzberg misses is put in:
comments of a text document, behind what they are about, and the cells that a merged one spans."""

import io
import re
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
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
"""Cells of a sheet that merged ones are put into."""

_TEXTS = re.compile(r"word/(?:document|footnotes|endnotes|header\d*|footer\d*)\d*\.xml|content\.xml|styles\.xml")
_STYLES = ("word/styles.xml", "content.xml", "styles.xml")
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
BROKEN = (
    BadZipFile, ArithmeticError, EOFError, LookupError, OSError, RuntimeError, ValueError, struct.error, zlib.error,
)  # fmt: skip
"""What a broken archive ends in."""

_THEME_WHITE = {"background1", "light1"}
_HEXADECIMAL = re.compile(r"[0-9a-f]{6}")
UNKNOWN = "unknown"
"""Of what is below letters: the colour of a theme, or a style of tables."""

_POINTS = re.compile(r"(\d{1,4}(?:\.\d{1,4})?)pt")
_OFF, _ON = {"0", "false", "off"}, ("1", "true")


class _Look(NamedTuple):
    """Of letters: whether they are hidden, their colour, and what is painted below them; empty where it is not said."""

    hidden: bool
    colour: str
    ground: str


@dataclass
class Shown:
    """A file as it is shown, the text that it hides, and by the names of its sheets the number of the first row."""

    data: bytes
    hidden: str = ""
    first_rows: dict[str, int] = field(default_factory=dict)
    away: dict[str, set[int]] = field(default_factory=dict)
    """The numbers of rows that are hidden."""


def shown_of(data: bytes) -> Shown:
    """Raises `Unreadable` for what is no such file."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    made, hidden = io.BytesIO(), list[str]()
    found = Shown(b"")
    try:
        with ZipFile(io.BytesIO(data)) as file, ZipFile(made, "w") as kept:
            names = file.namelist()

            def parsed(name: str) -> "_Element | None":
                return etree.fromstring(file.read(name), parser) if name in names else None

            styles: dict[str, _Look] = {}
            for name in (one for one in _STYLES if one in names):
                styles |= _styles(parsed(name))
            comments, book = parsed("word/comments.xml"), _Workbook(parsed)
            for name in names:
                is_sheet = _SHEET.fullmatch(name) and not book.is_plain(file.read(name), name)
                root = parsed(name) if _TEXTS.fullmatch(name) or is_sheet else None
                if name == "xl/workbook.xml":
                    hidden += book.drop_hidden_sheets()
                    root = book.root
                elif root is not None and _SHEET.fullmatch(name):
                    hidden += book.shown(root, name)
                elif root is not None:
                    hidden += _emptied(root, styles)
                    hidden += _filled(root)
                    _put_comments(root, comments)
                kept.writestr(name, file.read(name) if root is None else etree.tostring(root))
            found.first_rows, found.away = book.first_rows, book.away
    except (*BROKEN, etree.XMLSyntaxError) as error:
        raise Unreadable(f"not a file of an office program: {error}") from error
    found.data, found.hidden = made.getvalue(), "\n".join(hidden)
    return found


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


# Text documents ------------------------------------------------------------------------------------------------------


def _put_comments(root: "_Element", comments: "_Element | None") -> None:
    """A paragraph for each, behind the one that it is about."""
    for mark in list(root.iter("{*}commentReference", "{*}annotation")):
        about = next(mark.iterancestors("{*}p", "{*}h"), None)
        own = mark if _name(mark) == "annotation" else _with_id(comments, _attribute(mark, "id"))
        if own is None or about is None or about.getparent() is None:
            continue
        who = _attribute(own, "author") or "".join(own.itertext("{*}creator"))
        said = " ".join("".join(one.itertext()) for one in own.iter("{*}p"))
        paragraph = about.makeelement(about.tag.replace("}h", "}p"))
        text = paragraph
        if mark is not own:
            text = paragraph
            for name in ("r", "t"):
                text = text.makeelement(about.tag.replace("}p", f"}}{name}"))
                (paragraph if name == "r" else paragraph[0]).append(text)
        text.text = f"Comment by {who}: {said}" if who else f"Comment: {said}"
        about.addnext(paragraph)
        if mark is own:
            mark.clear(keep_tail=True)


def _with_id(comments: "_Element | None", id_: str) -> "_Element | None":
    its = comments.iterchildren() if comments is not None else ()
    return next((one for one in its if _attribute(one, "id") == id_), None)


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
_FIRST_CELL = re.compile(rb"<(?:\w+:)?c [^<>]*?\br=.[A-Z]+(\d{1,7})[^<>]*[^/]><")
_CELL = re.compile(r"([A-Z]{1,3})(\d{1,7})")


class _Workbook:
    def __init__(self, parsed: "Callable[[str], _Element | None]") -> None:
        self._parsed, self.root = parsed, parsed("xl/workbook.xml")
        self.first_rows: dict[str, int] = {}
        self.away: dict[str, set[int]] = {}
        links = parsed("xl/_rels/workbook.xml.rels") if self.root is not None else None
        targets = (
            {one.get("Id", ""): one.get("Target", "") for one in links if one.get("Id")} if links is not None else {}
        )
        self._sheets: dict[str, _Element] = {}
        for sheet in self.root.iter("{*}sheet") if self.root is not None else ():
            self._sheets[f"xl/{targets.get(_attribute(sheet, 'id'), '').removeprefix('/xl/')}"] = sheet
        self._words: list[str] | None = None

    def drop_hidden_sheets(self) -> Iterator[str]:
        for name, sheet in self._sheets.items():
            if sheet.get("state") in ("hidden", "veryHidden") and (root := self._parsed(name)) is not None:
                yield " ".join(filter(None, map(self._said, root.iter("{*}c"))))
                sheet.getparent().remove(sheet)

    def _said(self, cell: "_Element") -> str:
        if cell.get("t") != "s":
            return "".join(cell.itertext("{*}v", "{*}t"))
        if self._words is None:
            shared = self._parsed("xl/sharedStrings.xml")
            self._words = ["".join(one.itertext("{*}t")) for one in shared] if shared is not None else []
        return self._words[int(cell.findtext("{*}v") or 0)]

    def is_plain(self, data: bytes, name: str) -> bool:
        """Whether nothing is hidden or merged, so that a large sheet need not be taken apart."""
        if _ODD.search(data):
            return False
        if (first := _FIRST_CELL.search(data)) and name in self._sheets:
            self.first_rows[self._sheets[name].get("name", "")] = int(first[1])
        return True

    def shown(self, root: "_Element", name: str) -> Iterator[str]:
        """Yields the words of rows and columns that are not shown, which go."""
        hidden = [one for one in root.iter("{*}col") if one.get("hidden") in _ON]
        columns = [range(int(one.get("min", 0)), int(one.get("max", 0)) + 1) for one in hidden]
        cells: dict[tuple[int, int], _Element] = {}
        rows = set[int]()
        for row in root.iter("{*}row"):
            away = row.get("hidden") in _ON
            rows |= {int(row.get("r", 0))} if away else set()
            for cell in list(row):
                if (at := _place(cell.get("r", ""))) is None:
                    continue
                if away or any(at[1] in one for one in columns):
                    yield self._said(cell)
                    row.remove(cell)
                elif len(cell):
                    cells[at] = cell
        if cells:
            _fill(root, cells, columns)
            if name in self._sheets:
                called = self._sheets[name].get("name", "")
                self.first_rows[called], self.away[called] = min(cells)[0], rows


def _fill(root: "_Element", cells: "dict[tuple[int, int], _Element]", hidden: Sequence[range]) -> None:
    """Put merged cells into all that they span, as far as the sheet goes."""
    rows = {int(row.get("r", 0)): row for row in root.iter("{*}row") if row.get("hidden") not in _ON}
    low, wide = (max(at[side] for at in cells) for side in (0, 1))
    filled = 0
    for merged in list(root.iter("{*}mergeCell")):
        start, _, end = (merged.get("ref") or "").partition(":")
        first, final = _place(start), _place(end)
        if first is None or final is None or first not in cells:
            continue
        for at in product(range(first[0], min(final[0], low) + 1), range(first[1], min(final[1], wide) + 1)):
            row = rows.get(at[0])
            if at == first or row is None or any(at[1] in one for one in hidden) or filled >= MOST_FILLED:
                continue
            made, filled = deepcopy(cells[first]), filled + 1
            made.set("r", _reference(*at))
            behind = [one for one in row if (_place(one.get("r", "")) or (0, 0))[1] < at[1]]
            if (old := next((one for one in row if one.get("r") == made.get("r")), None)) is not None:
                row.remove(old)
            row.insert(len(behind), made)


def _place(reference: str) -> tuple[int, int] | None:
    """Row and column of `B3`."""
    found = _CELL.fullmatch(reference)
    if found is None:
        return None
    column = 0
    for letter in found[1]:
        column = 26 * column + ord(letter) - 64
    return int(found[2]), column


def _reference(row: int, column: int) -> str:
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{letters}{row}"

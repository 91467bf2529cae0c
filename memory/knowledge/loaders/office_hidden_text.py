"""What text documents (.docx, .odt) and .ods hold and do not show is taken out of them: letters that are hidden, white
on the page or too small, sheets and rows that are hidden. And what kreuzberg misses is put in: comments, behind what
they are about, the cells that a merged one spans, where lines end and how deep an item of a list lies."""

import io
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from itertools import product
from typing import TYPE_CHECKING, NamedTuple
from zipfile import ZipFile

from clew.memory.knowledge.loaders.html_hidden_text import alike, colour
from clew.memory.knowledge.loaders.packages import attribute, name_of, opened

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


def shown_of(data: bytes) -> tuple[bytes, str]:
    """A file as it is shown, and the text that it hides. Raises `Unreadable` for what is no such file."""
    from lxml import etree

    made, hidden, styles = io.BytesIO(), list[str](), dict[str, list[_Look]]()
    with opened(data) as package, ZipFile(made, "w") as kept:
        for name in _STYLES:
            styles |= _styles(package.parsed(name))
        comments = {attribute(one, "id"): one for one in package.parsed("word/comments.xml")}
        for name in package.file.namelist():
            content = package.file.read(name)
            if _TEXTS.fullmatch(name):
                root = package.parsed(name)
                hidden += _emptied(root, styles)
                hidden += _filled(root)
                _put_comments(root, comments)
                _mark(root)
                content = etree.tostring(root, encoding="utf-8")
            kept.writestr(name, content)
    return made.getvalue(), "\n".join(hidden)


def _styles(root: "_Element") -> dict[str, list[_Look]]:
    """What the letters of each style are like, by its name."""
    found = {}
    for style in root.iter("{*}style"):
        below = [_Look(False, "", UNKNOWN)] if attribute(style, "type") == "table" else []
        found[attribute(style, "styleId") or attribute(style, "name")] = [*map(_look, style), *below]
    return found


def _look(properties: "_Element") -> _Look:
    """Of `w:rPr`, `w:pPr` or `w:tcPr`, or of the `style:text-properties` and others of a style."""
    own = {name_of(one): one for one in properties}
    halves, width = _told(own, "sz"), _told(own, "w")
    size = float(halves) / 2 if halves.isdigit() else 2 * SMALLEST
    points = _POINTS.fullmatch(attribute(properties, "font-size"))
    size = float(points[1]) if points else size
    hidden = (
        ("vanish" in own and _told(own, "vanish").casefold() not in _OFF)
        or attribute(properties, "display") == "none"
        or size < SMALLEST
        or (width.isdigit() and int(width) < NARROWEST)
    )
    said = _told(own, "color") if "color" in own else attribute(properties, "color")
    if said == "auto" and _told(own, "color", "themeColor") in _THEME_WHITE:
        said = "white"
    return _Look(hidden, "" if said == "auto" else said, _ground(own) or attribute(properties, "background-color"))


def _ground(own: "Mapping[str, _Element]") -> str:
    """What a highlight or a shading paints below; empty for nothing."""
    if (marked := _told(own, "highlight")) not in ("", "none"):
        return marked
    fill = _told(own, "shd", "fill")
    return fill if fill not in ("", "auto") else UNKNOWN if _told(own, "shd", "themeFill") else ""


def _told(own: "Mapping[str, _Element]", name: str, of: str = "val") -> str:
    """What the properties say under a name; empty for nothing."""
    return attribute(own[name], of) if name in own else ""


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
    if name_of(element) == "p" and next(element.iterchildren("{*}r", "{*}pPr"), None) is not None:
        return False
    looks = [look for one in (element, *element.iterancestors()) for look in _looks_of(one, styles)]
    letters = next((look.colour for look in looks if look.colour), "")
    below = next((look.ground for look in looks if look.ground not in ("", "transparent")), "white")
    said = (f"#{it}" if _HEXADECIMAL.fullmatch(it) else it for it in (letters.lower(), below.lower()))
    one, other = map(colour, said)
    return any(look.hidden for look in looks) or bool(one and other and alike(one, other))


def _looks_of(element: "_Element", styles: Mapping[str, list[_Look]]) -> Iterator[_Look]:
    """What it says itself, then what the styles say that it names."""
    named = [attribute(element, "style-name")]
    for properties in element.iterchildren("{*}rPr", "{*}pPr", "{*}tcPr", "{*}tblPr"):
        if name_of(properties) != "tblPr":
            yield _look(properties)
        named += [attribute(one, "val") for one in properties.iterchildren("{*}rStyle", "{*}pStyle", "{*}tblStyle")]
    for name in filter(None, named):
        yield from styles.get(name, ())


# Text documents ------------------------------------------------------------------------------------------------------


def _mark(root: "_Element") -> None:
    """Put signs for what kreuzberg does not keep: where lines end, and how deep an item of a list lies."""
    from lxml.etree import SubElement

    for line in root.iter("{*}line-break", "{*}br"):
        line.tag, line.text = f"{line.tag.rpartition('}')[0]}}}{'t' if name_of(line) == 'br' else 'span'}", BREAK
    for level in root.iter("{*}ilvl"):
        item, depth = next(level.iterancestors("{*}p"), None), min(int(attribute(level, "val") or 0), 9)
        if item is not None and depth:
            run = SubElement(item, item.tag[:-1] + "r")
            SubElement(run, item.tag[:-1] + "t").text = DEEPER * depth
            item.insert(1, run)


def _put_comments(root: "_Element", comments: "Mapping[str, _Element]") -> None:
    """A paragraph for each, behind the one that it is about."""
    from lxml import etree

    for mark in list(root.iter("{*}commentReference", "{*}annotation")):
        about = next(mark.iterancestors("{*}p", "{*}h"), None)
        own = mark if name_of(mark) == "annotation" else comments.get(attribute(mark, "id"))
        if own is None or about is None or about.getparent() is None:
            continue
        who = attribute(own, "author") or "".join(own.itertext("{*}creator"))
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
        attribute(style, "name")
        for style in root.iter("{*}style")
        for one in style
        if attribute(one, "display") == "false"
    }
    for table in list(root.iter("{*}table")):
        gone = [table] if attribute(table, "style-name") in away else []
        gone += [row for row in table.iter("{*}table-row") if attribute(row, "visibility") in ("collapse", "filter")]
        for one in gone:
            yield " ".join(" ".join(one.itertext()).split())
            one.getparent().remove(one)
        held: dict[tuple[int, int], _Element] = {}
        for number, row in enumerate(table.iter("{*}table-row")):
            place = 0
            for cell in list(row.iterchildren("{*}table-cell", "{*}covered-table-cell")):
                repeated = int(attribute(cell, "number-columns-repeated") or 1)
                spans = (int(attribute(cell, f"number-{side}-spanned") or 1) for side in ("rows", "columns"))
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

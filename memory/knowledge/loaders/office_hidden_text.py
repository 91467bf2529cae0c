"""What text documents (.docx, .odt) and .ods hold and do not show is taken out of them: letters that are hidden, white
on the page or too small, sheets and rows that are hidden. And what kreuzberg misses is put in: comments and notes,
behind what they are about, the cells that a merged one spans, where lines end, how deep an item of a list lies, and the
signs and spaces that it leaves out of Word's words."""

import io
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from itertools import chain
from zipfile import ZipFile

from lxml import etree
from lxml.etree import _Element

from clew.memory.knowledge.loaders.html_hidden_text import is_unseen
from clew.memory.knowledge.loaders.packages import attribute, name_of, opened

SMALLEST = 4  # halves of points of letters that can be read
MOST_REPEATED = 100  # cells that one cell of OpenDocument is made into; that at a row's end may stand for 16,000
BREAK = "\u2028"  # stands for the end of a line
DEEPER = "\u2063"  # stands before an item of a list for each list that it lies in but one
SIGNS = {"&": "\ue0a1", "<": "\ue0a2", ">": "\ue0a3"}  # stand for what kreuzberg leaves out of Word's words
UNKNOWN = "background:url(x)"  # what is below letters: the colour of a theme, or a style of tables

_HEXADECIMAL = re.compile(r"[0-9a-fA-F]{6}")
_TEXTS = re.compile(r"word/(?:document|header\d*|footer\d*)\d*\.xml|content\.xml|styles\.xml")
_STYLES = ("word/styles.xml", "content.xml", "styles.xml")
_WRITTEN = {"br": BREAK, "line-break": BREAK, "tab": " ", "s": " ", "noBreakHyphen": "-"}
"""What is written for an element of a paragraph."""

_OPEN_LOOKS = ("color", "background-color", "font-size", "display")


def shown_of(data: bytes) -> tuple[bytes, str]:
    """A file as it is shown, and the text that it hides. Raises `Unreadable` for what is no such file."""
    made, hidden, styles = io.BytesIO(), list[str](), dict[str, str]()
    with opened(data) as package, ZipFile(made, "w") as kept:
        for name in _STYLES:
            styles |= _styles(package.parsed(name))
        lists = _styles_of_lists(package.parsed(_STYLES[0]))
        beside = {kind: package.parsed(f"word/{kind}s.xml") for kind in ("comment", "footnote", "endnote")}
        for root in beside.values():
            hidden += _emptied(root, styles)
        said = {f"{kind}Reference {attribute(one, 'id')}": one for kind, root in beside.items() for one in root}
        for name in package.namelist():
            content = package.read(name)
            if _TEXTS.fullmatch(name):
                root = package.parsed(name)
                hidden += _emptied(root, styles)
                hidden += _filled(root)
                _put_beside(root, said)
                _list_by_style(root, lists)
                _mark(root)
                content = etree.tostring(root, encoding="utf-8")
            kept.writestr(name, content)
    return made.getvalue(), "\n".join(hidden)


def _styles(root: _Element) -> dict[str, str]:
    """What the letters of each style are like, by its name."""
    found = {}
    for style in root.iter("{*}style"):
        below = [UNKNOWN] if attribute(style, "type") == "table" else []
        found[attribute(style, "styleId") or attribute(style, "name")] = ";".join([*below, *map(_css, style)])
    return found


def _css(properties: _Element) -> str:
    """The properties (`w:rPr`, `w:pPr`, `w:tcPr`, or `style:text-properties` and others of a style) as CSS."""
    own = {name_of(one): one for one in properties}

    def told(name: str, of: str = "val", no: str = "") -> str:
        return attribute(own[name], of).replace(no, "") if name in own else ""

    looks = {name: attribute(properties, name) for name in _OPEN_LOOKS}
    if "vanish" in own and told("vanish").casefold() not in ("0", "false", "off"):
        looks["display"] = "none"
    if told("sz").isdigit() and int(told("sz")) < SMALLEST:
        looks["font-size"] = "0"
    looks["color"] = looks["color"] or told("color", no="auto")
    ground = told("highlight", no="none") or told("shd", "fill", "auto")
    looks["background"] = ground or ("url(x)" if told("shd", "themeFill") else "")
    colours = (f"{name}:#{it}" if _HEXADECIMAL.fullmatch(it) else f"{name}:{it}" for name, it in looks.items() if it)
    return ";".join(colours)


def _emptied(root: _Element, styles: Mapping[str, str]) -> Iterator[str]:
    """Take the letters of what is not seen out of a text; yields them, a piece at a time."""
    for element in [one for one in root.iter("{*}r", "{*}p", "{*}span", "{*}h") if _is_hidden(one, styles)]:
        letters = [one for one in element.iter() if one.text]
        if said := " ".join("".join(one.text or "" for one in letters).split()):
            yield said
        for one in letters:
            one.text = ""
        for one in element.iterdescendants():
            one.tail = ""


def _is_hidden(element: _Element, styles: Mapping[str, str]) -> bool:
    """By its own look, else by that of what it lies within; of paragraphs that have runs, these are asked."""
    if name_of(element) == "p" and next(element.iterchildren("{*}r", "{*}pPr"), None) is not None:
        return False
    around = reversed([element, *element.iterancestors()])
    return is_unseen(css for one in around for css in _looks_of(one, styles))


def _looks_of(element: _Element, styles: Mapping[str, str]) -> list[str]:
    """What the styles say that it names, then what it says itself."""
    its = list(element.iterchildren("{*}tblPr", "{*}tcPr", "{*}pPr", "{*}rPr"))[::-1]
    marks = [one for properties in its for one in properties.iterchildren("{*}rStyle", "{*}pStyle", "{*}tblStyle")]
    names = filter(None, [*(attribute(one, "val") for one in marks), attribute(element, "style-name")])
    return [styles.get(name, "") for name in names] + [_css(one) for one in its if name_of(one) != "tblPr"]


def _styles_of_lists(root: _Element) -> dict[str, tuple[_Element, int]]:
    """By the ids of Word's styles that make a paragraph an item of a list, what says which list, and how deep in it:
    "List Bullet 2" is of the list of "List Bullet"."""
    styles = list(root.iterfind("{*}style/{*}pPr/{*}numPr/../.."))
    named = {"".join(attribute(name, "val") for name in one.iterchildren("{*}name")): one for one in styles}
    deeper = {
        one: (named[name[:-2]], int(name[-1]) - 1)
        for name, one in named.items()
        if name[-1:].isdecimal() and name[:-2] in named
    }
    of_lists = ((attribute(one, "styleId"), *deeper.get(one, (one, 0))) for one in styles)
    return {id_: (one.find("{*}pPr/{*}numPr"), depth) for id_, one, depth in of_lists}


def _list_by_style(root: _Element, lists: Mapping[str, tuple[_Element, int]]) -> None:
    """Kreuzberg asks the paragraph alone whether it is an item, and how deep."""
    for style in root.iter("{*}pStyle"):
        own, depth = lists.get(attribute(style, "val"), (None, 0))
        if own is not None and next(style.itersiblings("{*}numPr"), None) is None:
            style.addnext(of_list := deepcopy(own))
            level = of_list.find("{*}ilvl")
            if level is None:
                level = etree.SubElement(of_list, f"{of_list.tag[:-5]}ilvl", {f"{of_list.tag[:-5]}val": "0"})
            level.set("depth", str(depth))


def _mark(root: _Element) -> None:
    """Put signs for what kreuzberg does not keep: where lines end, and how deep an item of a list lies."""
    for one in root.iter(*(f"{{*}}{name}" for name in _WRITTEN)):
        if name_of(one.getparent()) != "tabs":  # which says where they stop
            one.text, name = _WRITTEN[name_of(one)], "t" if name_of(one.getparent()) == "r" else "span"
            one.tag = f"{one.tag.rpartition('}')[0]}}}{name}"
            one.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    for one in root.iter("{*}t"):
        one.text = (one.text or "").translate({ord(sign): put for sign, put in SIGNS.items()})
    for level in root.iter("{*}ilvl"):
        item = next(level.iterancestors("{*}p"), None)
        depth = min(int(level.get("depth") or attribute(level, "val") or 0), 9)
        if item is not None and depth:
            run = etree.SubElement(item, item.tag[:-1] + "r")
            etree.SubElement(run, item.tag[:-1] + "t").text = DEEPER * depth
            item.insert(1, run)


def _put_beside(root: _Element, said: Mapping[str, _Element]) -> None:
    """A paragraph for each comment and note, behind what it is about: of Word's kreuzberg leaves the first out."""
    marks = root.iter("{*}commentReference", "{*}footnoteReference", "{*}endnoteReference", "{*}annotation", "{*}note")
    for mark in reversed([*marks]):
        about = next(mark.iterancestors("{*}p", "{*}h"), None)
        own = mark if name_of(mark) in ("annotation", "note") else said.get(f"{name_of(mark)} {attribute(mark, 'id')}")
        if own is None or about is None or about.getparent() is None:
            continue
        who = attribute(own, "author") or "".join(own.itertext("{*}creator"))
        words = " ".join(" ".join("".join(one.itertext()) for one in own.iter("{*}p")).split())
        space = about.tag.rpartition("}")[0]
        paragraph = text = about.makeelement(f"{space}}}p")
        for name in ("r", "t") if mark is not own else ():
            text = etree.SubElement(text, f"{space}}}{name}")
        kind = "Comment" if name_of(mark) in ("annotation", "commentReference") else "Note"
        text.text = f"{kind}{who and f' by {who}'}: {words}"
        about.addnext(paragraph)
        mark.clear(keep_tail=True)
        mark.tag = f"{space}}}bookmark-start"  # which says nothing


def _filled(root: _Element) -> Iterator[str]:
    """Put the words of a cell of OpenDocument into those that it covers. Yields the words of sheets and rows that are
    not shown, which go."""
    looks = ((attribute(style, "name"), attribute(one, "display")) for style in root.iter("{*}style") for one in style)
    away = {name for name, display in looks if display == "false"}
    for table in list(root.iter("{*}table")):
        gone = [table] if attribute(table, "style-name") in away else []
        gone += [row for row in table.iter("{*}table-row") if attribute(row, "visibility") in ("collapse", "filter")]
        for one in gone:
            yield " ".join(" ".join(one.itertext()).split())
            one.getparent().remove(one)
        rows = [list(_cells(row)) for row in table.iter("{*}table-row")]
        for number, row in enumerate(rows):
            for place, cell in enumerate(row):
                down, right = (int(attribute(cell, f"number-{side}-spanned") or 1) for side in ("rows", "columns"))
                its = [below[place : place + right] for below in rows[number : number + down] if down * right > 1]
                for covered in (one for one in chain(*its) if one.getparent() is not None):  # no other covers it
                    covered.getparent().replace(covered, _unspanned(cell))


def _cells(row: _Element) -> Iterator[_Element]:
    """Each by itself, also those that one stands for."""
    for cell in list(row.iterchildren("{*}table-cell", "{*}covered-table-cell")):
        repeated = int(attribute(cell, "number-columns-repeated") or 1)
        made = [_unspanned(cell) for _ in range(repeated)] if 1 < repeated <= MOST_REPEATED else []
        for one in made:
            cell.addprevious(one)
        if made:
            row.remove(cell)
        yield from made or [cell]


def _unspanned(cell: _Element) -> _Element:
    made = deepcopy(cell)
    etree.strip_attributes(made, "{*}number-columns-spanned", "{*}number-rows-spanned", "{*}number-columns-repeated")
    return made

"""HTML, by lxml: the words of the page without what every page of a site has, blocks apart, headings marked. What is
written in other marks is read as HTML, too."""

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path

import webencodings
from lxml import etree
from lxml.html import Element, HtmlElement, HTMLParser, document_fromstring

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders.html_hidden_text import hidden_elements, own_words
from clew.memory.knowledge.loaders.layout import TextLayout
from clew.memory.knowledge.loaders.plain_text import decode, guessed, title_of_file
from clew.memory.knowledge.loaders.source import Source
from clew.memory.text import clean, word_lists

_TAGS = word_lists(Path(__file__).with_name("html.txt"))
NO_TEXT = frozenset(_TAGS["no_text"])

ENDINGS = (".html", ".htm", ".xhtml")
MARKER = "x-marker"  # an attribute: what stands before an item of a list, if not `-`
PLACE = "x-place"  # an attribute: the slide that begins with an element
DROPPED = "x-dropped"  # the name that elements get before all that are called so go

_METAS = "//head/meta[@content]"
_CHROME = " | ".join(
    [
        "//*[@aria-hidden='true']",
        *(f"//{tag}" for tag in _TAGS["chrome"]),
        *(f"//*[@role='{role}']" for role in _TAGS["chrome_roles"]),
        *(f"//*[contains(concat(' ', normalize-space(@class), ' '), ' {name} ')]" for name in _TAGS["chrome_classes"]),
    ]
)
PERMALINKS = ("¶", "#", "§")
_DATED = "@name='date' or @name='dcterms.date' or @property='article:published_time'"
AUTHOR = ("author", "article:author", "dc.creator", "dcterms.creator")
KEYWORDS = ("keywords", "article:tag", "dc.subject", "dcterms.subject")


def read_html(source: Source) -> Iterator[Document]:
    """Raises `Unreadable` where there are no words in it."""
    root = parse(_decode(source.path.read_bytes()))
    head, first = (" ".join(root.xpath(f"string({path})").split()) for path in ("//head/title", "//h1"))
    date = " ".join(root.xpath(f"string((//head/meta[{_DATED}])[1]/@content)").split())
    metas = [(one.get("name") or one.get("property") or "", one.get("content")) for one in root.xpath(_METAS)]

    def told(names: Collection[str]) -> list[str]:
        """What the head says under these names; links to who wrote it are none of it."""
        return ",".join(said for name, said in metas if name.lower() in names and "://" not in said).split(",")

    layout = laid_out(root)
    title = first if first and first in head else head or first or title_of_file(source.path)
    yield layout.document(source, title, date=date, author=told(AUTHOR), tags=told(KEYWORDS))


def parse(markup: str) -> HtmlElement:
    """Comments are gone. Raises `Unreadable` where the parser gave up half-way."""
    # Bytes, for lxml refuses text with an XML declaration; the parser's encoding goes before any that is declared.
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        root = document_fromstring(markup.encode(), parser=parser)
    except etree.ParserError:  # nothing is in it
        return Element("html")
    if parser.error_log.filter_from_fatals():
        raise Unreadable("HTML whose tags lie more than 2,000 deep in one another")
    return root


def laid_out(root: HtmlElement) -> TextLayout:
    """The words of a page that are seen, without its chrome, but with it where nothing else is there; and those that
    are not seen."""
    layout, without = TextLayout(), deepcopy(root)
    _drop_chrome(without)
    try:
        for page in (without, root):
            if not layout.text:
                layout.hidden = [_without_hidden(page)]
                _write(layout, page)
    except RecursionError as error:
        raise Unreadable("its styles are nested too deep") from error
    return layout


_POWER = re.compile(r"\s*[-+−]?\d+\s*")
_RAISED = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")  # `2<sup>31</sup>` is not 231


def _write(layout: TextLayout, root: HtmlElement) -> None:
    """Write the words of an element and all that is in it; `_without_hidden` goes first."""
    for broken in root.iter("br"):
        broken.text = "\n"
    for listed in root.iter("ol"):
        begin = listed.get("start", "").strip()
        for number, item in enumerate(listed.iterchildren("li"), int(begin) if begin.isdecimal() else 1):
            item.set(MARKER, item.get(MARKER, f"{number}. "))
    for raised in root.iter("sup"):
        if not len(raised) and _POWER.fullmatch(raised.text or ""):
            raised.text = (raised.text or "").translate(_RAISED)
    for asked in [one for one in root.iter("dt") if one.text_content().rstrip().endswith("?")]:
        asked.tag = "p"  # a question, and no term
    layouts = _tables_of_layout(root)
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        if event == "end":
            _close(layout, element)
            layout.words(element.tail or "" if element is not root else "")
        elif element.tag == "pre":
            layout.code(element.text_content())
            walk.skip_subtree()
        elif element.tag == "table" and element not in layouts:
            caption = " ".join(" ".join(one.text_content().split()) for one in element.iter("caption"))
            layout.table(grid(list(element.iter("tr"))), headed=element.find(".//th") is not None, caption=caption)
            walk.skip_subtree()
        else:
            _open(layout, element)
            layout.words(element.text or "")


def _decode(data: bytes) -> str:
    """In the encoding that the page declares, as browsers take its name, else as any text."""
    declared = webencodings.lookup(_declared(data))
    if declared and not declared.name.startswith("utf"):
        with suppress(ValueError):  # it declares what it is not
            return clean(declared.codec_info.decode(data)[0])
    return decode(data)


def _without_hidden(root: HtmlElement) -> str:
    """Drop what is hidden and what is no text for people; returns the words of what is hidden: signs that stand
    beside a heading until somebody points there are none."""
    hidden = hidden_elements(root)
    etree.strip_elements(root, *NO_TEXT, with_tail=False)
    words = (one.text_content() if whole else " ".join(filter(None, own_words(one))) for one, whole in hidden)
    said = "\n".join(" ".join(one.split()) for one in words if re.search(r"\w", one))
    for element in (one for one, whole in hidden if not whole):
        element.text = ""
        for child in element:
            child.tail = ""
    _drop(root, (one for one, whole in hidden if whole))
    return said


def _drop_chrome(root: HtmlElement) -> None:
    links = (link for heading in root.iter(*_TAGS["headings"]) for link in heading.iter("a"))
    _drop(root, [link for link in links if link.text_content().strip() in PERMALINKS])
    titled = {one for heading in root.iter("h1") for one in heading.iterancestors("header")}
    of_site = [one for one in root.xpath("//header[not(ancestor::main or ancestor::article)]") if one not in titled]
    _drop(root, [*root.xpath(_CHROME), *of_site])


def _drop(root: HtmlElement, elements: Iterable[HtmlElement]) -> None:
    """At once: one by one, each would move all text that follows."""
    for element in elements:
        if element is not root:
            element.tag = DROPPED
    etree.strip_elements(root, DROPPED, with_tail=False)


def _tables_of_layout(root: HtmlElement) -> set[HtmlElement]:
    """Those with a cell that has what no table of data has in its cells, or another row."""
    found = set[HtmlElement]()
    for one in root.iter("table", "tr", "p", *_TAGS["not_in_a_row"]):
        rows = ("tr", "td", "th") if one.tag in ("table", "tr") else ("td",)
        cell = next(one.iterancestors(*rows), None)
        if cell is not None and (one.tag != "p" or next(one.itersiblings("p", preceding=True), None) is not None):
            found.update(cell.iterancestors("table"))
    return found


def grid(rows: list[HtmlElement]) -> list[list[str]]:
    """The words of each cell, in all rows and columns that it spans."""
    made: list[dict[int, str]] = [{} for _ in rows]
    for number, row in enumerate(rows):
        place = 0
        for cell in row.iterchildren("td", "th"):
            while place in made[number]:
                place += 1
            tall, wide = (_spanned(cell.get(name, "1")) for name in ("rowspan", "colspan"))
            words = " ".join(cell.text_content().split())
            for below in made[number : number + (tall or len(rows))]:
                below.update(dict.fromkeys(range(place, place + (wide or 1)), words))
            place += wide or 1
    return [[row.get(place, "") for place in range(max(row, default=-1) + 1)] for row in made]


def _spanned(said: str) -> int:
    """How many rows or columns a cell is believed to span."""
    return min(int(said), 1_000) if said.strip().isdecimal() else 1


def _open(layout: TextLayout, element: HtmlElement) -> None:
    if place := element.get(PLACE):
        layout.page(place)
    if element.tag in _TAGS["headings"]:
        layout.open_heading()
    elif element.tag in ("ul", "ol"):
        layout.open_list()
    elif element.tag == "li":
        layout.open_item(element.get(MARKER, "- "))
    elif element.tag == "dt":
        layout.open_term()
    elif element.tag == "dd":
        layout.open_meaning()
    elif element.tag == "br":
        layout.line()
    elif element.tag in _TAGS["blocks"]:
        layout.paragraph()


def _close(layout: TextLayout, element: HtmlElement) -> None:
    if element.tag in _TAGS["headings"]:
        layout.close_heading(int(element.tag[1]))
    elif element.tag in ("ul", "ol"):
        layout.close_list()
    elif element.tag in ("li", "dd"):
        layout.close_item()
    elif element.tag in _TAGS["blocks"] or element.tag == "pre":
        layout.paragraph()


def _declared(data: bytes) -> str:
    from bs4.dammit import EncodingDetector

    return EncodingDetector.find_declared_encoding(data, is_html=True) or ""


def guessed_encoding(data: bytes) -> str:
    """As `guessed`, of a page that declares none."""
    return "" if _declared(data) else guessed(data)

"""A Wikipedia dump, the XML that MediaWiki exports (`*-pages-articles.xml.bz2`): a document for each article, its
first paragraph; the links between articles are edges. One page at a time is in memory.

Links, categories and the words before the first heading are found by their brackets and marks, which takes a hundredth
of the time of parsing a page.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote

from lxml import etree
from lxml.etree import _Element

from clew.memory.datatypes import Document, Edge
from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders.jsonl import BROKEN_ZIP, unzipped
from clew.memory.knowledge.loaders.packages import SAFE, name_of
from clew.memory.knowledge.loaders.source import Item, LoadFailure, Pages, Source, in_a_line, reason, shown
from clew.memory.text import clean

ENDINGS = (".xml", ".xml.bz2", ".xml.gz")
LINKS_TO = "links to"
BEGINNING = 1 << 16  # bytes in which the root element of a dump begins
DEEPEST = 40  # templates in templates

Namespaces = Mapping[str, int]
CATEGORY = 14
NAMESPACES: Namespaces = {"category": CATEGORY, "file": 6, "image": 6}
"""What every wiki knows, in small letters, beside the names in its own language, which a dump lists; 0 is the namespace
of articles."""

NO_LINKS = re.compile(
    r"<!--.*?(?:-->|\Z)|<(nowiki|ref|math|pre|syntaxhighlight|source|gallery|timeline|score|style|imagemap|chem)\b[^<>]*(?:(?<!/)>.*?(?:</\1\s*>|\Z)|/>)",
    re.DOTALL | re.IGNORECASE,
)
"""Comments, references and what is not wikitext."""

LINK = re.compile(r"\[\[([^\[\]{}|<>\n]+)(?:\||\]\])")
HEADING = re.compile(r"^==[^=\n].*?==\s*$", re.MULTILINE)
AMBIGUOUS = re.compile(
    r"\{\{\s*+(?:disambig\w*|dab|hndis|geodis|mil-unit-dis|(?:[\w -]+ )?disambiguation|Begriffsklärung|homonymie"
    r"|desambiguación|desambiguação|disambigua|doorverwijspagina)\s*(?:\||\}\})|__DISAMBIG__",
    re.IGNORECASE,
)
INNERMOST = re.compile(r"\{\{[^{}]*\}\}|\{\|[^{}]*\|\}|\[\[([^\[\]]*)\]\]")  # a template, table or link with none in it

NO_WORDS = [
    (re.compile(r"<table\b.*?(?:</table\s*>|\Z)", re.DOTALL | re.IGNORECASE), ""),
    (re.compile(r"<br\s*/?>", re.IGNORECASE), " "),
    (re.compile(r"</?[A-Za-z][^<>]*>"), ""),
    (re.compile(r"'{2,}|^[*#:;]+", re.MULTILINE), ""),
]
"""Of HTML, of bold and slanted letters and of lists."""

ELSEWHERE = re.compile(r"\[(?:\w+:)?//[^\s\[\]]+\s*([^\[\]\n]*)\]")  # a link to another site

DIRECTIONS = dict.fromkeys(map(ord, "\u200e\u200f\u202a\u202b\u202c\u202d\u202e"))
LEFT_OF_TEMPLATES = [
    (re.compile(r"\s*\([\s,;:]*\)"), ""),
    (re.compile(r"\(\s*(?:[,;]\s*)*"), "("),
    (re.compile(r"\s+([,.;:)])"), r"\1"),
]  # `Moon (, ) is`


@dataclass(frozen=True)
class Article:
    """An article: a page of namespace 0, the last of its revisions. `target` is the title that it redirects to."""

    title: str
    text: str
    target: str
    namespaces: Namespaces

    @cached_property
    def paragraph(self) -> str:
        """Its title where there is none: a list, a page without words."""
        return first_paragraph(self.text, self.namespaces) or self.title

    @cached_property
    def linked(self) -> list[tuple[int, str]]:
        return list(linked(self.text, self.namespaces))

    @property
    def categories(self) -> list[str]:
        """The categories that the page puts itself into; what its templates add is not seen."""
        return [title for namespace, title in self.linked if namespace == CATEGORY]

    def is_document(self, pages: Pages) -> bool:
        """No disambiguation, and one of these pages."""
        if self.title.endswith("(disambiguation)") or AMBIGUOUS.search(self.text):
            return False
        wanted = {title_of(name.rpartition(":")[2]).casefold() for name in pages.categories}
        said = (re.escape(" ".join(clean(word).split())) for word in pages.keywords)
        return (
            not pages
            or not wanted.isdisjoint(map(str.casefold, self.categories))
            or any(re.search(rf"(?<!\w){it}(?!\w)", f"{self.title}\n{self.paragraph}", re.IGNORECASE) for it in said)
        )


def is_dump(path: Path) -> bool:
    """Whether a file is a dump, by its root element. One that cannot be opened counts as one: reading it says why."""
    try:
        with unzipped(path) as file:
            _, root = next(etree.iterparse(BytesIO(file.read(BEGINNING)), events=("start",), **SAFE))
            return name_of(root) == "mediawiki"
    except etree.XMLSyntaxError:
        return False
    except (OSError, *BROKEN_ZIP):
        return True


def read_dump(source: Source) -> Iterator[Item]:
    """The articles that `source.pages` choose, no redirects and no disambiguations; their ids are their titles. What
    ends the file too early comes after the good pages. Then the links between them, each once a page; one to a redirect
    goes where that leads. Raises `Unreadable` where nothing is chosen.

    The dump is read twice: titles and redirects stay in memory for the links.
    """
    place, titles, redirects = shown(source.path), set[str](), dict[str, str]()
    page: Article | LoadFailure | None = None
    for page in _pages(source.path):
        if isinstance(page, LoadFailure):
            yield page
        elif page.target:
            redirects[page.title] = page.target
        elif page.is_document(source.pages):
            titles.add(page.title)
            yield Document(page.title, page.title, page.paragraph, place, tags=in_a_line(page.categories))
    if not titles and not isinstance(page, LoadFailure):
        raise Unreadable(f"no article for {source.pages}" if source.pages else "no article in it")
    for page in _pages(source.path):
        if isinstance(page, Article) and page.title in titles and not page.target:
            ends = dict.fromkeys(_resolved(title, redirects) for namespace, title in page.linked if not namespace)
            yield from (Edge(page.title, end, LINKS_TO) for end in ends if end in titles and end != page.title)


def _resolved(title: str, redirects: Mapping[str, str]) -> str:
    """Where a chain of redirects ends; in a loop, a page of it, which is no document."""
    seen = set[str]()
    while title in redirects and title not in seen:
        seen.add(title)
        title = redirects[title]
    return title


def _pages(path: Path) -> Iterator[Article | LoadFailure]:
    namespaces, last = NAMESPACES, ""
    try:
        with unzipped(path) as file:
            for _, element in etree.iterparse(file, tag=("{*}siteinfo", "{*}page"), **SAFE):
                if name_of(element) == "siteinfo":
                    given = element.iterfind(".//{*}namespace")
                    named = {one.text.lower(): int(one.get("key", "0")) for one in given if one.text}
                    namespaces = {**NAMESPACES, **named}
                elif page := _page(element, namespaces):
                    last = page.title
                    yield page
                element.clear()  # the tree of a whole dump has room nowhere
                while (before := element.getprevious()) is not None:
                    before.getparent().remove(before)
    except (etree.XMLSyntaxError, OSError, *BROKEN_ZIP) as error:
        where = f"after the page '{last}'" if last else "before its first article"
        yield LoadFailure(shown(path), f"broken or cut off {where}: {reason(error)}")


def _page(element: _Element, namespaces: Namespaces) -> Article | None:
    """None for a page that is no article."""
    title = element.findtext("{*}title")
    if not title or element.findtext("{*}ns") != "0":
        return None
    texts = element.findall("{*}revision/{*}text")
    text = (texts[-1].text or "") if texts else ""
    redirect = element.find("{*}redirect")
    target = redirect.get("title", "") if redirect is not None else ""
    return Article(title_of(title), clean(text), title_of(target), namespaces)


def title_of(link: str) -> str:
    """The title that a link's target stands for: without its section, underscores and spaces one, first letter capital;
    empty where only a section is named."""
    target = unescape(unquote(link) if "%" in link else link).partition("#")[0]
    title = " ".join(clean(target).translate(DIRECTIONS).replace("_", " ").split())
    first = title[:1].upper()
    return first + title[1:] if len(first) == 1 else title


def _namespace(link: str, namespaces: Namespaces) -> tuple[int, str]:
    """The number of a link's namespace, and the rest of its target."""
    target = link.strip().removeprefix(":")
    prefix, _, rest = target.partition(":")
    known = namespaces.get(" ".join(prefix.replace("_", " ").lower().split()), 0)
    return (known, rest) if known else (0, target)


def linked(text: str, namespaces: Namespaces) -> Iterator[tuple[int, str]]:
    """Where the links of a page lead: the numbers of the namespaces, and titles. A link that only speaks of a category
    or a file (`[[:Category:Moons]]`) is left out."""
    for found in LINK.finditer(NO_LINKS.sub("", text)):
        namespace, target = _namespace(found[1], namespaces)
        if not (namespace and found[1].lstrip().startswith(":")):
            yield namespace, title_of(target)


def first_paragraph(text: str, namespaces: Namespaces) -> str:
    """The first paragraph with words before any heading, on one line: without templates, tables, references, files
    and categories; empty where there is none."""

    def label(found: re.Match[str]) -> str:
        target, _, named = (found[1] or "").partition("|")
        is_shown = target.lstrip().startswith(":") or _namespace(target, namespaces)[0] == 0
        return (named or target.strip().removeprefix(":")) if is_shown else ""

    lead = HEADING.split(NO_LINKS.sub("", text), maxsplit=1)[0]
    for _ in range(DEEPEST):
        lead, changed = INNERMOST.subn(label, ELSEWHERE.sub(r"\1", lead))
        if not changed:
            break
    lead = _replaced(lead, NO_WORDS)
    lines = (" ".join(paragraph.split()) for paragraph in clean(unescape(lead)).split("\n\n"))
    tidied = (_replaced(line, LEFT_OF_TEMPLATES) for line in lines if not re.fullmatch(r"__[A-Z]+__", line))
    return next((line.strip() for line in tidied if any(map(str.isalpha, line))), "")


def _replaced(text: str, marks: list[tuple[re.Pattern[str], str]]) -> str:
    for mark, instead in marks:
        text = mark.sub(instead, text)
    return text

"""A Wikipedia dump, the XML that MediaWiki exports (`*-pages-articles.xml.bz2`): a document for each article, its
first paragraph; the links between articles are edges. One page at a time is in memory.
"""

import bz2
import gzip
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from clew.memory.datatypes import Document, Edge
from clew.memory.errors import Unreadable
from clew.memory.knowledge.pages import Pages
from clew.memory.knowledge.reading.source import Failure, Source, clean, reason, shown
from clew.memory.knowledge.reading.wikitext import (
    NAMESPACES,
    Wiki,
    categories,
    first_paragraph,
    is_disambiguation,
    links,
    redirect_of,
)

if TYPE_CHECKING:
    from lxml.etree import _Element

LINKS_TO = "links to"
BEGINNING = 1 << 16
"""Bytes in which the root element of a dump begins."""

BROKEN_ZIP = (EOFError, zlib.error, gzip.BadGzipFile)
_ROOT = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>]*>)\s*)*<mediawiki[\s>]", re.DOTALL)


@dataclass(frozen=True)
class Page:
    """An article: a page of namespace 0, the last of its revisions. `target` is the title that it redirects to."""

    title: str
    text: str
    target: str
    wiki: Wiki

    @cached_property
    def paragraph(self) -> str:
        """Its title where there is none: a list, a page without words."""
        try:
            return first_paragraph(self.text, self.wiki) or self.title
        except ValueError:
            return self.title

    @cached_property
    def is_document(self) -> bool:
        return not self.target and not is_disambiguation(self.title, self.text)


def is_dump(path: Path) -> bool:
    """By its root element. One that cannot be opened or unzipped may be one: reading it says why."""
    try:
        with _opened(path) as file:
            return bool(_ROOT.match(file.read(BEGINNING)))
    except (OSError, *BROKEN_ZIP):
        return True


def read_dump(source: Source) -> Iterator[Document | Failure]:
    """The articles that `source.pages` choose, no redirects and no disambiguations; their ids are their titles. What
    ends the file too early is told after the good pages. Raises `Unreadable` where nothing is chosen."""
    place, articles, chosen = shown(source.path), 0, _Choice(source.pages)
    for page in _pages(source.path):
        if isinstance(page, Failure):
            yield page
            articles += 1
        elif page.is_document and chosen.has(page):
            articles += 1
            yield Document(page.title, page.title, page.paragraph, place)
    if not articles:
        raise Unreadable(f"no article for {source.pages}" if source.pages else "no article in it")


def read_links(source: Source) -> Iterator[Edge]:
    """The links between the articles that are documents, each once a page; one to a redirect goes where that leads.

    The dump is read twice: titles and redirects, which stay in memory, then the links.
    """
    chosen, titles, redirects = _Choice(source.pages), set(), {}
    for page in _good_pages(source.path):
        if page.target:
            redirects[page.title] = page.target
        elif page.is_document and chosen.has(page):
            titles.add(page.title)
    for page in _good_pages(source.path):
        if page.title in titles and not page.target:
            ends = dict.fromkeys(_resolved(title, redirects) for title in links(page.text, page.wiki))
            yield from (Edge(page.title, end, LINKS_TO) for end in ends if end in titles and end != page.title)


def _resolved(title: str, redirects: Mapping[str, str]) -> str:
    """Where a chain of redirects ends; in a loop, a page of it, which is no document."""
    seen = set()
    while title in redirects and title not in seen:
        seen.add(title)
        title = redirects[title]
    return title


class _Choice:
    """`Pages`, made ready to be asked of many."""

    def __init__(self, pages: Pages) -> None:
        self._all = not pages
        self._categories = {_key(name.rpartition(":")[2]) for name in pages.categories}
        words = "|".join(r"\s+".join(map(re.escape, clean(word).split())) for word in pages.keywords)
        self._words = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) if words else None

    def has(self, page: Page) -> bool:
        if self._all or (
            self._categories and self._categories.intersection(map(_key, categories(page.text, page.wiki)))
        ):
            return True
        return self._words is not None and any(map(self._words.search, (page.title, page.paragraph)))


def _key(category: str) -> str:
    return " ".join(clean(category).replace("_", " ").split()).casefold()


def _good_pages(path: Path) -> Iterator[Page]:
    return (page for page in _pages(path) if isinstance(page, Page))


def _pages(path: Path) -> Iterator[Page | Failure]:
    from lxml import etree

    wiki, last = Wiki(), ""
    try:
        with _opened(path) as file:
            tags = ("{*}siteinfo", "{*}page")
            for _, element in etree.iterparse(file, tag=tags, resolve_entities=False, no_network=True, huge_tree=True):
                if etree.QName(element).localname == "siteinfo":
                    wiki = _wiki(element)
                elif page := _page(element, wiki):
                    last = page.title
                    yield page
                _forget(element)
    except etree.XMLSyntaxError as error:
        yield Failure(shown(path), f"broken or cut off {_after(last)} ({error.msg})")
    except BROKEN_ZIP as error:
        yield Failure(shown(path), f"the zipped file is broken or cut off {_after(last)} ({error})")
    except OSError as error:
        yield Failure(shown(path), f"{reason(error)}, {_after(last)}" if last else reason(error))


def _opened(path: Path) -> IO[bytes]:
    name = path.name.lower()
    if name.endswith(".bz2"):
        return cast(IO[bytes], bz2.open(path))
    return cast(IO[bytes], gzip.open(path)) if name.endswith(".gz") else path.open("rb")


def _after(last: str) -> str:
    return f"after the page '{last}'" if last else "before its first article"


def _forget(element: "_Element") -> None:
    """Free what was read: the tree of a whole dump has room nowhere."""
    element.clear()
    while (before := element.getprevious()) is not None:
        before.getparent().remove(before)


def _wiki(siteinfo: "_Element") -> Wiki:
    named = {(one.text or "").lower(): int(one.get("key", "0")) for one in siteinfo.iterfind(".//{*}namespace")}
    named.pop("", None)
    return Wiki({**NAMESPACES, **named}, siteinfo.findtext("{*}case") != "case-sensitive")


def _page(element: "_Element", wiki: Wiki) -> Page | None:
    """None for a page that is no article."""
    title, namespace = element.findtext("{*}title"), element.findtext("{*}ns")
    if not title or (namespace or str(wiki.namespace(title)[0])) != "0":
        return None
    texts = element.findall("{*}revision/{*}text")
    text = (texts[-1].text or "") if texts else ""
    redirect = element.find("{*}redirect")
    target = redirect.get("title", "") if redirect is not None else redirect_of(text)
    return Page(wiki.title(title), clean(text), wiki.title(target), wiki)

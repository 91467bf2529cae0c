"""Wikitext: the links, categories and first paragraph of a page, by mwparserfromhell; and titles as MediaWiki has them.

Links and categories are found by their brackets in the whole page, which takes a hundredth of parsing it; only the
words before the first heading are parsed.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import unquote

from clew.memory.knowledge.reading.source import clean

if TYPE_CHECKING:
    from mwparserfromhell.nodes import Node
    from mwparserfromhell.wikicode import Wikicode

CATEGORY = 14
"""The number of the namespace of categories; 0 is that of articles."""

NAMESPACES: Mapping[str, int] = {
    **{"media": -2, "special": -1, "talk": 1, "user": 2, "user talk": 3, "project": 4, "project talk": 5},
    **{"file": 6, "image": 6, "file talk": 7, "image talk": 7, "mediawiki": 8, "mediawiki talk": 9, "template": 10},
    **{"template talk": 11, "help": 12, "help talk": 13, "category": CATEGORY, "category talk": 15},
}
"""What every wiki knows beside the names in its own language, which a dump lists."""

PROJECTS = frozenset(
    "b c commons d doi foundation m mail meta mw n oeis phab q s species v voy w wikt wikibooks wikidata wikinews"
    " wikipedia wikiquote wikisource wikispecies wikiversity wikivoyage wiktionary".split()
)
"""Prefixes of links to sister projects."""

LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z]+)*|simple")
"""A prefix of a link to another language's wiki, as people write it: in lower case."""

NO_LINKS = re.compile(
    r"<!--.*?(?:-->|\Z)|<(nowiki|ref|math|pre|syntaxhighlight|source|gallery)\b[^<>]*(?:(?<!/)>.*?(?:</\1\s*>|\Z)|/>)",
    re.DOTALL | re.IGNORECASE,
)
"""Comments, references and what is not wikitext."""

LINK = re.compile(r"\[\[([^\[\]{}|<>\n]+)(?:\||\]\])")
REDIRECT = re.compile(r"\s*#\s*REDIRECT\s*:?\s*\[\[([^\[\]{}|\n]+)", re.IGNORECASE)
HEADING = re.compile(r"^==[^=\n].*?==\s*$", re.MULTILINE)
BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
AMBIGUOUS = re.compile(
    r"\{\{\s*(?:disambig\w*|dab|hndis|geodis|mil-unit-dis|(?:[\w -]+ )?disambiguation|Begriffsklärung|homonymie"
    r"|desambiguación|desambiguação|disambigua|doorverwijspagina)\s*(?:\||\}\})|__DISAMBIG__",
    re.IGNORECASE,
)
INNERMOST = re.compile(r"\{\{[^{}]*\}\}|\{\|[^{}]*\|\}")
"""A template or a table with no other in it."""

DEEPEST = 40
"""Templates in templates; the parser stops there too."""

LONGEST_LEAD = 4_000
"""Characters, without templates, that are parsed: at tags that nobody closed the parser takes quadratic time or
worse."""

DROPPED_TAGS = frozenset("ref table math gallery timeline score style imagemap chem".split())
DIRECTIONS = re.compile("[\u200e\u200f\u202a-\u202e]")
EMPTY_BRACKETS = re.compile(r"\s*\([\s,;:]*\)")
BEFORE_STOP = re.compile(r"\s+([,.;:)])")
AFTER_OPENING = re.compile(r"\(\s*(?:[,;]\s*)*")


@dataclass(frozen=True, slots=True)
class Wiki:
    """How a wiki names its namespaces, in lower case, and whether `moon` and `Moon` are one page."""

    namespaces: Mapping[str, int] = field(default_factory=lambda: NAMESPACES)
    first_letter: bool = True

    def title(self, written: str) -> str:
        """The title that a link's target stands for: without its section, underscores and spaces one, first letter
        capital; empty where only a section is named."""
        target = unescape(unquote(written) if "%" in written else written).partition("#")[0]
        title = " ".join(DIRECTIONS.sub("", clean(target)).replace("_", " ").split())
        first = title[:1].upper()
        return first + title[1:] if self.first_letter and len(first) == 1 else title

    def namespace(self, written: str) -> tuple[int, str]:
        """The number of a link's namespace, and the rest of its target; -3 for another wiki."""
        prefix, colon, rest = written.strip().removeprefix(":").partition(":")
        if not colon:
            return 0, prefix
        name = " ".join(prefix.replace("_", " ").split())
        known = self.namespaces.get(name.lower())
        if known is not None:
            return known, rest
        elsewhere = name.lower() in PROJECTS or LANGUAGE.fullmatch(name)
        return (-3, rest) if elsewhere else (0, f"{prefix}:{rest}")


def links(text: str, wiki: Wiki) -> list[str]:
    """The titles of the articles that a page links to, each once, in order."""
    targets = (wiki.namespace(written) for written in _targets(text))
    titles = (wiki.title(target) for namespace, target in targets if namespace == 0)
    return [title for title in dict.fromkeys(titles) if title]


def categories(text: str, wiki: Wiki) -> list[str]:
    """The names of the categories that a page puts itself into; those that its templates add are not seen."""
    targets = (wiki.namespace(written) for written in _targets(text) if not written.lstrip().startswith(":"))
    return [wiki.title(target) for namespace, target in targets if namespace == CATEGORY]


def redirect_of(text: str) -> str:
    """The target of a redirect as it is written; empty for any other page."""
    found = REDIRECT.match(text)
    return found[1] if found else ""


def is_disambiguation(title: str, text: str) -> bool:
    return title.endswith("(disambiguation)") or bool(AMBIGUOUS.search(text))


def first_paragraph(text: str, wiki: Wiki) -> str:
    """The first paragraph with words before any heading, on one line: without templates, tables, references, files
    and categories. Raises `ValueError` for what the parser gives up at."""
    import mwparserfromhell
    from mwparserfromhell.parser import ParserError

    lead = BREAK.sub(" ", HEADING.split(NO_LINKS.sub("", text), maxsplit=1)[0])
    for _ in range(DEEPEST):
        lead, dropped = INNERMOST.subn("", lead)
        if not dropped:
            break
    try:
        code = mwparserfromhell.parse(lead[:LONGEST_LEAD], skip_style_tags=False)
        _drop(code, wiki)
        paragraphs = _words(code).split("\n\n")
    except (ParserError, RecursionError) as error:
        raise ValueError("wikitext that cannot be parsed") from error
    tidied = (_tidy(paragraph) for paragraph in paragraphs)
    return next((paragraph for paragraph in tidied if any(map(str.isalpha, paragraph))), "")


def _targets(text: str) -> Iterator[str]:
    return (match[1] for match in LINK.finditer(NO_LINKS.sub("", text)))


def _words(code: "Wikicode") -> str:
    return clean(str(code.strip_code(normalize=True, collapse=False)))


def _drop(code: "Wikicode", wiki: Wiki) -> None:
    from mwparserfromhell.nodes import Tag

    code.nodes = [node for node in code.nodes if not _is_dropped(node, wiki)]
    for node in code.nodes:
        if isinstance(node, Tag) and node.contents is not None:
            _drop(node.contents, wiki)


def _is_dropped(node: "Node", wiki: Wiki) -> bool:
    from mwparserfromhell.nodes import Comment, Tag, Template, Wikilink

    if isinstance(node, Wikilink):
        return not str(node.title).lstrip().startswith(":") and wiki.namespace(str(node.title))[0] != 0
    if isinstance(node, Tag):
        return str(node.tag).strip().lower() in DROPPED_TAGS
    return isinstance(node, Template | Comment)


def _tidy(paragraph: str) -> str:
    """On one line, and mended where a template was dropped: `Moon (, ) is`."""
    line = " ".join(paragraph.split())
    if re.fullmatch(r"__[A-Z]+__", line):
        return ""
    return BEFORE_STOP.sub(r"\1", AFTER_OPENING.sub("(", EMPTY_BRACKETS.sub("", line))).strip()

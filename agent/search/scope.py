"""Limits of a question to documents: "In the lease, who pays for repairs?", "according to FAQ.html", "@films who?"."""

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from clew.agent.services import Services
from clew.memory.knowledge.catalogue import Catalogue, Listed, NamedDocuments
from clew.memory.knowledge.library import Library
from clew.memory.text import compiled_patterns

LEAST = 0.8
"""The share of the words behind `in` or `according to` that must be in the document's name, and of a title that must be
named if no word such as `document` is there ("In Chowder, who serves?")."""

ENOUGH_TITLE = 0.4
"""The share of a title that must be named with such a word: `the lease`, for `Lease 2024`."""

FEWEST = 2
"""Words that must be left of a question without the limit."""

NAMES = 8
"""Names that are suggested at once."""

_AT = re.compile(r'(?<!\S)@(?:"([^"]+)"|([^\s@"]*[^\s@",.:;?!]))')
_PATTERNS = compiled_patterns(Path(__file__).with_suffix(".txt"))
_KINDS = ("opening", "said by", "subject", "closing")
"""The patterns that name a document, in the order in which they are tried."""


@dataclass(frozen=True, slots=True)
class Limit:
    """`words` of the question name the document; empty if they are its subject."""

    document: Listed
    words: str = ""

    def without(self, text: str) -> str:
        """The question without these words, if enough is left of it."""
        plain = " ".join(text.replace(self.words, " ").split()).lstrip(", ") if self.words else text
        return plain if len(plain.split()) >= FEWEST else text


def document_meant(question: str, catalogue: Catalogue) -> Limit | None:
    """The document that the question limits itself to; None if that is not certain, or several fit. An entry of a file
    with many entries is never a limit."""
    for kind in _KINDS:
        for match in _PATTERNS[kind].finditer(question):
            named = catalogue.named(match["of"], LEAST)
            if len(named.documents) == 1 and named.documents[0].path and _is_sure(named, kind):
                words = question[match.start() : match.end("of")]
                return Limit(named.documents[0], "" if kind == "subject" else words)
    found = catalogue.by_file(question)
    return Limit(found) if found else None


def _is_sure(named: NamedDocuments, kind: str) -> bool:
    """Whether a phrase names a document for certain: by its file, by a word such as `document` beside its name or date,
    or by its title, which is not enough at the end of a question."""
    by_title = kind != "closing" and named.of_title >= (ENOUGH_TITLE if kind == "subject" else LEAST)
    by_kind = named.kind and (named.specific or named.dated or named.of_title >= ENOUGH_TITLE)
    return named.by_file or by_title or by_kind


class Scoped(NamedTuple):
    """The question without its `names` behind an @, and the ids of the documents that they name; `unknown` are names
    that no document has, which stay in the question."""

    question: str
    names: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def scoped(question: str, catalogue: Catalogue) -> Scoped:
    """Names may be those of files (with or without extension), folders or titles; `@"..."` if they have spaces."""
    found: dict[str, list[str]] = {}
    for match in _AT.finditer(question):
        name = (match[1] or match[2]).casefold().strip("/")
        if documents := [one.id for one in catalogue.documents if _has_name(one, name)]:
            found[match[0]] = documents
    unknown = tuple(match[0] for match in _AT.finditer(question) if match[0] not in found)
    for words in found:
        question = question.replace(words, " ")
    names = tuple(words[1:].strip('"') for words in found)
    ids = dict.fromkeys(id_ for documents in found.values() for id_ in documents)
    return Scoped(" ".join(question.split()), names, tuple(ids), unknown)


def names(services: Services, begun: str) -> list[str]:
    """Folders and files whose name contains `begun`, those that begin with it first: suggestions behind an @."""
    known, begun = services.once_a_library(_names), begun.casefold()
    found = (name for name in known if begun in name.casefold())
    return sorted(found, key=lambda name: not name.casefold().startswith(begun))[:NAMES]


def _names(library: Library) -> list[str]:
    paths = [one.path for one in library.store.catalogue.documents]
    folders = (folder for path in paths for folder in path[:-1])
    return list(dict.fromkeys((*folders, *(path[-1] for path in paths if path))))


def _has_name(one: Listed, name: str) -> bool:
    place = re.sub(r":\d+$", "", one.place.partition(": ")[0].casefold())
    return f"/{name}/" in f"/{place}/" or name in (PurePosixPath(place).stem, one.title.casefold(), one.id.casefold())

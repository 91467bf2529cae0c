"""Limits of a question to documents: "In the lease, who pays for repairs?", "according to FAQ.html", "@films who?"."""

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from clew.agent.services import Services
from clew.memory.knowledge.catalogue import Catalogue, Listed, NamedDocuments
from clew.memory.knowledge.library import Library
from clew.memory.text import compiled_patterns, content_words

LEAST = 0.8
"""The share of the words behind `in` or `according to` that must be in the document's name."""

WHOLE_TITLE = 0.8
"""The share of a title that must be named if no word such as `document` is there ("In Chowder, who serves?")."""

ENOUGH_TITLE = 0.4
"""The share of a title that must be named with such a word: `the lease`, for `Lease 2024`."""

NO_TITLE = 2.0
"""More than any share: such a word is required."""

FEWEST = 2
"""Words that must be left of a question without the limit."""

NAMES = 8
"""Names that are suggested at once."""

_AT = re.compile(r'(?<!\S)@(?:"([^"]+)"|([^\s@"]*[^\s@",.:;?!]))')
_PATTERNS = compiled_patterns(Path(__file__).with_suffix(".txt"))
_NAMING = {"opening": WHOLE_TITLE, "said by": WHOLE_TITLE, "subject": ENOUGH_TITLE, "closing": NO_TITLE}
"""The patterns in the order in which they are tried, with the share of a title that each requires."""


@dataclass(frozen=True, slots=True)
class Limit:
    """`words` of the question name the document and are replaced by `put`: "what is said about rent?" for "what does
    the lease say about rent?"; empty if they are the subject of the question."""

    document: Listed
    words: str = ""
    put: str = ""

    def without(self, text: str) -> str:
        """The question without these words, if enough is left of it."""
        plain = " ".join(text.replace(self.words, f" {self.put} ").split()) if self.words else text
        return plain if len(plain.split()) >= FEWEST else text


def document_meant(question: str, catalogue: Catalogue) -> Limit | None:
    """The document that the question limits itself to; None if that is not certain, or several fit. An entry of a file
    with many entries is never a limit."""
    for kind, title in _NAMING.items():
        for match in _PATTERNS[kind].finditer(question):
            if kind == "closing" and _PATTERNS["of two"].search(question, 0, match.start()):
                continue
            named = catalogue.named(match["of"], LEAST)
            if len(named.documents) != 1 or not (path := named.documents[0].path):
                continue
            if not _is_sure(named, title) and not (title == WHOLE_TITLE and _is_called(match["of"], named, path)):
                continue
            if kind != "subject":
                words = question[match.start() : match.end("of")] + ("," if kind == "opening" else "")
                return Limit(named.documents[0], words)
            said = match["about"] and _PATTERNS["what"].search(question[: match.start()])
            return Limit(named.documents[0], match[0], "is said ") if said else Limit(named.documents[0])
    found = catalogue.by_file(question)
    return Limit(found) if found else None


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


def _is_called(name: str, named: NamedDocuments, path: tuple[str, ...]) -> bool:
    """Whether the words are the document's whole file name, or its title begins with them: `Lease for 14 Harrow
    Lane`."""
    words, title = content_words(name), content_words(named.documents[0].title)
    return words == content_words(PurePosixPath(path[-1]).stem) or (named.kind and words == title[:1])


def _is_sure(named: NamedDocuments, title: float) -> bool:
    """Whether the document is certain; `title` is the share of its title that has to be named without a word such as
    `document`."""
    if named.by_file or (named.of_title >= title and named.coverage >= LEAST):
        return True
    return named.kind and named.coverage >= LEAST and (named.specific or named.dated or named.of_title >= ENOUGH_TITLE)

"""The document that a question limits itself to: 'In the lease, who pays for repairs?', 'according to FAQ.html'."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from clew.memory.knowledge.catalogue import Catalogue, Listed, NamedDocuments
from clew.memory.text import content_words

LEAST = 0.8
"""The share of the words behind `in` or `according to` that the document's name has to have."""

WHOLE_TITLE = 0.8
"""The share of a title from which it is plain without a word for a document (`In Chowder, who serves?`)."""

ENOUGH_TITLE = 0.4
"""The share of a title that a word for a document alone has to be: `the lease`, of `Lease 2024`."""

FEWEST = 2
"""Words that have to be left of a question."""

_NAME = r"(?P<of>(?!an? )(?:the |my |our |this )?[^,?;:]{2,80}?)"
"""What a document may be called; `a Flask licence` is any."""

_SAYING = "say|mention|state|allow|require|contain|forbid|permit|define|describe|specify|recommend|tell"
_OPENING = re.compile(
    rf"^(?:(?:and|but|so|then|ok),? )?(?:in|according to|as per|per|from|based on|going by|under) {_NAME}, ?(?=\S)",
    re.IGNORECASE,
)
_SAYS = re.compile(rf"\b(?:according to|as per) {_NAME}[?.! ]*$", re.IGNORECASE)
_CLOSING = re.compile(rf"(?=\b(?:in|from|of|under|by) {_NAME}[?.! ]*$)", re.IGNORECASE)
_OF_TWO = re.compile(r"\bbetween\b|\bfrom\b.*\bto\b", re.IGNORECASE)
"""'between the start of this lease and that of the other'"""

_SUBJECT = re.compile(
    rf"\b(?:does|do|did) (?P<of>(?:the|my|our) [^,?;:]{{2,60}}?|[\"\u201c][^\"\u201d?]{{2,80}}[\"\u201d]) "
    rf"(?:{_SAYING})s?\b(?P<about>(?:(?<=say)|(?<=state)|(?<=mention)|(?<=tell)) (?=about\b)|(?<=say) (?=on\b))?",
    re.IGNORECASE,
)


_WHAT = re.compile(r"\bwhat (?:else |exactly )?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Limit:
    """`words` are those of the question that name the document and ask nothing, and `put` stands in their place: 'what
    is said about rent?' for 'what does the lease say about rent?'; empty where they are its subject."""

    document: Listed
    words: str = ""
    put: str = ""

    def without(self, text: str) -> str:
        """A question without these words, where enough is left of it."""
        plain = " ".join(text.replace(self.words, f" {self.put} ").split()) if self.words else text
        return plain if len(plain.split()) >= FEWEST else text


def document_meant(question: str, catalogue: Catalogue) -> Limit | None:
    """None where the words may mean something else, or more than one document; an entry of a file of many is called by
    the thing that it is about, and never limits a question."""
    for pattern, title in ((_OPENING, WHOLE_TITLE), (_SAYS, WHOLE_TITLE), (_SUBJECT, ENOUGH_TITLE), (_CLOSING, 2.0)):
        for match in pattern.finditer(question):
            if pattern is _CLOSING and _OF_TWO.search(question, 0, match.start()):
                continue
            named = catalogue.named(match["of"], LEAST)
            if len(named.documents) != 1 or not (path := named.documents[0].path):
                continue
            sure = _is_sure(named, title)
            if sure or (pattern in (_OPENING, _SAYS) and _is_called(match["of"], named, path)):
                if pattern is _SUBJECT:
                    said = match["about"] and _WHAT.search(question[: match.start()])
                    return Limit(named.documents[0], *((match[0], "is said ") if said else ()))
                words = question[match.start() : match.end("of")]
                return Limit(named.documents[0], words + "," if pattern is _OPENING else words)
    found = catalogue.by_file(question)
    return Limit(found) if found else None


def _is_called(name: str, named: NamedDocuments, path: tuple[str, ...]) -> bool:
    """Whether 'the lease' is all that `lease.md` is called, or what `Lease for 14 Harrow Lane` says that it is."""
    words, title = content_words(name), content_words(named.documents[0].title)
    return words == content_words(PurePosixPath(path[-1]).stem) or (named.kind and words == title[:1])


def _is_sure(named: NamedDocuments, title: float) -> bool:
    """`title`: the share of its title from which no word for a document is needed."""
    if named.by_file or (named.of_title >= title and named.coverage >= LEAST):
        return True
    return named.kind and named.coverage >= LEAST and (named.specific or named.dated or named.of_title >= ENOUGH_TITLE)

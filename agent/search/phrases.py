"""What is searched as it is written: words in quotation marks, versions, options; and names that are left out."""

import re
from collections.abc import Sequence
from dataclasses import replace

from clew.agent.state import Turn
from clew.memory.datatypes import Passage
from clew.memory.knowledge.library import LibraryStore
from clew.memory.text import content_words, written_words
from clew.tools.base import passages_of

MOST = 4
"""Passages with a phrase that are looked for beside those that were found."""

LOOKED_AT = 400
"""Chunks with all words of a phrase that are read for it."""

READ, BEST, FIRST = 8, 2, 200
"""Passages among which one may say what a thing is, those that stay before one that is added, and chunks with its name
that are looked at for it."""

FEWEST = 2
"""Words of a phrase; a single one is looked for like others."""

_QUOTED = re.compile(
    r"[\"\u201c\u201d\u201e\u00ab\u00bb]([^\"\u201c\u201d\u201e\u00ab\u00bb]{2,}?)[\"\u201c\u201d\u201e\u00ab\u00bb]"
)
_EXACT = re.compile(r"\b[A-Z][\w-]* \d+(?:\.\d+)+\b|(?<![\w-])--?[A-Za-z][\w-]*")
_NAME = r"(?:[A-Z\d][\w'\u2019-]*)(?: (?:[A-Z\d][\w'\u2019-]*))*"
_LEFT_OUT = re.compile(
    rf"\b(?:besides|except(?: for)?|other than|apart from|aside from|excluding|not counting|leaving out)"
    rf" (?:the )?({_NAME})"
)


def phrases_of(text: str) -> tuple[str, ...]:
    """What stands in quotation marks."""
    return tuple(" ".join(match.split()) for match in _QUOTED.findall(text))


def longer(question: str) -> list[str]:
    """Its phrases of several words."""
    return [phrase for phrase in phrases_of(question) if len(written_words(phrase)) >= FEWEST]


def versions(question: str) -> list[str]:
    """Its names with a number of several parts (`Debian 3.0`, whose parts alone are numbers like others), and options
    of commands (`-x`, `--force`)."""
    return _EXACT.findall(question)


def left_out(question: str) -> frozenset[str]:
    """The stems of a name that it leaves out: `besides Birch`; none where it leaves out nothing, or no name."""
    match = _LEFT_OUT.search(question)
    return frozenset(content_words(match[1])) if match else frozenset()


def holds_phrase(text: str, phrase: str) -> bool:
    """Whether a text has a phrase as it is, whatever the white space and, but for options, the capitals."""
    if phrase.startswith("-"):  # an option, whose capital tells it from another
        return bool(re.search(rf"(?<![\w-]){re.escape(phrase)}(?!\w)", text.replace("\u2212", "-")))
    return bool(re.search(rf"(?<!\w){re.escape(_plain(phrase))}(?!\w)", _plain(text)))


def holding(phrase: str, store: LibraryStore, scope: frozenset[str] | None) -> list[Passage]:
    """The passages that have a phrase in title or text, the first of the library."""
    chunks = store.chunks(store.vocabulary.holding(written_words(phrase), scope)[:LOOKED_AT])
    return [one for one in passages_of(chunks, "phrase") if _has(one, phrase)]


def asks_for(question: str, phrase: str) -> bool:
    """Whether the phrase is most of what is asked, and no title or name among other things."""
    return 2 * len(content_words(phrase)) >= len(content_words(question))


def as_written(
    turn: Turn, passages: Sequence[Passage], store: LibraryStore, scope: frozenset[str] | None
) -> tuple[Passage, ...]:
    """The passages, those first that have the question's phrases and versions as it writes them; of several the first
    counts most."""
    versions_ = versions(turn.rewritten)
    for phrase in reversed([*longer(turn.meant), *versions_]):
        alone = phrase in versions_ or asks_for(turn.meant, phrase)
        passages = first(passages, phrase, holding(phrase, store, scope), alone)
    return tuple(passages)


def with_definition(
    thing: str, passages: Sequence[Passage], store: LibraryStore, scope: frozenset[str] | None
) -> tuple[Passage, ...]:
    """With the first of the library that says what a thing is ("Clew is a ...") behind the two best, where none of
    those that are read says it: what speaks of it all the time is nearer to "What is Clew?"."""
    says = re.compile(rf"(?<!\w){re.escape(_plain(thing))}s? (?:is|are|was|were) (?:an?|the|one of|any)\b")
    if not thing or any(says.search(_plain(one.text)) for one in passages[:READ]):
        return tuple(passages)
    chunks = store.chunks(store.vocabulary.holding(written_words(thing), scope)[:FIRST])
    found = [one for one in passages_of(chunks, "definition") if says.search(_plain(one.text))][:1]
    score = max((one.score for one in passages), default=0.0)
    added = [replace(one, score=score, why=f"says what {thing} is") for one in found]
    known = {one.id for one in added}
    return (*passages[:BEST], *added, *(one for one in passages[BEST:] if one.id not in known))


def first(passages: Sequence[Passage], phrase: str, held: Sequence[Passage], alone: bool = True) -> tuple[Passage, ...]:
    """Those that have the phrase first, in their order, then a few more that have it, then the others. Where the phrase
    is not `alone` what is asked, only the best that has it: what else is asked may stand in others."""
    found = [one for one in passages if _has(one, phrase)]
    if found and not alone:
        return (found[0], *(one for one in passages if one is not found[0]))
    known = {one.id for one in passages}
    score = max((one.score for one in passages), default=0.0)
    more = [replace(one, score=score, why=f"has \u201c{phrase}\u201d") for one in held if one.id not in known]
    more = more[: max(0, MOST - len(found))]
    return (*found, *more, *(one for one in passages if one not in found))


def _has(passage: Passage, phrase: str) -> bool:
    return holds_phrase(f"{passage.title}\n{passage.text}", phrase)


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("\u2019", "'").split())

"""A sentence as the rules for relations read it: mentions, and of what stands between them the part of speech."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from clew.memory.knowledge.extracting.datatypes import Mention
from clew.memory.knowledge.extracting.lexicon import EMPTY, NUMBERS
from clew.memory.knowledge.extracting.tokens import Token, tokens
from clew.memory.knowledge.extracting.verbs import AMBIGUOUS, AUXILIARIES, BE, looks_like_a_verb
from clew.memory.sentences import Span

Part = Literal[
    "mention", "verb", "be", "auxiliary", "preposition", "determiner", "comma", "and", "relative", "he", "it", "stop",
    "open", "close", "noun", "possessive"
]  # fmt: skip

PREPOSITIONS = frozenset(
    """
    in on at by of for from to with into as after near between under over during against among through
    around within since until before across along behind beside towards toward onto upon about alongside off
    throughout via including like
    """.split()
)
_STOPS = frozenset(
    """
    but because although though while when if unless whereas than so whether where how why what nor or however not
    never cannot
    """.split()
)
_DETERMINERS = frozenset("the a an his her its their this these those my our your some several all both".split())
_MARKS: dict[str, Part] = {
    ",": "comma", ";": "stop", ":": "stop", "—": "stop", "–": "stop", "--": "stop", "(": "open", "[": "open",
    ")": "close", "]": "close", "?": "stop", "!": "stop", "|": "stop", "/": "stop", "•": "stop", ".": "stop",
}  # fmt: skip
_ABBREVIATED = re.compile(r"^\.,")
"""After the last word of a name, the full stop of an abbreviation: Acme Corp., a maker of anvils."""


@dataclass(frozen=True, slots=True)
class Element:
    """A mention, a word or a mark. `text` is it in lower case where it is not a mention."""

    part: Part
    text: str
    mention: Mention | None = None


def elements(text: str, sentence: Span, mentions: Sequence[Mention]) -> list[Element]:
    """The elements of a sentence in order; `mentions` are those in it, in order."""
    found: list[Element] = []
    place = sentence[0]
    for item in _items(text, sentence, mentions):
        found.extend(_marks(text[place : item.start]))
        place = item.end
        if isinstance(item, Mention):
            found.append(Element("mention", item.text, item))
            continue
        if item.possessive:
            place = min(len(text), place + 2)
        found.append(Element(_part(item.low, found), item.low))
    found.extend(_marks(text[place : sentence[1]]))
    return _settled(found)


def _items(text: str, sentence: Span, mentions: Sequence[Mention]) -> Iterator[Mention | Token]:
    place = sentence[0]
    for mention in mentions:
        yield from tokens(text, (place, mention.start))
        yield mention
        place = mention.end
    yield from tokens(text, (place, sentence[1]))


def _marks(gap: str) -> Iterator[Element]:
    if gap.isspace() or not gap:
        return
    if gap.startswith(("'s", "’s")):
        yield Element("possessive", "'s")
        gap = gap[2:]
    for mark in _ABBREVIATED.sub(",", gap).replace("--", "—"):
        if mark in _MARKS:
            yield Element(_MARKS[mark], mark)


def _part(word: str, before: Sequence[Element]) -> Part:
    if word in ("s", "'s") and before and before[-1].part == "mention":
        return "possessive"
    if word in BE:
        return "be"
    if word in AUXILIARIES:
        return "auxiliary"
    if word in PREPOSITIONS:
        return "preposition"
    if word == "and" or word == "&":
        return "and"
    if word in ("who", "which"):
        return "relative"
    if word == "that":
        return "stop" if before and before[-1].part == "verb" else "relative"
    if word in ("he", "she"):
        return "he"
    if word == "it":
        return "it"
    if word in _DETERMINERS or (word in NUMBERS):
        return "determiner"
    if word in _STOPS:
        return "stop"
    if looks_like_a_verb(word) or word in AMBIGUOUS:
        return "verb"
    return "stop" if word in EMPTY else "noun"


_BEHIND_A_SUBJECT = frozenset({"mention", "be", "auxiliary", "relative", "he", "it", "close", "open"})


def _settled(found: Sequence[Element]) -> list[Element]:
    """What looked like a verb is a noun or adjective where it stands like one; `has` is a verb where none follows."""
    settled: list[Element] = []
    for place, element in enumerate(found):
        before = settled[-1].part if settled else "stop"
        after = found[place + 1] if place + 1 < len(found) else None
        if element.part == "verb" and not _is_verb(element.text, before, after):
            element = Element("noun", element.text)
        elif element.text in ("has", "have", "had") and (
            after is None or after.part not in ("verb", "be", "auxiliary")
        ):
            element = Element("verb", element.text)
        settled.append(element)
    return settled


def _is_verb(word: str, before: Part, after: Element | None) -> bool:
    if before in _BEHIND_A_SUBJECT:
        return True
    if before in ("determiner", "preposition", "possessive"):
        return False
    if word in AMBIGUOUS:
        return before == "and" and after is not None and after.part in ("mention", "determiner", "preposition")
    return after is not None and after.part in ("mention", "determiner", "preposition", "comma", "be")

"""A sentence as the rules for relations read it: mentions, the parts of speech between them, and appositions.

An apposition says between commas who or what the name before it is (`Paris, the capital of France, lies`). It is
bracketed, so that a clause reads it like a parenthesis: of the name before, which keeps its place in the sentence.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

from clew.memory.knowledge.extraction import lexicon
from clew.memory.knowledge.extraction.lexicon import Mention, Token, tokens
from clew.memory.text import Span

PartOfSpeech = Literal[
    "mention", "verb", "be", "auxiliary", "preposition", "determiner", "comma", "and", "relative", "he", "it", "stop",
    "open", "close", "noun", "possessive"
]  # fmt: skip

_MARKS: dict[str, PartOfSpeech] = {
    ",": "comma", ";": "stop", ":": "stop", "—": "stop", "–": "stop", "--": "stop", "(": "open", "[": "open",
    ")": "close", "]": "close", "?": "stop", "!": "stop", "|": "stop", "/": "stop", "•": "stop", ".": "stop",
}  # fmt: skip
_CLOSED: dict[PartOfSpeech, Iterable[str]] = {
    "stop": lexicon.STOPS,
    "determiner": lexicon.DETERMINERS | lexicon.NUMBERS,
    "it": ["it"],
    "he": ["he", "she"],
    "relative": ["who", "which"],
    "and": ["and", "&"],
    "preposition": lexicon.PREPOSITIONS,
    "auxiliary": lexicon.AUXILIARIES,
    "be": lexicon.BE,
}
_PARTS = {word: part for part, words in _CLOSED.items() for word in words}
"""Of words that are always the same part of speech; of two lists with a word the later has it."""

_ABBREVIATED = re.compile(r"^\.,")
"""After the last word of a name, the full stop of an abbreviation: Acme Corp., a maker of anvils."""


@dataclass(frozen=True, slots=True)
class Element:
    """A mention, a word or a mark. `text` is it in lower case where it is not a mention."""

    part: PartOfSpeech
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


def _part(word: str, before: Sequence[Element]) -> PartOfSpeech:
    behind: PartOfSpeech = before[-1].part if before else "stop"
    if word in ("s", "'s") and behind == "mention":
        return "possessive"
    if word == "that":
        return "stop" if behind == "verb" else "relative"
    if word in _PARTS:
        return _PARTS[word]
    if lexicon.looks_like_a_verb(word) or word in lexicon.AMBIGUOUS:
        return "verb"
    return "stop" if word in lexicon.EMPTY else "noun"


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


def _is_verb(word: str, before: PartOfSpeech, after: Element | None) -> bool:
    if before in _BEHIND_A_SUBJECT:
        return True
    if before in ("determiner", "preposition", "possessive"):
        return False
    if word in lexicon.AMBIGUOUS:
        return before == "and" and after is not None and after.part in ("mention", "determiner", "preposition")
    return after is not None and after.part in ("mention", "determiner", "preposition", "comma", "be")


OPEN = Element("open", ",")
CLOSE = Element("close", ",")

_ARTICLES = ("a", "an")
_BEGIN = ("the", "his", "her", "its", "their", *_ARTICLES)
_OF_A_PEOPLE = ("an", "ish", "ese", "ch")
_NEVER_INSIDE = ("be", "auxiliary", "he", "it")


def of_a_people(mention: Mention) -> bool:
    """Whether it may be the adjective of a people: Polish, Indian, Chinese, French."""
    return mention.text.endswith(_OF_A_PEOPLE)


def describes_a_noun(mention: Mention, after: Element | None) -> bool:
    """Whether it is only the adjective of the noun that follows: the Polish physicist."""
    return after is not None and after.part == "noun" and " " not in mention.text and of_a_people(mention)


def bracketed(elements: Sequence[Element]) -> list[Element]:
    """The elements with each apposition between `OPEN` and `CLOSE`; the comma behind it stays, behind `CLOSE`."""
    found: list[Element] = []
    place, has_verb = 0, False
    while place < len(elements):
        element = elements[place]
        if element.part == "comma" and _is_head(found):
            end = _apposition_end(elements, place + 1, has_verb=has_verb, fronted=_is_fronted(found))
            if end:
                found += [OPEN, *elements[place + 1 : end], CLOSE]
                place = end
                continue
        has_verb = element.part in ("verb", "be") or (has_verb and element.part != "stop")
        found.append(element)
        place += 1
    return found


def behind(elements: Sequence[Element], place: int) -> Element | None:
    """The element after the one at `place`, over appositions of it."""
    after = place + 1
    while after < len(elements) and elements[after] is OPEN:
        after = elements.index(CLOSE, after) + 1
        if after < len(elements) and elements[after].part == "comma":
            after += 1
    return elements[after] if after < len(elements) else None


def _is_head(before: Sequence[Element]) -> bool:
    if not before:
        return False
    mention = before[-1].mention
    return before[-1] is CLOSE or (mention is not None and mention.kind not in ("date", "term"))


def _is_fronted(before: Sequence[Element]) -> bool:
    """Whether the name stands behind a preposition: In Paris, the capital of France, Lang directed M."""
    near = [element.part for element in before[-3:-1]]
    return near[-1:] == ["preposition"] or near == ["preposition", "determiner"]


def _apposition_end(elements: Sequence[Element], start: int, *, has_verb: bool, fronted: bool) -> int:
    """Where the apposition that begins at `start` ends; 0 where none begins. Before the verb it ends in a comma."""
    if not _apposition_begins(elements, start):
        return 0
    free = elements[start].text in _ARTICLES
    depth = 0
    for place in range(start, len(elements)):
        element = elements[place]
        after = elements[place + 1] if place + 1 < len(elements) else None
        depth += (element.part == "open") - (element.part == "close")
        if depth > 0:
            continue
        if element.part in _NEVER_INSIDE:
            return 0
        if element.part == "verb":  # a participle that describes the noun before it: a director born in Vienna
            leads = after is not None and after.part == "preposition" and (free or after.text == "by")
            if not leads or not lexicon.is_participle(element.text):
                return 0
        if element.part == "stop" or depth < 0:
            return place if has_verb else 0
        if element.part == "comma" and (after is None or after.mention is None or (fronted and not has_verb)):
            return place
    return len(elements) if has_verb and not depth else 0


def _apposition_begins(elements: Sequence[Element], start: int) -> bool:
    """Whether an article and a noun stand here, or a noun that says what someone is (`daughter of`)."""
    words = takewhile(lambda element: element.part in ("noun", "mention", "determiner"), elements[start + 1 :])
    first = elements[start] if start < len(elements) else None
    if first is None or (first.part == "noun" and first.text in lexicon.ROLES):
        return first is not None
    return first.text in _BEGIN and first.part == "determiner" and _ends_in_noun(list(words), first.text in _ARTICLES)


def _ends_in_noun(words: Sequence[Element], free: bool) -> bool:
    """A name in front of the noun has to be a people's or a date, unless the article is `a`: the River Seine."""
    if not words or (words[-1].mention is not None and words[-1].mention.kind != "term"):
        return False
    names = [word.mention for word in words[:-1] if word.mention is not None]
    return free or all(name.kind in ("date", "term") or of_a_people(name) for name in names)

"""Appositions: what tells between commas who or what the name before them is (`Paris, the capital of France, lies`).

They are found in the elements of a sentence and bracketed, so that a clause reads them like what stands in parentheses:
of the name before, which stays what it was in the sentence around them.
"""

from collections.abc import Iterator, Sequence

from clew.memory.knowledge.extracting.datatypes import Mention
from clew.memory.knowledge.extracting.elements import Element
from clew.memory.knowledge.extracting.lexicon import ROLES
from clew.memory.knowledge.extracting.verbs import is_participle

OPEN = Element("open", ",")
CLOSE = Element("close", ",")

_ARTICLES = ("a", "an")
_BEGIN = ("the", "his", "her", "its", "their", *_ARTICLES)
_OF_A_PEOPLE = ("an", "ish", "ese", "ch")
_NEVER_INSIDE = ("be", "auxiliary", "he", "it")


def of_a_people(mention: Mention) -> bool:
    """Whether it may tell of which people someone is: Polish, Indian, Chinese, French."""
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
            end = _end(elements, place + 1, has_verb=has_verb, fronted=_is_fronted(found))
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


def _end(elements: Sequence[Element], start: int, *, has_verb: bool, fronted: bool) -> int:
    """Where the apposition that begins at `start` ends; 0 where none begins. Before the verb it ends in a comma."""
    if not _begins(elements, start):
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
        if element.part == "verb" and not (_is_reduced(element, after) and (free or _is_by(after))):
            return 0
        if element.part == "stop" or depth < 0:
            return place if has_verb else 0
        if element.part == "comma" and (after is None or after.mention is None or (fronted and not has_verb)):
            return place
    return len(elements) if has_verb and not depth else 0


def _begins(elements: Sequence[Element], start: int) -> bool:
    """Whether an article and a noun stand here, or a noun that says what someone is (`daughter of`)."""
    words = _noun_phrase(elements, start + 1)
    first = elements[start] if start < len(elements) else None
    if first is None or (first.part == "noun" and first.text in ROLES):
        return first is not None
    return first.text in _BEGIN and first.part == "determiner" and _ends_in_noun(list(words), first.text in _ARTICLES)


def _noun_phrase(elements: Sequence[Element], start: int) -> Iterator[Element]:
    for element in elements[start:]:
        if element.part not in ("noun", "mention", "determiner"):
            return
        yield element


def _ends_in_noun(words: Sequence[Element], free: bool) -> bool:
    """A name in front of the noun has to be a people's or a date, unless the article is `a`: the River Seine."""
    if not words or (words[-1].mention is not None and words[-1].mention.kind != "term"):
        return False
    names = [word.mention for word in words[:-1] if word.mention is not None]
    return free or all(name.kind in ("date", "term") or of_a_people(name) for name in names)


def _is_reduced(verb: Element, after: Element | None) -> bool:
    """A participle that tells of the noun before it: a director born in Vienna."""
    return is_participle(verb.text) and after is not None and after.part == "preposition"


def _is_by(after: Element | None) -> bool:
    return after is not None and after.text == "by"

"""What a question is about that does not say so: 'can I bring a dog?' after the flat was spoken of."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from clew.memory.dialogue.binding import HE, PEOPLE_DO, SHE, is_expletive, is_of_the_weather
from clew.memory.dialogue.phrases import Parts, Phrase, Referent
from clew.memory.dialogue.question_parser import parts
from clew.memory.dialogue.referents import Said
from clew.memory.dialogue.word_classes import LISTS, base, singular
from clew.memory.dialogue.written_types import written_type
from clew.memory.ports import Vocabulary
from clew.memory.text import content_words

FEW = 2
"""Words of content that a question has at most which may be about what was spoken of and does not say so."""

LONG = 3
"""Words of content that a topic has at most."""


def topic_for(question: str, turns: Sequence[Said], vocabulary: Vocabulary | None) -> Referent | None:
    """What the question is about without saying so: it is short and names nothing itself."""
    found = parts(_END_UP.sub(lambda match: base(match[1])[0], _IN_ALL.sub("", question)))
    own = content_words(found.body)
    waits = any(
        one.pronoun and one.text.casefold() in ("it", "they", "them") and not is_expletive(found, one.start)
        for one in found.phrases
    )
    if any(word.low in HE or word.low in SHE for word in found.tokens) or is_of_the_weather(question):
        return None
    if PEOPLE_DO.search(question):
        return None
    if found.helper == "are" and found.subject and found.subject.text.casefold() == "you":
        return None  # 'are you open on Sundays?'
    if not own or len(own) > FEW + waits or not (found.asked or found.aux) or _names_something(found, vocabulary):
        return None
    if (
        _brings_its_own(found, waits=waits)
        or set(own) & _ABOUT_ALL
        or (not turns[0].has_answer and any(turn.has_answer for turn in turns))
    ):
        return None
    topic = turns[0].topic
    if topic and found.subject and found.subject.noun in LISTS["attributes"]:
        topic = _of_which(topic)
    if _was_spoken_of(found, turns):
        return None
    if (
        topic is None
        or topic.about
        or (topic.placed and not waits)
        or len(content_words(topic.text)) > LONG
        or topic.gender
        or (_asks_of_people(found) and not topic.named and topic.text != _subject(turns[0]))
        or set(content_words(topic.text)) & set(own)
        or not _is_thing(topic, turns[0].parts)
        or topic.text.split()[0].casefold() in ("my", "your")
    ):
        return None
    return topic


def _is_thing(topic: Referent, before: Parts) -> bool:
    """Whether it was said as a thing is: by its name, with an article, or as several; or was what was asked about."""
    first = topic.text.split()[0]
    defined = before.asks.casefold() == "what" and (before.helper in ("is", "are") or before.does == "mean")
    return topic.plural or first[0].isupper() or first in LISTS["determiners"] or defined


_IN_ALL = re.compile(r" (?:in the end|in total|altogether|all in all|finally|eventually|per [a-z]+)\b", re.IGNORECASE)
_END_UP = re.compile(r"\b(?:end|ended) up (\w+ing)\b", re.IGNORECASE)
"""'what did we end up paying?', 'how much did we pay in the end?'"""


def _of_which(topic: Referent) -> Referent:
    """What an attribute is of: Leipzig for 'the population of Leipzig'."""
    head, _, whose = topic.text.partition(" of ")
    attribute = head.split()[-1] in LISTS["attributes"]
    return replace(topic, text=whose) if attribute and whose[:1].isupper() else topic


def _asks_of_people(found: Parts) -> bool:
    return found.subject is not None and found.subject.noun in LISTS["people"]


def _subject(turn: Said) -> str:
    return turn.parts.subject.text if turn.parts.subject else ""


def _was_spoken_of(found: Parts, turns: Sequence[Said]) -> bool:
    """Whether the subject itself was spoken of, so that it needs no topic: the launch in 'what does the launch cost?'.
    Not an attribute: 'what is the default?' after 'the default timeout'."""
    subject = found.subject
    if subject is None or subject.pronoun or not subject.definite or subject.noun in LISTS["attributes"]:
        return False
    words = set(subject.words)
    said_before = set(content_words(" ".join(f"{turn.question} {turn.answer.opening}" for turn in turns[:2])))
    return bool(words) and words <= said_before and found.verb is not None


def _brings_its_own(found: Parts, *, waits: bool) -> bool:
    """Whether the question brings a topic of its own: 'how do I roast a chicken', 'which datatypes are there', 'what
    did I ask you'; and 'what is the boat worth', unless it has a pronoun that `waits` for what was spoken of."""
    if any(one.first in ("this", "that", "these", "those") for one in found.phrases) or "else" in found.body.split():
        return True
    pronouns = {one.text.casefold() for one in found.phrases if one.pronoun}
    if {"i", "you"} <= pronouns or ({"i", "me"} <= pronouns and "you" in found.body.casefold().split()):
        return True
    kinds = found.wanted is not None and found.wanted.noun in LISTS["kinds"] and not _is_told_which(found.wanted)
    if "there" in pronouns and not (kinds or re.match(r"how many\b", found.body, re.IGNORECASE)):
        return True
    if any(
        one.role == "other"
        and one.preposition not in ("", "to")
        and not (one.pronoun or one.definite or one.named or written_type(one.text))
        and one.first not in LISTS["determiners"]
        for one in found.phrases
    ):
        return True
    told = (found.wanted if found.aux or found.verb else None, found.subject if found.asked else None)
    if any(one and _is_its_own_thing(one) for one in told):
        return True
    subject = found.subject
    if subject and subject.first == "the" and len(subject.words) > 1 and " of " not in subject.text:
        return True
    own = LISTS["attributes"] | LISTS["nameless"] | LISTS["people"]
    if subject and not subject.pronoun and _is_its_own(found, subject):
        return True
    new = (one for one in found.phrases if one.first in ("the", "a", "an"))
    if not waits and any(not own & {one.noun, singular(one.noun)} for one in new):
        return True
    end = found.clause if found.clause > 0 else len(found.text)
    objects = [one for one in found.phrases if one.role == "object" and not one.pronoun and one.start < end]
    if any(not one.definite and not written_type(one.text) for one in objects):
        return True
    return any(
        later.whole - one.end == 1 and later.preposition not in ("from", "at", "on") and not written_type(later.text)
        for one, later in pairwise(found.phrases)
        if one.role == "object" and later.preposition
    )


def _is_its_own_thing(one: Phrase) -> bool:
    """The guests of 'how many guests are coming?', 'nocte' of 'what does nocte mean?'; not what is of something:
    'which methods are there?', 'what day was it?'"""
    counts = LISTS["attributes"] | LISTS["nameless"] | LISTS["kinds"] | _OF_ANYTHING
    counts = counts if one.role == "asked" else counts | LISTS["people"]
    return bool(one.words) and not one.pronoun and counts.isdisjoint((one.noun, singular(one.noun)))


_OF_ANYTHING = frozenset("day month year time hour minute second week money difference".split())


def _is_told_which(kinds: Phrase) -> bool:
    """'regex options', not 'two kinds'"""
    return any(word.isalpha() and word not in _HOW_MANY for word in kinds.text.split()[:-1])


_HOW_MANY = frozenset("the other more all two three four five six".split())


def _is_its_own(found: Parts, subject: Phrase) -> bool:
    """'are dogs allowed?', 'is our seed spoilt?', 'what's fingerprinting?', 'what is a limit?'; not 'is limescale
    covered?'"""
    if subject.first in LISTS["determiners"]:
        new = subject.first in ("a", "an") and found.asks.casefold() == "what" and not found.verb
        return new or subject.first in ("my", "our")
    if {subject.noun, singular(subject.noun)} & (LISTS["attributes"] | LISTS["nameless"] | LISTS["kinds"]):
        return False
    defined = found.asked is not None and not found.verb and found.body.casefold().startswith("what")
    return defined or (subject.plural and found.verb is not None)


_ABOUT_ALL = frozenset(
    content_words(
        "documents document papers paper files file folder folders notes collection library texts topics overview"
    )
)


def _names_something(found: Parts, vocabulary: Vocabulary | None) -> bool:
    named = [
        word for one in found.phrases if one.named for word in one.text.split() if word[0].isupper() or "=" in word
    ]
    if any(word not in LISTS["openers"] for word in named) or any(re.search(r"[()=_]", t.text) for t in found.tokens):
        return True
    if any(" of " in one.text or one.noun in LISTS["only_one"] for one in found.phrases if not one.pronoun):
        return True
    phrases = [one.text for one in found.phrases if not one.pronoun]
    kinds = vocabulary.kinds(phrases) if vocabulary and phrases else []
    known = {phrase for phrase, kind in zip(phrases, kinds, strict=bool(kinds)) if kind == "name"}
    bare = found.subject is not None and not found.subject.plural and found.subject.first not in LISTS["determiners"]
    if bare and found.subject and (found.subject.text in known or re.search(r"\w-\w", found.subject.text)):
        return True  # 'what does ljubljana cost?', 'what does apt-mark do?'
    return any(kind in ("person", "place", "organisation", "work", "title") for kind in kinds)

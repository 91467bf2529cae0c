"""What a turn speaks of, likeliest first to be spoken of again, as centering theory has it (Grosz, Joshi and Weinstein
1995): the subject before the object before the rest; names, and what the library has, before other things."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from clew.memory.dialogue.answer_names import (
    FIRM,
    NAMED,
    TITLED,
    WHO,
    all_capitals,
    as_written,
    does_it,
    enumerated,
    gender_of,
    gender_of_noun,
    looks_like_a_person,
    named_pair,
    names,
    subject_of,
    things_of,
)
from clew.memory.dialogue.phrases import A_PLACE, Parts, Phrase, Referent, in_relative, whole_of
from clew.memory.dialogue.question_parser import parts
from clew.memory.dialogue.utterances import QUESTION_BACK, last_sentence
from clew.memory.dialogue.word_classes import FIRST_NAMES, LISTS, is_verb
from clew.memory.dialogue.written_types import written_type
from clew.memory.ports import Vocabulary
from clew.memory.text import content_words, split

KNOWN = 0.4
"""How much likelier what the library has is to be spoken of again, in places of the order."""

LONGEST = 9
"""Words of a thing that is put in the place of a pronoun."""


@dataclass(frozen=True, slots=True)
class SaidInAnswer:
    """What an answer speaks of."""

    names: tuple[Referent, ...] = ()
    told: tuple[Referent, ...] = ()
    """Things without a name."""
    focus: Referent | None = None
    """What it begins with, where that is new."""
    opening: str = ""
    """Its first sentence."""
    asks_back: bool = False
    """It ends with a question."""


@dataclass(frozen=True, slots=True)
class Said:
    """A turn as it counts for the next: its question standing alone, and what question and answer speak of."""

    question: str
    parts: Parts
    asked: tuple[Referent, ...]
    answer: SaidInAnswer = SaidInAnswer()
    listed: tuple[str, ...] = ()
    topic: Referent | None = None
    under_topic: bool = False
    """Its topic comes from an earlier turn."""
    put: str = ""
    """What was put into its question in the place of something else."""

    @property
    def has_answer(self) -> bool:
        return bool(self.answer.opening) or self.answer.asks_back

    @property
    def who(self) -> str:
        """Who or what answers a question for the subject."""
        asks, focus = self.parts.asks.casefold().split() or [""], self.answer.focus
        new = [one for one in self.answer.names if one.text not in self.question and not one.placed and not one.plural]
        if asks[-1] in ("who", "whom"):
            named = [one for one in (focus, *new) if one and one.named and (one.person or one is focus)]
            named = [one for one in named if one.maybe_person]
            named.sort(key=lambda one: not does_it(one.text, self.parts.does, self.answer.opening))
            return named[0].text if named else ""
        return focus.text if asks[0] in ("which", "what") and focus and focus.named else ""


def said(question: str, answer: Sequence[str], vocabulary: Vocabulary | None = None) -> Said:
    """Of a question that stands alone, and the sentences of its answer."""
    found = parts(last_sentence(question))
    asks_back = bool(answer) and answer[-1].rstrip().endswith("?")
    if asks_back and QUESTION_BACK.search(" ".join(answer)):
        answer = ()  # what it offers is not spoken of yet
    plain = not found.foreign and len(found.tokens) <= MOST
    there = found.subject is not None and found.subject.text.casefold() == "there"
    none = there and bool(answer) and re.match(r"no\b|not\b|there (?:is|are) no", answer[0], re.IGNORECASE) is not None
    asked = [as_written(one, " ".join(answer[:ANSWER])) for one in asked_about(found)] if plain and not none else []
    asked = [*asked, *_told_before(question, found, asked)] if plain else [*names(question)]
    named = [one for text in answer[:ANSWER] for one in names(text)]
    focus = _focus(found, answer, named, vocabulary) if plain else None
    if vocabulary:
        asked = [_without_attribute(one, vocabulary) if found.fragment else one for one in asked]
        known = _known([*asked, *named], vocabulary)
        asked, named = known[: len(asked)], known[len(asked) :]
    full = {one.text for one in (*asked, *named) if one.person}
    asked, named = ([_in_full(one, full) for one in some] for some in (asked, named))
    listed = found.compared or next((items for text in answer[:ANSWER] if (items := enumerated(text))), ())
    listed = listed or (named_pair(answer[0], found.wanted or found.subject) if answer else ())
    told = tuple(one for text in answer[:2] for one in things_of(text) if one.noun != "documents") if plain else ()
    in_answer = SaidInAnswer(tuple(named), told, focus, answer[0] if answer else "", asks_back)
    return Said(question, found, tuple(sorted(asked, key=lambda one: one.rank)), in_answer, listed)


def _told_before(question: str, found: Parts, asked: Sequence[Referent]) -> list[Referent]:
    """What the sentences before the question speak of: 'a patch' of 'I want to send a patch. What do I need?'"""
    opening = question[: question.rfind(found.text)]
    told = [one for span in split(opening) for one in asked_about(parts(opening[slice(*span)]))]
    known = {one.text for one in asked}
    return [replace(one, rank=one.rank + BEFORE, aside=False) for one in told if one.text not in known]


def about_library(subject: str) -> Said:
    """Of what all documents are about, as if it had been spoken of."""
    question = f"What is {subject}?"
    topic = Referent(subject, 0.0, True)
    return Said(question, parts(question), (topic,), topic=topic)


def _focus(
    found: Parts, answer: Sequence[str], answered: Sequence[Referent], vocabulary: Vocabulary | None
) -> Referent | None:
    """What the answer begins with, where the question does not say it: who or what that was."""
    one = subject_of(answer[0]) if answer else None
    first = next((name for name in answered if not name.placed), None)
    if one is None:
        alone = first is not None and answer[0].startswith(first.text)
        return first if alone or (first and re.match(r"[\w' ]{1,30}: ", answer[0])) else None
    if set(content_words(one.text)) <= set(content_words(found.text)):
        return None
    whole = next((name for name in answered if name.text.startswith(f"{one.text} ")), None)
    if whole or one.named:
        return whole or one
    who = re.search(r"who(?:m|se)?\b|which of\b", found.asks, re.IGNORECASE)
    kind = vocabulary.kinds([one.text])[0] if vocabulary else ""
    if " " not in one.text and (kind in NAMES or (who and not vocabulary)):
        person = kind == "person" or who is not None
        return replace(one, named=True, person=person, maybe_person=person or kind == "name", known=bool(kind))
    return replace(one, text=one.text[0].lower() + one.text[1:])


NAMES = ("person", "place", "organisation", "work", "name")
"""What the library calls a name."""


MOST = 70
"""Words of a sentence that is looked at."""

BEFORE = 3.0
"""How much less is spoken of again what only an earlier sentence of the turn speaks of, in places of the order."""


ANSWER = 4
"""Sentences of an answer that are looked at."""


def _known(mentions: list[Referent], vocabulary: Vocabulary) -> list[Referent]:
    kinds = vocabulary.kinds([one.text for one in mentions])
    made = []
    for one, kind in zip(mentions, kinds, strict=True):
        person = one.about or kind == "person" or (one.person and kind not in ("place", "organisation", "work"))
        maybe = one.about or (one.maybe_person and kind not in ("place", "organisation", "work", "date", "term"))
        named = one.named or kind not in ("", "term", "date")
        rank = one.rank - KNOWN * bool(kind)
        one = replace(one, placed=A_PLACE) if kind == "place" and not one.placed else one
        one = replace(one, group=one.group or kind == "organisation", known=bool(kind))
        made.append(replace(one, person=person, maybe_person=maybe or person, named=named, rank=rank))
    return made


def _without_attribute(one: Referent, vocabulary: Vocabulary) -> Referent:
    """The name alone, where the library knows that and not the whole: 'ljubljana' for 'ljubljana cost'."""
    name, _, last = one.text.rpartition(" ")
    if not name or not (last in LISTS["attributes"] or is_verb(last)):
        return one
    whole, kind = vocabulary.kinds([one.text, name])
    return replace(one, text=name) if kind in NAMES and not whole else one


def _in_full(mention: Referent, people: set[str]) -> Referent:
    """The person whose name has this as a part, where one was spoken of."""
    if mention.placed or mention.person or not mention.named:
        return mention
    whole = [name for name in sorted(people) if mention.text in name.split() and mention.text != name]
    return replace(mention, text=whole[0], person=True, maybe_person=True) if whole else mention


_ORDER = {"subject": 0.0, "object": 1.0, "other": 2.0, "asked": 2.5}
"""Ranks by role."""


def asked_about(found: Parts) -> Iterator[Referent]:
    """What a question speaks of: its subject, its objects, then the rest; what it asks for comes last."""
    about = WHO.match(found.body) is not None and found.subject is not None and found.subject.first not in _ARTICLES
    about = about and found.subject is not None and not re.search(r"['’]s? [a-z]", found.subject.text)
    about = about and not re.search(r" (?:to|with|by|for|from|after)$", found.body)  # 'who is Ada Kern married to?'
    where = found.body[:5].casefold() == "where"
    within = 0
    for place, phrase in enumerate(found.phrases):
        if _is_no_thing(found, place):
            continue
        is_subject = phrase.role == "subject"
        text = _titled(found, place) or _definite(whole_of(found, place))
        text = _definite(phrase.text) if len(text.split()) > LONGEST else text
        which = found.asks.casefold().startswith("which ") and " of " not in found.asks
        if is_subject and (doing := _IS_DOING.match(found.body)):
            yield Referent(f"the one {doing[0]}", 0.0, person=True, maybe_person=True)
            continue
        text = f"the {text}" if phrase.role == "asked" and which and text.islower() and text == phrase.text else text
        does = phrase.role == "asked" and which and not found.subject and not found.aux  # 'which boxes were used?'
        rank = _ORDER["subject" if does else phrase.role] + place / 100 + INSIDE * (phrase.start < within)
        relative = in_relative(found, phrase)
        rank += INSIDE * relative + INSIDE * (
            _is_mass(phrase) and bool(found.verb) and is_subject and len(found.phrases) > 1
        )
        within = max(within, phrase.start + len(whole_of(found, place)))
        if is_subject and phrase.start == 0 and text not in FIRST_NAMES and re.fullmatch(r"[A-Z][a-z]+", text):
            text = text.casefold()  # 'heating' of 'Heating's off', whose capital says nothing
            phrase = replace(phrase, text=text)
        made = referent_of(text, phrase, rank, about and is_subject)
        if is_subject and (own := next((one.low for one in found.tokens if one.low in _SELF), "")):
            made = replace(made, person=True, maybe_person=True, gender=_SELF[own])
        if phrase.role == "object" and _is_made(found, phrase):
            made = replace(made, person=False, maybe_person=False, plural=False, gender="")
        vague = phrase.first in _NOT_ONE or (bool(phrase.preposition) and phrase.first in ("a", "an"))
        one = is_subject and found.helper in _OF_ONE and " " not in phrase.text  # 'what is pandas?'
        aside = (vague and not phrase.named) or relative
        made = replace(made, aside=aside, plural=made.plural and not (one or _titled(found, place)))
        yield replace(made, maybe_person=made.person) if where and is_subject else made
        yield from _inside(phrase, place, made.rank)
    for owner in _OWNER.finditer(found.body):
        if owner["kind"] in LISTS["people"]:
            yield Referent(owner[1], 1.5, person=True, maybe_person=True, gender=gender_of_noun(owner["kind"]))
        elif not owner["kind"] and owner[1].split()[0] not in LISTS["openers"] and owner.start() > 0:
            name = owner[1][0].upper() + owner[1][1:]
            if (gender := gender_of(name)) or name == owner[1]:
                yield Referent(name, 1.5, True, person=bool(gender), maybe_person=True, gender=gender)


_OWNER = re.compile(
    r"\b((?:my|our|your|[A-ZÀ-Þ][\w.]*['’]s) (?P<kind>[a-z]+)|[A-ZÀ-Þ][\w.]*(?: [A-ZÀ-Þ][\w.]*)*"
    rf"|(?<= )[a-z]{{3,}}(?=['’]s [a-z]))['’]s\b(?! {FIRM}\b)"
)
"""'my brother' of 'my brother's birthday', 'Olga' of 'Olga's', 'theo' of 'when is theo's trip?'"""


_IS_DOING = re.compile(r"who (?:is|was) \w{2,}ing (?!of\b|for\b)[^?!.]+", re.IGNORECASE)
"""'who is telling the story?'"""

_SELF = {"himself": "he", "herself": "she"}
_SAID_OF = re.compile(r"(?:[a-z]+[ai]ble|in|due|present|absent|liable|entitled)\b")
_TIMES = frozenset("date time day year month week evening hour".split())
_KINDS_OF = _TIMES | set("kind kinds sort sorts type types way ways".split())
"""What only says how something is asked for: 'which ways of heating the hall', 'what date'; not 'which two kinds'."""

_NO_THINGS = set(
    "difference differences reason reasons point matter wrong special new missing left default living".split()
)


def _is_no_thing(found: Parts, place: int) -> bool:
    """Whether a phrase names nothing that is spoken of again: a pronoun, a time, a number, 'what date', 'this', 'by
    default', what is said of whoever is asked for ('who is responsible for it?'), the end of a title, or the first word
    of a sentence, whose capital says nothing."""
    phrase = found.phrases[place]
    if phrase.pronoun or not phrase.words or written_type(phrase.text) or phrase.text[0].isdecimal():
        return True
    kind, _, of = phrase.text.casefold().partition(" of ")
    if phrase.role == "asked" and kind.split()[-1] in (_KINDS_OF if of else _TIMES):
        return True
    points = phrase.first in LISTS["personal"] or phrase.first in ("this", "that", "these", "those")
    opens = phrase.start == found.lead and phrase.role == "object" and " " not in phrase.text
    opens = opens and not (found.verb and phrase.text.islower())  # 'backticks don't work'
    bare = [word for word in phrase.text.casefold().split(" of ")[0].split() if word not in ("first", "last")][:2]
    ordinal = (phrase.noun in _NO_THINGS and phrase.noun in bare) or phrase.text.casefold() in ("first", "last", "next")
    said_of = _SAID_OF.match(phrase.text) is not None and WHO.match(found.body) is not None
    return (
        points or opens or ordinal or said_of or _is_manner(phrase) or (place > 0 and bool(_titled(found, place - 1)))
    )


_NAME_INSIDE = re.compile(r"\b(?:of|in|for|between) ((?:the )?[A-ZÀ-Þ][\w'’./-]*(?: [A-ZÀ-Þ\d][\w'’./-]*)*)$")
_CALLED = frozenset("name title codename subtitle nickname".split())
"""Attributes that nothing is said of but of what they are of."""


def _inside(phrase: Phrase, place: int, rank: float) -> Iterator[Referent]:
    """What a phrase has inside it: the name or thing behind 'of', where it is not one name as a whole ('the Bank of
    England'). `rank` is that of the phrase."""
    if phrase.text.split(" of ")[0][-1:].isalpha() and re.search(r"[A-Z]\w* (?:of|for|in) ", phrase.text):
        return
    behind = _ORDER[phrase.role] + 0.5 + place / 100
    if name := _NAME_INSIDE.search(phrase.text):
        attribute = phrase.noun in LISTS["attributes"]
        maybe_person = name[1].isalpha() and not (phrase.noun in LISTS["people"] or attribute)
        yield Referent(name[1], rank - 0.1 if attribute else 1.0 + place / 100, True, maybe_person=maybe_person)
    elif own := re.search(r"\bof ((?:the|my|our|your|his|her|their|[A-ZÀ-Þ]\w*['’]s)(?: \w+)? [\w-]+)$", phrase.text):
        kind = own[1].split()[-1]
        person = kind in LISTS["people"] and phrase.noun not in _CALLED
        gender = gender_of_noun(kind) if person else ""
        yield Referent(own[1], rank - 0.1 if phrase.noun in _CALLED else behind, False, person, person, gender=gender)
    elif phrase.noun in LISTS["measured"] and (bare := re.search(r"\bof ([a-z][\w-]+)$", phrase.text)):
        yield Referent(bare[1], behind)
    elif phrase.plural and (kind := re.search(r"\bof ([a-z-]+(?: [a-z-]+)?)$", phrase.text)):
        one = referent_of(kind[1], replace(phrase, text=kind[1]), 0.0, False)
        if not (one.plural or one.noun in LISTS["people"]):  # 'the symptoms of dengue fever'
            yield replace(one, rank=behind)


def _titled(found: Parts, place: int) -> str:
    """The title of a work that reads as two phrases: 'Castes in India' in 'who wrote Castes in India'; else empty."""
    phrase, verb = found.phrases[place], found.verb
    if not verb or found.does.casefold() not in LISTS["making"] or place + 1 == len(found.phrases):
        return ""
    later = found.phrases[place + 1]
    joined = later.preposition and later.whole - phrase.end == 1 and phrase.start >= verb[1]
    capitals = all(one.text.split()[-1][0].isupper() for one in (phrase, later)) and not written_type(later.text)
    return found.text[phrase.start : later.end] if joined and capitals else ""


def _is_made(found: Parts, phrase: Phrase) -> bool:
    """Whether it is a work: Low Water of 'who painted Low Water?', 'where is the man who painted Low Water?'"""
    does = {found.does.casefold(), *found.text[: phrase.start].casefold().split()[-1:]}
    return not does.isdisjoint((*LISTS["making"], *_MADE))


_MADE = tuple(
    "founded started launched created invented developed built designed produced set maintains owns runs".split()
)

INSIDE = 2.5
"""How much less a thing is spoken of that only says which other, as the moon in 'the distance of the moon'."""


def _is_mass(phrase: Phrase) -> bool:
    return " " not in phrase.text and phrase.text.islower() and not phrase.plural


def _is_manner(phrase: Phrase) -> bool:
    """Whether it says how, and is no thing that is spoken of: a bare noun behind a preposition, as in 'by default'."""
    if phrase.preposition == "without":
        return True
    return bool(phrase.preposition) and " " not in phrase.text and not phrase.named and not phrase.plural


_ARTICLES, _OF_ONE = ("the", "a", "an"), ("is", "was", "does", "has")
_NOT_ONE = tuple("another any some no other others more what every each all both something".split())


def _definite(text: str) -> str:
    first, _, rest = text.partition(" ")
    if first.casefold() in LISTS["determiners"] and first[0].isupper():
        text = text[0].lower() + text[1:]
    return f"the {rest}" if rest and first.casefold() in ("a", "an", "another") else text


_IN_PLACE = ("in", "at", "near")
_PLACES = (*_IN_PLACE, "on", "from", "to", "outside", "into")


def referent_of(text: str, phrase: Phrase, rank: float, about: bool) -> Referent:
    """What a phrase names, and whether that is a person, a place, or could be a person. `about`: the question is who
    that is."""
    noun, placed = phrase.noun, phrase.preposition if phrase.named and phrase.preposition in _PLACES else ""
    role = (noun in LISTS["people"] or noun.endswith(("man", "woman", "ist"))) and noun in re.findall(r"\w+", text)
    titled = TITLED.match(text) is not None or looks_like_a_person(text, phrase.preposition)
    first_name = text in FIRST_NAMES and phrase.preposition not in _IN_PLACE
    person = about or role or first_name or (titled and not re.search(r"['’]s? ", text))
    bare_name = phrase.named and phrase.first not in ("the", "a", "an", "my", "your", "our")
    bare_name = bare_name and all_capitals(text) and not re.search(r" of |['’]s\b|[()=/\d_]", text)
    maybe = person or (bare_name and phrase.preposition not in _IN_PLACE)
    gender = gender_of(text) if maybe else ""
    gender = gender_of_noun(noun) if role else gender
    rank += bool(placed) - NAMED * phrase.named
    group = phrase.named and noun in LISTS["groups"] and not person
    return Referent(text, rank, phrase.named, person, maybe, phrase.plural, placed, gender, about, group=group)

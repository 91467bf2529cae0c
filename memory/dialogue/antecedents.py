"""What a pronoun can stand for."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from clew.memory.dialogue.answer_names import done_by
from clew.memory.dialogue.binding import HE, IT, KINDS, SHE, THEY, explained, is_expletive
from clew.memory.dialogue.phrases import A_PLACE, Referent
from clew.memory.dialogue.referents import Said
from clew.memory.dialogue.word_classes import LISTS, past, several
from clew.memory.dialogue.written_types import written_type

BACK, FAR = 3, 8
"""Turns that are looked through for what a word stands for; where none of these has it, for what was asked about."""


def candidates(
    low: str, turns: Sequence[Said], *, quantity: bool = False, library: Said | None = None
) -> Iterator[Referent]:
    """What a pronoun can stand for, likeliest first. `quantity`: something is done to it that is done to numbers;
    `library`: what all documents are about."""
    told: list[Referent] = []  # what an answer tells of comes behind what was asked about a turn before
    for turn in turns[:BACK]:
        asked = () if _waits(turn, low) else turn.asked  # whoever that was is still spoken of
        if low in HE or low in SHE:
            yield from _people(turn, asked, "he" if low in HE else "she")
            yield from filter(_is_animal, asked)
        elif low in IT:
            yield from _asked_for(turn, quantity)
            things = [one for one in asked if not is_place(one)]
            yield from _things(turn, things if quantity else [_measured(one) for one in things], low, library)
        else:
            yield from (*_several(turn, asked, own=low in ("their", "theirs")), *told)
            told = [one for one in turn.answer.told if one.plural]
    yield from told
    yield from _further(low, turns)


def _people(turn: Said, asked: Sequence[Referent], gender: str) -> Iterator[Referent]:
    """What 'he' or 'she' can stand for: whoever answered 'who', then who was asked about, named and told of."""
    focus = [turn.answer.focus] if turn.answer.focus else []
    new = [one for one in (*focus, *turn.answer.names) if not _is_said(one, turn)] if _asks_who(turn) else []
    named = (one for one in (*asked, *turn.answer.names) if one.person or one in asked)
    ranked = [*new, *named, *focus, *(one for one in turn.answer.told if one.person)]

    def rank(one: Referent) -> int:
        if one in new and done_by(one.text, turn.parts.does, turn.answer.opening):
            return -1
        if one.person and one.gender:
            return 0
        return 1 if one in (*new, *asked) else 3 - one.person

    ranked.sort(key=rank)
    return (one for one in ranked if one.maybe_person and one.gender in ("", gender) and not one.plural)


def _asks_who(turn: Said) -> bool:
    """Whether the answer has to name somebody: not where it asks who that is whom it names."""
    subject = turn.parts.subject.text if turn.parts.subject else ""
    if any(one.about and one.text == subject for one in turn.asked):
        return False
    return re.match(r"(?:by |to |from |with |for )?whom?\b", turn.parts.body, re.IGNORECASE) is not None


def _asked_for(turn: Said, quantity: bool) -> Iterator[Referent]:
    """What the question asked for, as 'it': the one thing that answered it, and how many there are."""
    focus = turn.answer.focus
    if focus and (focus.named or " " in focus.text) and _asks_which(turn) and not focus.maybe_person:
        yield focus
    if quantity and (wanted := turn.parts.wanted) and re.match(r"how many\b", turn.parts.body, re.IGNORECASE):
        yield Referent(f"the number of {wanted.text}", 0.0)


def _things(turn: Said, asked: Sequence[Referent], low: str, library: Said | None) -> Iterator[Referent]:
    """What 'it' can stand for: the topic, then the things of the question, then those of the answer."""
    if turn.topic and turn.under_topic and not turn.topic.person and not turn.topic.plural:
        yield turn.topic
    yield from _object_asked_for(turn)
    things = sorted((one for one in asked if not (one.person or one.plural or one.aside or one.gender)), key=_rank)
    if low == "its":  # of 'the insurance of the van' the van, where the library has that
        things.sort(key=lambda one: one.rank - 0.5 * one.known)
    yield from (one for one in things if not one.maybe_person)
    yield from _free_relative(turn)
    yield from (one for one in things if one.maybe_person)
    yield from library.asked if library else ()
    where = turn.parts.asks.casefold() == "where"  # 'at the Bear Inn'
    yield from (
        one for one in turn.answer.names[:2] if _is_thing(one) and (not one.placed or (where and one.placed == "at"))
    )
    if not asked:
        yield from (one for one in (turn.answer.focus, *turn.answer.told) if one and _is_thing(one))


_OF = re.compile(r"the (?:\w+ )?(\w+) of (.+)")


def _measured(one: Referent) -> Referent:
    """Behind the thing itself, where it is a measure of it: the deductible of the policy."""
    found = _OF.fullmatch(one.text)
    return replace(one, rank=one.rank + MEASURED) if found and found[1].casefold() in LISTS["measured"] else one


MEASURED = 2.0


def _rank(one: Referent) -> float:
    return one.rank


def _object_asked_for(turn: Said) -> Iterator[Referent]:
    """What the answer begins with, where the question leaves its object open: Ibuprofen after 'what did she prescribe
    for my knee?'; and what was chosen of two."""
    found = turn.parts
    chosen = turn.listed[0] if len(turn.listed) == 2 else ""
    if chosen and re.search(rf"\b{re.escape(chosen)} (?:over|instead of|rather than) ", turn.answer.opening):
        yield Referent(chosen, 0.0, True)
    opens = found.asks.casefold() == "what" and found.helper in ("do", "does", "did") and found.verb is not None
    if not opens or any(one.role == "object" for one in found.phrases) or not turn.answer.opening:
        return
    begins = _BEGINS.match(turn.answer.opening)
    if begins and begins[0].casefold() not in _NO_OBJECT:
        yield Referent(begins[0], 0.0, True)
    yield from _free_relative(turn)


_BEGINS = re.compile(r"[A-ZÀ-Þ][\w-]+(?=\.$| \d| for | twice | once |, )")
"""'Ibuprofen 400 mg'"""


_NO_OBJECT = frozenset().union(
    *(LISTS[name] for name in ("determiners", "pronouns", "prepositions", "more_prepositions", "subordinators"))
)
"""What an answer may begin with before a number: 'On 9 June'"""


def _several(turn: Said, asked: Sequence[Referent], *, own: bool = False) -> Iterator[Referent]:
    """What 'they' can stand for; who did it, where that is a firm, or may be one and they `own` something ('their
    number')."""
    focus = turn.answer.focus
    group = _asks_which_group(turn)
    who = focus is not None and focus.named and _asks_who(turn) and not focus.gender
    if focus and (group or (who and (own or not focus.maybe_person))):
        yield replace(focus, text=focus.text[0].upper() + focus.text[1:]) if group else focus
    subject = turn.parts.subject
    if subject and subject.named and turn.who and turn.parts.does.casefold() in _TOGETHER:
        yield Referent(f"{subject.text} and {turn.who}", 0.0, True, plural=True)
    several = (one for one in asked if one.plural or (one.group and not one.placed))
    yield from (one for one in several if not one.text.startswith(("all ", "no ")))
    if pair := both_of(turn):
        yield pair
    yield from (one for one in (*turn.answer.names, turn.answer.focus) if one and one.plural)
    yield from () if own else _some(turn)


_TOGETHER = ("marry", "married", "meet", "met", "divorce", "divorced")
"""What two do: 'they' of 'how many children did they have?' after 'who did Mr Feld marry?'"""


def _asks_which_group(turn: Said) -> bool:
    """'Which firm repaired the boiler?'"""
    asks = turn.parts.asks.casefold().split()
    wanted = turn.parts.wanted
    return asks[:1] in (["which"], ["what"]) and wanted is not None and wanted.noun in (*LISTS["groups"], *_FIRMS)


_FIRMS = ("firm", "band", "shop", "brand", "manufacturer", "supplier", "airline", "publisher", "insurer")


def _is_animal(one: Referent) -> bool:
    """What tales call 'he' or 'she'; behind the people of its turn."""
    return one.text.removeprefix("the ") in _ANIMALS and not (one.plural or one.placed)


_ANIMALS = frozenset(
    "animal ape ass badger bear bee bird boar bull calf cat cock cow crow deer dog dolphin donkey dove dragon duck"
    " duckling eagle elephant fish fly fox frog giant goat goose hare hawk hedgehog hen horse kid lamb lion mare monkey"
    " mouse owl ox parrot pig pigeon pony puppy rabbit ram rat raven robin rooster sheep snake sparrow spider squirrel"
    " stork swan tiger toad turtle whale wolf worm wren".split()
)


def _further(low: str, turns: Sequence[Said]) -> Iterator[Referent]:
    """What else a pronoun can stand for: two who were named apart, what was said in passing, what was spoken of long
    before."""
    lately = [one for turn in turns[:BACK] for one in turn.asked]
    long_before = [one for turn in turns[BACK:FAR] for one in turn.asked if one.named or one.text[:4] == "the "]
    named = [one for one in lately if one.named and not (one.person or is_place(one)) and "'s " not in one.text]
    if low in HE or low in SHE:
        gender = "he" if low in HE else "she"
        people = (one for turn in turns[BACK:FAR] for one in turn.asked if one.person and one.named and not one.plural)
        yield from (one for one in people if one.gender in ("", gender))
    if low in IT:
        yield from (one for one in lately if one.aside and not one.person)
        yield from (
            one for turn in turns[:1] for one in (turn.answer.focus, *turn.answer.told) if one and _is_thing(one)
        )
        yield from (one for one in long_before if _is_thing(one) and not is_place(one))
        yield from (one for one in named if not one.plural)
    elif low in THEY:
        if couple := _couple(turns):
            yield couple
        yield from (one for one in long_before if one.plural and not one.person)
        if low == "them":
            the = (one for one in lately if one.text[:4] == "the " and one.text.islower() and _is_thing(one))
            the = (one for one in the if not _is_animal(one))
            yield from (Referent(several(one.text), 1.0, plural=True) for one in the)
        yield from (one for one in named if " " in one.text or not one.maybe_person)


def _is_said(one: Referent, turn: Said) -> bool:
    """Whether the question of its turn names it already, perhaps without its title: 'Fogg' for 'Mr. Fogg'."""
    return one.text in turn.question or any(f" {other.text}" in one.text for other in turn.asked if other.named)


def _couple(turns: Sequence[Said]) -> Referent | None:
    """The last two people who were spoken of."""
    people: list[str] = []
    for turn in turns[:BACK]:
        for one in (*turn.asked, *([turn.answer.focus] if turn.answer.focus else []), *turn.answer.names):
            known = any(one.text in other or other in one.text for other in people)
            if one.person and one.named and not (one.plural or known or re.search("['’]s? ", one.text)):
                people.append(one.text)
    return Referent(f"{people[0]} and {people[1]}", 0.0, True, plural=True) if len(people) == 2 else None


def is_place(one: Referent) -> bool:
    """Whether something was said to be there: Leeds of 'in Leeds', which 'it' does not stand for; not `etc/hosts`, and
    what is done on the Moon says something of it."""
    return one.placed not in ("", "on", A_PLACE) and re.search(r"[()=/_]", one.text) is None


def _is_thing(one: Referent) -> bool:
    return not (one.person or one.maybe_person or one.plural or one.gender)


def _asks_which(turn: Said) -> bool:
    """Whether the answer has to name one thing, which is then what is spoken of: 'which rover landed on Mars?', 'what
    is the capital?'"""
    found = turn.parts
    asked = found.asks.casefold().split()[:1]
    if re.match(r"which of ", found.body, re.IGNORECASE):
        return True
    if asked == ["which"] and (found.wanted or found.verb):
        return found.wanted is None or not found.wanted.plural
    only = found.subject is None or found.subject.first == "the" or "'s " in found.subject.text
    return asked == ["what"] and found.wanted is None and found.aux is not None and found.verb is None and only


_SOME = ("a", "an", "one", "some")


def _some(turn: Said) -> Iterator[Referent]:
    """What 'they' stands for after a thing of a kind: 'timeouts' after 'how do I set a timeout?'"""
    for phrase in turn.parts.phrases if turn.parts.helper not in ("is", "was") or turn.parts.verb else ():
        if phrase.first in _SOME[:2] and phrase.role in ("subject", "object"):
            yield Referent(several(phrase.text.split(" ", 1)[1]), 1.0, plural=True)


def both_of(turn: Said) -> Referent | None:
    """The two that were compared, in one: 'the flights' for 'our flight' and 'the flight back'."""
    no_thing = {*_SOME, *LISTS["pronouns"]}
    if len(turn.listed) != 2 or any(written_type(one) or one.split()[0].casefold() in no_thing for one in turn.listed):
        return None
    subject = turn.parts.subject
    if turn.put and subject and subject.named and not any(subject.text in item for item in turn.listed):
        return None  # of the two that took each other's place whoever is spoken of is neither
    one, other = (item.split() for item in turn.listed)
    if one[-1].islower() and one[-1] in other:
        return Referent(f"the {one[-1]}{'' if one[-1].endswith('s') else 's'}", 0.0, plural=True)
    return Referent(" and ".join(turn.listed), 0.0, plural=True)


def _waits(turn: Said, low: str) -> bool:
    """The question of this turn has a pronoun of this kind for which nothing was found."""
    kind = next(forms for forms in KINDS if low in forms)
    waiting = [one for one in turn.parts.tokens if one.low in kind]
    return (
        bool(waiting)
        and not any(explained(turn.parts, one.start, one.low) for one in waiting)
        and not (kind is IT and any(is_expletive(turn.parts, one.start) for one in waiting))
    )


def _free_relative(turn: Said) -> Iterator[Referent]:
    """What was asked for, as a thing: 'what the vet cost' after 'what did the vet cost?'"""
    found = turn.parts
    if not (found.asked and found.aux and found.verb and found.subject):
        return
    asked, aux, verb = found.asks.casefold(), found.helper, found.does
    if asked == "what" and aux == "did" and not found.subject.pronoun:
        yield Referent(f"what {found.subject.text} {past(verb)}", 3.0)
    goes_on = re.match(r" (for|to|at|about|with|on)\b(?! \w+ing)", found.text[found.verb[1] :])
    if asked == "what" and aux in ("was", "is") and verb.endswith("ing") and goes_on and not found.subject.pronoun:
        yield Referent(f"what {found.subject.text} {aux} {verb} {goes_on[1]}", 3.0)

"""What the words of a question stand for that point back: pronouns, 'there', 'the other one', 'which of the two'.

The nearest turn comes first, and in it what is likeliest to be spoken of again (`referents.py`); number and gender
agree.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from clew.memory.dialogue.answer_names import gender_of, gender_of_noun
from clew.memory.dialogue.antecedents import candidates
from clew.memory.dialogue.binding import (
    HE,
    IT,
    KINDS,
    SHE,
    THEY,
    are_people,
    explained,
    is_expletive,
    is_object,
    is_told_before,
)
from clew.memory.dialogue.deeds import Replacement, deeds, takes_long
from clew.memory.dialogue.phrases import Parts, Referent
from clew.memory.dialogue.pointing import both, counted, ones, places, pointed, shortened
from clew.memory.dialogue.question_parser import parts
from clew.memory.dialogue.referents import Said
from clew.memory.dialogue.word_classes import LISTS, QuestionToken, replaced, singular
from clew.memory.dialogue.written_types import TIMES, written_type

Nearness = Callable[[Sequence[str]], Sequence[float]]
"""How near the nearest passage is to each of some questions, as a cosine."""


class Held(NamedTuple):
    """What the documents tell of what a pronoun stands for. `subject`: what all of them are about, likelier than what
    only an answer tells of. `nearness`: which question they answer."""

    subject: Said | None = None
    nearness: Nearness | None = None


def standing_for(question: str, turns: Sequence[Said], held: Held | None = None) -> tuple[str, list[str]]:
    """The question with names for what points back, and what stands for what; `turns`: newest first."""
    found, done = parts(question), list(deeds(question, turns))
    pieces, why, people = _pronouns(found, turns, held or Held(), {end for _, end, *_ in done})
    for start, end, new, reason in (
        *done,
        *counted(question, turns),
        *_one(question, found, turns),
        *places(question, turns),
        *both(question, turns),
        *ones(question, found, turns),
    ):
        if all(end <= one[0] or start >= one[1] for one in pieces):
            pieces.append((start, end, new))
            why.append(reason)
    if not pieces:
        pieces, why = pointed(question, found, turns)
    if not pieces:
        return question, why
    text = _once_only(replaced(question, pieces), people)
    return (text if _one_thing(found) else agreeing(text, found)), why


def _pronouns(
    found: Parts, turns: Sequence[Said], held: Held, taken: Set[int]
) -> tuple[list[tuple[int, int, str]], list[str], list[Referent]]:
    """The pieces to replace for pronouns, why, and whom they stand for: one thing for all of a kind ('he', 'him',
    'his'), that of 'they' first. None for those that end where something is `taken`: the 'it' of 'do it'."""
    question, pieces, why = found.text, list[tuple[int, int, str]](), list[str]()
    chosen: dict[int, Referent | None] = {}
    several = [token for token in found.tokens if token.low in THEY]
    for token in [*several, *(one for one in found.tokens if one not in several)]:
        low = token.low
        kind = next((place for place, forms in enumerate(KINDS) if low in forms), None)
        if low == "them" and turns and turns[0].listed and _OF_THEM.search(question[: token.start]):
            continue  # of what was listed
        if (
            kind is None
            or token.end in taken
            or (low in IT and is_expletive(found, token.start))
            or explained(found, token.start, low)
        ):
            continue
        if kind not in chosen:
            others = {one.text for one in chosen.values() if one}
            chosen[kind] = it = _likeliest(found, token, turns, held, others)
            why += [f"'{token.text}' is {it.text}"] if it else []
        owns = low in ("its", "his", "her", "their", "theirs")
        if (it := chosen[kind]) and not (owns and any(new.startswith(it.text) for _, _, new in pieces)):
            pieces.append(_piece(found, token, KINDS[kind][low], it))  # but 'does Radu keep his pets'
    people = [replace(one, person=True, gender=("he", "she")[kind]) for kind, one in chosen.items() if one and kind < 2]
    return pieces, why, people


def _likeliest(
    found: Parts, token: QuestionToken, turns: Sequence[Said], held: Held, taken: set[str]
) -> Referent | None:
    """What a pronoun stands for; None for nothing, and where the question names that itself."""
    likely = candidates(token.low, turns, quantity=_of_a_number(found), library=held.subject)
    if event := takes_long(found, turns):
        return Referent(event, 0.0)
    if token.low in IT and re.search(r"\b(?:on|onto|in|into|at|to) $", found.text[: token.start].casefold()):
        likely = (one for one in likely if one.noun not in LISTS["attributes"])  # no one walks on a price
    if token.low in IT and re.search(r"\b(?:in|on|at|into|from) $", found.text[: token.start]):
        likely = (one for one in likely if not one.text.startswith("what "))  # 'which animals were in it?'
    if token.low in HE or token.low in SHE:
        likely = (one for one in likely if not (owned := _OWNED.search(one.text)) or _is_somebody(owned[1]))
    if token.low == "they" and found.verb and found.does.casefold() not in _TELLING:
        likely = (one for one in likely if one.named or singular(one.noun) not in _TEXTS)
    if token.low == "they" and are_people(found):
        likely = (one for one in likely if _can_act(one))
    if token.low == "its":
        likely = (_owner(one, found, token.end) for one in likely)
    timeless = (_untimed(one, found) for one in likely)
    apart = (one for one in timeless if _apart(one, taken))
    it = next(apart, None)
    if it is None or it.text.casefold() in found.text.casefold():
        return None
    if held.nearness is None or it.gender:
        return it
    rivals = _rivals(it, [*turns, *([held.subject] if held.subject else [])])
    others = islice((one for one in apart if one.text in rivals), OTHERS)
    return _nearest(found, token, [it, *others], held.nearness)


def _rivals(it: Referent, turns: Sequence[Said]) -> set[str]:
    """What was asked about, and may be meant instead; where the newest question has named the likeliest by itself, of
    earlier turns only names: 'is it paid back?' after 'and the deposit?' is no longer about the rent."""
    newest = turns[0]
    own = {one.text for one in newest.asked}
    moved_on = it.text in own and not newest.under_topic
    return {one.text for turn in turns for one in turn.asked if one.named or one.text in own or not moved_on}


def _is_somebody(noun: str) -> bool:
    return noun in LISTS["people"] or gender_of_noun(noun) != "" or noun.endswith(("man", "woman", "er", "or", "ist"))


_OWNED = re.compile(r"['’]s? ([a-z]+)$")
"""'the miller of Vell's name' is nobody, 'the miller's wife' is."""

OTHERS, NEARER, BEHIND = 7, 0.12, 0.01
"""How many others a pronoun may stand for that are asked of the documents; how much nearer the question has to be with
one of them, and for each place that it comes later."""


def _nearest(found: Parts, token: QuestionToken, likely: Sequence[Referent], nearness: Nearness) -> Referent:
    """The first, or another with which the documents hold something much nearer to the question: 'does the port cache
    pages' is nothing that they tell of, 'does Privoxy cache pages' is."""
    others = {one.text: one for one in likely if one.text.casefold() not in found.text.casefold()}
    form = next(forms for forms in KINDS if token.low in forms)[token.low]
    asked = [replaced(found.text, [_piece(found, token, form, one)]) for one in others.values()]
    if len(asked) < 2:
        return likely[0]
    first, *rest = nearness(asked)
    gains = [near - first - NEARER - BEHIND * place for place, near in enumerate(rest)]
    best = max(range(len(rest)), key=gains.__getitem__)
    return [*others.values()][best + 1] if gains[best] > 0 else likely[0]


_TEXTS = LISTS["texts"] | set("story tale note file paper letter book folder".split())
"""What does nothing itself but tell: 'how did they get it up?' after 'which stories are there?'"""

_TELLING = frozenset("say tell mention cover contain describe explain deal begin start end have come".split())


def _can_act(one: Referent) -> bool:
    """Whether it may be people, who pay and decide: not 'the riggers'."""
    people = singular(one.noun) in LISTS["people"] or " and " in one.text
    return one.person or one.maybe_person or one.group or (one.named and one.plural) or people


def _piece(found: Parts, token: QuestionToken, form: str, it: Referent) -> tuple[int, int, str]:
    """Where the pronoun stands, and what takes its place: the thing in this `form`, and a verb that it was shortened
    with."""
    if token.low == "her" and is_object(found, token.end):
        form = "{}"
    bare = it.plural and it.text.islower() and " " not in it.text
    the = "the " if bare and found.text[: token.start].endswith("of ") else ""
    end, verb = shortened(found.text, token.end) if form == "{}" else (token.end, "")
    return token.start, end, the + _possessive(form, it) + verb


def _one_thing(found: Parts) -> bool:
    """Whether the question is about one thing ('is it free', 'what is the first one for'), so that its verb stays
    singular whatever the name ends in."""
    subject = found.subject
    return subject is not None and (subject.text.casefold() in ("it", "this", "that") or subject.noun == "one")


def put_for_pronoun(question: str, thing: str) -> str:
    """'What is the keeper's number' for 'what is her number' where the keeper is meant; empty where that is no thing of
    its own, or the question has no pronoun."""
    named = parts(thing).phrases
    found = parts(question)
    waiting = [token for token in found.tokens if any(token.low in forms for forms in KINDS)]
    if len(named) != 1 or not (named[0].named or named[0].definite) or not waiting:
        return ""
    it = Referent(thing, 0.0, plural=named[0].plural)
    form = next(forms for forms in KINDS if waiting[0].low in forms)
    pieces = [_piece(found, token, form[token.low], it) for token in waiting if token.low in form]
    return agreeing(_once_only(replaced(question, pieces), [it]), found)


_COUNTED = re.compile(r"how many (?:of the )?(?P<kind>[a-z-]+s)\b", re.IGNORECASE)
_WHICH_ONE = re.compile(r"\b(?:which|that|this|the|each|every|any|ought) $", re.IGNORECASE)
_OF_THEM = re.compile(r"which (?:one )?of $", re.IGNORECASE)


def _of_a_number(found: Parts) -> bool:
    """Whether it asks for something that is done to numbers, or said of them: 'can it be raised?', 'was it higher?'"""
    return found.does.casefold() in LISTS["of_numbers"] or _SAID_OF_NUMBERS.search(found.text) is not None


_SAID_OF_NUMBERS = re.compile(
    r"\b(?:is|was) it (?:\w+ly |much |still )?(?:high|low|more|less|much|fixed|due|paid|correct|right|enough|growing)"
    r"|\b(?:get|gets|got) it (?:wrong|right)\b",
    re.IGNORECASE,
)


def _untimed(one: Referent, found: Parts) -> Referent:
    """The thing without its time, where the question has one of its own: 'was it high in May?' after 'the pulse in
    June' is about the pulse."""
    if not any(written_type(phrase.text) in TIMES for phrase in found.phrases if phrase.preposition):
        return one
    times = [p for p in parts(one.text).phrases if p.preposition and written_type(p.text) in TIMES]
    return replace(one, text=one.text[: times[0].whole].rstrip()) if times and times[0].whole else one


_ATTRIBUTE = re.compile(r"(?P<of>.+)['’]s? (?P<noun>\w+)|the (?P<first>\w+) of (?P<whose>.+)")


def _owner(one: Referent, found: Parts, end: int) -> Referent:
    """The owner of an attribute where another attribute is asked for: 'and its price?' after 'numpy's licence' is about
    numpy."""
    part = _ATTRIBUTE.fullmatch(one.text)
    own = re.match(r"\s+(\w+)", found.text[end:])
    if part and own and {part["noun"] or part["first"], own[1].casefold()} <= LISTS["attributes"]:
        return replace(one, text=part["of"] or part["whose"])
    return one


def _apart(one: Referent, taken: set[str]) -> bool:
    """Whether it is none of those that the question's other pronouns stand for, alone or in a pair."""
    return not any(one.text == other or f"{one.text} and " in other or f" and {one.text}" in other for other in taken)


def _one(question: str, found: Parts, turns: Sequence[Said]) -> Iterator[Replacement]:
    """What 'one' stands for: 'a new chain' in 'how do I fit one?' after 'how much is a new chain?'"""
    pair = next((turn.listed for turn in turns[:3] if len(turn.listed) == 2), ())
    each = re.search(r"\b(one)\b(?: \w+)* (the other)\b", question, re.IGNORECASE)
    if each and pair:
        yield from ((*each.span(n), new, f"'{each[n]}' is {new}") for n, new in enumerate(pair, 1))
        return
    for phrase in found.phrases:
        if not phrase.pronoun or phrase.text.casefold() != "one" or phrase.role == "subject":
            continue
        if found.fragment and phrase.preposition in ("with", "without"):
            continue  # 'and without one?'
        if _WHICH_ONE.search(question[: phrase.start]):
            continue  # 'which one is taken', 'any examples of that one', 'how often ought one to tune'
        before = (one for one in found.phrases if one.end < phrase.start and (one.plural or one.first in ("a", "an")))
        if any(is_told_before(found, one) for one in before):
            continue  # 'I have beds - how do I open one?'
        spoken = (_again_one(turns), *(_one_of(turn, newest=turn is turns[0]) for turn in turns[:2]))
        if new := next((one for one in spoken if one and one not in question), ""):
            yield phrase.start, phrase.end, new, f"'{phrase.text}' is {new}"
        return


def _again_one(turns: Sequence[Said]) -> str:
    """'A boat' where the newest question is about 'the boat', which was any one before."""
    earlier = " ".join(turn.question for turn in turns[1:4])
    kinds = (one.text[4:] for one in turns[0].parts.phrases if one.text.startswith("the ")) if turns else ()
    return next((_a(kind) for kind in kinds if re.search(rf"\b{re.escape(_a(kind))}\b", earlier)), "")


def _one_of(turn: Said, *, newest: bool) -> str:
    """What there was one of: 'a new chain' after 'how much is a new chain?', 'an umbrella' after 'are umbrellas for
    sale?'; empty where there was none."""
    if counted := _COUNTED.match(turn.parts.body):
        return _a(singular(counted["kind"]))
    things = [one for one in turn.parts.phrases if not one.pronoun and one.text[0].islower()]
    many = [one for one in things if one.plural and one.text.islower() and one.role in ("subject", "object")]
    if newest and len(many) == 1 and many[0].first not in LISTS["determiners"]:
        return _a(singular(many[0].text))
    things = [one for one in things if not one.plural and one.noun not in LISTS["people"]]
    some = next((one for one in things if one.first in ("a", "an", "my", "your")), None)
    if some is None:
        return ""
    return _a(some.text.split(" ", 1)[1]) if some.first in ("my", "your") else some.text


def _a(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _once_only(text: str, chosen: Iterable[Referent]) -> str:
    """A person's name once, then a pronoun: 'does Radu feed Radu's cat' becomes 'does Radu feed his cat'."""
    for one in chosen:
        if text.count(one.text) > 1:
            head, _, tail = text.partition(one.text)
            own = "her" if one.gender == "she" else "his"
            text = head + one.text + re.sub(rf"{re.escape(one.text)}['’]s?\b", own, tail)
    return text


def _possessive(form: str, it: Referent) -> str:
    if form.endswith("'s") and (it.plural and it.text.endswith("s")):
        return f"{it.text}'"
    return form.format(it.text)


def waits(question: str) -> bool:
    """Whether a short question has an 'it' or a 'they' that stands for something, and does not say for what."""
    found = parts(question)
    words = [one for one in found.tokens if one.low in IT or one.low in THEY]
    return (
        bool(words)
        and len(found.tokens) <= WAITING
        and not any(one.named for one in found.phrases)
        and not any(explained(found, one.start, one.low) or is_expletive(found, one.start) for one in words)
    )


WAITING = 12
"""Words of a question that does not say what it is about."""

_OWN = re.compile(r"\b(?:his|her)\b(?= \w)")


def owning(question: str, before: Parts) -> str:
    """The question with what its subject owns: 'where does Olga keep his bike' becomes 'her bike' where `before`, from
    which it was made, had another subject."""
    subject = parts(question).subject
    if not (subject and before.subject) or subject.text == before.subject.text or subject.pronoun:
        return question
    her = gender_of(subject.text) or gender_of_noun(subject.noun)
    own = {"she": "her", "he": "his"}.get(her, "their")
    return question[: subject.end] + _OWN.sub(own, question[subject.end :])


def agreeing(question: str, before: Parts) -> str:
    """The question with its helping verb in the number of its subject: 'are the flat' becomes 'is the flat' where
    `before`, from which it was made, had another subject."""
    found = parts(question)
    subject = found.subject
    if found.wanted and found.helper in ("is", "are", "was", "were"):
        return question  # the verb is that of what is asked for: 'what other messages are a sign of it?'
    if found.asks.casefold() == "who" and found.helper in ("do", "does", "did") and not found.verb:
        return question  # 'who does the dishes?'
    if not (found.aux and subject) or subject.pronoun or (before.subject and before.subject.text == subject.text):
        return question
    aux = found.text[slice(*found.aux)]
    several = (
        subject.plural
        or found.text[subject.end :].startswith(" and ")
        or re.search(r"\w and \w(?!.*['’]s? )", subject.text) is not None
    )
    pairs = {"is": "are", "was": "were", "does": "do", "has": "have", "isn't": "aren't", "doesn't": "don't"}
    wanted = (
        pairs.get(aux.casefold(), "")
        if several
        else {one: other for other, one in pairs.items()}.get(aux.casefold(), "")
    )
    if not wanted or (not several and (subject.named or not subject.definite) and subject.text.endswith("s")):
        return question
    if several and subject.named and " and " not in subject.text:
        return question
    return question[: found.aux[0]] + (wanted.capitalize() if aux[0].isupper() else wanted) + question[found.aux[1] :]

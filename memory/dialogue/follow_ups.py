"""A question made to stand alone by rules: each question of the conversation in its turn, so that what an earlier
follow-up stood for is there for the next."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from clew.memory.datatypes import Sentence
from clew.memory.dialogue.binding import introduces
from clew.memory.dialogue.ellipsis import said_in_full
from clew.memory.dialogue.foreign_follow_ups import corrected
from clew.memory.dialogue.fragments import LEAD, another_deed, asked_of_name, asked_plainly, in_order
from clew.memory.dialogue.phrases import UNDER_TOPIC, Parts, Referent
from clew.memory.dialogue.pointing import why_not_the_other
from clew.memory.dialogue.question_parser import parts
from clew.memory.dialogue.reference import Held, Nearness, put_for_pronoun, standing_for
from clew.memory.dialogue.referents import Said, about_library, said
from clew.memory.dialogue.slots import filled, is_relative, led, same_for
from clew.memory.dialogue.topics import topic_for
from clew.memory.dialogue.utterances import is_filler, last_sentence
from clew.memory.dialogue.word_classes import LISTS
from clew.memory.dialogue.written_types import MONTH
from clew.memory.ports import Vocabulary
from clew.memory.text import content_words

LONGEST = 60
"""Words of a question; a longer one says itself what it is about."""


@dataclass(frozen=True, slots=True)
class StandingQuestion:
    """A question that stands alone; `why` says what was done to it, and is empty where nothing was. `pair`: what was
    replaced, and by what; or only what was put into the question before."""

    text: str
    why: str = ""
    pair: tuple[str, ...] = ()


def standing(
    question: str,
    history: Sequence[Sentence],
    vocabulary: Vocabulary | None = None,
    subject: str = "",
    nearness: Nearness | None = None,
) -> StandingQuestion:
    """The question with what it leaves to the conversation; `history` are the sentences before it, in order. `subject`:
    what all documents are about, which 'it' stands for where nothing else was spoken of. `nearness` chooses between
    things that are about as likely to be spoken of."""
    held = Held(about_library(subject) if subject else None, nearness)
    turns: list[Said] = []
    for number in sorted({turn for sentence in history for turn in sentence.turns}):
        asked = " ".join(s.text for s in history if number in s.turns and s.speaker == "user")
        answer = [s.text for s in history if number in s.turns and s.speaker == "agent"]
        if asked and (answer or not is_filler(asked)):
            turns.insert(0, _said(_alone(asked, turns, vocabulary, held), answer, turns, vocabulary))
    return _alone(question, turns, vocabulary, held)


def is_whole(question: str) -> bool:
    """Whether the question says what it asks. A fragment ('and in May?'), a correction ('no, I meant the van'), 'the
    other one' and 'there' do not."""
    rest, topic, corrects = led(question)
    return bool(topic) or not (corrects or parts(rest).fragment or _ELSEWHERE.search(rest))


_ELSEWHERE = re.compile(
    r"(?<!is )(?<!are )(?<!was )(?<!were )\bthere(?: as well| too| again)?\W*$|\bthe (?:other|first|second|last) one\b",
    re.IGNORECASE,
)


def _said(alone: StandingQuestion, answer: Sequence[str], turns: Sequence[Said], vocabulary: Vocabulary | None) -> Said:
    """The turn and its topic: what its question names, else, where that leans on the turn before, the topic of that."""
    made = said(alone.text, answer, vocabulary)
    people = {one.text: one.gender for turn in turns for one in turn.asked if one.about}
    people |= {
        who: "she" if word[0] in "Ss" or word.endswith(("er", "ers")) else "he"
        for word, who in _PERSON.findall(alone.why)
    }
    if len(alone.pair) == 2 and _bare(alone.pair)[0] in people:
        people[_bare(alone.pair)[1]] = ""  # who takes a person's place is one, be it of another gender
    meant = {what for _, what in _STOOD_FOR.findall(alone.why)}
    things = {one.text for turn in turns for one in turn.asked if one.named and not (one.maybe_person or one.plural)}
    things |= {what for word, what in _STOOD_FOR.findall(alone.why) if word[0] in "Ii"}
    made = replace(made, asked=tuple(_thing(one, people, things) for one in made.asked))
    stood = next((one for one in made.asked if one.text in meant), None)
    own = stood or min(made.asked, key=lambda one: (one.aside or not one.named, one.rank), default=None)
    under = UNDER_TOPIC.match(alone.text)
    earlier = turns[0].topic if turns and alone.why and (under or not alone.pair) else None
    topic = own if own and (stood or own.named or not earlier) else earlier
    if len(alone.pair) == 2:
        made = replace(made, listed=_placed(alone.pair, made.parts) or _bare(alone.pair))
    made = replace(made, put=alone.pair[-1] if alone.pair else "")
    still = stood is not None and not stood.plural  # what 'they' begin is spoken of anew
    return replace(made, topic=topic, under_topic=topic is not None and (topic is not own or still))


def _placed(pair: tuple[str, ...], found: Parts) -> tuple[str, ...]:
    """'The hotel in Oslo' and 'the hotel in Bergen', where 'in Oslo' became 'in Bergen'; else empty."""
    one, other = pair
    at = one.split()[0]
    if at not in ("in", "at", "on", "of", "for", "from", "to", "near") or other.split()[0] != at:
        return ()
    things = (thing for thing in found.phrases if found.text[thing.end :].startswith(f" {other}"))
    what = next((thing.text for thing in things if thing.first in ("the", "our", "my")), "")
    return (f"{what} {one}", f"{what} {other}") if what else ()


def _bare(pair: tuple[str, ...]) -> tuple[str, ...]:
    """The two without their preposition, where both have the same."""
    firsts = {item.split()[0] for item in pair}
    if len(firsts) == 1 and firsts <= LISTS["prepositions"] - LISTS["determiners"]:
        return tuple(item.partition(" ")[2] for item in pair)
    return pair


_STOOD_FOR = re.compile(r"'([Ii]ts?|[Tt]hey|[Tt]hem|[Tt]heir|the \w+ one)' is ([^;]+)")
_PERSON = re.compile(r"'([Hh]e|[Hh]im|[Hh]is|[Ss]he|[Hh]er|[Hh]ers)' is ([^;]+)")


def _thing(one: Referent, people: Mapping[str, str], things: Set[str]) -> Referent:
    """The thing as earlier turns had it: a person of a gender where one of `people`, no person where one of
    `things`."""
    if one.text in people:
        return replace(one, person=True, maybe_person=True, about=True, gender=one.gender or people[one.text])
    return replace(one, person=False, maybe_person=False, plural=False, gender="") if one.text in things else one


def _alone(question: str, turns: Sequence[Said], vocabulary: Vocabulary | None, held: Held) -> StandingQuestion:
    question = _BY_THE_WAY.sub("", question)
    question = corrected(question, turns[0].question) if turns else question
    if not (turns or held.subject) or len(question.split()) > LONGEST or parts(question).foreign:
        return StandingQuestion(question)
    last = last_sentence(question)
    opening = question[: question.rfind(last)].strip()
    if introduces(opening, last):
        return StandingQuestion(question)
    if opening and _ASKS_OF_THAT.fullmatch(last) and not (is_filler(opening) or opening.endswith("?")):
        text, reasons = standing_for(opening, turns, held)
        return StandingQuestion(f"{text} {last}", "; ".join(reasons))
    made = _made(last, turns, vocabulary, held) if turns else StandingQuestion(last)
    if held.subject and not made.why:
        text, why = standing_for(last, [held.subject])
        made = StandingQuestion(text, "; ".join(why))
    if not made.why:
        return StandingQuestion(question)
    if last != question and UNDER_TOPIC.match(made.text) and not UNDER_TOPIC.match(last):
        return StandingQuestion(question)  # what it is about was said in the sentence before
    if last != question:
        made = replace(made, text=question.replace(last, made.text))
    asks = parts(made.text)
    if (asks.asked or asks.aux) and made.text[-1] not in ".?!…":
        return replace(made, text=f"{made.text}?")
    return made


_ASKS_OF_THAT = re.compile(
    r"(?:(?:and|but|so|any idea|do you know)\b,? )*(?:how come|how so|why (?:so|not|ever)"
    r"|why (?:is|was|does|did) (?:that|it)|what (?:now|next|(?:should|can|must|do) (?:i|we) do(?: (?:now|then))?))\W*",
    re.IGNORECASE,
)
"""What asks of the statement before it: 'It leaks when it rains. How come?'"""

_BY_THE_WAY = re.compile(
    r",? by the way\b,?(?! of\b)|^(?:(?:ok|okay|right|now|so|and|thanks)\b[,.!]? )*"
    r"(?:(?:something|one thing) (?:else|different)|(?:an?|one)? ?(?:different|another|other|new|next|quick|more)"
    r" (?:question|thing|topic|subject)|on (?:another|a different) (?:note|subject|topic|matter)"
    r"|chang(?:e of|ing) (?:the )?(?:subject|topic))(?:\s?[:,.;]|\s[-\u2013\u2014])\s+(?=\w)",
    re.IGNORECASE,
)
"""'Something else - when is it?'"""

_WHAT_IF = re.compile(r"(?:(?:and|but|so) )?what if (?!it\b|they\b).+ (?:it|them)\W*", re.IGNORECASE)
"""'what if I miss it?' asks what then; 'what if it rains?' the question before."""

_WHAT_IF_I = re.compile(
    r"(?:(?:and|but|so) )?(?P<rest>what if (?:i|we|you|someone|somebody)(?: \w+|['’](?:m|re|ve|s)) .+)", re.IGNORECASE
)
"""What is done otherwise than it was asked about: 'what if I miss a dose?' after 'how often do I take it?'"""


_EXAMPLE = re.compile(
    r"(?:(?:(?:can|could) you )?(?:please )?(?:give|show) (?:me|us) |for )?(?:an? |one |another )?example"
    r"(?: please)?\W*",
    re.IGNORECASE,
)

_I_MEAN = re.compile(r"(?P<asks>[^?]+?)(?:\?|,| [-\u2013\u2014]) (?P<new>[^,;?]{1,40}?),? i meant?\W*", re.IGNORECASE)
"""'who was it dedicated to, 2.2 I mean'"""


_WHO_IS_THAT = re.compile(
    r"(?:(?:and|but|so)\b,? )?(?P<what>[^,;:?\u2013\u2014]{2,50}?)(?:,| ?[-:\u2013\u2014]) ?(?P<asks>who|what) "
    r"(?P<verb>is|was|are|were) (?:that|this|it|he|she|they|those|these)\W*",
    re.IGNORECASE,
)
"""'and the keeper, who was that?'"""


def _made(question: str, turns: Sequence[Said], vocabulary: Vocabulary | None, held: Held) -> StandingQuestion:
    if (meant := _I_MEAN.fullmatch(question)) and not parts(meant["asks"]).fragment:
        if said_out := put_for_pronoun(meant["asks"], meant["new"]):
            return StandingQuestion(f"{said_out}?", f"it is about {meant['new']}")
        first = _made(f"{meant['asks']}?", turns, vocabulary, held)
        return _made(f"no, {meant['new']}", [_said(first, (), turns, vocabulary), *turns], vocabulary, held)
    rest, topic, corrects = led(question)
    if topic:
        return _of_topic(topic, rest, turns, vocabulary)
    if _EXAMPLE.fullmatch(rest) and (wanted := turns[0].topic):
        return StandingQuestion(f"What is an example of {wanted.text}?", f"it is about {wanted.text}")
    if _WHAT_IF.fullmatch(rest):
        text, why = standing_for(rest, turns, held)
        if why:
            return StandingQuestion(text, "; ".join(why))
    if (otherwise := _WHAT_IF_I.fullmatch(rest)) and turns[0].parts.asks.casefold() not in ("how", "who"):
        text, why = standing_for(otherwise["rest"], turns, held)
        return StandingQuestion(text, "; ".join([*why, "it asks what then"]))
    if named := _WHO_IS_THAT.fullmatch(rest):
        asks, verb, what = named["asks"].capitalize(), named["verb"], named["what"]
        if parts(what).fragment:
            return StandingQuestion(f"{asks} {verb} {what}?", "it asks who or what that is")
    if text := why_not_the_other(rest, turns[0]):
        return StandingQuestion(text, "'the other one' is what was not chosen")
    before = parts(UNDER_TOPIC.sub("", turns[0].question)) if corrects else turns[0].parts
    last = turns[0]
    if other := _of_what_was_wanted(rest, before):
        return StandingQuestion(other, "'the one' is what was asked for")
    if full := said_in_full(rest, before, last.who) or in_order(rest, before):
        return StandingQuestion(*full)
    if deed := another_deed(rest, before):
        text, why = standing_for(deed, turns, held)
        return StandingQuestion(text, "; ".join(["something else is done than in the question before", *why]))
    whose, owners = _owned(same_for(rest, before), turns)
    short = re.sub(r"^(?:(?:and|what about|how about)\b[, ]*)+", "", rest, flags=re.IGNORECASE)
    if owners and not (parts(short).asked or parts(short).aux) and (item := _of_answer(owners[-1], last)):
        return StandingQuestion(f"What about {item}?", "; ".join(owners))
    if plain := asked_plainly(whose, before, pointed=bool(owners)) or asked_of_name(rest, before, corrects=corrects):
        return StandingQuestion(plain, "; ".join([*owners, "it asks what that is"]))
    text, reason = filled(whose, before, last, vocabulary, corrects=corrects)
    if text:
        changed = re.fullmatch(r"'(.+)' becomes '(.+)'", reason)
        new = _NEW.match(reason)
        pair = changed.groups()[corrects:] if changed else new.groups() if new else ()
        return StandingQuestion(text, "; ".join([*owners, reason]), pair=pair)
    bare = LEAD.sub("", rest, count=1) if LEAD.match(rest) else rest
    text, reasons = standing_for(bare, turns, held)
    if reasons:
        text = asked_plainly(text, last.parts, pointed=True) or _who(text)
        return StandingQuestion(text, "; ".join(reasons))
    if corrects:
        return StandingQuestion(_about_that(bare, before), "it corrects the question before")
    if loose := _fragment(rest, turns):
        return loose
    if subject := topic_for(bare, turns, vocabulary):
        text = as_for(subject.text, bare)
        if _nearer(text, bare, held.nearness):
            return StandingQuestion(text, f"it is about {subject.text}")
    return StandingQuestion(question)


def _about_that(bare: str, before: Parts) -> str:
    """'As for the return, when do we fly to Bergen?' for 'sorry, I meant the return', which takes the place of nothing;
    what is a question of its own as it is."""
    found, asks = parts(bare), before.asked or before.aux
    thing = asks and found.fragment and not found.asked and len(found.phrases) == 1 and found.phrases[0].definite
    thing = thing and found.phrases[0].noun not in ("one", "ones")
    return as_for(bare.strip(" ?.!"), before.text) if thing else bare


def _of_topic(topic: str, rest: str, turns: Sequence[Said], vocabulary: Vocabulary | None) -> StandingQuestion:
    """The `rest` of a question that names its topic before: 'back to the van: what does it cost?'"""
    about = said(f"What is {topic}?", (), vocabulary)
    text, why = standing_for(rest, [about, *turns] if about.asked else [about])
    if text == rest and not set(content_words(topic)) <= set(content_words(rest)):
        text = as_for(topic, rest)
    return StandingQuestion(text, "; ".join([f"it is about {topic}", *why]))


_THE_ONE = re.compile(
    r"(?:(?:and|but|what about)\b,? )*the ones? (?P<of>(?:of|for|from|in) [^,;?]*?)\W*", re.IGNORECASE
)
_TIMED = re.compile(rf"\b(?:\d{{4}}|year|month|week|last|before)\b|{MONTH.pattern}", re.IGNORECASE)


def _of_what_was_wanted(rest: str, before: Parts) -> str:
    """'What is the dividend of last year?' for 'the one of last year', behind 'which dividend does it propose?'"""
    one, wanted = _THE_ONE.fullmatch(rest), before.wanted
    if not one or not _TIMED.search(one["of"]) or not wanted or not before.subject:
        return ""
    if before.asks.casefold().split()[:1] not in (["which"], ["what"]):
        return ""
    return f"What {'are' if wanted.plural else 'is'} the {wanted.text} {one['of']}?"


NEARER = 0.03
"""How much nearer to the documents a question has to be with its topic, as a cosine."""


def _nearer(text: str, bare: str, nearness: Nearness | None) -> bool:
    """Whether the documents hold something nearer to the question with its topic than without."""
    if nearness is None:
        return True
    whole, own = nearness([text, bare])
    return whole >= own + NEARER


def _who(text: str) -> str:
    """'Who is Jonas Vale's wife?' of 'Jonas Vale's wife?'; other texts as they are."""
    found = parts(text)
    alone = found.fragment and not found.asked and len(found.phrases) == 1
    return f"Who is {found.phrases[0].text}?" if alone and is_relative(found.phrases[0]) else text


def _of_answer(why: str, last: Said) -> str:
    """What the answer listed, where 'the second one' is that: it answered what was asked for, and takes the place of
    nothing else in the question."""
    found = _LISTED.match(why)
    asks = last.parts.asks.casefold().split()[:1]
    listed = found is not None and any(item in found[1] for item in last.listed) and found[1] not in last.question
    return found[1] if found and listed and asks in (["which"], ["what"]) else ""


_LISTED = re.compile(r"'the (?:other|first|second|third|fourth|last|former|latter)(?: one)?' is (.+)")


def _fragment(question: str, turns: Sequence[Said]) -> StandingQuestion | None:
    """A fragment that takes the place of nothing in the question before is asked of the topic: 'and the return?'
    becomes 'as for the flight, what about the return?'"""
    lead = re.match(r"(?:(?:and|but|or)\b[, ]*)*(?:what about |how about )?", question, re.IGNORECASE)
    rest = question[lead.end() if lead else 0 :].rstrip(" ?.!")
    if re.search(r", (?:what|who|how|when|where|why|which)\b", rest):
        return None
    found, topic = parts(rest), turns[0].topic
    plain = found.fragment and not found.asked and len(found.phrases) == 1 and not found.phrases[0].pronoun
    if not (lead and lead.end() and plain and topic and found.phrases[0].first == "the"):
        return None
    if found.phrases[0].noun in LISTS["attributes"] and " of " in found.phrases[0].text:
        return StandingQuestion(f"What is {rest}?", "it asks what that is")
    if not turns[0].has_answer and any(turn.has_answer for turn in turns):
        return None
    return StandingQuestion(f"As for {topic.text}, what about {rest}?", f"it is about {topic.text}")


_NEW = re.compile(r"'(.+)' is (?:asked|added)")
_POSSESSIVE = re.compile(
    r"\b(?:his|her|its|their)\s(?!own\b)\w|\b(?:for|with|to|by|from|of) (?:him|her|it|them)\W*$", re.I
)


_POINTS = re.compile(
    rf"{_POSSESSIVE.pattern}|\bthe (?:other|first|second|third|last|former|latter)(?: one)?\W*$"
    r"|^(?:and|but|what about|how about) (?:s?he|him|her|they|them)\W*$",
    re.IGNORECASE,
)


def _owned(question: str, turns: Sequence[Said]) -> tuple[str, list[str]]:
    """A short follow-up with what its pronoun stands for, and why: 'and his wife?' becomes 'and Yuri Gagarin's
    wife?'"""
    if (
        len(question.split()) > SHORT
        or re.search(r"\w{2,}ing (?:it|them)\W*$", question)
        or not _POINTS.search(question)
        or parts(question).verb
    ):
        return question, []
    return standing_for(question, turns)


SHORT = 6
"""Words of a follow-up in which 'his' is looked for before it is put into the question before."""


def as_for(topic: str, question: str) -> str:
    """The question with what it is about before it."""
    first = question.split()[0]
    lower = first[1:].islower() or (len(first) == 1 and first != "I")
    return f"As for {topic}, {question[0].lower() + question[1:] if lower else question}"

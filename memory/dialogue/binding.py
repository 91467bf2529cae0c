"""Pronouns that need nothing from before: they stand for nothing, or the question itself says before what for. Binding
is the word of Chomsky's theory (1981)."""

import re

from clew.memory.dialogue.answer_names import gender_of_noun
from clew.memory.dialogue.phrases import Parts, Phrase
from clew.memory.dialogue.question_parser import parts
from clew.memory.dialogue.referents import referent_of
from clew.memory.dialogue.word_classes import LISTS, PARTICIPLES
from clew.memory.dialogue.written_types import TIMES, written_type

HE = {"he": "{}", "him": "{}", "his": "{}'s", "himself": "{}"}
SHE = {"she": "{}", "her": "{}'s", "hers": "{}'s", "herself": "{}"}
IT = {"it": "{}", "its": "{}'s", "itself": "{}"}
THEY = {"they": "{}", "them": "{}", "their": "{}'s", "theirs": "{}'s", "themselves": "{}"}
POINTING = ("this", "that", "these", "those")
KINDS = (HE, SHE, IT, THEY)


_TO_DO = r"to (?!the |an? |my |his |her )\w+ (?!in|on|at|with|by|from|without|after|before|when|if)\w"
_SAID_OF_DOING = re.compile(
    r"(?:is|was|be|isn't|wasn't) it (?:\w+ly |really |so |too )?(?!\w+(?:ed|ing) )(?P<said>[a-z]+) "
    rf"(?:that|if|{_TO_DO})|\w+ it (?:cost {_TO_DO}|matter (?:if|whether|that))"
)
"""'is it risky to let it run', where 'is it easy to clean?' is said of a thing."""


_OF_A_THING = PARTICIPLES | set("able likely about time".split())
TAKES = re.compile(r"how long (?:does|did|will|would|should) it (?:usually |normally )?take", re.IGNORECASE)
"""What was spoken of takes that long; 'how long does it take to get there?' says itself what does."""


def is_expletive(found: Parts, at: int) -> bool:
    """Whether the 'it' at this character stands for nothing: 'how long does it take to ...', 'is it true that ...'."""
    rest = found.text[at:].casefold()
    if TAKES.fullmatch(found.body.rstrip(" ?.!")):
        return False
    if re.match(r"it (?:between|to \w+)\b", rest) and re.search(r"\b(?:is|was|be) $", found.text[:at].casefold()):
        return True
    if re.match(r"it (?:that|who)\b", rest) and re.search(r"\b(?:is|was) $", found.text[:at].casefold()):
        return True  # 'what is it that blinks red?'
    if _CLEFT.match(found.text, at) and re.search(r"\b(?:is|was|isn't|wasn't) $", found.text[:at].casefold()):
        return True
    if re.match(r"it worth (?:it|\w+ing)\b", rest) or found.text[:at].casefold().endswith("worth "):
        return True  # 'is it worth it?'
    if _WHAT_TIME.fullmatch(found.body.rstrip(" ?.!")):
        return True
    if re.match(rf"it (?:allowed|forbidden|permitted) to \w+ {_SOMETHING}", rest) and found.lead == at - 3:
        return True  # 'is it allowed to bring drinks?'
    if re.match(r"it called (?:when|if)\b|it (?:(?:is|was|gets?|be) )?(?:(?:still|so) )?(?:rain|snow)s?\b", rest):
        return True
    if is_of_the_weather(found.text) and not rest.startswith("its"):
        return True
    if re.match(r"it (?:is |was )?(?:take(?!s? place)|true|possible|necessary|legal|safe|raining)", rest):
        return True
    done = _SAID_OF_DOING.match(found.text.casefold(), found.text.rfind(" ", 0, max(at - 1, 0)) + 1)
    if done and done["said"] not in _OF_A_THING:
        return True
    return (
        re.match(r"it\b.{0,30}\b(?:to|that|if)\b", rest) is not None
        and found.aux is not None
        and not re.match(r"it \w+ to\b", rest)
        and re.search(r"\b(?:is|was|be|does) $", found.text[:at].casefold()) is not None
        and found.verb is None
    )


_SOMETHING = r"(?:an?|the|my|our|your|any|some|own|[a-z]+s)\b"
_CLEFT = re.compile(
    r"(?i:it) (?:(?:not|only|really|just|actually) )?(?:(?:the|my|our|your|his|her|their|[A-ZÀ-Þ][\w'’-]*)\b"
    r"(?! (?:\w+ )?(?:one|same)\b)[^,;:?]*? (?:who|that|whose)|(?:an?|some) [^,;:?]*? who"
    r"|(?:an?|some) [^,;:?]*? or [^,;:?]*? (?:who|that)"
    r"|(?:because|in|on|at|by|for|with|through|after|before) [^?]*? that)\b"
)
"""'was it a guest or a cook who slipped?', 'is it the pump that leaks?', 'was it in May that we met?'"""

_WHAT_TIME = re.compile(r"(?:what|which) (?:time|day|date|month|year) is it(?: now| today)?", re.IGNORECASE)

PEOPLE_DO = re.compile(
    r"\b(?:are|were) they (?:\w+ly )?going to|\b(?:how|when|where|why) (?:do|did|will|would|can|could) they \w+ it\b"
    r"|\bthey (?:\w+ly )?(?:(?:want|plan|mean|tr[iy]|hope|decide|agree|manage)(?:ed|d)? to \w+"
    r"|(?:begin|start|stop|finish|keep|consider|discuss)(?:ed|s)? \w+ing)\b",
    re.IGNORECASE,
)
"""'when do they begin fitting the pump?', 'how did they move it?'"""


def are_people(found: Parts) -> bool:
    """Whether 'they' do what people do, and things hardly ever."""
    return found.does.casefold() in LISTS["of_people"] or PEOPLE_DO.search(found.text) is not None


_OUT = r"(?:outside|outdoors|out there|up there)\b"
_OF_THE_WEATHER = re.compile(
    rf"\bhow (?:cold|warm|hot|cool|dark|light|bright|wet|dry|windy|loud|noisy|quiet) (?:\w+ )?it (?:\w+ )?{_OUT}"
    r"|\bhow (?:dark|light) (?:\w+ )?it (?:\w+ )?(?:in|at|during) (?:the )?(?:spring|summer|autumn|winter|night)\b"
    rf"|\bit (?:is |was |gets? |got |be )?(?:\w+ )?(?:cold|warm|hot|dark|light|windy|(?:rain|snow)(?:s|ing)?) {_OUT}",
    re.IGNORECASE,
)

_WHILE = re.compile(r"\b(?:before|after|un(?:til|less)|till|when|while|once|because|if|since|what|that) $", re.I)
_BESIDE = re.compile(r"\b(?:the|an?) [\w'’-]+ and $", re.I)
"""Before a pronoun that begins a clause of its own, and before one joined to whom it means."""


def is_of_the_weather(question: str) -> bool:
    """Whether it asks how cold, dark or loud it is outside, and 'it' is no thing."""
    return _OF_THE_WEATHER.search(question) is not None


def explained(found: Parts, at: int, low: str) -> bool:
    """The question itself says before what the pronoun stands for."""
    if low in IT and re.search(r"\b(?:some|any|every)thing\b", found.text[:at], re.IGNORECASE):
        return True
    if low in THEY and re.search(r"\b[A-ZÀ-Þ][\w'’-]* and [A-ZÀ-Þ]", found.text[:at]):
        return True  # 'how did Bell and Moss choose their model?'
    if low in ("itself", "themselves") and found.text[:at].casefold().endswith("by "):
        return True
    if low in IT and _meanwhile(found, at):
        return True
    things = [one for one in found.phrases if not (one.pronoun or written_type(one.text) in TIMES) and one.words]
    if low == "its" and any(one.first in ("a", "an") and one.end < at for one in things):
        return True  # 'when a firm sells its shares'
    before = [one for one in things if one.end < at - 1]  # 'miss' of 'miss it'
    if not before:
        return False
    if low in THEY:
        return any(one.plural and one.role != "asked" for one in before)
    if low in IT and any(is_told_before(found, one) and one.first in LISTS["determiners"] for one in before):
        return True
    if low in IT:
        return any(one.role in ("subject", "object") and not one.plural and one.first != "his" for one in before) and (
            found.clause >= 0
            or found.text[:at].rstrip().casefold().endswith(("and", "or", "but", ","))
            or _ands(found, at)
            or _SO.search(found.text[:at]) is not None
            or any(is_told_before(found, one) for one in before)
        )
    gender = "she" if low in SHE else "he"
    owners = (one["kind"] for one in _OWNS.finditer(found.text, 0, at) if one["kind"] in LISTS["people"])
    if any(gender_of_noun(owner) in ("", gender) for owner in owners):
        return True
    if low == "him" or (low == "her" and is_object(found, at + len(low))):
        apart = (one for one in before if one.role != "subject" or found.clause >= 0 or is_told_before(found, one))
        before = list(apart)  # not the maid of 'where did the maid put her?'
    if _BESIDE.search(found.text[:at]):
        return True  # 'the fisherman and his wife'
    if _WHILE.search(found.text[:at]) and any(one.role == "subject" and one.definite for one in before):
        return True  # 'how often did the hare run before he died?'
    return any(referent_of(one.text, one, 0, False).maybe_person for one in before)


def is_object(found: Parts, end: int) -> bool:
    """Whether 'her' is an object ('who taught her?', 'who sent her up') and owns nothing ('her films')."""
    rest = [token for token in found.tokens if token.start >= end and token.end <= found.end]
    if not rest or (len(rest) == 1 and rest[0].low in ("first", "last")):
        return True
    if _MAKES.search(found.text[: end - len("her")]) and rest[0].low in LISTS["verbs"]:
        return True  # 'did they make her pay'
    if (
        rest[0].low in LISTS["past"]
        and len(rest) > 1
        and (rest[1].kind in ("pron", "det") or rest[1].text[0].isupper())
    ):
        return True  # 'what about her made him suspicious'
    adverb = rest[0].kind == "adv" and (len(rest) == 1 or rest[1].kind not in ("word", "number"))
    return adverb or rest[0].kind not in ("adv", "word", "number")


_MAKES = re.compile(r"\b(?:make|makes|made|making|let|lets|letting|help|helps|helped|saw|hear|heard|watched) $", re.I)


def introduces(text: str, question: str) -> bool:
    """Whether a sentence before a question says what its pronouns stand for: 'My tank leaks. Who pays for it?'"""
    found, asked = parts(text), parts(question)
    that = any(one.pronoun and one.text.casefold() in POINTING for one in asked.phrases)
    return (that or _points(asked)) and not _points(found) and any(map(_new, found.phrases))


def _points(found: Parts) -> bool:
    return any(token.low in forms for token in found.tokens for forms in KINDS)


def _new(one: Phrase) -> bool:
    thing = one.first in LISTS["determiners"] and one.first not in (*POINTING, "no")
    numbered = re.search(r"[A-Za-z].*\d", one.text) is not None and not written_type(one.text)  # 'version 1.2'
    return (thing or numbered or (one.named and one.start > 0)) and one.noun not in _SAID


_SAID = LISTS["texts"] | set("answers questions help reply explanation hint tip lot bit".split())


_MEANWHILE = re.compile(r"(?:without|before|after|by) (?:\w+ing it\b|it \w+ing\b)", re.IGNORECASE)


def _meanwhile(found: Parts, at: int) -> bool:
    """'How do I ask for a password without showing it?', 'how do I type one without it being expanded?'"""
    own = any(m.end() >= at > m.start() for m in _MEANWHILE.finditer(found.text))
    things = [one for one in found.phrases if one.end < at and one.role in ("object", "other") and not one.plural]
    return own and any(not one.pronoun or one.text == "one" for one in things)


_SO = re.compile(r"\bso (?:that )?(?:i|we|you|they|nobody|no one|people)\b", re.IGNORECASE)
"""'can it keep my address, so that I need not type it?'"""

_OWNS = re.compile(r"\b(?:[Tt]he|[Aa]n?|[Mm]y|[Oo]ur|[Yy]our) (?:\w+ ){0,2}?(?P<kind>[a-z]+)['’]s [a-z]")
"""'in the story with the fairy's castle, how many birds did she keep?'"""

_ASKS = re.compile(
    r"(?:,| [-\u2013\u2014:])\s+(?:what|wh(?:at|om?|ose|ere|en|y|ich)|how|did|do|does|is|are|was|were|can|will|has)\b",
    re.IGNORECASE,
)


def is_told_before(found: Parts, one: Phrase) -> bool:
    """Whether the question words come behind it: 'her grave, what is written on it?', 'the gel has gone pink, what do I
    do with it?'"""
    return _ASKS.search(found.text, one.end) is not None


def _ands(found: Parts, at: int) -> bool:
    return any(token.kind == "and" and token.end <= at for token in found.tokens)

"""Follow-ups that change a word of the question before, or say what is to be added to it: 'if it rains?', 'and without
signing it?', 'and 3.0?', 'and the second one?'"""

import datetime
import re

from clew.memory.dates import CalendarDate, asked_times
from clew.memory.dialogue.phrases import Parts
from clew.memory.dialogue.question_parser import parts
from clew.memory.dialogue.sluicing import tail
from clew.memory.dialogue.word_classes import LISTS, base, is_participle, is_verb, replaced, tokens
from clew.memory.dialogue.written_types import TIMES, written_type

_ALONE = frozenset(
    "now then today tomorrow yesterday currently nowadays afterwards afterward beforehand here abroad online overnight"
    " normally usually originally initially finally".split()
)
"""Adverbs of time and place that a follow-up may say alone."""

_UNDONE = re.compile(r"^(?:un|dis|re|de)(?=\w{4})")
"""'and uninstall?'"""

_HELPERS = frozenset("do does did can could will would should may might must".split())
"""'and write?' after 'which formats can it read?'"""

_ATTRIBUTES = LISTS["attributes"] | LISTS["kinds"]
_THE = re.compile(r" (?:the|a|an|my|your|our|his|her|its|their)\b", re.IGNORECASE)
_TO_DO = re.compile(r"\bto (\w+) \w", re.IGNORECASE)
_DIFFERENCE = re.compile(r"(?:the |any )?(differences?) between .+ and .+", re.IGNORECASE)
_EITHER = re.compile(r"(?:with or without|before or after|during or after) \w", re.IGNORECASE)
_DOING = re.compile(r"(?:without|by|instead of|while) (?!.*\b(?:what|which|who)\b)\w{2,}ing\b", re.IGNORECASE)
"""'and without signing it?'"""

_PLACE = "first second third fourth fifth sixth seventh eighth ninth tenth last next previous"
_IN_ORDER = re.compile(
    rf"(?:(?:and|but|so)\b,? )?(?:(?:what|how) about )?(?:(?P<by>\w+) )?(?:the|her|his|its|their|my|your|our) "
    rf"(?P<place>{'|'.join(_PLACE.split())})(?: one)?\W*",
    re.IGNORECASE,
)


def in_order(question: str, before: Parts) -> tuple[str, str] | None:
    """'When did she find her second comet?' for 'and the second one?' after 'when did she find her first comet?', and
    why; None where the question before has no place in an order."""
    new = _IN_ORDER.fullmatch(question)
    old = [token for token in before.tokens if token.low in _PLACE.split() and token.kind in ("word", "adv")]
    old = [token for token in old if before.text[token.end :].lstrip()[:1].isalpha()]
    if not new or len(old) != 1 or new["place"].casefold() == old[0].low:
        return None
    if new["by"] and not any(
        one.preposition == new["by"].casefold() and old[0].text in one.text for one in before.phrases
    ):
        return None
    place = new["place"].casefold()
    return replaced(before.text, [(old[0].start, old[0].end, place)]), f"'{old[0].text}' becomes '{place}'"


LEAD = re.compile(r"(?:(?:and|but|so|also|then|well|ok|okay)\b[,:;]?\s+)+", re.IGNORECASE)
_DEED = re.compile(
    r"(?P<verb>[a-z]{2,})(?:(?: (?:back|up|down|out|off|on))? (?:it|them|one|this|that|the|an?|my|your|our|his|her|its"
    r"|their|some|another)\b.*| (?P<with>back|up|down|out|off|in))"
)
_WHOEVER = frozenset("i we you one people somebody someone they".split())


def another_deed(question: str, before: Parts) -> str:
    """'How do I adopt one?' for 'and adopt one?' after 'how do I orphan a package?': the question before of something
    else that is done, with its pronouns; empty for other follow-ups."""
    lead = LEAD.match(question)
    bare = question[lead.end() :].rstrip(" ?.!") if lead else ""
    found = _DEED.fullmatch(re.sub(r",? (?:too|also|as well)$", "", bare))
    by = before.subject
    if not (found and by and by.text.casefold() in _WHOEVER and before.verb and before.helper in _HELPERS):
        return ""
    first = tokens(bare)[0]
    if found["with"] and first.low not in (*LISTS["verbs"], before.does.casefold()):
        return ""
    if first.kind != "word" or found["verb"] in _NO_DEED or found["verb"].endswith(("ing", "ed", "ly", "est")):
        return ""
    return f"{before.text[: before.verb[0]]}{found.group()}?"


_NO_DEED = frozenset("maybe perhaps half twice both even only just all most that not then".split())

_WHOSE = re.compile(r"(?:.+?['’]s? (?P<noun>[\w-]+)|the (?P<head>[\w-]+) of [^,]+)", re.IGNORECASE)


def asked_plainly(question: str, before: Parts, *, pointed: bool) -> str:
    """'What is its licence?' for 'and its licence?', 'What is the population of Rome?' for 'and the population of
    Rome?'. Empty where the question before can be asked of it as well: it asks for an attribute too, or for how
    much."""
    bare = LEAD.sub("", question, count=1) if LEAD.match(question) else question
    bare = re.sub(r"^(?:what|how) about ", "", bare, flags=re.IGNORECASE).strip(" ?.!")
    part = _WHOSE.fullmatch(bare)
    if not part or parts(bare).asked or not parts(bare).fragment or (bare == question and not pointed):
        return ""
    noun = (part["noun"] or part["head"]).casefold()
    if noun not in LISTS["attributes"] or noun in LISTS["people"]:
        return ""
    asked = before.asks.casefold()
    alike = any(one.noun == noun or one.noun in LISTS["attributes"] for one in before.phrases if one.role != "asked")
    counts = asked.startswith(("how much", "how many"))
    return "" if alike or counts or not (before.verb or before.asked) else f"What is {bare}?"


_MEASURED = ("", "be", "cost", "weigh", "measure", "last")


def asked_of_name(question: str, before: Parts, *, corrects: bool) -> str:
    """'What is the weight of the Fennix A3?' for 'and the weight?' after 'what does the Fennix A3 cost?': an attribute
    is asked of what is named, and does not take its place. Empty where the question before asks for one too."""
    bare = re.sub(r"^(?:what|how) about ", "", LEAD.sub("", question, count=1), flags=re.IGNORECASE).strip(" ?.!")
    noun = bare.removeprefix("the ")
    named = [one for one in before.phrases if one.named and not one.pronoun and not written_type(one.text)]
    if bare == noun or (bare == question.strip(" ?.!") and not corrects) or len(named) != 1:
        return ""
    if noun not in LISTS["attributes"] or any(one.noun in LISTS["attributes"] for one in before.phrases):
        return ""
    of = named[0]
    told = of.role == "subject" and before.does.casefold() in _MEASURED
    who = of.role == "object" and before.asks.casefold() == "who"
    return f"What is the {noun} of {of.text}?" if told or who else ""


_CLAUSE = re.compile(
    r"(?:if|when|because|unless|after|before|until|once|while)\s+(?:i|you|we|he|she|it|they|the|my|a)\b", re.IGNORECASE
)


_SOME = re.compile(
    r"any (?P<what>\w+(?: \w+)??)(?P<where> (?:nearby|there|around|near (?:there|here)|left))?", re.IGNORECASE
)
"""'any parking nearby?'"""


def by_itself(bare: str, before: Parts, leads: bool) -> tuple[str, str] | None:
    """The question before with what takes the place of no phrase: 'if it rains?', 'and without signing it?', 'now?',
    'and write?'; None for other fragments."""
    if clause := _CLAUSE.match(bare):
        return _claused(bare, before, clause.group().split()[0])
    if (some := _SOME.fullmatch(bare)) and (some["where"] or before.asks.casefold() in ("when", "where", "who", "why")):
        there = "Are" if re.search(r"\ws$(?<!ss)", some["what"]) else "Is"
        return f"{there} there {some.group()}?", "it asks whether there is one"
    to = next((one for one in before.phrases if one.preposition == "to" and before.verb and not one.pronoun), None)
    if bare.casefold() == "back" and to:
        text = replaced(before.text, [(to.whole, to.start, "back from ")])
        return text, f"'to {to.text}' becomes 'back from {to.text}'"
    if what := _DIFFERENCE.fullmatch(bare):
        verb = "are" if what[1].endswith("s") else "is"
        return f"What {verb} the {bare[what.start(1) :]}?", "it asks what that is"
    does, did = _TO_DO.match(bare), _TO_DO.search(before.text, before.lead)
    if does and did and (is_verb(does[1]) or _THE.match(bare, does.end(1))) and is_verb(did[1]):
        was = before.text[did.start() : before.end]
        return replaced(before.text, [(did.start(), before.end, bare)]), f"'{was}' becomes '{bare}'"
    if _EITHER.match(bare) and (before.asked or before.aux):
        return replaced(
            before.text, [(tail(before), tail(before), f" {bare}")]
        ), f"'{bare}' is added to the question before"
    if leads and _DOING.match(bare) and (before.asked or before.aux):
        text = replaced(before.text, [(before.end, before.end, f" {bare}")])
        return text, f"'{bare}' is added to the question before"
    if bare.casefold() in _ALONE and (before.aux or before.verb):
        gone = [one for one in before.phrases if written_type(one.text) in TIMES and one.preposition]
        pieces = [(one.whole, one.end, "") for one in gone[-1:]]
        pieces.append((tail(before), tail(before), f" {bare.casefold()}"))
        return replaced(before.text, pieces), f"'{bare}' is added to the question before"
    if not leads and (of_that := _attribute(bare.casefold(), before)):
        return of_that
    if time := _another_time(bare, before):
        return time
    if leads and (done := _done(bare, before)):
        return done
    last = before.tokens[-1 - (before.tokens[-1].kind == "mark")] if len(before.tokens) > 1 else None
    if last and leads and _COMPARED.fullmatch(bare) and _COMPARED.fullmatch(last.text):
        return replaced(before.text, [(last.start, last.end, bare)]), f"it asks '{bare}' and no more '{last.text}'"
    if leads and before.verb and before.helper in _HELPERS and _UNDONE.sub("", bare.casefold()) in LISTS["verbs"]:
        return replaced(before.text, [(*before.verb, bare.casefold())]), f"'{before.does}' becomes '{bare}'"
    return None


def _done(bare: str, before: Parts) -> tuple[str, str] | None:
    """'When did Kubrick die?' for 'and died?' after 'when was Kubrick born?'; 'when was the mill painted?' for 'and
    painted?' after 'when was the mill built?'"""
    low, subject = bare.casefold(), before.subject
    if not (subject and before.aux and before.verb and before.helper in ("was", "were") and low.isalpha()):
        return None
    if low in _HAPPENS:
        rest = before.text[before.verb[1] : before.end] if before.phrases[-1].whole > before.verb[1] else ""
        text = f"{before.asks} did {subject.text} {base(low)[0]}{rest}".strip()
        return f"{text[0].upper()}{text[1:]}?", f"'{bare}' is asked of {subject.text}"
    if is_participle(tokens(f"was {low}")[-1]):
        return replaced(before.text, [(*before.verb, low)]), f"'{before.does}' becomes '{low}'"
    return None


_HAPPENS = frozenset("died lived retired arrived happened began ended started stopped left closed opened".split())
"""What somebody does, or what happens, and is not done to it."""

_COMPARED = re.compile(r"(?!.*(?:number|member|paper|letter|answer|order)$)[a-z]{2,}(?:er|est)")
"""'and cheaper?' after 'which of the two is quieter?'"""

_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_NEXT_TO = re.compile(
    r"(?:(?:in|on) )?the (?:(?:next|following) (?P<next>\w+)|(?:previous) (?P<last>\w+)"
    r"|(?P<unit>\w+) (?:after|later|(?P<before>before|earlier)))(?: that)?",
    re.IGNORECASE,
)
"""'the year after', 'the day before'"""
_UNITS = frozenset("day week month year".split())


def _another_time(bare: str, before: Parts) -> tuple[str, str] | None:
    """'and the year after?' after a question of 2024 asks about 2025, 'and the day before?' after one of 4 March about
    3 March; after one of Monday about the day before Monday."""
    found = _NEXT_TO.fullmatch(bare)
    unit = (found["next"] or found["last"] or found["unit"]).casefold() if found else ""
    if not found or unit not in _UNITS:
        return None
    step = -1 if found["last"] or found["before"] else 1
    years, dates = list(_YEAR.finditer(before.text)), asked_times(before.text)
    if unit == "year" and len(years) == 1:
        year = str(int(years[0].group()) + step)
        return replaced(before.text, [(*years[0].span(), year)]), f"'{bare}' is {year}"
    if unit in ("day", "month") and len(dates) == 1 and (other := _stepped(dates[0].date, unit, step)):
        return replaced(before.text, [(dates[0].start, dates[0].end, other)]), f"'{bare}' is {other}"
    times = [one for one in before.phrases if written_type(one.text) in TIMES]
    if len(times) != 1:
        return None
    put = f"the {unit} {'before' if step < 0 else 'after'} {times[0].text}"
    return replaced(before.text, [(times[0].whole, times[0].end, put)]), f"'{bare}' is {put}"


def _stepped(one: CalendarDate, unit: str, step: int) -> str:
    """The day or month beside one; empty where the date does not say which one that is."""
    if unit == "day" and one.day and one.month:
        day = datetime.date(one.year or LEAP, one.month, one.day) + datetime.timedelta(days=step)
        return CalendarDate(one.year and day.year, day.month, day.day).text
    if unit == "month" and one.month and not one.day:
        at = one.month - 1 + step
        return CalendarDate(one.year and one.year + at // 12, at % 12 + 1).text
    return ""


LEAP = 2024
"""A year that has every day, for a date without one."""


def _attribute(noun: str, before: Parts) -> tuple[str, str] | None:
    """'What is the default of burst-size?' for 'default?' after 'what is burst-size?'"""
    of = before.subject
    defined = before.asks.casefold() == "what" and before.helper in ("is", "are") and not before.verb
    if noun not in _ATTRIBUTES or not (defined and of) or of.noun in _ATTRIBUTES or of.pronoun:
        return None
    verb = "are" if noun.endswith("s") and not noun.endswith("ss") else "is"
    return f"What {verb} the {noun} of {of.text}?", f"it asks for the {noun} of that"


_VERSION = re.compile(r"(?:version )?(\d+(?:\.\d+)*)")
_MODEL = re.compile(r"\b(?<=the )(?!(?:last|first|next|other|past|previous)\b)[\w-]+ (\d+)\b", re.IGNORECASE)
_CODE = re.compile(r"([A-Z]{1,3}-?)\d+")


def numbered(fragment: Parts, before: Parts) -> tuple[str, str]:
    """The question before with another number in a name: 'when was Debian 3.0 released?' for 'and 3.0?' after 'when was
    Debian 2.0 released?', and so 'and the 20?' after 'how loud is the Drywell 45?'; or with another code: 'and P1?'
    after 'the display says E4'. Empty where it has none, or several."""
    body = fragment.body.rstrip(" ?.")
    version, model, code = _VERSION.fullmatch(body), re.fullmatch(r"the (\d+)", body), _CODE.fullmatch(body)
    if code:
        like = rf"\b[A-Z]{{{len(code[1].rstrip('-'))}}}-?\d+\b"
        spans = [(match.span(), body) for match in re.finditer(like, before.text)]
    elif model:
        spans = [(match.span(1), model[1]) for match in _MODEL.finditer(before.text)]
    elif version and not any(written_type(one.text) for one in before.phrases):
        names = [one for one in before.phrases if one.named]
        found = [(one.start, re.search(r"(?<= )\d+(?:\.\d+)*\b", one.text)) for one in names]
        spans = [((at + it.start(), at + it.end()), version[1]) for at, it in found if it][:1]
    else:
        spans = []
    if len(spans) != 1:
        return "", ""
    ((start, end), put) = spans[0]
    return replaced(before.text, [(start, end, put)]), f"'{before.text[start:end]}' becomes '{put}'"


def of_another(fragment: Parts, before: Parts) -> tuple[str, str]:
    """'How do I change the size of the image?' for 'and of the image?' after 'how do I change the size of a layer?',
    and why; empty where nothing is of something."""
    new = fragment.phrases[0]
    old = [one for one in before.phrases if " of " in one.text]
    if len(fragment.phrases) > 1 or new.preposition != "of" or len(old) != 1:
        return "", ""
    start = old[0].start + old[0].text.rindex(" of ") + len(" of ")
    return replaced(
        before.text, [(start, old[0].end, new.text)]
    ), f"'{before.text[start : old[0].end]}' becomes '{new.text}'"


_WHEN = re.compile(r"\w+ (?:it|that|this) (?:was|is|were|has been|had been) (?P<when>.+)", re.IGNORECASE)
_AGO = re.compile(
    r"\b(?:(?:a|an|some|several|many) )?(?:couple (?:of )?|few )?[\w-]+ (?:ago|earlier|later)$", re.IGNORECASE
)


def _claused(bare: str, before: Parts, first: str) -> tuple[str, str]:
    then = _WHEN.fullmatch(bare)
    if before.clause >= 0 and then and (_AGO.fullmatch(then["when"]) or written_type(then["when"]) in TIMES):
        clause = _AGO.sub("", before.text[before.clause : before.end]).strip()  # 'if it was a year ago'
        text = replaced(before.text, [(before.clause, before.end, f"{clause} {then['when']}")])
    elif before.clause >= 0:
        text = replaced(before.text, [(before.clause, before.end, bare)])
    elif before.asked or before.aux:
        text = replaced(before.text, [(before.end, before.end, " " + bare)])
    else:
        return "", ""
    return text, f"the question before, '{first} ...'"

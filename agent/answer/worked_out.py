"""What follows from two dates or amounts that documents state: the time between them, an age, a difference, a sum, so
many times a price, which of the two is more or was first. The questions by rules, of English; the sums only where the
units agree."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from clew.agent.answer.amounts import Amount, amounts, plain_number, stem
from clew.memory.dates import CalendarDate, asked_times
from clew.memory.dialogue.word_classes import base
from clew.memory.text import content_words

WorkingKind = Literal["between", "age", "difference", "sum", "times", "which"]

_UNITS = {"day": 1, "week": 7}
_AUX = r"(?:was|were|is|are|did|does|do|will|has|had)"
_HOW_LONG = r"how (?:long|many (?P<unit>day|week|month|year)s)"
_BETWEEN = (
    rf"{_HOW_LONG}\b.*?\b(?:between|from) (?P<one>.+?) (?:and|to|until|till) (?P<other>.+)",
    rf"{_HOW_LONG} (?:after|before) (?P<one>.+?) (?P<other>{_AUX} .+)",
    rf"{_HOW_LONG} {_AUX} (?:it (?:take )?)?(?P<other>.+?) (?:after|before) (?P<one>.+)",
)
_NAME = r"[A-Z][\w.'-]*(?: [A-Z][\w.'-]*)*"
_AGE = (
    rf"how old (?:was|were|is|will|would) (?P<one>.+?) (?:be )?when (?:he|she|they|it|{_NAME}) (?P<other>\w.+)",
    rf"(?:at )?(?:what|which) age (?:did|was|were) (?P<one>{_NAME}) (?P<other>\w.+)",
    r"how old (?:was|were|is|will) (?P<one>.+?) (?:be )?(?P<date>in|on) (?P<other>.+)",
    rf"how (?:old|long) did (?P<one>{_NAME}) (?P<life>become|get|live(?: to be)?)",
)
_ASKS = {
    word: f"How {asked} {{}}{' cost' if asked == 'much does' else ''}?"
    for asked, words in (
        ("much does", "cheaper dearer expensive cost price"),
        ("much is", "fee rent more less"),
        ("long is", "longer shorter length"),
        ("old is", "older younger age"),
        ("tall is", "taller"),
        ("high is", "higher lower height"),
        ("deep is", "deeper depth"),
        ("wide is", "wider width"),
        ("heavy is", "heavier lighter weigh weight"),
        ("big is", "bigger larger smaller size"),
        ("far is", "further farther distance"),
        ("loud is", "louder quieter"),
        ("fast is", "faster slower"),
    )
    for word in words.split()
}
"""What is asked of each side, by the word of the comparison."""

_DIFFERENCE = (
    r"(?:by )?how much (?P<how>\w+)(?: (?P<what>\w+))? (?:is|are|was|were|does|do|did|would)"
    r" (?P<one>.+?) than (?P<other>.+)",
    r"how many more (?P<count>\w+) (?:does|do|did|has|have|had|are|were)"
    r" (?P<one>.+?)(?: have| had| hold)? than (?P<other>.+)",
    r"what(?:'s| is| was) the (?:difference (?:in|of) (?P<how>\w+)|(?P<what>\w+) difference)"
    r" between (?P<one>.+?) and (?P<other>.+)",
)
_SUM = (
    r"how much (?:do|does|did|will|would|are|is|were|was) (?P<one>.+?) and (?P<other>.+?)(?: cost| come to)?"
    r" (?:together|in total|altogether|in all)",
    r"what (?:is|was|are) the (?:sum|total) of (?P<one>.+?) and (?P<other>.+)",
)
_LEAST = frozenset("first earlier sooner cheaper less shorter younger lower shallower narrower lighter smaller".split())
_LEAST_TOO = frozenset("quieter slower closer nearer".split())
_IN_TIME = frozenset("first last earlier later sooner".split())
_HOW = rf"(?P<how>{'|'.join([*sorted(_IN_TIME), 'more expensive', *sorted(_ASKS, key=len, reverse=True)])})"
_WHICH = (
    rf"(?:(?P<who>who)|which|what)(?: (?:one|of (?:the two|these|them)|[a-z]+(?= {_AUX} )))?(?: (?P<aux>{_AUX}))?"
    rf"(?: (?P<verb>[a-z]+(?: (?:out|up|in))?))?? {_HOW}(?:,|:| [-\u2013])? (?P<one>.+?),? or (?P<other>.+)",
    rf"(?P<aux>is|are|was|were) (?P<one>.+?) (?P<how>more expensive|{'|'.join(_ASKS)}) than (?P<other>.+)",
    r"(?P<aux>was|were|did) (?P<one>.+?) (?P<verb>[a-z]+) (?P<how>before|after|earlier than|later than) (?P<other>.+)",
)
_MANY = r"\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_PERIOD = r"year|month|week|day"
_PAID = r"(?:rent|fee|cost|price|salary|charge|rate|wage|premium|pay|income|interest|allowance)s?"
_TIMES = (
    rf"(?P<asks>how much\b.*?) (?P<for>(?:for|with) (?P<many>{_MANY}) (?P<what>[a-z]+))\b(?P<rest>.*)",
    rf"(?P<asks>(?:how much|what (?=.*\b{_PAID}\b)).*?)"
    rf" (?P<for>(?:for (?:an?|one|the whole)|per|an?|each|every) (?P<what>{_PERIOD}))",
    rf"(?P<asks>how much|what(?=.* cost$)) (?:do|does|will|would|are|is) (?P<for>(?P<many>{_MANY}) (?P<what>[a-z]+))"
    r"(?P<rest>(?: [\w' -]+)?? cost|)",
)
_EVERY = re.compile(r"\b(?:(?P<day>daily)|(?P<week>weekly)|(?P<month>monthly)|(?P<year>yearly|annual(?:ly)?))\b", re.I)
_EACH = re.compile(r"\b(?:an?|one|each|every|per) ([a-z]+)", re.IGNORECASE)
_ONE_OF = {"peopl": ("person", "head", "each", "guest", "adult", "particip", "member"), "person": ("head", "each")}


@dataclass(frozen=True, slots=True)
class Working:
    """`parts` are the questions whose answers are needed, each with a date or an amount; `unit` is what a time is asked
    in, `many` of `what` how often an amount counts. `given` is a date of the question itself. Of `sides`, one of which
    is more or later, or `least` so, the first is `claimed` to be that where the question is one of yes or no."""

    kind: WorkingKind
    parts: tuple[str, ...]
    unit: str = ""
    many: float = 0
    what: str = ""
    given: str = ""
    sides: tuple[str, ...] = ()
    least: bool = False
    claimed: bool = False

    def holds(self, text: str) -> bool:
        """Whether a text has what is needed of one part."""
        timed = self.kind in ("between", "age") or (self.kind == "which" and self.parts[0].startswith("When"))
        return len(_dates(text)) == 1 if timed and self.sides else bool(_dates(text) if timed else _measured(text))

    def is_said_of(self, side: str, text: str) -> bool:
        """Whether a text says its date or amount of this side, which then stands before it: no date of etch is one of
        sarge in 'etch was released in 2007 for as many machines as sarge'."""
        names = [re.search(rf"\b{re.escape(word)}", text, re.IGNORECASE) for word in content_words(side)]
        timed = self.parts[0].startswith("When")
        first = min((one.start for one in (asked_times(text) if timed else _measured(text))), default=0)
        return first <= OPENS or all(one is None or one.start() < first for one in names)


def tells(part: str, text: str) -> bool:
    """Whether a text may tell when something began, or ended, where a part asks for that."""
    asks = re.search(r"\b(?:(begin|start)|end)\?$", part)
    return asks is None or bool((_BEGAN if asks[1] else _ENDED).search(text))


_BEGAN = re.compile(r"\b(?:beg[aiu]n\w*|start\w*|from|since|commenc\w+|open\w*)\b", re.IGNORECASE)
_ENDED = re.compile(r"\b(?:end\w*|until|till|to|expir\w+|finish\w*|terminat\w+|clos\w+|over)\b", re.IGNORECASE)
OPENS = 10
"""Characters before a date that a sentence begins with: 'In May 1931 the club was founded'."""


def working(question: str) -> Working | None:
    """None where nothing is asked that has to be worked out."""
    asked = re.sub(r"^(?:and|but|so|then|ok|okay|well),? ", "", question.strip().rstrip("?! "), flags=re.IGNORECASE)
    if found := _first(_BETWEEN, asked):
        sides = _with_what_it_is_of(found["one"], found["other"])
        return Working("between", tuple(map(_when, sides)), found["unit"] or "")
    if found := _first(_AGE, asked):
        return _age(found)
    if found := _first(_DIFFERENCE, asked):
        return _difference(found)
    if found := _first(_SUM, asked):
        return Working("sum", tuple(_ASKS["cost"].format(found[side]) for side in ("one", "other")))
    if found := _first(_WHICH, asked):
        return _of_two(found)
    return _so_often(found) if (found := _first(_TIMES, asked)) else None


def result(work: Working, texts: Sequence[str]) -> str:
    """In a sentence what follows from a text for each part; empty where it does not."""
    if work.kind == "times":
        return _times(work, texts[0])
    if work.kind == "difference":
        return _subtracted(*texts)
    if work.kind == "sum":
        return _added(*texts)
    if work.kind == "which":
        found = compared(work, texts)
        return f"Worked out: {found[0]}." if found else ""
    dates = [_dates(text) for text in texts] + ([_dates(work.given)] if work.given else [])
    if len(dates) == 2 and 1 in map(len, dates):  # 'Ann was born in 1870. She died in 1941.' beside the first of these
        known = min(dates, key=len)
        dates = [one if len(one) == 1 else [day for day in one if day not in known] for one in dates]
    if len(dates) == 2 and texts[0] == texts[-1] and len(dates[0]) == 2 and not work.given:
        one, other = dates[0]
    elif len(dates) == 2 and all(len(found) == 1 for found in dates):
        one, other = dates[0][0], dates[1][0]
    else:
        return ""
    if work.kind == "age":
        return _aged(one, other)
    first, last = sorted((one, other))
    return _between(first, last, work.unit)


# Questions --------------------------------------------------------------------------------------------------------


def _first(patterns: Sequence[str], asked: str) -> re.Match[str] | None:
    return next((match for one in patterns if (match := re.fullmatch(one, asked, re.IGNORECASE))), None)


def _when(side: str) -> str:
    """`When was the opening?`, `When did it open?`, `When did the lease end?` of 'the end of the lease'."""
    said = side.strip()
    if found := re.fullmatch(r"(?:the )?(?P<verb>beginn?|start|end)(?:ing)? of (?P<what>.+)", said, re.IGNORECASE):
        said = f"did {found['what']} {found['verb'].casefold().replace('nn', 'n')}"
    return f"When {said}?" if re.match(rf"{_AUX}\b", said, re.IGNORECASE) else f"When was {said}?"


def _with_what_it_is_of(one: str, other: str) -> tuple[str, str]:
    """'the beginning' of 'the beginning and the end of the lease' is that of the lease."""
    both = re.fullmatch(r"(?:the )?[a-z]+", one) and re.match(r"(?:the )?[a-z]+(?P<of> of .+)", other)
    return f"{one}{both['of'] if both else ''}", other


def _age(found: re.Match[str]) -> Working | None:
    who, other = found["one"], "died" if "life" in found.re.groupindex else found["other"]
    born = f"When was {who} born?"
    if "date" in found.re.groupindex:
        return Working("age", (born,), given=other) if len(_dates(other)) == 1 else None
    return Working("age", (born, f"When was it that {who} {other}?"))


def _so_often(found: re.Match[str]) -> Working | None:
    """'How much is a ticket for three people?', 'How much is the rent per year?', 'How much do two nights cost?'"""
    said, what = found.groupdict(), found["what"].casefold()
    many = said.get("many") or "1"
    if not amounts(f"{many} {what}"):
        return None
    (count,) = amounts(f"{many} things")
    rest = (said.get("rest") or "").strip()
    if found["for"].casefold().startswith(many.casefold()):  # 'do two nights cost'
        part = f"How much does one {base(what)[0] if what not in _ONE_OF else what} {rest or 'cost'}?"
    else:
        part = f"{' '.join(filter(None, (found['asks'], rest)))}?"
    return Working("times", (part,), many=count.value, what=what)


def _difference(found: re.Match[str]) -> Working | None:
    names = found.re.groupindex
    sides = found["one"], _of_the_same(found["one"], found["other"])
    if "count" in names:
        return Working("difference", tuple(f"How many {found['count']} does {side} have?" for side in sides))
    for how in (found["what"], *found["one"].split()[-1:], found["how"]):
        if how and how.casefold() in _ASKS:
            asked = _ASKS[how.casefold()]
            one = re.sub(r" (?:cost|weigh|pay)$", "", sides[0])
            return Working("difference", (asked.format(one), asked.format(sides[1])))
    return None


def _of_the_same(one: str, other: str) -> str:
    """'that of the garage', behind 'the rent of the flat', is the rent of it."""
    what, of, _ = one.partition(" of ")
    return re.sub(r"^(?:that|those|the one) of ", f"{what} of ", other) if of else other


def _of_two(found: re.Match[str]) -> Working | None:
    """What is asked of each side: 'When was sarge released?' of 'which was released first, sarge or etch?'"""
    groups, how = found.groupdict(), found["how"].casefold()
    aux, verb = (groups.get("aux") or "").casefold(), (groups.get("verb") or "").casefold()
    sides, claimed = (found["one"].strip(), found["other"].strip()), not found.group().casefold().startswith(("wh",))
    earlier = how in _LEAST | _LEAST_TOO or how in ("before", "earlier than")
    if groups.get("who") and how in ("older", "younger") and not verb:
        return Working("which", tuple(f"When was {side} born?" for side in sides), sides=sides, least=how == "older")
    if how.split()[0] in _IN_TIME | {"before", "after"}:
        if verb and aux not in ("was", "were", "is", "are"):
            first, *rest = verb.split()
            aux, verb = "did", " ".join([base(first)[0], *rest])
        parts = tuple(" ".join(filter(None, ("When", aux or "was", side, verb))) + "?" for side in sides)
        return Working("which", parts, sides=sides, least=earlier, claimed=claimed)
    asks = _ASKS.get("expensive" if how == "more expensive" else "cost" if verb in ("cost", "costs") else how)
    if not asks or (how in ("more", "less") and not verb):
        return None
    return Working("which", tuple(map(asks.format, sides)), sides=sides, least=earlier, claimed=claimed)


def compared(work: Working, texts: Sequence[str]) -> tuple[str, bool] | None:
    """What is said of two sides, and whether the first is what is asked for; None where they are alike, or their
    amounts are of different things."""
    if work.parts[0].startswith("When"):
        days = [_dates(text)[0] for text in texts]
        if days[0].meets(days[1]):
            return None
        first, word, said = days[0] < days[1], "before", [day.text for day in days]
    else:
        pairs = [(a, b) for a in _measured(texts[0]) for b in _measured(texts[1]) if a.agrees(b)]
        if len(pairs) != 1 or texts[0] == texts[1] or pairs[0][0].value == pairs[0][1].value:
            return None
        (a, b), word = pairs[0], "against"
        first = (a.value < b.value) if work.least else (a.value > b.value)
        said = [texts[0][a.start : a.end], texts[1][b.start : b.end]]
    told = [f"{side}, {value}" for side, value in zip(work.sides, said, strict=True)]
    leading, behind = told if first else reversed(told)
    is_first = first if work.least or word == "against" else not first
    return f"{leading}, {word} {behind}", is_first


# Sums -------------------------------------------------------------------------------------------------------------


def _dates(text: str) -> list[CalendarDate]:
    """Those with a year; none where one is a span, or can be read in two ways."""
    found = asked_times(text)
    if any(one.other or one.last for one in found):
        return []
    return list(dict.fromkeys(one.date for one in found if one.date.year))


def _measured(text: str) -> list[Amount]:
    blank = list(text)
    for one in asked_times(text):
        blank[one.start : one.end] = " " * (one.end - one.start)
    return [one for one in amounts("".join(blank)) if one.unit]


def _between(one: CalendarDate, other: CalendarDate, unit: str) -> str:
    told = _span(one, other, unit)
    return f"Worked out: from {one.text} to {other.text} it is {told}." if told and one != other else ""


def _span(one: CalendarDate, other: CalendarDate, unit: str) -> str:
    """As exact as both dates are: days, months or years."""
    if one.day and other.day:
        days = (date(other.year, other.month, other.day) - date(one.year, one.month, one.day)).days
        if unit in _UNITS or (not unit and days < 60):
            return _weeks(days) if unit == "week" else _number(days, "day")
        months = (other.year - one.year) * 12 + other.month - one.month - (other.day < one.day)
        whole = _months(months, unit)
        return f"{whole} ({_number(days, 'day')})" if whole else _number(days, "day")
    if unit in _UNITS:
        return ""
    if one.month and other.month:
        return _months((other.year - one.year) * 12 + other.month - one.month, unit)
    return f"about {_number(other.year - one.year, 'year')}" if unit != "month" and other.year > one.year else ""


def _weeks(days: int) -> str:
    weeks, rest = divmod(days, 7)
    return f"{_number(weeks, 'week')} and {_number(rest, 'day')}" if rest else _number(weeks, "week")


def _months(months: int, unit: str) -> str:
    years, rest = (0, months) if unit == "month" else divmod(months, 12)
    return " and ".join(_number(n, name) for n, name in ((years, "year"), (rest, "month")) if n)


def _aged(born: CalendarDate, then: CalendarDate) -> str:
    years = then.year - born.year
    if not 0 < years < 130:
        return ""
    if born.month and then.month and (born.month != then.month or (born.day and then.day)):
        before = (then.month, then.day) < (born.month, born.day)
        when = f"{'on' if then.day else 'in'} {then.text}"
        return f"Worked out: born {born.text}, so {_number(years - before, 'year')} old {when}."
    return f"Worked out: born {born.text}, so {years - 1} or {years} years old in {then.text}."


def _subtracted(one: str, other: str) -> str:
    """Of the only pair of amounts that agree."""
    pairs = [(a, b) for a in _measured(one) for b in _measured(other) if a.agrees(b)]
    if len(pairs) != 1 or one == other:
        return ""
    (a, b), sides = pairs[0], (one, other)
    if a.value < b.value:
        a, b, sides = b, a, (other, one)
    first, second = sides[0][a.start : a.end], sides[1][b.start : b.end]
    rest = a.written(sides[0], a.value - b.value)
    return f"Worked out: {first} \u2212 {second} = {rest}." if a.value > b.value else f"Worked out: both are {first}."


def _added(one: str, other: str) -> str:
    """Of the only pair of amounts that agree."""
    pairs = [(a, b) for a in _measured(one) for b in _measured(other) if a.agrees(b)]
    if len(pairs) != 1 or one == other:
        return ""
    ((a, b),) = pairs
    return f"Worked out: {one[a.start : a.end]} + {other[b.start : b.end]} = {a.written(one, a.value + b.value)}."


def _times(work: Working, text: str) -> str:
    """An amount for each one, or for each such time; not where the text says what so many are."""
    every = _measured(text)
    asked = amounts(f"{plain_number(work.many)} {work.what}")
    said = any(one.unit == other.unit and one.value == other.value for one in every for other in asked)
    found = [(one, count) for one in every if (count := _count(work, one, text))]
    if len(found) != 1 or said:
        return ""
    one, count = found[0]
    whole = one.written(text, one.value * count)
    return f"Worked out: {plain_number(count)} \u00d7 {text[one.start : one.end]} = {whole}."


def _count(work: Working, one: Amount, text: str) -> float:
    """How often it counts; 0 where it does not."""
    what = stem(work.what)
    asked = amounts(f"1 {work.what}" if work.what != "one" else "")[:1]
    per = one.per or next((name or "" for match in _EVERY.finditer(text) for name in [match.lastgroup]), "")
    if not per and what in (stem(match[1]) for match in _EACH.finditer(text)):  # 'A night costs 21 euros'
        per = what
    if not per or one.unit == (asked[0].unit if asked else what):
        return 0
    each = amounts(f"1 {per}")
    if asked and each and asked[0].measured and asked[0].unit == each[0].unit:  # two years of so much a month
        count = work.many * asked[0].value / each[0].value
        return count if count > 1 and abs(count - round(count)) < 1e-6 else 0
    same = per == what or per in _ONE_OF.get(what, ()) or per == "each"
    return work.many if same and work.many > 1 else 0


def _number(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"

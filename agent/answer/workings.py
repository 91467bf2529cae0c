"""Questions whose answer has to be worked out of two dates or amounts: the time between them, an age, a difference, a
sum, so many times a price, which of the two is more or was first. By rules, of English."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from clew.agent.answer.amounts import Amount, amounts
from clew.memory.dates import CalendarDate, asked_times
from clew.memory.dialogue.word_classes import base
from clew.memory.text import content_words

WorkingKind = Literal["between", "age", "difference", "sum", "times", "which"]

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
ONE_OF = {"peopl": ("person", "head", "each", "guest", "adult", "particip", "member"), "person": ("head", "each")}


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
        if not timed:
            return bool(measured(text))
        return len(dates_with_year(text)) == 1 if self.sides else bool(dates_with_year(text))

    def is_said_of(self, side: str, text: str) -> bool:
        """Whether a text says its date or amount of this side, which then stands before it: no date of etch is one of
        sarge in 'etch was released in 2007 for as many machines as sarge'."""
        names = [re.search(rf"\b{re.escape(word)}", text, re.IGNORECASE) for word in content_words(side)]
        timed = self.parts[0].startswith("When")
        first = min((one.start for one in (asked_times(text) if timed else measured(text))), default=0)
        return first <= OPENS or all(one is None or one.start() < first for one in names)


def tells(part: str, text: str) -> bool:
    """Whether a text may tell when something began, ended or came to pass, where a part asks for that: `She died in
    Leeds in 1941.` does not say when she moved there."""
    if part.startswith(_WHEN_IT_WAS):
        plain = re.sub(_NAME, " ", part.removeprefix(_WHEN_IT_WAS))
        event = [stem for stem in content_words(plain) if stem not in _LIGHT_VERBS][:1]
        return {*event} <= {*content_words(text)}
    asks = re.search(r"\b(?:(begin|start)|end)\?$", part)
    return asks is None or bool((_BEGAN if asks[1] else _ENDED).search(text))


_WHEN_IT_WAS = "When was it that "
_LIGHT_VERBS = frozenset(content_words("got get became become went go had have made make took take"))


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
        return Working("age", (born,), given=other) if len(dates_with_year(other)) == 1 else None
    return Working("age", (born, f"{_WHEN_IT_WAS}{who} {other}?"))


def _so_often(found: re.Match[str]) -> Working | None:
    """'How much is a ticket for three people?', 'How much is the rent per year?', 'How much do two nights cost?'"""
    said, what = found.groupdict(), found["what"].casefold()
    many = said.get("many") or "1"
    if not amounts(f"{many} {what}"):
        return None
    (count,) = amounts(f"{many} things")
    rest = (said.get("rest") or "").strip()
    if found["for"].casefold().startswith(many.casefold()):  # 'do two nights cost'
        part = f"How much does one {base(what)[0] if what not in ONE_OF else what} {rest or 'cost'}?"
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


def dates_with_year(text: str) -> list[CalendarDate]:
    """Those with a year; none where one is a span, or can be read in two ways."""
    found = asked_times(text)
    if any(one.other or one.last for one in found):
        return []
    return list(dict.fromkeys(one.date for one in found if one.date.year))


def measured(text: str) -> list[Amount]:
    blank = list(text)
    for one in asked_times(text):
        blank[one.start : one.end] = " " * (one.end - one.start)
    return [one for one in amounts("".join(blank)) if one.unit]

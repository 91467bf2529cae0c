"""A question inside a question: of 'When was the director of Metropolis born?' 'Who is the director of Metropolis?'.

Read by the words that describe somebody or something by what is named behind them: `the director of Metropolis`,
`Anna's brother`, `the country where Buyende is located`, `the firm that repaired the boiler`. In English.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from clew.memory.text import content_words, word_lists

NameKind = Literal["person", "name", "place"]

LONGEST = 300
"""Characters of a question that is looked into: a longer one is a letter, and reading it takes long."""

_LISTS = word_lists(Path(__file__).with_suffix(".txt"))
_PEOPLE, _PLACES, _THINGS, _PARTS, _OWNED = (
    "|".join(_LISTS[name]) for name in ("people", "places", "things", "of", "owned")
)

_THE = r"\b(?:the|an?) "
_NOUN = rf"(?:[a-z]+ )?(?P<noun>{_PEOPLE}|{_PLACES}|{_THINGS})"
_LINK = r"(?:(?:of|the|and|in|on|for|de|la|du|von|und|van|der|to|a|an|from|&) )"
_FIRST = r"(?:[A-Z][\w.'’&-]*|\"[^\"?]+\"|“[^”?]+”)"
_NAME = rf"(?:the )?{_FIRST}(?:,? {_LINK}{{0,3}}(?:{_FIRST}|\d[\w.-]*))*"
_THING = r"(?:the|our|my|her|his|their) [a-z][a-z-]+(?: [a-z][a-z-]+)?"
_ASKING = r"(?:Who|What|Which|When|Where|Why|How|Did|Does|Do|Is|Are|Was|Were)"
_OWNER = rf"(?!{_ASKING}(?:['’]s)? )[A-Z][\w.’'-]*?(?: {_LINK}{{0,2}}[A-Z][\w.’'-]*?)*"

_IS = r"(?:is|was|are|were)"
_DID = r"(?:do|does|did|has|have|had)"
_BY = r"(?:in|for|from|at|with|by|to|of|on)"
_ENDS = r"(?=[\s?,.]|$)"
_VERB = rf"(?!(?:{_DID}|{_BY}|{_IS}|be|been|and|or|but)\b)[a-z]+"
_TOLD = (
    r"(?:[a-z]{2,}(?:s|ed)|wrote|made|built|led|won|sold|bought|ran|sang|gave|met|taught|left|drew|chose|began|died)"
)
_BEHIND = rf"(?: {_BY}(?! (?:the|an?|which|be|[A-Z0-9])\b))?"
_STATE = (
    rf"(?: {_IS}(?: considered)?(?: (?:located|situated|set|based|found|born|from|(?:a )?part of|an? [a-z]+"
    r"|published|produced|made|held|fought))?"
    r"| (?:died|lives?|lived|comes?|came|belongs?|works?|played|ruled|lies|lay|stands|stood|runs|ran|flows))"
)
"""How a clause goes on behind the name that it is about: `is located in`, `comes from`."""

_ALONE = r"(?!,? [A-Z]| and [a-z])"
"""Behind it stands no name that it describes ('Anna's sister Clara'), and nothing that it is told of with."""

_OF = re.compile(
    rf"{_THE}(?:[a-z]+ )?(?P<noun>(?:{_PEOPLE}|{_PARTS})(?= of)|(?:{_PLACES})(?= of (?:birth|death) of))"
    rf"(?: of (?P<event>birth|death))? of (?:the (?:[a-z]+ )?(?:{_THINGS}) )?"
    rf"(?P<name>{_NAME}(?<!'s)(?<!’s)(?<!['’])|{_THING}(?=\W*$|,| {_IS} ))(?![\w'’]){_ALONE}"
)
"""'the director of Metropolis', 'the landlord of the flat', 'the place of birth of Ann'."""
_OWNS = re.compile(
    rf"\b(?P<name>{_OWNER})['’]s? (?:(?P<early>birth|death) )?(?:[a-z]+ )?(?P<noun>{_PEOPLE}|{_OWNED}|place(?= of))"
    rf"(?: of (?P<event>birth|death))?\b{_ALONE}"
)
"""'Anna's daughter', 'Gisvi's city of birth'."""
_BORN = re.compile(rf"\b(?:the )?(?P<name>{_OWNER})(?<!['’]s) (?P<noun>birthplace|hometown)\b")
_CLAUSE = re.compile(
    rf"{_THE}{_NOUN},? (?:(?P<by>{_BY}) )?(?:that|which|who|(?P<where>where)|whom) "
    rf"(?P<clause>(?:the [^?,]*?)?(?P<name>{_NAME})(?: [a-z]+(?= {_IS}\b))?"
    rf"(?(by)(?:{_STATE})?|(?(where)(?:{_STATE})?|{_STATE})){_BEHIND}){_ENDS}"
)
"""'the country where Buyende is located', 'the range that Norris is part of'."""
_DOING = re.compile(
    rf"{_THE}{_NOUN},? (?:that|which|who) "
    rf"(?P<clause>[a-z][^?,]*?(?P<name>{_NAME})(?: as (?:its|his|her|their|an?|the) [a-z]+)?){_ENDS}"
)
"""'the country that made Fist Power'."""
_BARE = re.compile(
    rf"{_THE}{_NOUN} (?P<name>{_NAME}) (?P<said>(?P<is>{_IS})(?P<rest>(?: \w+)?(?: of)?(?: (?:in|from))?)){_ENDS}"
)
"""'the country Buyende is in'."""
_OBJECT = re.compile(
    rf"{_THE}{_NOUN} (?P<rel>that |which |who |whom )?(?P<name>{_NAME}|I|we) (?P<verb>(?(rel){_VERB}|{_TOLD}){_BEHIND})"
    rf"{_ENDS}"
)
"""'the firm that Felix works for', 'the book Peter wrote'."""
_SUBJECT = re.compile(rf"{_THE}{_NOUN} (?:that|which|who) (?P<clause>{_TOLD} (?P<name>{_THING}))(?=[?,.]|$| {_VERB})")
"""'the firm that repaired the boiler'."""
_DONE = re.compile(
    rf"{_THE}{_NOUN} (?P<verb>containing|(?:located|situated) in|(?:\w+ed|written|made|led) by|starring|featuring"
    rf"|based on|named after) (?P<name>{_NAME})"
)
"""'the book written by Peter'."""
_LED = re.compile(rf" {_BY}$")
_WITH_VERB = re.compile(rf"{_DID} (?={_THE}(?:[a-z]+ )?(?:{_PEOPLE}|{_PLACES}|{_THINGS}) (?:that|which|who|of) )")
"""'What does the firm that made the roof charge?': its last word is its verb."""

_ASKS = re.compile(rf"^(?:{_BY} )?(?:who|what|which|when|where|how|whom|whose)\b", re.IGNORECASE)
_CALLED = re.compile(r"\b(?:names?|called)\b|\bnamed\W*$|['’]s\b")
"""What asks no more of somebody than who it is."""

_IDENTIFIES = re.compile(rf"(?:(?i:{_IS}) (?:{_NAME})(?: (?:ever|still|now|also|not|once))*\W*|\W*{_IS}?\W*,.*)")
"""'Is Grit Sommer the treasurer?', 'Who is the chair, Dora or Ivo?'"""

_TELLS = re.compile(r"(?:please )?(?:summar|explain|describe|compare|tell me (?:all|every|more|about))", re.IGNORECASE)

_VERBS = {"containing": "contains", "starring": "stars", "featuring": "features"}


@dataclass(frozen=True, slots=True)
class Nested:
    """Where it stands in a question, the name that it is about, the noun that says what is meant, and the question
    that asks for it alone. `event` is what happened there, where a place is meant by it; `by_clause`: it is described
    by what is done, as in `the firm that repaired the boiler`."""

    start: int
    end: int
    name: str
    noun: str
    question: str
    event: Literal["", "birth", "death"] = ""
    by_clause: bool = False

    @property
    def kind(self) -> NameKind:
        if self.event or re.fullmatch(_PLACES, self.noun):
            return "place"
        return "person" if re.fullmatch(_PEOPLE, self.noun) else "name"

    def without_noun(self, question: str) -> str:
        """The question with the name alone in the place of what describes by it."""
        return self.filled(question, self.name)

    def names_of(self, question: str) -> str:
        """Its own name, and those beside it in the question."""
        beside = question[: self.start], question[self.end :]
        return " ".join((self.name, *(word for part in beside for word in re.findall(rf"(?<=\s)\b{_FIRST}", part))))

    def filled(self, question: str, name: str) -> str:
        """The question with a name in the place of what describes it."""
        return question[: self.start] + name + question[self.end :]


def nested(question: str) -> Nested | None:
    """The first of those that hold no other, where the question asks more than it does; None where there is none."""
    text = question.rstrip(" ?.!")
    if len(text) > LONGEST or _TELLS.match(text):
        return None
    longest = list({one.start: one for one in sorted(_found(text), key=lambda one: one.end)}.values())
    inmost = [one for one in longest if not any(one.start < it.start and it.end <= one.end for it in longest)]
    return min((one for one in inmost if _asks_more(text, one)), key=lambda one: one.start, default=None)


def _asks_more(text: str, one: Nested) -> bool:
    rest = f"{text[: one.start]} {text[one.end :]}".strip()
    more = _ASKS.sub("", rest)
    if _IDENTIFIES.fullmatch(rest) or _IDENTIFIES.fullmatch(more.strip()):
        return False
    return bool(content_words(_CALLED.sub("", more))) and bool(content_words(one.name))


def _found(text: str) -> Iterator[Nested]:
    for match in _everywhere(_CLAUSE, text):
        yield _by_clause(match, _asked_by_clause(match))
    for match in _everywhere(_DOING, text):
        yield _by_clause(match, f"{_which(match['noun'])} {match['clause']}?")
    for match in _everywhere(_BARE, text):
        asks = "In which" if re.fullmatch(_PLACES, match["noun"]) and not _LED.search(match["rest"]) else "Which"
        yield _by_clause(match, f"{asks} {match['noun']} {match['is']} {match['name']}{match['rest']}?")
    for match in _everywhere(_OBJECT, text):
        yield _by_clause(match, f"{_which(match['noun'])} is it that {match['name']} {match['verb']}?")
    for match in _everywhere(_SUBJECT, text):
        yield _by_clause(match, f"{_which(match['noun'])} {match['clause']}?")
    for match in _everywhere(_DONE, text):
        verb = _VERBS.get(match["verb"], f"is {match['verb']}")
        yield _by_clause(match, f"{_which(match['noun'])} {verb} {match['name']}?")
    for match in (*_everywhere(_OF, text), *_OWNS.finditer(text), *_BORN.finditer(text)):
        swallowed = match.endpos < len(text) and re.fullmatch(r"[a-z]+ [a-z-]+ [a-z-]+", match["name"])
        if not swallowed:  # 'does the landlord of the flat take calls'
            yield _described(match)


def _everywhere(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Also those that begin inside another."""
    for begin in re.finditer(_THE, text):
        aux = text.rfind(" ", 0, max(0, begin.start() - 1)) + 1
        ends = text.rfind(" ") if _WITH_VERB.match(text, aux) else len(text)
        if match := pattern.match(text, begin.start(), ends):
            yield match


def _by_clause(match: re.Match[str], question: str) -> Nested:
    return Nested(*match.span(), match["name"], match["noun"], question, by_clause=True)


def _described(match: re.Match[str]) -> Nested:
    """By its noun and a name alone."""
    groups, (start, end) = match.groupdict(), match.span()
    name, noun = match["name"], match["noun"]
    event = groups.get("event") or groups.get("early") or ("birth" if noun in ("birthplace", "hometown") else "")
    if event == "death":
        return Nested(start, end, name, noun, f"Where did {name} die?", "death")
    if event:
        return Nested(start, end, name, noun, f"Where was {name} born?", "birth")
    return Nested(start, end, name, noun, f"{'Who' if re.fullmatch(_PEOPLE, noun) else 'What'} is {match[0]}?")


def _asked_by_clause(match: re.Match[str]) -> str:
    clause, noun = match["clause"], match["noun"]
    by = match["by"] or ("in" if match["where"] else "")
    turned = re.fullmatch(rf"(?P<who>.+?) (?P<is>{_IS})(?P<rest>(?: .*)?)", clause)
    said = f"{turned['is']} {turned['who']}{turned['rest']}" if turned else f"is it that {clause}"
    return f"{by.capitalize()} which {noun} {said.removesuffix(f' {by}')}?" if by else f"{_which(noun)} {said}?"


def _which(noun: str) -> str:
    return "Who" if re.fullmatch(_PEOPLE, noun) else f"Which {noun}"

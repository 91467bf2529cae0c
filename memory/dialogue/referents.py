"""What a pronoun of the question stands for, where the conversation names it: 'where was he born?' after an answer
about Fritz Lang is 'where was Fritz Lang born?'. Names only, by rules; what they do not reach stays as it is."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from clew.memory.datatypes import Sentence

_CAPITAL = r"[A-ZÀ-ÖØ-Þ][\w’'-]*"
_LINK = r"(?:of|the|of the|in the|to the|on the|de|von|van|der|la|le|du|da|di|al|bin)"
_NAME = re.compile(
    rf"\b(?:Dr|Mr|Mrs|Ms|St|Prof)\.\s{_CAPITAL}(?:\s{_CAPITAL})*|\b{_CAPITAL}(?:(?:\s{_LINK})?\s{_CAPITAL})*"
)
_OF_A_PERSON = frozenset({"de", "von", "van", "der", "la", "le", "du", "da", "di", "al", "bin"})
_OPENERS = frozenset(
    "A An The In On At By It He She They This That These Those His Her Its Their And But So Or If As When While After"
    " Before Since For From With Who What Which Where Why How Is Are Was Were Do Does Did Can Could I You We My Your"
    " Our There Here Not No Yes Both Each Some Most Many All One Two Three However Although Because Of To"
    " January February March April May June July August September October November December".split()
)
_OPENS = re.compile(r"[.?!]['\"”’)]?\s+$")
_I = re.compile(r"I['’]\w+")
_WHO = re.compile(r"(?:\w+,? )?who(?:['’]s| is| was) ", re.IGNORECASE)
_PLACED = re.compile(r"\b(in|at|near|from|to|on|outside|into)\s+(?:[a-z]+\s+){0,3}$")

_AT = ("at", "near", "on", "outside")

_HE = {"he": "{}", "him": "{}", "his": "{}'s"}
_SHE = {"she": "{}", "her": "{}'s"}
_PERSON = {**_HE, **_SHE}
_THING = {"it": "{}", "its": "{}'s"}
_SEVERAL = {"they": "{}", "them": "{}", "their": "{}'s"}
_PLACE = r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )there(?=\s*(?:[^\w\s]|$))"  # not 'how many are there?'
_OBJECT = re.compile(r"her(?=\s*(?:[^\w\s]|$)|\s+(?:a|an|the|in|on|at|to|for|from|with|by|of|about|and|or|as|when)\b)")
"""'Who taught her?', not 'her films'."""

_PRONOUN = re.compile(rf"\b({'|'.join([*_PERSON, *_THING, *_SEVERAL, _PLACE])})\b", re.IGNORECASE)

LONGEST = 1000
"""Characters of a question; a longer one says itself whom it is about."""

BACK = 3
"""Turns that are looked through for a name."""


@dataclass(frozen=True, slots=True)
class _Mention:
    name: str
    placed: str
    """The preposition of place before it, or nothing."""
    subject: bool = False
    """'Who was Laika?': a person, or as good as one, whatever the name looks like."""

    @property
    def looks_like_a_person(self) -> bool:
        words = self.name.split()
        return 2 <= len(words) <= 4 and not self.placed and all(w[0].isupper() or w in _OF_A_PERSON for w in words)


def resolved(question: str, history: Sequence[Sentence]) -> str:
    """The question with the name for its first pronoun, and for those like it; unchanged where no name is found.

    `history` are the sentences of the conversation in their order. The nearest turn comes first, and of it what the
    answer names; for 'it' only what the question asked about. 'it' that stands for what follows
    ('is it true that') is left.
    """
    match = _PRONOUN.search(question)
    if (
        match is None
        or len(question) > LONGEST
        or re.search(r"\bit\b.{0,30}\b(?:to|that|if)\b", question, re.IGNORECASE)
    ):
        return question
    pronoun = match.group().casefold()
    name = next(_candidates(pronoun, list(_mentions_by_turn(history))), "")
    if not name or name.casefold() in question.casefold():
        return question
    return _PRONOUN.sub(lambda found: _in_place(found, pronoun, name), question)


def _candidates(pronoun: str, turns: Sequence[tuple[list[_Mention], list[_Mention]]]) -> Iterator[str]:
    """The names that the pronoun can stand for, likeliest first; `turns`: of each question and answer, newest first."""
    everyone = {m.name for in_question, in_answer in turns for m in (*in_question, *in_answer) if m.looks_like_a_person}
    for in_question, in_answer in turns:
        subjects = [mention for mention in in_question if mention.subject]
        mentions = in_question if pronoun in _THING else [*subjects, *in_answer, *in_question]
        for mention in mentions:
            if pronoun in _PERSON:
                yield from _person(mention, everyone)
            elif pronoun == "there" and mention.placed:
                yield f"{mention.placed if mention.placed in _AT else 'in'} {mention.name}"
            elif pronoun in _THING:
                yield from () if list(_person(mention, everyone)) else (mention.name,)
            elif pronoun in _SEVERAL and " and " in mention.name:
                yield mention.name


def _person(mention: _Mention, everyone: set[str]) -> Iterator[str]:
    """The person, in full where only a part of the name was said."""
    if mention.looks_like_a_person or mention.subject:
        yield mention.name
    elif not mention.placed:
        yield from (name for name in sorted(everyone) if mention.name in name.split())


def _mentions_by_turn(history: Sequence[Sentence]) -> Iterator[tuple[list[_Mention], list[_Mention]]]:
    for turn in sorted({sentence.turn for sentence in history}, reverse=True)[:BACK]:
        in_question = [s.text for s in history if s.turn == turn and s.speaker == "user"]
        in_answer = [s.text for s in history if s.turn == turn and s.speaker == "agent"]
        yield [m for text in in_question for m in _mentions(text)], [m for text in in_answer for m in _mentions(text)]


def _mentions(text: str) -> Iterator[_Mention]:
    """Names in their order; two joined by `and` are one as well, behind both."""
    pairs: list[tuple[_Mention, int, int]] = []
    for match in _NAME.finditer(text):
        name = re.sub(r"[’']s?$", "", match.group())
        start, article = match.start(), text[: match.start()].endswith(" the ")
        while name.split(" ")[0] in _OPENERS and (start == 0 or " " not in name):
            first, _, name = name.partition(" ")
            start, article = start + len(first) + 1, first == "The"
        paired = re.match(r"\sand\s[A-Z]", text[match.end() : match.end() + 6])
        opens = (
            (start == 0 or _OPENS.search(text[max(0, start - 4) : start]) is not None)
            and " " not in name
            and not paired
        )  # a lone word may have its capital from the sentence
        if name and not opens and not _I.fullmatch(match.group()):
            placed = _PLACED.search(text[max(0, match.start() - 60) : match.start()])
            full = f"the {name}" if article else name
            about = _WHO.fullmatch(text[:start]) is not None
            pairs.append((_Mention(full, placed.group(1) if placed else "", about), start, match.end()))
    yield from (mention for mention, _, _ in pairs)
    for (one, begin, end), (other, start, _) in pairwise(pairs):
        if text[end:start] == " and " and text[max(0, begin - 2) : begin] != ", ":  # no two of three
            yield _Mention(f"{one.name} and {other.name}", "")


def _in_place(match: re.Match[str], pronoun: str, name: str) -> str:
    """The name in the case of the pronoun; pronouns of another kind stay."""
    found = match.group().casefold()
    if found == "her" == pronoun and _OBJECT.match(match.string.casefold(), match.start()):
        return name
    for kind in (_HE, _SHE, _THING, _SEVERAL):
        if pronoun in kind and found in kind:
            return kind[found].format(name)
    return name if found == pronoun == "there" else match.group()

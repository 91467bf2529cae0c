"""The context dependence of a question, by rules and English word lists; a question of another language stands alone.

`depends_on_context` looks for pronouns, demonstratives and ellipses that need what was said before, `unnamed` for nouns
that the question speaks of as if they were known ('the actor', 'this library'). `resolved` puts the name in the place
of a pronoun where the conversation has it: 'where was he born?' after an answer about Fritz Lang is 'where was Fritz
Lang born?'.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from clew.memory.datatypes import Sentence
from clew.memory.text import word_lists, words

_WORD = re.compile(r"\w+|[,;.?!]")
_LISTS = word_lists(Path(__file__).with_name("context_words.txt"))
_WORDS = {name: frozenset(listed) for name, listed in _LISTS.items()}
_PERSONAL, _POSSESSIVE = _WORDS["personal"], _WORDS["possessive"]
_ASKING, _BE_AND_DO, _REQUESTS = _WORDS["asking"], _WORDS["be_and_do"], _WORDS["requests"]
_LINKS, _PREPOSITIONS, _POINTERS = _WORDS["links"], _WORDS["prepositions"], _WORDS["pointers"]
_SAYS_WHICH = _WORDS["says_which"]

_FUNCTION = _PERSONAL | _ASKING | _BE_AND_DO | _REQUESTS | _LINKS | _PREPOSITIONS | _WORDS["chat"]
_MARKS = frozenset(",;.?!")
_SENTENCE_ENDS = frozenset(".?!")
_BEFORE_THAT = (_MARKS | _BE_AND_DO | _PREPOSITIONS | {"and", "or", "but", "why", "how"}) - {"a", "an", "the"}


LOOKED_AT = 100
"""Words at the end of a turn, where the question is."""


def depends_on_context(question: str) -> bool:
    """True where a reader of this question alone would ask "which?" or "who?"."""
    question = " ".join(question.split()[-LOOKED_AT:])
    words = [word.casefold() for word in _WORD.findall(question.replace("\u2019", "'"))]
    spoken = [word for word in words if word not in _MARKS]
    if not spoken:
        return False
    return _is_elliptical(spoken, question) or any(_points_back(words, at, question) for at in range(len(words)))


_CLARIFIES = re.compile(
    r"(?:(?:no|yes|sorry|so|well|oh|ok|okay)\b)?[,.! ]*"
    r"i(?:['\u2019]m| am| was)? (?:mean|meant|asking|talking about|referring to)\b(?! to\b)",
    re.IGNORECASE,
)
_ASKS = re.compile(rf"(?:{'|'.join(sorted(_ASKING | _BE_AND_DO | _REQUESTS))})\b", re.IGNORECASE)
DETAIL = 14
"""Words that an answer to a question of the assistant's has at most."""


def clarifies(question: str, asked_back: bool) -> bool:
    """'I mean the one in Boston': the earlier question, with this detail. Also a short statement where the assistant's
    last words were a question."""
    asks = question.rstrip().endswith(("?", "\uff1f")) or _ASKS.match(question.strip())
    return bool(_CLARIFIES.match(question.strip())) or (asked_back and not asks and len(question.split()) <= DETAIL)


def has_pronoun(question: str) -> bool:
    return any(word in _PERSONAL for word in _WORD.findall(question.casefold()))


def _content(words: list[str]) -> list[str]:
    """Those that say what a question is about; `words` are in lower case."""
    return [word for word in words if word not in _FUNCTION and word not in _MARKS]


def _is_elliptical(words: list[str], question: str) -> bool:
    """'Why?', 'What about Saturn?', 'And the Moon?', 'How old?', 'streaming services?': few words and no verb."""
    own = _content(words)
    if words[:2] in (["what", "about"], ["how", "about"], ["why", "not"]):
        named = {name.casefold() for name in _names(question)}
        return len(own) <= 2 or named.issuperset(own)  # not 'what about the far side of the Moon?'
    if not own or any(word in _BE_AND_DO | _REQUESTS for word in words):
        return not own
    asks = any(word in _ASKING for word in words)
    return all(word.isascii() for word in own) and (len(own) == 1 or (len(own) == 2 and not asks))


def _points_back(words: list[str], at: int, question: str) -> bool:
    if len(_content(words[: _start_of_sentence(words, at)])) >= 3:  # it says itself what it is about
        return False
    word = words[at]
    if word in _PERSONAL:
        return not _is_expletive(words, at) and not _has_antecedent(words, at, question)
    if word in ("this", "these", "those", "that"):
        return _is_demonstrative(words, at)
    if word == "there":
        return _next(words, at) in _MARKS and not _names(question)
    if word in ("one", "ones"):
        return word == "ones" or (bool(_POINTERS & set(words[max(0, at - 2) : at])) and _next(words, at) != "of")
    if word in ("other", "others", "same"):
        return _is_comparative(words, at)
    if word in _WORDS["nameless"]:
        return _is_bare(words, at) and not _names(question)
    return word in ("former", "latter") or (word == "else" and len(_content(words[:at])) == 0)


def _is_expletive(words: list[str], at: int) -> bool:
    """'How long does it take to ...', 'Is it true that ...': this 'it' stands for what follows."""
    following = words[at + 1 : at + 5]
    return words[at] == "it" and (
        (following[:1] == ["take"] and following[1:2] != ["place"])
        or bool({"to", "that", "if"} & set(following[1:]))
        or "raining" in following
    )


def _has_antecedent(words: list[str], at: int, question: str) -> bool:
    """The question itself names what the pronoun stands for: 'Where was the cotton gin invented and where is it ...'.

    That is, a name or two words of content come before, and the pronoun is no object: 'Did Lang direct it?'.
    """
    if _next(words, at) in _MARKS and words[at] not in ("his", "hers", "theirs"):
        return False
    before = words[:at]
    is_subject = words[at - 1] in _LINKS | _BE_AND_DO | _MARKS
    has_name = any(name.casefold() in before for name in _names(question))
    return (is_subject or words[at] in _POSSESSIVE) and (has_name or len(_content(before)) >= 2)


def _is_demonstrative(words: list[str], at: int) -> bool:
    """Not 'this year', 'those who', nor 'that' as a conjunction or relative."""
    if words[at] != "that":
        return _next(words, at) not in _WORDS["times"] | {"who", "that", "which", "of"}
    previous = words[at - 1] if at else ","
    following = _next(words, at)
    return previous in _BEFORE_THAT or following in _MARKS or (previous == "s" and following not in _FUNCTION)


def _is_comparative(words: list[str], at: int) -> bool:
    """'the other one', 'any others', 'is it the same': compared with something that the question does not name."""
    if "than" in words or "as" in words[at:] or len(_content(words[:at])) >= 2:
        return False
    return words[at] == "others" or (at > 0 and words[at - 1] in ("the", "any", "some"))


def _is_bare(words: list[str], at: int) -> bool:
    """'the film' with nothing behind it that would say which."""
    if at == 0 or words[at - 1] not in ("the", "this", "that"):
        return False
    following = _next(words, at)
    return following in _MARKS | _BE_AND_DO | _WORDS["done"] | {"s", "and", "or"} or following.endswith("ed")


def _start_of_sentence(words: list[str], at: int) -> int:
    return max((index + 1 for index in range(at) if words[index] in _SENTENCE_ENDS), default=0)


def _next(words: list[str], at: int) -> str:
    return words[at + 1] if at + 1 < len(words) else "."


def _names(question: str) -> list[str]:
    """Words with a capital, other than the first of a sentence and 'I'."""
    return [name for name in re.findall(r"(?<=[^\s.?!] )[A-Z]\w+", question) if name.casefold() not in _FUNCTION]


POINTING = frozenset("this that these those".split())

_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]")
_VERB = re.compile(
    r"(?:ed|ing|ly)$|^(?:spoken|known|written|made|held|built|born|taken|given|found|won|shown|sung|led|meet|met|run|ran"
    r"|became|become|use|lead|mean|allow|receive|provide|play|win|lose|happen|affect|start|begin|began)s?$"
)
"""What a noun phrase ends before."""

_ASKS_FOR_A_VERB = frozenset("do does did don't doesn't didn't".split())

LONGEST_PHRASE = 4
"""Words of a noun phrase without its article."""


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A noun phrase: its noun, whether a pointing word stands before it, and whether it owns something."""

    noun: str
    pointing: bool
    owner: bool


def unnamed(question: str, history: Sequence[str]) -> tuple[str, ...]:
    """The nouns, as the question has them and those behind 'this' first; none that the texts of `history` have."""
    known = {_singular(word) for text in history for word in words(text)}
    found: dict[str, bool] = {}
    for phrase in _phrases(question):
        if _singular(phrase.noun.casefold()) not in known:
            found[phrase.noun] = found.get(phrase.noun, False) or phrase.pointing
    return tuple(sorted(found, key=lambda noun: not found[noun]))


def points(question: str) -> bool:
    """Whether it speaks of 'this animal' or 'the actor's approach': more than an article, which may stand for what the
    documents are about."""
    return any(phrase.pointing or phrase.owner for phrase in _phrases(question))


def _singular(word: str) -> str:
    """A stem would take an animal for something animated."""
    return word.removesuffix("s")


def _phrases(question: str) -> Iterator[_Phrase]:
    """Those with a definite article or a pointing word that nothing makes definite."""
    tokens = _TOKEN.findall(question.replace("’", "'"))
    verb_comes = False
    for at, token in enumerate(tokens):
        verb_comes = verb_comes or token.casefold() in _ASKS_FOR_A_VERB
        pointing = token.casefold() in POINTING and not (at and _content([tokens[at - 1].casefold()]))
        if not pointing and token.casefold() != "the":
            continue
        phrase = _run(tokens[at + 1 : at + 1 + LONGEST_PHRASE])
        following = tokens[at + 1 + len(phrase)].casefold() if at + 1 + len(phrase) < len(tokens) else ""
        if verb_comes and phrase and following not in _SAYS_WHICH:  # 'did the chain establish' ends with the verb
            phrase, verb_comes = phrase[: max(len(phrase) - 1, 1)], False
        if not phrase or any(word[0].isupper() or word[0].isdigit() for word in phrase):
            continue
        owner = phrase[-1].endswith(("'s", "s'"))
        noun = re.sub(r"'s?$", "", phrase[-1])
        if noun.casefold() in _WORDS["known_to_all"] or (not pointing and not owner and following in _SAYS_WHICH):
            continue
        yield _Phrase(noun, pointing, owner)


def _run(tokens: Sequence[str]) -> list[str]:
    """The words that belong to the noun: up to a function word, a mark, an owner's 's or a form of a verb."""
    run: list[str] = []
    for token in tokens:
        word = token.casefold()
        if not _content([re.sub(r"'s?$", "", word)]) or (run and _VERB.search(word)):
            break
        run.append(token)
        if word.endswith(("'s", "s'")):
            break
    return run


_CAPITAL = r"[A-ZÀ-ÖØ-Þ][\w’'-]*"
_LINK = r"(?:of|the|of the|in the|to the|on the|de|von|van|der|la|le|du|da|di|al|bin)"
_NAME = re.compile(
    rf"\b(?:Dr|Mr|Mrs|Ms|St|Prof)\.\s{_CAPITAL}(?:\s{_CAPITAL})*|\b{_CAPITAL}(?:(?:\s{_LINK})?\s{_CAPITAL})*"
)
_OF_A_PERSON = frozenset({"de", "von", "van", "der", "la", "le", "du", "da", "di", "al", "bin"})
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
        while name.split(" ")[0] in _WORDS["openers"] and (start == 0 or " " not in name):
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

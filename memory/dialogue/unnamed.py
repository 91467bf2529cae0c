"""What a question speaks of as if it were known, where nothing says which one: 'the actor', 'this library'.

Rules and English word lists, for want of a parser; a question of another language has no such thing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clew.memory.dialogue.leaning import content_words as plain_content
from clew.memory.words import words

POINTING = frozenset("this that these those".split())

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]")
_SAYS_WHICH = frozenset(
    "of in on at for from by with to about between behind that who whom whose which where when".split()
)
"""What follows these says which one is meant: 'the capital of Mongolia'."""

_OWN = frozenset(
    "same other first second third last next most best only time times way ways world internet people year years"
    " day days start run difference differences reason reasons meaning definition answer"
    " question number amount fact facts thing things"
    " kind kinds type types list name names word words sun moon earth sky weather past present future beginning end"
    " usa us uk u.s government law public information list united rest top bottom middle".split()
)
"""Nouns with an article that need no thing to have been named."""

_VERB = re.compile(
    r"(?:ed|ing|ly)$|^(?:spoken|known|written|made|held|built|born|taken|given|found|won|shown|sung|led|meet|met|run|ran"
    r"|became|become|use|lead|mean|allow|receive|provide|play|win|lose|happen|affect|start|begin|began)s?$"
)
"""What a noun phrase ends before."""

_ASKS_FOR_A_VERB = frozenset("do does did don't doesn't didn't".split())

LONGEST = 4
"""Words of a noun phrase without its article."""


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A noun phrase: its noun, whether a pointing word stands before it, and whether it owns something."""

    noun: str
    pointing: bool
    owner: bool


def unnamed(question: str, said: Sequence[str]) -> tuple[str, ...]:
    """The nouns, as the question has them and those behind 'this' first; none that were in what was `said` before."""
    known = {_singular(word) for text in said for word in words(text)}
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
    tokens = _WORD.findall(question.replace("’", "'"))
    verb_comes = False
    for at, token in enumerate(tokens):
        verb_comes = verb_comes or token.casefold() in _ASKS_FOR_A_VERB
        pointing = token.casefold() in POINTING and not (at and plain_content([tokens[at - 1].casefold()]))
        if not pointing and token.casefold() != "the":
            continue
        phrase = _run(tokens[at + 1 : at + 1 + LONGEST])
        following = tokens[at + 1 + len(phrase)].casefold() if at + 1 + len(phrase) < len(tokens) else ""
        if verb_comes and phrase and following not in _SAYS_WHICH:  # 'did the chain establish' ends with the verb
            phrase, verb_comes = phrase[: max(len(phrase) - 1, 1)], False
        if not phrase or any(word[0].isupper() or word[0].isdigit() for word in phrase):
            continue
        owner = phrase[-1].endswith(("'s", "s'"))
        noun = re.sub(r"'s?$", "", phrase[-1])
        if noun.casefold() in _OWN or (not pointing and not owner and following in _SAYS_WHICH):
            continue
        yield _Phrase(noun, pointing, owner)


def _run(tokens: Sequence[str]) -> list[str]:
    """The words that belong to the noun: up to a function word, a mark, an owner's 's or a form of a verb."""
    run: list[str] = []
    for token in tokens:
        word = token.casefold()
        if not plain_content([re.sub(r"'s?$", "", word)]) or (run and _VERB.search(word)):
            break
        run.append(token)
        if word.endswith(("'s", "s'")):
            break
    return run

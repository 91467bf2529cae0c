"""Whether a question depends on the conversation, by patterns of English; a question in another language never does.

`depends_on_context` looks for pronouns, demonstratives and ellipses that refer to what was said before; `unnamed` for
nouns that the question uses as if they were known ("the actor", "this library"). `context_dependence.txt` has the words
and the patterns."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from clew.memory.text import compiled_patterns, read_patterns, words

_WORD = re.compile(r"\w+|[,;.?!]")
_MARKS = frozenset(",;.?!")
_TABLE = read_patterns(Path(__file__).with_suffix(".txt"))
_PERSONAL, _POINTING, _FUNCTION, _SAYS_WHICH, _KNOWN_TO_ALL = (
    frozenset(_TABLE[name].split("|")) for name in ("personal", "pointing", "function", "says_which", "known_to_all")
)
_ASKS = frozenset(_TABLE["asks"].split("|"))
_ELLIPTICAL, _SETTLED, _POINTS = (
    [re.compile(pattern) for name, pattern in _TABLE.items() if name.startswith(kind)]
    for kind in ("elliptical ", "settled ", "points ")
)
_LOOKED_AT, _ENDS_A_PHRASE, _WITH_A_VERB = (
    re.compile(_TABLE[name]) for name in ("looked_at", "ends a phrase", "with a verb")
)

LOOKED_AT = 100
"""Words at the end of a turn that are looked at: the question is there."""


def depends_on_context(question: str) -> bool:
    """Whether a reader of this question alone would have to ask "which?" or "who?"."""
    question = " ".join(question.split()[-LOOKED_AT:])
    marked = _marked(question.replace("\u2019", "'"))
    spoken = " ".join(word for word in marked if word not in _MARKS)
    if not spoken or any(pattern.search(spoken) for pattern in _ELLIPTICAL):
        return bool(spoken)
    return any(_points_back(marked, at) for at in range(len(marked)))


def _marked(question: str) -> list[str]:
    """The words and marks of a question in lower case, with `#` before names and `=` before other words of content."""
    names = {name.casefold() for name in re.findall(r"(?<=[^\s.?!] )[A-Z]\w+", question)}
    said = (word.casefold() for word in _WORD.findall(question))
    return [word if _says_nothing(word) else f"#{word}" if word in names else f"={word}" for word in said]


def _says_nothing(word: str) -> bool:
    return word in _FUNCTION or word in _MARKS


def _points_back(marked: Sequence[str], at: int) -> bool:
    """Whether the word at this place stands for something that the question does not name."""
    if not _LOOKED_AT.fullmatch(marked[at].lstrip("=#")):
        return False
    text = " ".join((",", *marked[:at], f"<{marked[at].removeprefix('=')}>", *marked[at + 1 :], "."))
    return any(one.search(text) for one in _POINTS) and not any(one.search(text) for one in _SETTLED)


_CLARIFIES = compiled_patterns(Path(__file__).with_name("phrases.txt"))["clarifies"]
DETAIL = 14
"""Words that an answer to the assistant's question may have."""


def clarifies(question: str, asked_back: bool) -> bool:
    """Whether the turn adds a detail to the earlier question: "I mean the one in Boston", or a short statement after
    the assistant asked something."""
    first = _WORD.search(question.casefold())
    asks = question.rstrip().endswith(("?", "\uff1f")) or (first and first[0] in _ASKS)
    return bool(_CLARIFIES.match(question.strip())) or (asked_back and not asks and len(question.split()) <= DETAIL)


def has_pronoun(question: str) -> bool:
    """Return whether the question has a personal pronoun."""
    return not _PERSONAL.isdisjoint(_WORD.findall(question.casefold()))


def has_demonstrative(question: str) -> bool:
    """Return whether the question has a word that points (`this`, `those`)."""
    return not _POINTING.isdisjoint(_WORD.findall(question.casefold()))


_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]")
LONGEST_PHRASE = 4
"""Words of a noun phrase, without its article."""


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A noun phrase: its noun, whether "this" or the like stands before it, and whether it has an 's."""

    noun: str
    pointing: bool
    owner: bool


def unnamed(question: str, history: Sequence[str]) -> tuple[str, ...]:
    """The nouns that the question uses as if known and that the texts of `history` do not have, those behind "this"
    first."""
    known = {_singular(word) for text in history for word in words(text)}
    found: dict[str, bool] = {}
    for phrase in _phrases(question):
        if _singular(phrase.noun.casefold()) not in known:
            found[phrase.noun] = found.get(phrase.noun, False) or phrase.pointing
    return tuple(sorted(found, key=lambda noun: not found[noun]))


def points(question: str) -> bool:
    """Whether it says "this animal" or "the actor's approach". An article alone may stand for what the documents are
    about."""
    return any(phrase.pointing or phrase.owner for phrase in _phrases(question))


def _singular(word: str) -> str:
    """The word without a final s. A stem would confuse `animal` with `animated`."""
    return word.removesuffix("s")


def _phrases(question: str) -> Iterator[_Phrase]:
    """The noun phrases with "the", "this" or the like, but not those that say themselves which one is meant."""
    tokens = _TOKEN.findall(question.replace("’", "'"))
    verb_comes = False
    for at, token in enumerate(tokens):
        verb_comes = verb_comes or _WITH_A_VERB.fullmatch(token.casefold()) is not None
        pointing = token.casefold() in _POINTING and (not at or _says_nothing(tokens[at - 1].casefold()))
        if not pointing and token.casefold() != "the":
            continue
        phrase = _run(tokens[at + 1 : at + 1 + LONGEST_PHRASE])
        following = tokens[at + 1 + len(phrase)].casefold() if at + 1 + len(phrase) < len(tokens) else ""
        if verb_comes and len(phrase) > 1:  # 'did the chain establish' ends with the verb
            phrase, verb_comes = phrase[:-1], False
        if not phrase or any(word[0].isupper() or word[0].isdigit() for word in phrase):
            continue
        owner = phrase[-1].endswith(("'s", "s'"))
        noun = re.sub(r"'s?$", "", phrase[-1])
        if noun.casefold() in _KNOWN_TO_ALL or (not pointing and not owner and following in _SAYS_WHICH):
            continue
        yield _Phrase(noun, pointing, owner)


def _run(tokens: Sequence[str]) -> list[str]:
    """The words of the noun phrase: up to a function word, a mark, an 's or a verb."""
    run: list[str] = []
    for token in tokens:
        word = token.casefold()
        if _says_nothing(re.sub(r"'s?$", "", word)) or (run and _ENDS_A_PHRASE.fullmatch(word)):
            break
        run.append(token)
        if word.endswith(("'s", "s'")):
            break
    return run

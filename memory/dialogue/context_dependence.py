"""Whether a question depends on the conversation, by rules and English word lists; a question in another language never
does.

`depends_on_context` looks for pronouns, demonstratives and ellipses that refer to what was said before; `unnamed` for
nouns that the question uses as if they were known ("the actor", "this library")."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from clew.memory.text import compiled_patterns, word_lists, words

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
"""Words at the end of a turn that are looked at: the question is there."""


def depends_on_context(question: str) -> bool:
    """Whether a reader of this question alone would have to ask "which?" or "who?"."""
    question = " ".join(question.split()[-LOOKED_AT:])
    words = [word.casefold() for word in _WORD.findall(question.replace("\u2019", "'"))]
    spoken = [word for word in words if word not in _MARKS]
    if not spoken:
        return False
    return _is_elliptical(spoken, question) or any(_points_back(words, at, question) for at in range(len(words)))


_CLARIFIES = compiled_patterns(Path(__file__).with_name("phrases.txt"))["clarifies"]
DETAIL = 14
"""Words that an answer to the assistant's question may have."""


def clarifies(question: str, asked_back: bool) -> bool:
    """Whether the turn adds a detail to the earlier question: "I mean the one in Boston", or a short statement after
    the assistant asked something."""
    first = _WORD.search(question.casefold())
    asks = question.rstrip().endswith(("?", "\uff1f")) or (first and first[0] in _ASKING | _BE_AND_DO | _REQUESTS)
    return bool(_CLARIFIES.match(question.strip())) or (asked_back and not asks and len(question.split()) <= DETAIL)


def has_pronoun(question: str) -> bool:
    return any(word in _PERSONAL for word in _WORD.findall(question.casefold()))


def _content(words: list[str]) -> list[str]:
    """The words that say what a question is about; `words` are in lower case."""
    return [word for word in words if word not in _FUNCTION and word not in _MARKS]


def _is_elliptical(words: list[str], question: str) -> bool:
    """Whether there are few words and no verb: "Why?", "What about Saturn?", "And the Moon?", "How old?"."""
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
        exists = words[at - 1] in ("is", "are", "was", "were")  # 'Which kinds are there?'
        return _next(words, at) in _MARKS and not exists and not _names(question)
    if word in ("one", "ones"):
        return word == "ones" or (bool(_POINTERS & set(words[max(0, at - 2) : at])) and _next(words, at) != "of")
    if word in ("other", "others", "same"):
        return _is_comparative(words, at)
    if word in _WORDS["nameless"]:
        return _is_bare(words, at) and not _names(question)
    return word in ("former", "latter") or (word == "else" and len(_content(words[:at])) == 0)


def _is_expletive(words: list[str], at: int) -> bool:
    """Whether "it" stands for what follows: "How long does it take to ...", "Is it true that ..."."""
    following = words[at + 1 : at + 5]
    return words[at] == "it" and (
        (following[:1] == ["take"] and following[1:2] != ["place"])
        or bool({"to", "that", "if"} & set(following[1:]))
        or "raining" in following
        or (following[:1] == ["between"] and words[at - 1] in ("is", "was"))
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
    """Whether the word refers back; not in "this year" and "those who", nor `that` as a conjunction or relative."""
    if words[at] != "that":
        return _next(words, at) not in _WORDS["times"] | {"who", "that", "which", "of"}
    previous = words[at - 1] if at else ","
    following = _next(words, at)
    if following == "of" and "of" in words[:at]:  # 'the rent of the flat and that of the garage'
        return False
    return previous in _BEFORE_THAT or following in _MARKS or (previous == "s" and following not in _FUNCTION)


def _is_comparative(words: list[str], at: int) -> bool:
    """Whether it compares with something not named: "the other one", "any others", "is it the same"."""
    if "than" in words or "as" in words[at:] or len(_content(words[:at])) >= 2:
        return False
    return words[at] == "others" or (at > 0 and words[at - 1] in ("the", "any", "some"))


def _is_bare(words: list[str], at: int) -> bool:
    """Whether nothing behind "the film" says which one."""
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
        verb_comes = verb_comes or token.casefold() in ("do", "does", "did")
        pointing = token.casefold() in POINTING and not (at and _content([tokens[at - 1].casefold()]))
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
        if noun.casefold() in _WORDS["known_to_all"] or (not pointing and not owner and following in _SAYS_WHICH):
            continue
        yield _Phrase(noun, pointing, owner)


def _run(tokens: Sequence[str]) -> list[str]:
    """The words of the noun phrase: up to a function word, a mark, an 's or a verb."""
    run: list[str] = []
    for token in tokens:
        word = token.casefold()
        verb = word.endswith(("ed", "ing", "ly")) or not {word, word.removesuffix("s")}.isdisjoint(_WORDS["verbs"])
        if not _content([re.sub(r"'s?$", "", word)]) or (run and verb):
            break
        run.append(token)
        if word.endswith(("'s", "s'")):
            break
    return run

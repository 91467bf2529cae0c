"""The words of the conversation that a question needs, put behind it as one would say them: ', regarding storm
drains'."""

import re
from collections.abc import Iterator, Sequence, Set

from clew.memory.datatypes import Sentence
from clew.memory.words import content_words

PHRASES = 2
"""More would be a list, not a question."""

_CLAUSE = re.compile(r"[^,;:.?!()\[\]\u2026\u201c\u201d\"]+")
_TOKEN = re.compile(r"\S+")
_LINKS = frozenset("of the a an in on for to de".split())
_PHRASE = re.compile("(?:nl*){0,5}w(?:[nw]|l+(?=[nw]))*")
"""Over a letter for each word: wanted, of a name, or a link. The rest of a name goes with a wanted word."""

_END = re.compile(r"[\s.?!\u2026\uff1f\u3002\u061f]+$")


def woven(question: str, words: Sequence[str], said: Sequence[Sentence]) -> str:
    """The question with the phrases that these words stand in; as it is where there are none."""
    phrases = _phrases(frozenset(stem for word in words for stem in content_words(word)), said)
    if not phrases:
        return question
    end = _END.search(question)
    bare, mark = (question[: end.start()], end.group().strip()) if end else (question, "")
    return f"{bare}, regarding {' and '.join(phrases)}{mark}"


def _phrases(wanted: Set[str], said: Sequence[Sentence]) -> list[str]:
    """Those with the most wanted words first, and of like ones the last said; each has one that none before it has."""
    found = [phrase for sentence in reversed(said) for phrase in _in_sentence(sentence.text, wanted)]
    chosen: list[str] = []
    covered: set[str] = set()
    for phrase in sorted(found, key=lambda phrase: -len(_held(phrase, wanted))):
        if len(chosen) < PHRASES and not _held(phrase, wanted) <= covered:
            chosen.append(phrase)
            covered |= _held(phrase, wanted)
    return chosen


def _in_sentence(text: str, wanted: Set[str]) -> Iterator[str]:
    for clause in _CLAUSE.finditer(text):
        tokens = _TOKEN.findall(clause.group())
        letters = "".join(
            _letter(token, wanted, opens=clause.start() == 0 and place == 0) for place, token in enumerate(tokens)
        )
        for run in _PHRASE.finditer(letters):
            yield re.sub(r"['\u2019]s$", "", " ".join(tokens[run.start() : run.end()]))


def _letter(token: str, wanted: Set[str], opens: bool) -> str:
    """A word that opens a sentence may have its capital from that."""
    if _held(token, wanted):
        return "w"
    if token in _LINKS:
        return "l"
    return "n" if token[0].isupper() and not opens and content_words(token) else "-"


def _held(text: str, wanted: Set[str]) -> Set[str]:
    return wanted & frozenset(content_words(text))

"""Questions that are joined in one text: sentences with a question mark, and parts of a sentence that an `and` joins
before a question word. The words are in `joined_questions.txt`, by language."""

import re
from functools import cache
from pathlib import Path

from clew.memory.language.telling import language_of
from clew.memory.text import word_lists, written_words

MOST = 4
"""Questions that one text may have; of more it counts as a single one."""

FEWEST = 3
"""Words that a question needs before a joined one is split off."""

_QUOTED = re.compile(r"[\"“”„«»]|(?<!\S)['‘]")
_BEHIND_MARK = re.compile(r"(?<=[?\uff1f])\s+")


def joined_questions(text: str) -> tuple[str, ...]:
    """The questions of a text. Only the text itself if it is one question or more than `MOST`, quotes something, or has
    a sentence that asks nothing."""
    sentences = [part for part in _BEHIND_MARK.split(text.strip()) if part]
    language = language_of(text) or "en"
    if _QUOTED.search(text) or (len(sentences) > 1 and not all(_asks(part, language) for part in sentences)):
        return (text,)
    found = tuple(part for sentence in sentences for part in _split_at_and(sentence, _link(language)))
    return found if 1 < len(found) <= MOST else (text,)


def _asks(sentence: str, language: str) -> bool:
    """'Who? Why?' asks twice; 'for $? and $$?' has marks that are none of a question."""
    said = written_words(sentence.casefold())
    asking = len(said) >= FEWEST or not {*_words(language, "asking")}.isdisjoint(said)
    return asking and sentence.endswith(("?", "\uff1f"))


def _split_at_and(sentence: str, link: re.Pattern[str]) -> list[str]:
    """'What is the rent, and who pays the heating?' as two questions."""
    made = [sentence]
    for match in link.finditer(sentence):
        behind = sentence[match.end() :]
        before = made[-1][: len(made[-1]) - len(sentence) + match.start()]
        a_clause = any(word[0].isupper() and word != "I" for word in behind.split()[1:2])  # 'what Ann wrote'
        if len(before.split()) >= FEWEST and not a_clause:
            made[-1:] = [f"{before.rstrip(' ,')}?", behind[0].upper() + behind[1:]]
    return made


@cache
def _words(language: str, name: str) -> list[str]:
    return word_lists(Path(__file__).with_suffix(".txt"))[f"{language} {name}"]


@cache
def _link(language: str) -> re.Pattern[str]:
    asking, link, subject = ("|".join(_words(language, name)) for name in ("asking", "link", "subject"))
    return re.compile(rf",?\s+(?:{link})\s+(?=(?:{asking})\b(?!\s+(?:{subject})\b))", re.IGNORECASE)

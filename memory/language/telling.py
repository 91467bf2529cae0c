"""The language that a text is in, told by its commonest words; Esperanto also by how its words are made.

Every word of Esperanto that is not a closed one has one of few endings, and short sentences in it (`La birdoj flugas.`)
have hardly a common word that others lack.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from clew.memory.language.esperanto_words import closed_words, is_known
from clew.memory.text import LANGUAGES, common_words, compiled_patterns, unaccented

_ONLY_LETTERS = re.compile(r"[^\W\d_]+")
_PATTERNS = compiled_patterns(Path(__file__).with_suffix(".txt"))
_LETTERS = {name.removeprefix("letters "): one for name, one in _PATTERNS.items() if name.startswith("letters ")}
_OTHER_SCRIPT = re.compile(r"[^\W\d_a-zA-Z\u00c0-\u024f]")

ENOUGH, SHARE = 0.5, 0.1
"""Of a language's common words that a text has to have: so many, and such a share of all words."""

FORMED, FEWEST, SHORT, UNKNOWN = 0.7, 3, 4, 6
"""The share of the words of a text in Esperanto that have its endings. The fewest words that are told by their roots,
and how many are so few that one of them has to be inflected; of so many one root may be unknown."""


def language_of(text: str) -> str:
    """The one most of whose common words the text has, each by how few languages share it; empty where it has too few
    of them to tell, or a text is mostly of another script. English counts where another one has no more.
    Words in capitals are no common ones: `CA` is not `ça`."""
    said = _ONLY_LETTERS.findall(text)
    kept = (word for word in said if text.isupper() or len(word) < 2 or not word.isupper())
    words = unaccented(" ".join(kept)).split()
    if not words or len(_OTHER_SCRIPT.findall(text)) > len(text) / 4:
        return ""
    found = dict.fromkeys(LANGUAGES, 0.0)
    for word in words:
        having = common_words().get(word, ())
        for language in having:
            found[language] += 1 / len(having)
    lowered = text.lower()
    for language, letters in _LETTERS.items():
        found[language] += len(letters.findall(lowered)) / 2
    found["en"] += _PATTERNS["opens english"].fullmatch(said[0]) is not None
    small = [said[0].lower(), *(word for word in said[1:] if word.islower())]  # others are names, of any language
    found["eo"] += made_in_esperanto(small)
    if _most(found) == "eo" and sum(map(_could_be, small)) < FORMED * len(small):
        found["eo"] = 0
    best = _most(found)
    return best if found[best] >= ENOUGH and found[best] >= SHARE * len(words) else ""


def may_be_english(text: str) -> bool:
    """Whether what was fitted on English reads it: also where its language is not told."""
    return language_of(text) in ("en", "")


def _most(found: Mapping[str, float]) -> str:
    return max(LANGUAGES, key=lambda one: found[one])


def made_in_esperanto(words: Sequence[str]) -> bool:
    """Whether all of a few words in lower case could be of Esperanto, none is a common one of others alone, and it has
    their roots."""
    if len(words) < FEWEST or not all(map(_could_be, words)):
        return False
    content = [word for word in words if word not in closed_words()]
    known = sum(map(is_known, content))
    if known < 2 or len(content) - known > len(content) // UNKNOWN:
        return False
    return len(words) >= SHORT or any(map(_PATTERNS["esperanto inflected"].fullmatch, content))


def _could_be(word: str) -> bool:
    """Whether a word in lower case could be of Esperanto."""
    having = common_words().get(unaccented(word), ())
    return (
        "eo" in having or word in closed_words() or (not having and bool(_PATTERNS["esperanto formed"].fullmatch(word)))
    )

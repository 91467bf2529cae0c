"""The language of a text, told by its commonest words: of the six that Clew speaks."""

import re
import unicodedata
from functools import cache
from pathlib import Path

from clew.memory.text import word_lists

LANGUAGES = ("en", "de", "fr", "es", "it", "eo")

NAMES = {"en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "eo": "Esperanto"}

_WORD = re.compile(r"[^\W\d_]+")
_LETTERS = {"eo": re.compile("[ĉĝĥĵŝŭ]", re.I), "es": re.compile("[¿¡ñ]", re.I), "de": re.compile("[äöüß]", re.I)}
"""Which hardly another one has."""

_OTHER_SCRIPT = re.compile(r"[^\W\d_a-zA-Z\u00c0-\u024f]")


def language_of(text: str) -> str:
    """The one most of whose common words the text has, each by how few languages share it; empty where it has too few
    of them to tell, or a text is mostly of another script. English counts where another one has no more.
    Words in capitals are no common ones: `CA` is not `ça`."""
    said = _WORD.findall(text)
    words = [unaccented(word) for word in said if text.isupper() or len(word) < 2 or not word.isupper()]
    if not words or len(_OTHER_SCRIPT.findall(text)) > len(text) / 4:
        return ""
    found = dict.fromkeys(LANGUAGES, 0.0)
    for word in words:
        having = common_words().get(word, ())
        for language in having:
            found[language] += 1 / len(having)
    for language, letters in _LETTERS.items():
        found[language] += len(letters.findall(text)) / 2
    best = max(LANGUAGES, key=lambda one: found[one])
    return best if found[best] >= ENOUGH and found[best] >= SHARE * len(words) else ""


ENOUGH, SHARE = 0.5, 0.1
"""Of a language's common words that a text has to have: so many, and such a share of all words."""


@cache
def common_words() -> dict[str, tuple[str, ...]]:
    """Word -> the languages that have it among their commonest."""
    lists = word_lists(Path(__file__).with_suffix(".txt"))
    every = {word for words in lists.values() for word in words}
    return {word: tuple(one for one in LANGUAGES if word in lists[one]) for word in every}


def unaccented(word: str) -> str:
    """In lower case and without accents: `Cu` of `Ĉu`, `strasse` of `Straße`."""
    letters = unicodedata.normalize("NFD", word.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter)).replace("ß", "ss")

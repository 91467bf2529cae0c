"""Words that say yes or no, deny, limit, allow or ask so, by language: `cues.txt`; and the stems that a question and a
clause are compared by."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import Stemmer

from clew.memory.dialogue.word_classes import LISTS, base, past
from clew.memory.text import FUNCTION_WORDS, common_words, unaccented, written_words

_SNOWBALL = {"en": "english", "de": "german", "fr": "french", "es": "spanish", "it": "italian"}
_ENDINGS = re.compile(r"(?:[oae]j?n?|as|is|os|us|u|i)$")


def stems(text: str, language: str) -> list[str]:
    """Of its content words, in the order of the text."""
    kept = [word.casefold().replace("’", "'").removesuffix("'s") for word in written_words(text)]
    if language == "en":
        return [stem(word, language) for word in kept if word not in FUNCTION_WORDS]
    return [stem(word, language) for word in kept if language not in common_words().get(unaccented(word), ())]


@cache
def stem(word: str, language: str) -> str:
    """By Snowball, of verbs in the past by their base; in Esperanto without its ending."""
    if language == "eo":
        return _ENDINGS.sub("", word) if len(word) > 3 else word
    if language == "en":
        word = _of_participles().get(word, word)  # written
    if language == "en" and len(word) > 2 and not word.endswith("ed") and past(base(word)[0]) == word:
        word = base(word)[0]  # paid, sold
    made: str = Stemmer.Stemmer(_SNOWBALL[language]).stemWord(word)
    return made


@cache
def _of_participles() -> dict[str, str]:
    return {form: verb for verb, form in (pair.split("=") for pair in LISTS["participle_of"])}


@cache
def light(language: str, kind: str = "") -> frozenset[str]:
    """The stems of words that say little of what is asked; of a `kind`, those of its own."""
    words = _sections()[language].get(f"light {kind}".strip(), "").split()
    return frozenset(stem(word, language) for word in words)


@cache
def opposites(one: str) -> frozenset[str]:
    """The stems of what is said instead of an English one."""
    made = {f"{prefix}{one}" for prefix in ("un", "in", "im", "il", "ir", "dis", "non", "non-")}
    made |= {one.removeprefix(prefix) for prefix in ("un", "in", "im", "dis", "non") if len(one) > len(prefix) + 3}
    pairs = [[stem(word, "en") for word in pair.split()] for pair in _sections()["en"]["opposites"].split("|")]
    made.update(other for pair in pairs if one in pair for other in pair)
    return frozenset(made - {one})


def says_opposite(question: str, text: str) -> bool:
    """Whether an English text has the opposite of a word of the question, and not the word: the first keeper for the
    last."""
    held = {*stems(text, "en")}
    return any(stem not in held and opposites(stem) & held for stem in stems(question, "en"))


def matches(language: str, name: str, text: str) -> re.Match[str] | None:
    """The first place where a text has cues of this name."""
    pattern = _pattern(language, name)
    return pattern.search(text) if pattern and not name.startswith("pronoun") else pattern and pattern.match(text)


def found(language: str, name: str, text: str) -> Iterable[re.Match[str]]:
    pattern = _pattern(language, name)
    return pattern.finditer(text) if pattern else ()


@cache
def _pattern(language: str, name: str) -> re.Pattern[str] | None:
    """The clauses of other languages are cut as English ones."""
    words = _sections()[language].get(name) or (_sections()["en"][name] if name == "clause" else "")
    return re.compile(words, re.IGNORECASE) if words else None


@cache
def _sections() -> dict[str, dict[str, str]]:
    """Language -> name -> words."""
    made: dict[str, dict[str, str]] = {}
    language = ""
    for line in Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            language = line.strip("[]")
            made[language] = {}
        elif line and not line.startswith("#"):
            name, _, words = line.partition(" = ")
            for known in ("start", "may", "must", "there"):
                words = words.replace(f"{{{known}}}", made[language].get(known, ""))
            made[language][name] = words
    return made

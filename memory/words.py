"""The words of a text that carry its content, stemmed: what questions, sentences and passages are compared by."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

FUNCTION_WORDS = frozenset(
    """
    a about above after again against all also am an and any are as at be because been before being below between both
    but by can compare could describe did do does doing down during each either else ever every explain few for from
    further had has have having
    he her here hers him his how however i if in into is it its just know let like many may me might more most much must
    my never no nor not now of off on once one only or other our out over own please same say she should so some such
    tell than that the their them then there these they thing things this those through to too under until up upon us
    very was we were what whatever when where whether which while who whom whose why will with would yes yet you your
    """.split()
)

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def written_words(text: str) -> list[str]:
    """All words in the order of the text, as they are written."""
    return _WORD.findall(text)


def words(text: str) -> list[str]:
    """All words in the order of the text, in lower case, without punctuation and possessive endings."""
    return [word.casefold().replace("’", "'").removesuffix("'s") for word in written_words(text)]


def content_words(text: str) -> list[str]:
    """Stems in the order of the text, function words left out; repeated words stay."""
    stems: list[str] = _stemmer().stemWords([word for word in words(text) if word not in FUNCTION_WORDS])
    return stems


def content_word_sets(texts: Sequence[str]) -> list[frozenset[str]]:
    """The different content words of each text."""
    return [frozenset(content_words(text)) for text in texts]


def stemmed_words(text: str) -> list[str]:
    """Stems of all words in the order of the text, function words among them."""
    stems: list[str] = _stemmer().stemWords(words(text))
    return stems


def stems_and_words(text: str) -> list[tuple[str, str]]:
    """Each content word's stem and the word as it is written, in the order of the text."""
    written = [re.sub(r"['’]s$", "", word) for word in _WORD.findall(text)]
    kept = [word for word in written if word.casefold() not in FUNCTION_WORDS]
    return list(zip(_stemmer().stemWords([word.casefold() for word in kept]), kept, strict=True))


def word_lists(path: Path) -> dict[str, list[str]]:
    """The lists of a text file by name: `[name]` stands above the words of a list, `#` begins a line of comment."""
    lists: dict[str, list[str]] = {}
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("["):
            name = line.strip("[]")
        elif line and not line.startswith("#"):
            lists.setdefault(name, []).extend(line.split())
    return lists


def surface_of(text: str) -> dict[str, str]:
    """Stem -> the word as the text first has it, so that a stem can be shown to a person."""
    shown: dict[str, str] = {}
    for stem, word in stems_and_words(text):
        shown.setdefault(stem, word)
    return shown


@cache
def _stemmer():  # type: ignore[no-untyped-def]
    import Stemmer

    return Stemmer.Stemmer("english")

"""A question in another language than the documents, as they can be searched for it: by its names, its numbers and the
words that look alike in both."""

from collections.abc import Sequence

from clew.memory.datatypes import Wording
from clew.memory.dialogue.rewriting import Rewritten
from clew.memory.dialogue.variants import beside
from clew.memory.ports import Vocabulary
from clew.memory.text import common_words, unaccented, written_words

COGNATES = "cognates"

EVEN, LESS = 0.5, 0.45
"""Of the weight of the question, what goes to the wording with those words alone (docs/figures.md). With half of it
they stand for the question where it is judged whether it is answered: they have to be `FEWEST`, and a `THIRD`."""

FEWEST, THIRD = 2, 1 / 3
"""Words alike, and their share of the question's words."""

SHORTEST, LONG = 5, 7
"""Letters of a word with another ending, and of one that may be spelt otherwise besides."""

_ENDINGS = tuple(
    tuple(pair.split(">"))
    for pair in (
        "itat>ity ite>ity idad>ity ita>ity eco>ity cion>tion zione>tion cio>tion ierung>ation ique>ic isch>ic ische>ic"
        " ico>ic ica>ic ika>ic ik>ic imo>imum ie>y ia>y io>y mento>ment ismus>ism isme>ism ismo>ism iste>ist ista>ist"
        " ojn>s oj>s ero>er a>e o>e as>es os>es as>s os>s en>s er>s ajn> on> en> er> o> a> e> i>"
    ).split()
)
"""How an ending of German, French, Spanish, Italian or Esperanto is written in English."""


def with_cognates(made: Rewritten, language: str, held: str, vocabulary: Vocabulary) -> Rewritten:
    """With a wording of the words that the library has, where the question is in another language than it. What it has
    no such word for is searched as it is."""
    if not language or not held or language == held:
        return made
    own = own_words(made.question, language)
    taken = cognates(own, vocabulary)
    if not taken:
        return made
    share = EVEN if len(taken) >= max(FEWEST, THIRD * len(own)) else LESS
    text = " ".join(dict.fromkeys(taken.values()))
    alike = ", ".join(f"{word} as {other}" for word, other in taken.items() if word.casefold() != other.casefold())
    question = next(wording for wording in made.wordings if wording.name == "question")
    why = f"names, numbers and words that look alike: {alike or text}"
    return beside(made, Wording(COGNATES, text, question.weight * share, why=why))


def own_words(question: str, language: str) -> list[str]:
    """Without the commonest of its language, and without what an apostrophe ties to them: `heure` of `l'heure`."""
    said = dict.fromkeys(word.replace("’", "'").split("'")[-1] for word in written_words(question))
    return [word for word in said if len(word) > 1 and language not in common_words().get(unaccented(word), ())]


def cognates(words: Sequence[str], vocabulary: Vocabulary) -> dict[str, str]:
    """Those of the words that the library has, each as it has it."""
    forms = [_forms(word) for word in words]
    flat = [form for of_word in forms for form in of_word]
    counts = dict(zip(flat, vocabulary.counts(flat), strict=True))
    near = dict(zip(flat, vocabulary.near(flat), strict=True))
    taken: dict[str, str] = {}
    for word, of_word in zip(words, forms, strict=True):
        if held := next((form for form in of_word if counts[form]), ""):
            taken[word] = held
        elif len(word) >= LONG and (alike := next((near[form][0] for form in of_word[:2] if near[form]), "")):
            taken[word] = alike
    return taken


def _forms(word: str) -> list[str]:
    """As it is, without accents, with English endings."""
    plain = unaccented(word)
    made = [
        plain.removesuffix(unaccented(end)) + english for end, english in _ENDINGS if plain.endswith(unaccented(end))
    ]
    long = [form for form in made if len(form) >= SHORTEST]
    return list(dict.fromkeys([word, plain, *long])) if len(word) >= SHORTEST and not word.isupper() else [word]

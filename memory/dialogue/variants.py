"""Further wordings of a question: with dates in the place of relative ones and of other ways of writing them, and with
words that the library has in the place of misspelt ones."""

import re
from collections.abc import Mapping
from dataclasses import replace
from unicodedata import combining, normalize

from clew.memory.datatypes import Wording
from clew.memory.dates import DateOrder, found_dates
from clew.memory.dialogue.rewriting import Rewritten
from clew.memory.language.esperanto_words import is_known
from clew.memory.ports import Encoder, Vocabulary
from clew.memory.relative_dates import dated, days_text, relative_dates
from clew.memory.text import FUNCTION_WORDS, language_of, written_words

DATED, SPELLING = "dated", "spelling"

REAL = 0.25
"""The share of the question's weight that goes to a wording in which a word that is no slip is another; of a slip, half
of it does."""

LONG_NAME = 7
"""Letters from which a word with a capital may be taken for another one."""

MOST_SLIPS = 2
"""Words of a question that are taken for others; where more are unknown, it is of another language or subject."""


def with_dates(made: Rewritten, today: str, order: DateOrder = "") -> Rewritten:
    """Every wording but the question as it is has its dates written out, and what counts from `today` is dates there,
    but for a month's name alone. The question so written, with the year of such a month, is a wording of its own and
    shares its weight. `order` is that of the library."""
    question = _question(made)
    text, why = _written(question.text, today, order)
    wordings = tuple(
        wording if wording.name == question.name else replace(wording, text=_read(wording.text, today, order))
        for wording in made.wordings
    )
    made = replace(
        made,
        text=_read(made.text, today, order),
        expanded=_read(made.expanded, today, order),
        wordings=wordings,
    )
    return beside(made, Wording(DATED, text, question.weight / 2, why=why)) if why else made


def with_spelling(made: Rewritten, vocabulary: Vocabulary, encoder: Encoder) -> Rewritten:
    """A question with words that the library lacks, and that are spelt nearly like one that it has, has a wording with
    those. Where that is a slip and no word (the encoder knows it only in pieces), it stands in the other wordings too;
    none does in Esperanto, which the encoder has only in pieces, and words of it with known roots are none.
    """
    question = _question(made)
    taken = _taken(question.text, vocabulary)
    foreign = language_of(question.text) == "eo"
    taken = {word: other for word, other in taken.items() if not (foreign and is_known(word))}
    if not taken:
        return made
    pieces = dict(zip(taken, encoder.tokens([word.casefold() for word in taken]), strict=True))
    slips = {word: other for word, other in taken.items() if len(pieces[word]) > 1 and not foreign}
    why = ", ".join(
        f"'{word}' {'is taken for' if word in slips else 'may be meant for'} '{other}'" for word, other in taken.items()
    )
    wordings = tuple(
        wording if wording.name == question.name else replace(wording, text=_respelt(wording.text, slips))
        for wording in made.wordings
    )
    made = replace(made, text=_respelt(made.text, slips), expanded=_respelt(made.expanded, slips), wordings=wordings)
    share = question.weight * (0.5 if slips else REAL)
    return beside(made, Wording(SPELLING, _respelt(question.text, taken), share, why=why))


def _taken(question: str, vocabulary: Vocabulary) -> dict[str, str]:
    """The words of a question that the library lacks -> the likeliest that it has; as they are written."""
    said = list(dict.fromkeys(word for word in written_words(question) if word.casefold() not in FUNCTION_WORDS))
    lacking = [word for word, count in zip(said, vocabulary.counts(said), strict=True) if not count]
    if len(lacking) > MOST_SLIPS and 2 * len(lacking) > len(said):
        return {}
    names = set(re.findall(r"(?<!^)(?<![.?!] )\b[A-Z][\w'-]+", question))
    asked = [word for word in lacking if word.isalpha() and not word.isupper()]
    near = zip(asked, vocabulary.near(asked), strict=True)
    likely = {word: others[0] for word, others in near if others and _is_likely(word, others[0])}
    taken = {word: other for word, other in likely.items() if word not in names or _slip(word, other)}
    taken = {word: other.capitalize() if word[0].isupper() else other for word, other in taken.items()}
    return dict(list(taken.items())[:MOST_SLIPS])


def _is_likely(word: str, other: str) -> bool:
    """A word of every sentence is known by heart: a letter is left out or doubled, and not another one (no 'does' for
    'docs')."""
    return other not in FUNCTION_WORDS or len(word) != len(other) or sorted(word.casefold()) == sorted(other)


def _slip(name: str, other: str) -> bool:
    """Whether a name is another one without its accents, or with a letter too many, too few, or two in the wrong order.
    With another letter it may be another name: Kowalska is not Kowalski."""
    if _unaccented(name) == _unaccented(other):
        return True
    same_letters = sorted(name.casefold()) == sorted(other)
    return len(name) >= LONG_NAME and (same_letters or abs(len(name) - len(other)) == 1)


def _unaccented(word: str) -> str:
    return "".join(char for char in normalize("NFD", word.casefold()) if not combining(char))


def _respelt(text: str, taken: Mapping[str, str]) -> str:
    return re.sub(r"[^\W\d_]+", lambda match: taken.get(match.group(), match.group()), text)


def _question(made: Rewritten) -> Wording:
    return next(wording for wording in made.wordings if wording.name == "question")


def beside(made: Rewritten, added: Wording) -> Rewritten:
    """With a wording behind the question that takes its weight from it; one of the same text says why instead."""
    if added.text in (wording.text for wording in made.wordings):
        same = tuple(
            replace(one, why="; ".join(filter(None, (one.why, added.why)))) if one.text == added.text else one
            for one in made.wordings
        )
        return replace(made, wordings=same)
    question = _question(made)
    own = replace(question, weight=question.weight - added.weight)
    wordings = (one for old in made.wordings for one in ((own, added) if old.name == question.name else (old,)))
    return replace(made, wordings=tuple(wordings))


def _read(text: str, today: str, order: DateOrder) -> str:
    """As a person reads it: the name of a month stays."""
    return _written(dated(text, today, months=False), "", order)[0]


def _written(text: str, today: str, order: DateOrder) -> tuple[str, str]:
    """The text with dates as `3 September 2024`, and in words what became what. A number that can be two dates
    stays."""
    why = [f"'{text[one.start : one.end]}' is {days_text(one.first, one.last)}" for one in relative_dates(text, today)]
    text = dated(text, today)
    parts, done = [], 0
    for one in found_dates(text, order):
        said = text[one.start : one.end]
        if one.other or set(written_words(said)) == set(written_words(one.text)):
            continue
        parts += [text[done : one.start], one.text]
        done = one.end
        why.append(f"'{said}' is {one.text}")
    return "".join([*parts, text[done:]]), ", ".join(why)

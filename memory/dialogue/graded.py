"""Words in their degrees, 'cheap', 'cheaper' and 'cheapest', and all the forms that are the same word."""

import re
from collections.abc import Sequence
from functools import cache

from clew.memory.dialogue.word_classes import LISTS, QuestionToken
from clew.memory.text import content_words

_ANOTHER_VERB = frozenset("found saw lay bore left".split())
"""Past forms that are likelier another word: who founded it."""


@cache
def other_forms() -> dict[str, frozenset[str]]:
    """Stem -> the stems of all that are the same word and have another: 'paid' and 'pay', 'cheapest' and 'cheap'; and
    'dad', who is a father."""
    made = {words: set(content_words(words.replace("=", " "))) for words in LISTS["same"]}
    for word in LISTS["graded"]:
        made[word] = set(content_words(" ".join((word, *_compared(word)))))
    for pair in (*LISTS["past_of"], *LISTS["participle_of"]):
        verb, form = pair.split("=")
        if form not in _ANOTHER_VERB:
            made.setdefault(verb, set()).update(content_words(f"{verb} {form}"))
    return {stem: frozenset(forms) for forms in made.values() if len(forms) > 1 for stem in forms}


def is_most(phrase: str) -> bool:
    """'the highest', which of 'Which pass is the highest?' is no thing beside the pass."""
    return phrase.casefold() in {f"the {_compared(word)[1]}" for word in LISTS["graded"]}


def _compared(word: str) -> tuple[str, str]:
    """'cheaper' and 'cheapest' for 'cheap'."""
    if word.endswith("y"):
        word = f"{word[:-1]}i"
    elif re.fullmatch(r"[^aeiou]*[aeiou][bdgmnt]", word):
        word += word[-1]
    return f"{word.removesuffix('e')}er", f"{word.removesuffix('e')}est"


def counts(found: Sequence[QuestionToken], noun: int) -> bool:
    """Whether 'how much' asks for the noun behind it: 'how much water', not 'how much cooler'."""
    how = found[noun - 1].low
    return how == "many" or (how == "much" and found[noun].low not in _more())


@cache
def _more() -> frozenset[str]:
    return frozenset(_compared(word)[0] for word in LISTS["graded"]) | {"better", "worse", "farther", "further"}

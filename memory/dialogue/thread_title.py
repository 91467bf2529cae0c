"""Titles of conversations."""

from clew.memory.text import FUNCTION_WORDS, words

CHARACTERS = 60


def title_of(question: str) -> str:
    """The question in at most 60 characters: all, or its first words, of which the last says something."""
    kept = question.translate(dict.fromkeys(map(ord, '"“”„«»'))).split() or question.split()
    line = whole = " ".join(kept)
    while len(kept) > 1 and (len(line) > CHARACTERS or (line != whole and FUNCTION_WORDS.issuperset(words(kept[-1])))):
        kept.pop()
        line = " ".join(kept).rstrip(",;:.?!")
    return line if len(line) <= CHARACTERS else line[: CHARACTERS - 1] + "…"

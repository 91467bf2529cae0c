"""Titles of conversations."""

from clew.memory.text import FUNCTION_WORDS, words

WORDS, CHARACTERS = 6, 60


def title_of(question: str) -> str:
    """At most six words of the question in a row: all, or the first that have most to say; at most 60 characters."""
    kept = question.translate(dict.fromkeys(map(ord, '"“”„«»'))).split() or question.split()
    if len(kept) > WORDS:
        telling = [not FUNCTION_WORDS.issuperset(words(word)) for word in kept]
        start = max(range(len(kept) - WORDS + 1), key=lambda at: (sum(telling[at : at + WORDS]), telling[at], -at))
        end = max((at for at in range(start, start + WORDS) if telling[at]), default=start + WORDS - 1) + 1
        kept = kept[start:end]
        kept = [kept[0][:1].upper() + kept[0][1:], *kept[1:-1], *(word.rstrip(",;:.?!") for word in kept[1:][-1:])]
    while len(kept) > 1 and len(" ".join(kept)) > CHARACTERS:
        kept.pop()
    line = " ".join(kept)
    return line if len(line) <= CHARACTERS else line[: CHARACTERS - 1] + "…"

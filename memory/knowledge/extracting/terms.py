"""Terms of several small words: those a text keeps using, and those it says that something is."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from clew.memory.knowledge.extracting.datatypes import Mention
from clew.memory.knowledge.extracting.lexicon import EMPTY, OPENERS
from clew.memory.knowledge.extracting.tokens import Token
from clew.memory.knowledge.extracting.verbs import looks_like_a_verb

LEAST = 2
"""How often a text has to use a term."""

LONGEST = 3
"""Words of a term that is used again and again."""

_DEFINES = re.compile(
    r"\b(?:is|was|are|were|became|remains)\s(?:(?:also|now|currently|originally|generally)\s)?(?:a|an|the|one of the)\s"
    r"((?:(?:\d{4}|[^\W\d_]+(?:[-’'][^\W\d_]+)*)\s){0,5}?[a-z]+(?:-[a-z]+)*)"
    r"(?=[.,;:)]|\s(?:of|in|from|for|by|at|on|to|with|that|who|which|where|whose|and|or|near|located|based|situated|used"
    r"|published|created|founded|written|directed|produced|released|owned|operated|known|set|born|made|held|starring"
    r"|featuring|developed|between|within|around|along|about|as|into)\b|\s?\(|\Z)"
)


def terms(text: str, sentences: Sequence[Sequence[Token]]) -> Iterator[Mention]:
    yield from _defined(text)
    yield from _recurring(text, sentences)


def _defined(text: str) -> Iterator[Mention]:
    """`X is a peer-reviewed journal`: a peer-reviewed journal. One word alone is no term."""
    for match in _DEFINES.finditer(text):
        start, end = match.span(1)
        words = text[start:end].split()
        while words and (words[0].lower() in EMPTY or not words[0][0].islower()):
            start += len(words[0]) + 1
            words = words[1:]
        part = text[start:end]
        if 2 <= len(words) <= 4 and words == part.split(" ") and not any(map(_is_adverb, words)):
            yield Mention(part, start, end, "term")


def _recurring(text: str, sentences: Sequence[Sequence[Token]]) -> Iterator[Mention]:
    """Noun compounds used at least twice; a part of a longer one only where it stands alone as often again."""
    found: dict[str, list[tuple[int, int]]] = {}
    for words in sentences:
        for run in _runs(text, words):
            for size in range(2, LONGEST + 1):
                for part in zip(*(run[offset:] for offset in range(size)), strict=False):
                    if len({token.low for token in part}) < size:
                        continue
                    found.setdefault(" ".join(token.low for token in part), []).append((part[0].start, part[-1].end))
    counts = Counter({term: len(spans) for term, spans in found.items() if len(spans) >= LEAST})
    inside: Counter[str] = Counter()
    for term, count in counts.items():
        words_of = term.split(" ")
        if len(words_of) == LONGEST:
            for shorter in (" ".join(words_of[1:]), " ".join(words_of[:-1])):
                inside[shorter] = max(inside[shorter], count)
    for term, count in counts.items():
        if count - inside[term] >= LEAST or not inside[term]:
            yield from (Mention(text[start:end], start, end, "term") for start, end in found[term])


def _runs(text: str, words: Sequence[Token]) -> Iterator[list[Token]]:
    """Small words that follow each other and can be adjectives and nouns."""
    run: list[Token] = []
    for token in words:
        joined = bool(run) and text[run[-1].end : token.start].isspace() and not run[-1].possessive
        if run and not joined:
            yield run
            run = []
        if token.capital or len(token.low) < 3 or not token.text[0].isalpha() or _is_no_noun(token.low):
            if run:
                yield run
            run = []
        else:
            run.append(token)
    if run:
        yield run


def _is_adverb(word: str) -> bool:
    return word in OPENERS or (word.endswith("ly") and word != "family")


def _is_no_noun(low: str) -> bool:
    return _is_adverb(low) or looks_like_a_verb(low)

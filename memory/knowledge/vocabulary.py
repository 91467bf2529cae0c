"""What a library calls things: its words, by how many chunks they stand in; the phrases that are titles or entities of
it; and which of its words are spelt nearly like one that it lacks."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from clew.memory.knowledge.cluster.statistics import WordStatistics
from clew.memory.knowledge.keywords import KeywordIndex
from clew.memory.text import FUNCTION_WORDS

MOST_NEAR = 3
"""Words that are named for one that the library lacks."""

LOOKED_AT = 5
"""Tokens of the index, the nearest, whose words are read as they are written."""

HELD_BY = 2
"""Chunks in which that is read."""

ONE_EDIT, TWO_EDITS = 4, 8
"""Letters from which a word may be written with one fault, and with two."""

COMPOUND = 3
"""Letters that a word is longer than one that it is made with."""

_VAGUE = ("", "name", "term")
"""Kinds that say less of a phrase than that it is a title."""


class LibraryVocabulary:
    """Over the words, the titles and the entities of a store; no call goes through all texts. Safe from several
    threads."""

    def __init__(
        self,
        words: KeywordIndex | WordStatistics,
        named: Callable[[Sequence[str]], list[tuple[str, bool]]],
        texts: Callable[[Iterable[str]], list[str]],
    ) -> None:
        """`named` has of each phrase the kind of the entity with that name (empty: there is none) and whether it is a
        title, and `texts` chunks with their titles, `HELD_BY` of each token."""
        self._words, self._named, self._texts = words, named, texts

    def counts(self, words: Sequence[str]) -> list[int]:
        tokens = map(self._token, words)
        return [self._words.count(token) if token else self._words.size for token in tokens]

    def kinds(self, phrases: Sequence[str]) -> list[str]:
        return ["title" if titled and kind in _VAGUE else kind for kind, titled in self._named(phrases)]

    def _token(self, word: str) -> str:
        """What a word becomes; empty for a stop word and for one letter. Of a word that the library lacks its root,
        where it has that."""
        tokens, known = self._words.words(word), self._words.tokens
        own = tokens.get(word.lower(), "")
        return own if own in known else next((token for token in tokens.values() if token in known), own)

    def near(self, words: Sequence[str]) -> list[tuple[str, ...]]:
        return [self._near(word.casefold()) for word in words]

    def _near(self, word: str) -> tuple[str, ...]:
        edits = (len(word) >= ONE_EDIT) + (len(word) >= TWO_EDITS)
        token = self._token(word)
        if not edits or not word.isalpha() or not token or self._words.count(token) or self._is_part(token):
            return ()
        alike = [known for known in FUNCTION_WORDS if known[0] == word[0] and abs(len(known) - len(word)) <= edits]
        found = {known: (distance(word, known), -self._words.size) for known in alike}
        near = self._near_tokens(token, edits)
        for known, own in self._words.analyse.written(near, "\n".join(self._texts(near)) if near else "").items():
            found[known] = distance(word, known), -self._words.count(own)
        best = sorted((faults, count, known) for known, (faults, count) in found.items() if faults <= edits)
        return tuple(known for _, _, known in best[:MOST_NEAR])

    def _is_part(self, token: str) -> bool:
        """Whether other words are made with it, as `Kündigungsfrist` with `Frist`."""
        made = (one for one in self._tokens if one.endswith(token) or one.startswith(token))
        return any(len(one) >= len(token) + COMPOUND for one in made)

    def _near_tokens(self, token: str, edits: int) -> list[str]:
        """Those with its first letter, or its first two in the other order, at most so many edits away and one for
        their endings: the nearest first, of like ones the commoner."""
        begins = (token[0], token[1::-1])  # of 'apckage' those with 'pa' too
        alike = (one for one in self._tokens if one.startswith(begins) and abs(len(one) - len(token)) <= edits)
        near = ((distance(token, one, edits + 1), one) for one in alike)
        ranked = sorted((faults, -self._words.count(one), one) for faults, one in near if faults <= edits + 1)
        return [one for *_, one in ranked[:LOOKED_AT]]

    @cached_property
    def _tokens(self) -> list[str]:
        return [token for token in self._words.tokens if token.isalpha()]


def distance(one: str, other: str, most: int = 100) -> int:
    """Edits from one word to the other: a letter left out, put in or changed, or two neighbours in the wrong order
    (optimal string alignment); more than `most` where it is more, however many."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, wanted in enumerate(other, 1):
            edits = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                edits = min(edits, before[j - 2] + 1)
            row.append(edits)
        if min(row) > most and min(last) > most:
            return most + 1
        before, last = last, row
    return last[-1]

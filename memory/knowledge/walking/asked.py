"""A question against the nodes of a library: how near it is to them, which of its words they hold, what it names."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Floats, Ints, Query, Vector, WordShares
from clew.memory.knowledge.walking.ground import Ground
from clew.memory.ports import Store
from clew.memory.titles import Named, named_in
from clew.memory.words import words


@dataclass(frozen=True, eq=False)
class Asked:
    """The vectors of the question's forms are added by weight; each of its words counts by its rarity and by the weight
    of the forms that have it. Nodes are rows of the store."""

    store: Store
    ground: Ground
    query: Query

    @cached_property
    def vector(self) -> Vector:
        total = sum(form.weight * form.vector for form in self.query.forms)
        return np.asarray(total / max(float(np.linalg.norm(total)), 1e-9), np.float32)

    @cached_property
    def _told(self) -> tuple[WordShares, ...]:
        """What is known of the words of each form, of no node."""
        return tuple(self.store.node_words(form.text, np.zeros(0, np.int64)) for form in self.query.forms)

    @cached_property
    def weights(self) -> Floats:
        """Of the words of all forms, one form after the other; they sum to 1 where the library has a word of each."""
        parts = zip(self.query.forms, self._told, strict=True)
        return np.concatenate([form.weight * told.weights for form, told in parts])

    @cached_property
    def words(self) -> tuple[tuple[int, str], ...]:
        """The form and the text of each."""
        return tuple((number, word) for number, told in enumerate(self._told) for word in told.words)

    def cosines(self, rows: Ints) -> Floats:
        return np.asarray(self.store.node_vectors(rows) @ self.vector, np.float64)

    def held(self, rows: Ints) -> Floats:
        """How far each node has each of the words, 0 to 1; shape (rows, words)."""
        return np.concatenate([self.store.node_words(form.text, rows).shares for form in self.query.forms], axis=1)

    @cached_property
    def named(self) -> tuple[Named, ...]:
        """What each form names."""
        return tuple(named_in(form.text, self.ground.titles) for form in self.query.forms)

    @cached_property
    def named_words(self) -> tuple[NDArray[np.bool_], ...]:
        """Of what each form names, which of the question's words are in that name; shape (named, words)."""
        return tuple(self._words_of(number, found) for number, found in enumerate(self.named))

    def name_words(self, nodes: Ints) -> NDArray[np.bool_]:
        """Which of the question's words are in the name by which it names a node (nodes rise); shape (nodes, words)."""
        found = np.zeros((len(nodes), len(self.weights)), dtype=bool)
        for named, within in zip(self.named, self.named_words, strict=True):
            at, known = places(nodes, named.nodes)
            found[at] |= within[known]
        return found

    def _words_of(self, form: int, found: Named) -> NDArray[np.bool_]:
        place: dict[str, int] = {}
        for at, word in enumerate(words(self.query.forms[form].text)):
            place.setdefault(word, at)
        stands = np.array([place.get(word, -1) if of == form else -1 for of, word in self.words])
        return np.asarray((found.starts[:, None] <= stands) & (stands < found.ends[:, None]))


def places(nodes: Ints, wanted: Ints) -> tuple[Ints, Ints]:
    """Where in `nodes`, that rise, some of `wanted` are, and which of them."""
    at = np.minimum(np.searchsorted(nodes, wanted), max(0, len(nodes) - 1))
    known = np.flatnonzero(nodes[at] == wanted) if len(nodes) else np.zeros(0, np.int64)
    return at[known], known

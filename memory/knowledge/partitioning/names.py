"""Names of partitions: the terms that tell one from the others, by class-based tf-idf (Grootendorst 2022, BERTopic).

The weight of a term in a partition is tf x log(1 + mean words of a partition / words of the term anywhere); a word of a
title counts as several.
"""

from array import array
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from clew.memory.datatypes import Ints
from clew.memory.knowledge.partitioning.labels import Labels
from clew.memory.words import stems_and_words, written_words

TITLE = 3
"""How many words of a text a word of a title counts."""

TERMS = 4
SHORTEST, LONGEST = 3, 24
"""Characters of a stem that names something: a shorter one tells little, a longer one is an address or a code."""


def names_of(labels: Labels, count: int, titles_and_texts: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Of each partition at most four terms, most telling first. Terms are stems, shown as they are written most often;
    a partition without any is named by its number. `titles_and_texts` are the nodes', in order."""
    nodes, numbers, weights, words = _written(titles_and_texts)
    shown, stems = _stems(words)
    kept = stems[numbers] >= 0
    nodes, numbers, weights = nodes[kept], numbers[kept], weights[kept]
    width = max(1, len(words))
    keys, groups = np.unique(labels[nodes] * width + stems[numbers], return_inverse=True)
    partitions, terms, frequency = keys // width, keys % width, np.bincount(groups.reshape(-1), weights)
    anywhere = np.bincount(terms, frequency, minlength=width)
    telling = frequency * np.log1p(frequency.sum() / max(1, count) / anywhere[terms])
    order = np.lexsort((terms, -telling.round(6), partitions))
    starts = np.searchsorted(partitions[order], np.arange(count + 1))
    best = _commonest(numbers, weights, stems)
    chosen = [terms[order[start : min(start + TERMS, end)]].tolist() for start, end in pairwise(starts)]
    return tuple(
        ", ".join(shown[best[term]] for term in of_partition) or f"partition {number}"
        for number, of_partition in enumerate(chosen)
    )


def _written(titles_and_texts: Iterable[tuple[str, str]]) -> tuple[Ints, Ints, Ints, list[str]]:
    """Of each word that occurs its node, its number and its weight, shape (occurrences,); and the words."""
    known: dict[str, int] = {}
    nodes, numbers, weights = array("q"), array("q"), array("q")
    for node, fields in enumerate(titles_and_texts):
        for field, weight in zip(fields, (TITLE, 1), strict=True):
            found = [known.setdefault(word, len(known)) for word in written_words(field)]
            numbers.extend(found)
            nodes.extend([node] * len(found))
            weights.extend([weight] * len(found))
    return np.array(nodes), np.array(numbers), np.array(weights), list(known)


def _stems(words: Sequence[str]) -> tuple[list[str], Ints]:
    """Of each word how it is shown, and the number of its stem; -1 of one that names nothing."""
    shown, stems, known = [], [], dict[str, int]()
    for word in words:
        stem, bare = next(iter(stems_and_words(word)), ("", ""))
        telling = SHORTEST <= len(stem) <= LONGEST and not stem.isdigit()
        shown.append(bare)
        stems.append(known.setdefault(stem, len(known)) if telling else -1)
    return shown, np.array(stems, np.int64)


def _commonest(numbers: Ints, weights: Ints, stems: Ints) -> dict[int, int]:
    """Of each stem the word that is written most often; of equally common ones the first."""
    times = np.bincount(numbers, weights, minlength=len(stems))
    order = np.lexsort((np.arange(len(stems)), -times, stems))
    found, first = np.unique(stems[order], return_index=True)
    return dict(zip(found.tolist(), order[first].tolist(), strict=True))

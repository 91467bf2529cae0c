"""Words and trees against the Ekzercaro (Zamenhof 1905, public domain), annotated by hand: 200 words with their
parts, and 60 sentences, taken at even distances. The first 20 were annotated before the rules were written, the others
after, before their trees were seen. `unseen.conllu` has 26 sentences of the Krestomatio (Zamenhof 1903), drawn at
random, and 12 of our own about things of today, annotated when the rules were done; none was made for them."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from clew.memory.language.esperanto import Esperanto

FOLDER = Path(__file__).parent
READER = Esperanto()


def sentences(name: str) -> Iterator[list[list[str]]]:
    for block in (FOLDER / name).read_text("utf-8").strip().split("\n\n"):
        yield [line.split("\t") for line in block.splitlines() if not line.startswith("#")]


@pytest.mark.parametrize(("name", "count", "least"), [("ekzercaro", 60, 0.95), ("unseen", 38, 0.9)])
def test_trees_are_those_made_by_hand(name: str, count: int, least: float) -> None:
    """What is wanted of a treebank that was not seen: UPOS .93, LAS .75."""
    right = []
    for rows in (annotated := list(sentences(f"{name}.conllu"))):
        tree = READER.tree([row[1] for row in rows])
        for row, word, head, role in zip(rows, tree.words, tree.heads, tree.roles, strict=True):
            features = name == "unseen" or (word.lemma, word.feats or "_") == (row[2], row[5])
            right.append((word.upos == row[3], (str(head), role) == (row[6], row[7]), features))
    tags, attached, features = np.mean(right, axis=0)
    assert len(annotated) == count
    assert tags > 0.98 and attached > least and features > 0.98, (tags, attached, features)


def test_words_are_taken_apart_as_by_hand() -> None:
    wrong = []
    for ((_, form, lemma, upos, _, feats, *_, parts),) in (words := list(sentences("words.conllu"))):
        word = READER.analyser.word(form)
        *stem, _ = [part for part in parts.removeprefix("Segments=").split("-") if part != "o" or parts.endswith("-o")]
        made = [*word.prefixes, *word.compound, word.root, *word.suffixes]
        whole = len(stem) == 0 or word.feature("PronType") in ("Dem", "Tot", "Int,Rel", "Neg")
        if (word.lemma, word.upos, word.feats or "_") != (lemma, upos, feats) or not (
            whole or made == [p for p in stem if p != "o"]
        ):
            wrong.append((form, made))
    assert len(words) == 200 and not wrong

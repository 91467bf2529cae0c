"""Trees against sentences of the Ekzercaro (Zamenhof 1905, public domain) that were annotated by hand."""

from collections.abc import Iterator
from pathlib import Path

from clew.memory.language.esperanto import Esperanto

FILE = Path(__file__).with_name("ekzercaro.conllu")


def sentences() -> Iterator[list[list[str]]]:
    for block in FILE.read_text("utf-8").strip().split("\n\n"):
        yield [line.split("\t") for line in block.splitlines() if not line.startswith("#")]


def test_trees_are_those_made_by_hand() -> None:
    reader = Esperanto()
    words = tags = attached = features = 0
    for rows in sentences():
        tree = reader.tree([row[1] for row in rows])
        for row, word, head, role in zip(rows, tree.words, tree.heads, tree.roles, strict=True):
            words += 1
            tags += word.upos == row[3]
            attached += (str(head), role) == (row[6], row[7])
            features += (word.lemma, word.feats or "_") == (row[2], row[5])
    assert tags / words > 0.97 and attached / words > 0.9 and features / words > 0.97, (tags, attached, features, words)

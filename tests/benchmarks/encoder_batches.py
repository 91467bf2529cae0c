"""How many passages MiniLM takes in a second of one core, by the word pieces of a pass, as ratios to
sentence-transformers.

python -m tests.benchmarks.encoder_batches DATASET

Passages are a sample of the corpus, ordered by length, as Clew has them; no cache is used. Seconds are the processor's,
with one thread, so that they do not depend on what else the machine does. Of each size the fastest of three rounds
counts, the sizes in turn.
"""

import json
import random
from itertools import chain
from pathlib import Path
from time import process_time
from unittest.mock import patch

from clew.memory import minilm
from clew.memory.encoding import MINILM, local_encoder
from tests.benchmarks.inputs import paths

SIZES = (256, 512, 1024, 2048)
PASSAGES = 128
ROUNDS = 3


def main() -> None:
    import torch

    torch.set_num_threads(1)
    (dataset,) = paths(__doc__ or "", "dataset")
    encoder = local_encoder(MINILM)
    assert encoder
    texts = passages(dataset / "corpus.jsonl")
    rows = ("sentence-transformers", *(f"passes of {size}" for size in SIZES))
    fastest = dict.fromkeys(rows, float("inf"))
    encoder.encode(texts[:4], "passage")  # a model is loaded with its first text
    encoder._run(texts[:4], "passage")
    for row, size in chain.from_iterable([list(zip(rows, (0, *SIZES), strict=True))] * ROUNDS):
        with patch.object(minilm, "ROWS", size):
            started = process_time()
            if size:
                encoder.encode(texts, "passage")
            else:
                encoder._run(texts, "passage", normalize_embeddings=True)
            fastest[row] = min(fastest[row], process_time() - started)
    print(f"{f'{dataset.name}, {len(texts)} passages':30} {'a second':>10} {'ratio':>8}")
    for row, taken in fastest.items():
        print(f"{row:30} {len(texts) / taken:10.1f} {fastest[rows[0]] / taken:8.2f}")


def passages(corpus: Path) -> list[str]:
    rows = [json.loads(line) for line in corpus.read_text("utf-8").splitlines()]
    sample = random.Random(0).sample(rows, min(PASSAGES, len(rows)))
    return sorted((f"{row['title']}\n{row['text']}" for row in sample), key=len)


if __name__ == "__main__":
    main()

"""How many passages the encoder takes in a second of one core, by the size of its batches, as ratios to 32.

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

from clew.memory import encoding
from clew.memory.encoding import MINILM, load_encoder
from tests.benchmarks.inputs import paths

SIZES = (8, 16, 32, 64)
PASSAGES = 128
ROUNDS = 3


def main() -> None:
    import torch

    torch.set_num_threads(1)
    (dataset,) = paths(__doc__ or "", "dataset")
    encoder = load_encoder(MINILM, dataset).uncached  # nothing is cached, so the cache's folder is not written to
    texts = passages(dataset / "corpus.jsonl")
    encoder.encode(texts[:16], "passage")  # the model is loaded with its first text
    fastest = dict.fromkeys(SIZES, float("inf"))
    for size in chain.from_iterable([SIZES] * ROUNDS):
        with patch.object(encoding, "BATCH", size):
            started = process_time()
            encoder.encode(texts, "passage")
            fastest[size] = min(fastest[size], process_time() - started)
    print(f"{f'{dataset.name}, {len(texts)} passages':30} {'a second':>10} {'ratio':>8}")
    for size, taken in fastest.items():
        print(f"{f'batches of {size}':30} {len(texts) / taken:10.1f} {fastest[32] / taken:8.2f}")


def passages(corpus: Path) -> list[str]:
    rows = [json.loads(line) for line in corpus.read_text("utf-8").splitlines()]
    sample = random.Random(0).sample(rows, min(PASSAGES, len(rows)))
    return sorted((f"{row['title']}\n{row['text']}" for row in sample), key=len)


if __name__ == "__main__":
    main()

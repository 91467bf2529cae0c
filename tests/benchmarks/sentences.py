"""The keyword stage over many sentences beside bm25s: time to index, time and memory to search; ratios of one run.

python -m tests.benchmarks.sentences DATA --sentences 49066 [--json]

The sentences are those of DATA/esperanto with their content words drawn anew: each is one of the same ending, as often
as the source has it, so that document frequencies follow the source's; none stands twice. Each part is a process of its
own with one thread: its peak is resident memory, mapped files among it. `bm25s` indexes its own tokens (a stemmer, no
stop words); searched is our index by both, with the same tokens, so that the best 100 have to be the same but for ties.
Stage 2 reads the vectors of those 100 from a file and sorts by their cosines.
"""

import argparse
import json
import os
import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from statistics import median
from subprocess import run
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from clew.memory.json_lines import as_line
from clew.memory.knowledge.keywords import TOGETHER, KeywordIndex, write
from clew.memory.knowledge.tokens import KeywordAnalyser, KeywordParameters, idf_of
from clew.memory.language.esperanto_words import ENDINGS, roots_in
from clew.memory.text import split

SEED, QUERIES, TOP, DIMENSION = 7, 1000, 100, 384
TEXTS, INDEX, PEER, VECTORS = "sentences.txt", "index", "peer", "vectors.npy"


def made(data: Path, count: int) -> Iterator[str]:
    """So many sentences, all different."""
    folder, draw = data / "esperanto", random.Random(SEED)
    text = (folder / "krestomatio.txt").read_text("utf-8") + (folder / "ekzercaro.txt").read_text("utf-8")
    own = [" ".join(text[a:b].replace("_", "").split()) for a, b in split(text)]
    own += [json.loads(line)["text"] for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines()]
    sentences = [one.split() for one in own if "|" not in one and 3 <= len(one.split()) <= 40]
    pools: dict[str, list[str]] = defaultdict(list)
    for word in chain.from_iterable(sentences):
        if ending := _ending(word):
            pools[ending].append(word)
    seen: set[int] = set()
    while len(seen) < count:
        words = [draw.choice(pools[ending]) if (ending := _ending(word)) else word for word in draw.choice(sentences)]
        sentence = " ".join(words)
        if hash(sentence) not in seen:
            seen.add(hash(sentence))
            yield sentence


def _ending(word: str, known: dict[str, str] = {}) -> str:  # noqa: B006 kept over all calls
    """Of a content word in lower case, empty for others."""
    if word not in known:
        plain = word.isalpha() and word.islower() and roots_in(word)
        known[word] = next((end for end in ENDINGS if word.endswith(end)), "") if plain else ""
    return known[word]


def texts_of(folder: Path) -> list[str]:
    return (folder / TEXTS).read_text("utf-8").splitlines()


def timed(what: Callable[[], object]) -> dict[str, float]:
    begun = time.perf_counter(), time.process_time()
    what()
    return {"s": round(time.perf_counter() - begun[0], 2), "cpu_s": round(time.process_time() - begun[1], 2)}


def index_ours(folder: Path) -> dict[str, Any]:
    texts = texts_of(folder)
    (folder / INDEX).mkdir()
    return timed(lambda: list(write(folder / INDEX, [""] * len(texts), texts, KeywordParameters())))


def index_peer(folder: Path) -> dict[str, Any]:
    import bm25s
    import Stemmer

    texts = texts_of(folder)

    def indexed() -> None:
        tokens = bm25s.tokenize(texts, stopwords=None, stemmer=Stemmer.Stemmer("english"), show_progress=False)
        engine = bm25s.BM25(k1=0.9, b=0.75)
        engine.index(tokens, show_progress=False)
        engine.save(folder / PEER, show_progress=False)

    return timed(indexed)


def _queries(folder: Path) -> list[str]:
    """The first words of sentences that are spread over all."""
    texts = texts_of(folder)
    return [" ".join(text.split()[:8]) for text in texts[:: len(texts) // QUERIES][:QUERIES]]


def search(folder: Path) -> dict[str, Any]:
    """Stage 1 by both, query by query in turn, each the faster of two."""
    import bm25s

    queries, size = _queries(folder), len(np.load(folder / VECTORS, mmap_mode="r"))
    index, analyse = KeywordIndex(folder / INDEX, KeywordParameters(), size), KeywordAnalyser(KeywordParameters())
    engine = bm25s.BM25.load(folder / INDEX / TOGETHER, mmap=True, show_progress=False, num_docs=size)
    ours, peer, same = [], [], 0
    for query in queries:
        tokens = [token for token in dict.fromkeys(analyse(query, roots=True).values()) if token in engine.vocab_dict]
        most = float(sum(idf_of(len(index.rows(token)), size) for token in tokens)) or 1.0
        taken: list[list[float]] = [[], []]
        for _ in range(2):
            begun = time.perf_counter()
            hits = index.hits(query, TOP)
            between = time.perf_counter()
            _, scores = engine.retrieve([tokens], k=TOP, show_progress=False, n_threads=0)
            taken[0].append(between - begun)
            taken[1].append(time.perf_counter() - between)
        found = [float(score) / most for score in scores[0] if score > 0]
        same += len(found) == len(hits) and np.allclose(found, [hit.score for hit in hits], atol=3e-5)
        ours.append(min(taken[0]))
        peer.append(min(taken[1]))
    return {"ours": _times(ours), "peer": _times(peer), "same_best_100": f"{same} of {len(queries)}"}


def both_stages(folder: Path) -> dict[str, Any]:
    """From the tokens to the order of 100 by their vectors, which a file has; the first query is the cold one."""
    queries, parameters = _queries(folder), KeywordParameters()
    vectors = np.load(folder / VECTORS, mmap_mode="r")
    index = KeywordIndex(folder / INDEX, parameters, len(vectors))
    asked = np.random.default_rng(SEED).standard_normal((len(queries), DIMENSION)).astype(np.float32)
    taken = []
    for number, query in enumerate(queries):
        begun = time.perf_counter()
        rows = np.sort([hit.row for hit in index.hits(query, TOP)])
        np.argsort(-(vectors[rows].astype(np.float32) @ asked[number]))
        taken.append(time.perf_counter() - begun)
    return _times(taken)


def _times(taken: list[float]) -> dict[str, float]:
    first, half, late = taken[0], median(taken), float(np.quantile(taken, 0.95))
    return {"first_ms": round(1000 * first, 2), "p50_ms": round(1000 * half, 3), "p95_ms": round(1000 * late, 3)}


PARTS = {"index_ours": index_ours, "index_peer": index_peer, "search": search, "both_stages": both_stages}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sentences", type=int, default=49_066)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        row = PARTS[given.part](given.data)
        status = Path("/proc/self/status").read_text()
        peak = int(status.split("VmHWM:")[1].split()[0]) // 1024  # ru_maxrss has that of the process that started it
        print(json.dumps(row | {"peak_mib": peak}))
        return
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / TEXTS).write_text("\n".join(made(given.data, given.sentences)), "utf-8")
        vectors = np.lib.format.open_memmap(
            folder / VECTORS, mode="w+", dtype=np.float16, shape=(given.sentences, DIMENSION)
        )
        for start in range(0, given.sentences, 50_000):
            several = vectors[start : start + 50_000]
            several[:] = np.random.default_rng(start).standard_normal(several.shape)
        vectors.flush()
        rows: dict[str, Any] = {"sentences": given.sentences}
        for part in PARTS:
            command = [sys.executable, "-m", "tests.benchmarks.sentences", name, "--part", part]
            alone = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
            rows[part] = json.loads(run(command, env=alone, check=True, capture_output=True).stdout)
        rows["index_ratio"] = round(rows["index_ours"]["cpu_s"] / rows["index_peer"]["cpu_s"], 2)
        rows["search_ratio"] = round(rows["search"]["ours"]["p50_ms"] / rows["search"]["peer"]["p50_ms"], 2)
    print(as_line(rows).strip() if given.json else json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()

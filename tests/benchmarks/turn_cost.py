"""What memory adds to a turn as a conversation grows: recalling, rewriting and remembering, beside one encoder call.

python -m tests.benchmarks.turn_cost DATASET

The sentences are the data set's passages', so no two turns are alike. All vectors are in the encoder's cache, so that
encoding is not counted; a bare encoder call for one question is the unit.
"""

import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from agent.lines import read_objects
from agent.models import encoder_for
from agent.settings import read_settings
from memory.datatypes import Recalled, Sentence
from memory.dialogue.extraction import answer_sentences
from memory.dialogue.recalling import RecallParameters, centroids_of, embedded, recall
from memory.dialogue.rewriting import RewriteParameters, rewrite
from memory.dialogue.threads import Threads
from memory.encoding import CachedEncoder
from tests.benchmarks.inputs import paths

TURNS = (5, 20, 50, 200)
SENTENCES = 4
REPEATS = 7
QUESTION = "And what did he say about that afterwards?"


def main() -> None:
    (dataset,) = paths(__doc__ or "", "dataset")
    encoder = encoder_for(read_settings())
    turns = list(islice(conversation(dataset), max(TURNS)))
    encoder.encode([sentence.text for turn in turns for sentence in turn], "sentence")
    encoder.encode([QUESTION], "query")
    with TemporaryDirectory() as folder, Threads(Path(folder) / "threads.sqlite") as threads:
        figures = {wanted: cost(threads, turns[: wanted - 1], encoder) for wanted in TURNS}
    call = timed(lambda: encoder.uncached.encode([QUESTION], "query"))
    print(f"{'turn':>6}" + "".join(f"{name:>14}" for name in figures[TURNS[0]]) + f"{'of a call':>14}")
    for turn, parts in figures.items():
        print(f"{turn:>6}" + "".join(f"{ms:11.2f} ms" for ms in parts.values()) + f"{parts['all'] / call:14.2f}")
    print(f"turn 200 is {figures[200]['all'] / figures[20]['all']:.2f} times turn 20; an encoder call {call:.2f} ms")


def conversation(dataset: Path) -> Iterator[list[Sentence]]:
    """Turns of one question and an answer of some sentences."""
    for number, (_, row) in enumerate(read_objects(dataset / "corpus.jsonl"), 1):
        said = list(islice(answer_sentences(row["text"]), SENTENCES))
        asked = f"What about {row.get('title') or 'this'}, number {number}?"
        yield [Sentence(asked, "user", number), *(Sentence(text, "agent", number) for text in said)]


def cost(threads: Threads, turns: list[list[Sentence]], encoder: CachedEncoder) -> dict[str, float]:
    """Milliseconds of each part of the next turn."""
    thread = f"of {len(turns)}"
    for number, said in enumerate(turns, 1):
        vectors = encoder.encode([sentence.text for sentence in said], "sentence")
        threads.save(thread, number, said[0].text, "{}", said, vectors, encoder.hash)
    question = encoder.encode([QUESTION], "sentence")[0]

    def remembered() -> Recalled:
        sentences, stored = threads.sentences(thread, encoder.hash)
        vectors, start = embedded(sentences, stored, encoder), threads.centroids(thread, encoder.hash)
        recalled = recall(question, sentences, vectors, RecallParameters(), start)
        threads.keep_centroids(thread, encoder.hash, centroids_of(recalled, sentences, vectors))
        return recalled

    recalled = remembered()
    last = turns[-1]
    vectors = encoder.encode([sentence.text for sentence in last], "sentence")
    parts = {
        "recall": timed(remembered),
        "rewrite": timed(lambda: rewrite(QUESTION, recalled, encoder, RewriteParameters())),
        "remember": timed(lambda: threads.save(thread, len(turns), "?", "{}", last, vectors, encoder.hash)),
    }
    return {**parts, "all": sum(parts.values())}


def timed(work: Callable[[], object]) -> float:
    """The median, in milliseconds."""
    seconds = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return median(seconds) * 1000


if __name__ == "__main__":
    main()

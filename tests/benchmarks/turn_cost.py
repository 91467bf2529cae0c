"""What a turn costs as a conversation grows: everything but the encoder and the search, beside one encoder call.

python -m tests.benchmarks.turn_cost DATASET LIBRARY

The conversation's sentences are the data set's passages', so no two turns are alike. All vectors are in the encoder's
cache. Medians of some turns that follow each other.
"""

import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from agent.assistant import Assistant
from agent.lines import read_objects
from agent.settings import read_settings
from agent.state import Turn
from memory.datatypes import Sentence
from memory.dialogue.extraction import answer_sentences
from tests.benchmarks.inputs import paths

TURNS = (5, 20, 50, 200)
SENTENCES = 4
REPEATS = 7
QUESTION = "And what is said about that?"
SEARCH = "act"


def main() -> None:
    dataset, library = paths(__doc__ or "", "dataset", "library")
    with TemporaryDirectory() as home:
        settings = read_settings(library=library).model_copy(update={"home": Path(home)})
        with Assistant.open(settings) as assistant:
            turns = list(islice(conversation(dataset), max(TURNS)))
            costs = {wanted: cost(assistant, turns[: wanted - 1]) for wanted in TURNS}
            call = encoder_call(assistant)
    print(f"{'turn':>6}{'recall':>12}{'rewrite':>12}{'all':>12}{'in calls':>12}")
    for turn, (recall, rewrite, whole) in costs.items():
        print(f"{turn:>6}{recall:9.1f} ms{rewrite:9.1f} ms{whole:9.1f} ms{whole / call:12.2f}")
    print(f"turn 200 is {costs[200][2] / costs[20][2]:.2f} times turn 20; an encoder call is {call:.1f} ms")


def conversation(dataset: Path) -> Iterator[list[Sentence]]:
    """Turns of one question and an answer of some sentences."""
    for number, (_, row) in enumerate(read_objects(dataset / "corpus.jsonl"), 1):
        said = list(islice(answer_sentences(row["text"]), SENTENCES))
        asked = f"What about {row.get('title') or 'this'}, number {number}?"
        yield [Sentence(asked, "user", number), *(Sentence(text, "agent", number) for text in said)]


def cost(assistant: Assistant, before: list[list[Sentence]]) -> tuple[float, float, float]:
    """Milliseconds of recalling, of rewriting, and of the whole turn without its search."""
    thread, encoder = f"of {len(before)}", assistant.services.encoder
    for number, said in enumerate(before, 1):
        vectors = encoder.encode([sentence.text for sentence in said], "sentence")
        assistant.threads.save(thread, number, said[0].text, "{}", said, vectors, encoder.hash)
    measured = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        turn = [event for event in assistant.ask(thread, QUESTION) if isinstance(event, Turn)][-1]
        whole = (time.perf_counter() - started) * 1000
        ms = {step.node: step.ms for step in turn.steps}
        measured.append((ms["recall"], ms["rewrite"], whole - ms[SEARCH]))
    recall, rewrite, whole = (median(column) for column in zip(*measured, strict=True))
    return recall, rewrite, whole


def encoder_call(assistant: Assistant) -> float:
    seconds = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        assistant.services.encoder.uncached.encode([QUESTION], "query")
        seconds.append(time.perf_counter() - started)
    return median(seconds) * 1000


if __name__ == "__main__":
    main()

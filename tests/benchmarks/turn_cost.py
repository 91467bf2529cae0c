"""What a turn costs as a conversation grows: everything but the encoder and the search, beside one encoder call.

python -m tests.benchmarks.turn_cost DATASET LIBRARY

The conversation's sentences are the data set's passages', so no two turns are alike. All vectors are in the encoder's
cache. Medians of some turns that follow each other, a turn of each thread in its turn.
"""

import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from clew.agent.assistant import Assistant
from clew.agent.settings import read_settings
from clew.agent.state import Turn
from clew.memory.datatypes import Sentence
from clew.memory.dialogue.utterances import answer_sentences
from tests.benchmarks.measuring import milliseconds, paths, show
from tests.training.records import lines_of

TURNS = (5, 20, 50, 200)
SENTENCES = 4
REPEATS = 15
QUESTION = "And what is said about that?"
SEARCH = "act"


def main() -> None:
    dataset, library = paths(__doc__ or "", "dataset", "library")
    with TemporaryDirectory() as home:
        settings = read_settings(library=library).model_copy(update={"home": Path(home)})
        with Assistant.open(settings) as assistant:
            turns = list(islice(conversation(dataset), max(TURNS)))
            for wanted in TURNS:
                keep(assistant, turns[: wanted - 1])
            costs = cost(assistant)
            call = encoder_call(assistant)
    rows = ([turn, *(f"{ms:.1f}" for ms in its), f"{its[-1] / call:.2f}"] for turn, its in costs.items())
    show(f"An encoder call is {call:.1f} ms", ("turn", "recall, ms", "rewrite, ms", "all, ms", "in calls"), rows)


def conversation(dataset: Path) -> Iterator[list[Sentence]]:
    """Turns of one question and an answer of some sentences."""
    for number, row in enumerate(lines_of(dataset / "corpus.jsonl"), 1):
        said = list(islice(answer_sentences(row["text"]), SENTENCES))
        asked = f"What about {row.get('title') or 'this'}, number {number}?"
        yield [Sentence(asked, "user", number), *(Sentence(text, "agent", number) for text in said)]


def keep(assistant: Assistant, said: list[list[Sentence]]) -> None:
    """As a thread of so many turns."""
    encoder = assistant.services.encoder
    for number, sentences in enumerate(said, 1):
        vectors = encoder.encode([sentence.text for sentence in sentences], "sentence")
        assistant.threads.save(
            thread_of(len(said) + 1), number, sentences[0].text, "{}", sentences, vectors, encoder.hash
        )


def cost(assistant: Assistant) -> dict[int, list[float]]:
    """Milliseconds of recalling, of rewriting, and of the whole turn without its search, of each thread. They take
    turns, so that what else the machine does falls on all of them."""
    measured: dict[int, list[tuple[float, float, float]]] = {wanted: [] for wanted in TURNS}
    for _ in range(REPEATS):
        for wanted, of_thread in measured.items():
            started = time.perf_counter()
            turn = [e for e in assistant.ask(thread_of(wanted), QUESTION) if isinstance(e, Turn)][-1]
            whole = (time.perf_counter() - started) * 1000
            ms = {step.node: step.ms for step in turn.steps}
            of_thread.append((ms["recall"], ms["rewrite"], whole - ms[SEARCH]))
    return {wanted: [median(column) for column in zip(*rows, strict=True)] for wanted, rows in measured.items()}


def thread_of(turn: int) -> str:
    return f"before turn {turn}"


def encoder_call(assistant: Assistant) -> float:
    encoder = assistant.services.encoder.uncached
    return median(milliseconds(lambda text: encoder.encode([text], "query"), QUESTION) for _ in range(REPEATS))


if __name__ == "__main__":
    main()

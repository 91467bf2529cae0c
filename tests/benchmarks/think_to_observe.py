"""What a turn takes from `think` to `observe`, without encoding: by the tools that the router chose, and each forced.

python -m tests.benchmarks.think_to_observe DATASET LIBRARY

The questions of a data set, at most 60 of those with qrels drawn at random, with their conversations, asked of any
library. Milliseconds of the processor, so give it one core (OMP_NUM_THREADS=1 taskset -c 0). Of each question the
fastest of three turns; all vectors are in the encoder's cache after the first.
"""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from clew.agent.evaluation.dataset import read_dataset
from clew.agent.evaluation.evaluate import SEARCHING, searched
from clew.agent.evaluation.ranking import percentiles
from clew.agent.models import encoder_for
from clew.agent.search import router
from clew.agent.search.rounds import AUTO
from clew.agent.services import services_for
from clew.agent.settings import read_settings
from clew.agent.state import Turn
from clew.memory.dialogue.threads import Threads
from clew.memory.knowledge.library import open_library
from tests.benchmarks.inputs import paths

QUESTIONS, ROUNDS = 60, 3
FORCED = ((), ("walk",), ("graph",), ("graph", "walk"))


def main() -> None:
    dataset, folder = paths(__doc__ or "", "dataset", "library")
    found = read_dataset(dataset).questions
    questions = random.Random(0).sample(found, min(QUESTIONS, len(found)))
    with TemporaryDirectory() as home, Threads(None) as threads, patch("time.perf_counter", time.process_time):
        settings = read_settings(library=folder).model_copy(update={"home": Path(home)})
        encoder = encoder_for(settings)
        library = open_library(folder, encoder)
        services = replace(services_for(settings, library, encoder, threads), default_tool=AUTO)
        asked: list[Callable[[], Turn]] = [
            lambda question=question: searched(services, question.text, question.history)  # type: ignore[misc]
            for question in questions
        ]
        asked[0]()  # what is loaded once
        print(f"{dataset.name}, {library.manifest.chunks} chunks; ms of")
        chosen = [(tools, seconds) for ask in asked for tools, seconds in [fastest(ask)]]
        for tools in sorted({tools for tools, _ in chosen}, key=len):
            report(f"{tools}, chosen", [seconds for by, seconds in chosen if by == tools], len(chosen))
        report("what was chosen", [seconds for _, seconds in chosen], len(chosen))
        for forced in FORCED:
            with patch.object(router, "chosen", lambda *_, forced=forced: forced):
                report("+".join(("hybrid", *forced)), [fastest(ask)[1] for ask in asked], len(asked))
        library.store.close()


def fastest(ask: Callable[[], Turn]) -> tuple[str, float]:
    """The tools of a turn, and its seconds."""
    turns = [ask() for _ in range(ROUNDS)]
    tools = "+".join(sorted({name for step in turns[0].steps for name in step.tools}))
    return tools, min(map(searching, turns)) / 1000


def report(what: str, seconds: Sequence[float], of: int) -> None:
    print(f"    {what:26} {len(seconds) / of:6.2f} of the questions {percentiles(seconds, 50, 95)}")


def searching(turn: Turn) -> float:
    return sum(step.ms for step in turn.steps if step.node in SEARCHING)


if __name__ == "__main__":
    main()

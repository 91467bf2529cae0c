"""What a turn runs through: its files and its moves, for the README's second question, without a language model.

python -m tests.benchmarks.turn

A file counts when a function of it is called; a move is a call from one product file into another. The library is one
of examples/documents, the thread has the README's first question, and what is loaded once (models, the graph of the
library) is loaded before.
"""

import sys
import threading
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from clew.agent.assistant import Assistant
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.knowledge.index.run import index

ROOT = Path(__file__).resolve().parents[2]
FIRST, SECOND = "Who directed the film Metropolis?", "and where was he born?"
SHOWN = 25


class Moves:
    """A profiler: counts the calls from one product file into another, by pair of files."""

    def __init__(self) -> None:
        self.files: Counter[str] = Counter()
        self.pairs: Counter[tuple[str, str]] = Counter()

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        there = product_file(frame)
        if event != "call" or not there:
            return
        self.files[there] += 1
        here = product_file(frame.f_back) if frame.f_back else ""
        if here and here != there:
            self.pairs[here, there] += 1


def product_file(frame: FrameType) -> str:
    """The file of a frame's code, from the root; empty for others, for modules' bodies, for generated code."""
    if frame.f_code.co_filename.startswith("<") or frame.f_code.co_name == "<module>":
        return ""
    try:
        path = Path(frame.f_code.co_filename).resolve().relative_to(ROOT)
    except ValueError:
        return ""
    return "" if path.parts[0] in ("tests", ".venv") else str(path)


def measured() -> Moves:
    with TemporaryDirectory() as folder:
        library = Path(folder) / "library"
        settings = read_settings(library=library, home=Path(folder) / "home", llm="none")
        settings.home.mkdir()
        encoder = encoder_for(settings)
        for _ in index([ROOT / "examples" / "documents"], library, encoder):
            pass
        encoder.close()
        with Assistant.open(settings) as assistant:
            assistant.warm_up()
            for _ in assistant.ask("README", FIRST):
                pass
            moves = Moves()
            threading.setprofile(moves)
            sys.setprofile(moves)
            try:
                for _ in assistant.ask("README", SECOND):
                    pass
            finally:
                sys.setprofile(None)
                threading.setprofile(None)
    return moves


def main() -> None:
    moves = measured()
    for file, calls in sorted(moves.files.items()):
        print(f"{calls:6} {file}")
    print(f"files {len(moves.files)}, moves {sum(moves.pairs.values())}; the busiest:")
    for (here, there), count in moves.pairs.most_common(SHOWN):
        print(f"{count:6} {here} -> {there}")


if __name__ == "__main__":
    main()

"""How far a reader has to go to follow one turn: files of the product that a follow-up runs through, and calls from one
of them into another.

    python -m tests.benchmarks.turn

The second turn over `examples/documents`, without a language model; the first one has loaded what is loaded once.
"""

import sys
import tempfile
import threading
from pathlib import Path
from types import FrameType

import clew
from clew.agent.assistant import Assistant
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.knowledge.index.run import index

PRODUCT = Path(clew.__file__).resolve().parent
FIRST, SECOND = "Who directed the film Metropolis?", "and where was he born?"


def main() -> None:
    files, moves = set[str](), 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal moves
        file = frame.f_code.co_filename
        if event == "call" and ours(file):
            files.add(file)
            moves += frame.f_back is not None and frame.f_back.f_code.co_filename != file

    with tempfile.TemporaryDirectory() as folder:
        library, home = Path(folder) / "library", Path(folder) / "home"
        for _ in index([PRODUCT / "examples" / "documents"], library, encoder_for(read_settings())):
            pass
        with Assistant.open(read_settings(library=library, home=home, llm="none")) as assistant:
            list(assistant.ask("bench", FIRST))
            threading.setprofile(count)
            sys.setprofile(count)
            list(assistant.ask("bench", SECOND))
            sys.setprofile(None)
            threading.setprofile(None)
    print(f"{len(files)} files, {moves} moves between them")


def ours(file: str) -> bool:
    return (
        Path(file).is_absolute()
        and Path(file).resolve().is_relative_to(PRODUCT)
        and not {"tests", ".venv"} & {*Path(file).parts}
    )


if __name__ == "__main__":
    main()

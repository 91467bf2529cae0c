"""What the first words of a new process cost: CPU seconds, seconds and peak memory, by command.

python -m tests.benchmarks.first_word LIBRARY

Each row is a process of its own, without a language model; what it prints is the median of three. A new question names
two documents of the library, drawn at random, and was never asked; the library's passages are in the encoder's cache
if it was indexed with it. Python keeps the bytecode of Clew's modules, whatever the environment says, as it does where
a person uses them: a process before those that are measured writes it.
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from clew.memory.knowledge.library import open_library
from tests.benchmarks.measuring import paths, show

REPEATS = 3
FOLLOW_UP = "and what else is known about it?"


def main() -> None:
    (library,) = paths(__doc__ or "", "library")
    with open_library(library, None) as opened:
        store = opened.store
        titles = [one.title for one in store.documents(store.part().layers.document_ids) if one.title]
    costs: dict[str, list[tuple[float, float, float]]] = {}
    cost(["ask", question(titles), "--library", str(library)], "")
    for _ in range(REPEATS):
        first, second, third, fourth = (question(titles) for _ in range(4))
        for name, command, said in (
            ("search, a new question", ["search", first], ""),
            ("search, the same again", ["search", first], ""),
            ("ask, a new question", ["ask", second], ""),
            ("ask, the same again", ["ask", second], ""),
            ("chat, one turn", ["chat"], third),
            ("chat, two turns", ["chat"], f"{fourth}\n{FOLLOW_UP}"),
        ):
            costs.setdefault(name, []).append(cost([*command, "--library", str(library)], said))
    rows = ([name, *(f"{median(values):.2f}" for values in zip(*its, strict=True))] for name, its in costs.items())
    show(str(library), ("", "CPU s", "s", "MB"), rows)


def question(titles: Sequence[str]) -> str:
    one, other = random.sample(titles, 2)
    return f"What does {one} have to do with {other}?"


def cost(arguments: Sequence[str], said: str) -> tuple[float, float, float]:
    """CPU seconds, seconds and megabytes of one process, which keeps its threads in a folder that goes with it."""
    with TemporaryDirectory() as home:
        environment = {**os.environ, "CLEW_LLM": "none", "XDG_DATA_HOME": home}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        (typed := Path(home) / "typed.txt").write_text(said, "utf-8")
        began = time.monotonic()
        with typed.open() as given:
            command = [sys.executable, "-m", "clew.ui.cli", *arguments]
            process = subprocess.Popen(
                command, stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
            )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        taken = time.monotonic() - began
    if process.returncode:
        raise SystemExit(f"clew {arguments[0]} ended with {process.returncode}")
    kilobytes = used.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return used.ru_utime + used.ru_stime, taken, kilobytes / 1024


if __name__ == "__main__":
    main()

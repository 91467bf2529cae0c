"""What the first words of a new process cost: CPU seconds, seconds and peak memory, by command.

python -m tests.benchmarks.first_word LIBRARY

Each row is a process of its own, without a language model; what it prints is the median of three. A new question names
two documents of the library, drawn at random, and was never asked; the library's passages are in the encoder's cache
if it was indexed with it. Python keeps the bytecode of Clew's modules, whatever the environment says, as it does where
a person uses them: a process before those that are measured writes it.
"""

import os
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from clew.memory.knowledge.disk import DATABASE, current_generation
from tests.benchmarks.inputs import paths

REPEATS = 3
FOLLOW_UP = "and what else is known about it?"


class Cost(NamedTuple):
    cpu: float
    seconds: float
    megabytes: float


def main() -> None:
    (library,) = paths(__doc__ or "", "library")
    rows: dict[str, list[Cost]] = {}
    cost(["ask", question(library), "--library", str(library)], "")
    for _ in range(REPEATS):
        first, second, third, fourth = (question(library) for _ in range(4))
        for name, command, said in (
            ("search, a new question", ["search", first], ""),
            ("search, the same again", ["search", first], ""),
            ("ask, a new question", ["ask", second], ""),
            ("ask, the same again", ["ask", second], ""),
            ("chat, one turn", ["chat"], third),
            ("chat, two turns", ["chat"], f"{fourth}\n{FOLLOW_UP}"),
        ):
            rows.setdefault(name, []).append(cost([*command, "--library", str(library)], said))
    print(f"{'':26}{'CPU s':>8}{'s':>8}{'MB':>8}")
    for name, costs in rows.items():
        cpu, seconds, megabytes = (median(values) for values in zip(*costs, strict=True))
        print(f"{name:26}{cpu:8.2f}{seconds:8.2f}{megabytes:8.0f}")


def question(library: Path) -> str:
    generation = current_generation(library)
    assert generation, "it is a library"
    with closing(sqlite3.connect(f"{(generation / DATABASE).resolve().as_uri()}?mode=ro", uri=True)) as database:
        titles = [title for (title,) in database.execute("SELECT title FROM documents") if title]
    one, other = random.sample(titles, 2)
    return f"What does {one} have to do with {other}?"


def cost(arguments: Sequence[str], said: str) -> Cost:
    """Of one process, which keeps its threads in a folder that goes with it."""
    with TemporaryDirectory() as home:
        environment = {**os.environ, "CLEW_LLM": "none", "XDG_DATA_HOME": home}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        began = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-m", "clew.ui.cli", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        assert process.stdin is not None
        process.stdin.write(said.encode())
        process.stdin.close()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        taken = time.monotonic() - began
    if process.returncode:
        raise SystemExit(f"clew {arguments[0]} ended with {process.returncode}")
    kilobytes = used.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return Cost(used.ru_utime + used.ru_stime, taken, kilobytes / 1024)


if __name__ == "__main__":
    main()

"""python -m tests.torture [--part PART] [--seed N] [--share S] [--documents DIR]

Prints a line `{part, seed, points, failed}` for each part, on standard error what failed; exit code 1 where something
did. A part ends after an hour, which is a failure too.
"""

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.torture import Run, Skipped

PARTS = ("kill", "power", "disk", "fuzz", "orders", "people")
"""Modules of this folder; `make test-all` runs a tenth of each but `people`, and of `fuzz` a thirtieth."""

LIMIT = 60 * 60
"""Seconds of a part."""

SHOWN = 20


def tortured(part: str, run: Run, limit: float = LIMIT) -> tuple[int, list[str]]:
    """How many points were tried, and what went wrong at which, also on standard error as it does. Raises `Skipped`."""
    tried, wrong, end = 0, list[str](), time.monotonic() + limit
    for name, why in import_module(f"tests.torture.{part}").points(run):
        tried += 1
        if why:
            wrong.append(f"{part} {name}: {why}")
            if len(wrong) <= SHOWN:
                print(wrong[-1], file=sys.stderr, flush=True)
        if time.monotonic() > end:
            wrong.append(f"{part}: the hour was over after {tried} points")
            break
    return tried, wrong


def line_of(part: str, run: Run) -> dict[str, object]:
    line: dict[str, object] = {"part": part, "seed": run.seed, "points": 0, "failed": 0}
    try:
        tried, wrong = tortured(part, run)
    except Skipped as reason:
        return line | {"skipped": str(reason)}
    return line | {"points": tried, "failed": len(wrong)}


def apart(folder: Path) -> None:
    """Nothing of this user's is read or written, and no network asked."""
    for name in ("CONFIG", "DATA", "CACHE"):
        os.environ[f"XDG_{name}_HOME"] = str(folder / name.lower())
    os.environ |= {"HF_HUB_OFFLINE": "1", "CLEW_LLM": "none", "OMP_NUM_THREADS": "1"}
    for name in ("OLLAMA_HOST", "CLEW_HOME", "CLEW_CACHE", "CLEW_LIBRARY"):
        os.environ.pop(name, None)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torture")
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--documents", type=Path)
    given = parser.parse_args(arguments)
    failed = False
    for part in [given.part] if given.part else PARTS:
        with TemporaryDirectory(prefix="clew-torture-") as temporary:
            apart(Path(temporary))
            folder = Path(temporary, "part")
            folder.mkdir()
            documents = given.documents.absolute() if given.documents else None
            line = line_of(part, Run(given.seed, given.share, folder, documents))
        print(json.dumps(line), flush=True)
        failed |= bool(line["failed"])
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

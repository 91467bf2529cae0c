"""What it takes to read a Wikipedia dump, and what it takes when it is ten times as large: no model, no library.

python -m tests.benchmarks.dumps

The dumps are made up: pages of 4,000 characters with an infobox, references and ten links each, every tenth page a
redirect. Each is read in a process of its own; the memory is the peak of its resident set.
"""

import random
import resource
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from clew.memory.datatypes import Document
from clew.memory.knowledge.loaders.registry import read
from clew.memory.knowledge.loaders.source import Source
from clew.memory.knowledge.loaders.wikipedia import WIKIPEDIA
from tests.memory.knowledge.loaders.dump import END, HEAD, page

SIZES = (2_000, 20_000, 200_000)


def main() -> None:
    print("pages      MB   documents  s   peak MiB   edges      s   peak MiB")
    with TemporaryDirectory() as folder:
        for size in SIZES:
            path = Path(folder) / f"{size}.xml"
            write(path, size)
            documents, edges = (in_a_process(path, what) for what in ("documents", "edges"))
            print(f"{size:7} {path.stat().st_size / 1e6:6.0f} {told(documents)} {told(edges)}")


def told(measured: tuple[int, float, float]) -> str:
    count, seconds, peak = measured
    return f"{count:9} {seconds:6.1f} {peak:6.0f}"


def in_a_process(path: Path, what: str) -> tuple[int, float, float]:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(measured, path, what).result()


def measured(path: Path, what: str) -> tuple[int, float, float]:
    """How many, seconds, and the peak in MiB of this process."""
    source, started = Source(path, WIKIPEDIA, path), perf_counter()
    if what == "documents":
        count = sum(isinstance(item, Document) for item in read(source))
    else:
        count = sum(1 for _ in source.loader.edges(source))
    return count, perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def write(path: Path, size: int) -> None:
    numbers = random.Random(0)
    with path.open("w", encoding="utf-8") as file:
        file.write(HEAD)
        for n in range(size):
            others = [f"Page {numbers.randrange(size)}" for _ in range(10)]
            redirect = others[0] if n % 10 == 0 else ""
            file.write(page(f"Page {n}", 0, redirect, f"#REDIRECT [[{redirect}]]" if redirect else text(n, others)))
        file.write(END)


def text(n: int, others: list[str]) -> str:
    linked = " and ".join(f"[[{other}|number {place}]]" for place, other in enumerate(others))
    return (
        f"{{{{Infobox | name = Page {n} | kind = {{{{small|page}}}} }}}}\n'''Page {n}''' is one of [[{others[0]}]]."
        f"<ref>{{{{cite|title=[[Nowhere]]}}}}</ref> It goes on.\n\n== More ==\n{linked}\n{'and so on ' * 350}\n"
        f"[[Category:Pages {n % 7}]]"
    )


if __name__ == "__main__":
    main()

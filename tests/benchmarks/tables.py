"""Questions of whole tables, without a language model: `python -m tests.benchmarks.tables`.

The tables and questions of `tables.txt` are of other trades and in other words than those that the reader of tables was
fitted on. All tables stand in one library, so that each question also has to find its own. Prints by kind how many are
answered right, how many wrongly though an answer was given, and how many are left to the rest of a turn; of questions
that no table answers (`other`) the last is right. Then the same of what another writer asked of ten tables
(`asked_tables.jsonl.gz`), by what the reader makes of it.
"""

import csv
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from clew.agent.answer.table_answers import table_answer
from clew.memory.encoding import MINILM, load_encoder
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import open_library
from clew.tools.table_links import shipped
from clew.tools.table_reader import read
from tests.training.table_reader import is_right, written


class AskedTable(NamedTuple):
    """`wanted` has to stand in the answer, word by word; for `other` there is to be none."""

    file: str
    question: str
    kind: str
    wanted: tuple[str, ...]


def tables() -> Iterator[tuple[str, list[str], list[AskedTable]]]:
    """File, lines and questions of each."""
    for part in Path(__file__).with_suffix(".txt").read_text("utf-8").split("== ")[1:]:
        file, *lines = part.strip().splitlines()
        asked = [line.split(" | ") for line in lines if " | " in line or line.endswith(" |")]
        rows = [line for line in lines if not (" | " in line or line.endswith(" |"))]
        yield file, rows, [_asked(file, *one) for one in asked]


def _asked(file: str, question: str, kind: str, wanted: str = "") -> AskedTable:
    words = [word for one in wanted.split(": ") for word in one.split()] if ":" in wanted else wanted.split()
    return AskedTable(file, question, kind.removesuffix(" |"), tuple(words))


def main() -> None:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    with tempfile.TemporaryDirectory() as folder:
        encoder, asked = load_encoder(MINILM, Path(folder) / "cache"), list[AskedTable]()
        (Path(folder) / "tables").mkdir()
        for file, rows, its in tables():
            (Path(folder) / "tables" / file).write_text("\n".join(rows), "utf-8")
            assert len({len(row) for row in csv.reader(rows)}) == 1, file
            asked += its
        *_, _ = index([Path(folder) / "tables"], Path(folder) / "library", encoder)
        with open_library(Path(folder) / "library", encoder) as library:
            for one in asked:
                made = table_answer(one.question, library.store.tables, encoder)
                text = made.answer.text if made else ""
                outcome = "left" if made is None else "right" if one.wanted and _holds(text, one) else "wrong"
                counts[one.kind][outcome] += 1
        show(counts)
        counts.clear()
        for question, its_tables in written(Path(__file__).with_name("asked_tables.jsonl.gz"), random.Random(5)):
            found = read(question.text, its_tables, encoder, shipped())
            right = found is not None and is_right(found, question) is not False
            counts[question.asked]["left" if found is None else "right" if right else "wrong"] += 1
        show(counts)


def show(counts: Mapping[str, Counter[str]]) -> None:
    for kind, of_kind in sorted(counts.items()):
        print(f"{kind:12} {dict(of_kind)}")
    answerable = sum((of_kind for kind, of_kind in counts.items() if kind != "other"), Counter[str]())
    every = sum(counts.values(), Counter[str]())
    print(f"right {answerable['right'] / answerable.total():.2f} of {answerable.total()}")
    print(f"wrong though said {every['wrong'] / every.total():.3f} of {every.total()}")


def _holds(text: str, one: AskedTable) -> bool:
    """Whether the answer has all that is wanted, and a number that comes first in the line that leads it."""
    several = one.kind in ("filter", "compare", "most common") or one.kind.endswith(" each")
    lead = several or not one.wanted[0][0].isdigit() or one.wanted[0] in text.splitlines()[0]
    return lead and all(word in text for word in one.wanted)


if __name__ == "__main__":
    main()

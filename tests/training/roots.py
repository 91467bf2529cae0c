"""The roots of Esperanto that the reader ships: those by hand stay, those of Zamenhof's texts are mined anew.

python -m tests.training.roots DATA    writes memory/language/roots.txt; DATA/esperanto has the texts
"""

import json
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from clew.memory.language import esperanto_words
from clew.memory.language.esperanto_words import mined_roots
from clew.memory.text import word_lists, written_words

FILE = Path(esperanto_words.__file__).with_name("roots.txt")


def text_words(data: Path) -> Iterator[str]:
    """The words of the Krestomatio (1903), of the Ekzercaro (1905) without its glosses in five languages, and of the
    proverbs. The Ekzercaro counts twice: all its roots are official."""
    folder = data / "esperanto"
    lines = (folder / "ekzercaro.txt").read_text("utf-8").splitlines()
    own = [line for line in lines if "|" not in line]
    texts = own + own + [(folder / "krestomatio.txt").read_text("utf-8")]
    texts += [json.loads(line)["text"] for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines()]
    for text in texts:
        yield from written_words(text.replace("_", " "))


def page(data: Path) -> str:
    head, _, _ = FILE.read_text("utf-8").partition("[texts]")
    found = mined_roots(text_words(data), word_lists(FILE)["hand"])
    return head + "[texts]\n" + "\n".join(textwrap.wrap(" ".join(found), 118, break_on_hyphens=False)) + "\n"


def made(data: Path, _: Path) -> dict[Path, str]:
    return {FILE: page(data)}


if __name__ == "__main__":
    FILE.write_text(page(Path(sys.argv[1])), "utf-8")

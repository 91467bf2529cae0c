"""The roots of Esperanto that the reader ships: those by hand stay, those of Zamenhof's texts are mined anew.

python -m tests.training.roots DATA    writes memory/language/roots.txt; DATA/esperanto has the texts
"""

import textwrap
from collections.abc import Iterator
from pathlib import Path

from clew.memory.language import esperanto_words
from clew.memory.language.esperanto_words import mined_roots
from clew.memory.text import word_lists, written_words
from tests.training.records import lines_of
from tests.training.trainer import trainer

FILE = Path(esperanto_words.__file__).with_name("roots.txt")


def text_words(data: Path) -> Iterator[str]:
    """The words of the Krestomatio (1903), of the Ekzercaro (1905) without its glosses in five languages, and of the
    proverbs. The Ekzercaro counts twice: all its roots are official."""
    folder = data / "esperanto"
    lines = (folder / "ekzercaro.txt").read_text("utf-8").splitlines()
    own = [line for line in lines if "|" not in line]
    texts = own + own + [(folder / "krestomatio.txt").read_text("utf-8")]
    texts += [row["text"] for row in lines_of(folder / "corpus.jsonl")]
    for text in texts:
        yield from written_words(text.replace("_", " "))


def made(data: Path, libraries: Path) -> dict[Path, str]:
    head, _, _ = FILE.read_text("utf-8").partition("[texts]")
    found = textwrap.wrap(
        " ".join(mined_roots(text_words(data), word_lists(FILE)["hand"])), 118, break_on_hyphens=False
    )
    return {FILE: head + "[texts]\n" + "\n".join(found) + "\n"}


main = trainer(__doc__, made)

if __name__ == "__main__":
    main()

"""How many words a second the reader of Esperanto takes, in CPU seconds of one thread.

python -m tests.benchmarks.parsing FILE...

Every sentence of the texts is read once, by a new reader. Prints a JSON object: `words`, `seconds`, `words_a_second`.
"""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from time import process_time

from clew.memory.language.esperanto import Esperanto
from clew.memory.text import split


def words_a_second(texts: Sequence[str]) -> dict[str, float]:
    sentences = [found for text in texts for span in split(text) if re.search(r"\w", found := text[slice(*span)])]
    reader = Esperanto()
    started = process_time()
    words = sum(len(reader.read(sentence).words) for sentence in sentences)
    seconds = process_time() - started
    return {"words": words, "seconds": round(seconds, 2), "words_a_second": round(words / seconds)}


if __name__ == "__main__":
    print(json.dumps(words_a_second([Path(path).read_text("utf-8") for path in sys.argv[1:]])))

"""Whether a text denies something: `python -m tests.training.negation DATA` writes `agent/answer/negation.json`, fitted
on questions and sentences of DATA/conversations, as they are and denied by rule."""

import random
import re
from collections.abc import Iterator
from pathlib import Path

from clew.agent.answer.score_adjustments import CLASSES, SHIPPED
from clew.memory.text import negations, split, words
from tests.training.records import asked_by_people
from tests.training.table_reader import as_file
from tests.training.trainer import trainer

EACH = 5000
"""Questions, and sentences, that are denied."""

FILES, CHARACTERS, SHORTEST, LONGEST = 6, 20_000, 4, 35
"""Documents of a collection, what is read of each, and words of a sentence."""

_AUXILIARY = re.compile(r"\b(?:is|are|was|were|has|have|had|can|could|will|would|should|must|may|does|do|did)\b", re.I)
_WAYS = (
    *((_AUXILIARY, rf"\g<0> {word}") for word in ("not", "not", "never", "no longer", "not yet")),
    (re.compile(r"\b(?:is|are|was|were|has|have|had|could|would|should|does|do|did)\b", re.I), r"\g<0>n't"),
    (re.compile(r"\bwith\b"), "without"),
    (re.compile(r"\b(?:a|an|any|some)\b"), "no"),
    (re.compile(r"\b(?:all|every|each|both)\b", re.I), "none of the"),
    (re.compile(r"\b(?:someone|somebody|everybody|everyone|people)\b", re.I), "nobody"),
    (re.compile(r"\b(?:something|everything)\b", re.I), "nothing"),
)


def made(texts: list[str], rng: random.Random) -> Iterator[tuple[str, str]]:
    """Texts as they are, and denied."""
    rng.shuffle(texts)
    count = 0
    for text in (one for one in texts if not negations(one)):
        ways = [(pattern, put) for pattern, put in _WAYS if pattern.search(text)]
        if ways and count < EACH:
            pattern, put = rng.choice(ways)
            yield from ((text, CLASSES[0]), (pattern.sub(put, text, count=1), CLASSES[1]))
            count += 1


def told(folder: Path) -> list[str]:
    collections = sorted(one for one in (folder / "documents").iterdir() if one.is_dir())
    texts = [
        file.read_text("utf-8", "ignore")[:CHARACTERS]
        for collection in collections
        for file in sorted(collection.rglob("*.md"))[:FILES]
    ]
    found = [" ".join(text[start:end].split()) for text in texts for start, end in split(text)]
    return [text for text in found if SHORTEST <= len(text.split()) <= LONGEST and text[0].isalnum()]


def train(data: Path, _: Path) -> dict[Path, str]:
    rng = random.Random(3)
    rows = [*made(asked_by_people(data), rng), *made(told(data / "conversations"), rng)]
    return {SHIPPED: as_file(CLASSES, rows, words)}


main = trainer(__doc__, train)

if __name__ == "__main__":
    main()

"""Whether a question asks by how much two things differ: `python -m tests.training.differences DATA` writes
`agent/answer/differences.json`, fitted on questions that are made from `made_differences.txt`, and on those that people
asked of DATA/conversations."""

import argparse
import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from clew.agent.answer.differences import CLASSES, SHIPPED, masked
from clew.memory.encoding import MINILM, load_encoder
from tests.training.made_tables import FIRST, LAST, THINGS, TOWNS, sections
from tests.training.table_reader import softmax

EACH, OF_PEOPLE = 12, 6000
"""Questions that are made of a line, and that are taken of people: hardly one of these asks for a difference."""

TIMES = "January March May June August winter summer".split()
TEXTS = sections(Path(__file__).with_name("made_differences.txt"))


def made(rng: random.Random) -> Iterator[tuple[str, str]]:
    """Questions, and which of the classes each is."""
    for kind in CLASSES:
        for line in TEXTS[kind]:
            yield from ((_filled(rng, line), kind) for _ in range(EACH))


def _filled(rng: random.Random, line: str) -> str:
    year = rng.randint(1900, 2024)
    first, last = rng.choice([(year, year + rng.randint(1, 9)), tuple(rng.sample(TIMES, 2))])
    measured, counted = (rng.choice(TEXTS[name]) for name in ("measured", "counted"))
    return line.format(a=_name(rng), b=_name(rng), x=measured, n=counted, y=first, z=last)


def _name(rng: random.Random) -> str:
    person, town = rng.choice(FIRST), rng.choice(TOWNS)
    kinds = (f"{person} {rng.choice(LAST)}", person, town, f"the {town} line", f"the {rng.choice(THINGS)}")
    return rng.choice(kinds)


def of_people(data: Path, rng: random.Random) -> list[tuple[str, str]]:
    files = (data / "conversations" / f"{name}.jsonl" for name in ("more", "plenty", "further"))
    asked = [json.loads(line)["question"] for file in files for line in file.read_text("utf-8").splitlines()]
    return [(question, CLASSES[1]) for question in rng.sample(asked, OF_PEOPLE)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    data, rng = parser.parse_args().data, random.Random(5)
    told = [*made(rng), *of_people(data, rng)]
    with tempfile.TemporaryDirectory() as cache:
        vectors = load_encoder(MINILM, Path(cache)).encode([text for text, _ in told], "sentence")
    fitted = softmax(
        CLASSES, [(vector, masked(text), kind) for vector, (text, kind) in zip(vectors, told, strict=True)]
    )
    said = {"intercepts": fitted.intercepts.tolist(), "weights": fitted.weights.tolist(), "features": fitted.features}
    SHIPPED.write_text(json.dumps(said, separators=(",", ":"), ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()

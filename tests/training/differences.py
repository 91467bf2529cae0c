"""Whether a question asks by how much two things differ: `python -m tests.training.differences DATA` writes
`agent/answer/differences.json`, fitted on questions that are made from `made_differences.txt`, and on those that people
asked of DATA/conversations."""

import random
from collections.abc import Iterator
from pathlib import Path

from clew.agent.answer.arithmetic import CLASSES, SHIPPED, masked
from tests.training.made_tables import FIRST, LAST, THINGS, TOWNS, sections
from tests.training.records import asked_by_people
from tests.training.table_reader import as_file
from tests.training.trainer import trainer

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


def train(data: Path, _: Path) -> dict[Path, str]:
    rng = random.Random(5)
    told = [*made(rng), *((question, CLASSES[1]) for question in rng.sample(asked_by_people(data), OF_PEOPLE))]
    return {SHIPPED: as_file(CLASSES, told, masked)}


main = trainer(__doc__, train)

if __name__ == "__main__":
    main()

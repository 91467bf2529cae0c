"""Reading the data sets that small models learn from, and dividing them always alike."""

import gzip
import hashlib
import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

Record = dict[str, Any]


def lines_of(file: Path) -> Iterator[Record]:
    """The JSON object of each line; a file whose name ends in .gz is unpacked."""
    with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def by_set(file: Path, split: str, sets: Collection[str] = ()) -> dict[str, list[Record]]:
    """The records of a file of `qa`, of one split (empty: of all), by the name of their set: of `sets` in that order,
    of all where none is named."""
    found: dict[str, list[Record]] = {name: [] for name in sets}
    for record in lines_of(file):
        if split in ("", record.get("split", "")) and (not sets or record["set"] in found):
            found.setdefault(record["set"], []).append(record)
    return found


def answerable(file: Path, split: str, sets: Collection[str] = ()) -> dict[str, list[Record]]:
    """Those of `by_set` that their passage answers, in an order that is drawn by a hash of their ids."""
    found = by_set(file, split, sets)
    return {
        name: sorted((one for one in records if one["answerable"]), key=lambda one: hashed(one["id"]))
        for name, records in found.items()
    }


def asked_by_people(data: Path) -> list[str]:
    """The questions of the conversations over most collections."""
    files = (data / "conversations" / f"{name}.jsonl" for name in ("more", "plenty", "further"))
    return [one["question"] for file in files for one in lines_of(file)]


def hashed(text: str) -> int:
    """A number that is always a text's own, below 2 ** 256."""
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)


def part_of(name: str, parts: int, salt: str = "") -> int:
    """Which of so many parts it is in; with another salt they are other parts."""
    return hashed(f"{salt}{name}") % parts

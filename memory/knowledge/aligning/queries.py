"""Synthetic queries: what an aligner learns from (seed 004, section 3.4). They are saved as JSON lines."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from clew.memory.errors import ClewError

Kind = Literal["within", "across"]


@dataclass(frozen=True, slots=True)
class SyntheticQuery:
    """`nodes` are those that the text names, one `within` a partition, two joined by an edge `across` two;
    `partitions`, rising, are all that they are in: the positives."""

    text: str
    kind: Kind
    nodes: tuple[int, ...]
    partitions: tuple[int, ...]


def write_queries(path: Path, queries: Iterable[SyntheticQuery]) -> None:
    """In one step: a reader finds the old file or the new one."""
    path.parent.mkdir(exist_ok=True)
    made = path.with_name(f"{path.name}.new")
    with made.open("w", encoding="utf-8") as lines:
        for query in queries:
            row = {"text": query.text, "kind": query.kind, "nodes": query.nodes, "partitions": query.partitions}
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")
    made.replace(path)


def read_queries(path: Path) -> list[SyntheticQuery]:
    """Raises `ClewError` for a file that is broken."""
    try:
        rows = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
        return [SyntheticQuery(r["text"], r["kind"], tuple(r["nodes"]), tuple(r["partitions"])) for r in rows]
    except (ValueError, LookupError, TypeError) as error:
        raise ClewError(f"{path} is damaged", f"delete {path}, and train the aligners again") from error

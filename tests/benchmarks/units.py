"""The first unit: how often what is quoted first, in at most `WORDS` words, holds the answer.

    python -m tests.benchmarks.units SPANS.jsonl [--split dev] [--reader READER.json] --json

SPANS has lines as `qa/spans.jsonl.gz` of the data (packed or not): question, passage, title, answers with their starts.
Each question is asked of its own passage. Prints a line a set: `set`, `questions`, `holds_span`, `words` (the mean).
"""

import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from clew.agent.answer.evidence import Evidence, Request, evidence_of
from clew.agent.answer.selection import AnswerParameters, pick
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Document, Passage
from clew.memory.ports import Encoder

WORDS = 40


@click.command(help=__doc__)
@click.argument("spans", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--split", default="dev", show_default=True, help="Only lines of this split; empty: all.")
@click.option("--most", default=200, show_default=True, help="Questions of a set.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object a line.")
def main(spans: Path, split: str, most: int, as_json: bool) -> None:
    for row in rows(spans, split, most, encoder_for(read_settings())):
        click.echo(
            json.dumps(row)
            if as_json
            else f"{row['set']:20} {row['questions']:5} {row['holds_span']:.3f} {row['words']:5.1f}"
        )


def by_set(path: Path, split: str) -> dict[str, list[dict[str, Any]]]:
    """The records of a file of `data/qa`, packed or not, of one split (empty: of all), by the name of their set."""
    found: dict[str, list[dict[str, Any]]] = {}
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if split in ("", record.get("split", "")):
                found.setdefault(record["set"], []).append(record)
    return found


def rows(spans: Path, split: str, most: int, encoder: Encoder) -> Iterator[dict[str, Any]]:
    for name, records in by_set(spans, split).items():
        records = [record for record in records if record.get("answerable", True)]
        if not records:
            continue
        found = [first_unit(record, encoder) for record in records[:most]]
        yield {
            "set": name,
            "questions": len(found),
            "holds_span": round(float(np.mean([held for held, _ in found])), 4),
            "words": round(float(np.mean([words for _, words in found])), 1),
        }


def first_unit(record: dict[str, Any], encoder: Encoder) -> tuple[bool, int]:
    """Whether its first `WORDS` words hold an answer, and how many they are."""
    title, text = str(record.get("title") or ""), str(record["passage"])
    passage = Passage("d#0", "d", title, text, 0.6, "hybrid", start=0, end=len(text))
    evidence: Evidence = evidence_of([passage], encoder, [Document("d", title, text)])
    wanted = Request(record["question"], record["question"])
    found = pick(wanted, evidence, AnswerParameters(units=1))
    if not found:
        return False, 0
    quoted = _first_words(found[0].excerpt.texts)
    return any(" ".join(answer["text"].split()) in quoted for answer in record["answers"]), len(quoted.split())


def _first_words(texts: Sequence[str]) -> str:
    return " ".join(" ".join(texts).split()[:WORDS])


if __name__ == "__main__":
    main()

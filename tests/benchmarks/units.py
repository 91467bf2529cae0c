"""The first unit: how often what is quoted first, in at most `WORDS` words, holds the answer.

    python -m tests.benchmarks.units SPANS.jsonl [--split dev] [--json]

SPANS has lines as `qa/spans.jsonl.gz` of the data (packed or not): question, passage, title, answers with their starts.
Each question is asked of its own passage. Prints a line a set: `set`, `questions`, `holds_span`, `words` (the mean).
"""

import json
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

import click

from clew.agent.answer.evidence import Request
from clew.agent.answer.selection import AnswerParameters, pick
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.ports import Encoder
from tests.training.reader import evidence_of_passage
from tests.training.records import Record, by_set

WORDS = 40


@click.command(help=__doc__)
@click.argument("spans", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--split", default="dev", show_default=True, help="Only lines of this split; empty: all.")
@click.option("--most", default=200, show_default=True, help="Questions of a set.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object a line.")
def main(spans: Path, split: str, most: int, as_json: bool) -> None:
    for row in rows(spans, split, most, encoder_for(read_settings())):
        said = f"{row['set']:20} {row['questions']:5} {row['holds_span']:.3f} {row['words']:5.1f}"
        click.echo(json.dumps(row) if as_json else said)


def rows(spans: Path, split: str, most: int, encoder: Encoder) -> Iterator[dict[str, Any]]:
    for name, records in by_set(spans, split).items():
        found = [first_unit(one, encoder) for one in [one for one in records if one.get("answerable", True)][:most]]
        if found:
            held, words = (mean(column) for column in zip(*found, strict=True))
            yield {"set": name, "questions": len(found), "holds_span": round(held, 4), "words": round(words, 1)}


def first_unit(record: Record, encoder: Encoder) -> tuple[float, float]:
    """Whether its first `WORDS` words hold an answer, and how many they are."""
    evidence = evidence_of_passage(str(record["title"] or ""), record["passage"], encoder)
    found = pick(Request(record["question"], record["question"]), evidence, AnswerParameters(units=1))
    words = " ".join(found[0].excerpt.texts).split()[:WORDS] if found else []
    held = any(" ".join(answer["text"].split()) in " ".join(words) for answer in record["answers"])
    return float(bool(found) and held), float(len(words))


if __name__ == "__main__":
    main()

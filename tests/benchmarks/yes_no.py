"""Yes and no: how often they are said to a question of its own passage, and how often they are right then.

    python -m tests.benchmarks.yes_no YESNO.jsonl [--split dev] [--most 500] --json

YESNO has lines as `qa/yesno.jsonl.gz` of the data (packed or not): set, question, passage, title, answer. What is
quoted is chosen as in an answer. Prints a line a set: `set`, `questions`, `said`, `right`, and of those `yes`, `no`.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from clew.agent.answer.evidence import evidence_of
from clew.agent.answer.quotation import quote
from clew.agent.answer.wanted import Wanted
from clew.agent.answer.weighing import AnswerParameters
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Document, Passage
from clew.memory.ports import Encoder
from tests.benchmarks.units import by_set


@click.command(help=__doc__)
@click.argument("questions", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--split", default="dev", show_default=True, help="Only lines of this split; empty: all.")
@click.option("--most", default=500, show_default=True, help="Questions of a set.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object a line.")
def main(questions: Path, split: str, most: int, as_json: bool) -> None:
    for row in rows(questions, split, most, encoder_for(read_settings())):
        click.echo(json.dumps(row) if as_json else "  ".join(f"{name} {value}" for name, value in row.items()))


def rows(path: Path, split: str, most: int, encoder: Encoder) -> Iterator[dict[str, Any]]:
    for name, records in by_set(path, split).items():
        said = [(what, record["answer"]) for record in records[:most] if (what := said_to(record, encoder))]
        counts = Counter(what for what, _ in said)
        yield {
            "set": name,
            "questions": len(records[:most]),
            "said": len(said),
            "right": sum(what == answer for what, answer in said),
            "yes": counts["yes"],
            "no": counts["no"],
        }


def said_to(record: dict[str, Any], encoder: Encoder) -> str:
    title, text = str(record.get("title") or ""), str(record["passage"])
    question = record["question"].strip()
    question = f"{question[:1].upper()}{question[1:]}{'' if question.endswith('?') else '?'}"
    passage = Passage("d#0", "d", title, text, 0.6, "hybrid", start=0, end=len(text))
    evidence = evidence_of([passage], encoder, [Document("d", title, text)])
    return quote(Wanted(question, question), [passage], evidence, AnswerParameters(relevant=0.0)).says or ""


if __name__ == "__main__":
    main()

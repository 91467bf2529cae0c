"""The first unit: how often what is quoted first, in at most `WORDS` words, holds the answer.

    python -m tests.benchmarks.units SPANS.jsonl

SPANS has lines as `qa/spans.jsonl.gz` of the data (packed or not): question, passage, title, answers with their starts.
At most `MOST` questions of the dev part of each set are asked, each of its own passage. Prints a line a set: its name,
questions, the share that holds a span, mean words.
"""

from pathlib import Path
from statistics import mean

import click

from clew.agent.answer.evidence import Request
from clew.agent.answer.selection import AnswerParameters, pick
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.ports import Encoder
from tests.training.reader import evidence_of_passage
from tests.training.records import Record, by_set

WORDS, MOST = 40, 200


@click.command(help=__doc__)
@click.argument("spans", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def main(spans: Path) -> None:
    encoder = encoder_for(read_settings())
    for name, records in by_set(spans, "dev").items():
        asked = [one for one in records if one.get("answerable", True)][:MOST]
        if asked:
            held, words = (mean(column) for column in zip(*(first_unit(one, encoder) for one in asked), strict=True))
            click.echo(f"{name:20} {len(asked):5} {held:.3f} {words:5.1f}")


def first_unit(record: Record, encoder: Encoder) -> tuple[float, float]:
    """Whether its first `WORDS` words hold an answer, and how many they are."""
    evidence = evidence_of_passage(str(record["title"] or ""), record["passage"], encoder)
    found = pick(Request(record["question"], record["question"]), evidence, AnswerParameters(units=1))
    words = " ".join(found[0].excerpt.texts).split()[:WORDS] if found else []
    held = any(" ".join(answer["text"].split()) in " ".join(words) for answer in record["answers"])
    return float(bool(found) and held), float(len(words))


if __name__ == "__main__":
    main()

"""The conversations of doc2dial as a data set for search: a BEIR folder with its turns, as `clew index` and
`clew evaluate` read it.

    python -m tests.benchmarks.doc2dial CONVERSATIONS OUT

CONVERSATIONS is `qa/conversations.jsonl.gz` of the data. The corpus are the documents' paragraphs, packed to passages
of about a thousand characters. To a turn those are relevant that hold half of the span that its answer is grounded in,
or where none does, all that it touches.
"""

import gzip
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from clew.memory.text import Span, blocks

SET = "doc2dial_val"
LONGEST = 1000
"""Characters of a passage of several paragraphs."""


@click.command(help=__doc__)
@click.argument("conversations", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
def main(conversations: Path, out: Path) -> None:
    found, questions = write_dataset(conversations, out)
    click.echo(f"{found} passages, {questions} questions: {out}")


def write_dataset(conversations: Path, out: Path, every: int = 1) -> tuple[int, int]:
    """The folder with all passages and the questions of every n-th conversation; how many of each."""
    with gzip.open(conversations, "rt", encoding="utf-8") as lines:
        records = [record for record in map(json.loads, lines) if record["set"] == SET]
    corpus: dict[str, dict[str, str]] = {}
    queries, qrels = [], ["query-id\tcorpus-id\tscore"]
    for position, record in enumerate(records):
        spans = passages(record["passage"])
        title = re.sub(r"#\d+(?:_\d+)?$", "", record["title"])
        for place, (start, end) in enumerate(spans):
            id_ = _id(record, place)
            corpus[id_] = {"_id": id_, "title": title, "text": record["passage"][start:end]}
        for number, turn in enumerate(record["turns"] if position % every == 0 else (), 1):
            if turn["span"]:
                query = f"{record['id']}<::>{number}"
                queries.append({"_id": query, **_question(turn), "domain": record["domain"]})
                found = relevant(spans, (turn["span"]["start"], turn["span"]["end"]))
                qrels += (f"{query}\t{_id(record, place)}\t1" for place in found)
    out.mkdir(parents=True, exist_ok=True)
    _write(out / "corpus.jsonl", map(_json, corpus.values()))
    _write(out / "queries.jsonl", map(_json, queries))
    _write(out / "qrels.tsv", qrels)
    return len(corpus), len(queries)


def passages(text: str) -> list[Span]:
    """Paragraphs in their order, together while they have no more characters than `LONGEST`."""
    packed: list[Span] = []
    for start, end in blocks(text):
        if packed and end - packed[-1][0] <= LONGEST:
            start = packed.pop()[0]
        packed.append((start, end))
    return packed


def relevant(spans: Sequence[Span], grounding: Span) -> list[int]:
    """The places of those that hold half of it, or where none does, of all that it touches."""
    held = [min(end, grounding[1]) - max(start, grounding[0]) for start, end in spans]
    half = [place for place, length in enumerate(held) if 2 * length >= grounding[1] - grounding[0]]
    return half or [place for place, length in enumerate(held) if length > 0]


def _question(turn: Mapping[str, Any]) -> dict[str, Any]:
    said = [*turn["history"], ["user", turn["question"]]]
    return {"text": turn["question"], "turns": [{"speaker": who, "text": text} for who, text in said]}


def _id(record: Mapping[str, Any], place: int) -> str:
    return f"{record['passage_id']}-{place}"


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


if __name__ == "__main__":
    main()

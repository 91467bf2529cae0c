"""Questions that one passage answers, as a data set for search: a BEIR folder, as `clew index` and `evaluate` read it.

    python -m tests.benchmarks.spans SPANS OUT

SPANS is `qa/spans.jsonl.gz` of the data. The corpus are the passages of the sets below, at most `MOST` of each by a
hash; the questions are those that can be answered, at most `ASKED` of each set, each with its own passage.
"""

import gzip
import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

SETS = ("squad2_dev_half", "nq_oracle")
MOST, ASKED = 700, 250


@click.command(help=__doc__)
@click.argument("spans", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
def main(spans: Path, out: Path) -> None:
    passages, questions = write(spans, out)
    click.echo(f"{passages} passages, {questions} questions: {out}")


def write(spans: Path, out: Path) -> tuple[int, int]:
    """Returns the number of passages and of questions."""
    with gzip.open(spans, "rt", encoding="utf-8") as lines:
        records = [record for record in map(json.loads, lines) if record["set"] in SETS and record["split"] == "train"]
    corpus: dict[str, dict[str, str]] = {}
    queries, qrels = [], ["query-id\tcorpus-id\tscore"]
    for name in SETS:
        own = [record for record in records if record["set"] == name]
        passages = {_passage(record): record for record in own}
        kept = sorted(passages, key=_by_hash)[:MOST]
        corpus |= {id_: {"_id": id_, "title": passages[id_]["title"], "text": passages[id_]["passage"]} for id_ in kept}
        answered = {record["id"]: record for record in own if record["answerable"] and _passage(record) in corpus}
        for id_ in sorted(answered, key=_by_hash)[:ASKED]:
            queries.append({"_id": f"{name} {id_}", "text": answered[id_]["question"]})
            qrels.append(f"{name} {id_}\t{_passage(answered[id_])}\t1")
    out.mkdir(parents=True, exist_ok=True)
    _write(out / "corpus.jsonl", map(_json, corpus.values()))
    _write(out / "queries.jsonl", map(_json, queries))
    _write(out / "qrels.tsv", qrels)
    return len(corpus), len(queries)


def _passage(record: Mapping[str, Any]) -> str:
    return f"{record['set']} {record['passage_id']}"


def _by_hash(id_: str) -> str:
    return hashlib.sha256(id_.encode()).hexdigest()


def _json(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False)


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()

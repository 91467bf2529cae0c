"""Data sets for search that are made of `qa`: BEIR folders, as `clew index` and `clew evaluate` read them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from clew.memory.json_lines import as_line
from clew.memory.text import Span, blocks
from tests.training.records import Record, by_set, hashed

DOC2DIAL = "doc2dial_val"
LONGEST = 1000
"""Characters of a passage of several paragraphs."""

SPANS = ("squad2_dev_half", "nq_oracle")
MOST_PASSAGES, MOST_QUESTIONS = 700, 250
"""Of each set of `SPANS`."""


def write_spans(file: Path, out: Path) -> None:
    """Questions of `qa/spans.jsonl.gz` that one passage answers; passages and questions are drawn by a hash."""
    corpus: dict[str, dict[str, str]] = {}
    queries: list[dict[str, Any]] = []
    relevant: list[tuple[str, str]] = []
    for name, records in by_set(file, "train", SPANS).items():
        passages = {f"{name} {record['passage_id']}": record for record in records}
        for id_ in sorted(passages, key=hashed)[:MOST_PASSAGES]:
            corpus[id_] = {"title": passages[id_]["title"], "text": passages[id_]["passage"]}
        there = [one for one in records if one["answerable"] and f"{name} {one['passage_id']}" in corpus]
        asked = {record["id"]: record for record in there}
        for id_ in sorted(asked, key=hashed)[:MOST_QUESTIONS]:
            queries.append({"_id": f"{name} {id_}", "text": asked[id_]["question"]})
            relevant.append((f"{name} {id_}", f"{name} {asked[id_]['passage_id']}"))
    _write(out, corpus, queries, relevant)


def write_doc2dial(file: Path, out: Path, every: int) -> None:
    """All passages of doc2dial, and the questions of every n-th conversation of `qa/conversations.jsonl.gz`. To a turn
    those passages are relevant that hold half of the span that its answer is grounded in, or where none does, all that
    it touches."""
    corpus: dict[str, dict[str, str]] = {}
    queries: list[dict[str, Any]] = []
    relevant: list[tuple[str, str]] = []
    for position, record in enumerate(by_set(file, "", (DOC2DIAL,))[DOC2DIAL]):
        spans, title = passages_of(record["passage"]), re.sub(r"#\d+(?:_\d+)?$", "", record["title"])
        for place, (start, end) in enumerate(spans):
            corpus[f"{record['passage_id']}-{place}"] = {"title": title, "text": record["passage"][start:end]}
        for number, turn in enumerate(record["turns"] if position % every == 0 else (), 1):
            if turn["span"]:
                query = f"{record['id']}<::>{number}"
                queries.append({"_id": query, **_asked(turn), "domain": record["domain"]})
                held = grounding(spans, (turn["span"]["start"], turn["span"]["end"]))
                relevant += ((query, f"{record['passage_id']}-{place}") for place in held)
    _write(out, corpus, queries, relevant)


def passages_of(text: str) -> list[Span]:
    """Paragraphs in their order, together while they have no more characters than `LONGEST`."""
    packed: list[Span] = []
    for start, end in blocks(text):
        if packed and end - packed[-1][0] <= LONGEST:
            start = packed.pop()[0]
        packed.append((start, end))
    return packed


def grounding(spans: Sequence[Span], answer: Span) -> list[int]:
    """The places of those that hold half of it, or where none does, of all that it touches."""
    held = [min(end, answer[1]) - max(start, answer[0]) for start, end in spans]
    half = [place for place, length in enumerate(held) if 2 * length >= answer[1] - answer[0]]
    return half or [place for place, length in enumerate(held) if length > 0]


def _asked(turn: Record) -> Record:
    said = [*turn["history"], ["user", turn["question"]]]
    return {"text": turn["question"], "turns": [{"speaker": who, "text": text} for who, text in said]}


def _write(
    out: Path,
    corpus: Mapping[str, Mapping[str, str]],
    queries: Iterable[Mapping[str, Any]],
    relevant: Iterable[tuple[str, str]],
) -> None:
    out.mkdir(parents=True, exist_ok=True)
    documents = "".join(as_line({"_id": id_, **row}) for id_, row in corpus.items())
    (out / "corpus.jsonl").write_text(documents, "utf-8")
    (out / "queries.jsonl").write_text("".join(map(as_line, queries)), "utf-8")
    rows = ("query-id\tcorpus-id\tscore", *(f"{query}\t{id_}\t1" for query, id_ in relevant))
    (out / "qrels.tsv").write_text("".join(f"{row}\n" for row in rows), "utf-8")

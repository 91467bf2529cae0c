"""The bench of units counts what it says."""

import json
from pathlib import Path

from clew.memory.encoding import CachedEncoder
from tests.benchmarks.units import rows


def test_a_span_is_held_or_not(tmp_path: Path, encoder: CachedEncoder) -> None:
    text = "Fritz Lang was born in Vienna in 1890. He directed Metropolis in 1927."
    record = {
        "set": "s",
        "title": "Fritz Lang",
        "passage": text,
        "question": "Where was Fritz Lang born?",
        "split": "dev",
    }
    lines = [{**record, "answers": [{"text": answer, "start": 0}]} for answer in ("Vienna", "Metropolis")]
    spans = tmp_path / "spans.jsonl"
    spans.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    assert list(rows(spans, "dev", 5, encoder)) == [{"set": "s", "questions": 2, "holds_span": 0.5, "words": 8.0}]
    assert list(rows(spans, "train", 5, encoder)) == []

"""The bench of language models counts what it says."""

from pathlib import Path

from tests.benchmarks.models import HEADS, figures, played
from tests.ollama.server import OllamaDouble

QUESTIONS = {"How far away is the Moon?": "fact", "Who won the football World Cup in 1998?": "unanswerable"}


def test_a_row_counts_what_became_of_the_turns(tmp_path: Path, cache: Path, ollama: OllamaDouble) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "moon.md").write_text("# The Moon\n\nThe Moon is 384,400 km away from the Earth on average.\n")
    cases = [{"thread": kind, "kind": kind, "question": question} for question, kind in QUESTIONS.items()]
    turns = list(played(cases, documents, tmp_path, cache=cache, llm="none,answer=ollama:good:1b"))
    row = dict(zip(HEADS, figures(turns), strict=True))
    assert [row[name] for name in ("turns", "answered", "refused", "else", "failed")] == ["2", "1", "1", "0", "0"]
    assert [row[name] for name in ("written", "quoted", "unsupported", "calls")] == ["1", "0", "0 of 1", "1.0"]
    assert int(row["prompt tokens"]) > 0
    assert all(0 < one.first <= one.whole for one in turns)

"""The question cases of seed 001 on its own text, asked as `clew ask` asks them: answered with their evidence; the two
that the text does not answer are refused."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.agent.assistant import Assistant
from clew.agent.settings import read_settings
from clew.agent.state import Answer
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.index.run import index
from tests.agent.conftest import turn_of

pytestmark = pytest.mark.soak


@pytest.fixture
def cases(data: Path) -> dict[str, Any]:
    path = data.parent / "cases" / "semrag.json"
    if not path.is_file():
        pytest.skip(f"the cases are not at {path} (set CLEW_DATA to the folder beside `cases`)")
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


@pytest.fixture
def assistant(data: Path, encoder: CachedEncoder, cache: Path, tmp_path: Path) -> Iterator[Assistant]:
    if not (data / "ambedkar").is_dir():
        pytest.skip(f"the text is not at {data / 'ambedkar'}")
    list(index([data / "ambedkar"], tmp_path / "library", encoder))
    settings = read_settings(library=tmp_path / "library", home=tmp_path / "home", cache=cache)
    with Assistant.open(settings) as opened:
        yield opened


def asked(assistant: Assistant, question: str) -> Answer:
    return turn_of(assistant, assistant.threads.new_id(), question).answer


def flat(texts: list[str]) -> str:
    return " | ".join(" ".join(text.split()) for text in texts)


def test_the_cases_are_answered_with_their_evidence(assistant: Assistant, cases: dict[str, Any]) -> None:
    """Every piece of evidence is in a passage that the answer cites, and is quoted from there."""
    wanting = []
    questions = cases["qa_on_public_domain_text"]["cases"]
    for case in questions:
        answer = asked(assistant, case["question"])
        cited = flat([source.text for source in answer.sources])
        quoted = flat([claim.text for claim in answer.claims if claim.cites])
        pieces = [piece for piece in case["evidence_substrings"] if piece not in cited or piece not in quoted]
        wanting += [(case["question"], piece, "cited" if piece in cited else "not cited") for piece in pieces]
        assert not answer.refused and all(c.verdict == "supported" for c in answer.claims if c.cites), case["question"]
    assert len(questions) == 11
    assert wanting == []


def test_what_the_text_does_not_answer_is_refused(assistant: Assistant, cases: dict[str, Any]) -> None:
    questions = [case["question"] for case in cases["abstention_cases"]]
    assert len(questions) == 2
    assert [question for question in questions if not asked(assistant, question).refused] == []

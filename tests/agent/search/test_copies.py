"""Files that a folder has twice."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from clew.agent.assistant import Assistant
from clew.agent.evaluation.evaluate import answered
from clew.memory.datatypes import Passage
from clew.memory.encoding import CachedEncoder
from clew.tools.base import told_by
from tests.agent.conftest import over

NOTES = {
    "boat.txt": "The boat\n\nThe boat lies in Harrow Bay. Its mast is nine metres high. Olga paints it each spring.\n",
    "van.txt": "The van\n\nThe van needs new tyres in May. It was bought in Hull for 4,200 pounds.\n",
}


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory, cache: Path, encoder: CachedEncoder) -> Iterator[Assistant]:
    files = {f"{folder}/{name}": text for folder in ("notes", "copies") for name, text in NOTES.items()}
    with over(files, tmp_path_factory.mktemp("twice"), cache, encoder) as assistant:
        yield assistant


def test_each_passage_is_read_once(twice: Assistant) -> None:
    texts = [passage.text for passage in answered(twice.services, "How high is the mast?", []).passages]
    assert texts and len(set(texts)) == len(texts)


def test_which_of_two_copies_is_summarised_is_not_asked(twice: Assistant) -> None:
    answer = answered(twice.services, "Summarise the van.", []).answer
    assert answer.outcome == "summary" and "tyres" in answer.plain


def test_a_short_text_under_another_title_is_no_copy() -> None:
    lao, shan = (
        Passage(f"{name}#0", name, name, "a branch of the Tai languages", 1.0, "hybrid") for name in ("Lao", "Shan")
    )
    assert told_by(lao) != told_by(shan)
    long = "The van needs new tyres in May. " * 10
    assert told_by(replace(lao, text=long)) == told_by(replace(shan, text=long))

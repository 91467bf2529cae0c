"""The texts of synthetic queries."""

import re
from pathlib import Path

import pytest

from clew.memory.errors import ClewError
from clew.memory.knowledge.aligners.training import read_queries, templates, write_queries
from tests.memory.knowledge.aligners.tiny import TITLES, synthetic


@pytest.mark.parametrize(("kind", "needed"), [("within", {"title"}), ("across", {"title", "other"})])
def test_every_template_names_its_nodes(kind: str, needed: set[str]) -> None:
    found = templates(kind)
    assert len(found) >= 12
    for template in found:
        assert template.is_valid()
        assert (
            needed <= set(template.get_identifiers()) <= {*needed, "topic", "theme", "clue", "near", "stray", "aside"}
        )


def test_a_bridge_is_asked_for_as_the_seed_does() -> None:
    assert "How does $title relate to $other?" in [template.template for template in templates("across")]


def test_texts_name_their_nodes_and_vary() -> None:
    queries = synthetic(400).train
    assert all(TITLES[node] in query.text for query in queries for node in query.nodes)
    assert not any("$" in query.text or "  " in query.text for query in queries)
    shapes = {re.sub(r"\b[a-z]+[a-l]\b|mark\d+", "_", query.text) for query in queries}
    assert len(shapes) > 36


def test_what_is_written_is_read(tmp_path: Path) -> None:
    queries = synthetic(20).train
    path = tmp_path / "queries" / "train.jsonl"
    write_queries(path, queries)
    assert read_queries(path) == queries


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    path.write_text('{"text": "a"}\n')
    with pytest.raises(ClewError, match=r"train\.jsonl is damaged"):
        read_queries(path)

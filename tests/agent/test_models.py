"""What settings name: a reranker is none by default, and is not loaded before it is needed."""

from pathlib import Path

import pytest

from agent.models import reranker_for
from agent.settings import read_settings
from memory.errors import NoModel


def test_there_is_no_reranker_by_default() -> None:
    assert reranker_for(read_settings()) is None


def test_a_reranker_is_named_by_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_RERANKER", str(tmp_path))
    reranker = reranker_for(read_settings())
    assert reranker is not None and reranker.name == str(tmp_path)
    monkeypatch.setenv("CLEW_RERANKER", "no/such-model")
    with pytest.raises(NoModel, match="no/such-model"):
        reranker_for(read_settings())

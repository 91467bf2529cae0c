"""What settings give to the tools: a reranker is none by default, and is not loaded before it is needed."""

from pathlib import Path

import pytest

from clew.agent.settings import read_settings
from clew.agent.toolbox import tool_settings
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput, NoModel


def test_there_is_no_reranker_by_default(encoder: CachedEncoder) -> None:
    assert tool_settings(read_settings(), encoder).reranker is None


def test_a_reranker_is_named_by_a_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoder: CachedEncoder
) -> None:
    monkeypatch.setenv("CLEW_RERANKER", str(tmp_path))
    reranker = tool_settings(read_settings(), encoder).reranker
    assert reranker is not None and reranker.name == str(tmp_path)
    monkeypatch.setenv("CLEW_RERANKER", "no/such-model")
    with pytest.raises(NoModel, match="no/such-model"):
        tool_settings(read_settings(), encoder)


def test_late_interaction_is_by_the_tokens_of_the_encoder_and_off_by_default(encoder: CachedEncoder) -> None:
    assert tool_settings(read_settings(), encoder).late is None
    late = tool_settings(read_settings(late_interaction=True), encoder).late
    assert late is not None and late.encoder is encoder


def test_settings_name_what_clues_walks_over_and_its_aliases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoder: CachedEncoder
) -> None:
    default = tool_settings(read_settings(), encoder)
    assert (default.method, default.aliases) == ("units", None)
    (more := tmp_path / "more.json").write_text('{"orbits": {"answers": ["where"], "aliases": ["circles"]}}')
    monkeypatch.setenv("CLEW_CLUES", "triples")
    monkeypatch.setenv("CLEW_ALIASES", str(more))
    clues = tool_settings(read_settings(), encoder)
    assert clues.method == "triples" and clues.aliases is not None and "orbits" in clues.aliases.answers
    more.write_text("[]")
    with pytest.raises(BadInput, match=r"more\.json is not a table of relation aliases"):
        tool_settings(read_settings(), encoder)
    monkeypatch.setenv("CLEW_CLUES", "guess")
    with pytest.raises(BadInput, match="the setting 'clues' is wrong"):
        read_settings()

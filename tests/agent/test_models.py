"""What settings name: a reranker is none by default, and is not loaded before it is needed."""

from pathlib import Path

import pytest

from clew.agent.models import clues_for, late_for, named_alone, reranker_for, roles_named
from clew.agent.settings import read_settings
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput, NoModel


def test_there_is_no_reranker_by_default() -> None:
    assert reranker_for(read_settings()) is None


def test_a_reranker_is_named_by_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_RERANKER", str(tmp_path))
    reranker = reranker_for(read_settings())
    assert reranker is not None and reranker.name == str(tmp_path)
    monkeypatch.setenv("CLEW_RERANKER", "no/such-model")
    with pytest.raises(NoModel, match="no/such-model"):
        reranker_for(read_settings())


def test_late_interaction_is_by_the_tokens_of_the_encoder_and_off_by_default(encoder: CachedEncoder) -> None:
    assert late_for(read_settings(), encoder) is None
    late = late_for(read_settings(late_interaction=True), encoder)
    assert late is not None and late.tokens is encoder.kept_tokens


def test_settings_name_what_clues_walks_over_and_its_aliases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    default = clues_for(read_settings())
    assert (default.method, default.aliases) == ("units", None)
    (more := tmp_path / "more.json").write_text('{"orbits": {"answers": ["where"], "aliases": ["circles"]}}')
    monkeypatch.setenv("CLEW_CLUES", "triples")
    monkeypatch.setenv("CLEW_ALIASES", str(more))
    clues = clues_for(read_settings())
    assert clues.method == "triples" and clues.aliases is not None and "orbits" in clues.aliases.answers
    more.write_text("[]")
    with pytest.raises(BadInput, match=r"more\.json is not a table of relation aliases"):
        clues_for(read_settings())
    monkeypatch.setenv("CLEW_CLUES", "guess")
    with pytest.raises(BadInput, match="the setting 'clues' is wrong"):
        read_settings()


@pytest.mark.parametrize(
    "llm, roles, alone",
    [
        (None, (), "none"),
        ("auto", (), "none"),
        ("ollama:a:1b", ("summarise", "extract"), "none,summarise=ollama:a:1b,extract=ollama:a:1b"),
        ("auto,answer=ollama:b:8b", (), "none,answer=ollama:b:8b"),
        ("none", (), "none,rewrite=none,think=none,answer=none,summarise=none,extract=none"),
    ],
)
def test_what_has_to_be_the_same_everywhere_uses_a_named_model_alone(
    llm: str | None, roles: tuple[str, ...], alone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CLEW_LLM")
    settings = named_alone(read_settings(llm=llm), *roles)
    assert settings.llm == alone
    roles_named(settings.llm)

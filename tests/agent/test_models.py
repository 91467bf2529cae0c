"""Which language models the settings name."""

import pytest

from clew.agent.models import named_alone, roles_named
from clew.agent.settings import read_settings


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

"""What settings give to the tools."""

import pytest

from clew.agent.services import tool_settings
from clew.agent.settings import read_settings
from clew.memory.encoding import CachedEncoder
from clew.tools.clues import CluesParameters


def test_settings_name_what_clues_walks_over(monkeypatch: pytest.MonkeyPatch, encoder: CachedEncoder) -> None:
    assert tool_settings(read_settings(), encoder).of(CluesParameters).method == "units"
    monkeypatch.setenv("CLEW_TOOLS__CLUES__METHOD", "triples")
    assert tool_settings(read_settings(), encoder).of(CluesParameters).method == "triples"

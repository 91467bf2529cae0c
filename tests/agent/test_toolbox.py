"""What settings give to the tools."""

from pathlib import Path

import pytest

from clew.agent.services import tool_settings
from clew.agent.settings import read_settings
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput
from clew.tools.clues import CluesParameters


def test_settings_name_what_clues_walks_over_and_its_aliases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoder: CachedEncoder
) -> None:
    default = tool_settings(read_settings(), encoder)
    assert (default.of(CluesParameters).method, default.aliases) == ("units", None)
    (more := tmp_path / "more.json").write_text('{"orbits": {"answers": ["where"], "aliases": ["circles"]}}')
    monkeypatch.setenv("CLEW_TOOLS__CLUES__METHOD", "triples")
    monkeypatch.setenv("CLEW_ALIASES", str(more))
    clues = tool_settings(read_settings(), encoder)
    assert clues.of(CluesParameters).method == "triples" and clues.aliases and "orbits" in clues.aliases.answers
    more.write_text("[]")
    with pytest.raises(BadInput, match=r"more\.json is not a table of relation aliases"):
        tool_settings(read_settings(), encoder)

"""What settings give to the tools (a reranker is none by default, and is not loaded before it is needed), and a tool
that is added."""

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from clew.agent.services import tool_settings, tools_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Findings, Query
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput, NoModel
from clew.memory.knowledge.library import Library
from clew.memory.ports import Search
from clew.tools import registry
from clew.tools.base import Make, ToolSettings, encode_query, passages_of
from clew.tools.clues import CluesParameters


def test_a_reranker_is_named_by_a_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoder: CachedEncoder
) -> None:
    monkeypatch.setenv("CLEW_RERANKER", str(tmp_path))
    reranker = tool_settings(read_settings(), encoder).reranker
    assert reranker is not None and reranker.name == str(tmp_path)
    monkeypatch.setenv("CLEW_RERANKER", "no/such-model")
    with pytest.raises(NoModel, match="no/such-model"):
        tool_settings(read_settings(), encoder)


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


class Titled:
    """A tool of a few lines: the passages of the documents whose title has the most words of the question."""

    name = "titled"
    description = "Finds documents by the words of their titles."

    def __init__(self, store: Search) -> None:
        self._store = store

    @classmethod
    def make(cls, store: Search, settings: ToolSettings) -> "Titled":
        return cls(store)

    def search(self, query: Query, k: int) -> Findings:
        query.check()
        (hits,) = self._store.keyword_search([query.text], k, scope=query.scope)
        best = sorted(hits, key=lambda hit: -hit.title_coverage)
        passages = passages_of(self._store.chunks([hit.chunk for hit in best]), self.name)
        return Findings(tuple(replace(p, score=hit.title_coverage) for p, hit in zip(passages, best, strict=True)))


def test_a_tool_is_added_by_a_line_in_the_registry(
    examples: Library, encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(cast(dict[str, Make], registry.TOOLS), Titled.name, Titled.make)
    registry.check("titled+hybrid")
    settings = read_settings(library=examples.path, tool="titled", llm="none")
    findings = tools_for(settings, examples, encoder)["titled"].search(
        encode_query("Who directed Metropolis?", [], encoder), 3
    )
    assert findings.passages[0].document == "films/metropolis.md" and len(findings.passages) == 3

"""The ports stay narrow: who implements one writes at most a dozen methods."""

from typing import Any

import pytest

from clew.memory import ports
from clew.tools.base import Tool

CONTRACTS = [ports.Encoder, ports.Writer, ports.Reranker, ports.Vocabulary, ports.Search, ports.Graph, Tool]


@pytest.mark.parametrize("contract", CONTRACTS)
def test_a_contract_has_at_most_twelve_methods(contract: type[Any]) -> None:
    methods = [name for name, member in vars(contract).items() if callable(member) and not name.startswith("_")]
    assert 0 < len(methods) <= 12


def test_a_search_is_by_id() -> None:
    """Numbers of rows are a graph's."""
    graph = {name for name in vars(ports.Graph) if not name.startswith("_")}
    assert {name for name in vars(ports.Search) if not name.startswith("_")} & graph == {"vectors"}

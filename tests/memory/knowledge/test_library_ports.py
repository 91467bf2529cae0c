"""The ports of a library stay narrow."""

from clew.memory.knowledge.library_ports import Graph, Search


def test_a_search_is_by_id() -> None:
    """Numbers of rows are a graph's."""
    graph = {name for name in vars(Graph) if not name.startswith("_")}
    assert {name for name in vars(Search) if not name.startswith("_")} & graph == {"vectors"}

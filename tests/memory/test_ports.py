"""The ports stay narrow."""

from clew.memory import ports


def test_a_search_is_by_id() -> None:
    """Numbers of rows are a graph's."""
    graph = {name for name in vars(ports.Graph) if not name.startswith("_")}
    assert {name for name in vars(ports.Search) if not name.startswith("_")} & graph == {"vectors"}

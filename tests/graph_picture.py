"""The picture of a turn in docs/architecture.md, drawn by LangGraph from the graph that runs.

python -m tests.graph_picture    draws it anew
"""

import re
from pathlib import Path

from clew.agent.graph import turn_graph

FILE = Path(__file__).resolve().parent.parent / "docs" / "architecture.md"

_BLOCK = re.compile(r"(?<=<!-- graph -->\n).*(?=<!-- end of graph -->)", re.DOTALL)


def picture() -> str:
    """The graph as a block of Mermaid, a subgraph as one node. Dotted edges are chosen while the turn runs."""
    drawn = turn_graph(None).get_graph().draw_mermaid(with_styles=False)
    return f"\n```mermaid\n{drawn.expandtabs(4).strip()}\n```\n\n"


def renewed(text: str) -> str:
    """The page with its picture drawn anew."""
    return _BLOCK.sub(lambda _: picture(), text)


if __name__ == "__main__":
    FILE.write_text(renewed(FILE.read_text("utf-8")), "utf-8")

"""The requests that each node of a turn makes to a cluster, counted where they go out."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from unittest.mock import patch

from clew.agent import graph
from clew.agent.nodes import Node
from clew.agent.services import TurnContext
from clew.agent.state import Turn

ROUND = ("think", "act", "stitch", "walk")
"""`think` too: at first it looks what `hybrid` finds, which `act` then has."""


@dataclass(slots=True)
class RoundTrips:
    """`sent` are all requests, as method and target, `bytes` and `seconds` what their answers took, `of_nodes` those of
    each node that ran, in their order."""

    sent: list[str] = field(default_factory=list)
    bytes: int = 0
    seconds: float = 0.0
    of_nodes: list[tuple[str, list[str]]] = field(default_factory=list)

    def rounds(self) -> list[list[str]]:
        """Those of `ROUND`, of each round since this was last asked."""
        made: list[list[str]] = []
        for name, sent in self.of_nodes:
            if name == "think":
                made.append([])
            if name in ROUND:
                made[-1] += sent
        self.of_nodes.clear()
        return made


@contextmanager
def round_trips() -> Iterator[RoundTrips]:
    """Of the turns whose graph is made meanwhile."""
    from elastic_transport import Transport

    counted, send, timed = RoundTrips(), Transport.perform_request, graph.timed

    def sending(self: Transport, method: str, target: str, **options: object) -> object:
        counted.sent.append(f"{method} {target}")
        started = time.perf_counter()
        answer = send(self, method, target, **options)  # type: ignore[arg-type]
        counted.seconds += time.perf_counter() - started
        counted.bytes += int(answer.meta.headers.get("content-length") or 0)
        return answer

    def counting(node: Node) -> graph.GraphNode:
        def run(turn: Turn, context: TurnContext) -> Turn:
            before = len(counted.sent)
            try:
                return node(turn, context)
            finally:
                counted.of_nodes.append((node.__name__, counted.sent[before:]))

        return timed(run)

    graph.evidence_graph.cache_clear()  # a graph is made once a process
    try:
        with patch.object(Transport, "perform_request", sending), patch.object(graph, "timed", counting):
            yield counted
    finally:
        graph.evidence_graph.cache_clear()

"""The state machine of a turn."""

from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from agent import nodes
from agent.services import Services
from agent.state import TurnState

Graph = CompiledStateGraph[TurnState, Services, TurnState, TurnState]


def turn_graph(checkpointer: BaseCheckpointSaver[Any]) -> Graph:
    """recall -> rewrite -> think -> act -> observe -> answer -> verify -> remember, and from observe back to think."""
    graph = _searching()
    graph.add_node("answer", nodes.timed(nodes.answer))
    graph.add_node("verify", nodes.timed(nodes.verify))
    graph.add_node("remember", nodes.timed(nodes.remember))
    graph.add_conditional_edges("observe", nodes.after_observe)
    graph.add_edge("answer", "verify")
    graph.add_edge("verify", "remember")
    graph.add_edge("remember", END)
    return graph.compile(checkpointer=checkpointer)


def evidence_graph() -> Graph:
    """The same up to its evidence: what `clew evaluate --tool agent` ranks."""
    graph = _searching()
    graph.add_conditional_edges("observe", nodes.after_observe, {"think": "think", "answer": END})
    return graph.compile()


def _searching() -> StateGraph[TurnState, Services, TurnState, TurnState]:
    graph = StateGraph(TurnState, context_schema=Services)
    graph.add_node("recall", nodes.timed(nodes.recall))
    graph.add_node("rewrite", nodes.timed(nodes.rewrite))
    graph.add_node("think", nodes.timed(nodes.think))
    graph.add_node("act", nodes.timed(nodes.act))
    graph.add_node("observe", nodes.timed(nodes.observe))
    graph.add_edge(START, "recall")
    graph.add_edge("recall", "rewrite")
    graph.add_edge("rewrite", "think")
    graph.add_edge("think", "act")
    graph.add_edge("act", "observe")
    return graph

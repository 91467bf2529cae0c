"""The state machine of a turn."""

from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from clew.agent import gathering, nodes
from clew.agent.services import Services
from clew.agent.state import TurnState
from clew.agent.timing import timed

Graph = CompiledStateGraph[TurnState, Services, TurnState, TurnState]


def turn_graph(checkpointer: BaseCheckpointSaver[Any]) -> Graph:
    """recall -> rewrite -> think -> act -> stitch -> walk -> observe -> answer -> verify -> remember, from observe back
    to think, from act to observe where there is nothing to walk for, and from think to answer where nothing more is to
    be looked for. What is answered anew begins with answer.
    """
    graph = _gathering()
    graph.add_conditional_edges(START, nodes.begin)
    graph.add_node("answer", timed(nodes.answer))
    graph.add_node("verify", timed(nodes.verify))
    graph.add_node("remember", timed(nodes.remember))
    graph.add_conditional_edges("think", gathering.after_think)
    graph.add_conditional_edges("observe", gathering.after_observe)
    graph.add_edge("answer", "verify")
    graph.add_edge("verify", "remember")
    graph.add_edge("remember", END)
    return graph.compile(checkpointer=checkpointer)


def evidence_graph() -> Graph:
    """The same up to its evidence: what `clew evaluate --tool agent` ranks."""
    graph = _gathering()
    graph.add_edge(START, "recall")
    graph.add_conditional_edges("think", gathering.after_think, {"act": "act", "answer": END})
    graph.add_conditional_edges("observe", gathering.after_observe, {"think": "think", "answer": END})
    return graph.compile()


def _gathering() -> StateGraph[TurnState, Services, TurnState, TurnState]:
    graph = StateGraph(TurnState, context_schema=Services)
    graph.add_node("recall", timed(nodes.recall))
    graph.add_node("rewrite", timed(nodes.rewrite))
    graph.add_node("think", timed(gathering.think))
    graph.add_node("act", timed(gathering.act))
    graph.add_node("stitch", timed(gathering.stitch))
    graph.add_node("walk", timed(gathering.walk))
    graph.add_node("observe", timed(gathering.observe))
    graph.add_edge("recall", "rewrite")
    graph.add_edge("rewrite", "think")
    graph.add_conditional_edges("act", gathering.after_act)
    graph.add_edge("stitch", "walk")
    graph.add_edge("walk", "observe")
    return graph

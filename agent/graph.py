"""The graph of a turn, and its checkpoints, from which a turn that a crash cut off is continued."""

import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from clew.agent import nodes
from clew.agent.nodes import Node
from clew.agent.services import TurnContext
from clew.agent.state import TurnState
from clew.agent.talk import multi_question, talk_nodes
from clew.agent.talk.multi_question import QuestionsState
from clew.memory.errors import Cancelled

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.sqlite import SqliteSaver

TurnGraph = CompiledStateGraph[TurnState, TurnContext, TurnState, TurnState]
_State = TypeVar("_State", bound=TurnState)

EVIDENCE: dict[str, Node] = {
    "recall": nodes.recall,
    "rewrite": nodes.rewrite,
    "corpus": nodes.corpus,
    "think": nodes.think,
    "act": nodes.act,
    "stitch": nodes.stitch,
    "walk": nodes.walk,
    "observe": nodes.observe,
}
ANSWER: dict[str, Node] = {"answer": nodes.answer}
AROUND: dict[str, Node] = {"talk": talk_nodes.talk, "verify": nodes.verify, "remember": nodes.remember}


def turn_graph(checkpointer: BaseCheckpointSaver[Any] | None) -> TurnGraph:
    """The graph of a turn. Talk is answered at once; a question goes from `recall` to `answer`; several questions go
    through the subgraph."""
    graph = _with_nodes(TurnState, EVIDENCE | ANSWER | AROUND)
    graph.add_node("multi_question", multi_question_graph())
    graph.add_conditional_edges(START, talk_nodes.begin)
    graph.add_conditional_edges("talk", talk_nodes.after_talk)
    graph.add_edge("multi_question", "verify")
    graph.add_edge("answer", "verify")
    graph.add_edge("verify", "remember")
    graph.add_edge("remember", END)
    return graph.compile(checkpointer=checkpointer)


def multi_question_graph() -> CompiledStateGraph[QuestionsState, TurnContext, QuestionsState, QuestionsState]:
    """The subgraph: each question goes through the same nodes, one after the other; then their answers are joined."""
    graph = _with_nodes(QuestionsState, EVIDENCE | ANSWER)
    graph.add_node("split", multi_question.split)
    graph.add_node("next_question", multi_question.next_question)
    graph.add_node("join", multi_question.join)
    graph.add_edge(START, "split")
    graph.add_edge("split", "next_question")
    graph.add_conditional_edges("next_question", multi_question.after_next_question)
    graph.add_conditional_edges("answer", multi_question.after_part)
    graph.add_edge("join", END)
    return graph.compile()


@cache
def evidence_graph() -> TurnGraph:
    """The graph of a question up to its evidence, which `clew evaluate --tool agent` ranks. Compiled once: that takes
    10 ms."""
    graph = _with_nodes(TurnState, EVIDENCE, answered=END)
    graph.add_edge(START, "recall")
    return graph.compile()


def _with_nodes(
    state: type[_State], named: Mapping[str, Node], answered: str = "answer"
) -> StateGraph[_State, TurnContext, _State, _State]:
    """A graph with these nodes, and edges from `recall` to the node `answered`."""
    graph = StateGraph(state, context_schema=TurnContext)
    for name, node in named.items():
        graph.add_node(name, timed(node))
    graph.add_edge("recall", "rewrite")
    graph.add_edge("rewrite", "corpus")
    graph.add_conditional_edges("corpus", nodes.after_corpus, {"think": "think", "answer": answered})
    graph.add_conditional_edges("think", nodes.after_think, {"act": "act", "answer": answered})
    graph.add_conditional_edges("act", nodes.after_act)
    graph.add_edge("stitch", "walk")
    graph.add_edge("walk", "observe")
    graph.add_conditional_edges("observe", nodes.after_observe, {"think": "think", "answer": answered})
    return graph


GraphNode = Callable[..., TurnState]
"""A node as LangGraph calls it, with `state` and `runtime`."""


def timed(node: Node) -> GraphNode:
    """The node as LangGraph calls it, with its time in its step.

    A turn that was cancelled ends before its next node, unless it is answered already: then it is remembered with what
    was written.
    """

    def run(state: TurnState, *, runtime: Runtime[TurnContext]) -> TurnState:
        before, context = state["turn"], replace(runtime.context, emit=runtime.stream_writer)
        if context.cancel.is_set() and not before.is_answered:
            raise Cancelled("the turn was cancelled")
        started = time.perf_counter()
        after = node(before, context)
        ms, known = round((time.perf_counter() - started) * 1000, 1), len(before.steps)
        steps = (*after.steps[:known], *(replace(step, ms=ms) for step in after.steps[known:]))
        return {"turn": replace(after, steps=steps)}

    return run


# Checkpoints -----------------------------------------------------------------------------------------------------


def config_for(thread: str) -> "RunnableConfig":
    """Return LangGraph's configuration for this thread of a conversation."""
    return {"configurable": {"thread_id": thread}}


def checkpoint_saver(connection: sqlite3.Connection) -> "SqliteSaver":
    """Stores checkpoints, and creates its tables if necessary. Only our own types are ever created from a
    checkpoint."""
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
    from langgraph.checkpoint.sqlite import SqliteSaver

    from clew.agent import state
    from clew.memory import datatypes

    ours: list[Any] = [
        (module.__name__, name)
        for module in (state, datatypes)
        for name, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__
    ]

    made = SqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=ours))
    made.setup()
    with connection:  # turns of older versions, that nobody could go on with or delete
        for table in ("checkpoints", "writes"):
            connection.execute(f"DELETE FROM {table} WHERE instr(thread_id, char(31))")
    return made


def forget_checkpoints(database: Path, thread: str) -> None:
    """Deletes the checkpoints of a thread, if there are any."""
    from langgraph.checkpoint.sqlite import SqliteSaver

    with closing(sqlite3.connect(database, timeout=60)) as connection:
        SqliteSaver(connection).delete_thread(thread)

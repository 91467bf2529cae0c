"""The state machine of a turn; its checkpoints, kept beside the threads, are what a crash leaves to go on from."""

import sqlite3
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from clew.agent import nodes
from clew.agent.nodes import Node
from clew.agent.services import TurnContext
from clew.agent.state import Fallback, TurnState
from clew.agent.talk import inside, turn_parts
from clew.memory.errors import Cancelled, DeadlineExceeded, ServiceUnreachable

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.sqlite import SqliteSaver

TurnGraph = CompiledStateGraph[TurnState, TurnContext, TurnState, TurnState]
TurnGraphBuilder = StateGraph[TurnState, TurnContext, TurnState, TurnState]

TO_EVIDENCE: dict[str, Node] = {
    "recall": nodes.recall,
    "rewrite": nodes.rewrite,
    "think": nodes.think,
    "act": nodes.act,
    "stitch": nodes.stitch,
    "walk": nodes.walk,
    "observe": nodes.observe,
}
TO_ANSWER: dict[str, Node] = {
    "talk": turn_parts.talk,
    "answer": nodes.answer,
    "unfold": turn_parts.unfold,
    "next_question": turn_parts.next_question,
    "verify": nodes.verify,
    "remember": nodes.remember,
}

DISPENSABLE = ("stitch", "walk", "observe")
"""Nodes without which a turn has evidence: left out where the library's cluster does not answer any more."""


def turn_graph(checkpointer: BaseCheckpointSaver[Any] | None) -> TurnGraph:
    """recall -> rewrite -> think -> act -> stitch -> walk -> observe -> answer -> verify -> remember, from observe back
    to think, from act to observe where there is nothing to walk for, and from think to answer where nothing more is to
    be looked for. What is answered anew begins with answer. Talk is answered before anything is recalled; of several
    questions each goes from rewrite to answer, and so does what a question has inside.
    """
    graph = _builder(TO_EVIDENCE | TO_ANSWER)
    graph.add_conditional_edges(START, turn_parts.begin)
    graph.add_conditional_edges("think", nodes.after_think)
    graph.add_conditional_edges("observe", nodes.after_observe)
    graph.add_conditional_edges("talk", turn_parts.after_talk)
    graph.add_conditional_edges("answer", turn_parts.after_answer)
    graph.add_conditional_edges("unfold", turn_parts.after_unfold)
    graph.add_conditional_edges("next_question", turn_parts.after_next)
    graph.add_edge("verify", "remember")
    graph.add_edge("remember", END)
    return graph.compile(checkpointer=checkpointer)


@cache
def evidence_graph() -> TurnGraph:
    """The same up to its evidence: what `clew evaluate --tool agent` ranks. Compiled once: that takes 10 ms."""
    graph = _builder(TO_EVIDENCE)
    graph.add_edge(START, "recall")
    graph.add_conditional_edges("think", nodes.after_think, {"act": "act", "answer": END})
    graph.add_conditional_edges("observe", nodes.after_observe, {"think": "think", "answer": END})
    return graph.compile()


def _builder(named: Mapping[str, Node]) -> TurnGraphBuilder:
    """With these nodes, and the edges to the evidence that both graphs have."""
    graph = StateGraph(TurnState, context_schema=TurnContext)
    for name, node in named.items():
        graph.add_node(name, timed(name, node))
    graph.add_edge("recall", "rewrite")
    graph.add_edge("rewrite", "think")
    graph.add_conditional_edges("act", nodes.after_act)
    graph.add_edge("stitch", "walk")
    graph.add_edge("walk", "observe")
    return graph


class GraphNode(Protocol):
    """A node as LangGraph calls it."""

    def __call__(self, state: TurnState, *, runtime: Runtime[TurnContext]) -> TurnState: ...


def timed(name: str, node: Node) -> GraphNode:
    """The node as LangGraph calls it, with its time in its step.

    A turn that was cancelled ends before its next node, unless it is answered already: then it is remembered with what
    was written. A `DISPENSABLE` node that the library's cluster does not serve is left out, and the turn says so. Of
    what a question has inside nothing more is asked in either case: the question is answered, as it was at once.
    """

    def run(state: TurnState, *, runtime: Runtime[TurnContext]) -> TurnState:
        before, context = state["turn"], replace(runtime.context, emit=runtime.stream_writer)
        asks_first = before.search.inside
        if context.cancel.is_set() and not before.is_answered:
            if not asks_first:
                raise Cancelled("the turn was cancelled")
            before = inside.given_up(before)
        if before.search.inside and before.search.inside.given_up and name != "unfold":
            return {"turn": before}
        started = time.perf_counter()
        try:
            after = node(before, context)
        except (ServiceUnreachable, DeadlineExceeded) as error:
            failed = Fallback("search", error.message)
            if asks_first:
                after = inside.given_up(before, [failed])
            elif name in DISPENSABLE and before.passages:
                after = replace(before, degraded=(*before.degraded, failed))
            else:
                raise
            after = after.stepped(name, f"left out: {error.message}")
        ms = round((time.perf_counter() - started) * 1000, 1)
        known = len(before.steps)
        steps = (*after.steps[:known], *(replace(step, ms=ms) for step in after.steps[known:]))
        return {"turn": replace(after, steps=steps)}

    return run


# Checkpoints -----------------------------------------------------------------------------------------------------

SEPARATOR = "\x1f"
"""Between a thread's id and the turn's number, where neither can have it."""


def checkpoint_key(thread: str, turn: int) -> str:
    """A turn's own id among the checkpoints, so that no turn begins with the state of another."""
    return f"{thread}{SEPARATOR}{turn}"


def config_for(thread: str, turn: int) -> "RunnableConfig":
    return {"configurable": {"thread_id": checkpoint_key(thread, turn)}}


def checkpoint_saver(connection: sqlite3.Connection) -> "SqliteSaver":
    """Makes its tables where they are missing. Only our own types are ever made from what a checkpoint holds."""
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

    class OneAfterAnother(SqliteSaver):
        def put_writes(self, *_: Any, **__: Any) -> None:
            """Nothing: no two nodes run at once, so the checkpoint behind a node has all that it wrote."""

    made = OneAfterAnother(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=ours))
    made.setup()
    return made


def forget_checkpoints(database: Path, thread: str) -> None:
    """Delete all checkpoints of a thread; there may be none, nor a table for them."""
    with closing(sqlite3.connect(database, timeout=60)) as connection, connection:
        prefix = thread + SEPARATOR
        tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('checkpoints', 'writes')"
        for (table,) in connection.execute(tables).fetchall():
            connection.execute(f"DELETE FROM {table} WHERE substr(thread_id, 1, length(?)) = ?", (prefix, prefix))

"""A node of the state machine, as LangGraph calls it: timed, and not begun where the turn was cancelled."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from langgraph.runtime import Runtime

from clew.agent.services import Services
from clew.agent.state import TurnState
from clew.memory.errors import Cancelled

Node = Callable[[TurnState, Runtime[Services]], TurnState]


class TimedNode(Protocol):
    """A node as LangGraph calls it."""

    def __call__(self, state: TurnState, *, runtime: Runtime[Services]) -> TurnState: ...


def timed(node: Node) -> TimedNode:
    """The node with its time in its step; a turn that was cancelled ends before the next node, unless it has
    its answer already, or what was said of it by then."""

    def run(state: TurnState, *, runtime: Runtime[Services]) -> TurnState:
        if runtime.context.cancel.is_set() and "answer" not in state:
            raise Cancelled("the turn was cancelled")
        started = time.perf_counter()
        update = node(state, runtime)
        ms = (time.perf_counter() - started) * 1000
        return {**update, "steps": tuple(replace(step, ms=round(ms, 1)) for step in update["steps"])}

    return run

"""Checkpoints of turns that are not over, in the database of the threads: what a crash leaves to go on from."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.sqlite import SqliteSaver

SEPARATOR = "\x1f"
"""Between a thread's id and the turn's number, where neither can have it."""


def key(thread: str, turn: int) -> str:
    """A turn's own id among the checkpoints, so that no turn begins with the state of another."""
    return f"{thread}{SEPARATOR}{turn}"


def config_for(thread: str, turn: int) -> "RunnableConfig":
    return {"configurable": {"thread_id": key(thread, turn)}}


def saver(connection: sqlite3.Connection) -> "SqliteSaver":
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
    made = SqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=ours))
    made.setup()
    return made


def forget(database: Path, thread: str) -> None:
    """Delete all checkpoints of a thread; there may be none, nor a table for them."""
    with closing(sqlite3.connect(database, timeout=60)) as connection, connection:
        prefix = thread + SEPARATOR
        tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('checkpoints', 'writes')"
        for (table,) in connection.execute(tables).fetchall():
            connection.execute(f"DELETE FROM {table} WHERE substr(thread_id, 1, length(?)) = ?", (prefix, prefix))

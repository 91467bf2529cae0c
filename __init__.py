"""Clew: a chatbot for your own documents that keeps the thread. `docs/python.md` shows how to use it from Python."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew.agent.assistant import Assistant

__all__ = ["Assistant"]


def __getattr__(name: str) -> Any:
    """`Assistant` is imported when it is asked for: it needs a second, and `clew --help` does without."""
    if name == "Assistant":
        from clew.agent.assistant import Assistant

        return Assistant
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

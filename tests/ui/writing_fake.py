"""Turns as a language model would write them, for the fakes of both interfaces: pieces, and what became of them.

`writes` in a question streams, `restarts` begins anew, `changed` loses a sentence in checking, `unfinished` is
written until it is stopped (and whole when it is resumed), `degraded` was done without the model in part.
"""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace

from clew.agent.state import Answer, Claim, Doing, Fallback, Piece, Prompted, PromptPart, Turn

MODEL = "llama3.1:8b"
WORDS = ("The Moon is ", "384,4", "00 km away", " [1]. Monkeys", " are small", " [2].")
LEDGER = (
    Prompted(
        "answer",
        MODEL,
        8192,
        1500,
        1204,
        58,
        (PromptPart("passage 1", 300), PromptPart("passage 7", 400, "left out"), PromptPart("path", 90, "summarised")),
    ),
)
DEGRADED = (Fallback("rewrite", "it is empty"), Fallback("answer", f"{MODEL} failed: <b>out of memory</b>"))


def is_written(question: str) -> bool:
    return any(word in question for word in ("writes", "restarts", "changed", "unfinished"))


def pieces(question: str, cancel: threading.Event, resumed: bool, pause: float = 0.01) -> Iterator[Piece | Doing]:
    yield Doing(f"loading {MODEL}")
    time.sleep(20 * pause)
    if "restarts" in question:
        yield Piece("Something else altogether ")
        yield Piece("", restart=True)
    for word in WORDS[:2] if "unfinished" in question and not resumed else WORDS:
        yield Piece(word)
        time.sleep(pause)
    if "unfinished" in question and not resumed:
        assert cancel.wait(20), "nobody stopped it"
    if "changed" in question:
        yield Piece(" Nero paid for it [9].")


def written(turn: Turn, question: str, resumed: bool) -> Turn:
    """The turn with what becomes of the pieces."""
    if is_written(question):
        turn = replace(turn, model=MODEL, ledger=LEDGER)
    if "unfinished" in question and not resumed:
        return replace(turn, answer=Answer("stopped", (Claim("The Moon is 384,4"),), turn.answer.sources))
    return replace(turn, degraded=DEGRADED) if "degraded" in question else turn

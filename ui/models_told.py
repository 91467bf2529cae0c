"""What the language models of a turn did, in words: the badge of what was done without them, and the ledger."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from clew.ui.plain import one_line

if TYPE_CHECKING:
    from clew.agent.models import Writers
    from clew.agent.state import Prompted, Turn

PARTS = {"rewrite": "rewriting", "think": "choosing tools", "answer": "answering"}
STOPPED = "stopped; /resume answers it to the end"


def model_of(writers: "Writers") -> str:
    """The name of the model that answers, else of one that does anything; empty where there is none."""
    named = (writers.answer, writers.think, writers.rewrite)
    return next((writer.name for writer in named if writer), "")


def degraded(turn: "Turn") -> list[tuple[str, str]]:
    """The parts that a model should have done and did not, each once, with why."""
    return list(dict.fromkeys((PARTS.get(one.part, one.part), one_line(one.why)) for one in turn.degraded))


def badge(turn: "Turn") -> str:
    """`without the model: rewriting (it is empty)`; empty where all went as it should."""
    parts = [f"{part} ({why})" if why else part for part, why in degraded(turn)]
    return f"without the model: {'; '.join(parts)}" if parts else ""


def ledger_lines(ledger: "Sequence[Prompted]") -> list[str]:
    """What each prompt held: `answer, llama3.1:8b: 1,204 of 8,192 tokens read, 58 written; left out: passage 7`."""
    return [_prompt_line(prompted) for prompted in ledger]


def _prompt_line(prompted: "Prompted") -> str:
    size = f"{prompted.read:,}" if prompted.read else f"about {prompted.estimated:,}"
    line = f"{prompted.purpose}, {one_line(prompted.model)}: {size} of {prompted.window:,} tokens read"
    if prompted.written:
        line += f", {prompted.written:,} written"
    for kept in ("summarised", "left out"):
        parts = [one_line(room.part) for room in prompted.parts if room.kept == kept]
        line += f"; {kept}: {', '.join(parts)}" if parts else ""
    return line

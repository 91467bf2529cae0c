"""What a model says to a prompt: told on as it comes, and kept where it ends before its end."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from agent.grounding.citing import Citations
from agent.grounding.drafting import whole_sentences
from agent.state import Piece
from memory.errors import Cancelled, PromptCut, ServiceUnreachable
from memory.ports import Message, Writer

TEMPERATURE = 0.1
TOKENS = 700
"""The most that an answer may have; in a small window a quarter of it."""

NOT_FOUND, UNCLEAR = "NOT FOUND", "UNCLEAR:"
"""What a model writes, and the person never sees, where it cannot answer, or asks back."""

Tell = Callable[[Piece], object]


@dataclass(frozen=True, slots=True)
class Said:
    """`raw` is as the model wrote it; `text` as it was shown, citations numbered in the order of first mention:
    `order[n - 1]` is the passage of citation n, `unknown` counts those of passages that there are not. `stopped` by the
    person, or `broke` off for a reason."""

    raw: str
    text: str
    order: tuple[int, ...] = ()
    unknown: int = 0
    stopped: bool = False
    broke: str = ""

    @property
    def start(self) -> str:
        return _start(self.raw)


def listen(writer: Writer, messages: Sequence[Message], passages: int, tell: Tell, cancel: threading.Event) -> Said:
    """What the model says, about so many passages. Raises `Cancelled` and `ServiceUnreachable` where nothing was said
    by then that can be kept, and `PromptCut`."""
    citations, raw, shown = Citations(passages), list[str](), list[str]()
    stopped, broke = False, ""
    given = writer.write(messages, cancel=cancel, temperature=TEMPERATURE, tokens=most_tokens(writer))
    try:
        for piece in _without_marks(citations.streamed(_kept(given, raw))):
            shown.append(piece)
            tell(Piece(piece))
    except Cancelled:
        if not "".join(shown).strip():
            raise
        stopped = True
    except PromptCut:
        raise
    except ServiceUnreachable as error:
        shown = [whole_sentences("".join(shown))]
        if not shown[0]:
            raise
        broke = error.message
    return Said("".join(raw), "".join(shown), tuple(citations.order), len(citations.dropped), stopped, broke)


def most_tokens(writer: Writer) -> int:
    return min(TOKENS, writer.window // 4)


def _kept(given: Iterator[object], raw: list[str]) -> Iterator[str]:
    for piece in given:
        if isinstance(piece, str):
            raw.append(piece)
            yield piece


def _without_marks(pieces: Iterator[str]) -> Iterator[str]:
    """An answer that is a mark is not shown: its first words wait until they can be none."""
    held = ""
    for piece in pieces:
        held += piece
        start = _start(held).upper()
        if any(start.startswith(mark) or mark.startswith(start) for mark in (NOT_FOUND, UNCLEAR)):
            continue
        yield held
        held = ""
        break
    yield from pieces
    if held and not _start(held).upper().startswith((NOT_FOUND, UNCLEAR)):
        yield held


def _start(text: str) -> str:
    return text.lstrip(" \n*\"'")

"""What a model says to a prompt: told on as it comes, and kept where it ends before its end."""

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from clew.agent.grounding.citing import Citations
from clew.agent.grounding.drafting import whole_sentences
from clew.agent.state import Piece
from clew.memory.errors import Cancelled, PromptCut, ServiceUnreachable
from clew.memory.ports import Message, Output, Usage, Void, Writer

TEMPERATURE = 0.1
TOKENS = 700
"""The most that an answer may have; in a small window a quarter of it."""

NOT_FOUND, UNCLEAR = "NOT FOUND", "UNCLEAR:"
"""What a model writes, and the person never sees, where it cannot answer, or asks back."""

_REFUSAL = re.compile(rf"{NOT_FOUND}\s*(?:[.,:;!(–-]|$)")

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
    given = Rewindable(writer.write(messages, cancel=cancel, temperature=TEMPERATURE, tokens=most_tokens(writer)))
    try:
        while not given.over:
            citations, raw, shown = Citations(passages), list[str](), list[str]()
            for piece in _without_marks(citations.streamed(_kept(given, raw))):
                shown.append(piece)
                tell(Piece(piece))
            if given.void:
                tell(Piece("", restart=True))
        if given.cut:
            shown, broke = [whole_sentences("".join(shown))], "it came to its limit of tokens"
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


class Rewindable:
    """The words of a model up to where it says that they were void, then those behind. `over`: there are no more;
    `cut`: a limit of tokens ended them."""

    def __init__(self, said: Iterator[Output]) -> None:
        self._said = said
        self.over = self.void = self.cut = False

    def __iter__(self) -> Iterator[str]:
        self.void = False
        for piece in self._said:
            if isinstance(piece, Void):
                self.void = True
                return
            if isinstance(piece, Usage):
                self.cut = not piece.whole
            elif isinstance(piece, str):
                yield piece
        self.over = True


def _kept(given: Iterable[str], raw: list[str]) -> Iterator[str]:
    for piece in given:
        raw.append(piece)
        yield piece


def _without_marks(pieces: Iterator[str]) -> Iterator[str]:
    """An answer that is a mark is not shown: its first words wait until they can be none."""
    held = ""
    for piece in pieces:
        held += piece
        start = _start(held)
        if any(start.startswith(mark) or mark.startswith(start) for mark in (NOT_FOUND, UNCLEAR)):
            continue
        yield held
        held = ""
        break
    yield from pieces
    if held and not (refuses(held) or _start(held).startswith(UNCLEAR)):
        yield held


def refuses(text: str) -> bool:
    """Whether it is the mark, alone or with a reason behind it; 'Not found on any other planet, ...' answers."""
    start = _start(text)
    return bool(_REFUSAL.match(start)) or start.strip(" .!*\"'\n").upper() == NOT_FOUND


def _start(text: str) -> str:
    return text.lstrip(" \n*\"'")

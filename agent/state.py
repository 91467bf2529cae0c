"""What a turn carries from node to node, and what it leaves behind. Plain values: no vectors, no connections."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypedDict, TypeVar

from pydantic import TypeAdapter

from clew.memory.datatypes import Passage, Point, Recalled, Subgraph, Wording

Verdict = Literal["supported", "weak", "unsupported", "uncited"]
Outcome = Literal["answered", "partial", "unclear", "nothing-found", "nothing-indexed", "stopped"]
"""`unclear`: the answer is a question back, and no refusal. `stopped`: the person stopped it while it was written."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer, the numbers of the sources that it cites (from 1), and what `verify` says of it.

    `start` is the character of its source's document where it begins, if it is quoted from there; `new_line` says
    that it is an item of a list.
    """

    text: str
    cites: tuple[int, ...] = ()
    verdict: Verdict = "uncited"
    start: int | None = None
    new_line: bool = False

    @property
    def lead(self) -> str:
        """What stands before it where another claim does."""
        return "\n" if self.new_line else " "


@dataclass(frozen=True, slots=True)
class Answer:
    """What is shown. `sources[n - 1]` is source [n]; `missing` are words of the question that nothing found holds;
    `nearest` are titles to look at where nothing was found, or to choose from where the question is unclear."""

    outcome: Outcome
    claims: tuple[Claim, ...]
    sources: tuple[Passage, ...] = ()
    missing: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()

    @property
    def refused(self) -> bool:
        return self.outcome in ("nothing-found", "nothing-indexed")

    @property
    def plain(self) -> str:
        """The sentences without their citations: what is remembered."""
        return " ".join(claim.text for claim in self.claims)

    @property
    def text(self) -> str:
        """The sentences with their citations: `The Moon is 384,400 km away. [1]`."""
        said = "".join(" ".join([claim.lead + claim.text, *(f"[{n}]" for n in claim.cites)]) for claim in self.claims)
        return said.strip()


@dataclass(frozen=True, slots=True)
class Call:
    """A search with a tool for these wordings of the question, and after it how many passages it found in how long.
    `by_model`: a language model wanted it, and not the policy."""

    tool: str
    wordings: tuple[Wording, ...]
    found: int = 0
    ms: float = 0.0
    by_model: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """What a node did, in one line, with lines of detail for who unfolds it, and how long it took."""

    node: str
    summary: str
    details: tuple[str, ...] = ()
    ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Piece:
    """Some words of an answer that a language model is writing. With `restart`, what was shown before is void."""

    text: str
    restart: bool = False


@dataclass(frozen=True, slots=True)
class Doing:
    """What a turn is waiting for right now: 'loading llama3.1:8b'."""

    text: str


@dataclass(frozen=True, slots=True)
class Fallback:
    """A part of a turn (rewrite, think, answer) that a language model should have done and did not, and why."""

    part: str
    why: str


Kept = Literal["whole", "summarised", "left out"]


@dataclass(frozen=True, slots=True)
class PromptPart:
    """What became of one part of a prompt (a passage, the path, the context): whole, summarised (its best sentences),
    or left out; `tokens` as estimated."""

    part: str
    tokens: int
    kept: Kept = "whole"


@dataclass(frozen=True, slots=True)
class Prompted:
    """A line of a turn's context ledger: what a model was sent for one purpose. `estimated`, `read` and `written` are
    tokens; the latter two as the server counts them, 0 where it does not."""

    purpose: str
    model: str
    window: int
    estimated: int
    read: int = 0
    written: int = 0
    parts: tuple[PromptPart, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn that is over, as it is remembered, shown, exported and replayed. `turn` counts from 1 in its thread.

    `library` is the fingerprint of the library that it was answered from; `created` is ISO 8601 in UTC. `walk` is what
    was walked for it (None: nothing was), and `paths` the same as lines, `Hub -> A -> B`, the best end first. `model`
    is the language model that wrote the answer, empty where it is extracted; `degraded` and `ledger` are of its models.
    """

    thread: str
    turn: int
    question: str
    rewritten: str
    answer: Answer
    recalled: Recalled = field(default_factory=Recalled)
    wordings: tuple[Wording, ...] = ()
    calls: tuple[Call, ...] = ()
    passages: tuple[Passage, ...] = ()
    steps: tuple[Step, ...] = ()
    library: str = ""
    created: str = ""
    walk: Subgraph | None = None
    paths: tuple[str, ...] = ()
    model: str = ""
    degraded: tuple[Fallback, ...] = ()
    ledger: tuple[Prompted, ...] = ()


TurnEvent = Step | Piece | Doing | Turn
"""What a turn hands out while it runs; the finished turn is the last."""

TURN_JSON = TypeAdapter(Turn)
"""How a turn is stored, exported and read again."""

Item = TypeVar("Item")


def appended(known: Sequence[Item], new: Sequence[Item]) -> tuple[Item, ...]:
    """A checkpoint gives tuples back as lists, so neither is taken for granted."""
    return (*known, *new)


class TurnState(TypedDict, total=False):
    """The state machine's state: this turn and its thread's id. `found` counts the new passages of each round, of the
    first those of a language model's searches apart; `points` are there where the question is about the whole library;
    `told` is what a tool itself answers. `wanted` counts the searches of this round that a language model wanted;
    `brought` has, for each of `calls`, the ids of the first passages that it was the first to find.

    Of the last round are `near`, the rows of the nodes nearest to what was looked for, `partitions`, the numbers of
    those that were stitched, and `went_back`, which counts the steps from what had been left; of all rounds `walk` and
    `paths`, as in `Turn`; of the first `walked`, the passages that its walk came to and no tool had found."""

    thread: str
    turn: int
    question: str
    tool: str
    scope: tuple[str, ...]
    recalled: Recalled
    wordings: tuple[Wording, ...]
    rewritten: str
    round: int
    planned: tuple[Call, ...]
    wanted: int
    calls: Annotated[tuple[Call, ...], appended]
    brought: Annotated[tuple[tuple[str, ...], ...], appended]
    passages: tuple[Passage, ...]
    found: Annotated[tuple[int, ...], appended]
    near: tuple[int, ...]
    partitions: tuple[int, ...]
    walk: Subgraph | None
    paths: tuple[str, ...]
    walked: tuple[Passage, ...]
    went_back: int
    points: tuple[Point, ...]
    told: str
    notes: Annotated[tuple[str, ...], appended]
    missing: tuple[str, ...]
    answer: Answer
    model: str
    degraded: Annotated[tuple[Fallback, ...], appended]
    ledger: Annotated[tuple[Prompted, ...], appended]
    steps: Annotated[tuple[Step, ...], appended]
    finished: Turn

"""A turn: what its nodes hand on, and what it leaves behind. Plain values: no vectors, no connections."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

from pydantic import Field, TypeAdapter
from pydantic.json_schema import SkipJsonSchema

from clew.memory.datatypes import Passage, Recalled, Subgraph, Wording
from clew.memory.dialogue.utterances import with_apostrophes

if TYPE_CHECKING:
    from clew.memory.dialogue.rewriting import Rewritten

Verdict = Literal["supported", "weak", "unsupported", "uncited"]
Outcome = Literal[
    "answered", "partial", "summary", "small-talk", "unclear", "nothing-found", "nothing-indexed", "stopped"
]
"""`unclear`: the answer is a question back, and no refusal. `small-talk`: the documents were asked nothing. `stopped`:
the person stopped it while it was written."""

AnswerForm = Literal[
    "fact", "list", "steps", "yes-no", "comparison", "several-documents", "summary", "overview", "talk"
]
"""Of an answer."""

Says = Literal["yes", "no", "not-said"]


@dataclass(frozen=True, slots=True)
class Quote:
    """A range of a document's text: `text` is `document.text[start:end]`."""

    document: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class BoldSpan:
    """The part of a claim's text, from `start` to `end`, that is most of the answer."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer, the numbers of the sources that it cites (from 1), and what `verify` says of it.

    `quotes` are the ranges that its text is made of, runs of white space apart; a claim without any is in Clew's own
    words, or a language model's. `start` is the character of its source's document where it begins, if it is quoted
    from there; `new_line` says that it begins a line. `span` is shown in bold.
    """

    text: str
    cites: tuple[int, ...] = ()
    verdict: Verdict = "uncited"
    start: int | None = None
    new_line: bool = False
    quotes: tuple[Quote, ...] = ()
    span: BoldSpan | None = None

    @property
    def lead(self) -> str:
        """What stands before it where another claim does."""
        return "\n" if self.new_line else " "


@dataclass(frozen=True, slots=True)
class Answer:
    """What is shown. `sources[n - 1]` is source [n]; `missing` are words of the question that nothing found holds;
    `nearest` are titles to look at where nothing was found, or to choose from where the question is unclear. `form` is
    what the question asked for (empty: nobody looked), `says` what the documents say to a question of yes or no,
    `files_left_out` how many files the library could not read, where nothing was found, and `offered` the question
    that may have been meant then: with words that the library has."""

    outcome: Outcome
    claims: tuple[Claim, ...]
    sources: tuple[Passage, ...] = ()
    missing: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()
    form: AnswerForm | Literal[""] = ""
    says: Says | None = None
    files_left_out: int = 0
    offered: str = ""

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
        text = "".join(" ".join([claim.lead + claim.text, *(f"[{n}]" for n in claim.cites)]) for claim in self.claims)
        return text.strip()


UNANSWERED = Answer("nothing-found", ())
"""Of a turn in the making."""


@dataclass(frozen=True, slots=True)
class Call:
    """A search with a tool for these wordings of the question, and after it how many passages it found in how long.
    `by_model`: a language model wanted it, and not the policy."""

    tool: str
    wordings: tuple[Wording, ...]
    found: int = 0
    ms: float = 0.0
    by_model: bool = False


LIBRARY = "library"
"""The node of a step that says before a turn what became of the library since the last one."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a node did, in one line, with lines of detail for who unfolds it, and how long it took. A `think` has the
    `tools` that it chose, and of a first round the `signals` that it chose them by."""

    node: str
    summary: str
    details: tuple[str, ...] = ()
    ms: float = 0.0
    tools: tuple[str, ...] = ()
    signals: Mapping[str, float] = field(default_factory=dict)


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
class TurnSearch:
    """The search of a turn in the making: what it is bound to, and what its rounds have found. Empty once the turn is
    over: it is neither stored nor shown.

    `asking` is the question that is searched, where the turn has more than it: a greeting, another question; `waiting`
    are those that come after it, and `done` the turns that those before it have become. `inside` is where the turn
    stands that asks first what its question has inside.
    `within` is the title of the document that the question is limited to by its own words.
    `tool` names the tools that the person wants (empty: those of the settings, by default the policy's choice), `scope`
    the documents to search (empty: all). `round` counts from 1. `tools` are those that the policy chose, and `signals`
    what by. `planned` are the searches of this round; `wanted` counts those of them that a language model asked for.
    For each of the turn's `calls`, `first_found` has ids that it was the first to find, as many as a model is shown.
    `found` counts the new passages of each round; `beside` are those that were looked for with other words than the
    question's: by a model, or for what was missing. `went_back` counts the walk's steps back.
    `tool_answer` is what a tool itself answers; `missing` are words that no passage holds and that the library has.
    """

    tool: str = ""
    scope: tuple[str, ...] = ()
    within: str = ""
    asking: str = ""
    waiting: tuple[str, ...] = ()
    done: tuple["Turn", ...] = ()
    inside: "Inside | None" = None
    round: int = 0
    tools: tuple[str, ...] = ()
    signals: Mapping[str, float] = field(default_factory=dict)
    planned: tuple[Call, ...] = ()
    wanted: int = 0
    first_found: tuple[tuple[str, ...], ...] = ()
    found: tuple[int, ...] = ()
    beside: tuple[str, ...] = ()
    went_back: int = 0
    tool_answer: str = ""
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Inside:
    """Of a question with others inside: what is left of it with the `names` in their places, the `whole` turn that
    answered it at once, for each name the turn that `told` it and the `way`, what of its answer says so. Of the last
    `open` is the question without it, `meant` are all that may be, each by its claim's place, and `tried` is how many
    were. `last` says that what is left is asked, `given_up` that nothing more is looked for."""

    question: str
    whole: "Turn"
    told: tuple["Turn", ...] = ()
    way: tuple[Answer, ...] = ()
    names: tuple[str, ...] = ()
    open: str = ""
    meant: tuple[tuple[int, str], ...] = ()
    tried: int = 0
    last: bool = False
    given_up: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn: in the making, while the nodes of the graph hand it on, each a changed one; and as it is stored, shown,
    exported and replayed. `turn` counts from 1 in its thread.

    `question` is what was typed; `meant` the same, or what a reply to a question back stands for; `rewritten` the
    question that stands alone, with the earlier turns in front of it where it `with_history`; `expanded` has the words
    of the conversation that it needs as well, and is empty where it needs none; `own_weight` is that of the question as
    it is among the `wordings`. `today` is the day, ISO 8601, that relative dates count from; empty: nobody said.
    `library` is the fingerprint of the
    library that it was answered from; `created` is ISO 8601 in UTC. `walk` is what was walked for it (None: nothing
    was), and `paths` the same as lines, `Hub -> A -> B`, the best end first. `model` is the language model that wrote
    the answer, empty where it is extracted; `degraded` and `ledger` are of its models.
    """

    thread: str
    turn: int
    question: str
    rewritten: str = ""
    answer: Answer = UNANSWERED
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
    meant: str = ""
    expanded: str = ""
    with_history: bool = False
    own_weight: float = 1.0
    today: str = ""
    search: Annotated[SkipJsonSchema[TurnSearch], Field(exclude=True)] = field(default_factory=TurnSearch)

    def stepped(self, node: str, summary: str, details: Iterable[str] = ()) -> "Turn":
        """With a step of this node."""
        return replace(self, steps=(*self.steps, Step(node, summary, tuple(details))))

    def searched(self, **changes: Any) -> "Turn":
        """With these fields of its search changed."""
        return replace(self, search=replace(self.search, **changes))

    def rewritten_as(self, made: "Rewritten") -> "Turn":
        """With this question, its wordings, and what follows from them. Until the first hits the wording that says it
        so has won."""
        wins = next((place for place, one in enumerate(made.wordings) if one.text == made.text), -1)
        chosen = any(one.won for one in made.wordings)
        return replace(
            self,
            rewritten=made.text,
            with_history=made.with_history,
            expanded=made.expanded,
            own_weight=made.own_weight,
            wordings=made.wordings
            if chosen
            else tuple(replace(one, won=place == wins) for place, one in enumerate(made.wordings)),
        )

    def written(self, ledger: Iterable[Prompted], failed: Iterable[Fallback] = ()) -> "Turn":
        """With what its models were sent, and what they failed to do."""
        return replace(self, ledger=(*self.ledger, *ledger), degraded=(*self.degraded, *failed))

    def found(self, passages: Iterable[Passage]) -> "Turn":
        """With these as its evidence."""
        return replace(self, passages=tuple(passages))

    @property
    def asked(self) -> str:
        """What is searched of what was typed."""
        return with_apostrophes(self.search.asking or self.question)

    @property
    def is_answered(self) -> bool:
        return bool(self.answer.claims)


TurnEvent = Step | Piece | Doing | Turn
"""What a turn hands out while it runs; the finished turn is the last."""

TURN_JSON = TypeAdapter(Turn)
"""How a turn is stored, exported and read again."""


class TurnState(TypedDict):
    """The state of the graph: the turn in the making. Plain values: no vectors, no connections."""

    turn: Turn

"""A turn: the value that the nodes pass on, and that is stored. Plain values: no vectors, no connections."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Annotated, Any, Literal, TypedDict

from pydantic import Field, TypeAdapter
from pydantic.json_schema import SkipJsonSchema

from clew.memory.datatypes import Passage, Recalled, Subgraph, Wording
from clew.memory.dialogue.utterances import with_apostrophes
from clew.memory.language.telling import language_of

_typed = lru_cache(maxsize=64)(with_apostrophes)

Verdict = Literal["supported", "weak", "unsupported", "uncited"]
ClaimStanding = Literal["unsupported", "weak", "supported", "quoted", "uncited"]
STANDINGS: Mapping[ClaimStanding, tuple[str, str]] = {
    "unsupported": (
        "not found in the source",
        "A name or a number is not in the cited passage, or it does not say this.",
    ),
    "weak": ("perhaps not in the source", "The cited passage may not say this. Read there what it says."),
    "supported": ("checked", "The cited passage has its words, or says this by a learned check, which errs at times."),
    "quoted": ("quoted word for word", "It stands in the document exactly so."),
}
"""The possible results of a check, the worst first: a short text and an explanation of each."""

Outcome = Literal[
    "answered", "partial", "summary", "small-talk", "unclear", "nothing-found", "nothing-indexed", "stopped"
]
"""`unclear`: the answer is a question back, not a refusal. `small-talk`: no question about the documents. `stopped`:
the person stopped it while it was written."""

AnswerForm = Literal[
    "fact", "list", "steps", "yes-no", "comparison", "several-documents", "summary", "overview", "talk"
]
"""The form of an answer; `several-documents` only in turns of older versions."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A range of a document's text: `text` is `document.text[start:end]`."""

    document: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class BoldSpan:
    """The part of a claim, from `start` to `end`, that is shown in bold: the core of the answer."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer, the numbers of the sources that it cites (from 1), and what `verify` says of it.

    `quotes` are the ranges that its text is made of, runs of white space apart; a claim without any is in Clew's own
    words, or a language model's. `start` is the character of its source's document where it begins, if it is quoted
    from there; `new_line` says that it begins a line. `span` is shown in bold. `markup` is the text in Markdown, where
    it is more than words: with the heading, or the heads of a table, that stand above it.
    """

    text: str
    cites: tuple[int, ...] = ()
    verdict: Verdict = "uncited"
    start: int | None = None
    new_line: bool = False
    quotes: tuple[Quote, ...] = ()
    span: BoldSpan | None = None
    markup: str = ""

    @property
    def lead(self) -> str:
        """What separates it from the claim before."""
        return "\n" if self.new_line else " "

    @property
    def standing(self) -> ClaimStanding:
        """Its verdict, or `quoted` for a supported quotation: then it is known to stand in the source word for word."""
        return "quoted" if self.verdict == "supported" and self.quotes else self.verdict

    @property
    def bold(self) -> str:
        """The text shown in bold; empty if there is none."""
        return self.text[self.span.start : self.span.end] if self.span else ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is shown. `sources[n - 1]` is source [n]; `missing` are words of the question that nothing found holds;
    `nearest` are titles to look at where nothing was found, or to choose from where the question is unclear. `form` is
    what the question asked for (empty: nobody looked). Where nothing was found, `files_left_out` is how many files the
    library could not read, `unread` the names of the first of these, and `offered` the question that may have been
    meant, with words that the library has."""

    outcome: Outcome
    claims: tuple[Claim, ...]
    sources: tuple[Passage, ...] = ()
    missing: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()
    form: AnswerForm | Literal[""] = ""
    files_left_out: int = 0
    offered: str = ""
    unread: tuple[str, ...] = ()

    @property
    def refused(self) -> bool:
        return self.outcome in ("nothing-found", "nothing-indexed")

    @property
    def standings(self) -> dict[ClaimStanding, int]:
        """How many checked sentences have which result, the worst first."""
        said = [claim.standing for claim in self.claims]
        return {one: said.count(one) for one in STANDINGS if one in said}

    @property
    def checked(self) -> str:
        """The same as text: `quoted word for word: 2`."""
        return ", ".join(f"{STANDINGS[one][0]}: {count}" for one, count in self.standings.items())

    @property
    def plain(self) -> str:
        """The sentences without citations: what is remembered."""
        return " ".join(claim.text for claim in self.claims)

    @property
    def text(self) -> str:
        """The sentences with their citations: `The Moon is 384,400 km away. [1]`."""
        text = "".join(" ".join([claim.lead + claim.text, *(f"[{n}]" for n in claim.cites)]) for claim in self.claims)
        return text.strip()


UNANSWERED = Answer("nothing-found", ())
"""The answer of a turn that has none yet."""


@dataclass(frozen=True, slots=True)
class Call:
    """A search with a tool for these wordings of the question, and after it how many passages it found in how long.
    `by_model`: a language model wanted it, and not the policy; `given` are its arguments beside these words."""

    tool: str
    wordings: tuple[Wording, ...]
    found: int = 0
    ms: float = 0.0
    by_model: bool = False
    given: Mapping[str, str] = field(default_factory=dict)


LIBRARY = "library"
"""The node of a step, before the turn itself, that says how the library has changed since the last turn."""


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
    """What a turn is waiting for at the moment: "loading llama3.1:8b"."""

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
class Made:
    """An answer, and how it was made: what every maker of answers returns."""

    answer: Answer
    model: str = ""  # the language model that wrote it; empty: it is quoted
    degraded: tuple[Fallback, ...] = ()  # why no model wrote it, if one should have, or why it breaks off
    ledger: tuple[Prompted, ...] = ()  # what the model was sent
    details: tuple[str, ...] = ()  # lines for the step
    passages: tuple[Passage, ...] = ()  # its evidence, if it was made without a search
    why: str = ""  # what it was made of, if it was made without a search


@dataclass(frozen=True, slots=True)
class TurnSearch:
    """The search of a turn in the making: what it is bound to, and what its rounds have found. Empty once the turn is
    over: it is neither stored nor shown."""

    tool: str = ""  # those that the person wants, joined by +; empty: those of the settings, by default the policy's
    scope: tuple[str, ...] = ()  # ids of the documents to search; empty: all
    within: str = ""  # the title of the document that the question is limited to by its own words
    typed: str = ""  # the question in what was typed, if there is more: a greeting, or another question
    understood: str = ""  # the question as language models get it, if a model wrote it or a document was cut from it
    corpus: Made | None = None  # the answer to a question about documents as a whole, or from a table
    round: int = 0  # from 1
    tools: tuple[str, ...] = ()  # that the policy chose
    signals: Mapping[str, float] = field(default_factory=dict)  # by which it chose them
    planned: tuple[Call, ...] = ()  # the searches of this round
    wanted: tuple[str, ...] = ()  # ids that only a model's calls found
    found: tuple[int, ...] = ()  # by round the new passages
    beside: tuple[str, ...] = ()  # ids found with other words than the question's: by a model, for what was missing
    tool_answer: str = ""  # what a tool itself answers
    missing: tuple[str, ...] = ()  # words that no passage holds and that the library has
    plans: bool = False  # whether a language model plans the next round
    calls_left: int = 6  # that a language model may have made
    language: str = ""  # that the person has set; empty: that of the question
    held: str = ""  # that of most documents


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn. While it is made, the nodes pass on changed copies of it; then it is stored, shown, exported and
    replayed."""

    thread: str  # the id of its conversation
    turn: int  # from 1 along its way in the thread
    question: str  # everything that was typed
    rewritten: str = ""  # the question as understood: it stands alone
    answer: Answer = UNANSWERED  # empty until the node `answer`
    recalled: Recalled = field(default_factory=Recalled)  # the sentences of the conversation that matter
    wordings: tuple[Wording, ...] = ()  # what is searched with, and how much each counts
    calls: tuple[Call, ...] = ()  # the searches that were made
    passages: tuple[Passage, ...] = ()  # the evidence, the best first
    steps: tuple[Step, ...] = ()  # what the nodes did
    library: str = ""  # the fingerprint of the library that it was answered from
    created: str = ""  # ISO 8601 in UTC
    walk: Subgraph | None = None  # None: nothing was walked
    paths: tuple[str, ...] = ()  # the walk as lines, `Hub -> A -> B`, the best end first
    model: str = ""  # the language model that wrote the answer; empty: it is quoted
    degraded: tuple[Fallback, ...] = ()  # what a language model failed to do
    ledger: tuple[Prompted, ...] = ()  # what language models were sent
    today: str = ""  # the day, ISO 8601, that relative dates count from; empty: nobody said
    id: Annotated[SkipJsonSchema[int], Field(exclude=True)] = 0  # in its thread's tree; 0: as `turn`
    parent: Annotated[SkipJsonSchema[int | None], Field(exclude=True)] = None  # the turn before it; None: the last one
    liked: Annotated[SkipJsonSchema[int], Field(exclude=True)] = 0  # 1: the person said it is good; -1: bad
    search: Annotated[SkipJsonSchema[TurnSearch], Field(exclude=True)] = field(default_factory=TurnSearch)

    def stepped(self, node: str, summary: str, details: Iterable[str] = ()) -> "Turn":
        """The turn with a step of this node."""
        return replace(self, steps=(*self.steps, Step(node, summary, tuple(details))))

    def searched(self, **changes: Any) -> "Turn":
        """The turn with these fields of its search changed."""
        return replace(self, search=replace(self.search, **changes))

    def reworded(self, rewritten: str, wordings: Iterable[Wording]) -> "Turn":
        """The turn with this rewritten question and these wordings; if none of them is marked as the winner, the one
        with its text becomes that."""
        forms = tuple(wordings)
        if not any(one.won for one in forms):
            wins = next((place for place, one in enumerate(forms) if one.text == rewritten), -1)
            forms = tuple(replace(one, won=place == wins) for place, one in enumerate(forms))
        return replace(self, rewritten=rewritten, wordings=forms)

    def written(self, ledger: Iterable[Prompted], failed: Iterable[Fallback] = ()) -> "Turn":
        """The turn with what its models were sent, and what they failed to do."""
        return replace(self, ledger=(*self.ledger, *ledger), degraded=(*self.degraded, *failed))

    @property
    def documented(self) -> "Turn":
        """The turn with only passages of documents as evidence; without results of tools."""
        return self.found(passage for passage in self.passages if passage.document)

    def found(self, passages: Iterable[Passage]) -> "Turn":
        """The turn with these passages as evidence."""
        return replace(self, passages=tuple(passages))

    @property
    def typed(self) -> str:
        """The question as typed, without a greeting; of several questions the one that is being answered."""
        return _typed(self.search.typed or self.question)

    @property
    def meant(self) -> str:
        """The question as searched: as typed, or what a reply to a question back stands for; without the name of the
        document that it is limited to."""
        return self.wordings[0].text if self.wordings else self.typed

    @property
    def language(self) -> str:
        """The language to answer in: the one that was set, else that of the question, else that of most documents; or
        empty."""
        return self.search.language or language_of(self.typed) or self.search.held

    @property
    def is_answered(self) -> bool:
        """Whether it has an answer, or was stopped before the first word."""
        return bool(self.answer.claims) or self.answer.outcome == "stopped"


TurnEvent = Step | Piece | Doing | Turn
"""What a turn emits while it runs; the finished turn comes last."""

TURN_JSON = TypeAdapter(Turn)
"""Reads and writes turns as JSON."""


class TurnState(TypedDict):
    """The state of the graph: the turn in the making. Plain values: no vectors, no connections."""

    turn: Turn

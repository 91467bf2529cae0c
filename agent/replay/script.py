"""Conversations to replay: a script (JSONL) with expectations, or a BEIR folder whose queries have `turns`; and whether
a turn is as it was expected."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from clew.agent.evaluation.dataset import Question, read_questions
from clew.agent.state import Answer, Turn
from clew.memory.dates import check_day
from clew.memory.errors import BadInput
from clew.memory.json_lines import read_objects
from clew.memory.text import storable

SEPARATOR = "<::>"
"""Parts the conversation from the turn in an id, as in MTRAG's."""


def _day(given: str) -> str:
    if given:
        check_day(given)
    return given


def _texts(given: Any) -> Any:
    return [given] if isinstance(given, str) else given


Text = Annotated[
    str,
    StringConstraints(pattern=r"\S"),
    BeforeValidator(lambda given: storable(given) if isinstance(given, str) else given),
]
Name = Annotated[Text, BeforeValidator(lambda given: str(given) if isinstance(given, int) else given)]
Texts = Annotated[list[Text], BeforeValidator(_texts), Field(min_length=1)]
Day = Annotated[str, AfterValidator(_day)]
Most = Annotated[float, Field(gt=0)]


class Expectations(BaseModel):
    """What a turn may be expected to be (docs/data.md)."""

    model_config = ConfigDict(extra="forbid", strict=True)

    contains: Texts = []
    not_contains: Texts = []
    cites: Texts = []
    not_cites: Texts = []
    rewritten_contains: Texts = []
    refuses: bool | None = None
    asks_back: bool | None = None
    at_most_words: Most | None = None
    at_most_seconds: Most | None = None


class ScriptTurn(BaseModel):
    """A user's turn. `today` is the day, ISO 8601, that it counts from; empty: that of its conversation."""

    model_config = ConfigDict(extra="forbid")

    question: Text
    expect: Expectations = Expectations()
    today: Day = ""


class Conversation(BaseModel):
    conversation_id: Name
    turns: Annotated[list[ScriptTurn], Field(min_length=1)]
    today: Day = ""


@dataclass(frozen=True, slots=True)
class Script:
    """Conversations to replay, and the name of the file that they were read from."""

    name: str
    conversations: Sequence[Conversation]


def read_script(path: Path) -> Script:
    """Raises `BadInput`, with file and line where a line is the cause."""
    if path.is_dir():
        name, conversations = path.resolve().name, _from_questions(read_questions(path))
    elif path.is_file():
        name, conversations = path.stem, _from_lines(path)
    else:
        raise BadInput(f"there is no script {path}")
    if not conversations:
        raise BadInput(f"{path} has no conversations")
    return Script(name, conversations)


def _from_lines(path: Path) -> list[Conversation]:
    found: dict[str, Conversation] = {}
    for number, row in read_objects(path):
        try:
            conversation = Conversation.model_validate(row)
        except ValidationError as error:
            raise BadInput(f"{path}:{number}, {_wrong(error)}") from error
        if conversation.conversation_id in found:
            raise BadInput(
                f"{path}:{number} has the conversation_id of an earlier line: {conversation.conversation_id}"
            )
        found[conversation.conversation_id] = conversation
    return list(found.values())


def _wrong(error: ValidationError) -> str:
    """Where and what; of a name that there is not, those that there are."""
    first = error.errors()[0]
    place, said = ".".join(map(str, first["loc"])), first["msg"]
    if first["type"] == "extra_forbidden":
        known = (Expectations if "expect" in first["loc"] else ScriptTurn).model_fields
        said = f"there is no such name, only {', '.join(known)}"
    return f"{place}: {said}"


def _from_questions(questions: Sequence[Question]) -> list[Conversation]:
    """The row of a conversation with most turns of the user; what the agent said there is not used."""
    longest: dict[str, list[str]] = {}
    for question in questions:
        name = question.id.split(SEPARATOR)[0]
        asked = [said.text for said in question.history if said.speaker == "user"] + [question.text]
        if len(asked) > len(longest.get(name, ())):
            longest[name] = asked
    return [
        Conversation(conversation_id=name, turns=[ScriptTurn(question=text) for text in asked])
        for name, asked in longest.items()
    ]


# What came of it ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CheckedExpectation:
    """`expected` says in words what was, and `came` is what stood in its place."""

    kind: str
    expected: str
    passed: bool
    came: str


@dataclass(frozen=True, slots=True)
class Played:
    """The turn of this number of a conversation, as it was answered."""

    conversation: str
    number: int
    turn: Turn
    checks: tuple[CheckedExpectation, ...] = ()

    @property
    def id(self) -> str:
        return f"{self.conversation}{SEPARATOR}{self.number}"


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts over all turns. `unclear` turns were asked back; `cited` is the share of answered turns that cite
    something (1 where none was answered); `verdicts` count claims."""

    conversations: int
    turns: int
    answered: int
    partial: int
    unclear: int
    refused: int
    cited: float
    verdicts: Mapping[str, int] = field(default_factory=dict)
    passed: int = 0
    failed: tuple[tuple[Played, CheckedExpectation], ...] = ()


def summarize(played: Sequence[Played]) -> Summary:
    """Count over played turns: how they were answered, how many cite something, and which checks failed."""
    answers = [one.turn.answer for one in played]
    outcomes = Counter(answer.outcome for answer in answers)
    cites = [bool(_cited(one)) for one in answers if not one.refused and one.outcome not in ("unclear", "small-talk")]
    checks = [(one, check) for one in played for check in one.checks]
    return Summary(
        conversations=len({one.conversation for one in played}),
        turns=len(played),
        answered=outcomes["answered"],
        partial=outcomes["partial"],
        unclear=outcomes["unclear"],
        refused=sum(answer.refused for answer in answers),
        cited=sum(cites) / len(cites) if cites else 1.0,
        verdicts=Counter(claim.verdict for answer in answers for claim in answer.claims),
        passed=sum(check.passed for _, check in checks),
        failed=tuple((one, check) for one, check in checks if not check.passed),
    )


def checked(expect: Expectations, turn: Turn) -> Iterator[CheckedExpectation]:
    """Each expectation held against the turn; letter case does not count, nor do citations among the words."""
    answer, cited = turn.answer, _cited(turn.answer)
    documents = ", ".join(cited) or "no citation"
    spent = {
        "words": float(sum(len(claim.text.split()) for claim in answer.claims)),
        "seconds": sum(step.ms for step in turn.steps) / 1000,
    }
    for kind, value in expect.model_dump(exclude_defaults=True).items():
        if kind == "refuses":
            said = "a refusal" if value else "an answer"
            yield CheckedExpectation(kind, said, answer.refused is value, answer.outcome)
        elif kind == "asks_back":
            said = "a question back" if value else "no question back"
            yield CheckedExpectation(kind, said, (answer.outcome == "unclear") is value, answer.outcome)
        elif kind.startswith("at_most"):
            unit = kind.rpartition("_")[2]
            yield CheckedExpectation(kind, f"at most {value:g} {unit}", spent[unit] <= value, f"{spent[unit]:.4g}")
        else:
            came = turn.rewritten if kind == "rewritten_contains" else answer.text
            for text in value:
                of_sources = kind.endswith("cites")
                holds = _is_cited(text, answer) if of_sources else text.casefold() in came.casefold()
                passed, said = holds is not kind.startswith("not"), f"{kind.replace('_', ' ')} '{text}'"
                yield CheckedExpectation(kind, said, passed, documents if of_sources else came)


def _cited(answer: Answer) -> list[str]:
    """The documents that it cites, each once."""
    return list(dict.fromkeys(answer.sources[number - 1].document for claim in answer.claims for number in claim.cites))


def _is_cited(name: str, answer: Answer) -> bool:
    """Whether the answer cites a document of this name: its id, its title, or the end of its path (`moon.md` and
    `space/moon.md` are of one file)."""
    wanted, documents = name.casefold(), _cited(answer)
    for source in answer.sources:
        path, _, line = source.source.casefold().rpartition(":")
        path = path if line.isdigit() else source.source.casefold()  # `:12` is a line of a file of many
        names = (source.document.casefold(), source.title.casefold(), source.source.casefold())
        ends = PurePath(path).parts[-len(PurePath(wanted).parts) :] == PurePath(wanted).parts
        if source.document in documents and (wanted in names or ends):
            return True
    return False

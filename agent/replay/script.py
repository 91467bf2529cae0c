"""Conversations to replay: a script (JSONL) with expectations, or a BEIR folder whose queries have `turns`; and what is
expected of a turn, judged on its line in `intermediate/`."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, Literal, get_args

from clew.agent.evaluation.dataset import Question, read_questions
from clew.memory.dates import check_day
from clew.memory.errors import BadInput
from clew.memory.json_lines import read_objects
from clew.memory.text import storable

SEPARATOR = "<::>"
"""Parts the conversation from the turn in an id, as in MTRAG's."""

ExpectationKind = Literal[
    "contains",
    "not_contains",
    "cites",
    "not_cites",
    "rewritten_contains",
    "refuses",
    "asks_back",
    "at_most_words",
    "at_most_seconds",
]
KINDS: tuple[ExpectationKind, ...] = get_args(ExpectationKind)
YES_OR_NO = ("refuses", "asks_back")
AT_MOST = ("at_most_words", "at_most_seconds")


@dataclass(frozen=True, slots=True)
class Expectation:
    """`value` is a bool for `refuses` and `asks_back`, a number for the `at_most_...`, and a text for the others."""

    kind: ExpectationKind
    value: str | bool | float


@dataclass(frozen=True, slots=True)
class ScriptTurn:
    """A user's turn. `id` is `<conversation><::><turn>`, the turn counted from 1. `today` is the day, ISO 8601, that it
    counts from; empty: that of the replay."""

    id: str
    question: str
    expect: tuple[Expectation, ...] = ()
    today: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    id: str
    turns: tuple[ScriptTurn, ...]


@dataclass(frozen=True, slots=True)
class Script:
    name: str
    conversations: tuple[Conversation, ...]


def read_script(path: Path, limit: int | None = None, today: str = "") -> Script:
    """The first `limit` conversations. `today` is the day, ISO 8601, of the turns that name none. Raises `BadInput`,
    with file and line where a line is the cause."""
    if path.is_dir():
        name, conversations = path.resolve().name, _from_questions(read_questions(path), today)
    elif path.is_file():
        name, conversations = path.stem, _from_lines(path, today)
    else:
        raise BadInput(f"there is no script {path}")
    if not conversations:
        raise BadInput(f"{path} has no conversations")
    return Script(name, tuple(conversations[:limit]))


def _from_lines(path: Path, today: str) -> list[Conversation]:
    conversations: dict[str, Conversation] = {}
    for number, row in read_objects(path):
        conversation = _conversation(row, today, f"{path}:{number}")
        if conversation.id in conversations:
            raise BadInput(f"{path}:{number} has the conversation_id of an earlier line: {conversation.id}")
        conversations[conversation.id] = conversation
    return list(conversations.values())


def _from_questions(questions: Sequence[Question], today: str) -> list[Conversation]:
    """Of the rows of a conversation the one with the most turns of the user; what the agent said there is not used."""
    longest: dict[str, list[str]] = {}
    for question in questions:
        name = question.id.split(SEPARATOR)[0]
        asked = [said.text for said in question.history if said.speaker == "user"] + [question.text]
        if len(asked) > len(longest.get(name, ())):
            longest[name] = asked
    return [
        Conversation(name, tuple(ScriptTurn(_id(name, n), text, today=today) for n, text in enumerate(asked, 1)))
        for name, asked in longest.items()
    ]


def _conversation(row: Mapping[str, Any], today: str, place: str) -> Conversation:
    name, turns = row.get("conversation_id"), row.get("turns")
    if not isinstance(name, str | int) or not isinstance(turns, list) or not turns:
        raise BadInput(f"{place} has no 'conversation_id' and 'turns'")
    id_, today = storable(str(name)), _day(row, place) or today
    each = (_turn(turn, _id(id_, number), today, f"{place}, turn {number}") for number, turn in enumerate(turns, 1))
    return Conversation(id_, tuple(each))


def _id(conversation: str, number: int) -> str:
    return f"{conversation}{SEPARATOR}{number}"


def _day(row: Mapping[str, Any], place: str) -> str:
    """The `today` of a conversation or a turn; empty where it has none."""
    value = row.get("today", "")
    if not isinstance(value, str):
        raise BadInput(f"{place} has a 'today' that is not text", "write it as 2024-09-03")
    if value:
        check_day(value)
    return value


def _turn(turn: Any, id_: str, today: str, place: str) -> ScriptTurn:
    question = turn.get("question") if isinstance(turn, dict) else None
    if not isinstance(question, str) or not question.strip():
        raise BadInput(f"{place} has no 'question'")
    _check_keys(turn, ("question", "expect", "today"), place)
    expect = turn.get("expect", {})
    if not isinstance(expect, dict):
        raise BadInput(f"{place} has an 'expect' that is not an object")
    _check_keys(expect, KINDS, f"{place}, expect")
    expected = tuple(one for kind in KINDS if kind in expect for one in _expectations(kind, expect[kind], place))
    return ScriptTurn(id_, storable(question), expected, _day(turn, place) or today)


def _expectations(kind: ExpectationKind, value: Any, place: str) -> list[Expectation]:
    """The expectations of one kind: one for each text of a list."""
    if kind in YES_OR_NO:
        if not isinstance(value, bool):
            raise BadInput(f"{place} has a '{kind}' that is neither true nor false")
        return [Expectation(kind, value)]
    if kind in AT_MOST:
        if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
            raise BadInput(f"{place} has a '{kind}' that is no number above 0")
        return [Expectation(kind, float(value))]
    values = value if isinstance(value, list) else [value]
    if not values or not all(isinstance(text, str) and text.strip() for text in values):
        raise BadInput(f"{place} has a '{kind}' that is neither a text nor a list of texts")
    return [Expectation(kind, text) for text in values]


def _check_keys(row: Mapping[str, Any], known: Sequence[str], place: str) -> None:
    if unknown := [key for key in row if key not in known]:
        names = ", ".join(f"'{key}'" for key in unknown)
        raise BadInput(f"{place} has unknown keys: {names}", f"use {', '.join(known)}")


FIELDS = frozenset(
    ("_id", "original_query", "rewritten_query", "agent_response", "outcome", "refused", "citations", "claims", "steps")
)
"""Of a turn's line, what is read here."""


@dataclass(frozen=True, slots=True)
class CheckedExpectation:
    """`came` is what stood in the place where `value` was expected."""

    kind: str
    value: str | bool | float
    passed: bool
    came: str

    @property
    def expected(self) -> str:
        """What was expected, in words."""
        if self.kind == "refuses":
            return "a refusal" if self.value else "an answer"
        if self.kind == "asks_back":
            return "a question back" if self.value else "no question back"
        if self.kind in AT_MOST:
            return f"at most {self.value:g} {self.kind.rpartition('_')[2]}"
        return f"{self.kind.replace('_', ' ')} '{self.value}'"


@dataclass(frozen=True, slots=True)
class Played:
    """A turn of a replay. `verdicts` are its claims'; `resumed` if an earlier run had asked it."""

    conversation: str
    turn: int
    question: str
    rewritten: str
    answer: str
    outcome: str
    refused: bool
    citations: int
    verdicts: tuple[str, ...] = ()
    checks: tuple[CheckedExpectation, ...] = ()
    resumed: bool = False


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


def played(scripted: ScriptTurn, row: Mapping[str, Any], *, resumed: bool = False) -> Played:
    conversation, _, turn = scripted.id.rpartition(SEPARATOR)
    return Played(
        conversation=conversation,
        turn=int(turn),
        question=row["original_query"],
        rewritten=row["rewritten_query"],
        answer=row["agent_response"],
        outcome=row["outcome"],
        refused=row["refused"],
        citations=len(row["citations"]),
        verdicts=tuple(claim["verdict"] for claim in row["claims"]),
        checks=tuple(_check(expectation, row) for expectation in scripted.expect),
        resumed=resumed,
    )


def summarize(turns: Sequence[Played]) -> Summary:
    with_answer = [turn for turn in turns if not turn.refused and turn.outcome not in ("unclear", "small-talk")]
    checks = [(turn, check) for turn in turns for check in turn.checks]
    return Summary(
        conversations=len({turn.conversation for turn in turns}),
        turns=len(turns),
        answered=sum(turn.outcome == "answered" for turn in turns),
        partial=sum(turn.outcome == "partial" for turn in turns),
        unclear=sum(turn.outcome == "unclear" for turn in turns),
        refused=sum(turn.refused for turn in turns),
        cited=sum(turn.citations > 0 for turn in with_answer) / len(with_answer) if with_answer else 1.0,
        verdicts=dict(Counter(verdict for turn in turns for verdict in turn.verdicts)),
        passed=sum(check.passed for _, check in checks),
        failed=tuple((turn, check) for turn, check in checks if not check.passed),
    )


def _check(expectation: Expectation, row: Mapping[str, Any]) -> CheckedExpectation:
    """Check an expectation against the turn's row; letter case does not count, nor do citations among the words."""
    kind, value = expectation.kind, expectation.value
    if isinstance(value, bool):
        holds = row["refused"] if kind == "refuses" else row["outcome"] == "unclear"
        return CheckedExpectation(kind, value, holds is value, row["outcome"])
    if isinstance(value, float):
        words = sum(len(claim["text"].split()) for claim in row["claims"])
        spent = float(words if kind == "at_most_words" else sum(step["ms"] for step in row["steps"]) / 1000)
        return CheckedExpectation(kind, value, spent <= value, f"{spent:.4g}")
    if kind in ("cites", "not_cites"):
        cited = row["citations"]
        is_cited = any(_is_cited(value, one) for one in cited)
        return CheckedExpectation(kind, value, is_cited is (kind == "cites"), _documents(cited))
    came = row["rewritten_query" if kind == "rewritten_contains" else "agent_response"]
    return CheckedExpectation(kind, value, (value.casefold() in came.casefold()) is (kind != "not_contains"), came)


def _is_cited(name: str, citation: Mapping[str, Any]) -> bool:
    """By the document's id, its title, or the end of its path: `moon.md` and `space/moon.md` are of one file."""
    if name.casefold() in (citation["document"].casefold(), citation["title"].casefold()):
        return True
    wanted = PurePath(name.casefold()).parts
    path, _, line = citation["source"].casefold().rpartition(":")
    sources = [citation["source"].casefold(), *([path] if line.isdigit() else [])]  # `:12` is a line of a file of many
    return bool(wanted) and any(PurePath(source).parts[-len(wanted) :] == wanted for source in sources)


def _documents(citations: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(dict.fromkeys(citation["document"] for citation in citations)) or "no citation"

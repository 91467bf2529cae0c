"""What a script expects of a turn, judged on the turn's line in `intermediate/`, and what a whole replay came to."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from clew.agent.replay.script import SEPARATOR, Expectation, ScriptTurn

FIELDS = frozenset(
    ("_id", "original_query", "rewritten_query", "agent_response", "outcome", "refused", "citations", "claims")
)
"""Of a turn's line, what is read here."""


@dataclass(frozen=True, slots=True)
class CheckedExpectation:
    """`came` is what stood in the place where `value` was expected."""

    kind: str
    value: str | bool
    passed: bool
    came: str

    @property
    def expected(self) -> str:
        """In words."""
        if self.kind == "refuses":
            return "a refusal" if self.value else "an answer"
        if self.kind == "asks_back":
            return "a question back" if self.value else "no question back"
        return f"{self.kind} '{self.value}'"


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
    """`unclear` were asked back. `cited` is the share of the turns answered that cite something (1 where none was);
    `verdicts` count claims."""

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
    """Letter case does not count."""
    kind, value = expectation.kind, expectation.value
    if isinstance(value, bool):
        holds = row["refused"] if kind == "refuses" else row["outcome"] == "unclear"
        return CheckedExpectation(kind, value, holds is value, row["outcome"])
    if kind == "cites":
        cited = row["citations"]
        return CheckedExpectation(kind, value, any(_is_cited(value, one) for one in cited), _documents(cited))
    came = row["agent_response" if kind == "contains" else "rewritten_query"]
    return CheckedExpectation(kind, value, value.casefold() in came.casefold(), came)


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

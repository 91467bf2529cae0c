"""How good answers are: near a person's, carried by what they cite, refused and asked back where they should be.

What a data set says of its questions (`answer`, `answerability`) is read here, for scoring only: who answers never sees
it. A set gets the measures that it has labels for.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clew.agent.answer.citations import same_words
from clew.agent.answer.verification import verdict
from clew.agent.state import Claim, Turn
from clew.memory.datatypes import Passage
from clew.memory.errors import required
from clew.memory.json_lines import read_objects

WORDS = 60
"""Of an answer, where it is looked for the gold string."""

ANSWERABLE = ("ANSWERABLE", "PARTIAL")
UNANSWERABLE = "UNANSWERABLE"
UNDERSPECIFIED = "UNDERSPECIFIED"

_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Label:
    """What a data set says of a question; empty where it says nothing."""

    answer: str = ""
    answerability: str = ""


@dataclass(frozen=True, slots=True)
class AnswerFigures:
    """What the answers to a data set's questions are worth; `figures` by group and name, shares from 0 to 1."""

    dataset: str
    questions: int
    figures: Mapping[str, Mapping[str, float]]
    library: str

    def to_json(self) -> dict[str, Any]:
        """The names that `clew evaluate --answers FILE --json` promises."""
        return {
            "dataset": self.dataset,
            "tool": "agent",
            "questions": self.questions,
            "answers": self.figures,
            "library": self.library,
        }


def read_labels(folder: Path) -> dict[str, Label]:
    """The labels of a data set by the question's id. Raises `BadInput` for what is no JSON."""
    rows = (row for _, row in read_objects(folder / "queries.jsonl"))
    return {str(row["_id"]): Label(_text(row, "answer"), _text(row, "answerability")) for row in rows}


def figures(turns: Mapping[str, Turn], labels: Mapping[str, Label]) -> dict[str, dict[str, float]]:
    """The figures by group. `turns` and `labels` are by the question's id; the turns are of one data set."""
    answers = {name: turn.answer for name, turn in turns.items()}
    outcomes = Counter(answer.outcome for answer in answers.values())
    found = {
        "outcomes": {str(name): count / len(turns) for name, count in sorted(outcomes.items())},
        "citations": citations([*turns.values()]),
    }
    if golds := {name: label.answer for name, label in labels.items() if label.answer and name in answers}:
        said = {name: answers[name].plain for name in golds}
        held = (not answers[name].refused and contains(said[name], gold) for name, gold in golds.items())
        found["answer"] = {"rouge_l": rouge_l(said, golds), "contains": share(held)}
        bold = {name: [claim.bold for claim in answers[name].claims if claim.span][:1] for name in golds}
        spans = [span_f1(span, golds[name]) for name, shown in bold.items() for span in shown]
        found["span"] = {"questions": float(len(spans)), "f1": sum(spans) / max(1, len(spans))}
    if known := {name: labels[name].answerability for name in turns if name in labels and labels[name].answerability}:
        refused = {name for name in known if answers[name].refused}
        unclear = {name for name in known if answers[name].outcome == "unclear"}
        found["refusal"] = decided(refused, known, UNANSWERABLE)
        found["asking_back"] = decided(unclear, known, UNDERSPECIFIED)
    return found


def rouge_l(answers: Mapping[str, str], golds: Mapping[str, str]) -> float:
    """The mean F of the longest common subsequence of words (Lin 2004, by `rouge-score`, without stemming)."""
    scorer = required("rouge_score.rouge_scorer", "ROUGE", "evaluation").RougeScorer(["rougeL"])
    scores = [scorer.score(gold, answers[name])["rougeL"].fmeasure for name, gold in golds.items()]
    return float(sum(scores) / len(scores))


def contains(answer: str, gold: str) -> bool:
    """Whether the first `WORDS` words of an answer hold the gold string, word by word; letter case, punctuation and
    articles do not count (as in SQuAD's exact match)."""
    return f" {_plain(gold)} " in f" {_plain(' '.join(answer.split()[:WORDS]))} "


def span_f1(span: str, gold: str) -> float:
    """F1 of the words of a span and of the gold string (as in SQuAD)."""
    found, wanted = Counter(_plain(span).split()), Counter(_plain(gold).split())
    both = (found & wanted).total()
    return 2 * both / (found.total() + wanted.total()) if both else 0.0


def decided(taken: set[str], known: Mapping[str, str], wanted: str) -> dict[str, float]:
    """Precision, recall and F1 of a decision that is right for questions with the label `wanted` only, and its cost:
    the share of the answerable questions that it was taken for."""
    right = sum(known[name] == wanted for name in taken)
    there = sum(label == wanted for label in known.values())
    answerable = [name for name, label in known.items() if label in ANSWERABLE]
    return {
        "precision": right / len(taken) if taken else 0.0,
        "recall": right / there if there else 0.0,
        "f1": 2 * right / (len(taken) + there) if taken or there else 0.0,
        "cost": share(name in taken for name in answerable),
    }


def citations(turns: Sequence[Turn]) -> dict[str, float]:
    """The shares of the cited sentences that are supported by what they cite, and that are flagged, that is, not
    supported, when they cite another passage instead (`swapped`)."""
    cited = [(claim, turn) for turn in turns for claim in turn.answer.claims if claim.cites]
    others = [(claim, other) for claim, turn in cited if (other := swapped(claim, turn))]
    return {
        "sentences": float(len(cited)),
        "supported": share(claim.verdict == "supported" for claim, _ in cited),
        "swapped": float(len(others)),
        "swapped_flagged": share(verdict(Claim(claim.text, (1,)), [other]) != "supported" for claim, other in others),
    }


def swapped(claim: Claim, turn: Turn) -> Passage | None:
    """The best passage of the turn, but for the one that it cites, that has not the sentence word for word."""
    own, said = turn.answer.sources[claim.cites[0] - 1].id, same_words(claim.text)
    return next((one for one in turn.passages if one.id != own and said not in same_words(one.text)), None)


def share(flags: Iterable[bool]) -> float:
    """The share of flags that are true; 0 if there are none."""
    counted = list(flags)
    return sum(counted) / len(counted) if counted else 0.0


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(_ARTICLE.sub(" ", " ".join(_WORD.findall(text.casefold())))))


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""

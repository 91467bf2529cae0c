"""What of an answer is shown in bold, fitted on questions whose answers are spans of a passage.

    python -m tests.training.spans DATA LIBRARIES             writes agent/answer/bold_spans.json
    python -m tests.training.spans DATA LIBRARIES --measure   fits nothing: how good the shipped one is on dev documents

DATA holds `qa/spans.jsonl.gz`, of whose sets with short answers `MOST` training questions are asked of their own
passage, and `musique`, LIBRARIES a library of that by the same name: its questions, and the project's own
conversations, are asked as in a turn. What is quoted is looked at: what lacks the answer teaches that nothing is to be
shown.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from clew.agent.answer.answer_type import AnswerType, answer_type
from clew.agent.answer.bold_spans import FEATURES, SHIPPED, SpanKind, candidates, features, likeliest, span_kind
from clew.agent.answer.evidence import Evidence, Request, request_of
from clew.agent.answer.quoted import evidence_for, excerpt_claims
from clew.agent.answer.selection import AnswerParameters, pick
from clew.agent.assistant import Assistant
from clew.agent.evaluation.answer_metrics import read_labels, span_f1
from clew.agent.evaluation.dataset import read_dataset
from clew.agent.evaluation.evaluate import searched
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.agent.state import Turn
from clew.memory.dialogue.signals import Linear
from clew.memory.ports import Encoder
from clew.memory.text import content_words
from tests.training.asked_turns import QUESTIONS, AskedTurn, of_turns
from tests.training.reader import OWN, evidence_of_passage
from tests.training.records import Record, answerable
from tests.training.trainer import trainer

SETS = ("squad2_dev_half", "nq_oracle", "qed_dev", "covidqa")
OTHER = "other passage"
"""Every second question is asked of a passage that does not answer it as well."""

HOPS = "musique"
"""Its questions take several steps, so that most answers to them are elsewhere."""

MOST, DEV = 300, 150
RIGHT = 0.5
"""The F1 with an answer from which a candidate is right."""

C = 0.3
SURE = 0.4
"""How likely a candidate has to be at least."""

NAMES = ("name", "person")
"""What names are learned of: questions for the names of things are few."""

FEWEST = 60
"""Candidates of a kind that something is learned of; code, of which there are none, is taken as it comes."""


@dataclass(frozen=True, slots=True)
class SpanExample:
    """`texts` are the claims of the unit that is quoted first; `answers` the right ones."""

    kind: SpanKind
    question: str
    asked: AnswerType
    texts: tuple[str, ...]
    answers: tuple[str, ...]
    set: str
    around: str = ""
    must: tuple[str, ...] = ()

    def worth(self, span: str) -> float:
        """1 for what matches a pattern of what has to be there, where there are such; else the F1 with an answer."""
        if self.must:
            return float(any(re.search(pattern, span, re.IGNORECASE) for pattern in self.must))
        return max((span_f1(span, answer) for answer in self.answers), default=0.0)


def made(data: Path, libraries: Path) -> dict[Path, str]:
    of_spans = examples(data, "train", MOST, encoder_for(read_settings()))
    fitted = train([*of_spans, *of_data_set(data / HOPS, libraries / HOPS), *of_conversations()])
    return {SHIPPED: json.dumps(fitted, indent=1) + "\n"}


def examples(data: Path, split: str, most: int, encoder: Encoder) -> Iterator[SpanExample]:
    """Those whose question asks for a known kind of thing, so many of each set by a hash."""
    for name, records in answerable(data / "qa" / "spans.jsonl.gz", split, SETS).items():
        other = _OtherPassage(records)
        kinds = ((record, span_kind(record["question"], answer_type(record["question"]))) for record in records)
        known = islice(((record, kind) for record, kind in kinds if kind is not None), most)
        for number, (record, kind) in enumerate(known):
            question, answers = record["question"], tuple(answer["text"] for answer in record["answers"])
            passages = {name: record} if number % 2 else {name: record, OTHER: other.of(question, answers)}
            for of, passage in passages.items():
                texts, around = _said(question, passage, encoder)
                yield SpanExample(kind, question, answer_type(question), texts, answers, of, around)


def of_data_set(dataset: Path, library: Path) -> Iterator[SpanExample]:
    """The questions of a data set with answers, as a turn finds what it quotes."""
    labels = read_labels(dataset)
    with Assistant.open(read_settings(library=library)) as assistant:
        for question in read_dataset(dataset).everything:
            turn = searched(assistant.services, question.text, question.history)
            made = _of_turn(turn, evidence_for(turn, assistant.services), dataset.name)
            if made:
                yield replace(made, answers=(labels[question.id].answer,))


def of_conversations() -> Iterator[SpanExample]:
    """The project's own; of what they do not answer nothing is right."""
    return of_turns(_span_turn, (QUESTIONS,))


def _span_turn(one: AskedTurn) -> SpanExample | None:
    made = _of_turn(one.turn, one.evidence, OWN)
    return made and replace(made, must=tuple(chain.from_iterable(one.case["must"])))


def _of_turn(turn: Turn, evidence: Evidence, name: str) -> SpanExample | None:
    wanted = answer_type(turn.rewritten)
    kind = span_kind(turn.rewritten, wanted)
    units = [one.excerpt for one in pick(request_of(turn), evidence, AnswerParameters(), 3)] if kind else []
    if kind is None or not units:
        return None
    texts = tuple(claim.text for unit in units for claim in excerpt_claims(unit, "d", 1, set()))
    around = " ".join(f"{evidence.passages[unit.candidate.passage].title} {unit.candidate.head}" for unit in units)
    return SpanExample(kind, turn.rewritten, wanted, texts, (), name, around)


class _OtherPassage:
    """Of a set's passages those that share most words with a question, by their rarity, and lack its answer."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = list({record["passage"]: record for record in records}.values())
        self._words = [frozenset(content_words(f"{r['title']} {r['passage']}")) for r in self._records]
        self._counts = Counter(chain.from_iterable(self._words))

    def of(self, question: str, answers: Sequence[str]) -> Record:
        stems = set(content_words(question))
        shared = [sum(1 / self._counts[stem] ** 0.5 for stem in stems & words) for words in self._words]
        order = np.argsort(-np.array(shared), kind="stable")
        return next(self._records[n] for n in order if not any(a in self._records[n]["passage"] for a in answers))


def _said(question: str, record: Mapping[str, Any], encoder: Encoder) -> tuple[tuple[str, ...], str]:
    """The claims that are quoted of a passage, and what stands above them."""
    evidence = evidence_of_passage(record["title"], record["passage"], encoder)
    found = pick(Request(question, question), evidence, AnswerParameters(), 1)[:1]
    claims = [claim.text for one in found for claim in excerpt_claims(one.excerpt, "d", 1, set())]
    return tuple(claims), " ".join((record["title"], *(one.excerpt.candidate.head for one in found)))


def train(known: Sequence[SpanExample]) -> dict[str, Any]:
    """The content of `bold_spans.json`."""
    from sklearn.linear_model import LogisticRegression

    made: dict[str, Any] = {"code": {"model": asdict(Linear(0.0, {"near": 1.0})), "least": -1.0}}
    for kind in sorted({one.kind for one in known} - {"code"}):
        rows, right = [], []
        alike = NAMES if kind == "name" else (kind,)
        for one in known:
            whole = " ".join((one.around, *one.texts))
            for text in one.texts if one.kind in alike else ():
                for start, end in candidates(kind, one.question, text):
                    rows.append(features(kind, one.question, one.asked, text, (start, end), whole))
                    right.append(one.worth(text[start:end]) >= RIGHT)
        values = np.array(rows)
        if len(rows) < FEWEST:
            continue
        deviation = values.std(axis=0)
        deviation[deviation < 1e-3] = np.inf
        model = LogisticRegression(C=C, max_iter=2000).fit(values / deviation, right)
        weights = dict(zip(FEATURES, (round(float(w), 3) for w in model.coef_[0] / deviation), strict=True))
        kept = {name: weight for name, weight in weights.items() if weight}
        least = round(float(np.log(SURE / (1 - SURE))), 3)
        made[kind] = {"model": asdict(Linear(round(float(model.intercept_[0]), 3), kept)), "least": least}
    return made


def report(data: Path, _: Path) -> Iterator[str]:
    """Of each set and kind of dev documents: questions, the share with a span, and the mean F1 of those."""
    known = list(examples(data, "dev", DEV, encoder_for(read_settings())))
    groups: Mapping[str, list[SpanExample]] = {
        name: [one for one in known if name == one.set or (name == one.kind and one.set != OTHER)]
        for name in (*SETS, OTHER, *dict.fromkeys(one.kind for one in known))
    }
    for name, own in groups.items():
        shown = [(one, likeliest(one.kind, one.question, one.asked, one.texts, one.around)) for one in own]
        found = [one.worth(one.texts[at[0]][slice(*at[1])]) for one, at in shown if at]
        f1 = float(np.mean(found)) if found else 0.0
        yield f"{name:18}{len(own):5} questions   shown {len(found) / max(1, len(own)):.3f}   f1 {f1:.3f}"


main = trainer(__doc__, made, report)

if __name__ == "__main__":
    main()

"""What of an answer is shown in bold, fitted on questions whose answers are spans of a passage.

    python -m tests.training.spans DATA            writes agent/answer/bold_spans.json
    python -m tests.training.spans DATA --measure  fits nothing: how good the shipped one is on dev documents

DATA holds `qa/spans.jsonl.gz`, of whose sets with short answers `MOST` training questions are read together with the
sentence that holds the answer; of a question that is not answered with the sentence that has most of its words, and
every third with another sentence too: in these nothing is to be shown.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from clew.agent.answer.reader import SPANS, headed, likeliest, shipped_pairs
from clew.agent.evaluation.answer_metrics import span_f1
from clew.memory.language.answer_type import answer_type
from clew.memory.text import Span, content_words, split
from tests.training.records import Record, by_set, hashed
from tests.training.trainer import trainer

SETS = ("squad2_dev_half", "nq_oracle", "qed_dev", "covidqa")
MOST, DEV = 700, 150
LONGEST = 8
"""Words of an answer that may be bold."""

C, STEPS = 0.01, 40


@dataclass(frozen=True, slots=True)
class SpanExample:
    """A sentence under the title of its document; `answers` are the places of the right parts, none in most."""

    set: str
    question: str
    title: str
    text: str
    answers: tuple[Span, ...]

    def worth(self, span: Span) -> float:
        """The F1 with the nearest answer."""
        found = (span_f1(self.text[slice(*span)], self.text[slice(*answer)]) for answer in self.answers)
        return max(found, default=0.0)


def made(data: Path, _: Path) -> dict[Path, str]:
    return {SPANS: json.dumps(train(list(examples(data, "train", MOST)))) + "\n"}


def examples(data: Path, split: str, most: int) -> Iterator[SpanExample]:
    """Of each set so many questions by a hash."""
    for records in by_set(data / "qa" / "spans.jsonl.gz", split, SETS).values():
        records.sort(key=lambda one: hashed(one["id"]))
        made = [found for record in records if (found := list(_of_record(record)))][:most]
        for number, (first, *others) in enumerate(made):
            yield from (first, *others[: number % 3 == 0])


def _of_record(record: Record) -> Iterator[SpanExample]:
    """The sentence that is read, and another one of its passage."""
    passage, question, spans = record["passage"], record["question"], split(record["passage"])
    answers = [(one["start"], one["start"] + len(one["text"])) for one in record["answers"]]
    if any(len(one["text"].split()) > LONGEST for one in record["answers"]):
        return
    asked = set(content_words(question))
    held = [len(asked & set(content_words(passage[start:end]))) for start, end in spans]
    inside = [tuple((a - start, b - start) for a, b in answers if start <= a and b <= end) for start, end in spans]
    read = max(range(len(spans)), key=lambda place: (len(inside[place]) > 0, held[place]))
    if answers and not inside[read]:
        return
    others = [place for place in range(len(spans)) if place != read and not inside[place]]
    for place in (read, *others[len(passage) % len(others) :][:1]) if others else (read,):
        text = passage[slice(*spans[place])]
        yield SpanExample(record["set"], question, record["title"], text, inside[place])


def train(known: Sequence[SpanExample]) -> dict[str, Any]:
    """The content of `bold_spans.json`."""
    from sklearn.linear_model import LogisticRegression

    pairs, values, right = shipped_pairs(), [], []
    assert pairs, "the packaged MiniLM is not installed"
    for one in known:
        states, offsets = pairs.states(one.question, headed(one.title, one.text))
        before = len(headed(one.title, one.text)) - len(one.text)
        for state, (start, end) in zip(states, offsets, strict=True):
            if start >= before:
                values.append(state)
                right.append(any(start - before < b and a < end - before for a, b in one.answers))
    found = np.array(values, np.float32)
    mean, deviation = found.mean(axis=0), found.std(axis=0) + 1e-6
    model = LogisticRegression(C=C, max_iter=STEPS).fit((found - mean) / deviation, right)
    weights = model.coef_[0] / deviation
    bias = round(float(model.intercept_[0] - weights @ mean), 4)
    return {"bias": bias, "weights": [round(float(weight), 4) for weight in weights]}


def measured(data: Path, _: Path) -> Iterator[str]:
    """Of each set, of questions that ask for a known kind of thing: the share with a part in bold and the mean F1 of
    those; and the share of the sentences without an answer that have one."""
    known = [one for one in examples(data, "dev", DEV) if answer_type(one.question).expected]
    shown = [(one, likeliest(one.question, [one.title], [one.text])) for one in known]
    for name in SETS:
        answered = [(one, at) for one, at in shown if one.set == name and one.answers]
        worth = [one.worth(at[1]) for one, at in answered if at]
        wrong = [float(bool(at)) for one, at in shown if one.set == name and not one.answers]
        yield (
            f"{name:18}{len(answered):5} questions   shown {len(worth) / max(1, len(answered)):.3f}"
            f"   f1 {np.mean(worth or [0]):.3f}   of no answer {np.mean(wrong or [0]):.3f}"
        )


main = trainer(str(__doc__), made, measured)

if __name__ == "__main__":
    main()

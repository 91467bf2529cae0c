"""The reader: which candidate of a turn's evidence answers, learned from questions of which that is known.

    python -m tests.training.reader DATA             writes agent/answer/reader.json
    python -m tests.training.reader DATA --crossval  each collection, and each set, by what was fitted on others

DATA holds `qa/spans.jsonl.gz`, of whose sets `MOST` questions each are read from their own passage; the project's own
conversations (`asked_turns.py`) are searched as in a turn. A candidate is right where it holds a span of the
answer, or its unit all that the answer must hold.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from clew.agent.answer.evidence import Evidence, Request, encoded_request, request_of
from clew.agent.answer.reader import FEATURES, SHIPPED, Reader, features, with_head
from clew.agent.answer.selection import excerpt_of
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Document, Floats, Passage
from clew.memory.language.answer_type import answer_type
from clew.memory.ports import Encoder
from clew.memory.text import Span
from tests.training.asked_turns import QUESTIONS, UNPAIRED, WIDE, AskedTurn, answers, of_turns
from tests.training.records import answerable
from tests.training.trainer import trainer

OWN = "own"
LEARNED = (QUESTIONS, *WIDE[:3])
"""Of the project's own conversations; those of `further.jsonl` are worth nothing more to it (docs/journal.md)."""

MOST = 1500
OWN_SHARE = 0.75
"""Of what a step reads, the project's own questions; the rest are of all sets of `qa` alike."""

HIDDEN, DROPOUT = (32, 32), 0.2
BATCH, PASSES, RATE, DECAY = 64, 30, 2e-3, 0.01
SEED, FOLDS = 0, 5
TOGETHER = 1.0
"""What the score of question and candidate read together (`tests.training.pairs`) counts beside the rest."""


@dataclass(frozen=True, slots=True, eq=False)
class ReadExample:
    """`found` are the features of its candidates, shape (candidates, `FEATURES`); `right` has a value for each
    candidate, and `texts` its text below what stands above it."""

    set: str
    collection: str
    question: str
    texts: tuple[str, ...]
    found: Floats
    right: NDArray[np.bool_]


def made(data: Path, _: Path) -> dict[Path, str]:
    return {SHIPPED: to_json(fit(read_examples(data)))}


def to_json(made: Reader) -> str:
    """As it ships."""
    layers = [{"weights": one.round(4).tolist(), "biases": bias.round(4).tolist()} for one, bias in made.layers]
    return json.dumps({"features": made.features, "layers": layers, "together": made.together}) + "\n"


def read_examples(data: Path) -> list[ReadExample]:
    return [*of_spans(data, "train", encoder_for(read_settings())), *of_own(LEARNED)]


def read_example(
    set_: str, collection: str, wanted: Request, evidence: Evidence, right: NDArray[np.bool_]
) -> ReadExample:
    encoded = encoded_request(wanted, evidence)
    texts = tuple(with_head(evidence, place) for place in range(len(evidence.candidates)))
    return ReadExample(set_, collection, encoded.question, texts, features(encoded, evidence), right)


def of_spans(data: Path, split: str, encoder: Encoder, most: int = MOST) -> Iterator[ReadExample]:
    """Questions with answers in one passage, so many of each set by a hash."""
    for name, records in answerable(data / "qa" / "spans.jsonl.gz", split).items():
        for record in records[:most]:
            evidence = evidence_of_passage(record["title"], record["passage"], encoder)
            spans = [(answer["start"], answer["start"] + len(answer["text"])) for answer in record["answers"]]
            wanted = Request(record["question"], record["question"])
            yield read_example(name, name, wanted, evidence, holding(evidence, spans))


def holding(evidence: Evidence, answers: Sequence[Span]) -> NDArray[np.bool_]:
    """Whether each candidate shares a character with one of the answers."""
    ends = [
        (candidate.position, candidate.position + candidate.span[1] - candidate.span[0])
        for candidate in evidence.candidates
    ]
    return np.array([any(first < end and start < last for start, end in answers) for first, last in ends], bool)


def evidence_of_passage(title: str, text: str, encoder: Encoder) -> Evidence:
    passage = Passage("d#0", "d", title, text, 0.6, "hybrid", start=0, end=len(text))
    return Evidence((passage,), encoder, {"d": Document("d", title, text)})


def of_own(files: Sequence[Path]) -> Iterator[ReadExample]:
    """The project's own questions that are learned from."""
    return of_turns(read_turn, files, UNPAIRED)


def read_turn(one: AskedTurn) -> ReadExample | None:
    """Where nothing is to be answered nothing is right; None where no candidate holds the answer."""
    wanted = request_of(one.turn)
    right = _right(one, answer_type(wanted.rewritten).form == "list")
    if not right.any() and one.case["must"]:
        return None
    return read_example(OWN, one.case["collection"], wanted, one.evidence, right)


def _right(one: AskedTurn, wants_list: bool) -> NDArray[np.bool_]:
    if not one.case["must"]:
        return np.zeros(len(one.evidence.candidates), bool)
    found = []
    for candidate in one.evidence.candidates:
        units = [excerpt_of(candidate, whole_list=whole) for whole in {False, wants_list}]
        found.append(any(answers(one.case, " ".join(unit.texts)) for unit in units))
    return np.array(found, bool)


def fit(examples: Sequence[ReadExample]) -> Reader:
    """By which right candidates are likely under a softmax over all candidates of a question (listwise: Cao et al.
    2007)."""
    import torch
    from torch import nn
    from torch.nn.utils.rnn import pad_sequence

    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    kept = [one for one in examples if one.right.any() and not one.right.all()]
    sizes = Counter(one.set == OWN for one in kept)
    drawn = torch.tensor([(OWN_SHARE if one.set == OWN else 1 - OWN_SHARE) / sizes[one.set == OWN] for one in kept])
    every = np.concatenate([one.found for one in kept])
    mean, deviation = every.mean(axis=0), every.std(axis=0)
    deviation[deviation < 1e-3] = np.inf
    found = [torch.tensor((one.found - mean) / deviation, dtype=torch.float32) for one in kept]
    right = [torch.tensor(one.right) for one in kept]
    sizes_of = [len(FEATURES), *HIDDEN, 1]
    linear = [nn.Linear(before, behind) for before, behind in pairwise(sizes_of)]
    between = [layer for one in linear[:-1] for layer in (one, nn.GELU(approximate="tanh"), nn.Dropout(DROPOUT))]
    network = nn.Sequential(*between, linear[-1])
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    steps = int(PASSES * len(kept) / BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps + 1)
    for _ in track(range(steps), "Fitting", console=Console(stderr=True)):
        batch = torch.multinomial(drawn, BATCH, replacement=True).tolist()
        there = pad_sequence([torch.ones(len(right[n]), dtype=torch.bool) for n in batch], batch_first=True)
        answers = pad_sequence([right[n] for n in batch], batch_first=True)
        scores = network(pad_sequence([found[n] for n in batch], batch_first=True))[..., 0].masked_fill(~there, -1e9)
        likely = torch.logsumexp(scores.masked_fill(~answers, -1e9), 1) - torch.logsumexp(scores, 1)
        optimiser.zero_grad()
        (-likely.mean()).backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        schedule.step()
    layers = [(one.weight.detach().double().numpy(), one.bias.detach().double().numpy()) for one in linear]
    (first, bias), *rest = layers
    return Reader(FEATURES, [(first / deviation, bias - first @ (mean / deviation)), *rest], TOGETHER)


def report(data: Path, _: Path) -> Iterator[str]:
    """The share of questions whose right candidate is the first, and among the first three."""
    from sklearn.model_selection import GroupKFold

    examples = read_examples(data)
    for known, held_out in GroupKFold(FOLDS).split(examples, groups=[one.collection for one in examples]):
        without = fit([examples[place] for place in known])
        asked_of = [examples[place] for place in held_out if examples[place].right.any()]
        for name in sorted({one.collection for one in asked_of}):
            own = [one for one in asked_of if one.collection == name]
            first, three = hit(own, without, 1), hit(own, without, 3)
            yield f"{name:20} {len(own):4} questions   first {first:.3f}   in 3 {three:.3f}"


def hit(examples: Sequence[ReadExample], reader: Reader, first: int) -> float:
    return float(np.mean([one.right[np.argsort(-reader.scores(one.found))[:first]].any() for one in examples]))


main = trainer(__doc__, made, report)

if __name__ == "__main__":
    main()

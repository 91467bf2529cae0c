"""The reader: which core of a turn's evidence answers, learned from questions of which that is known.

    python -m tests.training.reader DATA             writes agent/answer/reader.json
    python -m tests.training.reader DATA --crossval  each collection, and each set, by what was fitted without it

DATA holds `qa/spans.jsonl.gz`, of whose sets `MOST` questions each are read from their own passage; the project's own
conversations (`tests/training/conversations`) are searched as in a turn. A core is right where it holds a span of the
answer, or its unit all that the answer must hold.
"""

import gzip
import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from clew.agent.answer.asked import asked
from clew.agent.answer.evidence import Evidence, evidence_of
from clew.agent.answer.reader import FEATURES, SHIPPED, Reader, features, with_head
from clew.agent.answer.selection import Wanted, sought_of, wanted_of
from clew.agent.answer.units import unit_of
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Document, Floats, Passage
from clew.memory.errors import ClewError
from clew.memory.ports import Encoder
from clew.memory.text import Span
from tests.training.asked_turns import QUESTIONS, VARIED, AskedTurn, asked_turns

OWN = "own"
MOST = 150
WORTH = {OWN: 6.0}
"""What a set counts where that is not 1."""

L2 = 0.01
TOGETHER = 0.5
"""What the score of question and core read together (`tests.training.pairs`) counts beside the rest."""

UNUSED = ("date_only",)
"""Features that nothing is learned of: the conversations have too few of them."""


@dataclass(frozen=True, slots=True, eq=False)
class ReadExample:
    """`found` are the features of its cores, shape (cores, `FEATURES`); `right` has a value for each core, and `texts`
    its text below what stands above it."""

    set: str
    collection: str
    question: str
    texts: tuple[str, ...]
    found: Floats
    right: NDArray[np.bool_]


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--crossval", is_flag=True, help="Report, and write nothing.")
def main(data: Path, crossval: bool) -> None:
    try:
        encoder = encoder_for(read_settings())
        examples = [*of_spans(data / "qa" / "spans.jsonl.gz", "train", encoder), *of_conversations()]
        for line in report(examples) if crossval else ():
            click.echo(line)
        if not crossval:
            made = replace(fit(examples), together=TOGETHER)
            SHIPPED.write_text(json.dumps(asdict(made), indent=2) + "\n", "utf-8")
            click.echo(f"fitted on {len(examples)} questions: {SHIPPED}")
    except ClewError as error:
        raise click.ClickException(str(error)) from error


def read_example(
    set_: str, collection: str, wanted: Wanted, evidence: Evidence, right: NDArray[np.bool_]
) -> ReadExample:
    sought = sought_of(wanted, evidence)
    texts = tuple(with_head(evidence, place) for place in range(len(evidence.cores)))
    return ReadExample(set_, collection, sought.question, texts, features(sought, evidence), right)


def of_spans(spans: Path, split: str, encoder: Encoder, most: int = MOST) -> Iterator[ReadExample]:
    """Questions with answers in one passage, so many of each set by a hash."""
    by_set: dict[str, list[dict]] = {}  # type: ignore[type-arg]
    with gzip.open(spans, "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if record["split"] == split and record["answerable"]:
                by_set.setdefault(record["set"], []).append(record)
    for name, records in by_set.items():
        for record in sorted(records, key=lambda one: hashlib.sha256(one["id"].encode()).hexdigest())[:most]:
            evidence = evidence_of_passage(record["title"], record["passage"], encoder)
            answers = [(answer["start"], answer["start"] + len(answer["text"])) for answer in record["answers"]]
            wanted = Wanted(record["question"], record["question"])
            yield read_example(name, name, wanted, evidence, holding(evidence, answers))


def holding(evidence: Evidence, answers: Sequence[Span]) -> NDArray[np.bool_]:
    """Whether each core shares a character with one of the answers."""
    ends = [(core.position, core.position + core.span[1] - core.span[0]) for core in evidence.cores]
    return np.array([any(first < end and start < last for start, end in answers) for first, last in ends], bool)


def evidence_of_passage(title: str, text: str, encoder: Encoder) -> Evidence:
    passage = Passage("d#0", "d", title, text, 0.6, "hybrid", start=0, end=len(text))
    return evidence_of([passage], encoder, [Document("d", title, text)])


def of_conversations(*questions: Path) -> Iterator[ReadExample]:
    """Where nothing is to be answered nothing is right; questions whose answer no core holds are left out."""
    for one in chain.from_iterable(map(asked_turns, questions or (QUESTIONS, VARIED))):
        wanted = wanted_of(one.turn)
        right = _right(one, asked(wanted.rewritten).form == "list")
        if right.any() or not one.case["must"]:
            yield read_example(OWN, one.case["collection"], wanted, one.evidence, right)


def _right(one: AskedTurn, wants_list: bool) -> NDArray[np.bool_]:
    if not one.case["must"]:
        return np.zeros(len(one.evidence.cores), bool)
    found = []
    for core in one.evidence.cores:
        units = [unit_of(core, whole_list=whole) for whole in {False, wants_list}]
        found.append(any(_matches(one, " ".join(unit.texts)) for unit in units))
    return np.array(found, bool)


def _matches(one: AskedTurn, text: str) -> bool:
    plain = " ".join(unicodedata.normalize("NFKC", text).replace("\u2019", "'").replace("`", "").split())

    def held(patterns: Sequence[str]) -> bool:
        return any(re.search(pattern, plain, re.IGNORECASE | re.DOTALL) for pattern in patterns)

    return all(map(held, one.case["must"])) and not held(one.case["must_not"])


def fit(examples: Sequence[ReadExample]) -> Reader:
    """The weights by which right cores are likely under a softmax over all cores of a question; sets count alike, but
    for `WORTH`."""
    import torch

    torch.set_num_threads(1)
    kept = [one for one in examples if one.right.any() and not one.right.all()]
    sizes = Counter(one.set for one in kept)
    worth = torch.tensor([WORTH.get(one.set, 1.0) / sizes[one.set] for one in kept], dtype=torch.float32)
    worth /= worth.sum()
    deviation = np.concatenate([one.found for one in kept]).std(axis=0)
    deviation[deviation < 1e-3] = np.inf
    deviation[[FEATURES.index(name) for name in UNUSED]] = np.inf
    shape = len(kept), max(len(one.right) for one in kept)
    found, right = torch.zeros(*shape, len(FEATURES)), torch.zeros(shape, dtype=torch.bool)
    there = torch.zeros(shape, dtype=torch.bool)
    for place, one in enumerate(kept):
        count = len(one.right)
        found[place, :count] = torch.tensor(one.found / deviation, dtype=torch.float32)
        right[place, :count] = torch.tensor(one.right)
        there[place, :count] = True
    weights = torch.zeros(len(FEATURES), requires_grad=True)
    optimiser = torch.optim.LBFGS([weights], max_iter=150, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        likely = torch.log_softmax((found @ weights).masked_fill(~there, -1e9), dim=1)
        value = -(torch.logsumexp(likely.masked_fill(~right, -1e9), dim=1) * worth).sum() + L2 * (weights**2).sum()
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimiser.step(loss)  # type: ignore[no-untyped-call]
    raw = weights.detach().numpy() / deviation
    return Reader({name: round(float(weight), 3) for name, weight in zip(FEATURES, raw, strict=True)})


def report(examples: Sequence[ReadExample]) -> Iterator[str]:
    """The share of questions whose right core is the first, and among the first three."""
    for name in sorted({one.collection for one in examples}):
        own = [one for one in examples if one.collection == name and one.right.any()]
        without = fit([one for one in examples if one.collection != name])
        yield f"{name:20} {len(own):4} questions   first {hit(own, without, 1):.3f}   in 3 {hit(own, without, 3):.3f}"


def hit(examples: Sequence[ReadExample], reader: Reader, first: int) -> float:
    return float(np.mean([one.right[np.argsort(-reader.scores(one.found))[:first]].any() for one in examples]))


if __name__ == "__main__":
    main()

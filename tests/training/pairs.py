"""The layers that read a question and a candidate together, for `agent/answer/pairs.safetensors`.

    python -m tests.training.pairs DATA               writes that file: ten minutes with a GPU, a day on two candidates
    python -m tests.training.pairs DATA --crossval    the sets in two halves, each by what was fitted on the other

DATA holds `qa`: questions with spans of `MOST` of each set, and the first questions of conversations over forms and
guides, in each of which a candidate is right. To these come the project's own questions but those over collections that
are `UNPAIRED`, where none may be: then none is what is to be told.

It is distillation (Hinton et al. 2015, arXiv:1503.02531) from teachers that had not seen the question. Of all
collections a quarter is left out in turn, and all layers of the packaged encoder are fitted on the rest; what these
teachers hold of the questions left out is what the upper `UPPER` layers are then to say, as much as what is right. So a
candidate that holds the answer's words by chance, or one that answers too, is not told apart as if that were sure.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from safetensors.torch import load_file, save
from torch import nn
from torch.nn.utils.rnn import pad_sequence

from clew.agent.answer.evidence import Request
from clew.agent.answer.reader import LONGEST_QUESTION, LONGEST_TEXT, PAIRS, READ_TOGETHER, Reader, shipped_reader
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.encoding import packaged_minilm
from clew.memory.minilm import BEGIN, END
from clew.memory.ports import Encoder
from tests.training.asked_turns import QUESTIONS, WIDE
from tests.training.made_sets import DOC2DIAL
from tests.training.reader import OWN, ReadExample, evidence_of_passage, holding, of_own, of_spans, read_example
from tests.training.records import by_set, part_of
from tests.training.trainer import trainer

MOST = 1500
MOST_GUIDES, AROUND = 500, 3000
"""Conversations over guides whose first questions are learned from, and characters that are read around an answer."""

UPPER = 4
"""Layers that are fitted and shipped."""

TEACHERS = 4
BATCH, PARTS = 64, 4
"""Questions of a step, and parts that a step is read in."""

SEED = 0
MOST_RIGHT, NEAREST, OTHERS = 4, 20, 6
"""Of a question's candidates, those that are read to learn: the likeliest right ones by the features alone (others may
hold the answer's words by chance), the likeliest wrong ones, and some of the rest."""

DRAWN_RIGHT, DRAWN_NEAREST = 3, 12
"""The first of them, of which a step draws."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Of a question with some of its candidates, the first `right` of which are right; whether `none` may be."""

    question: str
    texts: tuple[str, ...]
    right: int
    none: bool


@dataclass(frozen=True, slots=True)
class FitParameters:
    """A step tells a right candidate from `others` wrong ones, `hard` of them of the likeliest; `passes` is how often
    each question comes. Rates are those of the layers and of what makes a number of them."""

    passes: float
    rate: float
    rate_out: float = 6e-4
    others: int = 6
    hard: int = 4


TEACHER = FitParameters(passes=3, rate=1e-4)
TAUGHT = FitParameters(passes=5, rate=2e-4)
TAUGHT_SHARE = 0.5
"""What the teachers' word counts beside what is right."""

Pair = tuple[list[int], int]
"""Word pieces with the special ones, and where the second text begins."""


class Layers(nn.Module):
    """MiniLM over pairs; what it gives is a number for each, the log odds that it answers and not nothing. Fitted are
    its upper layers, or the `whole` of it."""

    def __init__(self, folder: Path, *, whole: bool = False) -> None:
        from tokenizers import Tokenizer
        from transformers import AutoModel

        super().__init__()
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.model: Any = AutoModel.from_pretrained(str(folder))
        self.model.requires_grad_(whole)
        self.upper = self.model.encoder.layer[-UPPER:].requires_grad_(True)
        self.pair = nn.Linear(self.model.config.hidden_size, 1)
        nn.init.normal_(self.pair.weight, std=0.02)
        nn.init.zeros_(self.pair.bias)

    def pairs(
        self, question: str, texts: Sequence[str], longest: tuple[int, int] = (LONGEST_QUESTION, LONGEST_TEXT)
    ) -> list[Pair]:
        first, second = longest
        asked, *found = (e.ids for e in self.tokenizer.encode_batch([question, *texts], add_special_tokens=False))
        before = [BEGIN, *asked[:first], END]
        return [([*before, *text[:second], END], len(before)) for text in found]

    def forward(self, pairs: Sequence[Pair]) -> torch.Tensor:
        """A number for each; those of like length are read together."""
        order = np.argsort([len(ids) for ids, _ in pairs], kind="stable")
        found = [self._read([pairs[n] for n in part]) for part in np.array_split(order, PARTS) if len(part)]
        return torch.cat(found)[torch.from_numpy(np.argsort(order)).to(self.pair.weight.device)]

    def _read(self, pairs: Sequence[Pair]) -> torch.Tensor:
        device, sizes = self.pair.weight.device, torch.tensor([len(ids) for ids, _ in pairs])
        ids = pad_sequence([torch.tensor(pieces) for pieces, _ in pairs], batch_first=True).to(device)
        columns, seconds = torch.arange(ids.shape[1]), torch.tensor([second for _, second in pairs])
        there = (columns < sizes[:, None]).long().to(device)
        kinds = (columns >= seconds[:, None]).long().to(device) * there
        with torch.autocast(device.type, torch.bfloat16, enabled=self.training and _halves_well(device)):
            states = self.model(input_ids=ids, attention_mask=there, token_type_ids=kinds).last_hidden_state
        means = (states.float() * there[:, :, None]).sum(1) / there.sum(1, keepdim=True)
        scores: torch.Tensor = self.pair(means)[:, 0]
        return scores

    def shipped(self) -> dict[str, torch.Tensor]:
        """What the product reads: the upper layers, by the names that they have in the encoder, and the last one."""
        first = len(self.model.encoder.layer) - UPPER
        upper = {f"encoder.layer.{first + n}." for n in range(UPPER)}
        found = {name.removeprefix("model."): tensor for name, tensor in self.state_dict().items()}
        return {
            name: tensor.to(torch.float16).contiguous()
            for name, tensor in found.items()
            if name.startswith(("pair.", *upper))
        }


def _halves_well(device: torch.device) -> bool:
    """Whether products in bfloat16 are faster than in float32; a processor that has no AVX-512 takes thirty times as
    long for them."""
    return device.type != "cpu" or torch.backends.cpu.get_cpu_capability() == "AVX512"


def made(data: Path, _: Path) -> dict[Path, bytes]:
    return {PAIRS: save(fitted(read_examples(data, encoder_for(read_settings()))).shipped())}


def read_examples(data: Path, encoder: Encoder) -> list[ReadExample]:
    return [*of_spans(data, "train", encoder, MOST), *of_guides(data, encoder), *of_own((QUESTIONS, *WIDE))]


def asked_of(data: Path, encoder: Encoder, fitted_on: Sequence[ReadExample]) -> list[ReadExample]:
    """Held-out spans, and the project's own among what is fitted on."""
    own = (one for one in fitted_on if one.set == OWN)
    return [*of_spans(data, "dev", encoder), *own]


def of_guides(data: Path, encoder: Encoder) -> Iterator[ReadExample]:
    """The first questions of conversations, each read from what stands around its answer."""
    records = by_set(data / "qa" / "conversations.jsonl.gz", "train", (DOC2DIAL,))[DOC2DIAL]
    grounded = (one for one in records if one["turns"][0]["span"] and len(one["turns"][0]["question"].split()) >= 5)
    for record in islice(grounded, MOST_GUIDES):
        question, span = record["turns"][0]["question"], record["turns"][0]["span"]
        start = max(0, span["start"] - AROUND)
        text = record["passage"][start : span["end"] + AROUND]
        evidence = evidence_of_passage(record["title"].split("#")[0], text, encoder)
        right = holding(evidence, [(span["start"] - start, span["end"] - start)])
        yield read_example(DOC2DIAL, DOC2DIAL, Request(question, question), evidence, right)


def fitted(examples: Sequence[ReadExample]) -> Layers:
    kept = [one for one in examples if is_learned_from(one)]
    drawn = random.Random(SEED)
    questions = [candidates(one, drawn, shipped_reader()) for one in kept]
    # An own collection's stay together; of a set of `qa`, which is one, each document's question is another matter.
    folds = [part_of(one.collection if one.set == OWN else one.question, TEACHERS) for one in kept]
    taught: dict[int, NDArray[np.float32]] = {}
    for fold in range(TEACHERS):
        known, held_out = ([n for n, its in enumerate(folds) if (its == fold) == out] for out in (False, True))
        teacher = fit(new_layers(SEED + fold, whole=True), [questions[n] for n in known], TEACHER)
        taught |= {n: _read_by(teacher, questions[n]) for n in held_out}
    return fit(new_layers(SEED), questions, TAUGHT, [taught[n] for n in range(len(questions))]).cpu()


def is_learned_from(one: ReadExample) -> bool:
    return not one.right.all() and (bool(one.right.any()) or one.set == OWN)


def new_layers(seed: int, *, whole: bool = False) -> Layers:
    folder = packaged_minilm()
    torch.manual_seed(seed)
    return Layers(folder, whole=whole).to("cuda" if torch.cuda.is_available() else "cpu")


def candidates(one: ReadExample, drawn: random.Random, reader: Reader) -> Candidates:
    """What is read of a question to learn, the likeliest by the features first."""
    alone = reader.scores(one.found)
    ordered = np.argsort(-alone, kind="stable").tolist()
    right = [n for n in ordered if one.right[n]][:MOST_RIGHT]
    near, rest = (wrong := [n for n in ordered if not one.right[n]])[:NEAREST], wrong[NEAREST:]
    places = [*right, *near, *drawn.sample(rest, min(len(rest), OTHERS))]
    return Candidates(one.question, tuple(one.texts[n] for n in places), len(right), one.set == OWN)


def fit(
    layers: Layers,
    questions: Sequence[Candidates],
    by: FitParameters,
    taught: Sequence[NDArray[np.float32]] | None = None,
) -> Layers:
    """Listwise: the right candidate of each question under a softmax over it and wrong ones, and where `none` may be
    right over that too, which is worth 0. `taught` are a teacher's numbers for each text of each."""
    drawn, layers = random.Random(SEED), layers.train()
    body = [one for name, one in layers.named_parameters() if one.requires_grad and not name.startswith("pair")]
    rates, steps = [by.rate, by.rate_out], int(len(questions) * by.passes / BATCH)
    parts = zip((body, list(layers.pair.parameters())), rates, strict=True)
    optimiser = torch.optim.AdamW([{"params": part, "lr": rate} for part, rate in parts], weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rates, total_steps=steps + 1, pct_start=0.1)
    order: list[int] = []
    for _ in track(range(steps), "Fitting", console=Console(stderr=True)):
        order = order if len(order) >= BATCH else drawn.sample(range(len(questions)), len(questions))
        batch, order = order[:BATCH], order[BATCH:]
        places = [told_apart(questions[n], by, drawn) for n in batch]
        lists = [
            layers.pairs(questions[n].question, [questions[n].texts[place] for place in its])
            for n, its in zip(batch, places, strict=True)
        ]
        found: torch.Tensor = layers([pair for pairs in lists for pair in pairs])
        lost = []
        for n, its, own in zip(batch, places, torch.split(found, [len(pairs) for pairs in lists]), strict=True):
            of_teacher = taught[n][its] if taught else None
            wanted = torch.from_numpy(goal(questions[n], of_teacher, len(its))).to(own.device)
            nothing = own.new_zeros(1) if questions[n].none else own.new_zeros(0)
            lost.append(-(wanted * torch.log_softmax(torch.cat([own, nothing]), 0)).sum())
        torch.stack(lost).mean().backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(layers.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        optimiser.zero_grad()
    return layers.eval()


def goal(one: Candidates, of_teacher: NDArray[np.float32] | None, candidates: int) -> NDArray[np.float32]:
    """How likely each of so many candidates that are told apart is to be, and where it may be so `none`, which is last:
    the right candidate, which is first, or none; and what a teacher says of them as numbers, as softmax."""
    wanted = np.zeros(candidates + int(one.none), np.float32)
    wanted[0 if one.right else -1] = 1
    if of_teacher is None:
        return wanted
    odds = np.append(of_teacher, np.zeros(int(one.none), np.float32))
    likely = np.exp(odds - odds.max())
    made: NDArray[np.float32] = TAUGHT_SHARE * likely / likely.sum() + (1 - TAUGHT_SHARE) * wanted
    return made


def told_apart(one: Candidates, by: FitParameters, drawn: random.Random) -> list[int]:
    """The place of a right candidate, if there is one, and those of wrong ones: of the likeliest by the features, and
    of others."""
    wrong = range(one.right, len(one.texts))
    hard = drawn.sample(wrong[:DRAWN_NEAREST], min(len(wrong), DRAWN_NEAREST, by.hard))
    rest = [place for place in wrong if place not in hard]
    others = [*hard, *drawn.sample(rest, min(len(rest), by.others - len(hard)))]
    return [drawn.randrange(min(one.right, DRAWN_RIGHT)), *others] if one.right else others


def _read_by(layers: Layers, one: Candidates) -> NDArray[np.float32]:
    with torch.no_grad():
        found: NDArray[np.float32] = layers(layers.pairs(one.question, one.texts)).float().cpu().numpy()
    return found


def as_shipped() -> Layers:
    """With what `PAIRS` has."""
    layers, kept = new_layers(SEED).cpu(), load_file(PAIRS)
    assert kept.keys() == layers.shipped().keys()
    named = {name if name.startswith("pair.") else f"model.{name}": tensor for name, tensor in kept.items()}
    layers.load_state_dict(named, strict=False)
    return layers.eval()


def report(data: Path, _: Path) -> Iterator[str]:
    """The share of questions whose right candidate is the first, without the layers and with them: collections in two
    halves, each by what was fitted on the other."""
    encoder = encoder_for(read_settings())
    read = read_examples(data, encoder)
    held = [one for one in asked_of(data, encoder, read) if one.right.any()]
    reader = shipped_reader()
    for half in (0, 1):
        layers = fitted([one for one in read if part_of(one.collection, 2) != half])
        for name in sorted({one.set for one in held}):
            own = [one for one in held if one.set == name and part_of(one.collection, 2) == half]
            if own:
                without = first_right(own, [reader.scores(one.found) for one in own])
                with_them = first_right(own, [together(one, reader, layers) for one in own])
                yield f"{name:20} {len(own):4} questions   without {without:.3f}   with {with_them:.3f}"


def together(one: ReadExample, reader: Reader, layers: Layers) -> NDArray[np.float64]:
    """Of each candidate how likely it is, the likeliest by the features read together with the question."""
    scores = reader.scores(one.found)
    first = np.argsort(-scores, kind="stable")[:READ_TOGETHER]
    with torch.no_grad():
        found = layers(layers.pairs(one.question, [one.texts[n] for n in first])).numpy()
    scores[first] += reader.together * (found - found.min())
    return scores


def first_right(examples: Sequence[ReadExample], scores: Sequence[NDArray[np.float64]]) -> float:
    return float(np.mean([one.right[np.argmax(own)] for one, own in zip(examples, scores, strict=True)]))


main = trainer(__doc__, made, report)

if __name__ == "__main__":
    main()

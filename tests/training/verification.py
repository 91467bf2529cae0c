"""The layers that tell whether a passage says a sentence, for `agent/answer/verification.safetensors`.

    python -m tests.training.verification DATA               writes that file: an hour or two on two processors
    python -m tests.training.verification DATA --crossval    a quarter of the collections, by what the others teach

First come questions of DATA/qa with their answer, or with that of another question of the passage; then the sentences
that writers made of passages of DATA (`claims.jsonl.gz`): what a passage says, in other words, and what it does not,
nearly in its own. What is said in one passage is also read with another one, which does not say it: without that a
sentence is told by its sound alone.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from bs4 import BeautifulSoup
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from safetensors.torch import save
from sklearn.metrics import roc_auc_score
from torch import nn

from clew.agent.answer.verification import LONGEST_PASSAGE, LONGEST_SENTENCE, SHIPPED, near
from clew.memory.datatypes import Floats, Passage
from tests.training.pairs import Layers, new_layers
from tests.training.records import by_set, hashed, lines_of, part_of
from tests.training.trainer import trainer

CLAIMS = Path(__file__).with_name("claims.jsonl.gz")

BATCH, RATE, RATE_OUT = 32, 8e-5, 6e-4
QUESTIONS, PASSES = 14_000, 3.0
"""Questions of DATA/qa, read once; passes over the writers' sentences."""

AWAY, SAME = 0.9, 0.6
"""Sentences of so many said ones that are read with another passage too; those of the same collection among these."""

SPARED = 0.05
"""Of what is said, the share that may be taken for not said."""


class Said(NamedTuple):
    """Whether a passage says a sentence."""

    sentence: str
    passage: Passage
    said: bool
    collection: str


def _passage(title: str, text: str) -> Passage:
    return Passage(title, title, title, text, 1.0, "", start=0, end=len(text))


def claims(data: Path) -> Iterator[Said]:
    """The writers' sentences."""
    of_title = {one["title"]: one["text"] for one in lines_of(data / "hotpotqa" / "corpus.jsonl")}

    @cache
    def read(source: str) -> str:
        if source.startswith("hotpotqa:"):
            return str(of_title[source.partition(":")[2]])
        text = (data / source).read_text("utf-8", errors="replace")
        return BeautifulSoup(text, "html.parser").get_text("\n") if source.endswith(".html") else text

    for one in lines_of(CLAIMS):
        source = one["from"]
        title = source.partition(":")[2] if source.startswith("hotpotqa:") else Path(source).stem
        collection = str(part_of(title, 50)) if source.startswith("hotpotqa:") else source.split("/")[2]
        passage = _passage(title, read(source)[one["start"] : one["end"]])
        yield from (Said(text, passage, said, collection) for said in (True, False) for text in one[str(said).lower()])


def answers(data: Path) -> list[Said]:
    """Questions with an answer of their passage: their own, or another one's."""
    by_passage: dict[str, list[tuple[str, str, Passage]]] = defaultdict(list)
    for records in by_set(data / "qa" / "spans.jsonl.gz", "train").values():
        for one in records:
            if one["answerable"]:
                passage = _passage(one["title"], one["passage"])
                by_passage[one["passage_id"]].append((one["question"], one["answers"][0]["text"], passage))
    found = list[Said]()
    for id_, its in by_passage.items():
        for question, said, passage in its:
            others = sorted({other for _, other, _ in its if other not in said and said not in other})
            found.append(Said(f"{question} {said}.", passage, True, id_))
            if others:
                found.append(Said(f"{question} {others[hashed(question) % len(others)]}.", passage, False, id_))
    return random.Random(0).sample(found, min(QUESTIONS, len(found)))


def with_others(found: Sequence[Said]) -> list[Said]:
    """And most of what is said with another passage, which does not say it."""
    drawn, collections = random.Random(0), defaultdict[str, list[Said]](list)
    for one in found:
        collections[one.collection].append(one)
    away = list[Said]()
    for one in found:
        if one.said and drawn.random() < AWAY:
            other = drawn.choice(collections[one.collection] if drawn.random() < SAME else list(found)).passage
            away += [one._replace(passage=other, said=False)] if other != one.passage else []
    return [*found, *away]


def fit(layers: Layers, found: Sequence[Said], passes: float) -> Layers:
    drawn, steps, order = random.Random(0), int(len(found) * passes / BATCH), list[int]()
    body = [one for name, one in layers.named_parameters() if one.requires_grad and not name.startswith("pair")]
    parts = [{"params": body, "lr": RATE}, {"params": list(layers.pair.parameters()), "lr": RATE_OUT}]
    optimiser = torch.optim.AdamW(parts, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, [RATE, RATE_OUT], total_steps=steps + 1, pct_start=0.1)
    layers.train()
    for _ in track(range(steps), "Fitting", console=Console(stderr=True)):
        order = order if len(order) >= BATCH else drawn.sample(range(len(found)), len(found))
        batch, order = [found[n] for n in order[:BATCH]], order[BATCH:]
        said = torch.tensor([float(one.said) for one in batch], device=layers.pair.weight.device)
        nn.functional.binary_cross_entropy_with_logits(odds(layers, batch), said).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(body, 1.0)
        optimiser.step()
        schedule.step()
        optimiser.zero_grad()
    return layers.eval()


def odds(layers: Layers, found: Sequence[Said]) -> torch.Tensor:
    """The log odds that each is said."""
    longest = LONGEST_SENTENCE, LONGEST_PASSAGE
    read = [layers.pairs(one.sentence, [near(one.sentence, one.passage)], longest) for one in found]
    made: torch.Tensor = layers([pair for [pair] in read])
    return made


def fitted(data: Path, known: Sequence[Said]) -> Layers:
    return fit(fit(new_layers(0), answers(data), 1.0), with_others(known), PASSES)


def made(data: Path, _: Path) -> dict[Path, bytes]:
    return {SHIPPED: save(fitted(data, [*claims(data)]).cpu().shipped())}


def report(data: Path, _: Path) -> Iterator[str]:
    every = [*claims(data)]
    known, held_out = ([one for one in every if (part_of(one.collection, 4) == 0) == out] for out in (False, True))
    layers, away = fitted(data, known), with_others(held_out)[len(held_out) :]
    with torch.no_grad():
        scores, others = (np.array([float(odds(layers, [one])[0]) for one in its], float) for its in (held_out, away))
    yield from told(scores, np.array([one.said for one in held_out]), others)


def told(scores: Floats, said: NDArray[np.bool_], others: Floats) -> Iterator[str]:
    """What the scores are worth, and those of sentences with another passage."""
    for spared in (0.02, SPARED, 0.1):
        least = np.quantile(scores[said], spared)
        caught, away = (scores[~said] < least).mean(), (others < least).mean()
        yield f"{spared:.2f} of what is said below {least:.2f}: {caught:.3f} of what is not, {away:.3f} beside another"
    yield f"AUC {roc_auc_score(said, scores):.3f} of {len(scores)}"


main = trainer(__doc__, made, report)

if __name__ == "__main__":
    main()

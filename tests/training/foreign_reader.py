"""The reader of other languages than English, over the vectors of `clew[multilingual]`.

    python -m tests.training.foreign_reader DATA              writes agent/answer/foreign_reader.json
    python -m tests.training.foreign_reader DATA --measure    what one fitted on the other half of the passages chooses

DATA holds `qa/spans.jsonl.gz` and `qa/spans_multilingual.jsonl.gz`: questions in English, German, Spanish and Italian
with the passage that answers. The candidates are the sentences of that passage and the nearest ones of others of its
set. Softmax over the candidates; the least score of an answer is that of one question in `REFUSED`.
"""

import gzip
import json
import random
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence

from clew.agent.answer.evidence import shares_held
from clew.agent.answer.foreign_reader import FEATURES, SHIPPED, ForeignReader, foreign_features
from clew.memory.datatypes import Floats
from clew.memory.encoding import MULTILINGUAL, CachedEncoder, load_encoder
from clew.memory.json_lines import replace_file
from clew.memory.text import content_words, held_word_sets, split

MOST = {("xquad", "de"): 800, ("xquad", "es"): 800, ("squad_it_test", "it"): 900, ("squad2_dev_half", "en"): 700,
        ("nq_oracle", "en"): 500}  # fmt: skip
"""Questions, by set and language."""

OF_PASSAGE, OTHERS = 4, 24
"""Questions of one passage; candidates of others."""

PASSES, RATE, DECAY, SEED = 300, 0.1, 0.01, 0
REFUSED = 200


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """`found` are the features of its candidates, and `right` says which answer."""

    of: str
    passage: str
    found: Floats
    right: Floats


def records(data: Path) -> list[dict[str, Any]]:
    """Of each set so many, of passages by chance."""
    passages: dict[tuple[str, str], dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for name in ("spans_multilingual", "spans"):
        with gzip.open(data / "qa" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for record in map(json.loads, lines):
                if record["answerable"]:
                    passages[record["set"], record["lang"]][record["passage_id"]].append(record)
    chosen, random_ = list[dict[str, Any]](), random.Random(SEED)
    for key, most in MOST.items():
        names, taken = list(passages[key]), 0
        random_.shuffle(names)
        for name in names:
            if taken < most:
                chosen += passages[key][name][:OF_PASSAGE]
                taken += len(passages[key][name][:OF_PASSAGE])
    return chosen


def examples(found: Sequence[Mapping[str, Any]], encoder: CachedEncoder) -> list[Example]:
    passages = {(one["lang"], one["passage"]): one for one in found}
    spans = {key: split(key[1]) for key in passages}
    places = {key: [(key, span) for span in its] for key, its in spans.items()}
    told = [place for its in places.values() for place in its]
    texts = [key[1][slice(*span)] for key, span in told]
    vectors = encoder.encode(texts, "passage")
    questions = encoder.encode([one["question"] for one in found], "query")
    languages = np.array([key[0] for key, _ in told])
    owner = defaultdict[tuple[str, str], list[int]](list)
    for n, (key, _) in enumerate(told):
        owner[key].append(n)
    numbers, made = {key: n for n, key in enumerate(owner)}, []
    for record, question in zip(found, questions, strict=True):
        key = record["lang"], record["passage"]
        far = np.where(languages == record["lang"], vectors @ question, -2.0)
        far[owner[key]] = -2
        chosen = [*owner[key], *np.argsort(-far)[:OTHERS].tolist()]
        starts = [answer["start"] for answer in record["answers"]]
        right = [told[n][0] == key and any(told[n][1][0] <= at < told[n][1][1] for at in starts) for n in chosen]
        if any(right):
            of, its = [numbers[told[n][0]] for n in chosen], [texts[n] for n in chosen]
            features = foreign_features(question, vectors[chosen], of, _held(record, its), its)
            made.append(Example(f"{record['set']} {record['lang']}", key[1], features, np.array(right, float)))
    return made


def _held(record: Mapping[str, Any], texts: Sequence[str]) -> list[float]:
    held = held_word_sets(texts, record["lang"])
    stems = dict.fromkeys(content_words(record["question"], record["lang"]))
    rarity = {stem: float(np.log(1 + len(texts) / (1 + sum(stem in one for one in held)))) for stem in stems}
    total = sum(rarity.values()) or 1.0
    return shares_held({stem: one / total for stem, one in rarity.items()}, held)


def fitted(found: Sequence[Example]) -> ForeignReader:
    weights = torch.zeros(len(FEATURES), requires_grad=True)
    optimiser = torch.optim.AdamW([weights], RATE, weight_decay=DECAY)
    features = pad_sequence([torch.tensor(one.found, dtype=torch.float32) for one in found], batch_first=True)
    right = pad_sequence([torch.tensor(one.right) for one in found], batch_first=True) > 0
    there = pad_sequence([torch.ones(len(one.right)) for one in found], batch_first=True) > 0
    for _ in range(PASSES):
        odds = (features @ weights).masked_fill(~there, -torch.inf)
        loss = (odds.logsumexp(1) - odds.masked_fill(~right, -torch.inf).logsumexp(1)).mean()
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    made = weights.detach().numpy().astype(np.float64)
    best = [float((one.found @ made).max()) for one in found]
    return ForeignReader(made, float(np.quantile(best, 1 / REFUSED)))


def measured(found: Sequence[Example]) -> None:
    """Of each set: how often the first is right, by cosine and by what the other half taught."""
    names = sorted({one.passage for one in found})
    random.Random(SEED).shuffle(names)
    halves = [{*names[::2]}, {*names[1::2]}]
    rows = defaultdict[str, list[tuple[float, float]]](list)
    for half in halves:
        reader = fitted([one for one in found if one.passage not in half])
        for one in (one for one in found if one.passage in half):
            first = int(reader.scores(one.found).argmax())
            rows[one.of].append((float(one.right[int(one.found[:, 0].argmax())]), float(one.right[first])))
    for name, its in rows.items():
        print(f"{name:24}", *(f"{share:.3f}" for share in np.mean(its, axis=0)), len(its))


if __name__ == "__main__":
    data = Path(sys.argv[1])
    found = examples(records(data), load_encoder(MULTILINGUAL, data.parent / "cache"))
    if "--measure" in sys.argv:
        measured(found)
    else:
        reader = fitted(found)
        weights = dict(zip(FEATURES, reader.weights.round(4).tolist(), strict=True))
        replace_file(SHIPPED, json.dumps({"weights": weights, "least": round(reader.least, 4)}, indent=2) + "\n")

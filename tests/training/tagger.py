"""The edit tagger that makes a question stand alone: `memory/dialogue/tagger.safetensors` and `tagger.json`.

    python -m tests.training.tagger DATA [--on --rate 1.2e-4 --steps 900 --mean LAYERS]

DATA holds `qa`, the conversations of which people made stand-alone questions of; to these come the project's own
(`standalones.jsonl.gz`), over the notes, manuals and records of DATA. What is fitted are the upper layers of the
packaged encoder and the heads; two hours of a core. `--on` goes on from the layers that are there, with all of the
project's own questions and `SAMPLE` of the others. Those that are shipped were made so, and are the mean of these
layers and of earlier ones (`--mean`; model soups, Wortsman et al. 2022, arXiv:2203.05482), with thresholds between
those of both: alone either loses what the other has learned.
"""

import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
import torch
from rich.console import Console
from rich.progress import track
from safetensors.torch import load_file, save_file
from torch import nn

from clew.memory.dialogue.tagger import (
    ASKED,
    COUNTED,
    INVENTORY,
    LAST,
    LAYERS,
    LEAVE,
    PREVIOUS,
    SLOTS,
    THIS,
    Inventory,
    Scores,
    TaggerInput,
    bare,
    decoded,
    read,
)
from clew.memory.dialogue.tagger import shipped as shipped_tagger
from clew.memory.encoding import packaged_minilm
from clew.memory.minilm import tokenizer_of
from tests.training.edit_targets import (
    MADE,
    MADE_OF_OTHERS,
    OWN_SET,
    STANDING,
    TOLD_SET,
    Example,
    Prepared,
    examples,
    f1,
    inventories,
    made_of,
    prepared,
    words_of,
)

UPPER = 4
WIDTH, NARROW, KEYS = 160, 96, 96


class Layer(nn.Module):
    """Of BERT; shapes (texts, pieces, 384)."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(384, 384) for _ in range(4))
        self.attended, self.ended = nn.LayerNorm(384, 1e-12), nn.LayerNorm(384, 1e-12)
        self.wide, self.narrow = nn.Linear(384, 1536), nn.Linear(1536, 384)

    def forward(self, rows: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        query, key, value = (
            part(rows).unflatten(-1, (12, 32)).transpose(1, 2) for part in (self.query, self.key, self.value)
        )
        shares = (query @ key.transpose(2, 3) * 32**-0.5 + mask).softmax(-1)  # faster than torch's own on a processor
        mixed = (shares @ value).transpose(1, 2).flatten(2)
        rows = self.attended(rows + self.out(mixed))
        made: torch.Tensor = self.ended(rows + self.narrow(nn.functional.gelu(self.wide(rows))))
        return made


NAMES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "out": "attention.output.dense",
    "attended": "attention.output.LayerNorm",
    "wide": "intermediate.dense",
    "narrow": "output.dense",
    "ended": "output.LayerNorm",
}


class Body(nn.Module):
    """The packaged encoder, with what each role adds before its upper layers."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        weights = load_file(folder / "model.safetensors")
        self.words = nn.Embedding.from_pretrained(  # type: ignore[no-untyped-call]
            weights["embeddings.word_embeddings.weight"]
        )
        places = (
            weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
        )
        self.places = nn.Embedding.from_pretrained(places[:256].clone())  # type: ignore[no-untyped-call]
        self.norm = nn.LayerNorm(384, 1e-12)
        self.norm.load_state_dict({k: weights[f"embeddings.LayerNorm.{k}"] for k in ("weight", "bias")})
        self.layers = nn.ModuleList([Layer() for _ in range(6)])
        for n, layer in enumerate(self.layers):
            layer.load_state_dict(
                {
                    f"{own}.{k}": weights[f"encoder.layer.{n}.{name}.{k}"]
                    for own, name in NAMES.items()
                    for k in ("weight", "bias")
                }
            )
        self.roles = nn.Embedding(6, 384)
        nn.init.normal_(self.roles.weight, std=0.02)
        self.requires_grad_(False)
        self.layers[-UPPER:].requires_grad_(True)
        self.roles.requires_grad_(True)

    def forward(self, ids: torch.Tensor, roles: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
        mask = torch.zeros(there.shape, dtype=self.words.weight.dtype).masked_fill(~there, -1e4)[:, None, None, :]
        rows = self.norm(self.words(ids) + self.places.weight[: ids.shape[1]])
        for n, layer in enumerate(self.layers):
            rows = layer(rows if n != 6 - UPPER else rows + self.roles(roles), mask)
        made: torch.Tensor = rows
        return made


class Heads(nn.Module):
    def __init__(self, prefixes: int, suffixes: int) -> None:
        super().__init__()
        self.mode = nn.Linear(768, 3)
        self.left, self.right = nn.Linear(384, WIDTH), nn.Linear(384, WIDTH, bias=False)
        self.first, self.last = nn.Linear(384, NARROW), nn.Linear(384, NARROW, bias=False)
        self.gap_of, self.word_of = nn.Embedding(3, WIDTH), nn.Embedding(3, NARROW)
        self.delete = nn.Linear(NARROW, 1)
        self.prefix, self.suffix = nn.Linear(WIDTH, SLOTS * (1 + prefixes)), nn.Linear(WIDTH, SLOTS * suffixes)
        self.start, self.end = nn.Linear(WIDTH, SLOTS * KEYS), nn.Linear(WIDTH, SLOTS * KEYS)
        self.starts, self.ends = nn.Linear(384, KEYS), nn.Linear(384, KEYS)
        self.end_of = nn.Linear(384, KEYS, bias=False)
        self.deleted_of, self.count_of = nn.Embedding(4, NARROW), nn.Embedding(COUNTED, WIDTH)
        for one in (self.end_of, self.deleted_of, self.count_of):
            nn.init.zeros_(one.weight)

    def modes(self, rows: torch.Tensor, asked: torch.Tensor, last: torch.Tensor) -> torch.Tensor:
        """`asked`: shape (texts, pieces), those of the question; `last`: (texts,), whether there is one before."""
        mean = (rows * asked[..., None]).sum(1) / asked.sum(1, keepdim=True).clamp(min=1)
        logits = self.mode(torch.cat([rows[:, 0], mean], -1))
        return torch.cat([logits[:, :2], logits[:, 2:].masked_fill(~last[:, None], -1e4)], 1).log_softmax(-1)


def batched(readings: Sequence[TaggerInput]) -> tuple[torch.Tensor, ...]:
    longest = max(len(one.ids) for one in readings)
    ids, roles = torch.zeros(2, len(readings), longest, dtype=torch.long)
    there, words = torch.zeros(2, len(readings), longest, dtype=torch.bool)
    for n, one in enumerate(readings):
        ids[n, : len(one.ids)] = torch.tensor(one.ids)
        roles[n, : len(one.ids)] = torch.tensor(one.roles)
        there[n, : len(one.ids)] = True
        for word in one.words:
            words[n, word.first : word.last + 1] = True
    return ids, roles, there, words


def places(reading: TaggerInput, mode: int) -> tuple[list[int], list[int], list[int], list[int]]:
    """Of the words of what is edited the first and last pieces; of its gaps the pieces left and right."""
    words = [reading.words[n] for n in reading.bases[mode]]
    firsts, lasts = [word.first for word in words], [word.last for word in words]
    return firsts, lasts, [firsts[0] - 1, *lasts], [*firsts, lasts[-1] + 1]


class Mixed(NamedTuple):
    """Of the words and of the gaps of what is edited in several texts: the text and what stands for each."""

    words: list[int]
    word: torch.Tensor
    gaps: list[int]
    gap: torch.Tensor


def mixed(
    heads: Heads, rows: torch.Tensor, texts: Sequence[int], readings: Sequence[TaggerInput], modes: Sequence[int]
) -> Mixed:
    words, gaps = [], []
    for text, reading, mode in zip(texts, readings, modes, strict=True):
        firsts, lasts, left, right = places(reading, mode)
        words += [(text, a, b, mode) for a, b in zip(firsts, lasts, strict=True)]
        gaps += [(text, a, b, mode) for a, b in zip(left, right, strict=True)]
    t, a, b, m = torch.tensor(words).T
    word = heads.first(rows[t, a]) + heads.last(rows[t, b]) + heads.word_of(m)
    t, a, b, m = torch.tensor(gaps).T
    gap = heads.left(rows[t, a]) + heads.right(rows[t, b]) + heads.gap_of(m)
    return Mixed([one[0] for one in words], word, [one[0] for one in gaps], gap)


def prefixes_of(heads: Heads, gap: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
    """Shape (gaps, SLOTS, 1 + prefixes)."""
    mixed_in = nn.functional.gelu(gap + heads.count_of(count))
    made: torch.Tensor = heads.prefix(mixed_in).unflatten(-1, (SLOTS, -1)).log_softmax(-1)
    return made


def deleted_by(heads: Heads, word: torch.Tensor, state: torch.Tensor) -> torch.Tensor:
    odds: torch.Tensor = heads.delete(nn.functional.gelu(word + heads.deleted_of(state)))[:, 0]
    return odds


def pointed(
    heads: Heads, rows: torch.Tensor, gap: torch.Tensor, texts: torch.Tensor, allowed: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """What speaks for each piece. Shapes (gaps, SLOTS, pieces)."""
    made = []
    for query, keys in ((heads.start, heads.starts), (heads.end, heads.ends)):
        asked = query(gap).unflatten(-1, (SLOTS, KEYS))
        found = torch.einsum("gsk,gpk->gsp", asked, keys(rows)[texts]) / KEYS**0.5
        made.append(found.masked_fill(~allowed[:, None], -1e4))
    return made[0], made[1]


def allowed_for(mode: int, roles: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
    made = words & (roles != (ASKED if mode == THIS else LAST))
    made[..., 0] = True
    return made


def loss_of(body: Body, heads: Heads, batch: Sequence[Prepared]) -> torch.Tensor:
    """The mean of what each example's edits are improbable by."""
    readings = [one.reading for one in batch]
    ids, roles, there, words = batched(readings)
    hidden = words & (torch.rand(ids.shape) < HIDDEN)
    rows = body(ids.masked_fill(hidden, MASK), roles, there)
    rows = nn.functional.dropout(rows, 0.1, heads.training)
    last = torch.tensor([PREVIOUS in one.bases for one in readings])
    modes = heads.modes(rows, (words & (roles == ASKED)).float(), last)
    lost = -modes[torch.arange(len(batch)), torch.tensor([one.mode for one in batch])]
    of = [one.mode if one.mode != LEAVE else THIS for one in batch]
    made = mixed(heads, rows, range(len(batch)), readings, of)
    goes, state = torch.zeros(len(made.words)), torch.zeros(len(made.words), dtype=torch.long)
    classes, asked = torch.zeros(2, len(made.gaps), SLOTS, dtype=torch.long)
    count = torch.zeros(len(made.gaps), dtype=torch.long)
    asked[:, 0] = 1
    spots, at, at_gap = [], 0, 0
    for n, one in enumerate(batch):
        size = len(one.reading.bases[of[n]])
        opened = {insert[0] for insert in one.inserts}
        for place in range(size):
            goes[at + place] = place in one.deleted
            state[at + place] = 2 * (place in opened) + (place - 1 in one.deleted)
        for place in range(size + 1):
            count[at_gap + place] = min(COUNTED - 1, sum(gap < place for gap in opened))
        for place, slot, before, behind, starts, ends in one.inserts:
            classes[at_gap + place, slot] = before
            asked[at_gap + place, min(slot + 1, SLOTS - 1)] = 1
            spots.append((n, at_gap + place, slot, behind, starts, ends))
        at, at_gap = at + size, at_gap + size + 1
    # What is left alone has nothing to delete or insert either, which counts less: the mode says it already.
    share = torch.tensor([0.2 if one.mode == LEAVE else 1.0 for one in batch])
    owner = torch.tensor(made.words)
    odds = deleted_by(heads, made.word, state)
    of_words = nn.functional.binary_cross_entropy_with_logits(odds, goes, reduction="none")
    lost = lost.index_add(0, owner, of_words * share[owner])
    owner, prefix = torch.tensor(made.gaps), prefixes_of(heads, made.gap, count)
    of_gaps = -(prefix.gather(-1, classes[..., None])[..., 0] * asked).sum(-1)
    lost = lost.index_add(0, owner, of_gaps * share[owner])
    if spots:
        texts, gaps, slots, behind = torch.tensor([spot[:4] for spot in spots]).T
        allowed = torch.stack([allowed_for(of[n], roles[n], words[n]) for n in texts.tolist()])
        gap, rank = nn.functional.gelu(made.gap[gaps]), torch.arange(len(spots))
        start, end = (found[rank, slots] for found in pointed(heads, rows, gap, texts, allowed))
        # Of a span that is said several times, any may be pointed at; the end is told of one of them.
        which = [random.randrange(len(spot[4])) for spot in spots]
        first = torch.tensor([spot[4][w] for spot, w in zip(spots, which, strict=True)])
        final = torch.tensor([spot[5][w] for spot, w in zip(spots, which, strict=True)])
        right = torch.full(allowed.shape, -1e4)
        for row, spot in enumerate(spots):
            right[row, spot[4]] = 0
        tie = torch.einsum("sk,spk->sp", heads.end_of(rows[texts, first]), heads.ends(rows)[texts]) / KEYS**0.5
        suffix = heads.suffix(gap).unflatten(-1, (SLOTS, -1)).log_softmax(-1)[rank, slots, behind]
        begun = torch.logsumexp(start.log_softmax(-1) + right, -1)
        ended = (end + tie).log_softmax(-1)[rank, final]
        lost = lost.index_add(0, texts, -suffix - begun - ended)
    return lost.mean()


MASK, HIDDEN = 103, 0.1
"""The word piece `[MASK]`, and how many are hidden by it to learn: the fit has fewer examples than numbers."""


@torch.no_grad()
def scored(body: Body, heads: Heads, readings: Sequence[TaggerInput]) -> list[tuple[float, dict[int, Scores]]]:
    """In batches of like length."""
    made: list[Any] = [None] * len(readings)
    order = sorted(range(len(readings)), key=lambda n: len(readings[n].ids))
    for begin in range(0, len(order), 48):
        part = order[begin : begin + 48]
        batch = [readings[n] for n in part]
        ids, roles, there, words = batched(batch)
        rows = body(ids, roles, there)
        last = torch.tensor([PREVIOUS in one.bases for one in batch])
        modes = heads.modes(rows, (words & (roles == ASKED)).float(), last)
        for n, reading in enumerate(batch):
            cut = len(reading.ids)
            own = rows[n : n + 1, :cut]
            of = {
                mode: _of(
                    heads, own, reading, mode, float(modes[n, mode]), allowed_for(mode, roles[n, :cut], words[n, :cut])
                )
                for mode in reading.bases
            }
            made[part[n]] = float(modes[n, LEAVE].exp()), of
    return made


def _of(
    heads: Heads, rows: torch.Tensor, reading: TaggerInput, mode: int, likely: float, allowed: torch.Tensor
) -> Scores:
    made = mixed(heads, rows, [0], [reading], [mode])
    gap, zeros = nn.functional.gelu(made.gap), torch.zeros(len(made.gaps), dtype=torch.long)
    start, end = pointed(heads, rows, gap, zeros, allowed.expand(len(made.gaps), -1))
    prefix = torch.stack([prefixes_of(heads, made.gap, zeros + count) for count in range(COUNTED)])
    delete = torch.stack([deleted_by(heads, made.word, zeros[1:] + state) for state in range(4)])
    suffix = heads.suffix(gap).unflatten(-1, (SLOTS, -1)).log_softmax(-1)
    tie = heads.end_of(rows[0]) @ heads.ends(rows[0]).T / KEYS**0.5
    return Scores(
        likely,
        delete.numpy(),
        prefix.transpose(1, 2).numpy(),
        suffix.transpose(0, 1).numpy(),
        start.log_softmax(-1).transpose(0, 1).numpy(),
        end.transpose(0, 1).numpy(),
        tie.numpy(),
    )


Found = Sequence[tuple[Prepared, float, dict[int, Scores]]]
"""Held-out questions and what the heads say of them."""


def read_by(body: Body, heads: Heads, held: Sequence[Prepared]) -> Found:
    body.eval(), heads.eval()
    found = scored(body, heads, [one.reading for one in held])
    return [(one, leave, modes) for one, (leave, modes) in zip(held, found, strict=True)]


def worth_of(found: Found, inventory: Inventory) -> dict[str, float]:
    """By set: the mean of F1 and of whether it is the same, over all questions, those that stay as they are too."""
    rows: dict[str, list[float]] = defaultdict(list)
    for one, leave, modes in found:
        text = decoded(one.reading, leave, modes, inventory).text
        rows[one.set].append((f1(text, one.wanted) + (words_of(text) == words_of(bare(one.wanted)))) / 2)
    return {name: float(np.mean(of)) for name, of in rows.items()}


def tuned(found: Found, inventory: Inventory) -> Inventory:
    """With the thresholds that are worth most, the own questions as much as all others."""
    grid = [
        replace(inventory, leave=leave, nothing=nothing)
        for leave in (0.35, 0.45, 0.55, 0.65, 0.75, 0.85)
        for nothing in (-0.6, -0.3, 0.0, 0.3, 0.6, 0.9)
    ]

    def worth(one: Inventory) -> float:
        by_set = worth_of(found, one)
        others = [value for name, value in by_set.items() if name != OWN_SET]
        return by_set.get(OWN_SET, 0.0) + float(np.mean(others))

    return max(grid, key=worth)


def shown(found: Found, inventory: Inventory) -> Iterator[str]:
    """Of the changed questions F1 and how many are the same; of the others how many are left alone."""
    changed: dict[str, list[tuple[float, float]]] = defaultdict(list)
    alone: dict[str, list[float]] = defaultdict(list)
    for one, leave, modes in found:
        made = decoded(one.reading, leave, modes, inventory)
        if words_of(bare(one.wanted)) == words_of(one.reading.texts[0]):
            alone[one.set].append(float(made.edits.mode == LEAVE))
        else:
            same = words_of(made.text) == words_of(bare(one.wanted))
            changed[one.set].append((f1(made.text, one.wanted), float(same)))
    for name, rows in sorted(changed.items()):
        near, same = np.mean(rows, axis=0)
        yield f"{name:16}{len(rows):>6}  F1 {near:.3f}  same {same:.3f}  left alone {np.mean(alone[name] or [0]):.2f}"


def shipped_tensors(body: Body, heads: Heads) -> dict[str, torch.Tensor]:
    found = shipped_parameters(body, heads)
    return {name: tensor.detach().to(torch.float16).contiguous() for name, tensor in found.items()}


def shipped_parameters(body: Body, heads: Heads) -> dict[str, nn.Parameter]:
    """By the names that `MiniLM` and `Tagger` read them by."""
    first = len(body.layers) - UPPER
    found = {
        f"encoder.layer.{n}.{name}.{part}": getattr(getattr(body.layers[n], own), part)
        for n in range(first, len(body.layers))
        for own, name in NAMES.items()
        for part in ("weight", "bias")
    }
    return found | {"roles.weight": body.roles.weight, **dict(heads.named_parameters())}


def taken_from(file: Path, body: Body, heads: Heads) -> None:
    """The layers and heads that `shipped_tensors` wrote."""
    tensors = load_file(file)
    with torch.no_grad():
        for name, mine in shipped_parameters(body, heads).items():
            mine.copy_(tensors[name])


def averaged_with(file: Path, body: Body, heads: Heads) -> None:
    """The mean of these layers and heads and of those of the file."""
    tensors = load_file(file)
    with torch.no_grad():
        for name, mine in shipped_parameters(body, heads).items():
            mine.lerp_(tensors[name].to(mine.dtype), 0.5)


def shipped_inventory(inventory: Inventory) -> str:
    return json.dumps(asdict(inventory), indent=1, ensure_ascii=False) + "\n"


SHARES = {
    OWN_SET: 2.0,
    TOLD_SET: 5.0,
    MADE: 1.4,
    MADE_OF_OTHERS: 0.6,
    STANDING: 1.0,
    "canard_train": 0.8,
    "gecor": 0.5,
    "mudoco_qr": 0.4,
}
"""How often a question of a set comes in a pass; of the others `OFTEN`."""

OFTEN = 1.5
HELD_OWN, HELD = 10, 2
"""Conversations of a hundred that are kept out for the thresholds."""

STEPS, PIECES_OF_STEP, SORTED = 4000, 2600, 1600
"""Steps; word pieces of one; and questions among which those of like length are read together."""

RATE, HEADS, WARM = 2e-4, 5, 100
SAMPLE, MADE_ON, SEED = 9000, 5000, 0
"""How many questions of the sets the inventory is taken from, beside the own, and with how many `--on` goes on; and how
many made of these it takes."""


SURE = 0.5
"""An edit that as a whole is less than half as likely as none is left undone: it is seldom what a person would say."""


def is_held(example: Example) -> bool:
    share = HELD_OWN if example.set in (OWN_SET, TOLD_SET) else HELD
    return int(hashlib.sha256(example.conversation.encode()).hexdigest(), 16) % 100 < share


def passes(data: Sequence[Prepared], drawn: random.Random) -> Iterator[list[Prepared]]:
    """Steps without end."""
    while True:
        made: list[Prepared] = []
        for one in data:
            share = SHARES.get(one.set, OFTEN)
            made += [one] * (int(share) + (drawn.random() < share % 1))
        drawn.shuffle(made)
        steps: list[list[Prepared]] = []
        for begin in range(0, len(made), SORTED):
            part = sorted(made[begin : begin + SORTED], key=lambda one: len(one.reading.ids))
            batches: list[list[Prepared]] = [[]]
            for one in part:
                if batches[-1] and (len(batches[-1]) + 1) * len(one.reading.ids) > PIECES_OF_STEP:
                    batches.append([])
                batches[-1].append(one)
            drawn.shuffle(batches)
            steps += batches
        yield from steps


def fit(body: Body, heads: Heads, data: Sequence[Prepared], steps: int, rate: float, keep: Path | None = None) -> None:
    """AdamW on the upper layers, at `rate`, and on the heads, at HEADS times that. `keep` is where they are written now
    and then, so that a stop loses nothing."""
    body.train()
    heads.train()
    layers = [one for one in body.parameters() if one.requires_grad]
    every = [*layers, *heads.parameters()]
    parts = [{"params": layers, "lr": rate}, {"params": list(heads.parameters()), "lr": HEADS * rate}]
    optimiser = torch.optim.AdamW(parts, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, (step + 1) / WARM) * max(0.02, 1 - step / steps)
    )
    batches = passes(data, random.Random(SEED))
    for step in track(range(steps), "Fitting", console=Console(stderr=True)):
        loss_of(body, heads, next(batches)).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(every, 1.0)
        optimiser.step()
        schedule.step()
        optimiser.zero_grad()
        if keep and step % 300 == 299:
            save_file(shipped_tensors(body, heads), keep)


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--steps", default=STEPS, show_default=True)
@click.option("--rate", default=RATE, show_default=True, help="Of the layers, at the beginning.")
@click.option("--on", is_flag=True, help="Goes on from the layers that are there.")
@click.option("--mean", type=click.Path(exists=True, path_type=Path), help="Layers: their mean with these is shipped.")
@click.option("--keep", type=click.Path(dir_okay=False, path_type=Path), help="Where the layers are kept meanwhile.")
def main(data: Path, steps: int, rate: float, on: bool, mean: Path | None, keep: Path | None) -> None:
    folder = packaged_minilm()
    torch.manual_seed(SEED)
    tokenizer = tokenizer_of(folder)
    found = examples(data)
    own, others = ([one for one in found if (one.set in (OWN_SET, TOLD_SET)) == is_own] for is_own in (True, False))
    sample = [*own, *random.Random(SEED).sample(others, min(len(others), SAMPLE))]
    if on and (there := shipped_tagger()):
        inventory = there.inventory
    else:
        inventory = inventories([(read(one.question, one.before, tokenizer), one.wanted) for one in sample])
    keep_out = [one for one in found if is_held(one)]
    learn = [one for one in (sample if on else found) if not is_held(one)]
    further = list(made_of(learn, tokenizer, random.Random(SEED)))
    learn += random.Random(SEED).sample(further, min(len(further), MADE_ON)) if on else further
    learned, held = (
        [made for one in part if (made := prepared(one, tokenizer, inventory))] for part in (learn, keep_out)
    )
    body, heads = Body(folder), Heads(len(inventory.prefixes), len(inventory.suffixes))
    if on:
        taken_from(LAYERS, body, heads)
    fit(body, heads, learned, steps, rate, keep)
    if mean:
        averaged_with(mean, body, heads)
    read_held = read_by(body, heads, held)
    inventory = replace(tuned(read_held, inventory), sure=SURE)
    for line in shown(read_held, inventory):
        click.echo(line)
    save_file(shipped_tensors(body, heads), LAYERS)
    INVENTORY.write_text(shipped_inventory(inventory), "utf-8")
    click.echo(f"fitted on {len(learned)} questions: {LAYERS}, {INVENTORY}")


if __name__ == "__main__":
    main()

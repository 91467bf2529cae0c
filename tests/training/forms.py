"""What the wordings of a question are worth, learned from what each of them finds."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from clew.agent.search.query_weights import KINDS, Kind, WeightModel, shares
from clew.memory.datatypes import Floats
from tests.training.trainer import padded

SIGNALS = ("gap", "agrees", "backed", "short", "leans", "pronoun", "clarifies", "capital", "last_turn", "context")
DOCUMENTS = 100
"""Of a question: the best by any wording, and all that are relevant."""

OF_SET = {"doc2dial": 0.25}
"""What a set counts where that is not 1: its conversations are of one document each, and half of its turns are no
questions."""

FIXED = {"question": 0.4, "rewrite": 0.15, "before": 0.15, "words": 0.3}
"""The sum that the priors are drawn to."""

SIGNALS_L2, PRIORS_L2 = 0.005, 0.1
STAYS = 0.5
"""From which the question is read as it is: where it has more of the weight than all others together."""

STEPS = 10
"""Of a weight in the grid of fixed sums."""


@dataclass(frozen=True, slots=True, eq=False)
class FormExample:
    """The wordings of a question by kind, with their signals, and the documents' best scores by each of them, of shape
    (forms, documents); which of these are relevant, and how many are in all."""

    set: str
    domain: str
    kinds: tuple[Kind, ...]
    signals: tuple[Mapping[str, float], ...]
    scores: Floats
    relevant: NDArray[np.bool_]
    golds: int

    @classmethod
    def of(
        cls,
        place: tuple[str, str],
        kinds: Sequence[Kind],
        signals: Sequence[Mapping[str, float]],
        best: Mapping[str, Floats],
        golds: Collection[str],
    ) -> "FormExample":
        """`place` is its set and domain; `best`: document -> its scores, (forms,)."""
        relevant = np.array([document in golds for document in best], bool)
        scores = np.stack(list(best.values()), axis=1) if best else np.zeros((len(kinds), 0))
        first = np.argsort(-np.where(relevant, np.inf, scores.max(axis=0)), kind="stable")[:DOCUMENTS]
        kept = np.sort(first)
        return cls(*place, tuple(kinds), tuple(signals), scores[:, kept], relevant[kept], len(golds))


def fit_forms(examples: Sequence[FormExample], without: frozenset[str] = frozenset()) -> WeightModel:
    """The weights by which judged documents are likely under a softmax over all documents' sums, whose temperature is
    learned too. Each set counts as `OF_SET` says, and its domains alike; the mean logits are drawn to `FIXED`."""
    import torch

    kept = [one for one in examples if len(one.kinds) > 1 and one.relevant.any()]
    names = [name for name in SIGNALS if name not in without]
    each = [np.array([[own[name] for name in names] for own in one.signals]) for one in kept]
    every, of_kind = np.concatenate(each), np.array([KINDS.index(kind) for one in kept for kind in one.kinds])
    spread = every.std(axis=0) + 1e-6
    means = [
        every[of_kind == n].mean(axis=0) if (of_kind == n).any() else np.zeros(len(names)) for n in range(len(KINDS))
    ]
    typical = torch.tensor(np.array(means) / spread, dtype=torch.float32)
    signals, scores = padded([own / spread for own in each]), padded([one.scores for one in kept])
    gold = padded([one.relevant / one.relevant.sum() for one in kept])
    documents = padded([np.ones(len(one.relevant)) for one in kept]) > 0
    kinds = padded([np.array([KINDS.index(kind) for kind in one.kinds]) for one in kept]).long()
    parts = padded([-np.log([one.kinds.count(kind) for kind in one.kinds]) for one in kept], -np.inf)
    worth = torch.tensor(_worth(kept), dtype=torch.float32)
    fixed = torch.tensor([FIXED[kind] for kind in KINDS]).log()
    weights = torch.zeros(len(names), requires_grad=True)
    priors = fixed.clone().requires_grad_(True)
    sharpness = torch.tensor(3.0, requires_grad=True)
    optimiser = torch.optim.LBFGS([weights, priors, sharpness], max_iter=200, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        share = torch.softmax(signals @ weights + priors[kinds] + parts, dim=1)
        total = torch.bmm(share[:, None, :], scores)[:, 0] * sharpness.exp()
        likely = torch.log_softmax(total.masked_fill(~documents, -1e9), dim=1)
        away = priors + typical @ weights - fixed
        value = (
            -((likely * gold).sum(dim=1) * worth).sum()
            + SIGNALS_L2 * (weights**2).sum()
            + PRIORS_L2 * ((away - away.mean()) ** 2).sum()
        )
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimiser.step(loss)  # type: ignore[no-untyped-call]
    learned = torch.softmax(priors.detach(), dim=0).tolist()
    raw = weights.detach().numpy() / spread
    return WeightModel(
        {kind: round(share, 4) for kind, share in zip(KINDS, learned, strict=True)},
        {name: round(float(weight), 4) for name, weight in zip(names, raw, strict=True)},
        STAYS,
    )


def best_sum(examples: Sequence[FormExample]) -> WeightModel:
    """The fixed weights by kind, of a grid, with the highest nDCG@5; sets and domains count as in the fit."""
    models = [WeightModel(dict(zip(KINDS, given, strict=True)), stays=STAYS) for given in _grid()]
    weights: dict[tuple[Kind, ...], Floats] = {}
    figures = np.zeros(len(models))
    for one, counts in zip(examples, _worth(examples), strict=True):
        if one.kinds not in weights:
            weights[one.kinds] = np.array([shares(one.kinds, one.signals, model) for model in models])
        figures += counts * _ndcg(one, weights[one.kinds])
    return models[int(np.argmax(figures))]


def ndcg(example: FormExample, model: WeightModel) -> float:
    """nDCG@5 of the documents by the sum of the wordings' scores, as this model weighs them."""
    return float(_ndcg(example, np.array([shares(example.kinds, example.signals, model)]))[0])


def _ndcg(example: FormExample, weights: Floats) -> Floats:
    """By each row of weights, (rows, forms); (rows,)."""
    first = np.argsort(-(weights @ example.scores), axis=1, kind="stable")[:, :5]
    gains = 1 / np.log2(np.arange(2, 7))
    return np.asarray(example.relevant[first] @ gains[: first.shape[1]] / gains[: min(5, example.golds)].sum())


def _worth(examples: Sequence[FormExample]) -> Floats:
    """What each question counts; they sum to 1."""
    places = [(one.set, one.domain) for one in examples]
    domains = {name: len({domain for of, domain in places if of == name}) for name, _ in places}
    worth = np.array([OF_SET.get(name, 1.0) / domains[name] / places.count((name, domain)) for name, domain in places])
    return np.asarray(worth / worth.sum())


def _grid() -> Iterator[tuple[float, ...]]:
    """Shares of all kinds; none is 0, which has no logarithm."""
    for shared in combinations_with_replacement(range(STEPS + 1), len(KINDS) - 1):
        yield tuple(max(part, 1e-3) / STEPS for part in np.diff([0, *shared, STEPS]).tolist())

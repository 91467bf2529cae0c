"""How good rankings of documents are: ir_measures for the field's measures, `all@k` beside them."""

from collections.abc import Mapping, Sequence

from clew.memory.errors import BadInput

DEPTH = 10
"""Ranks that the measures look at."""

Ranking = Sequence[tuple[str, float]]
"""Documents, best first, each once, with scores that fall strictly: who sorts by score keeps the order."""


def measure(golds: Mapping[str, Mapping[str, int]], rankings: Mapping[str, Ranking]) -> dict[str, float]:
    """Means over the questions of `golds`; one without a ranking counts as 0."""
    import ir_measures as ir

    run = {
        question: {document: float(DEPTH - rank) for rank, (document, _) in enumerate(ranking[:DEPTH])}
        for question, ranking in rankings.items()
    }
    measures = {f"recall@{k}": ir.R @ k for k in (1, 2, 5, 10)}
    measures |= {f"ndcg@{k}": ir.nDCG @ k for k in (5, 10)} | {"mrr@10": ir.RR @ 10}
    means = ir.calc_aggregate(list(measures.values()), golds, run)
    return {name: float(means[by]) for name, by in measures.items()} | {
        f"all@{k}": share_with_all(golds, rankings, k) for k in (4, 5, 8)
    }


def share_with_all(golds: Mapping[str, Mapping[str, int]], rankings: Mapping[str, Ranking], k: int) -> float:
    """The share of the questions whose relevant documents are all among the first k."""
    found = [gold.keys() <= {document for document, _ in rankings.get(key, ())[:k]} for key, gold in golds.items()]
    return sum(found) / len(found)


def falling(scores: Sequence[float]) -> list[float]:
    """The scores in millionths, each lowered to below the one before it where it is not."""
    millionths: list[int] = []
    for score in scores:
        own = round(score * 1e6)
        millionths.append(min(own, millionths[-1] - 1) if millionths else own)
    return [value / 1e6 for value in millionths]


def trec_run(rankings: Mapping[str, Ranking], k: int, tag: str) -> str:
    """`qid Q0 docid rank score tag`, a line each for the first k of each question. Ids stand as they are.

    Raises `BadInput` for an id with a line break in it, which the format cannot hold.
    """
    lines = [
        f"{question} Q0 {document} {rank} {score:.6f} {tag}"
        for question, ranking in rankings.items()
        for rank, (document, score) in enumerate(ranking[:k], 1)
    ]
    if broken := next((line for line in lines if "\n" in line or "\r" in line), None):
        raise BadInput(f"an id with a line break cannot stand in a TREC run: {broken!r}")
    return "".join(f"{line}\n" for line in lines)

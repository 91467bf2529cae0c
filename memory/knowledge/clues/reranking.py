"""Re-ranking of the walked paths (seed 000, step 4)."""

from collections.abc import Iterable, Sequence
from itertools import pairwise, product

from clew.memory.knowledge.clues.beam import in_reading_order
from clew.memory.knowledge.clues.datatypes import ClueParameters, Clues, Path, Walk
from clew.memory.knowledge.clues.index import ClueIndex
from clew.memory.knowledge.clues.texts import DIGITS


def rerank(walks: Iterable[Walk], clues: Clues, index: ClueIndex, parameters: ClueParameters) -> list[Path]:
    """The `topn` paths by MMR. Of walks along the same edges the best counts."""
    best: dict[frozenset[int], Path] = {}
    for walk in walks:
        path = scored(in_reading_order(index.graph, walk), clues, index, parameters)
        other = best.get(frozenset(path.edges))
        if other is None or path.score > other.score:
            best[frozenset(path.edges)] = path
    ordered = sorted(best.values(), key=lambda path: (-path.score, len(path.edges), path.edges))
    return diverse(ordered, parameters.topn, parameters.mmr_lambda)


def scored(walk: Walk, clues: Clues, index: ClueIndex, parameters: ClueParameters) -> Path:
    """Re-ranking (step 4): the sum of the edges' scores and the terms

    length penalty, -lambda_len * (path length - 1); relation coverage, alpha_rel * Jaccard(path relations, relation
    clues); entity coverage, alpha_ent * Jaccard(path entities, entity clues); chain alignment, beta_chain * relation
    n-gram overlap; type match, gamma_type where a relation of the path answers this type of question.
    """
    p = parameters
    names = [index.relation_names[index.graph.kinds[edge]] for edge in walk.edges]
    relations = {name for own in names for name in own}
    answering = any(clues.type in index.aliases.answers.get(name, ()) for name in relations)
    scores = {
        "edges": walk.score,
        "length": p.lambda_len * (1 - len(walk.edges)),
        "relations": p.alpha_rel * jaccard(relations, set(clues.relations)),
        "entities": p.alpha_ent * jaccard(set(walk.nodes), set(clues.entities)),
        "chain": p.beta_chain * chain_overlap(names, clues.relations),
        "type": p.gamma_type * answering,
    }
    return Path(walk.edges, walk.nodes, round(sum(scores.values()), DIGITS), scores)


def most_of(clues: Clues, parameters: ClueParameters) -> float:
    """No path scores more for these clues: every clue met, and every term of its edges and of the re-ranking full."""
    p, length = parameters, parameters.max_depth
    relations, entities = len(clues.relations), min(len(clues.entities), length + 1)
    if not p.clues_once:
        relations, entities = length * bool(relations), length * bool(entities)
    edges = p.w_rel * relations + p.w_ent * entities + length * (p.w_lex + p.w_emb)
    coverage = (p.alpha_rel + p.beta_chain) * bool(relations) + p.alpha_ent * bool(entities)
    return edges + coverage + p.gamma_type


def jaccard(one: set[str] | set[int] | frozenset[int], other: set[str] | set[int] | frozenset[int]) -> float:
    """0 where both are empty: nothing is shared."""
    return len(one & other) / len(one | other) if one or other else 0.0


def chain_overlap(names: Sequence[Sequence[str]], clues: Sequence[str]) -> float:
    """Relation n-gram overlap (step 4): the share of the n-grams (n = 1 and 2) of the relation clues, in the order of
    the question, that the path has.

    A path can be read from both of its ends, so that a pair of neighbours counts in either order.
    """
    asked: set[tuple[str, ...]] = {(clue,) for clue in clues}
    asked |= {_pair(one, other) for one, other in pairwise(clues)}
    there: set[tuple[str, ...]] = {(name,) for own in names for name in own}
    there |= {_pair(one, other) for own, following in pairwise(names) for one, other in product(own, following)}
    return len(asked & there) / len(asked) if asked else 0.0


def diverse(paths: Sequence[Path], most: int, lambda_: float) -> list[Path]:
    """MMR diversity (step 4): one after the other the path with the highest mmr_lambda * score - (1 - mmr_lambda) * the
    greatest similarity to a chosen path, the Jaccard of their edges. Ties go to the earlier path."""
    rest, chosen = list(paths), list[Path]()
    while rest and len(chosen) < most:
        best = max(rest, key=lambda path: round(lambda_ * path.score - (1 - lambda_) * _nearness(path, chosen), DIGITS))
        rest.remove(best)
        chosen.append(best)
    return chosen


def _nearness(path: Path, chosen: Sequence[Path]) -> float:
    return max((jaccard(frozenset(path.edges), frozenset(other.edges)) for other in chosen), default=0.0)


def _pair(one: str, other: str) -> tuple[str, ...]:
    return tuple(sorted((one, other)))

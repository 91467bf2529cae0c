"""What a search for paths is given, and what it brings back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from clew.memory.knowledge.clues.aliases import QuestionType


@dataclass(frozen=True, slots=True)
class ClueParameters:
    """Names and values of seed 000's configuration block, and `clues_once`: a path has w_rel for each relation clue and
    w_ent for each entity clue, at the first edge with it. Without, it has them for every edge with a clue, as the seed
    is written; paths then grow by more edges of the same relation, and find less (tests/benchmarks/clue_paths.py)."""

    w_rel: float = 2.0
    w_ent: float = 1.5
    w_lex: float = 1.0
    w_emb: float = 0.5
    max_depth: int = 3
    beam_width: int = 8
    lambda_len: float = 0.3
    alpha_rel: float = 1.5
    alpha_ent: float = 1.0
    beta_chain: float = 0.8
    gamma_type: float = 0.5
    mmr_lambda: float = 0.7
    topn: int = 3
    seed_top_k: int = 10
    seed_min_sim: float = 0.05
    clues_once: bool = True


@dataclass(frozen=True, slots=True)
class Clues:
    """What a question asks by: nodes and relations in the order in which it names them, and its type.

    `words` are the stems of its content words.
    """

    entities: tuple[int, ...]
    relations: tuple[str, ...]
    type: QuestionType
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Walk:
    """Edges in the order walked, the nodes they led through (one more), and the sum of the edges' scores."""

    edges: tuple[int, ...]
    nodes: tuple[int, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Path:
    """A finished walk in the order in which it is read; `score` is the sum of `scores`, its parts by name."""

    edges: tuple[int, ...]
    nodes: tuple[int, ...]
    score: float
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ClueAnswer:
    """The clues, the nodes that the search began at and why there, the paths, best first, and the answer (empty: none).

    `edge` is the one that the answer was read from.
    """

    clues: Clues
    seeds: tuple[int, ...]
    seeding: str
    paths: tuple[Path, ...]
    answer: str = ""
    edge: int | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a form of a question makes of a chunk: `score` is the sum of `scores`, its parts by name; `explain` tells
    the path to it, its steps as they are printed, and why."""

    score: float
    scores: Mapping[str, float]
    explain: Callable[[], tuple[tuple[str, ...], str]]

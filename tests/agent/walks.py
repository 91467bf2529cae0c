"""A walk as the tool `walk` hands it out: two landings, and from the first of them two paths."""

from collections.abc import Sequence
from dataclasses import replace

from clew.agent.evaluation.evaluate import searched
from clew.agent.search.router import Duel, Router
from clew.agent.services import Services
from clew.memory.datatypes import Edge, Passage, Subgraph, Utterance
from clew.memory.dialogue.signals import Linear

WALKS = Router((Duel(("walk",), (), Linear(1.0, {})),))
"""A router that has every question walked for, and no other tool run; `()` is one that stays with `hybrid`."""


def evidence(services: Services, question: str, history: Sequence[Utterance], k: int) -> tuple[Passage, ...]:
    """What a turn has found, in order, where every search brings k passages."""
    return searched(replace(services, evidence=k), question, history).passages


WALK = Subgraph(
    nodes=("metropolis", "laika", "lang", "lang-2", "harbou"),
    edges=(
        Edge("metropolis", "lang", "title link"),
        Edge("lang", "lang-2", "next"),
        Edge("harbou", "metropolis", "Ufa"),
    ),
    titles=("Metropolis", "Laika", "Fritz Lang", "Fritz Lang", "Thea von Harbou"),
    scores=(0.5, 0.01, 0.25, 0.09, 0.15),
    partitions=("films", "animals", "people", "people", "people"),
    landings=2,
)

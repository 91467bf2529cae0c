"""A walk as the tool `walk` hands it out: two landings, and from the first of them two paths."""

from clew.memory.datatypes import Edge, Subgraph

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

"""Where a chunk's mass came from, in words: by itself, or by the path that brought the most."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Edge, Ints
from clew.memory.knowledge.multihop.features import DIRECT
from clew.memory.knowledge.multihop.model import Coefficients
from clew.memory.knowledge.multihop.walk import Round
from clew.memory.layers import Layers

NAMES, NAMED_IN = "names", "named in"
"""What joins an anchor to an entity, where no relation of the library does, and an entity to a chunk."""


@dataclass(frozen=True, slots=True)
class Origin:
    """`path` are the steps in the form of seed 000, `(fritz lang) -[born in]-> (vienna)`; `edges` are the same."""

    why: str
    path: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()


@dataclass(frozen=True, slots=True)
class _Step:
    anchor: int
    entity: int
    sentence: int
    chunk: int


def origins(rounds: Sequence[Round], coefficients: Coefficients, chunks: Ints, layers: Layers) -> list[Origin]:
    """Of each of the chunks, by the rounds of a walk."""
    steps = [_best_steps(one, coefficients, layers) for one in rounds]
    last = rounds[-1]
    found = []
    for chunk in chunks.tolist():
        taken = _taken(steps, chunk)
        features = last.direct[np.searchsorted(last.chunks, chunk)]
        found.append(_origin(taken, features[DIRECT.index("hybrid")], layers))
    return found


def _best_steps(one: Round, coefficients: Coefficients, layers: Layers) -> dict[int, _Step]:
    """Chunk -> the path that brings it the most, where the paths together bring more than it has itself.

    A path over what the chunk's title names says more to a reader: it is told where it brings a third as much.
    """
    direct, brought = coefficients.of_direct(one.direct), coefficients.of_paths(one.paths.features)
    more = one.masses(coefficients) > direct + np.log(2)
    best: dict[int, _Step] = {}
    titled = layers.titles[layers.chunk_documents[one.paths.chunks]] == one.paths.entities
    for path in np.argsort(-(brought + np.log(3) * titled), kind="stable").tolist():
        chunk = int(one.paths.chunks[path])
        if chunk not in best and more[one.ends[path]]:
            anchor, entity, sentence = (
                int(values[path]) for values in (one.paths.anchors, one.paths.entities, one.paths.sentences)
            )
            best[chunk] = _Step(anchor, entity, sentence, chunk)
    return best


def _taken(steps: Sequence[dict[int, _Step]], chunk: int) -> list[_Step]:
    """The steps to a chunk, first to last: those of later rounds begin where earlier ones ended."""
    taken: list[_Step] = []
    for of_round in reversed(steps):
        step = of_round.get(chunk)
        if step is None or any(step.anchor == other.chunk for other in taken):
            break
        taken.insert(0, step)
        chunk = step.anchor
    return taken


def _origin(taken: Sequence[_Step], matches: float, layers: Layers) -> Origin:
    if not taken:
        return Origin(f"matches the question ({matches:.2f})")
    edges, path = [], []
    for step in taken:
        for edge, backwards in _edges(step, layers):
            edges.append(edge)
            arrow = f"<-[{edge.relation}]-" if backwards else f"-[{edge.relation}]->"
            ends = (edge.target, edge.source) if backwards else (edge.source, edge.target)
            path.append(f"({ends[0]}) {arrow} ({ends[1]})")
    return Origin(f"by {', then '.join(_through(step, layers) for step in taken)}", tuple(path), tuple(edges))


def _through(step: _Step, layers: Layers) -> str:
    bridge, title = layers.entities[step.entity].name, _title(step.anchor, layers)
    return bridge if bridge == title else f"{bridge} in {title}"


def _edges(step: _Step, layers: Layers) -> list[tuple[Edge, bool]]:
    """Each with whether it is walked backwards."""
    bridge, target = layers.entities[step.entity].name, layers.titles[layers.chunk_documents[step.chunk]]
    subject = int(layers.titles[layers.chunk_documents[step.anchor]])
    verb, backwards = _relation(subject, step.entity, layers.stated == step.sentence, layers)
    start = _title(step.anchor, layers)
    found = [(Edge(bridge, start, verb), True) if backwards else (Edge(start, bridge, verb), False)]
    if step.entity == layers.titles[layers.chunk_documents[step.anchor]]:
        found = []  # the anchor is about the entity: the step begins there
    if target != step.entity:
        verb, backwards = _relation(
            step.entity, int(target), layers.sentence_chunks[layers.stated] == step.chunk, layers
        )
        end, verb = _title(step.chunk, layers), NAMED_IN if verb == NAMES else verb
        found.append((Edge(end, bridge, verb), True) if backwards else (Edge(bridge, end, verb), False))
    return found


def _relation(one: int, other: int, stated: NDArray[np.bool_], layers: Layers) -> tuple[str, bool]:
    """The verb between two entities in one of the relations `stated`, and whether `other` is its subject."""
    for relation in np.flatnonzero(stated).tolist():
        ends = layers.subjects[relation], layers.objects[relation]
        if ends in ((one, other), (other, one)):
            return layers.verbs[layers.verb_numbers[relation]], bool(ends[0] == other and one != other)
    return NAMES, False


def _title(chunk: int, layers: Layers) -> str:
    document = int(layers.chunk_documents[chunk])
    title = int(layers.titles[document])
    return layers.entities[title].name if title >= 0 else layers.document_ids[document]

"""The graph of a library: of a graph folder, of texts, and of both."""

import numpy as np

from clew.memory.knowledge.layers import Entity, Layers
from clew.memory.knowledge.library_ports import Search
from clew.memory.knowledge.nodes import NEXT, SHARED, TITLE_LINK, NodeGraph
from clew.memory.knowledge.partitioning.partitioner import graph_of


def layers(chunk_documents: list[int], mentions: list[tuple[int, int]], titles: list[int], entities: int) -> Layers:
    """A sentence in each chunk."""
    count, none = len(chunk_documents), np.zeros(0, np.int64)
    return Layers(
        chunk_ids=tuple(f"c{n}" for n in range(count)),
        document_ids=tuple(f"d{n}" for n in range(len(titles))),
        chunk_documents=np.array(chunk_documents, np.int64),
        sentence_chunks=np.arange(count),
        mentions=np.array(sorted(mentions), np.int64).reshape(-1, 2).T,
        entities=tuple(Entity(f"e{n}", f"E{n}", "name") for n in range(entities)),
        titles=np.array(titles, np.int64),
        subjects=none,
        verb_numbers=none,
        objects=none,
        stated=none,
        given=none.astype(bool),
        verbs=(),
    )


def edges(graph: NodeGraph, relation: str) -> dict[tuple[int, int], float]:
    if relation not in graph.relations:
        return {}
    chosen = np.flatnonzero(graph.kinds == graph.relations.index(relation))
    ends = zip(graph.sources[chosen].tolist(), graph.targets[chosen].tolist(), strict=True)
    return dict(zip(ends, graph.weights[chosen].tolist(), strict=True))


def test_chunks_are_joined_by_order_titles_and_entities() -> None:
    """Documents: 0 (chunks 0, 1), titled E0; 1 (chunk 2); 2 (chunk 3). E0 is named in 0 and 2, E1 in 2 and 3."""
    graph = graph_of(layers([0, 0, 1, 2], [(0, 0), (2, 0), (2, 1), (3, 1)], [0, -1, -1], 2), [])
    assert edges(graph, NEXT) == {(0, 1): 1}
    assert edges(graph, TITLE_LINK) == {(2, 0): 1}
    found = edges(graph, SHARED)
    assert found[2, 3] == 0.5
    assert set(found) == {(0, 1), (0, 2), (1, 2), (2, 3)}  # its title's entity is in both chunks of document 0
    in_order = list(zip(graph.sources, graph.targets, graph.kinds, strict=True))
    assert in_order == sorted(set(in_order)) and (graph.sources != graph.targets).all()


def test_what_many_chunks_share_joins_none() -> None:
    crowd = [(chunk, 0) for chunk in range(60)]
    assert graph_of(layers(list(range(60)), crowd, [-1] * 60, 1), []).relations == ()


def test_a_graph_folder_keeps_its_relations(store: Search) -> None:
    graph, layers = store.part().nodes, store.part().layers
    assert graph.count == len(layers.chunk_ids)
    first = {
        id_: int(np.searchsorted(layers.chunk_documents, number)) for number, id_ in enumerate(layers.document_ids)
    }
    assert edges(graph, "caused by") == {(first["tides"], first["moon"]): 1}
    assert edges(graph, "causes") == {(first["moon"], first["tides"]): 1}
    assert "itself" not in graph.relations
    assert len(edges(graph, NEXT)) == graph.count - 4

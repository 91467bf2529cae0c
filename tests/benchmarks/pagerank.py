"""Personalised PageRank over the chunks of a library, beside `hybrid` and `graph`: what a learned walk has to beat.

python -m tests.benchmarks.pagerank DATASET LIBRARY

Edges are next, title link and shared entity (1 / df), both ways; restarts are the best ten by `hybrid`, weighted by
their score above the eleventh, as HippoRAG 2 restarts at passages.
"""

from contextlib import closing

import numpy as np
from scipy.sparse import csr_array, diags_array

from clew.agent.evaluation.dataset import read_dataset
from clew.agent.evaluation.ranking import measure
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Ints, Passage
from clew.memory.knowledge.library import open_library
from clew.memory.layers import Layers
from clew.tools.base import encode_query
from clew.tools.graph import GraphSearch
from clew.tools.hybrid import Hybrid
from tests.benchmarks.inputs import paths

RESTARTS, MOST, ROUNDS = 10, 50, 30
DEPTH = 30
SHOWN = ("recall@2", "recall@5", "all@5", "all@8")


def main() -> None:
    path, library = paths(__doc__ or "", "dataset", "library")
    encoder, dataset = encoder_for(read_settings(library=library)), read_dataset(path)
    with closing(open_library(library, encoder).store) as store:
        layers, hybrid, graph = store.part().layers, Hybrid(store), GraphSearch(store)
        rankings: dict[str, dict[str, list[tuple[str, float]]]] = {}
        ways = transitions(layers)
        for question in dataset.questions:
            query = encode_query(question.text, [], encoder)
            found = hybrid.search(query, DEPTH).passages
            ranked = {"hybrid": documents(found), "graph": documents(graph.search(query, DEPTH).passages)}
            for damping in (0.3, 0.5, 0.7):
                ranked[f"PageRank, damping {damping}"] = walked(found, layers, ways, damping)
            for name, own in ranked.items():
                rankings.setdefault(name, {})[question.id] = [(id_, -float(rank)) for rank, id_ in enumerate(own)]
    for name, its in rankings.items():
        figures = measure(dataset.golds, its)
        print(f"{name:24}" + "  ".join(f"{measured} {figures[measured]:.3f}" for measured in SHOWN))


def documents(passages: tuple[Passage, ...]) -> list[str]:
    return list(dict.fromkeys(passage.document for passage in passages))


def transitions(layers: Layers) -> csr_array:
    """Column-stochastic, of shape (chunks, chunks)."""
    links = chunk_links(layers, MOST)
    both = sum((links[name] + links[name].T for name in ("next", "title link")), links["shared"])
    total = np.asarray(both.sum(axis=0)).reshape(-1)
    return csr_array(both @ diags_array(1 / np.maximum(total, 1e-9)))


def chunk_links(layers: Layers, most: int) -> dict[str, csr_array]:
    """From chunk to chunk, each of shape (chunks, chunks): `next` where a document goes on; `title link` to the chunks
    of a document whose title the chunk names; `shared` as in `Layers.shared_entities`."""
    count, entities = len(layers.chunk_ids), len(layers.entities)
    before = np.flatnonzero(layers.chunk_documents[1:] == layers.chunk_documents[:-1])
    titles = layers.titles[layers.chunk_documents]
    titled = np.flatnonzero(titles >= 0)
    of_title = _ones(titles[titled], titled, (entities, count))
    named = _ones(layers.sentence_chunks[layers.mentions[0]], layers.mentions[1], (count, entities))
    to_titles = csr_array(named @ of_title)
    to_titles.setdiag(0)
    to_titles.eliminate_zeros()
    following = _ones(before, before + 1, (count, count))
    return {"next": following, "title link": to_titles, "shared": layers.shared_entities(most)}


def _ones(rows: Ints, columns: Ints, shape: tuple[int, int]) -> csr_array:
    made = csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
    made.sum_duplicates()
    made.data[:] = 1.0
    return made


def walked(found: tuple[Passage, ...], layers: Layers, ways: csr_array, damping: float) -> list[str]:
    restarts = np.zeros(len(layers.chunk_ids))
    base = found[RESTARTS].score if len(found) > RESTARTS else 0.0
    for passage in found[:RESTARTS]:
        restarts[layers.chunk_numbers[passage.id]] = passage.score - base
    restarts /= restarts.sum()
    ranks = restarts
    for _ in range(ROUNDS):
        ranks = (1 - damping) * restarts + damping * (ways @ ranks)
    best = np.argsort(-ranks, kind="stable")[:DEPTH]
    return list(dict.fromkeys(layers.document_ids[layers.chunk_documents[chunk]] for chunk in best))


if __name__ == "__main__":
    main()

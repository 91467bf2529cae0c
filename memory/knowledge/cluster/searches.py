"""What is asked of an index to find what matches a question, and the part of the graph that this votes for."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from clew.memory.datatypes import Floats, Vector
from clew.memory.knowledge.cluster.connection import AT_ONCE

MOST_HITS = 10_000
"""That a search of Elasticsearch gives."""

MOST_TOKENS = 500
"""Of a query in each of two fields, as of a document that somebody pastes: Elasticsearch takes 1,024 clauses where it
has little memory for its processors, and more where it has more."""

LOOKED, OVERSAMPLE = 2, 2.0
"""Of a search by vector: how many times k its graph looks at, and how many times k are scored anew by whole vectors."""

VOTING, HALF = 100, 5
"""Hits of each search that vote for their partitions, and from which rank a vote is half of the first's."""

NODES, FEWEST = 2000, 500
"""Nodes of a question's part of the graph: at most, and where the library has them at least (seed 004, as `stitch`)."""

PLACED = ("chunk", "document", "start")
"""Fields that tell where a chunk stands in the library."""

Body = dict[str, Any]
Filter = list[dict[str, Any]]


class FoundChunk(NamedTuple):
    chunk: str
    score: float

    @classmethod
    def of(cls, hit: dict[str, Any]) -> Self:
        return cls(hit["fields"]["chunk"][0], hit["_score"])


def parts_of(values: Sequence[str]) -> list[Sequence[str]]:
    return [values[start : start + AT_ONCE] for start in range(0, len(values), AT_ONCE)]


def in_scope(scope: frozenset[str] | None) -> list[Filter]:
    """What a search is limited to, one list for each search that it takes: a query has a bound number of terms."""
    return [[]] if scope is None else [[{"terms": {"document": list(part)}}] for part in parts_of(sorted(scope))]


def by_words(tokens: Mapping[str, Sequence[str]], k: int, within: Filter) -> Body:
    """`tokens` by the field of the index."""
    any_of = [{"term": {field: token}} for field, its in tokens.items() for token in its]
    return _hits({"query": {"bool": {"should": any_of, "filter": within, "minimum_should_match": 1}}}, k)


def by_sparse(tokens: Mapping[str, float], k: int, within: Filter) -> Body:
    given = {"sparse_vector": {"field": "elser", "query_vector": dict(tokens)}}
    return _hits({"query": {"bool": {"must": given, "filter": within}} if tokens else {"match_none": {}}}, k)


def by_vector(vector: Vector, k: int, within: Filter) -> Body:
    most = min(k, MOST_HITS)
    near = {
        **{"field": "vector", "query_vector": vector.astype(float).tolist(), "k": most, "filter": within},
        **{"num_candidates": min(MOST_HITS, max(100, LOOKED * most))},
        "rescore_vector": {"oversample": min(OVERSAMPLE, MOST_HITS / most)},
    }
    return _hits({"knn": near}, k)


def by_id(ids: Sequence[str]) -> Body:
    """Of entities."""
    return {"query": {"ids": {"values": list(ids)}}, "size": len(ids), "_source": ["entity", "type"]}


NO_NAMES: Mapping[str, Any] = {"named": {"buckets": ()}}


def by_name(names: Sequence[str]) -> Body:
    """Which of these are names of titles."""
    own = {"field": "named", "include": list(names), "size": len(names), "execution_hint": "map"}
    return {"query": {"terms": {"named": list(names)}}, "size": 0, "aggs": {"named": {"terms": own}}}


def _hits(search: Body, k: int) -> Body:
    return {**search, "size": min(k, MOST_HITS), "_source": False, "docvalue_fields": ["chunk"]}


def chosen(votes: Floats, sizes: Sequence[int]) -> tuple[int, ...]:
    """The partitions with the most votes: the first whatever its size, then all that have votes as far as `NODES` goes,
    and without votes until there are `FEWEST` nodes."""
    found, nodes = list[int](), 0
    for partition in np.argsort(-votes, kind="stable").tolist():
        if not votes[partition] and nodes >= FEWEST:
            break
        if not found or nodes + sizes[partition] <= NODES:
            found.append(partition)
            nodes += sizes[partition]
    return tuple(sorted(found))

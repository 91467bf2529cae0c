"""The searches that are sent to an index, and the choice of the partitions that their hits lie in."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clew.memory.datatypes import Floats, Vector
from clew.memory.errors import ClewError, NoLibrary, NotSetUp, ServiceUnreachable
from clew.memory.knowledge.cluster.connection import AT_ONCE, BULK_SECONDS, Cluster

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch

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

Body = dict[str, Any]
Filter = list[dict[str, Any]]


class FoundChunk(NamedTuple):
    """The id of a chunk that a search found, and its score there."""

    chunk: str
    score: float


def parts_of(values: Sequence[str]) -> list[Sequence[str]]:
    """Split values into parts that fit one request each."""
    return [values[start : start + AT_ONCE] for start in range(0, len(values), AT_ONCE)]


def in_scope(scope: frozenset[str] | None) -> list[Filter]:
    """Return the filters that limit a search to the scope, one for each search that has to be sent: a query may have
    only so many terms."""
    return [[]] if scope is None else [[{"terms": {"document": list(part)}}] for part in parts_of(sorted(scope))]


def by_words(tokens: Mapping[str, Sequence[str]], k: int, within: Filter) -> Body:
    """Return the search for the k best chunks by BM25; `tokens` are given by the field that they are sought in."""
    any_of = [{"term": {field: token}} for field, its in tokens.items() for token in its]
    return _hits({"query": {"bool": {"should": any_of, "filter": within, "minimum_should_match": 1}}}, k)


def by_sparse(tokens: Mapping[str, float], k: int, within: Filter) -> Body:
    """Return the search for the k best chunks by ELSER's weighted tokens."""
    given = {"sparse_vector": {"field": "elser", "query_vector": dict(tokens)}}
    return _hits({"query": {"bool": {"must": given, "filter": within}} if tokens else {"match_none": {}}}, k)


def by_vector(vector: Vector, k: int, within: Filter) -> Body:
    """Return the search for the k chunks nearest to a vector."""
    most = min(k, MOST_HITS)
    near = {
        **{"field": "vector", "query_vector": vector.astype(float).tolist(), "k": most, "filter": within},
        **{"num_candidates": min(MOST_HITS, max(100, LOOKED * most))},
        "rescore_vector": {"oversample": min(OVERSAMPLE, MOST_HITS / most)},
    }
    return _hits({"knn": near}, k)


def by_id(ids: Sequence[str]) -> Body:
    """Return the query for the entities with these ids."""
    return {"query": {"ids": {"values": list(ids)}}, "size": len(ids), "_source": ["entity", "type"]}


NO_NAMES: Mapping[str, Any] = {"named": {"buckets": ()}}


def by_name(names: Sequence[str]) -> Body:
    """Return the search that tells which of these names some title has."""
    own = {"field": "named", "include": list(names), "size": len(names), "execution_hint": "map"}
    return {"query": {"terms": {"named": list(names)}}, "size": 0, "aggs": {"named": {"terms": own}}}


def _hits(search: Body, k: int) -> Body:
    return {**search, "size": min(k, MOST_HITS), "_source": False, "docvalue_fields": ["chunk"]}


def chosen(votes: Floats, sizes: Sequence[int]) -> tuple[int, ...]:
    """Choose the partitions with the most votes: the first whatever its size, further ones with votes while the sum
    stays below `NODES` nodes, and ones without votes until there are `FEWEST` nodes."""
    found, nodes = list[int](), 0
    for partition in np.argsort(-votes, kind="stable").tolist():
        if not votes[partition] and nodes >= FEWEST:
            break
        if not found or nodes + sizes[partition] <= NODES:
            found.append(partition)
            nodes += sizes[partition]
    return tuple(sorted(found))


# Tokens of ELSER, from an endpoint that the person names -------------------------------------------------------------

ENDPOINT = "ES_ELSER"
"""The variable that names the endpoint, of the task `sparse_embedding`."""

MODEL = ".elser_model_2"
AT_A_TIME = 16
"""Texts in one request."""

TokenWeights = Mapping[str, float]
"""Token -> weight."""


def endpoint() -> str:
    """Return the name of ELSER's inference endpoint, from the environment; empty if none is named."""
    return os.environ.get(ENDPOINT, "").strip()


def tokens_of(cluster: Cluster, texts: Sequence[str]) -> list[TokenWeights]:
    """Return ELSER's tokens of each text. The endpoint is created if it does not exist and the key may. Raises
    `NotSetUp` if it cannot be, or if the server or its licence has no inference."""
    found: list[TokenWeights] = []
    for first in range(0, len(texts), AT_A_TIME):
        call = partial(_sparse, id_=endpoint(), texts=list(texts[first : first + AT_A_TIME]))
        try:
            answer = _asked(cluster, call)
        except NoLibrary:  # the status 404: no such endpoint
            _asked(cluster, _create)
            answer = _asked(cluster, call)
        made = (one["embedding"] for one in answer["sparse_embedding"])  # a dot in a name would be a path
        found += [{token.replace(".", "__"): weight for token, weight in one.items()} for one in made]
    return found


def _sparse(client: "Elasticsearch", id_: str, texts: list[str]) -> Any:
    return client.inference.sparse_embedding(inference_id=id_, input=texts)


def _create(client: "Elasticsearch") -> Any:
    made = {"model_id": MODEL, "num_threads": 1, "adaptive_allocations": {"enabled": True}}
    config = {"service": "elasticsearch", "service_settings": made}
    return client.inference.put(task_type="sparse_embedding", inference_id=endpoint(), inference_config=config)


def _asked(cluster: Cluster, call: Callable[["Elasticsearch"], Any]) -> Any:
    """Ask the endpoint. An unreachable cluster and a missing endpoint raise as everywhere; other errors say that there
    is no inference."""
    try:
        return cluster.ask(call, BULK_SECONDS)
    except (NoLibrary, ServiceUnreachable):
        raise
    except ClewError as error:
        said = f"the endpoint '{endpoint()}' of {cluster.where} gives no tokens: {error.message}"
        hint = f"name one of task sparse_embedding in {ENDPOINT} (docs/elasticsearch.md), or none"
        raise NotSetUp(said, hint) from error

"""ELSER's tokens of texts, from an inference endpoint of the cluster that the person names."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from clew.memory.errors import ClewError, NoLibrary, NotSetUp, ServiceUnreachable
from clew.memory.knowledge.cluster.connection import BULK_SECONDS, Cluster

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch

ENDPOINT = "ES_ELSER"
"""The variable that names the endpoint, of the task `sparse_embedding`."""

MODEL = ".elser_model_2"
AT_A_TIME = 16
"""Texts in one request."""

TokenWeights = Mapping[str, float]
"""Token -> weight."""


def endpoint() -> str:
    """Empty where none is named."""
    return os.environ.get(ENDPOINT, "").strip()


def tokens_of(cluster: Cluster, texts: Sequence[str]) -> list[TokenWeights]:
    """Of each text; the endpoint is created where there is none of that name and the key may. Raises `NotSetUp` where
    that is not so, or the server or its licence has no inference."""
    found: list[TokenWeights] = []
    for first in range(0, len(texts), AT_A_TIME):
        call = partial(_sparse, id_=endpoint(), texts=list(texts[first : first + AT_A_TIME]))
        try:
            answer = _asked(cluster, call)
        except NoLibrary:  # the status 404: no such endpoint
            _asked(cluster, _create)
            answer = _asked(cluster, call)
        made = (one["embedding"] for one in answer["sparse_embedding"])
        found += [{_plain(token): weight for token, weight in one.items()} for one in made]
    return found


def _sparse(client: "Elasticsearch", id_: str, texts: list[str]) -> Any:
    return client.inference.sparse_embedding(inference_id=id_, input=texts)


def _create(client: "Elasticsearch") -> Any:
    made = {"model_id": MODEL, "num_threads": 1, "adaptive_allocations": {"enabled": True}}
    config = {"service": "elasticsearch", "service_settings": made}
    return client.inference.put(task_type="sparse_embedding", inference_id=endpoint(), inference_config=config)


def _asked(cluster: Cluster, call: Callable[["Elasticsearch"], Any]) -> Any:
    """A cluster that cannot be reached, and an endpoint that is not there, stay that."""
    try:
        return cluster.ask(call, BULK_SECONDS)
    except (NoLibrary, ServiceUnreachable):
        raise
    except ClewError as error:
        said = f"the endpoint '{endpoint()}' of {cluster.where} gives no tokens: {error.message}"
        hint = f"name one of task sparse_embedding in {ENDPOINT} (docs/elasticsearch.md), or none"
        raise NotSetUp(said, hint) from error


def _plain(token: str) -> str:
    """A dot in a name would be a path."""
    return token.replace(".", "__")

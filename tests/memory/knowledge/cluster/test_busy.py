"""A cluster that is busy: `clew index` waits, with a limit."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.memory.errors import ClewError, ServiceUnreachable
from clew.memory.knowledge.cluster.cluster_store import open_generation
from clew.memory.knowledge.cluster.connection import Cluster
from clew.memory.knowledge.cluster.generations import Generations
from tests.cluster import Server, cluster_at, remove_library, sent
from tests.proxy import Proxy, error_of

pytestmark = pytest.mark.soak

REJECTED = error_of(429, "es_rejected_execution_exception", "rejected execution of a task on a queue of 1")
AWAY = error_of(503, "unavailable_shards_exception", "primary shard is not active")
FULL = error_of(429, "cluster_block_exception", "blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage]")


@pytest.fixture
def behind(proxy: Proxy) -> Iterator[Cluster]:
    cluster = Cluster(cluster_at(Server(f"http://{proxy.host}", {})).where, tries=8, pause=0.001)  # it hardly pauses
    yield cluster
    proxy.instead, proxy.lost = lambda *_: None, lambda *_: False
    remove_library(cluster)


def rejected_by_item(body: bytes) -> tuple[int, dict[str, Any]]:
    """Of a bulk, as the reference has it: a status of 200, and one for each item."""
    actions = [one for one in map(json.loads, body.splitlines()) if {*one} in ({"index"}, {"delete"})]
    error = REJECTED[1]["error"]
    items = [{kind: {"_id": its["_id"], "status": 429, "error": error}} for one in actions for kind, its in one.items()]
    return 200, {"took": 0, "errors": True, "items": items}


def test_indexing_waits_for_a_busy_cluster(behind: Cluster, proxy: Proxy, examples_path: Path) -> None:
    """Each request but those that read all rows is answered 429 and 503 first, a bulk by item too."""
    asked = Counter[tuple[str, str, bytes]]()

    def busy(method: str, path: str, body: bytes) -> tuple[int, dict[str, Any]] | None:
        if "scroll" in path:
            return None
        asked[one := (method, path, body)] += 1
        answers = [REJECTED, AWAY, *([rejected_by_item(body)] if "_bulk" in path else [])]
        return answers[asked[one] - 1] if asked[one] <= len(answers) else None

    proxy.instead = busy
    first = sent(behind, examples_path)
    assert first.sent == first.rows and len(asked) > 10
    again = sent(behind, examples_path)
    assert (again.hash, again.sent) == (first.hash, 0)
    assert open_generation(behind).proof[1] == first.hash


def test_what_was_done_and_its_answer_lost_is_done_once(behind: Cluster, proxy: Proxy, examples_path: Path) -> None:
    """A balancer may answer 504 for what the server has done: so is each request answered first, of an index that is
    made, cloned, written, named and removed."""
    asked = Counter[tuple[str, str, bytes]]()

    def lost(*one: Any) -> bool:
        asked[one] += 1
        return asked[one] == 1 and "scroll" not in one[1]

    proxy.lost = lost
    first, second, third = (sent(behind, examples_path) for _ in range(3))
    proxy.lost = lambda *_: False
    assert (second.hash, second.sent, third.hash, third.sent) == (first.hash, 0, first.hash, 0)
    assert Generations(behind).ours() == [second.index, third.index]
    assert open_generation(behind).proof == (first.rows, first.hash)
    done = {path.partition("?")[0].rpartition("/")[2] for _, path, _ in asked}
    assert done >= {"_bulk", "_aliases", f"{third.index}"}


def test_a_full_disk_is_told(behind: Cluster, proxy: Proxy, examples_path: Path) -> None:
    """It answers 429 too."""
    proxy.instead = lambda _, path, __: FULL if "/_bulk" in path else None
    with pytest.raises(ClewError, match="its disk is full") as refused:
        sent(behind, examples_path)
    assert "make room" in refused.value.hint


@pytest.mark.parametrize("answer", [REJECTED, None])
def test_it_is_waited_for_with_a_limit(
    behind: Cluster, proxy: Proxy, examples_path: Path, answer: tuple[int, dict[str, Any]] | None
) -> None:
    asked: list[str] = []

    def busy(_: str, path: str, body: bytes) -> tuple[int, Any] | None:
        if "_bulk" not in path:
            return None
        asked.append(path)
        return answer or rejected_by_item(body)

    proxy.instead = busy
    with pytest.raises(ServiceUnreachable, match="cannot answer now"):
        sent(behind, examples_path)
    assert len(asked) == behind.tries

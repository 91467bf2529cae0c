"""A generation brought onto a cluster: what differs is sent in bulk, what is gone is deleted, and once count and hash
are those of the generation the library is switched to it. A run that was cut off is gone on with: what is there already
is known by its hash."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from clew.memory.datatypes import Progress
from clew.memory.errors import ClewError, LibraryBusy, ServiceUnreachable
from clew.memory.files import leased
from clew.memory.knowledge.cluster.connection import BULK_SECONDS, Busy, Cluster, TooLarge, cause_of
from clew.memory.knowledge.cluster.generations import Generations
from clew.memory.knowledge.cluster.rows import (
    CLUSTER_FORMAT,
    IndexLayout,
    IndexRow,
    RowsHash,
    decoded,
    facts_of,
    hash_of,
    rows_of,
)
from clew.memory.knowledge.cluster.searches import MOST_TOKENS, Body, by_vector, endpoint, tokens_of
from clew.memory.knowledge.disk import Manifest, open_database, read_manifest
from clew.memory.knowledge.embedding import with_title
from clew.memory.text import number_of

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch

STAGE = "sending to the cluster"
BYTES, ROWS = 4_000_000, 500
"""What one bulk request has at most."""

NAMED, LONG = 5, 80
"""Documents that a report of failures names, and characters of each one's id."""


@dataclass
class Bulk:
    """Sends rows, again those that a busy cluster has not taken, and in smaller requests where they are too large;
    `failed` are the documents (else the names, else the rows) that it refused some row of, and why."""

    cluster: Cluster
    index: str
    failed: dict[str, str] = field(default_factory=dict)
    sent: int = 0

    def send(self, rows: Sequence[IndexRow], gone: Sequence[str] = ()) -> None:
        """Raises `ClewError` where no waiting helps: a block, a full disk, a key without rights; `ServiceUnreachable`
        where the cluster stays busy or away."""
        # With ELSER's tokens of chunks, where an endpoint is named.
        texts = [with_title(row.source["title"], row.source["text"]) for row in rows if _by(row)]
        tokens = iter(tokens_of(self.cluster, texts) if texts else ())
        more = [{"by": _by(row), "elser": next(tokens)} if _by(row) else {} for row in rows]
        said = [{**row.source, "hash": row.hash, **row.indexed, **one} for row, one in zip(rows, more, strict=True)]
        lines: list[_Line] = [({"index": {"_id": row.id}}, one) for row, one in zip(rows, said, strict=True)]
        self._send(lines + [({"delete": {"_id": id_}}, None) for id_ in gone])

    def _send(self, lines: list["_Line"]) -> None:
        left = lines

        def send(client: "Elasticsearch") -> Any:
            nonlocal left
            operations: list[Any] = [part for action, body in left for part in (action, body) if part is not None]
            answer = client.bulk(index=self.index, operations=operations, refresh=False)
            left = self._not_taken(left, answer["items"])
            if left:
                where, count = self.cluster.where, len(left)
                raise Busy(f"{where} stays busy: {count} documents were not taken", "run this again when it is idle")
            return answer

        try:
            self.cluster.ask(send, BULK_SECONDS)
        except TooLarge:
            half = len(left) // 2
            if not half:
                self.failed[_about(left[0])] = "larger than http.max_content_length"
                return
            self._send(left[:half])
            self._send(left[half:])

    def _not_taken(self, lines: list["_Line"], items: Sequence[dict[str, Any]]) -> list["_Line"]:
        """Those to be sent again."""
        again: list[_Line] = []
        for line, item in zip(lines, items, strict=True):
            ((_, said),) = item.items()
            status = int(said["status"])
            if status < 300 or (status == 404 and line[1] is None):
                self.sent += 1
                continue
            kind, reason = cause_of(said)
            refused = self.cluster.refused(status, said)
            if isinstance(refused, Busy):
                again.append(line)
            elif "block" in kind or isinstance(refused, ServiceUnreachable):
                raise refused
            else:
                self.failed[_about(line)] = reason
        return again


_Line = tuple[dict[str, Any], dict[str, Any] | None]


def _about(line: _Line) -> str:
    """What a person knows of it."""
    (its,), body = line[0].values(), line[1] or {}
    return str(body.get("document") or body.get("name") or its["_id"])


def _by(row: IndexRow) -> str:
    """The endpoint that its tokens are from."""
    return endpoint() if row.source["kind"] == "chunk" else ""


@dataclass(frozen=True, slots=True)
class Published:
    """What a run sent, deleted and left as it was, in rows; `seconds` is the cluster's part; `removed` are generations
    that were superseded long enough ago; `tokens_by` is the endpoint that all chunks have ELSER's tokens from."""

    index: str
    rows: int
    hash: str
    sent: int
    deleted: int
    pauses: int
    seconds: float
    removed: tuple[str, ...]
    tokens_by: str = ""


@dataclass(frozen=True, slots=True)
class Sending:
    """`shards` and `replicas` as in `IndexLayout`; `rebuild`: the index is made empty, and not cloned; `again`: also
    where nothing is new, and whatever differs by what stands in its row."""

    shards: int | None = None
    replicas: int | None = None
    rebuild: bool = False
    again: bool = False


def publish(
    cluster: Cluster, generation: Path, sending: Sending | None = None, of: str | None = None
) -> Iterator[Progress | Published]:
    """Bring a generation of an embedded library onto the cluster, under its lock, and use it; ends with `Published`.
    `of` is the proof of what it was made of there: empty where nothing was, None where it does not matter.

    The library stays as it was until the very end. Raises `LibraryBusy`, also where it is no more what this was made
    of, and `ClewError` where documents are refused.
    """
    _ = cluster.version
    generations, manifest = Generations(cluster), read_manifest(generation)
    sending = sending or Sending()
    layout = IndexLayout(manifest.encoder.dimension, manifest.keywords, sending.shards, sending.replicas)
    again = layout if sending.again else None
    # What is made is closed here and now: an error keeps it alive, and SQLite is closed by the thread that opened it.
    with generations.held() as still_held, leased(generation), closing(rows_of(generation, manifest)) as made:
        if of is not None and generations.proof() != of:
            raise LibraryBusy(f"{cluster.where} was indexed meanwhile, by another clew index", "run it again")
        pauses, seconds = cluster.pauses, cluster.seconds
        index = generations.begin(layout, sending.rebuild)
        bulk, there, whole = Bulk(cluster, index), hashes(cluster, index, again), RowsHash()
        by = Counter[str]()
        total = manifest.documents + manifest.chunks
        batch, size = list[IndexRow](), 0
        for row in made:
            whole.add(row.id, row.hash)
            hash_, tokens_by = there.get(row.id, ("", ""))
            is_there = hash_ == row.hash and _by(row) in ("", tokens_by)  # without an endpoint its tokens stay
            by[tokens_by if is_there else _by(row)] += row.source["kind"] == "chunk"
            if is_there:
                continue
            batch.append(row)
            size += _size(row)
            if size >= BYTES or len(batch) >= ROWS:
                bulk.send(batch)
                batch, size = [], 0
                yield Progress(STAGE, len(whole), max(total, len(whole)))
        if batch:
            bulk.send(batch)
        gone = sorted(there.keys() - whole.ids - {"manifest"})
        for first in range(0, len(gone), ROWS):
            bulk.send([], gone[first : first + ROWS])
        _check(bulk, generation)
        _prove(hashes(cluster, index, again), whole, cluster)
        still_held()
        bulk.send([_of_manifest(generation, manifest, whole, by)])
        _check(bulk, generation)
        cluster.ask(lambda client: client.indices.refresh(index=index), BULK_SECONDS)
        still_held()
        generations.switch(index)
        removed = tuple(generations.clear())
        yield Progress(STAGE, len(whole), len(whole))
        counts = bulk.sent - 1 - len(gone), len(gone), cluster.pauses - pauses
        endpoints = [name for name, chunks in by.items() if chunks]
        tokens_by = endpoints[0] if len(endpoints) == 1 else ""
        yield Published(index, len(whole), whole.value, *counts, cluster.seconds - seconds, removed, tokens_by)


def _of_manifest(generation: Path, manifest: Manifest, whole: RowsHash, by: Mapping[str, int]) -> IndexRow:
    written = manifest.model_dump_json(by_alias=True)
    said = {"format": CLUSTER_FORMAT, "manifest": written, "rows": len(whole), "hash": whole.value}
    said |= {"published": time.time(), **facts_of(generation, manifest)}
    named = max((name for name in by if name and by[name]), key=lambda name: by[name], default="")
    said |= {"elser": named, "without": sum(by.values()) - by.get(named, 0)}
    return IndexRow("manifest", {"kind": "manifest", "rest": said})


def hashes(cluster: Cluster, index: str, anew: IndexLayout | None = None) -> dict[str, tuple[str, str]]:
    """Of all that stands in an index, by id, its hash and the endpoint that its tokens are from; what is written
    and not yet refreshed too. `anew`, how it is laid out: the hash is not what the row says, but made again,
    and is no chunk's that its own words and vector do not find."""
    cluster.ask(lambda client: client.indices.refresh(index=index), BULK_SECONDS)
    if anew:
        return {id_: (hash_, by) for id_, hash_, by in made_again(cluster, index, anew)}
    found = cluster.scanned(index, {"match_all": {}}, False, 5000, ["hash", "by"])
    told = ((hit["_id"], hit.get("fields", {})) for hit in found)
    return {id_: (fields.get("hash", [""])[0], fields.get("by", [""])[0]) for id_, fields in told}


def _size(row: IndexRow) -> int:
    """Bytes, about, as it is sent."""
    long = (value for value in row.source.values() if isinstance(value, str))
    return 300 + sum(map(len, long)) + 20 * len(row.indexed.get("vector", ())) + len(str(row.source.get("rest", "")))


def _check(bulk: Bulk, generation: Path) -> None:
    """Raises `ClewError` that names what was refused, and the files that it is of."""
    if not bulk.failed:
        return
    shown = []
    with closing(open_database(generation)) as database:
        for name, why in list(bulk.failed.items())[:NAMED]:
            files = database.execute("SELECT source FROM documents WHERE id = ?", (name,))
            short = name if len(name) <= LONG else f"{name[:LONG]}..."
            shown.append("".join([short, *(f" of {path}" for (path,) in files), f": {why[:120]}"]))
    refused = f"{number_of(len(bulk.failed), 'document')} {'was' if len(bulk.failed) == 1 else 'were'} refused"
    raise ClewError(
        f"{refused} by {bulk.cluster.where} ({'; '.join(shown)}); the library is what it was",
        "mend what they say; the next run sends them again",
    )


def _prove(there: Mapping[str, tuple[str, str]], whole: RowsHash, cluster: Cluster) -> None:
    found = RowsHash((id_, hash_) for id_, (hash_, _) in there.items() if id_ != "manifest")
    if (len(found), found.value) != (len(whole), whole.value):
        raise ClewError(
            f"{cluster.where} has {len(found)} of {len(whole)} documents as they were sent", "run this again"
        )


# Proof: a row's hash made again, and its own words and vector find it ------------------------------------------------

RowSource = Mapping[str, Any]
One = TypeVar("One")

AT_ONCE = 50
"""Chunks of a request: an answer tells some 100 kB of each."""

SAME = 0.9999
"""The score of a chunk for its own vector, from 0 to 1, by which it is searched by that."""

LONGEST_TOKEN = 255
"""Characters of a word that Elasticsearch's analyser leaves whole."""

SAMPLE = 200
"""Chunks that are looked at one by one where not all are: those are always the same of a library."""


def lost(cluster: Cluster, index: str) -> list[str]:
    """The ids of the chunks that have no vector, no words where the row has some, or no tokens from the endpoint that
    it says to have them from: of all, by one search. One that has no words to have is left to `unlike`."""
    missing: list[Body] = [{"must_not": {"exists": {"field": field}}} for field in ("vector", "words")]
    missing.append({"filter": {"exists": {"field": "by"}}, "must_not": {"exists": {"field": "elser"}}})
    query = {"filter": {"term": {"kind": "chunk"}}, "should": [{"bool": one} for one in missing]}
    asked = {"bool": {**query, "minimum_should_match": 1}}
    hits = list(cluster.scanned(index, asked, ["text_words", "title_words", "by"]))
    own = [hit["_source"] for hit in hits]
    wordless = [not (one["text_words"] or one["title_words"] or one.get("by")) for one in own]
    return [hit["_id"] for hit, none in zip(hits, wordless, strict=True) if not none]


def sampled(rows: Mapping[str, str], most: int = SAMPLE) -> list[str]:
    """At most so many of the ids, each with the hash of its row, by which they are drawn."""
    return sorted(rows, key=lambda id_: (rows[id_], id_))[:most]


def unlike(cluster: Cluster, index: str, rows: Mapping[str, RowSource], layout: IndexLayout) -> list[str]:
    """The ids of those of these chunks that their own vector does not find, or all their own words together."""
    found = list[str]()
    for ids in _batches(rows):
        asked = [search for id_ in ids for search in _own(id_, rows[id_], layout.dimension)]
        answers = [answer["hits"]["hits"] for answer in cluster.searched(index, asked)]
        for id_, near, held in zip(ids, answers[::2], answers[1::2], strict=True):
            found += [] if held and near and near[0]["_score"] >= SAME else [id_]
    return found


def _own(id_: str, row: RowSource, dimension: int) -> Sequence[Body]:
    """A search by its vector and one by all its words, among it alone."""
    alone: Body = {"ids": {"values": [id_]}}
    parts = ("words", "title_words"), ("words", "text_words"), ("metadata", "metadata_words")
    words = dict.fromkeys((field, word) for field, part in parts for word in row[part].split())
    whole = [{"term": {field: word}} for field, word in words if len(word) <= LONGEST_TOKEN][:MOST_TOKENS]
    by_all = {"query": {"bool": {"filter": [alone, *whole]}}, "size": 1, "_source": False}
    return by_vector(decoded(row["half"], dimension)[0], 1, [alone]), by_all


def made_again(cluster: Cluster, index: str, layout: IndexLayout) -> Iterator[tuple[str, str, str]]:
    """Of each row its id, its hash made again, and the endpoint of its tokens; no hash of a chunk that is searched by
    something else than what it says."""
    without = {*lost(cluster, index)}
    for hits in _batches(cluster.scanned(index, {"match_all": {}})):
        chunks = {hit["_id"]: hit["_source"] for hit in hits if hit["_source"]["kind"] == "chunk"}
        strange = without | {*unlike(cluster, index, chunks, layout)}
        for hit in hits:
            hash_ = "" if hit["_id"] in strange else hash_of(hit["_source"])
            yield hit["_id"], hash_, hit["_source"].get("by", "")


def _batches(of: Iterable[One]) -> Iterator[list[One]]:
    left = iter(of)
    while batch := list(islice(left, AT_ONCE)):
        yield batch

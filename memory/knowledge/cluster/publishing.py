"""A generation brought onto a cluster: what differs is sent in bulk, what is gone is deleted, and once count and hash
are those of the generation the library is switched to it. A run that was cut off is gone on with: what is there already
is known by its hash.

A library on a cluster is indexed in a folder on this machine, its copy, which is then brought there.
"""

import hashlib
import json
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeVar

from clew.memory.datatypes import Progress
from clew.memory.encoding import with_title
from clew.memory.errors import ClewError, LibraryMismatch
from clew.memory.files import new_file, private_folder, remove
from clew.memory.knowledge import disk
from clew.memory.knowledge.cluster.connection import (
    BULK_SECONDS,
    BUSY,
    LONGEST_PAUSE,
    Busy,
    Cluster,
    ClusterAddress,
    Place,
    cause_of,
)
from clew.memory.knowledge.cluster.generations import Generations, indexed_meanwhile
from clew.memory.knowledge.cluster.rows import CLUSTER_FORMAT, IndexRow, facts_of, proof_of, rows_of
from clew.memory.knowledge.cluster.searches import AT_A_TIME, endpoint, tokens_of
from clew.memory.knowledge.disk import current_generation, leased, read_manifest, unread
from clew.memory.text import number_of

STAGE = "sending to the cluster"
BYTES, ROWS = 4_000_000, 500
"""What one bulk request has at most."""

NAMED, LONG = 5, 80
"""Documents that a report of failures names, and characters of each one's id."""


@dataclass(frozen=True, slots=True)
class Published:
    """How many rows a run sent and deleted, of all; `tokens_by` is the endpoint that made the tokens of all chunks."""

    index: str
    rows: int
    hash: str
    sent: int
    deleted: int
    seconds: float
    tokens_by: str = ""

    def __str__(self) -> str:
        return f"{self.sent:,} of {self.rows:,} rows sent"


def publish(
    cluster: Cluster, generation: Path, anew: bool = False, instead_of: str | None = None
) -> Iterator[Progress | Published]:
    """Send a generation of a library in a folder to the cluster and put it in use; yields progress and ends with
    `Published`.

    With `anew` everything is sent, else only what differs. `instead_of` is the index that was in use when the
    generation was begun (by default the one in use now). The library stays as it was until the very end. Raises
    `LibraryBusy` if another run has switched it meanwhile, and `ClewError` if the cluster refuses rows.
    """
    _ = cluster.version
    started, manifest, generations = time.perf_counter(), read_manifest(generation), Generations(cluster)
    current = generations.current()
    if instead_of not in (None, current):
        raise indexed_meanwhile(cluster)
    # What is made is closed here and now: an error keeps it alive, and SQLite is closed by the thread that opened it.
    with leased(generation), closing(rows_of(generation, manifest)) as made:
        index = generations.begin(current, manifest, anew)
        there, hashes, endpoints, sent = hashes_of(cluster, index), dict[str, str](), set[str](), 0
        total = manifest.documents + manifest.chunks
        for _ in send(cluster, index, _differing(made, there, hashes, endpoints)):
            sent += 1
            if not sent % ROWS:
                yield Progress(STAGE, len(hashes), max(total, len(hashes)))
        tokens_by = endpoints.pop() if len(endpoints) == 1 else ""
        gone, proof = there.keys() - hashes.keys(), proof_of(hashes)
        said = {"format": CLUSTER_FORMAT, "manifest": manifest.model_dump_json(by_alias=True), "elser": tokens_by}
        said |= {"rows": len(hashes), "hash": proof, **facts_of(generation, manifest)}
        last = IndexRow("manifest", {"kind": "manifest", "rest": said})
        for _ in send(cluster, index, [last], gone):
            pass
        generations.close(index)
        found = {id_: hash_ for id_, (hash_, _) in hashes_of(cluster, index).items()}
        if proof_of(found) != proof or generations.proof(index) != proof:
            has = f"{len(found):,} of {len(hashes):,} rows as they were sent"
            raise ClewError(f"{cluster.where} has {has}", "run this again")
        generations.switch(current, index)
        yield Progress(STAGE, len(hashes), len(hashes))
        yield Published(index, len(hashes), proof, sent, len(gone), time.perf_counter() - started, tokens_by)


def _differing(
    rows: Iterable[IndexRow], there: Mapping[str, tuple[str, str]], hashes: dict[str, str], endpoints: set[str]
) -> Iterator[IndexRow]:
    """Yield the rows that the cluster lacks or has otherwise. Notes the hashes of all rows in `hashes`, and the
    endpoints that made the chunks' tokens. If no endpoint is configured, tokens that are there stay."""
    for row in rows:
        hashes[row.id] = row.hash
        hash_, by = there.get(row.id, ("", ""))
        named = endpoint() if row.source["kind"] == "chunk" else ""
        is_there = hash_ == row.hash and named in ("", by)
        if row.source["kind"] == "chunk":
            endpoints.add(by if is_there else named)
        if not is_there:
            yield row


def hashes_of(cluster: Cluster, index: str) -> dict[str, tuple[str, str]]:
    """Return by id the hash of each row of an index, except the manifest's, and the endpoint that made its tokens."""
    query = {"bool": {"must_not": {"term": {"kind": "manifest"}}}}
    found = cluster.scanned(index, query, False, 5000, ["hash", "by"])
    told = ((hit["_id"], hit.get("fields", {})) for hit in found)
    return {id_: (fields.get("hash", [""])[0], fields.get("by", [""])[0]) for id_, fields in told}


def send(cluster: Cluster, index: str, rows: Iterable[IndexRow], gone: Iterable[str] = ()) -> Iterator[None]:
    """Write rows and delete those in `gone`; yields after each that the cluster accepted. Raises `ClewError` naming a
    row that was refused, and `ServiceUnreachable` if the cluster stays busy or unreachable."""
    from elasticsearch.helpers import streaming_bulk

    names, failed = dict[str, str](), dict[str, str]()
    deleted = ({"_op_type": "delete", "_id": id_} for id_ in gone)
    with cluster.translated():
        answers = streaming_bulk(
            cluster.client.options(request_timeout=BULK_SECONDS),
            chain(_written(cluster, rows, names), deleted),
            chunk_size=ROWS,
            max_chunk_bytes=BYTES,
            raise_on_error=False,
            max_retries=cluster.tries - 1,
            initial_backoff=cluster.pause,
            max_backoff=LONGEST_PAUSE,
            retry_on_status=BUSY,
            index=index,
        )
        for taken, answer in answers:
            ((action, said),) = answer.items()
            if taken or (action == "delete" and said["status"] == 404):
                yield
                continue
            kind, reason = cause_of(said)
            refused = cluster.refused(said["status"], said)
            if isinstance(refused, Busy) or "block" in kind:
                raise refused
            failed[names.get(said["_id"], said["_id"])] = reason
    if failed:
        named = "; ".join(f"{name[:LONG]}: {why[:120]}" for name, why in list(failed.items())[:NAMED])
        of_documents = f"{number_of(len(failed), 'document')} refused by {cluster.where} ({named})"
        raise ClewError(f"{of_documents}; the library is what it was", "mend what they say; the next run sends them")


def _written(cluster: Cluster, rows: Iterable[IndexRow], names: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the rows as bulk actions, with ELSER's tokens of chunks if an endpoint is configured. Notes the document of
    each row in `names`."""
    left, by = iter(rows), endpoint()
    while some := list(islice(left, AT_A_TIME)):
        chunks = [row for row in some if by and row.source["kind"] == "chunk"]
        texts = [with_title(row.source["title"], row.source["text"]) for row in chunks]
        tokens = dict(zip((row.id for row in chunks), tokens_of(cluster, texts), strict=True))
        for row in some:
            names[row.id] = str(row.source.get("document", row.id))
            more = {"by": by, "elser": tokens[row.id]} if row.id in tokens else {}
            yield {"_id": row.id, "_source": {**row.source, "hash": row.hash, **row.indexed, **more}}


# A copy on this machine, which is worked on and sent -----------------------------------------------------------------

FOLDER, SENT = "clusters", "sent.json"

Worked = TypeVar("Worked")


def worked_on(
    place: Place, cache: Path, work: Callable[[Path], Iterator[Worked]], anew: bool = False
) -> Generator[Worked | Progress | Published, None, None]:
    """Run `work` on the folder of a library and yield what it yields. For a library on a cluster it works on the local
    copy, which is then sent: `Published` comes before the last event.

    With `anew` everything is sent. Raises what `work` and `publish` raise; and before any work what `on_this_machine`
    raises, and `NotAllowed` if the key may not index.
    """
    if isinstance(place, Path):
        yield from work(place)
        return
    cluster = Cluster(place)
    generations = Generations(cluster)
    generations.may_index()
    folder, current = _folder(place, cache), generations.current()
    if current and anew and current not in generations.ours():
        generations.checked(current)
    elif current and not anew:
        _check_copy(generations, current, folder)
    elif not current and _mark(folder):  # it was there, and was removed
        _clear(folder)
    last: list[Worked] = []
    try:
        for event in work(folder):
            yield from last
            last = [event]
    except ClewError as error:
        error.message, error.hint = (text.replace(str(folder), str(place)) for text in (error.message, error.hint))
        raise
    generation, mark = current_generation(folder), _mark(folder)
    if generation:
        files = hashlib.sha256((generation / disk.HASHES).read_bytes()).hexdigest()
        known = current and mark.get("files") == files and endpoint() in ("", mark.get("elser", ""))
        with disk.held(folder):
            for sent in () if known and not anew else publish(cluster, generation, anew, current):
                if isinstance(sent, Published):
                    note = {"files": files, "hash": sent.hash, "elser": sent.tokens_by}
                    new_file(folder, SENT).write_text(json.dumps(note) + "\n", "utf-8")
                yield sent
    yield from last


def on_this_machine(place: Place, cache: Path) -> Path:
    """Return the folder of a library, or of the local copy of one on a cluster. Raises `LibraryMismatch` if that was
    not indexed on this machine."""
    if isinstance(place, Path):
        return place
    generations, folder = Generations(Cluster(place)), _folder(place, cache)
    _check_copy(generations, generations.required(), folder)
    return folder


def _check_copy(generations: Generations, current: str, folder: Path) -> None:
    """Raise `LibraryMismatch` if the local copy does not have what the cluster has."""
    generations.checked(current)
    proof, generation = generations.proof(current), current_generation(folder)
    if proof and generation and _mark(folder).get("hash") != proof:  # a run that was killed may have sent it
        with closing(rows_of(generation, read_manifest(generation))) as rows:
            generation = generation if proof_of({row.id: row.hash for row in rows}) == proof else None
    if not proof or not generation:
        where = generations.cluster.where
        raise LibraryMismatch(
            f"the library at {where} is not what was sent from this machine: it is damaged, or indexed on another one",
            f"clew index YOUR-FOLDER --rebuild --library {where}",
        )


def _folder(where: ClusterAddress, cache: Path) -> Path:
    name = hashlib.blake2b(f"{sorted(where.urls)} {where.name}".encode(), digest_size=8).hexdigest()
    return private_folder(private_folder(cache / FOLDER) / f"{where.name}-{name}")


def _mark(folder: Path) -> dict[str, str]:
    """Read what the last run sent: the hash of the copy's files, the hash over the rows, and the endpoint of the
    tokens."""
    try:
        found = json.loads((folder / SENT).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _clear(folder: Path) -> None:
    """Delete the local copy of a library that was removed from the cluster; generations that somebody reads stay.
    Raises `LibraryBusy`."""
    with disk.held(folder):
        for entry in folder.iterdir():
            with unread(entry) as free:
                if free and entry.name != disk.LOCK:
                    remove(folder, entry.name)

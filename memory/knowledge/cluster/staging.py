"""A library of a cluster on this machine, where `clew index`, `clew partition` and `clew align` work on it: a copy,
kept in the cache between runs, whose new generation is then brought onto the cluster."""

import hashlib
import json
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TypeVar

from clew.memory.datatypes import Progress
from clew.memory.errors import ClewError, LibraryMismatch, NoLibrary
from clew.memory.files import new_file, private_folder, remove, unread
from clew.memory.knowledge.cluster.cluster_store import ClusterStore, open_generation
from clew.memory.knowledge.cluster.connection import Cluster, ClusterAddress, Place
from clew.memory.knowledge.cluster.generations import Generations
from clew.memory.knowledge.cluster.inference import endpoint
from clew.memory.knowledge.cluster.publishing import Published, Sending, publish
from clew.memory.knowledge.cluster.restoring import SPOOL, restore
from clew.memory.knowledge.disk import HASHES, LOCK, current_generation, held, required_generation

FOLDER, SENT = "clusters", "sent.json"

Worked = TypeVar("Worked")


def worked_on(
    place: Place, cache: Path, work: Callable[[Path], Iterator[Worked]], sending: Sending | None = None
) -> Iterator[Worked | Progress | Published]:
    """What `work` yields on the folder of a library; of one on a cluster on the copy, which is then sent: `Published`
    comes before the last event. Raises what `work` raises, and `ServiceUnreachable`, before any work `NotAllowed` for a
    key that may not index, and `LibraryBusy`: another machine has indexed it meanwhile, and the next run reads it from
    there."""
    if isinstance(place, Path):
        yield from work(place)
        return
    cluster = Cluster(place)
    Generations(cluster).may_index()
    folder = _folder(place, cache)
    of = yield from _brought(cluster, folder, bool(sending and sending.rebuild))
    last: list[Worked] = []
    try:
        for event in work(folder):
            yield from last
            last = [event]
    except ClewError as error:
        error.message, error.hint = (text.replace(str(folder), str(place)) for text in (error.message, error.hint))
        raise
    if (generation := current_generation(folder)) is None:  # nothing was indexed, and nothing is sent
        yield from last
        return
    sending = sending or Sending()
    mark, files = _mark(folder), _files(generation)
    known = mark.get("files") == files and endpoint() in ("", mark.get("elser", ""))
    generations = Generations(cluster)
    known = known and sending.shards in (None, generations.shards())
    if known and not (sending.rebuild or sending.again):
        with generations.held():
            generations.clear()
            if sending.replicas is not None:
                generations.replicate(sending.replicas)
    else:
        for sent in publish(cluster, generation, sending, of):
            if isinstance(sent, Published):
                _note(folder, files, sent.hash, sent.tokens_by)
            yield sent
    yield from last


def on_this_machine(place: Place, cache: Path) -> Path:
    """A folder with the library as it is now. Raises what reading it from a cluster raises."""
    if isinstance(place, Path):
        return place
    cluster, folder = Cluster(place), _folder(place, cache)
    if _there(cluster) is None:
        raise NoLibrary(f"there is no library at {place}", f"clew index YOUR-FOLDER --library {place}")
    for _ in _brought(cluster, folder):
        pass
    return folder


def _folder(where: ClusterAddress, cache: Path) -> Path:
    name = hashlib.blake2b(f"{sorted(where.urls)} {where.name}".encode(), digest_size=8).hexdigest()
    return private_folder(private_folder(cache / FOLDER) / f"{where.name}-{name}")


def _brought(cluster: Cluster, folder: Path, rebuild: bool = False) -> Generator[Progress, None, str | None]:
    """Where the copy is not what was sent last, or has never been made, it is read from the cluster. What a run has
    made and not sent yet is kept. Returns the proof of what is there: None where it is ours and cannot be read, which
    is no error with `rebuild`."""
    try:
        store, mark = _there(cluster), _mark(folder)
        if store is None:
            if mark:  # it was there, and was removed
                _clear(folder)
        elif mark.get("hash") != store.proof[1] or current_generation(folder) is None:
            _clear(folder)
            yield from restore(store, folder)
            _note(
                folder,
                _files(required_generation(folder)),
                store.proof[1],
                "" if store.without_tokens else store.tokens_by,
            )
        return store.proof[1] if store else ""
    except LibraryMismatch:
        generations = Generations(cluster)
        if not rebuild or generations.current() not in generations.ours():
            raise
        return None


def _there(cluster: Cluster) -> ClusterStore | None:
    _ = cluster.version
    return open_generation(cluster) if Generations(cluster).current() else None


def _mark(folder: Path) -> dict[str, str]:
    """What was sent last: the hashes of its files, the hash over its rows."""
    try:
        found = json.loads((folder / SENT).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _note(folder: Path, files: str, proof: str, tokens_by: str) -> None:
    said = {"files": files, "hash": proof, "elser": tokens_by}
    new_file(folder, SENT).write_text(json.dumps(said) + "\n", "utf-8")


def _files(generation: Path) -> str:
    return hashlib.sha256((generation / HASHES).read_bytes()).hexdigest()


def _clear(folder: Path) -> None:
    """All but what a run that was cut off had read, and generations that somebody reads. Raises `LibraryBusy`."""
    with held(folder):
        for entry in folder.iterdir():
            with unread(entry) as free:
                if free and entry.name != LOCK and not entry.name.startswith(SPOOL):
                    remove(folder, entry.name)

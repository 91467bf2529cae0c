"""The generations of a library on a cluster: an index each, never changed once it is whole; an alias names the one in
use; one indexer at a time.

    clew-NAME                 the alias: one call switches it
    clew-NAME-0000000003      a generation, closed to writes once it is whole
    clew-NAME-lock            who is indexing, as a document that only one can create

Only indices whose `_meta` says that they are ours are ever removed.
"""

import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clew.memory.errors import ClewError, LibraryBusy, LibraryMismatch, NoLibrary, NotSetUp
from clew.memory.knowledge.cluster.connection import BULK_SECONDS, NAME, PREFIX, Cluster, NotAllowed, seconds_of
from clew.memory.knowledge.cluster.rows import (
    CLUSTER_FORMAT,
    IndexLayout,
    copies,
    index_mapping,
    index_settings,
    mapping_faults,
)

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch

KEPT_SECONDS = 3600
"""How long a generation stays that another has superseded; `ES_KEEP` says otherwise."""

BEAT, STILL = 3.0, 12.0
"""Seconds between two signs of life of an indexer, and after how many without one another takes over."""

LOCKING = "10s"
"""That the lock waits for a cluster without a master."""

READ_RIGHTS = ("read", "view_index_metadata")
WRITE_RIGHTS = ("read", "view_index_metadata", "write", "manage")


class Generations:
    """Of the library of a cluster's address."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.alias = f"{PREFIX}{cluster.where.name}"

    def index(self, generation: int) -> str:
        return f"{self.alias}-{generation:010}"

    def current(self) -> str:
        """The index that is in use; empty where there is no library. Raises `NotSetUp` for a key that may not see."""
        try:
            answer = self.cluster.ask(lambda client: client.indices.get_alias(name=self.alias))
        except NoLibrary:
            answer = {}
        if found := sorted(answer):
            return str(found[-1])
        if missing := self.lacking(READ_RIGHTS):
            raise NotSetUp(
                f"the key for {self.cluster.where} is not allowed to see it: {', '.join(missing)} missing",
                "give it the rights of docs/elasticsearch.md",
            )
        return ""

    def required(self) -> str:
        if found := self.current():
            return found
        where = self.cluster.where
        raise NoLibrary(f"there is no library at {where}", f"clew index YOUR-FOLDER --library {where}")

    def lacking(self, rights: tuple[str, ...]) -> list[str]:
        """Those that the key has not for this library; none where the cluster has no security."""
        wanted = [{"names": [self.alias, f"{self.alias}-*"], "privileges": list(rights)}]
        try:
            said = self.cluster.ask(lambda client: client.security.has_privileges(index=wanted))
        except NotSetUp:
            raise
        except ClewError:
            return []
        return [right for right in rights if not all(its[right] for its in said["index"].values())]

    def may_index(self) -> None:
        """Before any work. Raises `NotAllowed` for a key that may not."""
        if missing := self.lacking(WRITE_RIGHTS):
            what = f"the key for {self.cluster.where} may not index: {', '.join(missing)} missing"
            raise NotAllowed(what, "give it the rights of docs/elasticsearch.md")

    def ours(self) -> dict[str, int]:
        """All generations that there are of this library, whole or not, by index."""
        return {index: int(mark["generation"]) for index, mark in self._marks().items() if "generation" in mark}

    def _marks(self) -> dict[str, dict[str, Any]]:
        """What the indices of this library, the lock's too, say of themselves; others' are left out."""
        try:
            said = self.cluster.ask(lambda client: client.indices.get_mapping(index=f"{self.alias}-*"))
        except NoLibrary:
            return {}
        marks = {index: one["mappings"].get("_meta", {}).get("clew", {}) for index, one in said.items()}
        return {index: mark for index, mark in marks.items() if mark.get("library") == self.cluster.where.name}

    def checked(self, index: str) -> None:
        """Raises `LibraryMismatch` for an index of another format, and for one that is none of ours, which stays."""
        said = self.cluster.ask(lambda client: client.indices.get_mapping(index=index))
        mark = said[index]["mappings"].get("_meta", {}).get("clew", {})
        where, has = self.cluster.where, mark.get("format", "")
        if not has:
            raise LibraryMismatch(f"at {where} is an index of another program", "give the library another name")
        if has != CLUSTER_FORMAT:
            raise LibraryMismatch(
                f"at {where} is format {has}, this version of clew reads format {CLUSTER_FORMAT}",
                f"clew index YOUR-FOLDER --rebuild --library {where}",
            )

    # Made --------------------------------------------------------------------------------------------------------

    def begin(self, layout: IndexLayout, fresh: bool = False) -> str:
        """The index of the next generation, open to writes: what a run left unfinished, else a clone of the one in use,
        else an empty one (`fresh`: always empty)."""
        current, ours = self.current(), self.ours()
        layout = self._like(current, layout) if current else layout
        newest = max(ours.values(), default=0)
        later = [index for index, number in ours.items() if not current or number > ours.get(current, 0)]
        for index in sorted(later, reverse=True):
            if not fresh and self._usable(index, layout):
                self._open(index, layout)
                return index
            self.remove(index)
        made = self.index(newest + 1)
        if current and not fresh and self._usable(current, layout):
            self._clone(current, made, layout, newest + 1)
        else:
            mappings = index_mapping(layout, newest + 1, self.cluster.where.name)
            asked: dict[str, Any] = {"index": made, "settings": index_settings(layout), "mappings": mappings}
            self._made(made, lambda client: client.indices.create(**asked))
        return made

    def _made(self, index: str, call: Callable[["Elasticsearch"], Any]) -> None:
        """An index of ours that is there already was made by a call whose answer was lost, now or in a run that
        ended there: who holds the lock alone makes any."""
        try:
            self.cluster.ask(call, BULK_SECONDS)
        except ClewError as error:
            if "resource_already_exists" not in error.message or index not in self.ours():
                raise

    def _usable(self, index: str, layout: IndexLayout) -> bool:
        """Whether its mapping and its shards are those that we would make."""
        said = self.cluster.ask(lambda client: client.indices.get(index=index))[index]
        same = int(said["settings"]["index"]["number_of_shards"]) == (layout.shards or 1)
        return same and not mapping_faults(said, layout.dimension, layout.keywords)

    def _like(self, index: str, layout: IndexLayout) -> IndexLayout:
        """With the shards and the replicas of an index where it names none."""
        had = self._settings(index)
        grows = had.get("auto_expand_replicas", "false") != "false"
        replicas = None if grows else int(had["number_of_replicas"])
        replicas = replicas if layout.replicas is None else layout.replicas
        return replace(layout, shards=layout.shards or int(had["number_of_shards"]), replicas=replicas)

    def _settings(self, index: str) -> dict[str, Any]:
        said = self.cluster.ask(lambda client: client.indices.get_settings(index=index))
        return dict(said[index]["settings"]["index"])

    def shards(self) -> int:
        """Of the generation in use."""
        return int(self._settings(self.required())["number_of_shards"])

    def replicate(self, replicas: int) -> None:
        """Give the generation in use so many replicas."""
        index = self.required()
        self.cluster.ask(lambda client: client.indices.put_settings(index=index, settings=copies(replicas)))

    def _clone(self, index: str, made: str, layout: IndexLayout, number: int) -> None:
        self.close(index)
        kept = {"index.blocks.write": None, **copies(layout.replicas)}
        asked: dict[str, Any] = {"index": index, "target": made, "settings": kept, "wait_for_active_shards": "1"}
        self._made(made, lambda client: client.indices.clone(**asked))
        mark = index_mapping(layout, number, self.cluster.where.name)["_meta"]
        self.cluster.ask(lambda client: client.indices.put_mapping(index=made, meta=mark))
        self._open(made, layout)

    def _open(self, index: str, layout: IndexLayout) -> None:
        settings = {"index.blocks.write": None, **copies(layout.replicas)}
        self.cluster.ask(lambda client: client.indices.put_settings(index=index, settings=settings))

    def close(self, index: str) -> None:
        """To writes, for good."""
        self.cluster.ask(lambda client: client.indices.put_settings(index=index, settings={"index.blocks.write": True}))

    def switch(self, index: str) -> None:
        """Use it from now on: one call takes the alias from the others and gives it to this."""
        self.close(index)
        others = [other for other in self.ours() if other != index]
        actions: list[dict[str, Any]] = [{"add": {"index": index, "alias": self.alias}}]
        holders = self.cluster.ask(lambda client: client.indices.get_alias(index=f"{self.alias}-*"))
        actions += [
            {"remove": {"index": other, "alias": self.alias}}
            for other in others
            if self.alias in holders.get(other, {}).get("aliases", {})
        ]
        self.cluster.ask(lambda client: client.indices.update_aliases(actions=actions))

    def clear(self) -> list[str]:
        """Remove generations that were superseded long enough ago; returns their names."""
        current, ours = self.current(), self.ours()
        kept = seconds_of("ES_KEEP", KEPT_SECONDS)
        since = self.published(current) if current else 0.0
        old = [index for index, number in ours.items() if current and number < ours.get(current, 0)]
        gone = [index for index in sorted(old) if time.time() - since >= kept or self._followed(index, ours, kept)]
        for index in gone:
            self.remove(index)
        return gone

    def _followed(self, index: str, ours: Mapping[str, int], kept: float) -> bool:
        """Whether the one after it was there that long ago already."""
        after = [other for other, number in ours.items() if number == ours[index] + 1]
        return bool(after) and 0 < self.published(after[0]) <= time.time() - kept

    def published(self, index: str) -> float:
        """When it came into use, in seconds since 1970; 0 where it never did."""
        return float(self._told(index, "published") or 0)

    def proof(self) -> str:
        """The hash over all rows of the generation in use; empty where there is none."""
        current = self.current()
        return str(self._told(current, "hash")) if current else ""

    def _told(self, index: str, name: str) -> Any:
        """By the manifest's row; empty where it does not say it."""
        found = self.cluster.found(index, ["manifest"], [f"rest.{name}"])
        return found.get("manifest", {}).get("rest", {}).get(name, "")

    def remove(self, index: str) -> None:
        """An index of ours; no other is touched."""
        if index in self._marks():
            self.cluster.ask(lambda client: client.indices.delete(index=index, ignore_unavailable=True), BULK_SECONDS)

    def remove_all(self) -> int:
        """Every generation and the lock; nothing is written, as the disk may be full. Returns how many generations
        there were. Raises `LibraryBusy` where an indexer is at work."""
        ours, lock = self.ours(), f"{self.alias}-lock"
        self._still(lock, STILL)
        for index in (*ours, lock):
            self.remove(index)
        return len(ours)

    # One at a time -----------------------------------------------------------------------------------------------

    @contextmanager
    def held(self, still: float = STILL) -> Iterator[Callable[[], None]]:
        """Hold the lock: another indexer's is taken over once it has shown no sign of life for `still` seconds. What is
        given looks whether it is held still. Both raise `LibraryBusy` where another indexer lives."""
        lock, holder = f"{self.alias}-lock", uuid.uuid4().hex
        self._make_lock(lock)
        self._take(lock, holder, still)
        ended = threading.Event()
        beating = threading.Thread(target=self._beat, args=(lock, holder, ended), daemon=True)
        beating.start()

        def still_held() -> None:
            if not self._held_by(lock, holder):
                taken = f"another clew index has taken over {self.cluster.where}: this one gave no sign of life"
                raise LibraryBusy(taken, "run it again when that one has ended")

        try:
            yield still_held
        finally:
            ended.set()
            beating.join()
            self._leave(lock, holder)

    def _make_lock(self, lock: str) -> None:
        if self.cluster.ask(lambda client: client.indices.exists(index=lock, local=True)):
            return
        mark = {"clew": {"library": self.cluster.where.name, "format": CLUSTER_FORMAT}}
        fields = {"holder": {"type": "keyword"}, "beat": {"type": "integer"}}
        made: dict[str, Any] = {
            "settings": {"number_of_shards": 1, "auto_expand_replicas": "0-1"},
            "mappings": {"dynamic": "strict", "_meta": mark, "properties": fields},
        }
        try:
            self.cluster.ask(lambda client: client.indices.create(index=lock, **made))
        except ClewError as error:
            if "resource_already_exists" not in error.message:
                raise

    def _take(self, lock: str, holder: str, still: float) -> None:
        own = {"holder": holder, "beat": 0}
        while True:
            try:
                self.cluster.ask(lambda client: client.create(index=lock, id="indexer", document=own, timeout=LOCKING))
                return
            except ClewError as error:
                if "version_conflict" not in error.message:
                    raise
            if self._held_by(lock, holder):
                return  # it was taken, and the answer was lost
            if there := self._still(lock, still):
                try:
                    self._put(lock, holder, 0, there)
                    return
                except ClewError as error:
                    if "version_conflict" not in error.message:
                        raise

    def _still(self, lock: str, still: float) -> dict[str, Any] | None:
        """Who holds the lock and has shown no sign of life for `still` seconds; None where nobody holds it. Raises
        `LibraryBusy` where it lives."""
        until, seen = time.monotonic() + still, -1
        while there := self._locked(lock):
            if seen not in (-1, there["_seq_no"]):
                raise LibraryBusy(f"another clew index is running on {self.cluster.where}", "wait until it has ended")
            if time.monotonic() >= until:
                return there
            seen = there["_seq_no"]
            time.sleep(min(BEAT / 2, still / 3))
        return None

    def _locked(self, lock: str) -> dict[str, Any] | None:
        try:
            return dict(self.cluster.ask(lambda client: client.get(index=lock, id="indexer")))
        except NoLibrary:
            return None

    def _held_by(self, lock: str, holder: str) -> dict[str, Any] | None:
        there = self._locked(lock)
        return there if there and there["_source"]["holder"] == holder else None

    def _put(self, lock: str, holder: str, beat: int, there: Mapping[str, Any]) -> Mapping[str, Any]:
        unchanged = {"if_seq_no": there["_seq_no"], "if_primary_term": there["_primary_term"]}
        own = {"holder": holder, "beat": beat}
        put = self.cluster.ask(lambda client: client.index(index=lock, id="indexer", document=own, **unchanged))
        return dict(put)

    def _beat(self, lock: str, holder: str, ended: threading.Event) -> None:
        beat = 0
        while not ended.wait(BEAT):
            beat += 1
            try:
                if not (there := self._held_by(lock, holder)):
                    return
                self._put(lock, holder, beat, there)
            except ClewError:
                continue  # a cluster that is away for a moment: the next beat tries again

    def _leave(self, lock: str, holder: str) -> None:
        try:
            if there := self._held_by(lock, holder):
                unchanged = {"if_seq_no": there["_seq_no"], "if_primary_term": there["_primary_term"]}
                self.cluster.ask(lambda client: client.delete(index=lock, id="indexer", **unchanged))
        except ClewError:
            return  # it is taken over once it is still


def libraries(cluster: Cluster) -> list[str]:
    """The names of the libraries on a cluster that the key may see."""
    said = cluster.ask(lambda client: client.indices.get_alias(name=f"{PREFIX}*", expand_wildcards="open"))
    names = {alias.removeprefix(PREFIX) for one in said.values() for alias in one["aliases"]}
    return sorted(name for name in names if NAME.fullmatch(name))

"""The generations of a library on a cluster: an index each, never changed once it is whole; an alias names the one in
use.

    clew-NAME                 the alias: one call switches it
    clew-NAME-0000000003      a generation, closed to writes once it is whole

Only indices whose `_meta` says that they are ours are ever removed.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from clew.memory.errors import ClewError, LibraryBusy, LibraryMismatch, NoLibrary, NotSetUp
from clew.memory.knowledge.cluster.connection import BULK_SECONDS, PREFIX, Cluster, NotAllowed
from clew.memory.knowledge.cluster.rows import CLUSTER_FORMAT, REPLICAS, index_mapping, index_settings, mapping_faults
from clew.memory.knowledge.disk import Manifest

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch

READ_RIGHTS = ("read", "view_index_metadata")
WRITE_RIGHTS = ("read", "view_index_metadata", "write", "manage")


class Generations:
    """The generations of one library on a cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.alias = f"{PREFIX}{cluster.where.name}"

    def index(self, generation: int) -> str:
        """Return the name of the index of a generation."""
        return f"{self.alias}-{generation:010}"

    def current(self) -> str:
        """Return the name of the index in use; empty if there is no library. Raises `NotSetUp` if the key may not see
        it."""
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
        """Return the name of the index in use. Raises `NoLibrary` if there is none."""
        if found := self.current():
            return found
        raise self.cluster.refused(404, None)

    def lacking(self, rights: tuple[str, ...]) -> list[str]:
        """Return which of these rights the key does not have for this library; none if the cluster has no security."""
        wanted = [{"names": [self.alias, f"{self.alias}-*"], "privileges": list(rights)}]
        try:
            said = self.cluster.ask(lambda client: client.security.has_privileges(index=wanted))
        except NotSetUp:
            raise
        except ClewError:
            return []
        return [right for right in rights if not all(its[right] for its in said["index"].values())]

    def may_index(self) -> None:
        """Raise `NotAllowed` if the key may not index; called before any work."""
        if missing := self.lacking(WRITE_RIGHTS):
            what = f"the key for {self.cluster.where} may not index: {', '.join(missing)} missing"
            raise NotAllowed(what, "give it the rights of docs/elasticsearch.md")

    def ours(self) -> list[str]:
        """Return the indices of all generations of this library, complete or not, the oldest first."""
        try:
            said = self.cluster.ask(lambda client: client.indices.get_mapping(index=f"{self.alias}-*"))
        except NoLibrary:
            return []
        marks = {index: one["mappings"].get("_meta", {}).get("clew", {}) for index, one in said.items()}
        ours = (index for index, mark in marks.items() if mark.get("library") == self.cluster.where.name)
        return sorted(index for index in ours if index.rpartition("-")[2].isdigit())

    def checked(self, index: str) -> None:
        """Raise `LibraryMismatch` for an index of another format, or one that was not made by Clew, which is left
        alone."""
        said = self.cluster.ask(lambda client: client.indices.get_mapping(index=index))
        where, has = self.cluster.where, said[index]["mappings"].get("_meta", {}).get("clew", {}).get("format", "")
        if not has:
            raise LibraryMismatch(f"at {where} is an index of another program", "give the library another name")
        if has != CLUSTER_FORMAT:
            raise LibraryMismatch(
                f"at {where} is format {has}, this version of clew reads format {CLUSTER_FORMAT}",
                f"clew index YOUR-FOLDER --rebuild --library {where}",
            )

    def begin(self, current: str, manifest: Manifest, anew: bool) -> str:
        """Return the index of the next generation, open to writes: what an earlier run left unfinished, else a clone of
        the index in use, else an empty one. With `anew` it is always empty."""
        newest = max((int(index.rpartition("-")[2]) for index in self.ours()), default=0)
        unfinished, made = self.index(newest), self.index(newest + 1)
        if newest and unfinished > current and not anew and self._usable(unfinished, manifest):
            made = unfinished
        elif current and not anew and self._usable(current, manifest):
            self.close(current)
            self._made(lambda client: client.indices.clone(index=current, target=made, settings=REPLICAS))
        else:
            mappings = index_mapping(manifest, self.cluster.where.name)
            asked: dict[str, Any] = {"settings": index_settings(manifest), "mappings": mappings}
            self._made(lambda client: client.indices.create(index=made, **asked))
        self.cluster.ask(lambda client: client.indices.put_settings(index=made, settings={"index.blocks.write": None}))
        self._refresh(made)
        return made

    def _made(self, call: Callable[["Elasticsearch"], Any]) -> None:
        """Make an index by this call. An index that exists already is accepted: an earlier call made it and its answer
        was lost."""
        try:
            self.cluster.ask(call, BULK_SECONDS)
        except ClewError as error:
            if "resource_already_exists" not in error.message:
                raise

    def _usable(self, index: str, manifest: Manifest) -> bool:
        """Return whether the mapping of the index is the one that this generation needs."""
        said = self.cluster.ask(lambda client: client.indices.get(index=index))[index]
        return not mapping_faults(said, manifest)

    def close(self, index: str) -> None:
        """Close the index to writes for good, and make all that was written visible to searches."""
        self.cluster.ask(lambda client: client.indices.put_settings(index=index, settings={"index.blocks.write": True}))
        self._refresh(index)

    def _refresh(self, index: str) -> None:
        self.cluster.ask(lambda client: client.indices.refresh(index=index), BULK_SECONDS)

    def switch(self, current: str, index: str) -> None:
        """Put `index` in use in place of `current`, and remove older generations. Raises `LibraryBusy` if another run
        has switched meanwhile."""
        actions: list[dict[str, Any]] = [{"add": {"index": index, "alias": self.alias}}]
        if current:
            actions.append({"remove": {"index": current, "alias": self.alias, "must_exist": True}})
        meanwhile = self.current()
        try:
            if meanwhile == current:
                self.cluster.ask(lambda client: client.indices.update_aliases(actions=actions))
        except NoLibrary:  # the alias is not where it was
            meanwhile = self.current()
        if meanwhile not in (current, index):
            raise indexed_meanwhile(self.cluster)
        for old in self.ours():
            if old < index and old != current:
                self.remove(old)

    def proof(self, index: str) -> str:
        """Return the hash over all rows of a generation, from the row of its manifest."""
        found = self.cluster.found(index, ["manifest"], ["rest.hash"])
        return str(found.get("manifest", {}).get("rest", {}).get("hash", ""))

    def remove(self, index: str) -> None:
        """Remove an index that is one of `ours`."""
        self.cluster.ask(lambda client: client.indices.delete(index=index, ignore_unavailable=True), BULK_SECONDS)


def indexed_meanwhile(cluster: Cluster) -> LibraryBusy:
    """Return the error for a library that another run has changed since this one began."""
    return LibraryBusy(f"{cluster.where} was indexed meanwhile, by another clew index", "run it again")

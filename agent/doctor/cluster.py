"""What `clew doctor` finds, and what it looks at of a library on a cluster: the server, its health, the key's rights,
and every row by its hash."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from clew.memory.errors import ClewError
from clew.memory.knowledge.cluster.cluster_store import ClusterStore, open_generation
from clew.memory.knowledge.cluster.connection import PRESENT, Cluster, ClusterAddress
from clew.memory.knowledge.cluster.generations import READ_RIGHTS, WRITE_RIGHTS, Generations
from clew.memory.knowledge.cluster.publishing import lost, sampled, unlike
from clew.memory.knowledge.cluster.rows import IndexLayout, RowsHash, hash_of, mapping_faults
from clew.memory.knowledge.cluster.searches import ENDPOINT, endpoint, tokens_of
from clew.memory.text import number_of

State = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Check:
    """`hint` is the command that puts right what is no `ok`. A warning is what Clew works without."""

    name: str
    state: State
    message: str
    hint: str = ""


UNSEEN, MONITOR = "not allowed to see", "nothing, or give the key the cluster's right `monitor`"

COLOURS: dict[str, State] = {"green": "ok", "yellow": "warning", "red": "problem"}


def cluster(where: ClusterAddress) -> Iterator[Check]:
    """Of a library that could be opened. What the key may not see is said to be that, and is no problem: Clew works
    without it."""
    try:
        store = open_generation(Cluster(where, PRESENT))
    except ClewError as error:
        yield Check("cluster", "problem", error.message, error.hint)
        return
    looks: list[Callable[[ClusterStore], Check]] = [server, licence, health, rights, mapping, inference, rows]
    for look in looks:
        try:
            yield look(store)
        except ClewError as error:
            yield Check(look.__name__, "problem", error.message, error.hint)


def server(store: ClusterStore) -> Check:
    version = ".".join(map(str, store.cluster.version)) or UNSEEN
    return Check("Elasticsearch", "ok", f"version {version} at {store.cluster.where}, index {store.index}")


def licence(store: ClusterStore) -> Check:
    said = _seen(store, lambda client: client.license.get())
    if said is None:
        return Check("licence", "warning", UNSEEN, MONITOR)
    own = said["license"]
    return Check("licence", "ok" if own["status"] == "active" else "warning", f"{own['type']}, {own['status']}")


def health(store: ClusterStore) -> Check:
    """Of the index, where the key may see it: a red one lacks shards, a yellow one replicas."""
    said = _seen(store, lambda client: client.cluster.health(index=store.index, level="indices"))
    if said is None:
        return Check("health", "warning", UNSEEN, MONITOR)
    own = said["indices"][store.index]
    state, nodes = own["status"], number_of(said["number_of_data_nodes"], "node")
    message = f"{state}: {own['active_shards']} shards on {nodes}"
    message += f", {own['unassigned_shards']} without a place" if own["unassigned_shards"] else ""
    mend = "" if state == "green" else "docs/elasticsearch.md, shards and replicas"
    return Check("health", COLOURS[state], message, mend)


def rights(store: ClusterStore) -> Check:
    lacking = Generations(store.cluster).lacking(WRITE_RIGHTS)
    if missing := [right for right in lacking if right in READ_RIGHTS]:
        return Check(
            "rights", "problem", f"the key lacks {', '.join(missing)}", "docs/elasticsearch.md, keys and rights"
        )
    if lacking:
        return Check("rights", "ok", f"the key may ask, and not index: it lacks {', '.join(lacking)}")
    return Check("rights", "ok", "asking and indexing")


def mapping(store: ClusterStore) -> Check:
    """Whether the fields and analysers are those that this version makes."""
    said = store.cluster.ask(lambda client: client.indices.get(index=store.index))[store.index]
    if faults := mapping_faults(said, store.manifest.encoder.dimension, store.manifest.keywords):
        hint = f"clew index YOUR-FOLDER --rebuild --library {store.cluster.where}"
        return Check("mapping", "problem", f"other than this version makes it: {', '.join(faults)}", hint)
    analyser = said["mappings"]["properties"]["text"]["analyzer"]
    return Check("mapping", "ok", f"analyser {analyser}, {said['settings']['index']['number_of_shards']} shards")


def inference(store: ClusterStore) -> Check:
    """Whether the endpoint that is named gives tokens, and the library has its."""
    if not (named := endpoint()):
        return Check("ELSER", "warning", "not used: no endpoint is named", f"export {ENDPOINT}=NAME")
    tokens_of(store.cluster, ["Is it there?"])  # what is raised says what is missing
    hint = f"clew index YOUR-FOLDER --library {store.cluster.where}"
    if (by := store.tokens_by) != named:
        has = f"its tokens from {by}" if by else "no tokens"
        return Check("ELSER", "warning", f"the endpoint {named} answers; the library has {has}", hint)
    if count := store.without_tokens:
        said = (
            f"the endpoint {named} answers; {number_of(count, 'chunk')} of {store.manifest.chunks:,} without its tokens"
        )
        return Check("ELSER", "warning", said, hint)
    return Check("ELSER", "ok", f"tokens by the endpoint {named}")


def rows(store: ClusterStore) -> Check:
    """Each is read and its hash made again. That leaves out what chunks are searched by: of all it is seen whether that
    is there, of some whether it finds them."""
    found, changed, chunks = RowsHash(), list[str](), dict[str, str]()
    for hit in store.cluster.scanned(store.index, {"match_all": {}}):
        if hit["_id"] != "manifest":
            hash_ = hash_of(hit["_source"])
            changed += [hit["_id"]] if hash_ != hit["_source"].get("hash") else []
            found.add(hit["_id"], hash_)
            chunks |= {hit["_id"]: hash_} if hit["_source"]["kind"] == "chunk" else {}
    count, proof = store.proof
    mend = f"clew doctor --repair --library {store.cluster.where}"
    if (len(found), found.value) != (count, proof):
        what = f"{len(found):,} of {count:,} rows" + (f", changed: {', '.join(changed[:5])}" if changed else "")
        return Check("library rows", "problem", f"not as they were sent: {what}", mend)
    looked = sampled(chunks)
    strange = lost(store.cluster, store.index)
    sources = store.cluster.found(store.index, looked)
    layout = IndexLayout(store.dimension, store.manifest.keywords)
    strange += [id_ for id_ in unlike(store.cluster, store.index, sources, layout) if id_ not in strange]
    if strange:
        said = f"{number_of(len(strange), 'chunk')} not found by their own words and vector: {', '.join(strange[:5])}"
        return Check("library rows", "problem", said, mend)
    said = f"all {count:,} are as they were sent (SHA-256 {proof[:12]})"
    return Check("library rows", "ok", f"{said}; {len(looked):,} of {len(chunks):,} chunks found by themselves")


def _seen(store: ClusterStore, call: Callable[[Any], Any]) -> dict[str, Any] | None:
    """None where the key may not, or the server does not tell."""
    try:
        return dict(store.cluster.ask(call))
    except ClewError:
        return None

"""What `clew doctor` looks at: each check says how something is, and what mends it. Nothing is changed,
downloaded or loaded.

The checks take what they look at as values, so that each state of each is tested. Of a library on a cluster the server,
its health, the rights of the key and every row, by its hash, are looked at.
"""

import os
import re
import shlex
import shutil
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from clew.agent.llm.ollama_server import OllamaServer
from clew.agent.llm.ollama_writer import best
from clew.agent.models import AUTO, NONE, OLLAMA, not_here, roles_named, writers_for
from clew.agent.settings import Settings, config_files
from clew.memory.encoding import MINILM, is_trusted, local_encoder
from clew.memory.errors import ClewError, LibraryMismatch, NoLibrary, library_flag
from clew.memory.instructions import orders
from clew.memory.knowledge.cluster.cluster_store import ClusterStore, open_generation
from clew.memory.knowledge.cluster.connection import PRESENT, Cluster, ClusterAddress, Place
from clew.memory.knowledge.cluster.generations import READ_RIGHTS, WRITE_RIGHTS, Generations
from clew.memory.knowledge.cluster.publishing import lost, sampled, unlike
from clew.memory.knowledge.cluster.rows import IndexLayout, RowsHash, hash_of, mapping_faults
from clew.memory.knowledge.cluster.searches import ENDPOINT, endpoint, tokens_of
from clew.memory.knowledge.disk import BROKEN, Manifest, rebuild_command
from clew.memory.knowledge.library import open_library, recorded_at, stored_documents
from clew.memory.knowledge.proof import proven_now
from clew.memory.text import number_of

State = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Check:
    """What was found. `hint` is the command that mends it, empty for `ok`. Clew works in spite of a warning."""

    name: str
    state: State
    message: str
    hint: str = ""


LITTLE = 1_000_000_000
"""Bytes: less free space than this is soon used up."""

HOST = "127.0.0.1"

INSTALL = re.compile(r"pip install '[^']+'")
EACH = "what the lines below say of each"

SMALL = "llama3.2:3b"
"""A chat model that calls tools and runs on a laptop."""

NAMED = 5
"""Files that could not be read, of which the names are shown."""

QUOTED = 200
"""Characters of a sentence that is shown."""


def examine(settings: Settings, unreadable: ClewError | None = None, repaired: bool = False) -> Iterator[Check]:
    """Every check, in the order in which a mend of one may mend the next. `unreadable` is what was wrong with the
    settings, where they had to be taken as they are by default; `repaired`: to repair the library was tried."""
    read = ", ".join(str(path) for path in config_files() if path.exists()) or "the defaults: there is no clew.toml"
    wrong = unreadable and Check("settings", "problem", unreadable.message, unreadable.hint)
    yield wrong or Check("settings", "ok", read)
    manifest, found = library(settings.library, repaired)
    yield found
    if isinstance(settings.library, Path):
        yield from files(settings.library, repaired)
    elif manifest:
        yield from cluster(settings.library)
    if manifest:
        yield from documents(settings.library, manifest)
    own = ""
    with suppress(ClewError):  # of a library that cannot be opened its record may still say
        own = (manifest or recorded_at(settings.library)).encoder.name
    if settings.encoder or is_trusted(own):
        yield encoder(settings.encoder or own or MINILM, manifest, settings.library)
    else:
        yield Check("encoder", "problem", *not_here(own, settings.library))
    yield from ollama(settings)
    places = {"cache": settings.cache, "conversations": settings.home}
    if isinstance(settings.library, Path):
        places = {"library": settings.library, **places}
    yield disk(places, lambda path: shutil.disk_usage(path).free, lambda path: os.access(path, os.W_OK))
    yield page(settings.port, settings.library)


def library(path: Place, repaired: bool = False) -> tuple[Manifest | None, Check]:
    """Open the library, which finds files that are truncated or missing. Returns its manifest where that works."""
    try:
        with open_library(path, None) as opened:
            manifest, unread = opened.manifest, list(opened.manifest.unread or opened.store.unread)
    except NoLibrary as error:
        return None, Check("library", "warning", error.message, error.hint)
    except ClewError as error:
        return None, Check("library", "problem", error.message, _mend(path, error, repaired))
    held = f"{number_of(manifest.documents, 'document')} in {number_of(manifest.chunks, 'chunk')}"
    message = f"{path}: format {manifest.format}, {held}, encoder {manifest.encoder.name} ({manifest.encoder.hash[:8]})"
    if unread:
        more = f" and {len(unread) - NAMED:,} more" if len(unread) > NAMED else ""
        message += f"; {number_of(len(unread), 'file')} could not be read: {', '.join(unread[:NAMED])}{more}"
    if not manifest.documents and not unread:
        return manifest, Check("library", "warning", message, f"clew index YOUR-FOLDER {library_flag(path)}")
    return manifest, Check("library", "warning", message, EACH) if unread else Check("library", "ok", message)


def documents(path: Place, manifest: Manifest) -> Iterator[Check]:
    """A line for each document that holds text which it does not show, or a sentence that speaks to a language model.
    Neither reaches a prompt. And for each that was taken out, or could not be read."""
    for where, why in manifest.unread.items():
        yield Check("documents", "warning", f"{where}: not read: {why}", _to_read(where, why, path))
    for where, why in manifest.quarantined.items():
        file, message = shlex.quote(where.split("\n")[0]), f"{' '.join(where.split())}: in quarantine, for: {why}"
        yield Check("documents", "warning", message, f"clew index {file} --allow {file} {library_flag(path)}")
    with open_library(path, None) as opened:
        for document in stored_documents(opened.store):
            hidden, said = manifest.hidden_text.get(document.id, ""), orders(document.text)
            parts = [f"text that is not shown, left out: {' '.join(hidden.split())[:QUOTED]}"] if hidden else []
            parts += [f"a sentence that speaks to a language model: {one[:QUOTED]}" for one in said[:NAMED]]
            if parts:
                yield Check("documents", "warning", f"{document.id}: {'; '.join(parts)}")


def _to_read(where: str, why: str, library: Place) -> str:
    """What has to be done to a file, or installed, before it is read; then the command that reads it."""
    install = INSTALL.search(why)
    file = shlex.quote(where.split("\n")[0])
    return f"{install[0] if install else 'mend it'}, then: clew index {file} {library_flag(library)}"


def _mend(path: Place, error: ClewError, repaired: bool) -> str:
    """What is damaged is repaired before it is made anew."""
    if not isinstance(path, Path) or repaired or isinstance(error, LibraryMismatch):
        return error.hint
    return f"clew doctor --repair {library_flag(path)}" if error.hint == rebuild_command(path) else error.hint


def files(path: Path, repaired: bool = False) -> Iterator[Check]:
    """Whether every file of a library is as it was written, where there is one."""
    name, anew = "library files", rebuild_command(path)
    mend = anew if repaired else f"clew doctor --repair {library_flag(path)}"
    try:
        there = proven_now(path)
    except ClewError as error:
        yield Check(name, "problem", error.message, _mend(path, error, repaired))
        return
    except BROKEN as error:
        yield Check(name, "problem", f"their record cannot be read ({type(error).__name__})", mend)
        return
    if not there or not there[0].is_dir():
        return
    if (found := there[1]) is None:
        yield Check(name, "warning", "their hashes were not recorded when it was made", anew)
    elif found.wrong:
        kinds = {"changed": found.changed, "gone": found.gone}
        named = "; ".join(f"{what}: {', '.join(names)}" for what, names in kinds.items() if names)
        yield Check(name, "problem", f"of {found.files} files {named}", mend)
    elif found.unknown:
        yield Check(name, "warning", f"not written by the library: {', '.join(found.unknown)}", anew)
    else:
        yield Check(name, "ok", f"all {found.files} are as they were written (SHA-256)")


def encoder(name: str, manifest: Manifest | None, library: Place) -> Check:
    """Whether it is on this machine, with the weights that were published, and the library's own."""
    try:
        found = local_encoder(name)
        hash_ = found.hash if found else ""
    except ClewError as error:
        return Check("encoder", "problem", error.message, error.hint)
    if not found:
        anew = f"clew index YOUR-FOLDER --encoder {name} {library_flag(library)}"
        return Check("encoder", "problem", f"{name} is not on this machine", anew)
    if manifest is not None and manifest.encoder.hash != hash_:
        message = f"{name} ({hash_[:8]}) is not that of the library ({manifest.encoder.hash[:8]})"
        return Check("encoder", "problem", message, f"clew index --rebuild --encoder {name} {library_flag(library)}")
    same = ", the library's own" if manifest is not None else ""
    return Check("encoder", "ok", f"{name} ({hash_[:8]}){same}")


def disk(places: Mapping[str, Path], free: Callable[[Path], int], writable: Callable[[Path], bool]) -> Check:
    """`free` (bytes) and `writable` are asked of folders that exist: of a place, or of where it would be made."""
    there = {name: _existing(path) for name, path in places.items()}
    for name, folder in there.items():
        if not writable(folder):
            mend = f"chmod u+w {shlex.quote(str(folder))}"
            return Check("disk", "problem", f"{name}: {folder} cannot be written", mend)
    least = min(there, key=lambda name: free(there[name]))
    message = f"{free(there[least]) / 1e9:.1f} GB free for the {least} at {there[least]}"
    if free(there[least]) < LITTLE:
        made_anew = shlex.quote(str(places["cache"] / "embeddings"))
        return Check("disk", "warning", message, f"make room; what is in this folder is made anew: rm -r {made_anew}")
    return Check("disk", "ok", message)


def page(port: int, library: Place) -> Check:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            message = f"port {port} cannot be used: {(error.strerror or '').lower()}"
            other = port + 1 if 1024 <= port < 65535 else 7861
            return Check("browser page", "warning", message, f"clew ui --port {other} {library_flag(library)}")
    return Check("browser page", "ok", f"http://{HOST}:{port} is free for clew ui")


def ollama(settings: Settings) -> Iterator[Check]:
    """The server, then a line for each model that it has or should have. Without one Clew quotes its documents."""
    try:
        wanted = set(roles_named(settings.llm).values())
    except ClewError as error:
        yield Check("language model", "problem", error.message, error.hint)
        return
    others = sorted(name for name in wanted if name not in (AUTO, NONE) and not name.startswith(f"{OLLAMA}:"))
    for name in others:
        yield _of_provider(name, settings)
    named = sorted(name.partition(":")[2] for name in wanted if name.startswith(f"{OLLAMA}:"))
    if not named and AUTO not in wanted:
        yield Check("Ollama", "ok", f"not used: the setting llm is {settings.llm}")
        return
    server = OllamaServer()
    try:
        yield from _of_server(server, named)
    except ClewError as error:  # without one that nobody named answers are quoted from the documents
        yield Check("Ollama", "problem" if named else "warning", error.message, error.hint)


def _of_provider(name: str, settings: Settings) -> Check:
    """Asked where it is an OpenAI-compatible server that the environment names; else it is only looked whether it can
    be used."""
    from clew.agent.llm.openai_server import server_of_environment

    provider, _, model = name.partition(":")
    server = server_of_environment() if provider == "openai" else None
    try:
        if server is None:
            writers_for(settings.model_copy(update={"llm": name}))
            return Check("language model", "ok", f"{name}: its provider is not asked here")
        served = server.served(model)
    except ClewError as error:
        return Check("language model", "problem", error.message, error.hint)
    window = f"context {served.window:,} tokens" if served.window else "it does not say its context"
    parameters = served.abilities.parameters
    size = f", {parameters / 1e9:.1f} billion parameters" if parameters else ""
    return Check("language model", "ok", f"{name} at {server.root.url}, {window}{size}")


def _existing(path: Path) -> Path:
    path = path.expanduser().absolute()
    return next(one for one in (path, *path.parents) if one.exists())


def _of_server(server: OllamaServer, named: list[str]) -> Iterator[Check]:
    models = [(model, server.card(model.name)) for model in server.pulled()]
    message = f"version {server.version()} at {server.url}, {number_of(len(models), 'model')}"
    chosen = best(server)
    if chosen is None:
        yield Check("Ollama", "warning", f"{message}, none of which chats", f"ollama pull {SMALL}")
    else:
        yield Check("Ollama", "ok", f"{message}; auto chooses {chosen.name}")
    for model, card in models:
        said = f"context {card.window:,} tokens, {model.size / 1e9:.1f} GB"
        yield Check(f"model {model.name}", "ok", said if card.chats else "an embedding model: it cannot write")
    there = {model.name for model, _ in models}
    for name in named:
        if (name if ":" in name else f"{name}:latest") not in there:
            yield Check(f"model {name}", "problem", "it is named and not pulled", f"ollama pull {name}")


UNSEEN, MONITOR = "not allowed to see", "nothing, or give the key the cluster's right `monitor`"

COLOURS: dict[str, State] = {"green": "ok", "yellow": "warning", "red": "problem"}


def cluster(where: ClusterAddress) -> Iterator[Check]:
    """Of a library that could be opened. That the key may not see its licence or its health is no problem: Clew works
    without."""
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
            if look in (licence, health):
                yield Check(look.__name__, "warning", UNSEEN, MONITOR)
            else:
                yield Check(look.__name__, "problem", error.message, error.hint)


def server(store: ClusterStore) -> Check:
    version = ".".join(map(str, store.cluster.version)) or UNSEEN
    return Check("Elasticsearch", "ok", f"version {version} at {store.cluster.where}, index {store.index}")


def licence(store: ClusterStore) -> Check:
    own = store.cluster.ask(lambda client: client.license.get())["license"]
    return Check("licence", "ok" if own["status"] == "active" else "warning", f"{own['type']}, {own['status']}")


def health(store: ClusterStore) -> Check:
    """Of the index, where the key may see it: a red one lacks shards, a yellow one replicas."""
    said = store.cluster.ask(lambda client: client.cluster.health(index=store.index, level="indices"))
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

"""What `clew doctor` looks at: each check says how something is, and what mends it. Nothing is changed, downloaded or
loaded."""

import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from clew.agent.llm.ollama_writer import OllamaServer
from clew.agent.llm.openai_writer import OpenAIServer
from clew.agent.models import AUTO, NONE, OPENAI, not_here, roles_named, writer_named
from clew.agent.settings import Settings, config_files
from clew.memory.encoding import MINILM, is_trusted, local_encoder
from clew.memory.errors import ClewError, LibraryMismatch, NoLibrary, library_flag
from clew.memory.instructions import orders
from clew.memory.knowledge.cluster.cluster_store import open_generation
from clew.memory.knowledge.cluster.connection import PRESENT, Cluster, ClusterAddress, Place
from clew.memory.knowledge.cluster.publishing import hashes_of
from clew.memory.knowledge.cluster.rows import proof_of
from clew.memory.knowledge.disk import BROKEN, Manifest, rebuild_command
from clew.memory.knowledge.library import open_library, recorded_at, stored_documents
from clew.memory.knowledge.loaders.registry import loader_of
from clew.memory.knowledge.proof import proven_now
from clew.memory.text import number_of

State = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Check:
    """What was found. `hint` is the command that mends it, empty for `ok`. Clew works in spite of a warning.
    `exit_code` is that of a command which needs this."""

    name: str
    state: State
    message: str
    hint: str = ""
    exit_code: int = field(default=1, compare=False)


def _problem(name: str, error: ClewError) -> Check:
    return Check(name, "problem", error.message, error.hint, error.exit_code)


INSTALL = re.compile(r"pip install '[^']+'")

MODEL = "language model"

PULL = "ollama pull llama3.2:3b"
"""A chat model that runs on a laptop."""

NAMED = 5
"""Sentences and rows that are shown of many."""

QUOTED = 200
"""Characters of a sentence that is shown."""


def examine(settings: Settings, unreadable: ClewError | None = None, repaired: bool = False) -> Iterator[Check]:
    """Every check, in the order in which a mend of one may mend the next. `unreadable` is what was wrong with the
    settings, where they had to be taken as they are by default; `repaired`: to repair the library was tried."""
    read = ", ".join(str(path) for path in config_files() if path.exists()) or "the defaults: there is no clew.toml"
    yield _problem("settings", unreadable) if unreadable else Check("settings", "ok", read)
    place = settings.library
    manifest, found = library(place, repaired)
    yield found
    if isinstance(place, Path):
        yield from files(place, repaired)
    elif manifest:
        yield rows(place)
    if manifest:
        yield from documents(place, manifest)
    own = ""
    with suppress(ClewError):  # of a library that cannot be opened its record may still say
        own = (manifest or recorded_at(place)).encoder.name
    if settings.encoder or is_trusted(own):
        yield encoder(settings.encoder or own or MINILM, manifest, place)
    else:
        yield Check("encoder", "problem", *not_here(own, place))
    yield from models(settings)


def library(path: Place, repaired: bool = False) -> tuple[Manifest | None, Check]:
    """Open the library, which finds files that are truncated or missing. Returns its manifest where that works."""
    try:
        with open_library(path, None) as opened:
            manifest, unread = opened.manifest, len(opened.manifest.unread)
    except NoLibrary as error:
        return None, Check("library", "warning", error.message, error.hint)
    except ClewError as error:
        return None, Check("library", "problem", error.message, _mend(path, error, repaired))
    held = f"{number_of(manifest.documents, 'document')} in {number_of(manifest.chunks, 'chunk')}"
    message = f"{path}: format {manifest.format}, {held}, encoder {manifest.encoder.name} ({manifest.encoder.hash[:8]})"
    if unread:
        message += f"; {number_of(unread, 'file')} could not be read"
        return manifest, Check("library", "warning", message, "what the lines below say of each")
    if not manifest.documents:
        return manifest, Check("library", "warning", message, f"clew index YOUR-FOLDER {library_flag(path)}")
    return manifest, Check("library", "ok", message)


def documents(path: Place, manifest: Manifest) -> Iterator[Check]:
    """A line for each document that holds text which it does not show, or a sentence that speaks to a language model.
    Neither reaches a prompt. And for each that was taken out, or could not be read."""
    for where, why in manifest.unread.items():
        install, place = INSTALL.search(why), where.split("\n")[0].partition(": ")[0]
        root = next((one for one in manifest.roots if place.startswith(f"{one}/")), str(Path(place).parent))
        file, flag = shlex.quote(place), library_flag(path)
        out = f"clew index {shlex.quote(root)} --leave-out {file} {flag}"
        first = install[0] if install else "write something in it" if why == "empty" else "mend it"
        mend = f"{first}, then: clew index {file} {flag}{'' if install else f'; or leave it out: {out}'}"
        mend = mend if loader_of(Path(place)) else out
        yield Check("documents", "warning", f"{where}: not read: {why}", mend)
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
        generation, found = proven_now(path) or (None, None)
    except ClewError as error:
        yield Check(name, "problem", error.message, _mend(path, error, repaired))
        return
    except BROKEN as error:
        yield Check(name, "problem", f"their record cannot be read ({type(error).__name__})", mend)
        return
    if not generation or not generation.is_dir():
        return
    if found is None:
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
        return _problem("encoder", error)
    if not found:
        anew = f"clew index YOUR-FOLDER --encoder {name} {library_flag(library)}"
        return Check("encoder", "problem", f"{name} is not on this machine", anew)
    if manifest is not None and manifest.encoder.hash != hash_:
        message = f"{name} ({hash_[:8]}) is not that of the library ({manifest.encoder.hash[:8]})"
        return Check("encoder", "problem", message, f"clew index --rebuild --encoder {name} {library_flag(library)}")
    same = ", the library's own" if manifest is not None else ""
    return Check("encoder", "ok", f"{name} ({hash_[:8]}){same}")


def models(settings: Settings) -> Iterator[Check]:
    """What the server of each language model that is wanted says of it. Without any Clew quotes its documents."""
    try:
        wanted = set(roles_named(settings.llm).values()) - {NONE}
    except ClewError as error:
        yield _problem(MODEL, error)
        return
    if not wanted:
        yield Check(MODEL, "ok", f"not used: the setting llm is {settings.llm}")
    for name in sorted(wanted):
        try:
            writer = writer_named(name)
            if writer is None:
                OllamaServer().pulled()  # says what is wrong where nothing answers
            silent = name.startswith(OPENAI) and not OpenAIServer.named().says_what_it_is
        except ClewError as error:
            said = f"{name}: {error.message}"
            yield replace(_problem(MODEL, error), state="warning" if name == AUTO else "problem", message=said)
            continue
        if silent:
            message = f"{name}: what answers there does not say which models it has, as such servers do"
            yield Check(
                MODEL, "warning", message, "OPENAI_BASE_URL with the server's address, mostly one that ends in /v1"
            )
        elif writer:
            chosen = "auto chooses " if name == AUTO else ""
            yield Check(MODEL, "ok", f"{chosen}{writer.name}, context {writer.window:,} tokens")
        else:
            yield Check(MODEL, "warning", "Ollama has no model that chats", PULL)


def rows(where: ClusterAddress) -> Check:
    """Whether all rows that were sent to a cluster are there, by their hashes."""
    try:
        store = open_generation(Cluster(where, PRESENT))
        hashes = {id_: hash_ for id_, (hash_, _) in hashes_of(store.cluster, store.index).items()}
        count, proof = store.proof
    except ClewError as error:
        return _problem("library rows", error)
    if proof_of(hashes) != proof:
        mend = f"clew doctor --repair --library {store.cluster.where}"
        return Check("library rows", "problem", f"not as they were sent: {len(hashes):,} of {count:,} rows", mend)
    return Check("library rows", "ok", f"all {count:,} are as they were sent (SHA-256 {proof[:12]})")

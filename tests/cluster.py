"""A real Elasticsearch for tests: one that runs already (`CLEW_TEST_ELASTICSEARCH`, its key in `ES_API_KEY`), or one
that is started with a program (`CLEW_ELASTICSEARCH_SERVER`: `PROGRAM start --dir DIR`, which prints its address as
JSON, and `PROGRAM stop --dir DIR`). Without either, what needs one is skipped.

A server of the run is shared by all its processes; a watcher stops it once none of them lives, however they ended, and
one of a single test as well.
"""

import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from clew.memory.knowledge.cluster.connection import Cluster, address
from clew.memory.knowledge.cluster.generations import Generations
from clew.memory.knowledge.cluster.publishing import Published, publish
from clew.memory.knowledge.disk import required_generation

RUNNING, PROGRAM = "CLEW_TEST_ELASTICSEARCH", "CLEW_ELASTICSEARCH_SERVER"

HOW = (
    f"needs an Elasticsearch: {RUNNING}=http://127.0.0.1:9200 names one that runs, {PROGRAM}=PATH a program that starts"
    " one (docs/elasticsearch.md)"
)

SECONDS = 300
"""That a server may take to start, on a slow machine with others at work."""

WATCH = """
import os, subprocess, sys, time
program, folder, *pids = sys.argv[1:]
def lives(pid):
    try:
        os.kill(int(pid), 0)
    except OSError:
        return False
    return True
try:
    while any(lives(pid) for pid in os.listdir(os.path.join(folder, "in-use"))):
        time.sleep(0.5)
except FileNotFoundError:  # it was ended
    sys.exit()
subprocess.run([program, "stop", "--dir", os.path.join(folder, "server")], stdout=subprocess.DEVNULL)
subprocess.run(["rm", "-rf", folder])
"""
"""Ends the server once no process uses it, however they ended; in a session of its own, which no Ctrl-C reaches."""


@dataclass(frozen=True, slots=True)
class Server:
    """`about` is what the program printed: `url`, `pid`, and where it is secure `ca`, `user`, `password`, `api_key`."""

    url: str
    about: dict[str, Any]

    @property
    def host(self) -> str:
        return self.url.partition("://")[2]

    def library(self, name: str = "") -> str:
        """The address of a library of a name that nobody else has."""
        scheme = "ess" if self.url.startswith("https") else "es"
        return f"{scheme}://{self.host}/{name or f't{uuid.uuid4().hex}'}"


def remove_library(cluster: Cluster) -> None:
    generations = Generations(cluster)
    for index in generations.ours():
        generations.remove(index)


def first_of(cases: Iterable[Any]) -> list[Any]:
    """A matrix of which `make test` tries the first alone: each of a library on a cluster takes a second or two."""
    first, *others = cases
    return [first, *(pytest.param(one, marks=pytest.mark.soak) for one in others)]


STARTS, RUNS = os.environ.get(PROGRAM, ""), os.environ.get(RUNNING, "")
"""Read here, as the tests of `ui` see no settings of the environment."""


def can_be_had() -> bool:
    return bool(RUNS or STARTS)


def started(folder: Path, *options: str) -> Server:
    """Raises `AssertionError` with what the program said where it does not start."""
    command = [STARTS, "start", "--dir", str(folder), "--seconds", str(SECONDS), *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stdout}{done.stderr}"
    about = json.loads(done.stdout)
    return Server(about["url"], about)


def stopped(folder: Path, *options: str) -> None:
    subprocess.run([STARTS, "stop", "--dir", str(folder), *options], check=True)


def _watched() -> Path:
    """A new folder for a server, which this process uses, and its watcher."""
    folder = Path(tempfile.mkdtemp(prefix="clew-es-"))
    folder.chmod(0o755)
    (folder / "in-use").mkdir()
    (folder / "in-use" / str(os.getpid())).touch()
    watch = [sys.executable, "-c", WATCH, STARTS, str(folder)]
    # By a shell that ends at once: the watcher outlives this process, which does not wait for it.
    background = ["/bin/sh", "-c", '"$@" </dev/null >/dev/null 2>&1 &', "sh", *watch]
    subprocess.run(background, start_new_session=True, check=True)
    return folder


@contextmanager
def own_server(*options: str, like: Server | None = None) -> Iterator[tuple[Server, Path]]:
    """One for a test alone, with its folder; needs the program. What that has unpacked for the server `like` is copied:
    it takes a twentieth of the time."""
    if not STARTS:
        pytest.skip(f"needs a server of its own: {PROGRAM} names a program that starts one")
    folder = _watched()
    unpacked = Path(like.about["dir"], "home") if like and "dir" in like.about else None
    if unpacked and unpacked.is_dir():
        shutil.copytree(unpacked, folder / "server" / "home", symlinks=True)
        (folder / "server" / "lock").touch()
    try:
        yield started(folder / "server", *options), folder / "server"
    finally:
        stopped(folder / "server", "--kill")
        shutil.rmtree(folder, ignore_errors=True)


def shared_server(base: Path) -> Server:
    """One for all processes of the run, whose folder is `base`; where one can be had."""
    if url := RUNS:
        return Server(url.rstrip("/"), {})
    note = base / "elasticsearch.json"
    with FileLock(f"{note}.lock"):
        if note.exists():
            folder = Path(json.loads(note.read_text())["folder"])
            (folder / "in-use" / str(os.getpid())).touch()
        else:
            folder = _watched()
            server = started(folder / "server")
            note.write_text(json.dumps({"folder": str(folder), "about": server.about}))
    about = json.loads(note.read_text())["about"]
    return Server(about["url"], about)


def cluster_at(server: Server, name: str = "") -> Cluster:
    where = address(server.library(name))
    assert where
    return Cluster(where)


def sent(cluster: Cluster, library: Path) -> Published:
    *_, done = publish(cluster, required_generation(library))
    assert isinstance(done, Published)
    return done


def key_with(owner: Cluster, names: Sequence[str], privileges: Sequence[str]) -> str:
    """A key for the indices of these names alone."""
    rights = {"clew": {"cluster": [], "indices": [{"names": [*names], "privileges": [*privileges]}]}}
    logging.disable()  # the server's answer has the key, and the client logs it: no part of Clew makes keys
    try:
        made = owner.ask(lambda client: client.security.create_api_key(name="clew", role_descriptors=rights))
    finally:
        logging.disable(logging.NOTSET)
    return str(made["encoded"])

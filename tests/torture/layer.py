"""A command of Clew over a layer that sees every file operation of it below one folder (`layer.c`)."""

import ctypes
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from struct import Struct
from types import FrameType
from typing import Any, Literal, NamedTuple

import clew as package
from tests.processes import CLEW, ROOT, Process
from tests.torture import Skipped

Mode = Literal["record", "kill", "torn kill", "fail once", "fail from"]
MODES: tuple[Mode, ...] = ("record", "kill", "torn kill", "fail once", "fail from")

HEAD = Struct("<cqqIII")
SECONDS = 300.0

STAGES = {
    "reading": ("memory/knowledge/loaders/", "memory/knowledge/index/run.py"),
    "extracting": ("memory/knowledge/extraction/", "memory/knowledge/index/steps.py"),
    "encoding": ("memory/encoding.py", "memory/minilm.py", "memory/knowledge/embedding.py"),
    "communities": ("memory/knowledge/communities/",),
    "partitions": ("memory/knowledge/partitioning/", "memory/knowledge/nodes.py"),
    "turn": ("agent/nodes", "agent/answer/", "agent/search/", "agent/assistant.py", "memory/dialogue/", "tools/"),
}
"""Where the code of each is: the calls there, and the calls out of there, are its steps."""


@dataclass(frozen=True, slots=True)
class Accident:
    """At the `at`th operation below the layer's folder, or where a `stage` is named at its `at`th step; 0 is never."""

    mode: Mode = "record"
    at: int = 0
    stage: str = ""
    error: int = 0


class Operation(NamedTuple):
    """As it was done. `kind`: C create, W write, T cut, F sync, R rename, U unlink, M make a folder, D remove one; S is
    what was written on standard output."""

    kind: str
    inode: int
    offset: int
    path: str
    other: str
    data: bytes


class Ended(NamedTuple):
    """`killed` is at the accident's place; `counts` are the operations and the steps by stage of one that was not."""

    code: int
    out: str
    err: str
    counts: Mapping[str, int]

    @property
    def killed(self) -> bool:
        return self.code == -9


@functools.cache
def compiled() -> Path:
    """The layer as a library. Raises `Skipped` where there is no compiler, or not this system's way to load it."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if not sys.platform.startswith("linux") or not compiler:
        raise Skipped("there is no compiler (gcc), or no LD_PRELOAD")
    library = Path(tempfile.mkdtemp(prefix="clew-layer-"), "layer.so")
    flags = ["-shared", "-fPIC", "-O1", "-o", str(library)]
    made = subprocess.run([compiler, *flags, str(Path(__file__).with_name("layer.c")), "-ldl", "-lpthread"])
    if made.returncode:
        raise Skipped("the layer does not compile here")
    return library


def clew(
    command: Sequence[object], folder: Path, accident: Accident, record: Path | None = None, cwd: Path | None = None
) -> Ended:
    """Run `clew COMMAND`, its own things in `folder` (home, cache, config), where the accident happens."""
    with tempfile.TemporaryDirectory() as temporary:
        counts = Path(temporary, "counts")
        said = {"folder": str(folder), "record": str(record or ""), "counts": str(counts), **asdict(accident)}
        own = {name: str(folder / name.rpartition("_")[2].lower()) for name in ("CLEW_HOME", "CLEW_CACHE")}
        environment = {**os.environ, **own, "XDG_CONFIG_HOME": str(folder / "config"), "PYTHONHASHSEED": "0"}
        pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        arguments = ["-m", "tests.torture.layer", json.dumps(said), *command]
        with Process(
            arguments, preload=CLEW, beneath=str(compiled()), cwd=cwd or ROOT, env=environment, **pipes
        ) as process:
            try:
                out, err = process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                os.kill(process.pid, 9)
                out, err = process.communicate()
                err += f"\nit took more than {SECONDS:.0f} s"
        return Ended(process.returncode, out, err, json.loads(counts.read_text()) if counts.exists() else {})


def operations(record: Path) -> Iterator[Operation]:
    content, at = record.read_bytes(), 0
    while at + HEAD.size <= len(content):
        kind, inode, offset, *sizes = HEAD.unpack_from(content, at)
        at += HEAD.size
        parts = []
        for size in sizes:
            parts.append(content[at : at + size])
            at += size
        path, other, data = parts
        yield Operation(kind.decode(), inode, offset, os.fsdecode(path), os.fsdecode(other), data)


def _stage_of(file: str) -> str:
    name = file.removeprefix(str(Path(str(package.__file__)).parent) + os.sep)
    return next((stage for stage, places in STAGES.items() if name.startswith(places)), "")


def _counting(counts: Counter[str], wanted: str, at: int) -> Callable[[FrameType, str, object], None]:
    """For `sys.setprofile`; dies at the `at`th step of the stage `wanted`."""
    stage_of = functools.cache(_stage_of)

    def step(frame: FrameType, event: str, _: object) -> None:
        if event in ("call", "c_call") and (stage := stage_of(frame.f_code.co_filename)):
            counts[stage] += 1
            if stage == wanted and counts[stage] == at:
                os.kill(os.getpid(), 9)

    return step


def _run() -> None:
    """The process."""
    from clew.ui.cli import main

    said, counts = json.loads(sys.argv[1]), Counter[str]()
    layer = ctypes.CDLL(None)
    layer.torture_count.restype = ctypes.c_long
    by_step = bool(said["stage"])
    mode = MODES.index("record" if by_step else said["mode"])
    record = os.fsencode(said["record"])
    layer.torture_begin(os.fsencode(said["folder"]), record, mode, ctypes.c_long(said["at"]), said["error"])
    with ExitStack() as after:

        @after.callback
        def write_counts() -> None:
            sys.setprofile(None)
            Path(said["counts"]).write_text(json.dumps({**counts, "operations": layer.torture_count()}))

        if by_step:
            sys.setprofile(_counting(counts, said["stage"], said["at"]))
        main([str(word) for word in sys.argv[2:]], prog_name="clew")


if __name__ == "__main__":
    _run()

"""Each source is read in a process of its own kind, with limits on time, memory and size: what a file does to the one
that reads it is that file's failure, and the rest goes on.

The process is fed one source after the other, and replaced where it dies or goes over a limit. It is a fresh
interpreter that imports the loaders alone: nothing is forked, and no `__main__` is run again. What passes between the
two is JSON; nothing is unpickled.
"""

import atexit
import json
import math
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pydantic import TypeAdapter

from clew.memory.files import machine_memory
from clew.memory.knowledge.loaders.registry import BY_NAME, read
from clew.memory.knowledge.loaders.source import NO_MEMORY, Item, LoadFailure, Pages, Source, shown, size

MIB = 1 << 20
SECONDS, SECONDS_PER_MIB = 8.0, 60.0
MEMORY, MEMORY_PER_BYTE = 448 * MIB, 16
OUTPUT, OUTPUT_PER_BYTE = 256 * MIB, 64
"""What a source may take: CPU time, memory beside that of the empty process, and bytes of documents and edges; more for
a larger file. Memory is at most half of the machine's."""

WAIT, WAITS = 60.0, 4
"""Without a reply for so many seconds and so many times its CPU time, it hangs."""

_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"), "1")

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]);"
    "from clew.memory.knowledge.loaders.sandbox import serve; serve(int(sys.argv[2]))"
)
_REPLIES = TypeAdapter[Item | bool](Item | bool)
"""What is read of a source, and behind it whether the process is to be used again."""


class _Limits(NamedTuple):
    seconds: int
    memory: int
    output: int


def _limits(source: Source) -> _Limits:
    given, (seconds, memory) = size(source), source.loader.allowance()
    half = machine_memory() / 2
    return _Limits(
        math.ceil(SECONDS + SECONDS_PER_MIB * given / MIB) + seconds,
        int(max(MEMORY, min(MEMORY + MEMORY_PER_BYTE * given, half))) + memory,
        OUTPUT + OUTPUT_PER_BYTE * given,
    )


def read_apart(source: Source) -> Iterator[Item]:
    """As `registry.read`. The process's death is a failure, and the end of what is read."""
    process, limits, is_free = _ready(), _limits(source), False
    process.send(source, limits)
    wait, left = WAIT + WAITS * limits.seconds, limits.output
    try:
        while True:
            line, why = process.reply(wait, left)
            if not line:
                yield LoadFailure(shown(source.path), why or _cause(process.kill(gone=True), limits))
                return
            left -= len(line)
            item = _REPLIES.validate_json(line)
            if isinstance(item, bool):
                is_free = item
                return
            yield item
    finally:
        if is_free:
            _idle.append(process)
        else:
            process.kill()


def _cause(ended: int, limits: _Limits) -> str:
    """Why a process is gone, by its exit status or minus the signal."""
    crash = f"reading it crashed (signal {-ended})" if ended < 0 else "reading it crashed"
    too_long = f"reading it takes more than {limits.seconds} s"
    return {-signal.SIGXCPU: too_long, -signal.SIGKILL: "it was killed"}.get(ended, crash)


class _Process:
    def __init__(self) -> None:
        self._unpacked = TemporaryDirectory(prefix="clew-", ignore_cleanup_errors=True)
        self._replies, its_end = Pipe(duplex=False)
        self._popen = subprocess.Popen(  # noqa: S603 this interpreter, and nothing that was read
            [sys.executable, "-P", "-c", _START, json.dumps(sys.path), str(its_end.fileno())],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            pass_fds=[its_end.fileno()],
            env=os.environ | _ONE_THREAD | {"TMPDIR": self._unpacked.name},
        )
        its_end.close()

    @property
    def is_alive(self) -> bool:
        return self._popen.poll() is None

    def send(self, source: Source, limits: _Limits) -> None:
        pages = [source.pages.categories, source.pages.keywords]
        request = [source.loader.name, str(source.path), str(source.root), pages, limits.seconds, limits.memory]
        assert self._popen.stdin
        with suppress(OSError):  # it is gone: its line will say so
            self._popen.stdin.write(json.dumps(request).encode() + b"\n")

    def reply(self, seconds: float, most: int) -> tuple[bytes, str]:
        """The next one. Empty where the process is gone, and, with the reason, where it has to go."""
        if not self._replies.poll(seconds):
            return b"", f"nothing came of it for {seconds:.0f} s"
        try:
            return self._replies.recv_bytes(most), ""
        except (EOFError, OSError):  # which closes it where the reply is larger
            return b"", "there is more text in it than a file of its size may have" if self._replies.closed else ""

    def kill(self, gone: bool = False) -> int:
        """How it ended, where it had: the exit status, or minus the signal; 0 where it was still there. One that is
        `gone` closed its end, and may take a moment to be no more."""
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(5 if gone else 0)
        ended = self._popen.returncode
        with suppress(OSError), self._popen:  # which closes its streams
            self._popen.kill()
        self._replies.close()
        self._unpacked.cleanup()  # also where it was killed while an archive was unpacked
        return ended or 0


_idle: list[_Process] = []
"""Ready for the next source, as importing the loaders takes longer than reading most files."""


def _ready() -> _Process:
    """One that waits and lives, or a new one."""
    while _idle:
        process = _idle.pop()
        if process.is_alive:
            return process
        process.kill()
    return _Process()


@atexit.register
def _end() -> None:
    for process in _idle:
        process.kill()


def serve(replies_to: int) -> None:
    """The process: requests on its standard input, replies on another descriptor. It ends with its input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, replies = os.fdopen(os.dup(0), "rb"), Connection(replies_to, readable=False)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    empty = _memory()
    for line in requests:
        name, path, root, pages, seconds, memory = json.loads(line)
        source = Source(Path(path), BY_NAME[name], Path(root), Pages(*map(tuple, pages)))
        _limit(seconds, empty + memory)
        try:
            for item in read(source):
                replies.send_bytes(_REPLIES.dump_json(item))
        except MemoryError:
            replies.send_bytes(_REPLIES.dump_json(LoadFailure(shown(source.path), NO_MEMORY)))
        except SystemExit:
            os._exit(1)
        is_small = _memory() <= empty + MEMORY // 2  # it does not give back what a large file took
        replies.send_bytes(_REPLIES.dump_json(is_small))


def _memory() -> int:
    """Bytes of address space; 0 where the system does not say."""
    with suppress(OSError):
        return int(Path("/proc/self/statm").read_text("ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def _limit(seconds: int, memory: int) -> None:
    """From now on. CPU time that is over ends the process; memory that is over is a `MemoryError`."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    total = math.ceil(used.ru_utime + used.ru_stime) + seconds
    for kind, most in ((resource.RLIMIT_CPU, total), (resource.RLIMIT_AS, memory)):
        hard = resource.getrlimit(kind)[1]
        with suppress(OSError, ValueError):  # macOS knows no limit of the address space
            resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))

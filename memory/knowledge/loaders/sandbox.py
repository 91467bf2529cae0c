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

from clew.memory.errors import Unreadable
from clew.memory.files import machine_memory
from clew.memory.knowledge.loaders.registry import BY_NAME, read
from clew.memory.knowledge.loaders.source import Item, LoadFailure, Pages, Source, reason, shown, size

MIB = 1 << 20

# What a source may take, and what more for a larger one:
SECONDS, SECONDS_PER_MIB = 8.0, 60.0  # of CPU time
MEMORY, MEMORY_PER_BYTE = 448 * MIB, 16  # bytes beside the empty process; at most half of the machine's memory
OUTPUT, OUTPUT_PER_BYTE = 256 * MIB, 64  # bytes of documents and edges
WAIT, WAITS = 60.0, 4  # without a reply for so many seconds and so many times its CPU time, it hangs

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
    most = min(MEMORY + MEMORY_PER_BYTE * given, machine_memory() // 2)
    return _Limits(
        math.ceil(SECONDS + SECONDS_PER_MIB * given / MIB) + seconds,
        max(MEMORY, int(most)) + memory,
        OUTPUT + OUTPUT_PER_BYTE * given,
    )


def read_apart(source: Source) -> Iterator[Item]:
    """As `registry.read`. The process's death is a failure, and the end of what is read."""
    process, limits, is_free = _ready(), _limits(source), False
    try:
        for item in process.read(source, limits):
            if isinstance(item, bool):
                is_free = item
                return
            yield item
    except Unreadable as error:
        yield LoadFailure(shown(source.path), error.message)
    finally:
        if is_free:
            _idle.append(process)
        else:
            process.kill()


class _Process:
    def __init__(self) -> None:
        self._unpacked = TemporaryDirectory(prefix="clew-", ignore_cleanup_errors=True)
        self._link, its_end = Pipe()
        self.popen = subprocess.Popen(  # noqa: S603 this interpreter, and nothing that was read
            [sys.executable, "-P", "-c", _START, json.dumps(sys.path), str(its_end.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[its_end.fileno()],
            env=os.environ | _ONE_THREAD | {"TMPDIR": self._unpacked.name},
        )
        its_end.close()

    def read(self, source: Source, limits: _Limits) -> Iterator[Item | bool]:
        """Its replies. Raises `Unreadable` where it hangs, says too much or is gone."""
        pages = [source.pages.categories, source.pages.keywords]
        request = [source.loader.name, str(source.path), str(source.root), pages, limits.seconds, limits.memory]
        with suppress(OSError):  # it is gone: there will be no reply
            self._link.send_bytes(json.dumps(request).encode())
        wait, left = WAIT + WAITS * limits.seconds, limits.output
        while self._link.poll(wait):
            try:
                reply = self._link.recv_bytes(left)
            except (EOFError, OSError) as error:
                is_gone = self._link.readable  # what is too large leaves it unreadable
                why = self._ended(limits) if is_gone else "there is more text in it than a file of its size may have"
                raise Unreadable(why) from error
            left -= len(reply)
            yield _REPLIES.validate_json(reply)
        raise Unreadable(f"nothing came of it for {wait:.0f} s")

    def _ended(self, limits: _Limits) -> str:
        """Why it is gone: it closed its end, and may take a moment to be no more."""
        with suppress(subprocess.TimeoutExpired):
            self.popen.wait(5)
        ended = self.popen.returncode or 0
        crash = f"reading it crashed (signal {-ended})" if ended < 0 else "reading it crashed"
        too_long = f"reading it takes more than {limits.seconds} s"
        return {-signal.SIGXCPU: too_long, -signal.SIGKILL: "it was killed"}.get(ended, crash)

    def kill(self) -> None:
        self.popen.kill()
        self.popen.wait()
        self._link.close()
        self._unpacked.cleanup()  # also where it was killed while an archive was unpacked


_idle: list[_Process] = []
"""Ready for the next source, as importing the loaders takes longer than reading most files."""


def _ready() -> _Process:
    """One that waits and lives, or a new one."""
    while _idle:
        process = _idle.pop()
        if process.popen.poll() is None:
            return process
        process.kill()
    return _Process()


@atexit.register
def _end() -> None:
    for process in _idle:
        process.kill()


def serve(link_number: int) -> None:
    """The process: requests and replies on this descriptor, until the other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    link, empty = Connection(link_number), _memory()
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    with suppress(EOFError, OSError):  # the other end is gone
        while True:
            name, path, root, pages, seconds, memory = json.loads(link.recv_bytes())
            source = Source(Path(path), BY_NAME[name], Path(root), Pages(*map(tuple, pages)))
            _limit(seconds, empty + memory)
            try:
                for item in read(source):
                    link.send_bytes(_REPLIES.dump_json(item))
            except MemoryError as error:
                link.send_bytes(_REPLIES.dump_json(LoadFailure(shown(source.path), reason(error))))
            except SystemExit:
                os._exit(1)
            is_small = _memory() <= empty + MEMORY // 2  # it does not give back what a large file took
            link.send_bytes(_REPLIES.dump_json(is_small))


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

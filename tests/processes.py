"""Processes that start at once: each is forked from a server that has imported the product already.

Commands are those of Python without `python`: `FILE ...`, `-c CODE ...` or `-m MODULE ...`.
"""

import atexit
import fcntl
import functools
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import termios
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent

CLEW = ("clew.ui.cli", "clew.ui.terminal", "clew.agent.assistant", "torch")
PAGE = ("clew.ui.cli", "clew.agent.assistant", "gradio", "clew.ui.web.serving")


class Process(subprocess.Popen[str]):
    """As `subprocess.Popen(..., text=True)`; the modules of `preload` are imported before it starts.

    With `terminal`, its standard input is the terminal that Ctrl-C comes from; a library `beneath` it is loaded first.
    """

    def __init__(
        self,
        command: Sequence[object],
        *,
        preload: tuple[str, ...] = CLEW,
        terminal: bool = False,
        beneath: str = "",
        **options: Any,
    ) -> None:
        self._born_of, self._terminal = (preload, beneath), terminal
        self._status: socket.socket
        super().__init__([str(argument) for argument in command], **{"text": True, **options})

    def _execute_child(self, command: list[str], *rest: Any) -> None:
        cwd, env, read, written, errors = rest[4], rest[5], rest[9], rest[12], rest[14]
        self._status, other = socket.socketpair()
        request = {
            "command": command,
            "cwd": os.fspath(cwd or Path.cwd()),
            "environment": dict(os.environ if env is None else env),
            "terminal": self._terminal,
        }
        streams = [own if own >= 0 else standard for standard, own in enumerate((read, written, errors))]
        with other:
            socket.send_fds(_server(*self._born_of), [json.dumps(request).encode()], [*streams, other.fileno()])
        self.pid = int.from_bytes(self._status.recv(4))
        if not self.pid:  # and a signal to process 0 would go to this one
            raise RuntimeError("the server of processes does not run")
        self._child_created = True
        self._close_pipe_fds(*rest[9:15])  # type: ignore[attr-defined]

    def _try_wait(self, flags: int) -> tuple[int, int]:
        try:
            said = self._status.recv(4, socket.MSG_DONTWAIT if flags else 0)
        except BlockingIOError:
            return 0, 0
        self._status.close()
        return self.pid, int.from_bytes(said)

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        if self.returncode is None and self._child_created:
            pid, status = self._try_wait(os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


def finished(
    command: Sequence[object], text: str = "", *, preload: tuple[str, ...] = CLEW, **options: Any
) -> "subprocess.CompletedProcess[str]":
    """As `subprocess.run(..., input=text, capture_output=True, text=True)`."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with Process(command, preload=preload, **{**pipes, **options}) as process:
        out, err = process.communicate(text)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


@functools.cache
def _server(preload: tuple[str, ...], beneath: str = "") -> socket.socket:
    own, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    own_path = [path for path in sys.path if Path(path) != ROOT.parent]  # pytest adds that
    with other:
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.processes", str(other.fileno()), *preload],
            cwd=ROOT,
            pass_fds=[other.fileno()],
            start_new_session=True,
            env={
                **os.environ,
                **({"LD_PRELOAD": beneath} if beneath else {}),
                "PYTHONPATH": os.pathsep.join(own_path),
                "OMP_NUM_THREADS": "1",
            },
        )

    def end() -> None:
        own.close()
        server.wait()

    atexit.register(end)
    return own


def _serve(control: socket.socket) -> dict[str, Any]:
    """Returns in the processes that are asked for, never in the server itself."""
    while True:
        message, streams, _, _ = socket.recv_fds(control, 1 << 20, 4)
        if not message:
            os._exit(0)
        if not os.fork():
            break
        for stream in streams:
            os.close(stream)
        while _reaped():
            pass
    control.close()
    *streams, status = streams
    if child := os.fork():
        os.write(status, child.to_bytes(4))
        for stream in streams:
            os.close(stream)
        _, code = os.waitpid(child, 0)
        os.write(status, code.to_bytes(4))
        os._exit(0)
    os.close(status)
    for standard, stream in enumerate(streams):
        os.dup2(stream, standard)
    for stream in set(streams):
        os.close(stream)
    request: dict[str, Any] = json.loads(message)
    return request


def _reaped() -> bool:
    try:
        return bool(os.waitpid(-1, os.WNOHANG)[0])
    except ChildProcessError:
        return False


def _become(request: dict[str, Any]) -> None:
    if request["terminal"]:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["cwd"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name, standard, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        old = getattr(sys, name)
        lines = mode == "w" and (standard == 2 or os.isatty(standard))
        buffering = 1 if lines else -1
        new = open(standard, mode, buffering, old.encoding, old.errors, closefd=False)  # noqa: SIM115
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)
    first, *others = request["command"]
    if first in ("-c", "-m"):
        given, *others = others
    elif first.startswith("-m"):
        first, given = "-m", first[2:]
    sys.argv = [first, *others]
    if first == "-c":
        exec(compile(given, "<string>", "exec"), {"__name__": "__main__"})
    elif first == "-m":
        sys.modules.pop(given, None)  # or runpy warns
        runpy.run_module(given, run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(first, run_name="__main__")


if __name__ == "__main__":
    for module in sys.argv[2:]:
        importlib.import_module(module)
    gc.freeze()
    _become(_serve(socket.socket(fileno=int(sys.argv[1]))))

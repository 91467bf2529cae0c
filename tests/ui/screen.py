"""A real pseudo-terminal for tests: keys go in, and what came out is waited for."""

import fcntl
import os
import pty
import re
import select
import struct
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from clew.ui.plain import plain
from tests.processes import Process

FAKE = ("-m", "tests.ui.fakes")
"""The command line with the assistant of fakes.py."""

COLUMNS = 80
PROMPT = r"(?m:^> \s*\Z)"
CTRL_C, CTRL_D, TAB, UP = "\x03", "\x04", "\t", "\x1b[A"
PATIENCE = 120.0
"""Seconds after which something that does not come is missing: generous, for machines that others use too."""


class Screen:
    """A process on a terminal of 80 columns; `text` is all that it wrote, without what steers the screen."""

    def __init__(self, arguments: Sequence[object], cwd: Path | None = None) -> None:
        self._written, self._seen = b"", 0
        self._terminal, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
        self._process = Process(arguments, terminal=True, stdin=other, stdout=other, stderr=other, cwd=cwd)
        os.close(other)

    @property
    def raw(self) -> str:
        return self._written.decode(errors="replace")

    @property
    def text(self) -> str:
        return plain(self.raw)

    def wait_for(self, pattern: str) -> str:
        """Until the pattern stands in what came after the last match; all from there to its end is handed back."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            text = self.text
            if found := re.compile(pattern).search(text, self._seen):
                before, self._seen = self._seen, found.end()
                return text[before : found.end()]
            if not self._read() and self._process.poll() is not None:
                break
        raise AssertionError(f"{pattern!r} did not come; the screen:\n{self.text[-2000:]}")

    def press(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    def line(self, text: str) -> None:
        self.press(text + "\r")

    def say(self, text: str, pattern: str) -> str:
        """Type a line, and wait for what it is answered with."""
        self.line(text)
        return self.wait_for(pattern)

    def said(self, text: str, pattern: str) -> str:
        """Type a line of a chat, and wait for its answer, and for the prompt behind it."""
        return self.say(text, rf"{pattern}[^>]*{PROMPT}")

    def leave(self) -> int:
        """Press Ctrl-D at the prompt of a chat, and hand back the exit code."""
        self.wait_for(PROMPT)
        self.press(CTRL_D)
        return self.end()

    def end(self) -> int:
        """Wait until the process has ended, and hand back its exit code."""
        end = time.monotonic() + PATIENCE
        while (self._read() or self._process.poll() is None) and time.monotonic() < end:
            pass
        code = self._process.poll()
        assert code is not None, f"it did not end; the screen:\n{self.text[-2000:]}"
        return code

    def _read(self) -> bool:
        ready, _, _ = select.select([self._terminal], [], [], 0.1)
        try:
            came = os.read(self._terminal, 65536) if ready else b""
        except OSError:  # the other side is closed
            came = b""
        self._written += came
        return bool(came)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._terminal)

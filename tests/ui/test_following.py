"""`--watch`: a real folder, real processes, and what is asked while it changes."""

import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import IO

import pytest

from tests.ui.conftest import Run, process

pytest.importorskip("watchfiles", reason="clew[watch] is not installed")

PATIENCE = 120


class Lines:
    """What a stream says, line by line, as it comes."""

    def __init__(self, stream: "IO[str] | None") -> None:
        assert stream
        self._came: Queue[str] = Queue()
        self.ended = Thread(target=self._read, args=(stream,), daemon=True)
        self.ended.start()

    def _read(self, stream: "IO[str]") -> None:
        for line in stream:
            self._came.put(line)

    def until(self, said: str) -> str:
        """The first line with it. Raises `queue.Empty` where none comes."""
        while said not in (line := self._came.get(timeout=PATIENCE)):
            pass
        return line.rstrip("\n")


@contextmanager
def running(*arguments: object) -> "Iterator[tuple[subprocess.Popen[str], Lines, Lines]]":
    with process(arguments) as program:
        out, err = Lines(program.stdout), Lines(program.stderr)
        try:
            yield program, out, err
        finally:
            program.send_signal(signal.SIGINT)
            assert program.stdin
            program.stdin.close()
            program.wait(PATIENCE)
            out.ended.join()
            err.ended.join()


def asked(chat: "subprocess.Popen[str]", question: str) -> None:
    assert chat.stdin
    chat.stdin.write(f"{question}\n")
    chat.stdin.flush()


@pytest.fixture
def notes(home: Path, tmp_path: Path) -> Callable[[str, str], Path]:
    folder = tmp_path / "notes"
    folder.mkdir()

    def write(name: str, text: str) -> Path:
        (folder / name).write_text(text)
        return folder

    write("boiler.md", "# Boiler\n\nThe boiler was serviced by Hansen Heating. It stands in the cellar.\n")
    return write


def test_a_chat_answers_from_a_library_that_follows_its_folder(notes: Callable[[str, str], Path]) -> None:
    folder = notes("rent.md", "# Rent\n\nThe monthly rent is 900 euros.\n")
    with running("index", folder, "--library", "lib", "--watch") as (index, out, err):
        out.until("2 new")
        with running("chat", "--library", "lib") as (chat, answers, _):
            asked(chat, "What is the monthly rent?")
            answers.until("900")
            notes("rent.md", "# Rent\n\nThe monthly rent is 950 euros.\n")
            out.until("1 changed, 1 unchanged")
            asked(chat, "What is the monthly rent?")
            answers.until("950")
        notes("pump.md", "# Pump\n\nThe pump runs at night.\n")
        assert "pump.md" in out.until("1 new, 2 unchanged")
        (folder / "pump.md").unlink()
        assert "pump.md" in out.until("1 removed, 2 unchanged")
        notes("empty.md", "")
        assert "empty.md" in err.until("failed:")
        for path in folder.iterdir():
            path.unlink()
        assert "is empty or gone: 2 documents kept" in err.until("kept"), "a drive that is gone loses nothing"
    assert index.returncode == 130


def test_a_chat_follows_the_folders_itself(clew: Run, notes: Callable[[str, str], Path], tmp_path: Path) -> None:
    folder = notes(".hidden.md", "Nobody reads this.\n")
    assert clew("index", folder, "--library", folder / "lib").exit_code == 0
    with running("chat", "--library", folder / "lib", "--watch") as (chat, answers, err):
        asked(chat, "Who serviced the boiler?")
        answers.until("Hansen")
        notes("boiler.md", "# Boiler\n\nThe boiler was serviced by Olsen Heating. It stands in the cellar.\n")
        assert "1 changed" in err.until("the library: ")
        asked(chat, "Who serviced the boiler?")
        answers.until("Olsen")
        (tmp_path / "more").mkdir()
        (tmp_path / "more" / "rent.md").write_text("# Rent\n\nThe monthly rent is 900 euros.\n")
        assert clew("index", tmp_path / "more", "--library", folder / "lib").exit_code == 0
        time.sleep(2.5)  # it looks each second at what is to be followed
        (tmp_path / "more" / "rent.md").write_text("# Rent\n\nThe monthly rent is 950 euros.\n")
        assert "1 changed" in err.until("(rent.md)"), "a folder that came meanwhile"


def test_a_library_of_somebody_else_is_not_followed(
    clew: Run, notes: Callable[[str, str], Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert clew("index", notes("a.md", "A note.\n"), "--library", "lib").exit_code == 0
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "another"))
    refused = clew("chat", "--library", "lib", "--watch")
    assert refused.exit_code == 2 and "which you did not index here" in refused.stderr

"""The group: help, options, the seam that turns errors into lines and exit codes, and what stays unimported."""

import errno
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from clew.memory.errors import BadInput, ClewError, NoLibrary, ServiceUnreachable
from clew.memory.files import MAKE_ROOM
from clew.ui.cli import COMMANDS, Clew
from tests.ui.conftest import ROOT, Run, process

HEAVY = (
    "torch",
    "sentence_transformers",
    "gradio",
    "langgraph",
    "sklearn",
    "transformers",
    "numpy",
    "pydantic",
    "rich",
)


def test_importing_the_command_line_imports_nothing_heavy() -> None:
    code = "import sys, clew.ui.cli; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = run.stdout.split()
    assert "click" in loaded
    assert not [name for name in loaded if name in HEAVY or name.startswith("langchain")]


def test_no_thread_of_blas_stays_awake_behind_its_work() -> None:
    """As OpenBLAS's own would, for 26 ms of a processor behind each product."""
    code = (
        "import time\nfrom click.testing import CliRunner\nfrom clew.ui.cli import main\n"
        "CliRunner().invoke(main, ['settings', '-h'])\n"
        "import numpy as np\nmany = np.ones((10_000, 384), np.float32)\nspent = 0.0\n"
        "for _ in range(10):\n    many @ many[0]\n    before = time.process_time()\n    time.sleep(0.05)\n"
        "    spent += time.process_time() - before\nprint(spent)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert float(run.stdout) < 0.05


def test_help_names_every_command_in_the_order_of_use(clew: Run) -> None:
    listed = re.findall(r"^  ([\w-]+)  ", clew("--help").stdout.partition("Commands:")[2], re.MULTILINE)
    asking, measuring = (
        ["index", "chat", "ask", "ui", "search"],
        ["replay", "evaluate", "copy", "libraries", "partition", "align", "train-structure"],
    )
    assert listed == [*asking, "threads", "export", *measuring, "settings", "parse", "doctor", "trust"]


@pytest.mark.parametrize("name", [name.replace("_", "-") for name in COMMANDS])
def test_every_command_explains_itself(clew: Run, name: str) -> None:
    result = clew(name, "--help")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: clew {name}")
    assert not re.search(r"  --?\w[\w-]*(, --?\w[\w-]*)?( [A-Z]\w*)?\n  -", result.stdout), "an option without a help"


def test_an_unknown_command_is_answered_with_a_near_one(clew: Run) -> None:
    result = clew("serach", "moon")
    assert result.exit_code == 2
    assert "Did you mean 'search'?" in result.stderr
    assert result.stdout == ""


def test_version(clew: Run) -> None:
    result = clew("--version")
    assert result.exit_code == 0
    assert re.match(r"clew (\d+\.\d+\.\d+|\(not installed\))\n", result.stdout)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ask",), "there is no question"),
        (("index",), "name the files or folders"),
        (("index", "nowhere"), "nowhere: it is not there"),
        (("search", "-k", "0", "moon"), "0 is not in the range"),
        (("search", "--compare", "--tool", "hybrid", "moon"), "--compare shows all methods"),
        (("ui", "--port", "99999"), "99999 is not in the range"),
        (("replay", "nowhere.jsonl", "--out", "out"), "'nowhere.jsonl' does not exist"),
        (("evaluate", "nowhere"), "'nowhere' does not exist"),
        (("ask", "--thread", "a", "--continue", "why?"), "exclude each other"),
        (("export", "abc"), "there is no thread abc"),
        (("threads", "--delete", "abc"), "there is no thread abc"),
    ],
)
def test_wrong_usage_is_exit_code_2_and_one_clear_line(
    clew: Run, examples_path: Path, arguments: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_LIBRARY", str(examples_path))
    result = clew(*arguments, input="")
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("arguments", [("ask", "why?"), ("chat",), ("search", "why?"), ("evaluate", "."), ("ui",)])
def test_without_a_library_the_command_that_makes_one_is_named(
    clew: Run, home: Path, arguments: tuple[str, ...]
) -> None:
    Path("queries.jsonl").write_text('{"_id": "1", "text": "why?"}\n')
    Path("qrels.tsv").write_text("1\td\t1\n")
    result = clew(*arguments, "--library", "nowhere")
    assert result.exit_code == 3
    assert result.stderr.splitlines() == [
        "clew: there is no library at nowhere",
        "try: clew index YOUR-FOLDER --library nowhere",
    ]
    assert result.stdout == ""


def failing(error: BaseException) -> click.Group:
    @click.group(cls=Clew)
    @click.option("--verbose", is_flag=True)
    def group(verbose: bool) -> None: ...

    @group.command()
    def fail() -> None:
        raise error

    return group


@pytest.mark.parametrize(
    ("error", "code", "lines"),
    [
        (ClewError("the run failed"), 1, ["clew: the run failed"]),
        (BadInput("the file is empty", "another one"), 2, ["clew: the file is empty", "try: another one"]),
        (NoLibrary("no library", "clew index"), 3, ["clew: no library", "try: clew index"]),
        (ServiceUnreachable("the server does not answer"), 4, ["clew: the server does not answer"]),
        (KeyboardInterrupt(), 130, ["", "clew: stopped"]),
        (
            OSError(errno.ENOSPC, "No space left on device", "x.md"),
            1,
            ["clew: x.md: No space left on device", f"try: {MAKE_ROOM}"],
        ),
        (
            ZeroDivisionError("a bug\nin two lines"),
            1,
            ["clew: internal error: ZeroDivisionError: a bug in two lines (run with --verbose for the traceback)"],
        ),
        (BadInput("the title \x1b[2J\x07is bad"), 2, ["clew: the title is bad"]),
    ],
)
def test_an_error_is_a_line_and_an_exit_code(error: BaseException, code: int, lines: list[str]) -> None:
    result = CliRunner().invoke(failing(error), ["fail"])
    assert result.exit_code == code
    assert result.stderr.splitlines() == lines
    assert result.stdout == ""


def test_verbose_shows_the_traceback() -> None:
    result = CliRunner().invoke(failing(ZeroDivisionError("a bug")), ["--verbose", "fail"])
    assert result.exit_code == 1
    assert "Traceback (most recent call last)" in result.stderr


def test_usage_errors_of_click_pass_as_they_are() -> None:
    result = CliRunner().invoke(failing(click.UsageError("wrong")), ["fail"])
    assert result.exit_code == 2
    assert "Error: wrong" in result.stderr


def test_ctrl_c_ends_with_130_and_no_traceback(home: Path) -> None:
    asking = process(["ask"])  # reads its question from standard input, which stays open
    time.sleep(1)
    assert asking.poll() is None
    asking.send_signal(signal.SIGINT)
    _, stderr = asking.communicate()
    assert asking.returncode == 130
    assert stderr.split() == ["clew:", "stopped"]


def test_a_reader_that_has_read_enough_ends_it_quietly(home: Path, many_threads: None) -> None:
    listing = process(["threads", "--json"])
    assert listing.stdout and listing.stderr
    listing.stdout.readline()
    listing.stdout.close()
    assert listing.wait() == 1
    assert "Error" not in listing.stderr.read()
    listing.stderr.close()
    assert listing.stdin
    listing.stdin.close()


def test_a_disk_that_is_full_is_one_line(home: Path, many_threads: None) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(
            [sys.executable, "-mclew.ui.cli", "threads", "--json"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert run.returncode == 1
    assert run.stderr.decode().splitlines()[0] == "clew: No space left on device"
    assert b"Traceback" not in run.stderr


@pytest.fixture
def many_threads(home: Path) -> None:
    """Enough for more than a pipe holds."""
    from tests.ui.fakes import fill_threads

    fill_threads(home, 1500)


def test_the_log_level_is_that_of_all_libraries(home: Path) -> None:
    code = (
        "import logging; logger = logging.getLogger('loud'); logger.setLevel('DEBUG');"
        "from clew.ui.cli import _set_up_streams; _set_up_streams({level!r});"
        "logger.debug('too much'); logger.error('needed')"
    )
    quiet = subprocess.run(
        [sys.executable, "-c", code.format(level="error")], capture_output=True, text=True, check=True
    )
    assert quiet.stderr == "ERROR loud: needed\n"
    loud = subprocess.run(
        [sys.executable, "-c", code.format(level="debug")], capture_output=True, text=True, check=True
    )
    assert "DEBUG loud: too much" in loud.stderr


def test_an_encoding_that_cannot_write_a_character_writes_a_question_mark(home: Path) -> None:
    from tests.ui.fakes import fill_threads

    fill_threads(home, 1, "Who was Méliès?")
    listing = subprocess.run(
        [sys.executable, "-mclew.ui.cli", "threads"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=True,
    )
    assert b"Who was M?li?s?" in listing.stdout

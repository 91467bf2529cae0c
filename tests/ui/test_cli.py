"""The group: help, options, the seam that turns errors into lines and exit codes, and what stays unimported."""

import errno
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from clew.memory.errors import BadInput, ClewError, NoLibrary, ServiceUnreachable
from clew.memory.files import MAKE_ROOM
from clew.ui.cli import COMMANDS, Clew, loaded, main
from tests.ui.browsing import free_port
from tests.ui.conftest import ROOT, Run, process
from tests.ui.fakes import fill_threads

HEAVY = "torch sentence_transformers transformers sklearn gradio langgraph igraph scipy bm25s".split()
PROBE = """
import sys
from clew.ui.cli import main

for arguments in {commands}:
    try:
        main(arguments, prog_name="clew")
    except SystemExit as end:
        assert not end.code, (arguments, end.code)
    print("IMPORTED", *(name for name in {names} if name in sys.modules))
"""
"""Commands in one process, and after each which libraries are imported by then."""


def imported(commands: list[list[str]], names: list[str], said: str = "") -> list[list[str]]:
    code = PROBE.format(commands=commands, names=names)
    run = subprocess.run([sys.executable, "-c", code], input=said, capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0, run.stderr
    return [line.split()[1:] for line in run.stdout.splitlines() if line.startswith("IMPORTED")]


def test_help_and_doctor_import_nothing_heavy(home: Path) -> None:
    assert imported([["--help"]], [*HEAVY, "langchain_core", "numpy", "pydantic", "rich"]) == [[]]
    assert imported([["doctor"]], ["torch", "sentence_transformers", "gradio", "langgraph"]) == [[]]


def test_the_first_answers_of_a_process_need_no_torch(
    home: Path, tmp_path: Path, examples_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the packaged encoder; nothing is in the cache: all that they need is encoded here."""
    monkeypatch.setenv("CLEW_CACHE", str(tmp_path / "cache"))
    library = ["--library", str(examples_path)]
    asks = ["ask", "Who directed A Trip to the Moon?", *library]
    commands = [["chat", *library], asks, ["search", "Who was the brother of Méliès?", *library, "--compare"]]
    said = "Who directed Metropolis?\nand who wrote it?\nSummarise what you know of the moon."
    heavy = [name for name in HEAVY if name != "langgraph"]
    assert imported(commands, heavy, said) == [[], [], ["scipy"]], "the mean over neighbours is a sparse product"
    assert list((tmp_path / "cache").rglob("*.sqlite")), "what was encoded is kept"


def test_a_hint_to_run_the_same_command_again_keeps_the_flags_that_were_given(clew: Run) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        busy = clew("ui", "--library", "my notes", "--set", "walk.depth=1", "--port", port)
    assert busy.stderr.splitlines()[-1] == f"try: clew ui --port {port + 1} --library 'my notes' --set walk.depth=1"


def test_help_names_every_command_in_the_order_of_use_and_each_explains_itself(clew: Run) -> None:
    listed = re.findall(r"^  ([\w-]+)  ", clew("--help").stdout.partition("Commands:")[2], re.MULTILINE)
    assert listed == [*COMMANDS]
    for name, (_, begins) in COMMANDS.items():
        assert loaded(name).get_short_help_str(1000) == begins
        result = clew(name, "--help")
        assert result.exit_code == 0 and result.stdout.startswith(f"Usage: clew {name}")
        without_help = r"  --?\w[\w-]*(, --?\w[\w-]*)?( [A-Z]\w*)?\n  -"
        assert not re.search(without_help, result.stdout), f"an option of {name} without a help"
    version = clew("--version")
    assert version.exit_code == 0 and re.match(r"clew (\d+\.\d+\.\d+|\(not installed\))\n", version.stdout)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("serach", "moon"), "Did you mean 'search'?"),
        (("ask",), "there is no question"),
        (("ask", "--thread", "a", "--continue", "why?"), "exclude each other"),
        (("ask", "--tool", "hybird", "why?"), "clew: there is no tool 'hybird'\ntry: "),
        (("index", "nowhere"), "nowhere: it is not there"),
        (("search", "--compare", "--tool", "hybrid", "moon"), "--compare shows all methods"),
        (("replay", "nowhere.jsonl", "--out", "out"), "'nowhere.jsonl' does not exist"),
        (("threads", "--delete", "abc"), "there is no thread abc"),
        (("export", "abc", "--out", "."), "is a folder"),
        (("export", "--format", "text"), "needs --out"),
        (("export", "abc", "--format", "text", "--out", "x"), "takes no THREAD"),
    ],
)
def test_wrong_usage_is_exit_code_2_and_one_clear_line(
    clew: Run, examples_path: Path, arguments: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_LIBRARY", str(examples_path))
    result = clew(*arguments, input="")
    assert (result.exit_code, result.stdout) == (2, "") and said in result.stderr


def test_without_a_library_the_command_that_makes_one_is_named(clew: Run, home: Path) -> None:
    Path("queries.jsonl").write_text('{"_id": "1", "text": "why?"}\n')
    Path("qrels.tsv").write_text("1\td\t1\n")
    for line in ("ask why?", "chat", "search why?", "evaluate .", "partition", "align evaluate"):
        result = clew(*line.split(), "--library", "nowhere")
        assert (result.exit_code, result.stdout) == (3, "")
        assert result.stderr == "clew: there is no library at nowhere\ntry: clew index YOUR-FOLDER --library nowhere\n"
    Path("mine").mkdir()
    Path("mine/rent.md").write_text("800 EUR")
    assert clew("ui", "--library", "mine", "--port", free_port()).exit_code == 3
    assert [*Path("mine").iterdir()] == [Path("mine/rent.md")], "no library is made in a folder of somebody's"


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
        (BadInput("the title \x1b[2J\x07is bad"), 2, ["clew: the title is bad"]),
        (click.UsageError("wrong"), 2, ["Usage: group fail [OPTIONS]", "", "Error: wrong"]),
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
    ],
)
def test_an_error_is_a_line_and_an_exit_code(error: BaseException, code: int, lines: list[str]) -> None:
    result = CliRunner().invoke(failing(error), ["fail"])
    assert (result.exit_code, result.stdout) == (code, "")
    assert [line for line in result.stderr.splitlines() if "--help" not in line] == lines


def test_verbose_shows_the_traceback() -> None:
    result = CliRunner().invoke(failing(ZeroDivisionError("a bug")), ["--verbose", "fail"])
    assert result.exit_code == 1 and "Traceback (most recent call last)" in result.stderr


def test_ctrl_c_ends_with_130_and_no_traceback(home: Path) -> None:
    asking = process(["ask"])  # reads its question from standard input, which stays open
    time.sleep(1)
    assert asking.poll() is None
    asking.send_signal(signal.SIGINT)
    _, stderr = asking.communicate()
    assert asking.returncode == 130
    assert stderr.split() == ["clew:", "stopped"]


def test_a_reader_that_has_read_enough_ends_it_quietly(home: Path) -> None:
    fill_threads(home, 500)  # more than a pipe holds
    listing = process(["threads", "--json"])
    assert listing.stdin and listing.stdout and listing.stderr
    listing.stdout.readline()
    listing.stdout.close()
    assert listing.wait() == 1
    assert "Error" not in listing.stderr.read()
    listing.stderr.close()
    listing.stdin.close()


def test_so_does_it_in_mid_turn(home: Path, examples_path: Path) -> None:
    asking = process(["ask", "--json=full", "--library", str(examples_path), "Who directed Metropolis?"])
    assert asking.stdin and asking.stdout and asking.stderr
    asking.stdin.close()
    asking.stdout.readline()
    asking.stdout.close()
    assert asking.wait(60) == 1
    assert "Error" not in asking.stderr.read()
    asking.stderr.close()


def test_a_disk_that_is_full_is_one_line(home: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    fill_threads(home, 1)
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "clew.ui.cli", "threads", "--json"]
        run = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert run.returncode == 1
    assert run.stderr.splitlines()[0] == "clew: No space left on device" and "Traceback" not in run.stderr


def test_an_encoding_that_cannot_write_a_character_writes_a_question_mark(home: Path) -> None:
    fill_threads(home, 1, "Who was Méliès?")
    assert b"Who was M?li?s?" in CliRunner(charset="ascii").invoke(main, ["threads"]).stdout_bytes

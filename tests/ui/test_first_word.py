"""The first answers of a new process import no torch, with the packaged encoder, nor what only indexing needs."""

import os
import subprocess
import sys
from pathlib import Path

from tests.ui.conftest import ROOT

PROBE = """
import sys
from clew.ui.cli import main

for arguments in {commands}:
    try:
        main(arguments, prog_name="clew")
    except SystemExit as end:
        assert not end.code, (arguments, end.code)
heavy = "torch sentence_transformers transformers sklearn gradio igraph networkx scipy bm25s".split()
print("IMPORTED", *(name for name in heavy if name in sys.modules))
"""
"""Commands in one process, and which heavy libraries they have imported."""


def imported(commands: list[list[str]], cache: Path, said: str = "") -> list[str]:
    run = subprocess.run(
        [sys.executable, "-c", PROBE.format(commands=commands)],
        input=said,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "CLEW_CACHE": str(cache)},
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()[-1].split()[1:]


def test_a_first_word_needs_no_torch(home: Path, tmp_path: Path, examples_path: Path) -> None:
    """Nothing is in the cache, not even the passages of the library: all that they need is encoded here."""
    library = ["--library", str(examples_path)]
    commands = [
        ["search", "Which film has a rocket in the eye of the moon?", *library],
        ["ask", "Who directed A Trip to the Moon?", *library],
        ["chat", *library],
    ]
    said = (
        "Who directed Metropolis?\nand who wrote it?\nwhat did he do before that?\nSummarise what you know of the moon."
    )
    assert imported(commands, tmp_path / "cache", said) == []
    walked = [["search", "Who was the brother of the man who made it?", *library, "--compare"]]
    assert imported(walked, tmp_path / "cache") == ["scipy"], "the mean over neighbours is a product of sparse matrices"
    assert list((tmp_path / "cache").rglob("*.sqlite")), "what was encoded is kept"

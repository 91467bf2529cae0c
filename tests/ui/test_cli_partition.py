"""`clew partition` as a person meets it."""

import errno
import json
import os
from pathlib import Path

import pytest

from clew.ui.commands.partition import METHODS
from tests.ui.conftest import Run


@pytest.fixture
def library(clew: Run, tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in (("moon", "The Moon orbits the Earth."), ("sun", "The Sun is hot."), ("mars", "Mars is red.")):
        (folder / f"{name}.txt").write_text(text)
    clew("index", folder, "--library", tmp_path / "lib")
    return tmp_path / "lib"


def test_the_report_as_a_table(clew: Run, library: Path) -> None:
    done = clew("partition", "--library", library, "--size", 2)
    assert done.exit_code == 0
    assert done.stdout.startswith("hybrid-2 ") and "partitions of 3 nodes" in done.stdout
    assert "coherence" in done.stdout and "without an edge" in done.stdout


@pytest.mark.parametrize("method", METHODS)
def test_the_report_as_json(clew: Run, library: Path, method: str) -> None:
    report = json.loads(clew("partition", "--library", library, "--method", method, "--json").stdout)
    assert (report["method"], report["nodes"]) == (method, 3)
    assert report["partitions"] >= 1 and 0 <= report["edge_cut"] <= 1


@pytest.mark.parametrize(
    "wrong, told",
    [
        (("--method", "leiden", "--size", 3), "leiden keeps to no size"),
        (("--k", 3), "hybrid takes a size"),
        (("--method", "metis", "--size", 3, "--k", 3), "metis takes a size or a number"),
        (("--size", 0), "--size"),
        (("--method", "louvain"), "louvain"),
    ],
)
def test_what_does_not_go_together_is_said(clew: Run, library: Path, wrong: tuple[object, ...], told: str) -> None:
    done = clew("partition", "--library", library, *wrong)
    assert done.exit_code == 2 and not done.stdout
    assert told in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "command, kept",
    [
        (("partition", "--size", 2), "keeps the partitions that it has"),
        (("align", "train", "--size", 20, "--epochs", 1), "keeps the aligners that it has"),
        (("train-structure", "--language", "en", "--epochs", 1), "stays as it was"),
    ],
)
def test_on_a_full_disk_is_said_what_is_kept(
    clew: Run, library: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[object, ...], kept: str
) -> None:
    def failing(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", failing)
    done = clew(*command, "--library", library, "-q")
    assert done.exit_code == 1
    assert f"clew: the disk is full: the library at {library} {kept}\ntry: free some space" in done.stderr


def test_without_a_library(clew: Run) -> None:
    done = clew("partition", "--library", "nowhere")
    assert done.exit_code == 3
    assert done.stderr.startswith("clew: there is no library at nowhere\ntry: clew index ")

"""`clew threads --delete`: nothing of a conversation stays. `clew export`: what it writes and refuses."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from clew.agent.graph import checkpoint_key
from clew.agent.settings import DATABASE
from clew.memory.dialogue.threads import Threads
from clew.ui.cli import main
from tests.ui.conftest import Run


def test_a_forgotten_thread_leaves_no_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path))
    with Threads(tmp_path / DATABASE) as database:
        for name in ("a", "ab"):
            database.save(name, 1, "question", "{}", [], np.ones((0, 1), np.float32), "none")
    with closing(sqlite3.connect(tmp_path / DATABASE)) as connection, connection:
        connection.execute("CREATE TABLE checkpoints (thread_id TEXT)")
        connection.executemany(
            "INSERT INTO checkpoints VALUES (?)", [(checkpoint_key("a", 2),), (checkpoint_key("ab", 2),)]
        )
    assert CliRunner().invoke(main, ["threads", "--delete", "a"]).exit_code == 0
    with closing(sqlite3.connect(tmp_path / DATABASE)) as connection:
        assert connection.execute("SELECT thread_id FROM checkpoints").fetchall() == [(checkpoint_key("ab", 2),)]
    with Threads(tmp_path / DATABASE) as database:
        assert [thread.id for thread in database.recent()] == ["ab"]


def test_the_texts_of_a_library(clew: Run, examples_path: Path, tmp_path: Path) -> None:
    out = tmp_path / "texts"
    done = clew("export", "--library", examples_path, "--format", "text", "--out", out)
    assert (done.exit_code, done.stdout) == (0, "") and "wrote 35 documents" in done.stderr
    rows = [json.loads(line) for line in (out / "documents.jsonl").read_text("utf-8").splitlines()]
    film = next(row for row in rows if row["document"] == "films/metropolis.md")
    assert set(film) == {"document", "source", "title", "file"} and film["title"] == "Metropolis"
    assert "Fritz Lang" in (out / film["file"]).read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--format", "text"), "needs --out"),
        (("abc", "--format", "text", "--out", "x"), "takes no THREAD"),
        ((), "THREAD is missing"),
        (("abc", "--out", "."), "is a folder"),
    ],
)
def test_an_export_that_cannot_be(clew: Run, arguments: tuple[str, ...], said: str) -> None:
    done = clew("export", *arguments)
    assert done.exit_code == 2 and said in done.stderr

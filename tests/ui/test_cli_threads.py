"""`clew threads --delete`: nothing of a conversation stays."""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from clew.agent.checkpoints import key
from clew.agent.settings import DATABASE
from clew.memory.dialogue.threads import Threads
from clew.ui.cli import main


def test_a_forgotten_thread_leaves_no_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path))
    with Threads(tmp_path / DATABASE) as database:
        for name in ("a", "ab"):
            database.save(name, 1, "question", "{}", [], np.ones((0, 1), np.float32), "none")
    with closing(sqlite3.connect(tmp_path / DATABASE)) as connection, connection:
        connection.execute("CREATE TABLE checkpoints (thread_id TEXT)")
        connection.executemany("INSERT INTO checkpoints VALUES (?)", [(key("a", 2),), (key("ab", 2),)])
    assert CliRunner().invoke(main, ["threads", "--delete", "a"]).exit_code == 0
    with closing(sqlite3.connect(tmp_path / DATABASE)) as connection:
        assert connection.execute("SELECT thread_id FROM checkpoints").fetchall() == [(key("ab", 2),)]
    with Threads(tmp_path / DATABASE) as database:
        assert [thread.id for thread in database.recent()] == ["ab"]

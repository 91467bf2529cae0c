"""`clew ui`: whom it serves, and who may open its page."""

from pathlib import Path

import numpy as np
import pytest

from clew.memory.dialogue.threads import Threads
from clew.ui.web.guard import Access, users
from tests.ui.browsing import free_port
from tests.ui.conftest import Run
from tests.ui.fakes import RECORD, make_turn


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.ui.web.guard.COST", (2, 8, 1))


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "example.org"])
def test_others_are_served_once_there_is_somebody_with_a_password(clew: Run, host: str) -> None:
    refused = clew("ui", "--host", host)
    assert refused.exit_code == 3 and refused.stderr.splitlines() == [
        f"clew: others can reach {host}, and there is no user with a password",
        "try: clew ui add-user NAME",
    ]


def test_a_password_is_asked_for_twice_or_taken_from_the_environment(
    clew: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = clew("ui", "add-user", "ann", input="a long password\na long password\n")
    assert asked.exit_code == 0 and "a long password" not in asked.output
    assert Access(home).by_password("ann", "a long password", "1")
    assert clew("ui", "add-user", "bob", input="a long password\nanother password\n").exit_code != 0
    assert "--password" not in clew("ui", "add-user", "--help").stdout, "other users see what a command was given"
    monkeypatch.setenv("CLEW_PASSWORD", "one of the environment")
    assert clew("ui", "add-user", "bob").exit_code == 0
    assert Access(home).by_password("bob", "one of the environment", "1")
    assert set(users(home)) == {"ann", "bob"}
    monkeypatch.setenv("CLEW_PASSWORD", "short")
    refused = clew("ui", "add-user", "eve")
    assert refused.exit_code == 2 and "too short" in refused.stderr


def test_with_a_user_the_library_is_what_is_looked_for_next(clew: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_PASSWORD", "one of the environment")
    clew("ui", "add-user", "ann")
    opened = clew("ui", "--host", "0.0.0.0", "--library", "missing", "--port", free_port())
    assert opened.exit_code == 3 and "missing" in opened.stderr


def test_a_conversation_of_a_user_of_the_page_is_listed_and_not_gone_on_with(
    clew: Run, home: Path, examples_path: Path
) -> None:
    with Threads(home / "threads.sqlite") as threads:
        hers = threads.new_id("ann")
        record = RECORD.dump_json(make_turn(hers, 1, "How far is the Moon?")).decode()
        threads.save(hers, 1, "How far is the Moon?", record, [], np.empty((0, 1), np.float32), "none")
    listed = clew("threads")
    assert "owner" in listed.stdout and "ann" in listed.stdout
    refused = clew("ask", "Why?", "--thread", hers, "--library", examples_path)
    assert refused.exit_code == 2 and f"the conversation {hers} is ann's" in refused.stderr

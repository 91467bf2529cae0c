"""The servers that tests start are ended with the run, however it ends."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cluster import PROGRAM, RUNNING

ROOT = Path(__file__).parent.parent

STAND_IN = """#!/bin/sh
if [ "$1" = start ]; then mkdir -p "$3"; echo "{\\"url\\": \\"http://127.0.0.1:9\\", \\"dir\\": \\"$3\\"}"
else echo "$3" >> "$0.stopped"; fi
"""
"""Of the program that starts servers: it notes which were stopped."""

RUN = """
import json, time
from pathlib import Path
from tests.cluster import own_server, shared_server

def test_that_is_stopped():
    here = Path(__file__).parent
    with own_server() as (own, _):
        found = [one.about["dir"] for one in (own, shared_server(here))]
        (here / "making").write_text(json.dumps(found))
        (here / "making").rename(here / "started")
        time.sleep(600)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_server_ends_with_its_run(tmp_path: Path, how: signal.Signals) -> None:
    """The one of all tests, and that of one test alone."""
    program, test = tmp_path / "program", tmp_path / "test_run.py"
    program.write_text(STAND_IN, "utf-8")
    program.chmod(0o755)
    test.write_text(RUN, "utf-8")
    environment = {**os.environ, PROGRAM: str(program), RUNNING: "", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(test)]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL) as run:
        waited_for(tmp_path / "started")
        run.send_signal(how)
    folders = [Path(one) for one in json.loads((tmp_path / "started").read_text("utf-8"))]
    until = time.monotonic() + 60
    while any(one.parent.exists() for one in folders) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(one.parent.exists() for one in folders)
    stopped = (tmp_path / "program.stopped").read_text("utf-8").splitlines()
    assert sorted(stopped) == sorted(map(str, folders))


def waited_for(path: Path) -> None:
    until = time.monotonic() + 120
    while not path.exists() and time.monotonic() < until:
        time.sleep(0.1)
    assert path.exists()

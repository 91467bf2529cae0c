"""`clew doctor` as a command."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.memory.knowledge.index.test_run import write
from tests.ui.conftest import ROOT, Run

NAMES = ["Python", "packages", "settings", "library", "library files", "encoder", "Ollama", "disk"]
NAMES.append("browser page")


def test_every_part_has_a_line_and_every_trouble_its_command(clew: Run, examples_path: Path) -> None:
    checks = [json.loads(line) for line in clew("doctor", "--library", examples_path, "--json").stdout.splitlines()]
    assert [check["name"] for check in checks] == NAMES
    assert all(check.keys() == {"name", "state", "message", "hint"} for check in checks)
    assert all(bool(check["hint"]) == (check["state"] != "ok") for check in checks)
    shown = clew("doctor", "--library", examples_path).stdout
    assert f"ok       library        {examples_path}: format " in shown
    without = clew("doctor", "--library", "nowhere").stdout
    assert "warning  library        there is no library at nowhere\n         try: clew index YOUR-FOLDER" in without


def test_a_problem_is_exit_code_1_and_a_warning_is_not(clew: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert clew("doctor").exit_code == 0
    Path("clew.toml").write_text("llm = ")
    broken = clew("doctor")
    assert broken.exit_code == 1 and "problem  settings       clew.toml cannot be read" in broken.stdout
    assert broken.stderr == "clew: 1 problem, see above\n"


def test_nothing_heavy_is_imported(home: Path) -> None:
    code = (
        "import sys\nfrom clew.ui.cli import main\n"
        "try: main(['doctor'])\nexcept SystemExit: pass\n"
        "print({'torch', 'sentence_transformers', 'gradio', 'langgraph'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert run.stdout.splitlines()[-1] == "set()"


def test_a_library_is_proven_and_repaired(clew: Run, tmp_path: Path) -> None:
    write(tmp_path / "notes", moon="The Moon is far away.", sun="The Sun is hot.")
    assert clew("index", tmp_path / "notes", "--library", "lib").exit_code == 0
    healthy = clew("doctor", "--library", "lib", "--repair")
    assert healthy.exit_code == 0 and "nothing to repair" in healthy.stderr
    assert re.search(r"ok       library files  all \d+ are as they were written", healthy.stdout)
    vectors = next(Path("lib").glob("*/sentences.npy"))
    content = bytearray(vectors.read_bytes())
    content[-1] ^= 1
    vectors.write_bytes(content)
    found = clew("doctor", "--library", "lib")
    assert (
        found.exit_code == 1
        and "changed: sentences.npy\n         try: clew doctor --repair --library lib" in found.stdout
    )
    mended = clew("doctor", "--library", "lib", "--repair")
    assert mended.exit_code == 0 and "repaired: read again what it was made from" in mended.stderr
    assert clew("doctor", "--library", "nowhere", "--repair").exit_code == 3

"""What the documents show is what the program prints, and what its graph is: made anew and compared."""

from pathlib import Path

import pytest

from tests import graph_picture, transcript
from tests.conftest import ROOT

README, TOUR = transcript.FILES


@pytest.mark.parametrize("file", [README, pytest.param(TOUR, marks=pytest.mark.soak)])
def test_the_transcript_is_what_is_printed(
    file: Path, examples_path: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in transcript.environment(examples_path, tmp_path / "home").items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("CLEW_CACHE", str(cache))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    text = file.read_text("utf-8")
    assert transcript.commands(text)
    assert transcript.renewed(text) == text, "python -m tests.transcript writes it anew"


def test_the_readme_is_short() -> None:
    assert (ROOT / "README.md").read_text("utf-8").count("\n") <= 70


def test_the_picture_of_a_turn_is_its_graph() -> None:
    shown = f"<!-- graph -->\n{graph_picture.picture()}<!-- end of graph -->"
    assert shown in graph_picture.FILE.read_text("utf-8"), "python -m tests.graph_picture draws it anew"

"""README.md and docs/tour.md show what is printed: their transcripts are made anew and compared."""

from pathlib import Path

import pytest

from tests import transcript
from tests.conftest import ROOT


@pytest.mark.parametrize("file", transcript.FILES, ids=lambda file: file.name)
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

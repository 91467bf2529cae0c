"""Settings: which one wins, and what a wrong one says."""

from pathlib import Path

import pytest

from clew.agent.settings import read_settings
from clew.memory.errors import BadInput


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder, and a user whose own clew.toml is in `user`."""
    for name in ("CLEW_LIBRARY", "CLEW_ENCODER", "CLEW_TOOL", "CLEW_PORT", "CLEW_HOME", "CLEW_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("clew.agent.settings.user_config_path", lambda _: tmp_path / "user")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "user").mkdir()
    return tmp_path


def test_each_place_wins_over_the_one_before(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_settings().port == 7860
    (folder / "user" / "clew.toml").write_text("port = 1\ntool = 'of the user'")
    assert read_settings().port == 1
    (folder / "clew.toml").write_text("port = 2")
    assert (read_settings().port, read_settings().tool) == (2, "of the user")
    monkeypatch.setenv("CLEW_PORT", "3")
    assert read_settings().port == 3
    assert read_settings(port=4).port == 4
    assert read_settings(port=None).port == 3  # a flag that was not given


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prot = 1", "the setting 'prot' is wrong"),
        ("port = 'eighty'", "the setting 'port' is wrong"),
        ("port = 70000", "the setting 'port' is wrong"),
        ("port 1", "clew.toml cannot be read"),
        ("tool = '\udcff'", "clew.toml cannot be read"),
    ],
)
def test_a_wrong_file_is_one_line(folder: Path, text: str, said: str) -> None:
    (folder / "clew.toml").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(BadInput, match=said) as raised:
        read_settings()
    assert "\n" not in str(raised.value) and raised.value.hint


@pytest.mark.parametrize("value", ["eighty", "0", "70000"])
def test_a_wrong_variable_is_one_line_that_names_it(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("CLEW_PORT", value)
    with pytest.raises(BadInput, match="the setting 'port' is wrong") as raised:
        read_settings()
    assert "\n" not in str(raised.value)

"""Settings: which one wins, and what a wrong one says."""

import os
import stat
from pathlib import Path

import pytest

from clew.agent.settings import folder_settings, read_settings, trust
from clew.memory.errors import BadInput


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder, and a user whose own clew.toml is in `user`."""
    for name in ("CLEW_LIBRARY", "CLEW_ENCODER", "CLEW_TOOL", "CLEW_PORT", "CLEW_HOME", "CLEW_CACHE", "CLEW_LLM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("clew.agent.settings.user_config_path", lambda _: tmp_path / "user")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "user").mkdir()
    return tmp_path


OTHERS = {"home": "/tmp/x", "cache": "/tmp/x", "llm": "openai:gpt", "encoder": "a/b"}


def test_a_folder_sets_only_what_is_harmless_until_it_is_trusted(folder: Path) -> None:
    usual = read_settings()
    text = "".join(f'{name} = "{value}"\n' for name, value in OTHERS.items())
    harmless = 'tool = "local"\nport = 8000\nlibrary = "here/lib"\naligner = "mlp-bce"\nunsupported = "remove"\n'
    harmless += 'language = "de"\n'
    (folder / "clew.toml").write_text(text + harmless)
    found = read_settings()
    assert all(getattr(found, name) == getattr(usual, name) for name in OTHERS)
    assert (found.tool, found.port, found.aligner, found.library) == ("local", 8000, "mlp-bce", Path("here/lib"))
    assert found.language == "de" and "llm" not in found.model_fields_set
    assert folder_settings()[1] == tuple(OTHERS)
    trust()
    assert (read_settings().home, read_settings().llm) == (Path("/tmp/x"), "openai:gpt")
    (folder / "clew.toml").write_text('home = "/tmp/y"')  # asked again when it changes
    assert read_settings().home == usual.home
    trust()
    assert read_settings().home == Path("/tmp/y")


@pytest.mark.parametrize("value", ["../elsewhere", "/etc", "link/lib", "a/../../b", "es://host/x", r"a\u0000"])
def test_a_library_of_a_folders_settings_is_within_it(folder: Path, value: str) -> None:
    (folder / "link").symlink_to("/tmp")
    (folder / "clew.toml").write_text(f'library = "{value}"\naligner = "../x"')
    assert (read_settings().library, read_settings().aligner) == (Path(".clew"), "votes")
    assert folder_settings()[1] == ("library", "aligner")


@pytest.mark.parametrize(
    "text", ['HOME = "/tmp/x"', 'Llm = "openai:gpt"', 'library="."\n[home]\nx = 1', "[Tools.clues]\nbeam = 5"]
)
def test_a_folder_sets_nothing_by_another_spelling(folder: Path, text: str) -> None:
    usual = read_settings()
    (folder / "clew.toml").write_text(text)
    if text.startswith("library"):
        assert folder_settings()[1] == ("home",) and read_settings().home == usual.home
        return
    with pytest.raises(BadInput, match="there is no setting of that name"):
        read_settings()


def test_a_folders_file_is_read_to_a_length_and_no_pipe_or_device_is(folder: Path) -> None:
    usual = read_settings()
    os.mkfifo(folder / "clew.toml")
    assert read_settings() == usual
    (folder / "clew.toml").unlink()
    (folder / "clew.toml").symlink_to("/dev/zero")
    assert read_settings() == usual
    (folder / "clew.toml").unlink()
    with (folder / "clew.toml").open("wb") as file:
        file.truncate(3 << 30)
    for act in (read_settings, trust):
        with pytest.raises(BadInput, match="longer than"):
            act()


def test_what_is_trusted_is_its_users_to_say(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.agent.settings.user_config_path", lambda _: folder / "config" / "clew")
    (folder / "clew.toml").write_text('llm = "openai:gpt"')
    before = os.umask(0)
    try:
        trust()
    finally:
        os.umask(before)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder / "config").rglob("*")] == [0o700, 0o600]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prot = 1", "the setting 'prot' is wrong"),
        ("port = 'eighty'", "the setting 'port' is wrong"),
        ("port = 70000", "the setting 'port' is wrong"),
        ("language = 'xx'", "the setting 'language' is wrong"),
        ("port 1", "clew.toml cannot be read"),
        ("tool = '\udcff'", "clew.toml cannot be read"),
        ("port = " + "[" * 16_000, "it is nested too deeply"),
        ("[" + ".".join(["a"] * 8_000) + "]\nx = 1", "it is nested too deeply"),
    ],
)
def test_a_wrong_file_is_one_line(folder: Path, text: str, said: str) -> None:
    (folder / "clew.toml").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(BadInput, match=said) as raised:
        read_settings()
    assert "\n" not in str(raised.value) and "clew.toml" in raised.value.hint


def test_a_wrong_variable_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_PORT", "eighty")
    with pytest.raises(BadInput) as raised:
        read_settings()
    assert raised.value.hint == "unset CLEW_PORT"

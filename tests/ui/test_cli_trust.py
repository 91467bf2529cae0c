"""`clew trust`, the settings of a folder, and the folders that a library says it was made from."""

import json
from pathlib import Path

import pytest

from clew.memory.dialogue.threads import Threads
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.disk import recorded
from tests.memory.knowledge.index.test_damage import change, generation_of
from tests.memory.knowledge.index.test_run import write
from tests.ui.conftest import Run


def test_a_folders_settings_are_ignored_with_one_line_until_they_are_trusted(clew: Run, home: Path) -> None:
    Path("clew.toml").write_text('home = "elsewhere"\nllm = "openai:gpt"\nport = 8000\n')
    listed = clew("threads")
    assert listed.exit_code == 0 and not Path("elsewhere").exists() and home.exists()
    said = "clew.toml of this folder sets home, llm: ignored, until: clew trust"
    assert listed.stderr.splitlines()[0] == said and listed.stderr.count("clew.toml") == 1
    trusted = clew("trust")
    assert trusted.exit_code == 0 and "llm = 'openai:gpt'" in trusted.stdout
    assert "clew.toml" not in clew("threads").stderr and Path("elsewhere").exists()
    Path("clew.toml").write_text('home = "third"\n')
    assert "sets home: ignored" in clew("threads").stderr and not Path("third").exists()
    assert clew("trust").exit_code == clew("trust", "--forget").exit_code == 0
    assert "sets home: ignored" in clew("threads").stderr
    Path("clew.toml").write_text("port = 8000\n")
    assert "clew.toml" not in clew("threads").stderr
    Path("clew.toml").unlink()
    assert clew("trust").exit_code == 2


def test_a_link_to_a_trusted_file_is_not_that_file(
    clew: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its relative paths would lead into the folder that has the link."""
    Path("clew.toml").write_text('home = "elsewhere"\n')
    assert clew("trust").exit_code == 0
    (other := tmp_path / "of somebody else").mkdir()
    (other / "clew.toml").symlink_to(Path("clew.toml").absolute())
    monkeypatch.chdir(other)
    assert "sets home: ignored" in clew("threads").stderr and not (other / "elsewhere").exists() and home.exists()


def test_a_rebuild_reads_only_folders_that_were_named_here(
    clew: Run, tmp_path: Path, encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, library = tmp_path / "notes", tmp_path / "library"
    write(notes, moon="The Moon is far away.")
    write(tmp_path / "private", diary="Nobody may read this diary.")
    assert clew("index", notes, "--library", library).exit_code == 0
    assert clew("index", "--rebuild", "--library", library).stdout.startswith("1 new")
    roots = [str(notes), str(tmp_path / "private")]
    change(generation_of(library) / "manifest.json", lambda manifest: manifest.update(roots=roots))
    refused = clew("index", "--rebuild", "--library", library)
    assert refused.exit_code == 2 and "private, which you did not index here" in refused.stderr
    assert f"clew index {roots[0]} {roots[1]} --rebuild" in refused.stderr
    assert clew("index", *roots, "--rebuild", "--library", library).stdout.startswith("2 new")
    assert clew("index", "--rebuild", "--library", library).stdout.startswith("2 new")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "another person"))
    assert clew("index", "--rebuild", "--library", library).exit_code == 2


def test_a_thread_belongs_to_the_library_that_it_was_over(clew: Run, home: Path, tmp_path: Path) -> None:
    write(tmp_path / "one", moon="The Moon is 384,400 km away from the Earth.")
    write(tmp_path / "two", mars="Mars has two moons, Phobos and Deimos.")
    for name in ("one", "two"):
        assert clew("index", tmp_path / name, "--library", tmp_path / f"{name}.clew").exit_code == 0
    first = recorded(tmp_path / "one.clew").id
    write(tmp_path / "one", sun="The Sun is hot.")
    assert clew("index", tmp_path / "one", "--library", tmp_path / "one.clew").exit_code == 0
    assert clew("index", "--rebuild", "--library", tmp_path / "one.clew").exit_code == 0
    (tmp_path / "one.clew").rename(tmp_path / "moved")
    assert first and recorded(tmp_path / "moved").id == first != recorded(tmp_path / "two.clew").id

    def ask(library: str, *options: str) -> tuple[str, list[str]]:
        done = clew("ask", "How many moons has Mars?", "--json", "--library", tmp_path / library, *options)
        events = [json.loads(line) for line in done.stdout.splitlines()]
        return events[-1]["thread"], [event["summary"] for event in events if event.get("node") == "library"]

    moon, said = ask("moved")
    assert not said
    mars, said = ask("two.clew", "--continue")  # the newest is another library's
    assert mars != moon and not said
    assert ask("moved", "--continue") == (moon, [])
    thread, said = ask("two.clew", "--thread", moon)  # it was asked for
    assert thread == moon and "another library" in said[0]
    assert ask("two.clew", "--thread", moon)[1] == []
    listed = {row["id"]: row["library"] for row in map(json.loads, clew("threads", "--json").stdout.splitlines())}
    assert listed == {moon: listed[mars], mars: recorded(tmp_path / "two.clew").id}
    with Threads(home / "threads.sqlite", first) as threads:
        assert threads.over_library() == [] and len(threads.recent()) == 2

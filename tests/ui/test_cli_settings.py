"""Settings and parameters from files, variables and flags, and whom a folder's file is taken from."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from clew.agent.parameters import parameters, sentences
from clew.agent.settings import NAMES
from clew.memory.dialogue.threads import Threads
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.disk import read_manifest, recorded, required_generation
from tests.memory.knowledge.index.test_damage import change, generation_of
from tests.memory.knowledge.index.test_run import write
from tests.ui.conftest import Run


def row(clew: Run, name: str, *flags: str) -> Any:
    run = clew("settings", name, "--json", *flags)
    assert run.exit_code == 0, run.output
    return json.loads(run.stdout.splitlines()[0])


def test_each_place_wins_over_those_before_it(clew: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "tools.clues.beam"
    assert row(clew, name) == {
        "name": name,
        "value": 10,
        "source": "default",
        "default": 10,
        "seed": "",
        "seed_value": None,
        "allowed": "a whole number from 1 to 100",
        "is": "how many paths are kept at each step",
        "matters": False,
    }
    user = tmp_path / "config" / "clew" / "clew.toml"
    user.parent.mkdir(parents=True)
    user.write_text("[tools.clues]\nbeam = 2\ndepth = 4\n")
    assert (row(clew, name)["value"], row(clew, name)["source"]) == (2, str(user))
    Path("clew.toml").write_text("[tools.clues]\nbeam = 3\n")
    assert (row(clew, name)["value"], row(clew, name)["source"]) == (3, "clew.toml")
    assert row(clew, "tools.clues.depth")["value"] == 4  # a table of two files is one
    monkeypatch.setenv("CLEW_TOOLS__CLUES__BEAM", "4")
    assert (row(clew, name)["value"], row(clew, name)["source"]) == (4, "environment")
    by_flag = row(clew, name, "--set", f"{name}=5")
    assert (by_flag["value"], by_flag["source"]) == (5, "flag")


def test_what_was_set_and_what_matters_is_shown_and_each_is_said_in_a_sentence(clew: Run) -> None:
    _, *shown = re.findall(r"^ ([\w.]+)  ", clew("settings", "--set", "walk.hub=1").stdout, re.MULTILINE)
    assert {"cache", "llm", "walk.hub"} == set(shown[:3])
    assert {"library", "answer.words"} < set(shown) and len(shown) == 22
    assert clew("settings", "--all").stdout.count("\n") > len(sentences())
    names = {*NAMES, *parameters()}
    assert sentences().keys() == names and all(said for said, _ in sentences().values())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("tools.clues.beem=5", "tools.clues.beam"),
        ("tools.clues.beam=0", "a whole number from 1 to 100"),
        ("tools.local.tau=5", "tools.local.tau_e or tools.local.tau_d"),
        ("tools.walk.beam=5", "walk.beam"),
        ("rewrite.lambda=1.5", "a number from 0 to 1"),
        ("rewrite.intercept=-1e308", "a number from -100 to 100"),
        ("beam", "--set tools.clues.beam=5"),
        ("tools.clues=5", "there is no parameter 'tools.clues'"),
    ],
)
def test_a_wrong_flag_is_two_lines(clew: Run, given: str, said: str) -> None:
    run = clew("settings", *(part for one in given.split() for part in ("--set", one)))
    assert run.exit_code == 2 and said in run.stderr and run.stderr.count("\n") == 2


def test_those_of_indexing_are_applied_kept_and_asked_for(clew: Run, tmp_path: Path) -> None:
    library = tmp_path / "library"
    write(tmp_path / "notes", moon="The Moon orbits the Earth. My bread needs yeast. Paris is in France.")

    def fingerprint() -> str:
        return read_manifest(required_generation(library)).fingerprint

    def search(*flags: str) -> Any:
        return clew("search", "moon", "--tool", "hybrid", "--library", library, *flags)

    made = clew("index", "notes", "--library", library, "-q")
    assert made.exit_code == 0, made.output
    plain, wanted = fingerprint(), ["--set", "index.semantic.buffer=0", "--set", "index.semantic.step=1"]
    refused = search(*wanted)
    assert refused.exit_code == 3, refused.output
    assert "was not made with index.semantic.buffer = 0, index.semantic.step = 1" in refused.stderr
    command = refused.stderr.splitlines()[1].removeprefix("try: clew ").split()
    assert command[0] == "index" and "semantic" in command
    assert clew(*command, "-q").exit_code == 0
    assert search(*wanted).exit_code == 0 and fingerprint() != plain
    again = clew("index", "notes", "--library", library, "-q")  # kept, unless it is said otherwise
    assert "1 unchanged" in again.stdout and search(*wanted).exit_code == 0
    wrong = clew("index", "notes", "--library", library, "-q", "--set", "index.sentences.overlap=2")
    assert wrong.exit_code == 2 and "--chunker sentences" in wrong.stderr


# Of a folder that somebody else may have made


def test_a_folders_file_sets_numbers_and_choices_alone_until_it_is_trusted(
    clew: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("clew.toml").write_text('[walk]\nbeam = 2\n[tools.hybrid]\nreranker = "x"\n')
    run = clew("settings", "--json")
    assert "clew.toml of this folder sets tools.hybrid.reranker: ignored, until: clew trust" in run.stderr
    rows = {one["name"]: one["value"] for one in map(json.loads, run.stdout.splitlines())}
    assert (rows["walk.beam"], rows["tools.hybrid.reranker"]) == (2, "")
    Path("clew.toml").write_text('home = "elsewhere"\nllm = "openai:gpt"\nport = 8000\n')
    listed = clew("threads")
    assert listed.exit_code == 0 and not Path("elsewhere").exists() and home.exists()
    said = "clew.toml of this folder sets home, llm: ignored, until: clew trust"
    assert listed.stderr.splitlines()[0] == said and listed.stderr.count("clew.toml") == 1
    trusted = clew("trust")
    assert trusted.exit_code == 0 and "llm = 'openai:gpt'" in trusted.stdout
    assert "clew.toml" not in clew("threads").stderr and Path("elsewhere").exists()
    (other := tmp_path / "of somebody else").mkdir()
    (other / "clew.toml").symlink_to(Path("clew.toml").absolute())
    with monkeypatch.context() as there:
        there.chdir(other)  # a link is not that file: its relative paths lead elsewhere
        assert "sets home, llm: ignored" in clew("threads").stderr and not (other / "elsewhere").exists()
    Path("clew.toml").unlink()
    assert clew("trust").exit_code == 2


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
        done = clew("ask", "How many moons has Mars?", "--json=full", "--library", tmp_path / library, *options)
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
    listed = {
        row["id"]: row["library"] for row in map(json.loads, clew("threads", "--all", "--json").stdout.splitlines())
    }
    assert listed == {moon: listed[mars], mars: recorded(tmp_path / "two.clew").id}
    with Threads(home / "threads.sqlite", first) as threads:
        assert threads.over_library() == [] and [one.id for one in threads.recent()] == [moon]
